"""Offsets: what is added to the score of each row before a model learns the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.dataframes import target_array
from treewright.errors import DataError

MOST_OFFSET = 1e100
"""Beyond this a score is the offset and nothing else."""


def read_offset(given: Any, n_rows: int, n_outputs: int, *, name: str = "offset") -> FloatArray:
    """Return the offsets of the rows, rows x outputs; one number is that of every row.

    Parameters
    ----------
    given
        A number, one for each row, or one for each row and output.
    n_rows, n_outputs
        Rows of the table, and scores of a row.
    name
        As the user knows them, for messages.

    Examples
    --------
    >>> read_offset([0.5, 2], 2, 1).tolist()
    [[0.5], [2.0]]
    >>> read_offset(0, 2, 3).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    array = target_array(given)
    if array.dtype.kind in "cMmT" or (array.dtype.kind == "O" and _has_text(array)):
        raise DataError(f"{name} must be numbers, not {array.dtype}.")
    try:
        offset = np.asarray(array.astype(np.float64))  # a None among objects becomes NaN
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} must be numbers, not {array.dtype}.") from None
    if offset.ndim == 0:
        offset = np.full((n_rows, n_outputs), offset.item())
    if offset.ndim == 1:
        if n_outputs > 1 and len(offset) == n_rows:
            raise DataError(
                f"{name} has one value for each row, and a row has a score for each of"
                f" {n_outputs} classes: the same number added to all changes no probability.\n"
                f"  Hint: an array of {n_rows} rows and {n_outputs} columns, in the order of"
                " classes_."
            )
        offset = offset[:, np.newaxis]
    if offset.ndim != 2 or (offset.shape[1] != n_outputs and len(offset) == n_rows):
        due = f"({n_rows},)" if n_outputs == 1 else f"({n_rows}, {n_outputs})"
        raise DataError(f"{name} has shape {array.shape}; {due} is due.")
    if len(offset) != n_rows:
        raise DataError(f"{name} has {len(offset)} values, the table has {n_rows} rows.")
    _check(offset, name)
    return np.ascontiguousarray(offset)


def _has_text(array: Any) -> bool:
    return any(isinstance(value, str) for value in array.ravel().tolist())


def _check(offset: FloatArray, name: str) -> None:
    is_good = (np.abs(offset) <= MOST_OFFSET).all(axis=1)
    if is_good.all():
        return
    row = int(np.argmin(is_good))
    bad = next(value for value in offset[row].tolist() if not abs(value) <= MOST_OFFSET)
    what = "Hint: leave those rows out: nothing can be added to their scores."
    if bad == -np.inf:
        what = "Hint: the logarithm of an exposure of 0? Leave rows without exposure out."
    elif abs(bad) < np.inf:
        what = f"At most {MOST_OFFSET:g} can be added to a score."
    raise DataError(f"{name} of row {row} is {bad:g}; an offset is a finite number.\n  {what}")
