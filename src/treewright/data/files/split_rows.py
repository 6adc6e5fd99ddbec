"""Delimited text to rows of cells, with the line of each row; what is no table is refused."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.array_types import Int64Array
from treewright.data.files.coded_texts import CodedTexts
from treewright.data.files.delimiters import ROWS_LOOKED_AT
from treewright.data.files.notation import NUMBER
from treewright.errors import FileFormatError
from treewright.interrupts import uncollected


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Rows of cells; every row has as many as the first.

    Attributes
    ----------
    lines : array of int64
        The line that each row ends in.
    cells : list of lists of str
        The cells of each row.
    """

    lines: Int64Array
    cells: list[list[str]]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.cells)

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return self.cells[0]

    def after(self, n_rows: int) -> SplitRows:
        """Return the rows after the first ones."""
        return SplitRows(self.lines[n_rows:], self.cells[n_rows:])

    def column(self, place: int) -> CodedTexts:
        """Return the cells of one column."""
        return CodedTexts.of([row[place] for row in self.cells])

    def sample(self, place: int) -> list[str]:
        """Return some cells of one column, from rows that are spread evenly."""
        step = max(1, len(self.cells) // ROWS_LOOKED_AT)
        return [row[place] for row in self.cells[::step]]

    def is_blank(self, place: int) -> bool:
        """Return whether a column holds nothing but spaces."""
        return not any(row[place].strip() for row in self.cells)


def split_rows(text: str, *, source: str, delimiter: str, first_line: int = 1) -> SplitRows:
    """Return the rows of delimited text; blank lines are left out.

    >>> rows = split_rows('a,b\\n\\n1,"x\\ny"\\n', source="t.csv", delimiter=",")
    >>> rows.cells, rows.lines.tolist()
    ([['a', 'b'], ['1', 'x\\ny']], [1, 4])
    """
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    lines: list[int] = []
    rows: list[list[str]] = []
    before = first_line - 1
    try:
        with uncollected():
            for row in reader:
                lines.append(reader.line_num + before)
                rows.append(row)
    except csv.Error as error:
        line = reader.line_num + before
        hint = "a quote inside a quoted field is written twice"
        if "limit" in str(error) or "end of data" in str(error):
            hint = "a quote is opened and never closed"
        raise FileFormatError(f"{source}, line {line}: {error}.\n  Hint: {hint}.") from None
    # In a table of one column an empty line is a missing value, except at the end of the file.
    is_single = max(map(len, rows), default=0) <= 1
    while rows and not rows[-1]:
        del rows[-1], lines[-1]
    if is_single:
        return SplitRows(np.array(lines, dtype=np.int64), [row or [""] for row in rows])
    kept = [i for i, row in enumerate(rows) if len(row) > 1 or (row and row[0].strip())]
    return SplitRows(np.array([lines[i] for i in kept], dtype=np.int64), [rows[i] for i in kept])


def check_widths(rows: SplitRows, width: int, *, source: str, delimiter: str) -> None:
    """Refuse rows of another number of cells."""
    for line, row in zip(rows.lines.tolist(), rows.cells, strict=True):
        if len(row) != width:
            raise FileFormatError(
                f"{source}, line {line} has {len(row)} fields, not {width}.\n"
                f"  Hint: fields are divided by {delimiter!r}; a field that holds one is quoted"
                + (", or delimiter= is another." if width == 1 else ".")
            )


def header_names(
    first: Sequence[str], source: str, *, header: bool | None, looking: bool
) -> tuple[str, ...] | None:
    """Return the names in the first line; None if it is data."""
    if header is False:
        return None
    names = tuple(name.strip() for name in first)
    if header is None and all(NUMBER.fullmatch(name) for name in names):
        if looking:
            return None
        raise FileFormatError(
            f"{source}, line 1 holds only numbers ({', '.join(names[:5])}), not names of columns.\n"
            "  Hint: pass header=False if it is data, header=True if these are the names."
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:5])
        raise FileFormatError(
            f"{source}, line 1 has more than one column called {shown}.\n"
            "  Hint: columns are told apart by name; rename them, or pass header=False."
        )
    return names
