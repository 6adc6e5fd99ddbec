"""The colours of every picture: named tokens with a value in each theme.

A picture is drawn with tokens (``"ink"``, ``"class-0"``, ``"seq-4"``); only what writes it knows
the theme. ``"on-TOKEN"`` is the text colour that can be read on a fill.

Examples
--------
>>> colour("accent", "light"), colour("accent", "dark")
(Colour(value='#17694A', opacity=1.0), Colour(value='#5CC79A', opacity=1.0))
>>> colour("on-seq-6", "light").value
'#FFFFFF'
>>> colour("class-0-at-40", "light").value  # mixed with the paper, 40 % of it
'#A7BCE1'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

Theme = Literal["light", "dark", "print"]

THEMES: tuple[Theme, ...] = ("light", "dark", "print")

MOST_CLASS_HUES = 10
"""Beyond so many classes hues are too alike, and are given up for the whole model."""

MOST_CLASS_LINES = 4
"""Coloured lines in one plot; beyond, their tones are too alike for colour-blind readers."""

CLASS_DASHES = ("", "7 3", "2 2.5", "10 3 2 3")

_DARK_TEXT, _LIGHT_TEXT = "#1B1F24", "#FFFFFF"
_LEAST_CONTRAST = 4.5
"""Of text on its ground (Web Content Accessibility Guidelines 2.2, criterion 1.4.3)."""


@dataclass(frozen=True)
class Colour:
    """A colour as it is written, and how much of the ground it covers."""

    value: str
    opacity: float = 1.0


_TOKENS: dict[str, tuple[str, str, str]] = {
    "paper": ("#FFFFFF", "#14181D", "#FFFFFF"),
    "panel": ("#F4F5F3", "#1E242A", "#FFFFFF"),
    "panel-border": ("#F4F5F3", "#1E242A", "#7A7A7A"),
    "ink": ("#1B1F24", "#E9ECEF", "#000000"),
    "ink2": ("#4A525B", "#B9C1C9", "#333333"),
    "ink3": ("#69727D", "#929CA7", "#4D4D4D"),
    "axis": ("#8C959F", "#6F7984", "#7A7A7A"),
    "edge": ("#CDD2D7", "#465059", "#C4C4C4"),
    "rule": ("#E1E4E7", "#2A3138", "#CCCCCC"),
    "accent": ("#17694A", "#5CC79A", "#17694A"),
    "other": ("#A9B1BA", "#6F7984", "#B0B0B0"),
}

_BAND = {
    "light": Colour("#17694A", 0.13),
    "dark": Colour("#5CC79A", 0.18),
    "print": Colour("#E3E3E3"),
}

_ICE_OPACITY = 0.35

_CLASSES = {
    "light": "#2457B3 #E8751A #7CCFC6 #7A2A55 #CBBF55 #BBA9E2 #3A87C6 #5A3A22 #D47F86 #5B7326",
    "dark": "#5585EA #F6A63C #8FE6DB #B8448C #F2E37A #CDBFF5 #48B0D6 #A8622C #E08AA0 #6DAE70",
}
_CLASS_LINES = {
    "light": "#2457B3 #D9650B #2E9B92 #7A2A55 #958A1E #8468C4 #3A87C6 #5A3A22 #C2606A #5B7326",
    "dark": "#5585EA #F6A63C #8FE6DB #C9559C #F2E37A #CDBFF5 #48B0D6 #BB7338 #E08AA0 #6DAE70",
}
_SEQUENTIAL = {
    "light": "#EEF3F1 #C9DDD5 #9BC2B3 #66A28D #358069 #155C47 #0A3A2C",
    "dark": "#1E2A28 #24443B #2C6152 #3B8069 #57A387 #84C8AC #C3EBD8",
}
_DIVERGING = {
    "light": "#8A4B08 #C98B3F #EBCF9F #F2F2F0 #A9D5C8 #4FA08B #0F5F4C",
    "dark": "#E8B068 #B07A36 #5F4828 #262D33 #2A5A4F #3F947D #86DBC2",
}
_SERIES = {
    "class": _CLASSES,
    "class-line": _CLASS_LINES,
    "seq": _SEQUENTIAL,
    "diverging": _DIVERGING,
}


def class_fill(index: int, n_classes: int) -> str:
    """Return the token for areas of a class; grey where a model has too many classes for hues."""
    return f"class-{index}" if n_classes <= MOST_CLASS_HUES else "other"


def class_line(index: int) -> str:
    """Return the token for lines and dots of a class; grey beyond the classes with a hue.

    >>> class_line(1), class_line(12)
    ('class-line-1', 'axis')
    """
    return f"class-line-{index}" if index < MOST_CLASS_HUES else "axis"


def shade(share: float) -> str:
    """Return the token of a share from 0 to 1 in steps of equal lightness.

    >>> shade(0.0), shade(0.5), shade(1.0)
    ('seq-0', 'seq-3', 'seq-6')
    """
    return f"seq-{min(int(7 * max(share, 0.0)), 6)}"


@cache
def colour(token: str, theme: Theme) -> Colour:
    """Return the colour of a token in a theme."""
    if token.startswith("on-"):
        return Colour(_text_on(colour(token.removeprefix("on-"), theme).value))
    if "-at-" in token:
        fill, _, percent = token.partition("-at-")
        return Colour(_mixed(colour(fill, theme).value, colour("paper", theme).value, percent))
    if token == "band":
        return _BAND[theme]
    if token == "ice":
        return Colour(colour("axis", theme).value, _ICE_OPACITY)
    if token in _TOKENS:
        return Colour(_TOKENS[token][THEMES.index(theme)])
    series, _, index = token.rpartition("-")
    values = _SERIES[series]["dark" if theme == "dark" else "light"]
    return Colour(values.split()[int(index)])


def mixed(token: str, share: float) -> str:
    """Return the token of a fill mixed with the paper, of which it covers a share.

    >>> mixed("class-1", 0.43)
    'class-1-at-45'
    """
    return f"{token}-at-{5 * round(20 * min(max(share, 0.0), 1.0))}"


def _mixed(fill: str, ground: str, percent: str) -> str:
    share = int(percent) / 100
    parts = [(int(fill[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02X}" for a, b in parts)


def _text_on(fill: str) -> str:
    contrast = 1.05 / (_luminance(fill) + 0.05)
    return _LIGHT_TEXT if contrast >= _LEAST_CONTRAST else _DARK_TEXT


def _luminance(value: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
