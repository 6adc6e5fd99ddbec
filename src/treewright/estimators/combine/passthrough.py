"""The columns of a table beside members' answers, for a final estimator that sees both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from treewright.array_types import Array
from treewright.data.frame import Frame
from treewright.data.read.arrays import read_array
from treewright.data.read.sparse import is_sparse
from treewright.data.read.table import read_frame
from treewright.errors import UnsupportedError
from treewright.estimators.combine.rows import is_ours

_NUMBERS = ("float", "int", "uint")


def needs_frame(X: Any) -> bool:
    """Return whether a table has columns that an array of numbers does not hold."""
    if is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf"):
        return False
    frame = read_frame(X)
    return any(not _is_number(frame, name) for name in frame.columns)


def check_columns(X: Any, final: Any) -> None:
    """Refuse columns that the final estimator does not take."""
    if is_ours(final):
        return
    frame = read_frame(X)
    for name in frame.columns:
        if not _is_number(frame, name):
            raise UnsupportedError(
                f"passthrough=True gives the columns of the table to final_estimator,"
                f" {type(final).__name__}, which cannot take column {name!r}: it holds no numbers."
                "\n  Hint: a final_estimator of Treewright takes any column,"
                " GradientBoostingClassifier() or -Regressor(); or passthrough=False."
            )


def beside(answers: Array, names: Sequence[str], X: Any, *, as_frame: bool) -> Any:
    """Return answers and the columns of a table side by side.

    Parameters
    ----------
    answers, names
        Of members, rows x columns, and what the columns are called.
    X
        The table.
    as_frame
        Whether its columns keep their types; else they are numbers in an array, or sparse.
    """
    if as_frame:
        own = read_frame(X)
        columns = {
            name: read_array(column, name) for name, column in zip(names, answers.T, strict=True)
        }
        return Frame(columns | {name: own.column(name) for name in own.columns})
    if is_sparse(X):
        return sparse.hstack([sparse.csr_array(answers), X], format=X.format)
    if isinstance(X, np.ndarray | list | tuple) and not _is_rows_of_names(X):
        return np.hstack([answers, X])
    own = read_frame(X)
    return np.hstack([answers, np.stack([_numbers(own, name) for name in own.columns], axis=1)])


def _is_number(frame: Frame, name: str) -> bool:
    column = frame.column(name)
    is_flag = column.storage == "value" and column.values in ((), (False,), (True,), (False, True))
    return column.storage in _NUMBERS or is_flag


def _numbers(frame: Frame, name: str) -> Array:
    column = frame.column(name)
    if column.storage != "value":
        values = column.to_numpy()
        return np.where(column.missing, np.nan, values) if column.missing.any() else values
    flags = np.array([*(float(bool(value)) for value in column.values), np.nan])
    taken: Array = flags[column.data]
    return taken


def _is_rows_of_names(X: Any) -> bool:
    return isinstance(X, list | tuple) and bool(X) and hasattr(X[0], "keys")
