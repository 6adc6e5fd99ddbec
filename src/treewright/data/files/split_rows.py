"""Delimited text to rows of cells, with the line of each row; what is no table is refused."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.array_types import BoolArray, FloatArray, Int64Array
from treewright.core import DelimitedRows
from treewright.data.files.coded_texts import CodedTexts
from treewright.data.files.delimiters import ROWS_LOOKED_AT
from treewright.data.files.notation import NUMBER, Notation
from treewright.errors import FileFormatError


@dataclass(frozen=True, kw_only=True, eq=False)
class FoundNumbers:
    """A column most of whose cells are numbers.

    Attributes
    ----------
    values, wholes : arrays
        The numbers, NaN for none; and as whole numbers, where `is_whole`.
    present : array of bool
        Whether a cell is a number.
    n_numbers : int
        How many are.
    is_whole, is_beyond : bool
        Whether all are whole numbers, and whether one of them does not fit in 64 bits.
    others : dict
        Text that is neither a number nor missing to its number of rows and its first row.
    """

    values: FloatArray
    wholes: Int64Array
    present: BoolArray
    n_numbers: int
    is_whole: bool
    is_beyond: bool
    others: dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Rows of cells, all of one width; the first ones may be left out.

    Attributes
    ----------
    cells : DelimitedRows
        The text, and where its cells are.
    n_left_out : int
        How many rows at the beginning are no data: the header.
    """

    cells: DelimitedRows
    n_left_out: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.cells.n_rows - self.n_left_out

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return [
            self.cells.texts(place, self.n_left_out, sys.maxsize)[0]
            for place in range(self.cells.n_columns)
        ]

    @cached_property
    def lines(self) -> Int64Array:
        """The line that each row ends in."""
        return self.cells.lines()[self.n_left_out :]

    def after_first(self) -> SplitRows:
        """Return the rows after the first one."""
        return SplitRows(self.cells, self.n_left_out + 1)

    def column(self, place: int) -> CodedTexts:
        """Return the cells of one column, coded."""
        return CodedTexts(*self.cells.coded(place, self.n_left_out))

    def texts(self, place: int) -> list[str]:
        """Return the cells of one column."""
        return self.cells.texts(place, self.n_left_out)

    def numbers(self, place: int, notation: Notation) -> FoundNumbers | None:
        """Return a column as numbers; None if many of its cells are none."""
        found = self.cells.numbers(
            place,
            self.n_left_out,
            list(notation.missing),
            notation.decimal,
            notation.thousands or "",
        )
        if found is None:
            return None
        is_whole, is_beyond, n_numbers, values, wholes, present, others = found
        return FoundNumbers(
            values=values,
            wholes=wholes,
            present=present.view(np.bool_),
            n_numbers=n_numbers,
            is_whole=is_whole,
            is_beyond=is_beyond,
            others={text: (n_rows, first) for text, n_rows, first in others},
        )

    def sample(self, place: int) -> list[str]:
        """Return some cells of one column, from rows that are spread evenly."""
        step = max(1, self.n_rows // ROWS_LOOKED_AT)
        return self.cells.texts(place, self.n_left_out, step)

    def is_blank(self, place: int) -> bool:
        """Return whether a column holds nothing but spaces."""
        if any(text.strip() for text in self.sample(place)):
            return False
        return not any(text.strip() for text in self.column(place).distinct)


def split_rows(utf8: bytes, *, source: str, delimiter: str, first_line: int = 1) -> SplitRows:
    """Return the rows of delimited text; blank lines are left out.

    >>> rows = split_rows(b'a,b\\n\\n1,"x\\ny"\\n', source="t.csv", delimiter=",")
    >>> rows.texts(1), rows.lines.tolist()
    (['b', 'x\\ny'], [1, 4])
    """
    cells = DelimitedRows(utf8, delimiter, first_line)
    cells.read(sys.maxsize, True)
    refuse_faults(cells, source=source, delimiter=delimiter)
    return SplitRows(cells)


def refuse_faults(cells: DelimitedRows, *, source: str, delimiter: str) -> None:
    """Raise an error for the row at which reading stopped, if it did."""
    if not cells.fault:
        return
    where = f"{source}, line {cells.fault_line}"
    if cells.fault == "width":
        raise FileFormatError(
            f"{where} has {cells.fault_width} fields, not {cells.n_columns}.\n"
            f"  Hint: fields are divided by {delimiter!r}; a field that holds one is quoted"
            + (", or delimiter= is another." if cells.n_columns == 1 else ".")
        )
    if cells.fault == "after_quote":
        raise FileFormatError(
            f"{where}: {delimiter!r} expected after '\"'.\n"
            "  Hint: a quote inside a quoted field is written twice."
        )
    if cells.fault == "large_cell":
        raise FileFormatError(
            f"{where} has a field of more than 131,072 characters.\n"
            "  Hint: a quote may be opened and never closed; longer texts are left out or cut."
        )
    raise FileFormatError(
        f"{where}: unexpected end of data.\n  Hint: a quote is opened and never closed."
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
    if "" in repeated:
        raise FileFormatError(
            f"{source}, line 1 has {names.count('')} columns without a name.\n"
            "  Hint: name them; drop the line if it is a title; or pass header=False."
        )
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:5])
        raise FileFormatError(
            f"{source}, line 1 has more than one column called {shown}.\n"
            "  Hint: columns are told apart by name; rename them, or pass header=False."
        )
    return names
