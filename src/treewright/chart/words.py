"""Names and numbers as they stand in a picture.

Counts have commas, a minus is U+2212, a percent sign follows a narrow space, and a text that
somebody else chose has neither control nor bidirectional characters.

Examples
--------
>>> count(1755), count(2_345_678), number(-0.45)
('1,755', '2.3 M', '−0.45')
>>> percent(0.8412).replace(NARROW_SPACE, " ")
'84 %'
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Literal

import numpy as np

from treewright.chart.dates import date_labels, date_text
from treewright.text.numbers import figures

Form = Literal["number", "percent", "signed", "date"]

FORMS: tuple[Form, ...] = ("number", "percent", "signed", "date")

NARROW_SPACE = "\u202f"
_MINUS = "\u2212"
_REPLACEMENT = "\ufffd"
_MILLION = 1_000_000
_MOST_WHOLE = 1e15


def clean(text: str) -> str:
    """Return a text for one line of a picture.

    Line breaks and tabs become spaces, other control characters and bidirectional marks U+FFFD.

    >>> clean("a\\tb"), clean("")
    ('a b', '(empty)')
    """
    return _printable(text) if text else "(empty)"


def clean_sentence(text: str) -> str:
    """Return a title or caption for a picture: as `clean`, but nothing stays nothing."""
    return _printable(text)


def _printable(text: str) -> str:
    if text.isprintable():  # nearly every name, and much quicker to find out
        return text
    return "".join(map(_printed, text))


def _printed(letter: str) -> str:
    if letter.isspace():
        return letter if letter in f" \u00a0\u2009{NARROW_SPACE}" else " "
    # Cc control, Cf format (bidirectional marks among them), Cs surrogates, Cn not assigned
    return _REPLACEMENT if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Cn") else letter


def count(value: float, *, exact: bool = False) -> str:
    """Return a number of rows, or their weight with one decimal."""
    if not exact and abs(value) >= _MILLION:
        return _signed(f"{value / _MILLION:.1f}") + " M"
    whole = math.isfinite(value) and float(value).is_integer()
    return _signed(f"{value:,.0f}" if whole else f"{value:,.1f}")


def number(value: float) -> str:
    """Return one number with at most four significant digits."""
    return numbers([value])[0]


def numbers(values: Sequence[float | None], form: Form = "number") -> list[str]:
    """Return a column of numbers, all with the same decimals; None is left empty.

    >>> numbers([0.041, 0.015, -0.0002])
    ['0.0410', '0.0150', '−0.0002']
    >>> numbers([0.91, -0.45], "signed")
    ['+0.91', '−0.45']
    >>> [text.replace(NARROW_SPACE, " ") for text in numbers([0.131, 0.125], "percent")]
    ['13.1 %', '12.5 %']
    """
    if form == "percent":
        return ["" if value is None else percent(value, decimals=1) for value in values]
    if form == "date":
        return ["" if value is None else date_text(value) for value in values]
    texts = [grouped(text) for text in figures(values)]
    if form == "number":
        return texts
    return [
        f"+{text}" if value is not None and value > 0 else text
        for text, value in zip(texts, values, strict=True)
    ]


def value_words(value: object) -> str:
    """Return the value of a column as it stands in a picture.

    >>> value_words(20600.0), value_words(5444.54), value_words(True), value_words(None)
    ('20,600', '5,444.5', 'yes', 'missing')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return grouped(str(int(value)))
    if isinstance(value, float | np.floating):
        exact = float(value)
        is_whole = exact.is_integer() and abs(exact) < _MOST_WHOLE
        return grouped(str(int(exact))) if is_whole else number(exact)
    return str(value)


def percent(share: float, *, decimals: int = 0) -> str:
    """Return a share as a percentage; 0 % and 100 % only if it is exactly that.

    >>> [percent(share).replace(NARROW_SPACE, " ") for share in (0.0, 0.001, 0.999, 1.0)]
    ['0 %', '<1 %', '>99 %', '100 %']
    """
    if not math.isfinite(share):
        return _signed(str(share))
    text = f"{100 * share:.{decimals}f}"
    least = 10.0**-decimals
    if share != 0 and float(text) == 0:
        text = f"<{least:g}" if share > 0 else f"-{0:.{decimals}f}"
    elif share != 1 and float(text) == 100:
        text = f">{100 - least:g}" if share < 1 else f"{100 * share:.{decimals + 1}f}"
    return f"{_signed(text)}{NARROW_SPACE}%"


def tick_labels(values: Sequence[float], form: Form = "number") -> list[str]:
    """Return the labels of an axis: as few decimals as tell its ticks apart.

    >>> tick_labels([0.0, 0.01, 0.02])
    ['0', '0.01', '0.02']
    """
    if form == "date":
        return date_labels(values)
    scale = 100.0 if form == "percent" else 1.0
    scaled = [value * scale for value in values]
    largest = max(map(abs, scaled), default=0.0)
    if largest and not 1e-5 <= largest < 1e7:
        texts = [grouped(f"{value:.3g}") for value in scaled]
    else:
        decimals = next(
            (d for d in range(12) if all(_is_close(v, round(v, d), largest) for v in scaled)), 12
        )
        texts = [grouped(f"{v:.{0 if v == 0 else decimals}f}") for v in scaled]
    if form == "percent":
        return [f"{text}{NARROW_SPACE}%" for text in texts]
    if form == "signed":
        return [f"+{t}" if v > 0 else t for t, v in zip(texts, scaled, strict=True)]
    return texts


def _is_close(value: float, rounded: float, largest: float) -> bool:
    return abs(value - rounded) <= 1e-9 * largest


def grouped(text: str) -> str:
    """Return the text of a number with commas from 1,000 and a real minus sign."""
    whole, point, decimals = text.partition(".")
    if whole.lstrip("-").isdigit() and len(whole.lstrip("-")) > 3:
        whole = f"{int(whole):,}"
    return _signed(whole + point + decimals)


def _signed(text: str) -> str:
    return text.replace("-", _MINUS)
