"""Some rows of a table, or entries of a target, in whatever type it is; tables that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.frame import Frame
from treewright.data.read.dataframes import arrays_of_pandas, is_arrow_text, take_native


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


def look_at_rows(X: Any, rows: Array) -> list[Any]:
    """Return what some rows of a table are, for :func:`fingerprint_of_seen` to write down.

    To write it takes as long as to take it, and is done only when somebody asks whether the rows
    are still the same. The names of a dataframe of pandas are left out: nobody changes those of a
    copy that is kept.

    >>> table = {"x": [1, 2, 3]}
    >>> seen = look_at_rows(table, np.array([0, 2]))
    >>> table["x"][2] = 4
    >>> now = look_at_rows(table, np.array([0, 2]))
    >>> fingerprint_of_seen(now) == fingerprint_of_seen(seen)
    False
    """
    arrays = arrays_of_pandas(X)
    if arrays is None:
        return [seen_of(take_rows(X, rows))]
    # A fifth of the time of taking rows of the dataframe.
    return [_seen_of_array(array, rows) for array in arrays]


def _seen_of_array(array: Any, rows: Array) -> Any:
    if not is_arrow_text(array):
        return array.take(rows)
    text = array.__arrow_array__()  # which stays as it is: whoever changes it makes another
    return lambda: text.take(rows).to_pylist()


def seen_of(taken: Any) -> Any:
    """Return rows that were taken as they are, if they stay so: arrays of their own, that is."""
    return taken if isinstance(taken, np.ndarray) else fingerprint(taken)


def fingerprint_of_seen(seen: Sequence[Any]) -> str:
    """Return a text that differs for other rows than :func:`look_at_rows` saw."""
    return " ".join(map(_written, seen))


def _written(seen: Any) -> str:
    if isinstance(seen, str):
        return seen
    if callable(seen):
        return fingerprint(seen())
    return fingerprint(seen if isinstance(seen, np.ndarray) else seen.tolist())


def shallow_copy(X: Any) -> Any:
    """Return a table of the same values, to which columns can be added without changing X.

    >>> table = {"x": [1, 2]}
    >>> kept = shallow_copy(table)
    >>> table["y"] = [3, 4]
    >>> kept
    {'x': [1, 2]}
    """
    if hasattr(X, "iloc"):
        return X.copy(deep=False)
    if isinstance(X, dict | list):
        return X.copy()
    return X


def fingerprint(X: Any) -> str:
    """Return a text that differs for other values: of few rows, as it writes them all.

    >>> fingerprint([[1, 2.5]]) == fingerprint([[1, 2.5]]), fingerprint([1]) == fingerprint([2])
    (True, False)
    """
    if isinstance(X, np.ndarray) and X.dtype != object:
        return X.tobytes().hex()
    if hasattr(X, "tocsr"):
        return fingerprint(X.toarray())
    if isinstance(X, Mapping):
        return "".join(f"{name}{fingerprint(values)}" for name, values in X.items())
    if hasattr(X, "iloc") and hasattr(X, "items") and np.ndim(X) == 2:
        # As objects whole numbers stay what they are; a column at a time takes ten times as long.
        return f"{list(X.columns)}{X.to_numpy(dtype=object).tolist()}"
    if hasattr(X, "iloc"):
        return fingerprint(X.to_numpy())
    if isinstance(X, np.ndarray | list | tuple):
        return repr(X.tolist() if isinstance(X, np.ndarray) else X)
    return ""  # Arrow, polars and our own tables do not change
