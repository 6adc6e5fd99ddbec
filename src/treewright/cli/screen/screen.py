"""A screen: how wide it is, whether it has colour, and which characters it can show."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from treewright.cli.screen.table import Column, Style, aligned, tab_separated
from treewright.text.names import on_one_line

_CODES: dict[str, str] = {"bold": "1", "dim": "2", "note": "33", "error": "31"}
_CLASS_CODES = ("36", "33", "35", "32", "34", "31")
"""Colours of the 16-colour set, by the number of the class; they begin again after six."""


@dataclass(frozen=True, kw_only=True)
class Screen:
    """Where a result is laid out.

    Parameters
    ----------
    width
        Columns of text; None where nothing is shortened or wrapped, as in a pipe.
    colour
        Whether colours (and links) are written.
    plain
        One tab-separated record a line instead of aligned tables; no strokes, no wrapping.
    ascii
        Add only ASCII characters.

    Examples
    --------
    >>> screen = Screen(width=24)
    >>> print(screen.sentence("amount is asked: it has the highest gain."))
    amount is asked: it has
    the highest gain.
    """

    width: int | None = None
    colour: bool = False
    plain: bool = False
    ascii: bool = False

    @property
    def arrow(self) -> str:
        """The arrow before an answer."""
        return "->" if self.ascii else "→"

    @property
    def ellipsis(self) -> str:
        """What stands for what is left out."""
        return "..." if self.ascii else "…"

    @property
    def dot(self) -> str:
        """What stands between parts of a line."""
        return "|" if self.ascii else "·"

    def paint(self, text: str, style: Style | int | None) -> str:
        """Return a text in a style (or the colour of a class, by its number), where there is any.

        >>> Screen(colour=True).paint("late", "bold")
        '\\x1b[1mlate\\x1b[0m'
        """
        if not self.colour or style is None or not text:
            return text
        code = _CLASS_CODES[style % 6] if isinstance(style, int) else _CODES[style]
        return f"\x1b[{code}m{text}\x1b[0m"

    def bold(self, text: str) -> str:
        """Return a text that is the answer."""
        return self.paint(text, "bold")

    def dim(self, text: str) -> str:
        """Return a text that stands behind the others."""
        return self.paint(text, "dim")

    def safe(self, text: object) -> str:
        """Return a user's text on one line, with control characters escaped."""
        return on_one_line(str(text))

    def link(self, text: str, address: str) -> str:
        """Return a text that leads to an address (OSC 8), where the terminal has colour."""
        if not self.colour:
            return text
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"

    def sentence(self, text: str, *, indent: str = "") -> str:
        """Return sentences broken into lines; later lines are indented."""
        if self.width is None or self.plain:
            return text
        return textwrap.fill(
            text,
            max(self.width, len(indent) + 10),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def table(self, columns: Sequence[Column]) -> str:
        """Return columns side by side under their headers, or one record a line."""
        if self.plain:
            return tab_separated(columns)
        return aligned(columns, width=self.width, paint=self.paint, ellipsis=self.ellipsis)


def screen_of(
    stream: TextIO,
    *,
    environment: Mapping[str, str] = os.environ,
    width: int | None = None,
    plain: bool = False,
    no_color: bool = False,
) -> Screen:
    """Return the screen of a stream: a terminal, a file or a pipe.

    Parameters
    ----------
    stream
        Where the text goes.
    environment
        ``NO_COLOR``, ``FORCE_COLOR``, ``TERM``, ``COLUMNS``, ``TREEWRIGHT_PLAIN``.
    width, plain, no_color
        The options of these names.
    """
    terminal = is_terminal(stream)
    if width is None and terminal:
        width = shutil.get_terminal_size().columns
    plain = plain or environment.get("TREEWRIGHT_PLAIN", "") not in ("", "0")
    refused = no_color or bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
    forced = environment.get("FORCE_COLOR", "") not in ("", "0")
    return Screen(
        width=width,
        colour=not plain and not refused and (terminal or forced),
        plain=plain,
        ascii=not _can_show("├─→…·", stream),
    )


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal; a closed one is none."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def _can_show(letters: str, stream: TextIO) -> bool:
    try:
        letters.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
