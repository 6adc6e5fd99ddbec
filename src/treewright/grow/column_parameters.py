"""Parameters with an entry per column: costs and monotonic constraints, by name or position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.data.fitted_schema import FittedSchema
from treewright.errors import ColumnMismatchError, ParameterError
from treewright.grow.options import GrowthOptions
from treewright.parameters import check_number, nearest_hint
from treewright.text.names import list_names


def column_costs(schema: FittedSchema, options: GrowthOptions) -> list[float] | None:
    """Return the cost of every column, or None if all cost 1."""
    costs = [spec.cost for spec in schema.columns]
    given = options.column_costs
    if given is not None:
        costs = _by_column("column_costs", given, schema, costs)
        if schema.derived:
            costs = _prices_with_derived(schema, given)
    if all(cost == 1.0 for cost in costs):
        return None
    for spec, cost in zip(schema.columns, costs, strict=True):
        check_number(f"column_costs[{spec.name!r}]", cost, low=0.0)
        if cost == 0.0 and options.cost_rule != "nunez":
            raise ParameterError(
                f"column {spec.name!r} costs 0, by which cost_rule={options.cost_rule!r} divides.\n"
                "  Hint: a small cost such as 1e-6, or cost_rule='nunez'."
            )
    return [float(cost) for cost in costs]


def _prices_with_derived(
    schema: FittedSchema, given: Mapping[str, float] | Sequence[float]
) -> list[float]:
    if not isinstance(given, Mapping):
        given = dict(zip(schema.input_names, given, strict=True))
    for name, cost in given.items():  # before they are added
        check_number(f"column_costs[{name!r}]", cost, low=0.0)
    return schema.prices(given)


def monotonic_signs(
    schema: FittedSchema, given: Mapping[str, int] | Sequence[int] | None
) -> list[int] | None:
    """Return the monotonic constraint of every column (-1, 0, 1), or None if there is none."""
    if given is None:
        return None
    signs = _by_column("monotonic_cst", given, schema, [0] * len(schema.columns))
    for spec, sign in zip(schema.columns, signs, strict=True):
        if sign not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst of column {spec.name!r} is {sign!r}; it must be -1, 0 or 1."
            )
        if sign != 0 and spec.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst of column {spec.name!r} is {sign!r}, but a nominal column has no"
                " order.\n  Hint: declare it ordinal, Schema(order={...})."
            )
    return [int(sign) for sign in signs] if any(signs) else None


def _by_column(
    name: str, given: Mapping[str, Any] | Sequence[Any], schema: FittedSchema, default: list[Any]
) -> list[Any]:
    """Return a parameter given by name or by position in the order of the columns."""
    if isinstance(given, Mapping):
        values = list(default)
        for key, value in given.items():
            if key not in schema.names:
                raise ColumnMismatchError(
                    f"{name} names column {key!r}, which the table does not have.\n"
                    f"  Columns: {list_names(schema.names)}{nearest_hint(key, schema.names)}"
                )
            values[schema.index(key)] = value
        return values
    values = list(given)
    if len(values) != len(schema.input_names):
        raise ParameterError(
            f"{name} has length {len(values)}, but the table has {len(schema.input_names)} columns."
        )
    # A list has an entry per column of the table; derived columns keep the default.
    own = [values[position] for position in schema.positions]
    return own + default[len(own) :]
