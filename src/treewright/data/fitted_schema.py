"""The schema of a fitted model: names, kinds, domains, units and costs of its columns.

Plain values: they compare by content, pickle, and hold no reference to the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, SupportsFloat, SupportsIndex, cast

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.codes import NumberCodes, TextCodes
from treewright.data.definitions import Definition, inputs_of
from treewright.errors import ColumnMismatchError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names
from treewright.text.values import format_duration, format_float, format_instant

Kind = Literal["numeric", "nominal", "ordinal"]
Storage = Literal["float", "int", "uint", "datetime", "duration", "value"]

UINT_OFFSET = 1 << 63
"""Stored form of a "uint" column: value - 2^63 as int64, which keeps the order of the values."""


@dataclass(frozen=True, kw_only=True)
class ColumnSpec:
    """One fitted column: its kind, its stored form and how its values are written.

    Attributes
    ----------
    name : str
        Name of the column; ``x0``, ``x1``, ... where the table had no names.
    kind : {"numeric", "nominal", "ordinal"}
        Which questions it allows: a cut, a set of categories, or a cut in a declared order.
    storage : {"float", "int", "uint", "datetime", "duration", "value"}
        Stored form. Numbers are floats or int64; ``"uint"`` is ``value - 2**63`` as int64;
        dates and durations are int64 in `unit`; ``"value"`` means codes into `values`.
    values : tuple
        Domain of a nominal or ordinal column, in the order of its codes.
    unit : {"ns", "us"} or None
        Unit of a date or duration.
    time_zone : str or None
        Time zone of a date column; its instants are stored in UTC. None means naive dates.
    cost : float
        Price of measuring the column.

    Examples
    --------
    >>> ColumnSpec(name="age", kind="numeric", storage="float").format(0.1 + 0.2)
    '0.3'
    >>> from numpy import datetime64
    >>> day = ColumnSpec(name="day", kind="numeric", storage="datetime", unit="ns")
    >>> day.format(int(datetime64("2024-03-01", "ns").astype("int64")))
    '2024-03-01'
    """

    name: str
    kind: Kind
    storage: Storage
    values: tuple[object, ...] = ()
    unit: Literal["ns", "us"] | None = None
    time_zone: str | None = None
    cost: float = 1.0

    @cached_property
    def code_of_value(self) -> Mapping[object, int]:
        """Code of each value of the domain."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def code_of_number(self) -> NumberCodes:
        """Codes of the numbers in the domain, for lookup of whole arrays."""
        return NumberCodes(self.values)

    @cached_property
    def code_of_text(self) -> TextCodes:
        """Codes of the texts in the domain, for lookup of whole arrays."""
        return TextCodes(self.values)

    def format(self, value: object, *, gap: float | None = None, is_bound: bool = False) -> str:
        """Return the text of a threshold in its stored form, or of a value of the domain.

        A decimal number is written with as few digits (six or more) as keep it within half of
        `gap`, the distance to the nearest value of the data; without `gap`, within one part in
        a thousand million. See :func:`~treewright.text.values.format_float` for bounds.
        """
        if value is None:
            return "missing"
        if self.storage == "value":
            if isinstance(value, float | np.floating):
                return format_float(float(value), gap)
            return str(value)
        if self.storage == "float":
            return format_float(float(cast(SupportsFloat, value)), gap, is_bound=is_bound)
        stored = int(cast(SupportsIndex, value))
        if self.storage == "int":
            return str(stored)
        if self.storage == "uint":
            return str(stored + UINT_OFFSET)
        if self.storage == "datetime":
            return format_instant(stored, self.unit or "ns", self.time_zone)
        return format_duration(stored, self.unit or "ns")

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached tables


@dataclass(frozen=True, kw_only=True)
class DerivedColumn:
    """A derived column: its definition, and the column it became at fit."""

    definition: Definition
    spec: ColumnSpec


