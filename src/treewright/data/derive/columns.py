"""Derived columns, computed from the columns of a table by the definitions of a schema.

They are computed from the values of the table, not from codes or stored forms, at fit and again at
predict: an unseen category still equals itself, and a decimal where training saw whole numbers is
not rounded first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal, NoReturn

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column, blank_column, is_blank
from treewright.data.definitions import (
    COMPARISONS,
    ColumnName,
    Constant,
    Definition,
    inputs_of,
)
from treewright.data.derive.arithmetic import (
    OPERATION,
    as_values,
    calculate,
    calculate_time,
    compare,
    equal_values,
    time_ratio,
)
from treewright.data.fitted_schema import ColumnSpec, DerivedColumn, FittedSchema, Storage
from treewright.data.match_columns import (
    TypedColumn,
    fit_column,
    is_number,
    match_column,
    values_as_numbers,
)
from treewright.data.objects import read_objects
from treewright.data.schema import Schema
from treewright.errors import DataError
from treewright.parameters import nearest_hint

Form = Literal["numbers", "dates", "durations", "nominal", "ordinal"]

_FORM_OF_STORAGE: dict[str, Form] = {"datetime": "dates", "duration": "durations"}
_WORD_OF_FORM = {"nominal": "categories", "ordinal": "ranks"}
_TIME_RESULTS: dict[tuple[Form, str, Form], Storage] = {
    ("dates", "-", "dates"): "duration",
    ("dates", "-", "durations"): "datetime",
    ("dates", "+", "durations"): "datetime",
    ("durations", "+", "dates"): "datetime",
    ("durations", "+", "durations"): "duration",
    ("durations", "-", "durations"): "duration",
    ("durations", "/", "durations"): "float",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Operand:
    """One operand of a definition: its values, and what may be done with them.

    A constant has a single row, which is broadcast.
    """

    said: str
    form: Form
    column: Column
    spec: ColumnSpec | None = None

    @property
    def order(self) -> tuple[object, ...]:
        """Order of an ordinal operand; that of a constant is its single value."""
        return self.column.values if self.spec is None else self.spec.values

    def numbers(self) -> Column:
        """Return the values as numbers; the caller has checked that they are."""
        if self.column.storage != "value":
            return self.column
        name = self.said if self.spec is None else self.spec.name
        return values_as_numbers(self.column, name, "was fitted on numbers")


class _Workshop:
    """The columns that definitions may use, by name; computed columns are added."""

    def __init__(
        self, columns: Mapping[str, Column], specs: Mapping[str, ColumnSpec], n_rows: int
    ) -> None:
        self.columns = dict(columns)
        self.specs = dict(specs)
        self.n_rows = n_rows

    def add(self, name: str, column: Column, spec: ColumnSpec) -> None:
        self.columns[name], self.specs[name] = column, spec

    def compute(self, definition: Definition, fitted: ColumnSpec | None = None) -> Column:
        """Return the column of a definition; `fitted` is its form at fit, None during fit."""
        if any(_is_untyped(self.specs[name]) for name in definition.columns):
            return self._without_values(definition)
        if fitted is not None and any(is_blank(self.columns[n]) for n in definition.columns):
            return self._without_values(definition)  # such a column may have lost its type
        left, right = self._operands(definition)
        if definition.operator not in COMPARISONS:
            return _calculate(definition, left, right, fitted)
        if definition.operator in ("==", "!="):
            return _equal(definition, left, right)
        return _ordered(definition, left, right)

    def _without_values(self, definition: Definition) -> Column:
        if definition.operator in COMPARISONS:
            return _booleans(np.zeros(self.n_rows, bool), np.ones(self.n_rows, bool))
        return blank_column(self.n_rows)

    def _operands(self, definition: Definition) -> tuple[_Operand, _Operand]:
        if isinstance(definition.left, Constant):
            right = self._operand(definition.right)
            return _constant(definition, definition.left, right), right
        left = self._operand(definition.left)
        if isinstance(definition.right, Constant):
            return left, _constant(definition, definition.right, left)
        return left, self._operand(definition.right)

    def _operand(self, operand: ColumnName | Constant) -> _Operand:
        assert isinstance(operand, ColumnName)  # one side is a column
        spec = self.specs[operand.name]
        form: Form = _FORM_OF_STORAGE.get(spec.storage, "numbers")
        if spec.kind != "numeric":
            form = spec.kind
        said = f"column {operand.name!r}"
        return _Operand(said=said, form=form, column=self.columns[operand.name], spec=spec)


def fit_derived(
    columns: Mapping[str, Column], typed: Sequence[TypedColumn], schema: Schema, n_rows: int
) -> tuple[list[DerivedColumn], list[TypedColumn]]:
    """Return the columns that a schema defines, with the kinds they have at fit.

    Parameters
    ----------
    columns
        The columns of the table that definitions use, by name.
    typed
        Columns of the table as fitted, in any order; at least those that definitions use.
    schema
        The schema, with its columns called by name.
    n_rows
        Number of rows.

    Returns
    -------
    derived, typed
        What is needed to compute them again at predict, and their values; for every definition.
    """
    workshop = _Workshop(columns, {each.spec.name: each.spec for each in typed}, n_rows)
    inputs_of_derived = inputs_of(schema.definitions)
    derived: list[DerivedColumn] = []
    made: list[TypedColumn] = []
    for definition in schema.definitions:
        _check_constant(definition, columns, schema)
        column = workshop.compute(definition)
        each = fit_column(column, definition.name, schema)
        inputs = inputs_of_derived[definition.name]
        if definition.name not in schema.costs and any(name in schema.costs for name in inputs):
            price = sum(schema.costs.get(name, 1.0) for name in inputs)
            each = replace(each, spec=replace(each.spec, cost=price))
        workshop.add(definition.name, column, each.spec)
        derived.append(DerivedColumn(definition=definition, spec=each.spec))
        made.append(each)
    return derived, made


def match_derived(
    columns: Mapping[str, Column], fitted: FittedSchema, n_rows: int
) -> list[TypedColumn]:
    """Return the derived columns that a model uses, computed from a table to predict.

    Parameters
    ----------
    columns
        The columns of the table that definitions use, by name; of the types they had at fit.
    fitted
        The columns the model was fitted on.
    n_rows
        Number of rows.
    """
    workshop = _Workshop(columns, {spec.name: spec for spec in fitted.sources}, n_rows)
    used = set(fitted.names)
    made: list[TypedColumn] = []
    for each in fitted.derived:
        column = workshop.compute(each.definition, each.spec)
        workshop.add(each.spec.name, column, each.spec)
        if each.spec.name in used:
            made.append(match_column(column, each.spec))
    return made


def _is_untyped(spec: ColumnSpec) -> bool:
    """Return whether fit saw no value of a column, nor a type."""
    return spec.storage == "value" and not spec.values


def _booleans(result: Array, missing: Array) -> Column:
    codes = np.where(missing, np.int32(-1), result.astype(np.int32))
    return Column(storage="value", data=codes, values=(False, True), fixed=True)


def _constant(definition: Definition, constant: Constant, beside: _Operand) -> _Operand:
    """Return a constant as the other operand needs it: a text beside dates is a date."""
    value: object = constant.value
    if isinstance(value, str):
        if beside.form == "dates":
            return _Operand(said=str(constant), form="dates", column=_date(definition, value))
        form: Form = "ordinal" if beside.form == "ordinal" else "nominal"
        return _Operand(said=f"the text {constant}", form=form, column=read_objects([value], ""))
    column = read_objects([value], "")
    said = f"the number {constant}"
    if beside.form == "ordinal" and not _is_ascending(beside.order):
        column = Column(storage="value", data=np.zeros(1, dtype=np.int32), values=(value,))
        return _Operand(said=said, form="ordinal", column=column)
    return _Operand(said=said, form="numbers", column=column)


def _date(definition: Definition, text: str) -> Column:
    try:
        return read_objects([datetime.fromisoformat(text)], "")
    except ValueError:
        _refuse(
            definition,
            f"the text {text!r} beside dates is no date",
            "write it as in '2024-03-01' or '2024-03-01T12:00'",
        )


def _check_constant(definition: Definition, columns: Mapping[str, Column], schema: Schema) -> None:
    """Refuse a comparison with a text that is not in the declared domain of the column."""
    operands = (definition.left, definition.right)
    texts = [each.value for each in operands if isinstance(each, Constant)]
    (name,) = definition.columns[:1]
    column = columns.get(name)
    if not texts or column is None or definition.operator not in COMPARISONS:
        return
    domain = schema.domain_of(name)
    if domain is None and column.fixed:
        domain = column.values
    if domain is None or not isinstance(texts[0], str) or texts[0] in domain:
        return
    more = f" and {len(domain) - 5} more" if len(domain) > 5 else ""
    raise DataError(
        f"derived column {definition.name!r} compares column {name!r} with {texts[0]!r}, which is"
        f" not in its domain.\n  Definition: {definition}\n"
        f"  Domain: {', '.join(map(repr, domain[:5]))}{more}"
        f"{nearest_hint(texts[0], [value for value in domain if isinstance(value, str)])}"
    )


def _equal(definition: Definition, left: _Operand, right: _Operand) -> Column:
    forms = {left.form, right.form}
    if forms & {"dates", "durations"}:
        if len(forms) > 1:
            _refuse_pair(definition, left, right)
        _check_zones(definition, left, right)
        result = compare("==", left.column, right.column)
    else:
        if {_is_text(left), _is_text(right)} == {True, False}:
            text, other = (left, right) if _is_text(left) else (right, left)
            _refuse(
                definition,
                f"{text.said} is text and {other.said} is not, so they are never equal",
                "convert one of them first",
            )
        result = equal_values(left.column, right.column)
    if definition.operator == "!=":
        result = ~result
    return _booleans(result, left.column.missing | right.column.missing)


def _is_text(operand: _Operand) -> bool | None:
    """Return whether the values are text; None where some are and some are not."""
    if operand.form == "numbers":
        return False
    values = operand.column.values if operand.spec is None else operand.spec.values
    found = {isinstance(value, str) for value in values}
    return found.pop() if len(found) == 1 else None


def _ordered(definition: Definition, left: _Operand, right: _Operand) -> Column:
    sign = definition.operator
    missing = left.column.missing | right.column.missing
    for operand in (left, right):
        if operand.form == "nominal":
            _refuse(
                definition,
                f"{operand.said} is nominal and has no order",
                "== and != compare nominal columns; Schema(order={...}) declares an order",
            )
    if left.form == right.form and left.form in ("dates", "durations"):
        _check_zones(definition, left, right)
        return _booleans(compare(sign, left.column, right.column), missing)
    if all(each.form == "numbers" or _is_ascending(each.order) for each in (left, right)):
        return _booleans(compare(sign, left.numbers(), right.numbers()), missing)
    if left.form != "ordinal" or right.form != "ordinal":
        _refuse_pair(definition, left, right)
    first, second = _ranks(definition, left, right)
    return _booleans(OPERATION[sign](first, second), (first < 0) | (second < 0))


def _is_ascending(order: Sequence[Any]) -> bool:
    """Return whether an order is that of ascending numbers, which are compared directly."""
    return bool(order) and all(map(is_number, order)) and all(a < b for a, b in pairwise(order))


def _ranks(definition: Definition, left: _Operand, right: _Operand) -> tuple[Array, Array]:
    """Return the ranks of two ordinal operands in the longer of their orders; -1 outside it."""
    longer, shorter = left.order, right.order
    if len(longer) < len(shorter):
        longer, shorter = shorter, longer
    rank_of_value = {value: rank for rank, value in enumerate(longer)}
    among_longer = [rank_of_value.get(value, -1) for value in shorter]
    if -1 in among_longer or among_longer != sorted(among_longer):
        shown = " against ".join(
            ", ".join(map(repr, order[:5])) + (", ..." if len(order) > 5 else "")
            for order in (left.order, right.order)
        )
        _refuse(
            definition,
            f"{left.said} and {right.said} do not have one order: {shown}",
            "Schema(order={...}) declares the order of a column; one must contain the other",
        )
    first, second = (
        np.array([*(rank_of_value.get(value, -1) for value in column.values), -1])[column.data]
        for column in (as_values(left.column), as_values(right.column))
    )
    return first, second


def _calculate(
    definition: Definition, left: _Operand, right: _Operand, fitted: ColumnSpec | None
) -> Column:
    sign = definition.operator
    for operand in (left, right):
        if operand.form in ("nominal", "ordinal"):
            is_what, hint = "no number", "leave the quotes out if it is a number or a column"
            if operand.spec is not None:
                is_what = operand.form
                hint = f"Schema(kinds={{{operand.spec.name!r}: 'numeric'}}), if it has numbers"
            _refuse(definition, f"{sign} needs numbers, and {operand.said} is {is_what}", hint)
    if left.form == right.form == "numbers":
        storage = None if fitted is None else fitted.storage
        return calculate(sign, left.numbers(), right.numbers(), storage)
    result = _TIME_RESULTS.get((left.form, sign, right.form))
    if result is None:
        _refuse_pair(definition, left, right)
    if result == "float":
        return time_ratio(left.column, right.column)
    if left.form == right.form:
        _check_zones(definition, left, right)
    unit = None if fitted is None else fitted.unit
    return calculate_time(sign, left.column, right.column, result, unit)


def _check_zones(definition: Definition, left: _Operand, right: _Operand) -> None:
    if (left.column.time_zone is None) != (right.column.time_zone is None):
        with_zone, without = (left, right) if left.column.time_zone else (right, left)
        _refuse(
            definition,
            f"{with_zone.said} has a time zone ({with_zone.column.time_zone}) and {without.said}"
            " has none",
            "attach a time zone to the dates, or remove it",
        )


def _refuse_pair(definition: Definition, left: _Operand, right: _Operand) -> NoReturn:
    first, second = (
        f"{_WORD_OF_FORM.get(each.form, each.form)} ({each.said})" for each in (left, right)
    )
    _refuse(
        definition,
        f"{definition.operator} does not go between {first} and {second}",
        "help(Schema.derive) says what goes with what",
    )


def _refuse(definition: Definition, reason: str, hint: str) -> NoReturn:
    raise DataError(
        f"derived column {definition.name!r} cannot be computed: {reason}.\n"
        f"  Definition: {definition}\n  Hint: {hint}."
    )
