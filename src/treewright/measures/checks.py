"""What every measure asks of its arguments, and how it says what is wrong.

Promise: what passes here is a finite, non-negative float64 array of the right shape, so the
formulas elsewhere need no guards but the division by zero that their papers define away.
"""

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import DataError, ParameterError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def as_floats(values: ArrayLike, *, name: str) -> FloatArray:
    """Convert to float64, naming the argument when it is not made of numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers, all rows of one length: {error}.") from None


def as_counts(counts: ArrayLike, *, name: str = "counts") -> FloatArray:
    """Check class counts or probabilities: one dimension, finite, none negative."""
    array = as_floats(counts, name=name)
    if array.ndim != 1 or array.size == 0:
        raise DataError(
            f"{name} must be a list with one number per class; its shape is {array.shape}."
        )
    return _checked(array, name=name)


def as_table(table: ArrayLike, *, name: str = "table") -> FloatArray:
    """Check a table of counts: one row per branch, one column per class."""
    array = as_floats(table, name=name)
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"{name} must have one row per branch and one column per class;"
            f" its shape is {array.shape}."
        )
    return _checked(array, name=name)


def as_values(values: ArrayLike, *, name: str = "values") -> FloatArray:
    """Check numbers of a target: one dimension, finite, any sign, possibly none at all."""
    array = as_floats(values, name=name)
    if array.ndim != 1:
        raise DataError(f"{name} must be one list of numbers; its shape is {array.shape}.")
    _refuse(~np.isfinite(array), array, name=name, rule="finite")
    return array


def as_weights(weights: ArrayLike | None, n_rows: int, *, name: str = "weights") -> FloatArray:
    """Check row weights; None gives every row the weight 1."""
    if weights is None:
        return np.ones(n_rows)
    array = as_floats(weights, name=name)
    if array.shape != (n_rows,):
        raise DataError(
            f"{name} must hold one number for each of the {n_rows} rows,"
            f" but its shape is {array.shape}."
        )
    return _checked(array, name=name)


def check_base(base: float) -> float:
    """Check the base of a logarithm."""
    if not (np.isfinite(base) and base > 1.0):
        raise ParameterError(f"base={base!r} must be a number above 1.")
    return float(base)


def check_name(name: str, allowed: Sequence[str], *, parameter: str) -> str:
    """Check a name against a list, offering the nearest one."""
    if name in allowed:
        return name
    near = get_close_matches(str(name), allowed, n=1)
    hint = f"\n  Hint: did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"{parameter}={name!r} must be one of: {', '.join(allowed)}.{hint}")


def _checked(array: FloatArray, *, name: str) -> FloatArray:
    _refuse(~np.isfinite(array), array, name=name, rule="finite")
    _refuse(array < 0.0, array, name=name, rule="at least 0")
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        raise DataError(
            f"{name} add up to more than a float can hold.\n"
            f"  Hint: divide them all by the same number; no measure changes."
        )
    return array


def _refuse(bad: BoolArray, array: FloatArray, *, name: str, rule: str) -> None:
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        place = ", ".join(map(str, where))
        raise DataError(f"{name}[{place}] is {float(array[where])!r}, but must be {rule}.")