@dataclass(frozen=True, kw_only=True)
class FittedSchema:
    """The columns a model was fitted on.

    Attributes
    ----------
    columns : tuple of ColumnSpec
        The columns that are used: those of the table in its order, then derived ones.
    named : bool
        Whether the names came with the table; otherwise they are ``x0``, ``x1``, ...
    input_names : tuple of str
        Names of all columns of the table given to ``fit``, the ignored ones included.
    derived : tuple of DerivedColumn
        The derived columns in the order they are computed in, those included that are ignored
        and are only operands of others.
    operands : tuple of ColumnSpec
        Columns of the table that are ignored themselves but are operands of derived ones.
    """

    columns: tuple[ColumnSpec, ...]
    named: bool
    input_names: tuple[str, ...] = ()
    derived: tuple[DerivedColumn, ...] = ()
    operands: tuple[ColumnSpec, ...] = ()

    def __post_init__(self) -> None:
        if not self.input_names:
            object.__setattr__(self, "input_names", tuple(spec.name for spec in self._own))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that are used."""
        return tuple(spec.name for spec in self.columns)

    @cached_property
    def _own(self) -> tuple[ColumnSpec, ...]:
        """The columns of the table that are used."""
        if not self.derived:
            return self.columns
        return tuple(spec for spec in self.columns if spec.name not in self._inputs_of_derived)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Position in `input_names` of each used column of the table; derived ones have none."""
        return self._positions_of(self._own)

    @cached_property
    def sources(self) -> tuple[ColumnSpec, ...]:
        """Columns that must be read from a table, in its order: those used, and operands."""
        if not self.operands:
            return self._own
        spec_of_name = {spec.name: spec for spec in (*self._own, *self.operands)}
        return tuple(spec_of_name[name] for name in self.input_names if name in spec_of_name)

    @cached_property
    def source_names(self) -> tuple[str, ...]:
        """Names of `sources`."""
        return tuple(spec.name for spec in self.sources)

    @cached_property
    def source_positions(self) -> tuple[int, ...]:
        """Position of each of `sources` among `input_names`."""
        return self._positions_of(self.sources)

    def _positions_of(self, specs: tuple[ColumnSpec, ...]) -> tuple[int, ...]:
        if len(specs) == len(self.input_names):
            return tuple(range(len(specs)))
        position_of_name = {name: i for i, name in enumerate(self.input_names)}
        return tuple(position_of_name[spec.name] for spec in specs)

    @cached_property
    def is_float_matrix(self) -> bool:
        """Whether all columns of the table are used, and are floats: a matrix needs no copy."""
        return (
            not self.derived
            and len(self.columns) == len(self.input_names)
            and all(spec.storage == "float" for spec in self.columns)
        )

    @cached_property
    def operand_names(self) -> frozenset[str]:
        """Names of the columns that are operands of derived ones."""
        return frozenset(name for each in self.derived for name in each.definition.columns)

    @cached_property
    def _inputs_of_derived(self) -> Mapping[str, tuple[str, ...]]:
        return inputs_of([each.definition for each in self.derived])

    def inputs_of(self, name: str) -> tuple[str, ...]:
        """Return the columns of the table that a column is derived from, or its own name."""
        return self._inputs_of_derived.get(name, (name,))

    def by_input(self, shares: FloatArray) -> FloatArray:
        """Return importances of the used columns as importances of the columns of the table.

        The importance of a derived column goes to the columns it is derived from, in equal parts,
        so that selecting columns of the table by importance keeps those that a derived one needs.
        Columns that are not used have 0.
        """
        by_input = np.zeros(len(self.input_names))
        by_input[list(self.positions)] = shares[: len(self.positions)]
        for name, share in zip(self.names, shares.tolist(), strict=True):
            if name in self._inputs_of_derived:
                inputs = self.inputs_of(name)
                for each in inputs:
                    by_input[self.input_names.index(each)] += share / len(inputs)
        return by_input

    def unused_by(self, used: Iterable[int]) -> tuple[str, ...]:
        """Return the names of the columns that none of some columns is, or is derived from.

        Parameters
        ----------
        used
            Positions of columns.
        """
        names = [self.names[i] for i in used]
        looked_at = {*names, *(each for name in names for each in self.inputs_of(name))}
        return tuple(name for name in self.names if name not in looked_at)

    def prices(self, given: Mapping[str, float]) -> list[float]:
        """Return the cost of every used column: as given by name, else as declared.

        A derived column that is not in `given` costs the sum of the columns of the table that it is
        derived from, if one of them is in `given`.
        """
        price_of_name = {spec.name: spec.cost for spec in (*self.operands, *self.columns)}
        price_of_name.update(given)
        for name, inputs in self._inputs_of_derived.items():
            if name not in given and any(each in given for each in inputs):
                price_of_name[name] = sum(price_of_name[each] for each in inputs)
        return [price_of_name[name] for name in self.names]

    @cached_property
    def _index_of_name(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the position of a column among those used."""
        try:
            return self._index_of_name[name]
        except (KeyError, TypeError):  # TypeError: an unhashable key
            raise ColumnMismatchError(
                f"there is no column {name!r}.\n"
                f"  Columns: {list_names(self.names)}{nearest_hint(name, self.names)}"
            ) from None

    def column(self, name: str) -> ColumnSpec:
        """Return the description of the column called `name`."""
        return self.columns[self.index(name)]

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnSpec]:
        return iter(self.columns)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without cached tables
