"""Long work in steps that Ctrl-C can come between.

Python acts on a signal between two of its own instructions, never inside one call of NumPy or of
a built-in function. A call that grows with the rows is therefore made for one block of them after
the other; the compiled core checks on its own (``base/progress.hpp``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from treewright.array_types import Array, IntegerArray


def row_blocks(n_rows: int, size: int = 1 << 16) -> Iterator[slice]:
    """Yield the blocks of so many rows, in order.

    >>> list(row_blocks(5, size=2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for begin in range(0, n_rows, size):
        yield slice(begin, min(n_rows, begin + size))


def converted(array: Array, dtype: Any) -> Array:
    """Return a matrix with another type of entries, as ``astype`` does.

    >>> converted(np.array([[1], [2]], dtype=np.int32), np.int64).dtype.name
    'int64'
    """
    out = np.empty(array.shape, dtype=dtype)
    for block in row_blocks(len(array), _block_of(array)):
        out[block] = array[block]
    return out


def taken(array: Array, rows: IntegerArray) -> Array:
    """Return some rows of an array, as indexing by their numbers does.

    >>> taken(np.array([5, 6, 7]), np.array([2, 0])).tolist()
    [7, 5]
    """
    size = _block_of(array)
    if len(rows) <= size:
        picked: Array = array[rows]
        return picked
    out = np.empty((len(rows), *array.shape[1:]), dtype=array.dtype)
    for block in row_blocks(len(rows), size):
        out[block] = array[rows[block]]
    return out


def _block_of(array: Array) -> int:
    """Return how many rows of an array are quickly copied."""
    return max(1, (1 << 19) // max(1, array[:1].size))


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend the search for unreachable objects while a great many are made that all stay.

    One pass over a million of them takes tenths of a second, in a single step.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
