"""Columns of data brought to the form of a model: inferred at fit, matched at predict.

At fit a column gets its :class:`~treewright.data.schema.ColumnSpec`, from its type and from
what the user declared. At predict it is brought to the fitted form: categories by value,
numbers widened, dates to the fitted unit; a value of another type is an error naming the column.

A whole number is a number: a column of integers is stored as floats if floats hold every one of
them exactly. Only a column with an integer that no float equals (beyond 2^53) stays integer; its
cuts are whole, and a fraction asked of it is rounded up, which keeps the answer of ``x <= t``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.data.codes import INT64_MAX, INT64_MIN, code_numbers, floor_to_int64
from treewright.data.column import Column, floats_from_below, is_blank, whole_as_floats
from treewright.data.core_columns import find_codes
from treewright.data.fitted_schema import ColumnSpec, Kind
from treewright.data.schema import Schema
from treewright.data.table import MISSING, UNSEEN
from treewright.errors import DataError, OtherTypeWarning, warn

_WORD_OF_STORAGE = {
    "float": "numbers",
    "int": "whole numbers",
    "uint": "whole numbers",
    "datetime": "dates",
    "duration": "durations",
    "value": "categories",
}
_TIMES = ("datetime", "duration")
_SIGN_BIT = np.int64(INT64_MIN)


@dataclass(frozen=True, kw_only=True, eq=False)
class TypedColumn:
    """A column in its fitted form."""

    spec: ColumnSpec
    data: Array
    mask: BoolArray | None


def fit_column(
    column: Column, name: str, schema: Schema, *, listed_as_nominal: bool = False
) -> TypedColumn:
    """Return a column with its kind and domain, as declared or as inferred from its type."""
    kind = schema.kind_of(name)
    cost = schema.costs.get(name, 1.0)
    if listed_as_nominal:
        if kind == "numeric":
            raise DataError(
                f"column {name!r} is in categorical_features but declared numeric; drop one."
            )
        kind = kind or "nominal"
    if kind is None:
        kind = _natural_kind(column)
    if kind == "numeric":
        if column.storage == "value":
            column = values_as_numbers(column, name, "is declared numeric")
        column = whole_as_floats(column)
        spec = ColumnSpec(
            name=name,
            kind="numeric",
            storage=column.storage,
            unit=column.unit,
            time_zone=column.time_zone,
            cost=cost,
        )
        return TypedColumn(spec=spec, data=column.data, mask=column.present)
    coded, domain = _with_domain(column, name, kind, schema.domain_of(name))
    spec = ColumnSpec(name=name, kind=kind, storage="value", values=domain, cost=cost)
    return TypedColumn(spec=spec, data=coded, mask=None)


def match_column(column: Column, spec: ColumnSpec) -> TypedColumn:
    """Return a column in its fitted form; categories unseen in training get their own code."""
    mask: BoolArray | None = None
    if spec.storage == "value":
        data = _match_values(column, spec)
    elif spec.storage in _TIMES:
        data, mask = _match_time(column, spec)
    else:
        if column.storage in _TIMES and not is_blank(column):
            _refuse(column, spec, "convert it to numbers first")
        if column.storage == "value":
            column = values_as_numbers(column, spec.name, "was fitted on numbers")
        if spec.storage == "float":
            data = _as_floats(column)
        else:
            data, mask = _as_whole(column, is_unsigned=spec.storage == "uint")
    return TypedColumn(spec=spec, data=data, mask=mask)


def _natural_kind(column: Column) -> Kind:
    if column.storage != "value":
        return "numeric"
    return "ordinal" if column.ordered else "nominal"


def _with_domain(
    column: Column, name: str, kind: Kind, declared: tuple[object, ...] | None
) -> tuple[Array, tuple[object, ...]]:
    """Return the codes and the domain of a nominal or ordinal column."""
    if column.storage in _TIMES:
        raise DataError(
            f"column {name!r} holds {_WORD_OF_STORAGE[column.storage]}, which cannot be {kind}.\n"
            "  Hint: convert it to text, or leave it numeric."
        )
    has_order = column.ordered or column.storage != "value"
    if column.storage != "value":
        codes, distinct = code_numbers(column.numbers(), column.missing)
        column = Column(storage="value", data=codes, values=tuple(distinct.tolist()))
    if declared is not None:
        return _recode(column, name, declared), declared
    if kind == "ordinal" and not has_order and not is_blank(column):
        shown = ", ".join(repr(value) for value in column.values[:5])
        raise DataError(
            f"column {name!r} is declared ordinal, but nothing says the order of its values.\n"
            f"  Hint: Schema(order={{{name!r}: [{shown}]}}), lowest first."
        )
    if column.fixed or column.all_occur:
        return column.data, column.values
    counts = np.bincount(column.data + 1, minlength=len(column.values) + 1)[1:]
    if counts.all():
        return column.data, column.values
    # Values that occur in no row are not part of the domain; the last entry is for -1.
    new_code = np.append(np.cumsum(counts > 0, dtype=np.int32) - np.int32(1), np.int32(-1))
    kept = tuple(v for v, count in zip(column.values, counts.tolist(), strict=True) if count)
    return new_code[column.data], kept


def _recode(column: Column, name: str, domain: tuple[object, ...]) -> Array:
    code_of_value = {value: code for code, value in enumerate(domain)}
    new_code = [code_of_value.get(value, UNSEEN) for value in column.values]
    codes = np.array([*new_code, MISSING], dtype=np.int32)[column.data]
    outside = np.flatnonzero(codes == UNSEEN)
    if len(outside):
        row = int(outside[0])
        shown = ", ".join(repr(value) for value in domain[:5])
        more = f" and {len(domain) - 5} more" if len(domain) > 5 else ""
        raise DataError(
            f"column {name!r}, row {row} holds {column.values[column.data[row]]!r}, which is not"
            f" in its declared domain.\n  Declared: {shown}{more}\n"
            "  Hint: add the value to the domain, or make it missing."
        )
    return codes


def is_number(value: object) -> bool:
    """Return whether a category is a number or true/false."""
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def values_as_numbers(column: Column, name: str, claim: str) -> Column:
    """Return a column of categories that are all numbers (or true/false) as numbers."""
    for code, value in enumerate(column.values):
        if not is_number(value):
            rows = np.flatnonzero(column.data == code)
            if len(rows):
                what = "the text " if isinstance(value, str) else ""
                raise DataError(
                    f"column {name!r} {claim}, but row {rows[0]} holds {what}{value!r}.\n"
                    "  Hint: convert the column to numbers first."
                )
    numbers: list[Any] = [value if is_number(value) else 0 for value in column.values]
    if all(isinstance(value, int) and INT64_MIN <= value <= INT64_MAX for value in numbers):
        whole = np.array([*numbers, 0], dtype=np.int64)[column.data]
        missing = column.missing
        return Column(storage="int", data=whole, present=~missing if missing.any() else None)
    return Column(storage="float", data=np.array([*numbers, np.nan], dtype=np.float64)[column.data])


def _match_values(column: Column, spec: ColumnSpec) -> Array:
    if column.storage in _TIMES and not is_blank(column):
        if spec.values:
            _refuse(column, spec, "convert it to text first")
        # Fitted on gaps alone, which have no type.
        return np.where(column.missing, np.int32(MISSING), np.int32(UNSEEN))
    if column.storage == "value":
        _check_values_alike(column, spec)
        find = spec.code_of_value.get
        code = [find(value, UNSEEN) for value in column.values]
        return np.array([*code, MISSING], dtype=np.int32).take(column.data)
    if column.storage == "float" and spec.code_of_number.code_of_whole is not None:
        return find_codes(column.data, spec.code_of_number.code_of_whole)
    missing = column.missing
    if missing.all():
        return np.full(len(column), MISSING, dtype=np.int32)
    if not len(spec.code_of_number) and spec.values:
        warn(
            f"{_other_type(column, spec)}; numbers count as categories that are not known.\n"
            "  Hint: convert it to text as it was in fit.",
            OtherTypeWarning,
        )
    codes = spec.code_of_number.find(column.numbers(), absent=UNSEEN)
    return np.where(missing, np.int32(MISSING), codes) if missing.any() else codes


def _check_values_alike(column: Column, spec: ColumnSpec) -> None:
    """Refuse text where fit saw numbers, or the reverse: a mistake, not unseen categories."""
    fitted = {isinstance(value, str) for value in spec.values}
    if len(fitted) != 1:
        return
    for code, value in enumerate(column.values):
        if isinstance(value, str) not in fitted:
            rows = np.flatnonzero(column.data == code)
            if len(rows):
                was = "text" if True in fitted else "values that are not text"
                raise DataError(
                    f"column {spec.name!r} was fitted on {was}, but row {rows[0]} holds"
                    f" {value!r}.\n  Fitted on: {_domain(spec)}\n"
                    "  Hint: convert the column as it was in fit."
                )


def _domain(spec: ColumnSpec) -> str:
    shown = ", ".join(repr(value) for value in spec.values[:5])
    return shown + (f" and {len(spec.values) - 5} more" if len(spec.values) > 5 else "")


def _refuse(column: Column, spec: ColumnSpec, hint: str) -> NoReturn:
    raise DataError(f"{_other_type(column, spec)}.\n  Hint: {hint}.")


def _other_type(column: Column, spec: ColumnSpec) -> str:
    """Say which types a column had and has."""
    row = int(np.flatnonzero(~column.missing)[0])
    value = column.take(slice(row, row + 1)).to_numpy()[0]
    was = "text" if spec.storage == "value" else _WORD_OF_STORAGE[spec.storage]
    return (
        f"column {spec.name!r} was fitted on {was}, but row {row} holds {str(value)!r}, one of"
        f" {_WORD_OF_STORAGE[column.storage]}"
    )


def _as_floats(column: Column) -> Array:
    if column.storage == "float":
        return column.data
    if column.storage in _TIMES:  # all missing: anything else was refused
        return np.full(len(column), np.nan)
    floats = floats_from_below(column.numbers())
    if column.present is not None:
        floats[~column.present] = np.nan
    return floats


def _as_whole(column: Column, *, is_unsigned: bool) -> tuple[Array, BoolArray | None]:
    """Return int64 in stored form, rounded up: for whole t, x <= t exactly if ceil(x) <= t."""
    if column.storage in _TIMES:  # all missing: anything else was refused
        return np.zeros(len(column), dtype=np.int64), column.present
    if column.storage == "float":
        missing = np.isnan(column.data)
        mask = ~missing if missing.any() else None
        up = np.ceil(column.data.astype(np.float64, copy=False))
        low = floor_to_int64(up)
        if not is_unsigned:
            return low, mask
        # From 2^63 on floats are multiples of 2048, so the subtraction is exact there.
        return np.where(up >= 2.0**63, floor_to_int64(up - 2.0**63), _to_unsigned(low)), mask
    data = column.data
    if is_unsigned and column.storage == "int":
        data = _to_unsigned(data)
    elif not is_unsigned and column.storage == "uint":
        data = np.where(data >= 0, INT64_MAX, data ^ _SIGN_BIT)  # stored 0 is 2^63: saturate
    return data, column.present


def _to_unsigned(whole: Array) -> Array:
    """Return whole numbers in the stored form of "uint"; those below 0 are below every value."""
    return np.where(whole < 0, INT64_MIN, whole ^ _SIGN_BIT)


def _match_time(column: Column, spec: ColumnSpec) -> tuple[Array, BoolArray | None]:
    if column.storage != spec.storage:
        if is_blank(column):
            return np.zeros(len(column), dtype=np.int64), np.zeros(len(column), dtype=bool)
        word = _WORD_OF_STORAGE[spec.storage]
        _refuse(column, spec, f"convert it to {word} first")
    if (column.time_zone is None) != (spec.time_zone is None) and not is_blank(column):

        def said(zone: str | None) -> str:
            return "without a time zone" if zone is None else f"with a time zone ({zone})"

        raise DataError(
            f"column {spec.name!r} was fitted on dates {said(spec.time_zone)}, but is given dates"
            f" {said(column.time_zone)}.\n"
            "  Hint: attach a time zone to the dates, or remove it, as it was in fit."
        )
    if column.unit == spec.unit:
        return column.data, column.present
    if spec.unit == "us":
        # Up, as for fractions: the question x <= t keeps its answer.
        return -(-column.data // 1000), column.present
    low, high = INT64_MIN // 1000 + 1, INT64_MAX // 1000
    inside = np.clip(column.data, low, high) * 1000
    data = np.where(column.data > high, INT64_MAX, np.where(column.data < low, INT64_MIN, inside))
    return data, column.present
