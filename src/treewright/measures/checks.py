"""Checks of the arguments of every measure, and their messages.

Promise: what passes a check is a finite, non-negative float64 array of the right shape, so the
formulas elsewhere guard only against the divisions by zero that their papers define.
"""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import BoolArray, FloatArray
from treewright.errors import DataError, ParameterError
from treewright.parameters import check_number, is_list, is_number


def as_floats(values: ArrayLike, *, name: str) -> FloatArray:
    """Return an argument as float64; an error names it where it does not consist of numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers, all rows of one length: {error}.") from None


def as_counts(counts: ArrayLike, *, name: str = "counts") -> FloatArray:
    """Return class counts or probabilities, checked: one dimension, finite, none negative."""
    array = as_floats(counts, name=name)
    if array.ndim != 1 or array.size == 0:
        raise DataError(
            f"{name} must be a list with one number per class; its shape is {array.shape}."
        )
    return _checked(array, name=name)


def as_class_counts(
    counts: ArrayLike | Iterable[object] | None, labels: Iterable[object] | None
) -> FloatArray:
    """Return the counts of classes, given as such or by the class of each row.

    Numbers are counts; text, booleans and other objects are labels, as everything in `labels` is.
    """
    if (counts is None) == (labels is None):
        raise ParameterError("give counts or labels, and not both.")
    if labels is None:
        assert counts is not None
        given = list(counts) if isinstance(counts, Iterable) else counts
        if not isinstance(given, list) or not given or all(_is_count(each) for each in given):
            return as_counts(given)  # type: ignore[arg-type]  # it refuses what are no numbers
        labels = given
    of_label: dict[object, int] = {}
    for row, label in enumerate(labels):
        if label is None or label != label:
            raise DataError(f"labels[{row}] is {label!r}, but every row needs a class.")
        if not isinstance(label, Hashable):
            raise DataError(f"labels[{row}] is {label!r}, which is no single class.")
        of_label[label] = of_label.get(label, 0) + 1
    if not of_label:
        raise DataError("labels is empty; it needs the class of at least one row.")
    return as_counts(list(of_label.values()))


def _is_count(value: object) -> bool:
    """Return whether a value is meant as a count: a number, or something nested to be refused."""
    return is_number(value) or is_list(value) or getattr(value, "ndim", 0) > 0


def as_table(table: ArrayLike, *, name: str = "table") -> FloatArray:
    """Return a table of counts, checked: one row per branch, one column per class."""
    array = as_floats(table, name=name)
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"{name} must have one row per branch and one column per class;"
            f" its shape is {array.shape}."
        )
    return _checked(array, name=name)


def as_values(values: ArrayLike, *, name: str = "values") -> FloatArray:
    """Return the numbers of a target, checked: one dimension, finite, any sign, possibly empty."""
    array = as_floats(values, name=name)
    if array.ndim != 1:
        raise DataError(f"{name} must be one list of numbers; its shape is {array.shape}.")
    _refuse(~np.isfinite(array), array, name=name, rule="finite")
    return array


def as_weights(weights: ArrayLike | None, n_rows: int, *, name: str = "weights") -> FloatArray:
    """Return row weights, checked; None gives every row the weight 1."""
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
    """Return the base of a logarithm, checked."""
    check_number("base", base, low=1.0, open_low=True)
    return float(base)


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
