"""Some rows of a table, or entries of a target, in whatever type it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.frame import Frame
from treewright.data.read.dataframes import take_native


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of a table, in the type it has.

    >>> take_rows([[1], [2], [3]], np.array([2, 0]))
    [[3], [1]]
    """
    if isinstance(X, Frame):
        return X.rows(rows)
    if hasattr(X, "tocsr"):  # before mappings: scipy's dictionary of keys is one too
        return X.tocsr()[rows]
    if isinstance(X, Mapping):
        return {name: np.asarray(values)[rows] for name, values in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if isinstance(X, np.ndarray):
        # A third of the time of X[rows], where rows are positions.
        return X[rows] if rows.dtype == bool else X.take(rows, axis=0)
    taken = take_native(X, rows)
    if taken is not None:
        return taken
    if not hasattr(X, "shape") and hasattr(X, "__array__"):
        X = np.asarray(X)
    return X[rows]
