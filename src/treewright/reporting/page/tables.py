"""Tables as a page writes them: rules only, numbers to the right, long ones folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.chart.picture import Numbers
from treewright.reporting.page.markup import Markup, Piece, markup, tag

MOST_LINES = 20
"""Lines of a table that are there at once; the others are folded."""

MOST_NUMBERS = 400
"""Lines of the numbers of a chart."""
_MOST_DIGITS = 20
"""Of a cell that is a number; longer ones are texts, and are broken into lines."""


@dataclass(frozen=True)
class Head:
    """The head of a column.

    Parameters
    ----------
    text
        What it says.
    is_number
        Whether its cells stand at the right.
    drop
        Whether the column goes where the page is narrow.
    is_tight
        Whether its cells are one line each.
    """

    text: str
    is_number: bool = False
    drop: bool = False
    is_tight: bool = False

    @property
    def class_(self) -> str | None:
        """The classes of its cells."""
        kinds = {"n": self.is_number, "t": self.is_tight, "drop": self.drop}
        return " ".join(name for name, holds in kinds.items() if holds) or None


def table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[Piece]],
    *,
    strong: Sequence[int] = (),
    full: bool = False,
    most: int = MOST_LINES,
) -> Markup:
    """Return a table; what is beyond its first lines is folded.

    Parameters
    ----------
    heads, rows
        Its columns and lines.
    strong
        Lines in bold.
    full
        Whether it is as wide as the page.
    most
        Lines that are not folded; of few more none is.
    """
    if len(rows) <= most + 3:
        return _table(heads, rows, 0, strong, full)
    first = _table(heads, rows[:most], 0, strong, full)
    rest = _table(heads, rows[most:], most, strong, full)
    return markup([first, folded(f"Show the other {len(rows) - most:,}", rest)])


def _table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[Piece]],
    start: int,
    strong: Sequence[int],
    full: bool,
) -> Markup:
    top = tag("tr", [tag("th", head.text, class_=head.class_, scope="col") for head in heads])
    lines = [
        tag(
            "tr",
            [tag("td", cell, class_=h.class_) for h, cell in zip(heads, cells, strict=True)],
            class_="strong" if start + i in strong else None,
        )
        for i, cells in enumerate(rows)
    ]
    return tag("table", tag("thead", top), tag("tbody", lines), class_="full" if full else None)


def folded(summary: str, *inside: Piece) -> Markup:
    """Return something that opens when its line is clicked."""
    return tag("details", tag("summary", summary), *inside)


def numbers_of(numbers: Numbers, summary: str = "The numbers") -> Markup:
    """Return the numbers of a chart as a folded table."""
    if not numbers.rows:
        return Markup("")
    rows = numbers.rows[:MOST_NUMBERS]
    rest = len(numbers.rows) - len(rows)
    columns = list(zip(*rows, strict=True))
    heads = [
        Head(head, is_number=i > 0 and max(map(len, columns[i])) <= _MOST_DIGITS)
        for i, head in enumerate(numbers.heads)
    ]
    more = tag("p", f"… {rest:,} more") if rest else ""
    return folded(summary, _table(heads, rows, 0, (), False), more)
