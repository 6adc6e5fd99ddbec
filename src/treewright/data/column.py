"""One typed column: NumPy arrays of any type brought to one form.

Every kind of input becomes a :class:`Column` before its kind and domain are decided. It keeps
the values exactly (integers stay integers, text becomes codes with its values) and is then
fitted or matched by :mod:`treewright.data.match_columns`. There whole numbers become floats
wherever floats hold them exactly, so that a table of integers and one of equal floats are one.

A decimal number (``decimal.Decimal``, Arrow decimals) is read as the nearest float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.data.codes import INT64_MAX, INT64_MIN, code_if_text, code_text
from treewright.data.fitted_schema import UINT_OFFSET, Storage
from treewright.errors import DataError

TimeUnit = Literal["ns", "us"]
NAT = INT64_MIN
"""Stored form of a missing date or duration in NumPy."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """Typed values of one column.

    Attributes
    ----------
    storage : Storage
        As in :class:`~treewright.data.schema.ColumnSpec`.
    data : array
        float32/float64, int64, or int32 codes into `values` with -1 for missing.
    present : array of bool or None
        For int64 data, True where there is a value; None where there is one everywhere.
    values : tuple
        The values behind the codes.
    fixed : bool
        Whether `values` belong to the column's type (a categorical, an ARFF domain) and stay
        whole when rows are taken away, rather than being the values that happen to occur.
    ordered : bool
        Whether `values` are in a meaningful order, lowest first.
    all_occur : bool
        Whether every one of `values` is known to occur, as when they were found in the rows.
    unit, time_zone
        Unit of a date or duration, and the time zone of a date.
    """

    storage: Storage
    data: Array
    present: BoolArray | None = None
    values: tuple[object, ...] = ()
    fixed: bool = False
    ordered: bool = False
    all_occur: bool = False
    unit: TimeUnit | None = None
    time_zone: str | None = None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def missing(self) -> BoolArray:
        """Mask of the rows whose value is missing."""
        if self.storage == "float":
            return np.isnan(self.data)
        if self.storage == "value":
            return self.data < 0
        return np.zeros(len(self), dtype=bool) if self.present is None else ~self.present

    def take(self, rows: Any) -> Column:
        """Return the column of the rows chosen by positions, a mask or a slice."""
        present = None if self.present is None else self.present[rows]
        return replace(self, data=self.data[rows], present=present, all_occur=False)

    def with_missing(self, missing: BoolArray) -> Column:
        """Return the column with more values missing."""
        if not missing.any():
            return self
        if self.storage == "float":
            return replace(self, data=np.where(missing, self.data.dtype.type(np.nan), self.data))
        if self.storage == "value":
            known = np.where(missing, np.int32(-1), self.data)
            return replace(self, data=known, all_occur=False)
        return replace(self, present=~(missing | self.missing))

    def to_numpy(self) -> Array:
        """Return the values as a NumPy array; missing ones are None, NaN, NaT or masked.

        Integers with missing values come as a masked array, so that none is rounded.
        """
        if self.storage == "float":
            return self.data
        if self.storage == "value":
            return self._values_to_numpy()
        if self.storage in ("datetime", "duration"):
            code = "M8" if self.storage == "datetime" else "m8"
            data = self.data if self.present is None else np.where(self.present, self.data, NAT)
            return data.view(f"{code}[{self.unit}]")
        whole = self.data
        if self.storage == "uint":
            whole = whole.view(np.uint64) ^ np.uint64(UINT_OFFSET)
        if self.present is None:
            return whole
        return np.ma.MaskedArray(whole, mask=~self.present)

    def _values_to_numpy(self) -> Array:
        missing = self.missing
        if all(isinstance(value, bool) for value in self.values) and not missing.any():
            return np.array(self.values, dtype=bool)[self.data]
        objects = np.empty(len(self.values) + 1, dtype=object)  # code -1 picks the last: None
        objects[:-1] = self.values
        return objects[self.data]

    def numbers(self) -> Array:
        """Return floats or integers to compute with; entries of missing values are unspecified."""
        if self.storage == "uint":
            return cast(Array, self.data.view(np.uint64) ^ np.uint64(UINT_OFFSET))
        return self.data


def column_if_text(values: Sequence[object] | Array) -> Column | None:
    """Return a column of texts where all values are text or missing; None where not, or unsure."""
    coded = code_if_text(values)
    return None if coded is None else _of_texts(*coded)


def text_column(values: Sequence[object]) -> Column:
    """Return a column of texts; a value that is no text is missing."""
    return _of_texts(*code_text(values))


def _of_texts(codes: Array, distinct: tuple[object, ...]) -> Column:
    return Column(storage="value", data=codes, values=distinct, all_occur=True)


def blank_column(n_rows: int) -> Column:
    """Return a column of missing values and no type: nominal, with an empty domain."""
    return Column(storage="value", data=np.full(n_rows, -1, dtype=np.int32))


def is_blank(column: Column) -> bool:
    """Return whether no row has a value."""
    return bool(column.missing.all())


def read_typed(array: Array, name: str) -> Column:
    """Return an array of numbers, booleans, dates or durations as a column.

    Native float32, float64 and int64 arrays are taken as they are, not copied.
    """
    kind = array.dtype.kind
    if kind == "f":
        return Column(storage="float", data=as_native_float(array))
    if kind == "b":
        codes = array.astype(np.int32)
        return Column(storage="value", data=codes, values=(False, True), fixed=True)
    if kind in "Mm":
        return read_time(array, name)
    return _read_whole(array)


def as_native_float(array: Array) -> Array:
    """Return a float array as native float32 or float64, without a copy if it is one already."""
    if array.dtype.char in "fd" and array.dtype.isnative and array.flags.aligned:
        return array
    if array.dtype.itemsize <= 4:
        return np.array(array, dtype=np.float32)
    with np.errstate(over="ignore"):  # beyond float64 is infinite
        return np.array(array, dtype=np.float64)


def _read_whole(array: Array) -> Column:
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        unsigned = np.array(array, dtype=np.uint64, copy=None)
        if len(unsigned) and unsigned.max() > INT64_MAX:
            return Column(storage="uint", data=(unsigned ^ np.uint64(UINT_OFFSET)).view(np.int64))
    whole = array
    if array.dtype != np.int64 or not array.dtype.isnative or not array.flags.aligned:
        whole = np.array(array, dtype=np.int64)
    return Column(storage="int", data=whole)


# float64 holds every whole number up to here.
_EXACT = 1 << 53


def whole_as_floats(column: Column) -> Column:
    """Return a column of whole numbers as floats, or unchanged if a float cannot hold one of them.

    >>> whole_as_floats(Column(storage="int", data=np.array([2**60, 7]))).data.tolist()
    [1.152921504606847e+18, 7.0]
    >>> whole_as_floats(Column(storage="int", data=np.array([2**60 + 1, 7]))).storage
    'int'
    """
    if column.storage not in ("int", "uint"):
        return column
    floats = exact_floats(column.numbers(), column.present)
    if floats is None:
        return column
    if column.present is not None:
        floats[~column.present] = np.nan
    return Column(storage="float", data=floats)


def whole_of_rows(column: Column, rows: BoolArray) -> Column:
    """Return a column of whole numbers in the form that these of its rows alone would have.

    What the other rows hold may be rounded.
    """
    present = rows if column.present is None else rows & column.present
    floats = exact_floats(column.numbers(), present)
    if floats is not None:
        if column.present is not None:
            floats[~column.present] = np.nan
        return Column(storage="float", data=floats)
    if column.storage == "uint" and column.numbers()[present].max() <= INT64_MAX:
        whole = np.minimum(column.numbers(), np.uint64(INT64_MAX)).astype(np.int64)
        return replace(column, storage="int", data=whole)
    return column


def exact_floats(whole: Array, present: BoolArray | None = None) -> Array | None:
    """Return integers of any type as floats of equal value; None if one of those present has none.

    Integers of 8 and 16 bits become float32, others float64.
    """
    if whole.dtype.itemsize <= 2:
        return whole.astype(np.float32)
    floats = whole.astype(np.float64)
    if whole.dtype.itemsize == 4 or _is_small(whole):
        return floats
    is_equal = ~_is_below(floats, whole) & ~_is_above(floats, whole)
    return floats if (is_equal if present is None else is_equal | ~present).all() else None


def floats_from_below(whole: Array) -> Array:
    """Return the least float64 that is not below each integer: x <= t keeps its answer."""
    floats = whole.astype(np.float64)
    if whole.dtype.itemsize == 8 and not _is_small(whole):
        below = _is_below(floats, whole)
        floats[below] = np.nextafter(floats[below], np.inf)
    return floats


def _is_small(whole: Array) -> bool:
    return whole.size == 0 or bool(whole.max() <= _EXACT and whole.min() >= -_EXACT)


# NumPy would compare 64-bit integers with floats as floats, which is what is to be found out.
def _is_below(floats: Array, whole: Array) -> BoolArray:
    inside = floats < float(np.iinfo(whole.dtype).max)
    return inside & (np.where(inside, floats, 0).astype(whole.dtype) < whole)


def _is_above(floats: Array, whole: Array) -> BoolArray:
    inside = floats < float(np.iinfo(whole.dtype).max)
    return ~inside | (np.where(inside, floats, 0).astype(whole.dtype) > whole)


def read_time(array: Array, name: str, time_zone: str | None = None) -> Column:
    """Return a column of dates or durations: nanoseconds, or microseconds for far dates.

    >>> column = read_time(np.array(["2024-03-01", "NaT"], dtype="M8[D]"), "day")
    >>> column.unit, column.missing.tolist()
    ('ns', [False, True])
    """
    storage: Storage = "datetime" if array.dtype.kind == "M" else "duration"
    missing = np.isnat(array)
    present = ~missing if missing.any() else None
    unit = _unit_that_holds(array[~missing] if present is not None else array, name)
    data = array.astype(f"{array.dtype.kind}8[{unit}]").view(np.int64)
    return Column(storage=storage, data=data, present=present, unit=unit, time_zone=time_zone)


# Inside these bounds, a day short of the exact ones, int64 holds every value of the unit.
_DATE_BOUNDS: dict[TimeUnit, tuple[np.datetime64, np.datetime64]] = {
    "ns": (np.datetime64("1677-09-22", "D"), np.datetime64("2262-04-10", "D")),
    "us": (np.datetime64("-290000-01-01", "D"), np.datetime64("290000-01-01", "D")),
}
_DURATION_BOUNDS: dict[TimeUnit, tuple[np.timedelta64, np.timedelta64]] = {
    "ns": (np.timedelta64(-106_000, "D"), np.timedelta64(106_000, "D")),
    "us": (np.timedelta64(-106_000_000, "D"), np.timedelta64(106_000_000, "D")),
}


def _unit_that_holds(known: Array, name: str) -> TimeUnit:
    """Return the unit of a column: nanoseconds if every value fits, else microseconds."""
    given = np.datetime_data(known.dtype)[0]
    if len(known) == 0 or given in ("ns", "ps", "fs", "as", "generic"):
        return "ns"
    if known.dtype.kind == "m" and given in ("Y", "M"):
        raise DataError(
            f"column {name!r} holds durations in {'years' if given == 'Y' else 'months'}, which"
            " have no fixed length.\n  Hint: use their number as a plain number."
        )
    low, high = known.min(), known.max()
    bounds: Any = _DATE_BOUNDS if known.dtype.kind == "M" else _DURATION_BOUNDS
    for unit, (lowest, highest) in bounds.items():
        # Compared in the given unit, which is no finer than the bounds can be written in.
        if lowest.astype(known.dtype) < low and high < highest.astype(known.dtype):
            return cast(TimeUnit, unit)
    if given == "us":
        return "us"
    raise DataError(
        f"column {name!r} holds {high!s}, too far away to count in microseconds.\n"
        "  Hint: use the number of days or years as a plain number."
    )
