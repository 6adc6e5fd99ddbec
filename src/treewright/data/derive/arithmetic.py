"""Comparison and arithmetic of two columns, row by row and exact.

Whole numbers, dates and durations are int64 wherever that holds every result, and Python's own
integers where it does not (rare; a million rows then take 0.1 to 0.6 s instead of 0.01 to 0.03).
Floats are compared with whole numbers as Python does, without rounding either, so a row's result
never depends on the other rows. Missing values are left to the caller: their results are
unspecified, unless the result is a column.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.data.codes import INT64_MAX, INT64_MIN, code_numbers
from treewright.data.column import Column, TimeUnit
from treewright.data.fitted_schema import UINT_OFFSET, Storage

OPERATION: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_EXACT_FLOAT = 1 << 53
_NANOSECONDS = np.array([1000], dtype=np.int64)  # in a microsecond


def compare(sign: str, left: Column, right: Column) -> BoolArray:
    """Return the comparison of numbers with numbers, dates with dates, or two durations.

    >>> whole = Column(storage="int", data=np.array([2**53 + 1]))
    >>> compare("==", whole, Column(storage="float", data=np.array([2.0**53]))).tolist()
    [False]
    """
    first, second = left.numbers(), right.numbers()
    if left.unit != right.unit:
        first, second, _ = _in_one_unit(left, right)
    elif left.storage != right.storage and not _agree_as_floats(left, right):
        first, second = first.astype(object), second.astype(object)
    with np.errstate(invalid="ignore"):  # NaN among Python's numbers
        result: BoolArray = OPERATION[sign](first, second).astype(bool, copy=False)
    return result


def equal_values(left: Column, right: Column) -> BoolArray:
    """Return whether two columns have the same value, whatever their codes, for each row.

    >>> head = Column(storage="value", data=np.array([0, 1]), values=("circle", "square"))
    >>> body = Column(storage="value", data=np.array([0, 0]), values=("square", "circle"))
    >>> equal_values(head, body).tolist()
    [False, True]
    """
    if left.storage != "value" and right.storage != "value":
        return compare("==", left, right)
    code_of_value: dict[object, int] = {}
    first, second = (_recoded(each, code_of_value) for each in (left, right))
    same: BoolArray = first == second
    return same


def as_values(column: Column) -> Column:
    """Return a column of numbers as a column of codes with its values."""
    if column.storage == "value":
        return column
    codes, distinct = code_numbers(column.numbers(), column.missing)
    return Column(storage="value", data=codes, values=tuple(distinct.tolist()))


def calculate(sign: str, left: Column, right: Column, storage: Storage | None) -> Column:
    """Return the sum, difference, product or ratio of two columns of numbers.

    Parameters
    ----------
    sign
        ``+``, ``-``, ``*`` or ``/``. Division by zero gives infinity; -0 divides as 0 does.
    left, right
        Columns of numbers.
    storage
        The form that a whole result must have, ``"int"``, ``"uint"`` or ``"float"``; values out of
        range saturate. None means the first of these that holds every value.

    Examples
    --------
    >>> left, right = (Column(storage="int", data=np.array([n])) for n in (2**60 + 1, 2**60))
    >>> calculate("-", left, right, None).data.tolist()
    [1]
    """
    missing = left.missing | right.missing
    if sign == "/" or "float" in (left.storage, right.storage):
        first, second = _as_floats(left.numbers()), _as_floats(right.numbers())
        with np.errstate(all="ignore"):
            result = first / (second + 0.0) if sign == "/" else OPERATION[sign](first, second)
        return Column(storage="float", data=np.where(missing, np.nan, result))
    whole = _exactly(sign, _whole(left), _whole(right), left.missing, right.missing)
    if storage is None:
        storage = _storage_that_holds(whole, missing)
    if storage == "float":
        return Column(storage="float", data=np.where(missing, np.nan, whole.astype(np.float64)))
    if storage == "uint":
        whole = _clipped(_as_objects(whole) - UINT_OFFSET, missing)
    return Column(storage=storage, data=_clipped(whole, missing), present=_present(missing))


def calculate_time(
    sign: str, left: Column, right: Column, storage: Storage, unit: TimeUnit | None
) -> Column:
    """Return the sum or difference of dates and durations.

    Parameters
    ----------
    sign
        ``+`` or ``-``.
    left, right
        Columns of dates or durations.
    storage
        Storage of the result: ``"datetime"`` or ``"duration"``.
    unit
        Unit that the result must have, if any. Nanoseconds that do not hold every value become
        microseconds (rounded up, as wherever dates are matched), unless it is ``"ns"``.
    """
    missing = left.missing | right.missing
    first, second, found = _in_one_unit(left, right)
    whole = _exactly(sign, first, second, left.missing, right.missing)
    if found == "ns" and unit != "ns" and not _fits(whole, missing):
        whole, found = -(-whole // 1000), "us"
    return Column(
        storage=storage,
        data=_clipped(whole, missing),
        present=_present(missing),
        unit=found,
        time_zone=(left.time_zone or right.time_zone) if storage == "datetime" else None,
    )


def time_ratio(left: Column, right: Column) -> Column:
    """Return the ratio of two columns of durations."""
    first, second, _ = _in_one_unit(left, right)
    with np.errstate(all="ignore"):
        ratio = _as_floats(first) / _as_floats(second)
    return Column(storage="float", data=np.where(left.missing | right.missing, np.nan, ratio))


def _agree_as_floats(left: Column, right: Column) -> bool:
    """Return whether one column has floats and float64 holds the other's whole numbers exactly."""
    if "float" not in (left.storage, right.storage):
        return False
    whole = right if left.storage == "float" else left
    low, high = _bounds(whole.numbers(), whole.missing)
    return low >= -_EXACT_FLOAT and high <= _EXACT_FLOAT


