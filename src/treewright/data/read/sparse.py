"""Sparse matrices to dense ones, after a check of the memory available."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.errors import DataError, MemoryLimitError
from treewright.memory import available_memory


def is_sparse(table: object) -> bool:
    """Return whether `table` is a scipy sparse matrix or array, without importing scipy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(table))


def densify(table: Any) -> Array:
    """Return a sparse matrix as a dense array in column-major order.

    Explicit zeros, duplicate and unsorted entries and 64-bit indices are treated as scipy
    does: duplicates add up. Zeros are values, not missing.
    """
    shape = tuple(int(length) for length in table.shape)
    if len(shape) != 2:
        raise DataError(
            f"Expected 2D input, got input with shape {shape}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single"
            " feature or array.reshape(1, -1) if it contains a single sample."
        )
    needed = shape[0] * shape[1] * np.dtype(table.dtype).itemsize
    available = available_memory()
    if available is not None and needed > available // 2:
        raise MemoryLimitError(
            f"the sparse table of {shape[0]} rows and {shape[1]} columns would take"
            f" {_in_gib(needed)} when dense; {_in_gib(available)} are available.\n"
            "  Hint: keep fewer columns, or store it as float32."
        )
    _check_indices(table, shape)
    return np.asarray(table.toarray(order="F"))


def _check_indices(table: Any, shape: tuple[int, ...]) -> None:
    """Refuse indices out of range: scipy would read memory outside the matrix."""
    try:
        if hasattr(table, "check_format"):
            table.check_format(full_check=True)
        elif hasattr(table, "row"):
            for index, length in ((table.row, shape[0]), (table.col, shape[1])):
                if len(index) and not 0 <= int(np.min(index)) <= int(np.max(index)) < length:
                    raise ValueError("an index leads outside the matrix")
        elif hasattr(table, "rows"):  # lists of lists
            for row, columns in enumerate(table.rows):
                if columns and not 0 <= min(columns) <= max(columns) < shape[1]:
                    raise ValueError(f"row {row} has an index outside the matrix")
    except ValueError as error:
        raise DataError(f"the sparse table is damaged: {error}.") from error


def _in_gib(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"
