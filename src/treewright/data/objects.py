"""Columns of Python objects: text, numbers, dates and missing values told apart by type.

The types that occur are found in one pass in C (``set(map(type, values))``, block by block); the
column is then read as a whole. A column that mixes types, or holds an object of a type that cannot
be read, is an error that names the column and the row.
"""

from __future__ import annotations

import decimal
import fractions
import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN, distinct_values
from treewright.data.column import (
    Column,
    blank_column,
    column_if_text,
    read_time,
    read_typed,
    text_column,
)
from treewright.errors import DataError
from treewright.interrupts import row_blocks

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_missing(value: object) -> bool:
    """Return whether a Python object means "no value": None, NaN, NaT or pandas.NA.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()  # also a signalling one, which refuses to be compared
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")  # pandas', without importing it


def _word_for(kind: type) -> str:
    """Return the word for the values of a Python type, in messages and in the table of readers."""
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "true/false"
    if issubclass(kind, timedelta | np.timedelta64):  # before numbers: timedelta64 is an integer
        return "durations"
    if issubclass(kind, date | np.datetime64):
        return "dates"
    if issubclass(kind, numbers.Real | decimal.Decimal | fractions.Fraction):
        return "numbers"
    if issubclass(kind, numbers.Complex):
        return "complex"
    if issubclass(kind, bytes | bytearray):
        return "bytes"
    return "other"


def read_objects(values: Sequence[object], name: str) -> Column:
    """Return a sequence of Python objects as a column.

    >>> read_objects([1, None, 3], "x").data.tolist()
    [1, 0, 3]
    >>> read_objects(["a", 5], "x")
    Traceback (most recent call last):
        ...
    treewright.errors.DataError: column 'x' mixes text and numbers: row 0 holds 'a', row 1 holds 5.
      Hint: convert the column to one type first.
    """
    texts = column_if_text(values)
    if texts is not None:
        return texts
    types = _types_of(values)
    if types <= {float, np.float64, type(None)} and types != {type(None)}:
        floats = _array(values, np.float64)  # None becomes NaN
        return blank_column(len(floats)) if np.isnan(floats).all() else read_typed(floats, name)
    word_of_type = {kind: _word_for(kind) for kind in types}
    if "text" in word_of_type.values() and _is_text_with_gaps(values):
        return text_column(values)
    missing = np.zeros(len(values), dtype=bool)
    if any(_may_be_gap(kind) for kind in types):
        missing = np.fromiter(map(is_missing, values), dtype=bool, count=len(values))
        known_types = _types_of(_known(values, missing))
        word_of_type = {kind: word for kind, word in word_of_type.items() if kind in known_types}
    words = set(word_of_type.values())
    if not words:
        return blank_column(len(values))
    if len(words) > 1:
        _refuse_mixture(values, missing, name)
    (word,) = words
    read = _READERS.get(word)
    if read is None:
        _refuse_value(values, missing, name, word)
    return read(values, missing, name)


def _types_of(values: Sequence[object]) -> set[type]:
    types: set[type] = set()
    left = map(type, values)
    for block in row_blocks(len(values)):
        types.update(islice(left, block.stop - block.start))
    return types


def _array(values: Sequence[object], dtype: type) -> Array:
    array: Array = np.empty(len(values), dtype=dtype)
    for block in row_blocks(len(values)):
        array[block] = np.array(values[block], dtype=dtype)
    return array


def _is_text_with_gaps(values: Sequence[object]) -> bool:
    """Return whether every value is text or missing; only distinct values are examined."""
    try:
        others = [value for value in distinct_values(values) if not isinstance(value, str)]
    except TypeError:  # something unhashable, such as a list
        return False
    return all(map(is_missing, others))


def _may_be_gap(kind: type) -> bool:
    return (
        issubclass(kind, float | np.floating | decimal.Decimal | np.datetime64 | np.timedelta64)
        or kind is type(None)
        or kind.__name__ in ("NAType", "NaTType")
    )


def _known(values: Sequence[object], missing: Any) -> list[Any]:
    return [value for value, gap in zip(values, missing.tolist(), strict=True) if not gap]


def _filled(values: Sequence[object], missing: Any, filler: object) -> list[Any]:
    if not missing.any():
        return list(values)
    return [filler if gap else v for v, gap in zip(values, missing.tolist(), strict=True)]


def _read_booleans(values: Sequence[object], missing: Any, name: str) -> Column:
    return read_typed(_array(_filled(values, missing, False), bool), name).with_missing(missing)


def _read_numbers(values: Sequence[object], missing: Any, name: str) -> Column:
    known = _known(values, missing)
    is_whole = all(issubclass(kind, numbers.Integral) for kind in _types_of(known))
    if is_whole:
        low, high = min(known), max(known)
        whole_type = np.int64 if low >= INT64_MIN and high <= INT64_MAX else np.uint64
        if whole_type is np.int64 or (low >= 0 and high < 1 << 64):
            whole = _array(_filled(values, missing, 0), whole_type)
            return read_typed(whole, name).with_missing(missing)
    floats = np.fromiter(map(_to_float, _filled(values, missing, np.nan)), np.float64, len(values))
    return read_typed(floats, name)


def _to_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer or fraction beyond 1.8e308
        return np.inf if value > 0 else -np.inf


def _read_dates(values: Sequence[object], missing: Any, name: str) -> Column:
    known = _known(values, missing)
    zones = [getattr(value, "tzinfo", None) for value in known]
    is_aware = [zone is not None for zone in zones]
    if any(is_aware) and not all(is_aware):
        rows = np.flatnonzero(~missing)
        aware, naive = rows[is_aware.index(True)], rows[is_aware.index(False)]
        raise DataError(
            f"column {name!r} mixes dates with and without a time zone: row {aware} holds"
            f" {str(values[aware])!r}, row {naive} holds {str(values[naive])!r}.\n"
            "  Hint: give every date a time zone, or none."
        )
    if zones and is_aware[0]:
        instants = [value - _EPOCH for value in _filled(values, missing, _EPOCH)]
        microseconds = np.array(instants, dtype="m8[us]").view("M8[us]")
        zone = str(getattr(zones[0], "key", zones[0]))
        return read_time(microseconds, name, zone).with_missing(missing)
    # A gap has the unit of the values: NumPy has deprecated gaps without a unit.
    filler = known[0] if known else np.datetime64("NaT", "s")
    plain = [_to_datetime64(value) for value in _filled(values, missing, filler)]
    return read_time(np.array(plain), name).with_missing(missing)


def _to_datetime64(value: Any) -> np.datetime64:
    exact = getattr(value, "to_datetime64", None)  # pandas.Timestamp: nanoseconds
    return exact() if exact is not None else np.datetime64(value)


def _read_durations(values: Sequence[object], missing: Any, name: str) -> Column:
    known = _known(values, missing)
    filler = known[0] if known else np.timedelta64("NaT", "s")
    plain = [
        exact() if (exact := getattr(value, "to_timedelta64", None)) else np.timedelta64(value)
        for value in _filled(values, missing, filler)
    ]
    return read_time(np.array(plain), name).with_missing(missing)


_READERS: dict[str, Callable[[Sequence[object], Any, str], Column]] = {
    "true/false": _read_booleans,
    "numbers": _read_numbers,
    "dates": _read_dates,
    "durations": _read_durations,
}


def first_of_each_word(values: Sequence[object], missing: Any) -> dict[str, int]:
    """Return the first row of each type of value, to be named in messages."""
    row_of_word: dict[str, int] = {}
    for row, (value, gap) in enumerate(zip(values, missing.tolist(), strict=True)):
        if not gap:
            row_of_word.setdefault(_word_for(type(value)), row)
    return row_of_word


def describe_mixture(values: Sequence[object], missing: Any) -> str:
    """Return a message such as "mixes text and numbers: row 0 holds 'a', row 1 holds 5."."""
    row_of_word = first_of_each_word(values, missing)
    (word, row), (other_word, other_row) = list(row_of_word.items())[:2]
    return (
        f"mixes {word} and {other_word}: row {row} holds {_show(values[row])},"
        f" row {other_row} holds {_show(values[other_row])}."
    )


def _refuse_mixture(values: Sequence[object], missing: Any, name: str) -> NoReturn:
    unusable = first_of_each_word(values, missing)
    for word in ("complex", "bytes", "other"):
        if word in unusable:
            _refuse_value(values, missing, name, word)
    raise DataError(
        f"column {name!r} {describe_mixture(values, missing)}\n"
        "  Hint: convert the column to one type first."
    )


def _refuse_value(values: Sequence[object], missing: Any, name: str, word: str) -> NoReturn:
    row = first_of_each_word(values, missing)[word]
    value = values[row]
    if word == "complex":
        raise DataError(
            f"Complex data not supported\n  column {name!r}, row {row} holds {_show(value)}.\n"
            "  Hint: use the real and the imaginary part as two columns."
        )
    hint = {
        "bytes": "decode the column to text first",
        "list": "make one column of each element",
        "tuple": "make one column of each element",
        "ndarray": "make one column of each element",
        "dict": "make one column of each key",
        "time": "use the hour, or the duration since midnight",
        "Period": "convert the column to dates with .dt.to_timestamp()",
    }
    what = hint.get("bytes" if word == "bytes" else type(value).__name__, "leave the column out")
    raise DataError(
        f"column {name!r}, row {row} holds a {type(value).__name__}: {_show(value)}.\n"
        f"  Hint: {what}; a column holds numbers, text, true/false, dates or durations."
    )


def _show(value: object, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def plain_value(value: object) -> object:
    """Return a category as a plain Python value; of any other type (an interval), its text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool | int | float | date | timedelta):
        return value
    return str(value)


def plain_categories(column: Column) -> Column:
    """Return a column whose categories are plain Python values."""
    return replace(column, values=tuple(plain_value(value) for value in column.values))