def _recoded(column: Column, code_of_value: dict[object, int]) -> Array:
    """Return a column's codes in a shared dictionary, adding the values that it lacks."""
    column = as_values(column)
    shared = [code_of_value.setdefault(value, len(code_of_value)) for value in column.values]
    return np.array([*shared, -1], dtype=np.int64)[column.data]


def _in_one_unit(left: Column, right: Column) -> tuple[Array, Array, TimeUnit]:
    """Return both columns in one unit: nanoseconds, unless both are in microseconds."""
    if left.unit == right.unit:
        return left.data, right.data, left.unit or "ns"
    none = np.zeros(1, dtype=bool)
    first, second = (
        each.data
        if each.unit == "ns"
        else _exactly("*", each.data, _NANOSECONDS, each.missing, none)
        for each in (left, right)
    )
    return first, second, "ns"


def _exactly(
    sign: str, left: Array, right: Array, left_missing: BoolArray, right_missing: BoolArray
) -> Array:
    """Return the result as int64, or as Python's integers where int64 might not hold it."""
    ends = product(_bounds(left, left_missing), _bounds(right, right_missing))
    # The extremes of a sum, difference or product are at the ends of the operands' intervals.
    is_small = all(INT64_MIN <= OPERATION[sign](*pair) <= INT64_MAX for pair in ends)
    if not (is_small and left.dtype == right.dtype == np.int64):
        left, right = left.astype(object), right.astype(object)
    result: Array = OPERATION[sign](left, right)
    return result


def _bounds(whole: Array, missing: BoolArray) -> tuple[int, int]:
    known = whole[~missing] if missing.any() else whole
    return (int(known.min()), int(known.max())) if len(known) else (0, 0)


def _fits(whole: Array, missing: BoolArray, low: int = INT64_MIN, high: int = INT64_MAX) -> bool:
    lowest, highest = _bounds(whole, missing)
    return low <= lowest and highest <= high


def _storage_that_holds(whole: Array, missing: BoolArray) -> Storage:
    if whole.dtype == np.int64 or _fits(whole, missing):
        return "int"
    return "uint" if _fits(whole, missing, 0, 2 * UINT_OFFSET - 1) else "float"


def _clipped(whole: Array, missing: BoolArray) -> Array:
    """Return int64, saturating out of range, which does not change the branch of x <= t."""
    if whole.dtype == np.int64:
        return whole
    known = np.where(missing, 0, whole)
    return np.clip(known, INT64_MIN, INT64_MAX).astype(np.int64)


def _whole(column: Column) -> Array:
    return _as_objects(column.numbers()) if column.storage == "uint" else column.data


def _as_objects(whole: Array) -> Array:
    return whole.astype(object)


def _as_floats(numbers: Array) -> Array:
    return numbers.astype(np.float64, copy=False)


def _present(missing: BoolArray) -> BoolArray | None:
    return ~missing if missing.any() else None
