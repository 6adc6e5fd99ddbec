"""Tables of a screen: columns that are dropped or cut in the middle until they fit.

Numbers are never cut. What is shortened, and in which order, stands with each column.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from treewright.text.names import on_one_line, short_in_middle

_GAP = "  "
_LEAST = 8
"""A name is not cut below this; a table that is still too wide is too wide."""

Style: TypeAlias = Literal["bold", "dim", "note", "error"]
Paint: TypeAlias = Callable[[str, "Style | int | None"], str]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    header
        Its name; the plain table takes `key` where that is given.
    cells
        Its texts.
    right
        Align to the right: numbers.
    styles
        How each cell is painted; empty for none.
    drop
        Where the table is too wide, the columns with the largest number go first; 0 stays.
    cut
        Its texts may be cut in the middle, to this width before other columns are dropped, and
        further after that; 0 is never cut.
    key
        Header in the plain table.
    only_plain, only_aligned
        Shown in one of the two kinds of table only.
    """

    header: str
    cells: Sequence[str]
    right: bool = False
    styles: Sequence[Style | int | None] = ()
    drop: int = 0
    cut: int = 0
    key: str | None = None
    only_plain: bool = False
    only_aligned: bool = False

    @property
    def width(self) -> int:
        """Columns of text of its widest cell."""
        return max(map(display_width, (self.header, *self.cells)))


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> display_width("Größe"), display_width("大小")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    marks = sum(unicodedata.combining(letter) > 0 for letter in text)
    return len(text) + wide - marks


def aligned(
    columns: Sequence[Column],
    *,
    width: int | None,
    paint: Paint = lambda text, style: text,
    ellipsis: str = "…",
) -> str:
    """Return the text of columns side by side.

    >>> columns = [Column("column", ["income", "months"]), Column("rows", ["7", "12"], right=True)]
    >>> print(aligned(columns, width=80))
    column  rows
    income     7
    months    12
    """
    shown = [
        replace(column, cells=[on_one_line(cell) for cell in column.cells])
        for column in columns
        if not column.only_plain and (column.header or any(column.cells))
    ]
    if width is not None:
        shown = _fitting(shown, width, ellipsis)
    widths = [column.width for column in shown]
    lines = [_GAP.join(_padded(c.header, w, c.right) for c, w in zip(shown, widths, strict=True))]
    for i in range(len(shown[0].cells) if shown else 0):
        cells = []
        for column, size in zip(shown, widths, strict=True):
            style = column.styles[i] if column.styles else None
            text = column.cells[i]
            space = " " * (size - display_width(text))
            painted = paint(text, style)
            cells.append(f"{space}{painted}" if column.right else f"{painted}{space}")
        lines.append(_GAP.join(cells))
    return "\n".join(line.rstrip() for line in lines)


def tab_separated(columns: Sequence[Column]) -> str:
    """Return one record a line, fields separated by tabs, under a line of headers."""
    shown = [column for column in columns if not column.only_aligned]
    lines = ["\t".join(each.header if each.key is None else each.key for each in shown)]
    lines += [
        "\t".join(on_one_line(column.cells[i]) for column in shown)
        for i in range(len(shown[0].cells) if shown else 0)
    ]
    return "\n".join(lines)


def _fitting(columns: list[Column], width: int, ellipsis: str) -> list[Column]:
    """Return the columns that fit: texts cut a little, columns dropped, texts cut further."""
    shown = _cut(columns, width, ellipsis, least=None)
    while _total(shown) > width and any(column.drop for column in shown):
        first = max(shown, key=lambda column: column.drop)
        columns = [column for column in columns if column.drop != first.drop]
        shown = _cut(columns, width, ellipsis, least=None)
    return _cut(columns, width, ellipsis, least=_LEAST)


def _cut(
    columns: Sequence[Column], width: int, ellipsis: str, *, least: int | None
) -> list[Column]:
    """Return the columns with the widest texts cut, each to its own least width or this one."""
    shown = list(columns)
    while (over := _total(shown) - width) > 0:
        floors = [max(c.cut if least is None else least, len(c.header)) for c in shown]
        may = [i for i, c in enumerate(shown) if c.cut and c.width > floors[i]]
        if not may:
            break
        widest = max(may, key=lambda i: shown[i].width)
        size = shown[widest].width
        # One step makes the widest as narrow as the next, or as narrow as is due.
        others = [shown[i].width for i in may if shown[i].width < size]
        most = min(max(size - over, floors[widest], *others), size - 1)
        cells = [_short(cell, most, ellipsis) for cell in shown[widest].cells]
        shown[widest] = replace(shown[widest], cells=cells)
    return shown


def _short(text: str, most: int, ellipsis: str) -> str:
    cut = short_in_middle(text, most)
    return cut if ellipsis == "…" else cut.replace("…", "~")


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width + len(_GAP) for column in columns) - len(_GAP)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - display_width(text))
    return f"{space}{text}" if right else f"{text}{space}"
