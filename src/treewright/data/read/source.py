"""Tables of any kind behind one interface: arrays, lists of rows and dicts of columns.

A :class:`Source` knows the size and names of a table and reads one column at a time, so that
readers need not know the kind of table. Dataframes are opened in :mod:`treewright.data.read.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column, as_native_float
from treewright.data.match_names import check_names
from treewright.data.objects import read_objects
from treewright.data.read.arrays import read_array, refuse_dtype
from treewright.errors import DataError

# Beyond this a float64 does not hold every whole number.
_EXACT_FLOAT = 2.0**53


@dataclass(frozen=True, kw_only=True)
class Source:
    """A table of any kind: its size, its names, and a way to read one column.

    `matrix` is the whole table, where it is one array of numbers; `given` returns a column as it is
    in the table, where that is known.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    read: Callable[[int, str], Column]
    matrix: Array | None = None
    given: Callable[[int], object] | None = None
    any_order: bool = False
    is_frame: bool = True


def open_array(array: Array) -> Source:
    """Return a NumPy array as a source; refuse one that is not two-dimensional."""
    if array.dtype.kind in "cSV":
        refuse_dtype(array)
    if array.ndim != 2:
        _refuse_dimensions(array)
    matrix: Array | None = None
    if not isinstance(array, np.ma.MaskedArray):
        array = np.asarray(array)
        if array.dtype.kind == "f":
            array = as_native_float(array)
        if array.dtype.kind in "fiu":
            matrix = array
    return Source(
        n_rows=array.shape[0],
        n_columns=array.shape[1],
        names=None,
        read=lambda i, name: read_array(array[:, i], name),
        matrix=matrix,
        given=lambda i: array[:, i],
        is_frame=False,
    )


def _refuse_dimensions(array: Array) -> NoReturn:
    if array.ndim > 2:
        raise DataError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    what = "scalar array" if array.ndim == 0 else "1D array"
    if array.ndim == 0 and array.dtype == object:
        given = array.item()
        told = "None" if given is None else f"a {type(given).__name__}"
        hint = "an array, a dataframe, a dict of columns or a list of rows"
        if hasattr(given, "X") and hasattr(given, "y"):  # a LabelledTable, which `read` returns
            hint = "it has the columns and the target: fit(table.X, table.y)"
        raise DataError(
            f"X is {told}, not a table. Expected 2D array, got {what} instead.\n  Hint: {hint}."
        )
    raise DataError(
        f"Expected 2D array, got {what} instead:\narray={array}.\n"
        "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or"
        " array.reshape(1, -1) if it contains a single sample.\n"
        "  Hint: the table comes first, then the target: fit(X, y), score(X, y)."
    )


def open_columns(columns: Mapping[Any, Any], read: Callable[[Any, str], Column]) -> Source:
    """Return a dict of columns as a source; `read` reads one of them, of any type."""
    labels = list(columns)
    names = check_names(labels)
    n_rows = -1
    for label, values in columns.items():
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise DataError(
                f"column {label!r} of the dict is {values!r}, not a list of values.\n"
                "  Hint: pass one row as [{...}], a list of dicts."
            )
        if n_rows not in (-1, len(values)):
            raise DataError(
                f"column {label!r} has {len(values)} values, column {labels[0]!r} has {n_rows}."
            )
        n_rows = len(values)
    return Source(
        n_rows=max(n_rows, 0),
        n_columns=len(labels),
        names=names,
        read=lambda i, name: read(columns[labels[i]], name),
        given=lambda i: columns[labels[i]],
        any_order=True,
    )


def open_rows(rows: Sequence[Any]) -> Source:
    """Return a list of dicts or a list of lists as a source."""
    if rows and isinstance(rows[0], Mapping):
        for i, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise DataError(f"row {i} is a {type(row).__name__}, row 0 is a dict.")
        labels = list(dict.fromkeys(chain.from_iterable(rows)))
        return Source(
            n_rows=len(rows),
            n_columns=len(labels),
            names=check_names(labels),
            # A key that a row does not have is a missing value.
            read=lambda i, name: read_objects([row.get(labels[i]) for row in rows], name),
            any_order=True,
        )
    try:
        array = np.asarray(rows)
    except ValueError:
        _refuse_ragged(rows)
        raise
    # NumPy makes text of a row that mixes text and numbers, and floats of integers beyond 2^53
    # beside floats. Then each column is read on its own.
    is_lossy = array.dtype.kind in "US" or (
        array.dtype.kind == "f" and bool((np.abs(array) >= _EXACT_FLOAT).any())
    )
    return open_array(np.array(rows, dtype=object) if is_lossy else array)


def _refuse_ragged(rows: Sequence[Any]) -> None:
    lengths = [len(row) if hasattr(row, "__len__") else -1 for row in rows]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            has = f"has {length} values" if length >= 0 else f"is {rows[i]!r}"
            raise DataError(f"row {i} {has}, row 0 has {lengths[0]}.") from None
