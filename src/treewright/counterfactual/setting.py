"""The axes of a row: which columns may change, what a change counts, and on which grid of values.

Distance
--------
The distance of two rows is the sum over the columns of what each change counts, times its cost
(Wachter, Mittelstadt and Russell 2017, section 4: the sum of absolute changes, each divided by the
median absolute deviation of its column).

- A number, date or rank counts ``|change| / spread``. The spread is the median absolute deviation
  of the column among the reference rows; where that is 0 (half of the rows have one value) their
  mean absolute deviation about the median, and where that is 0, too, 1.
- A category counts 1 if it changes (Gower 1971), and so does a missing, unseen or infinite value
  that becomes known.
- Without reference rows the spread is that of the cuts the model has on the column. Where there is
  one cut only, crossing it counts 1.

Grid
----
A number moves to whole numbers where the row and all reference rows have whole ones, and a date to
days, hours, minutes or seconds likewise. Without reference rows, where the row has a whole number
and all cuts are whole or halfway between.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.counterfactual.axes import Axis, CodeAxis, NumberAxis
from treewright.data.table import Table
from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import as_float, check_mapping, is_list, is_number
from treewright.text.names import list_names
from treewright.tree.question import Stored, stored_value

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema

Cuts = Mapping[int, Sequence[float | int]]
"""The cuts of a model on each column of ordered values, ascending."""

_SECONDS = (86_400, 3_600, 60, 1)
_PER_SECOND = {"ns": 10**9, "us": 10**6}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a user says about changes: columns that stay as they are, and the cost of the others."""

    fixed: frozenset[str]
    costs: Mapping[str, float]

    @classmethod
    def of(cls, schema: FittedSchema, fixed: object, costs: object) -> Limits:
        """Return the limits, or refuse names of no column and costs that are no prices."""
        if not is_list(fixed) and not isinstance(fixed, set | frozenset):
            raise ParameterError(
                f"fixed={fixed!r} must be a list of columns.\n  Hint: fixed=[{fixed!r}]."
            )
        check_mapping("costs", {} if costs is None else costs, of="column to factor")
        prices: dict[Any, Any] = {} if costs is None else dict(costs)  # type: ignore[call-overload]
        names: list[Any] = list(fixed)  # type: ignore[call-overload]
        for name in (*names, *prices):
            if name not in schema.input_names:
                schema.index(name)  # raises for what is no column
        for name, price in prices.items():
            if not (is_number(price) and 0 <= as_float(price) < math.inf):
                raise ParameterError(
                    f"costs: {price!r} of column {name!r} must be a finite number, 0 or more.\n"
                    f"  Hint: fixed=[{name!r}] for a column that never changes."
                )
        return cls(fixed=frozenset(names), costs={k: as_float(v) for k, v in prices.items()})

    def keep(self, schema: FittedSchema, name: str) -> bool:
        """Return whether a column stays as it is; refuse a derived one that might follow others."""
        inputs = schema.inputs_of(name)
        if inputs == (name,):
            return name in self.fixed
        loose = [each for each in inputs if each not in self.fixed]
        if loose:
            raise UnsupportedError(
                f"counterfactual cannot change column {name!r}, which is derived from"
                f" {list_names(inputs)}: their changes would change it too.\n"
                f"  Hint: fixed={[*sorted(self.fixed - {name}), *loose]!r} keeps all of them."
            )
        return True


def axes_of(
    table: Table, used: Sequence[int], cuts: Cuts, limits: Limits, reference: Table | None
) -> dict[int, Axis]:
    """Return the axes of the columns that a model uses, by position.

    Parameters
    ----------
    table
        The row, as a table.
    used
        Positions of the columns that the model uses.
    cuts
        The cuts of the model.
    limits
        What may change, and at what cost.
    reference
        Rows that say how the columns spread; None for those of the cuts.
    """
    schema = table.schema
    prices = schema.prices(dict(limits.costs))
    axes: dict[int, Axis] = {}
    for index in used:
        spec, value = schema.columns[index], stored_value(table, index)
        is_fixed = limits.keep(schema, spec.name)
        known = None if reference is None else _known(reference, index)
        measured = np.array(cuts.get(index, ())) if known is None or not len(known) else known
        spread = _spread(measured, value, are_cuts=measured is not known)
        common: dict[str, Any] = {
            "index": index,
            "column": spec,
            "value": value,
            "spread": spread,
            "factor": prices[index],
            "is_fixed": is_fixed,
        }
        if spec.storage == "value":
            axes[index] = CodeAxis(**common)
            continue
        given = table.columns[index].dtype
        step = _step(spec, measured, value, are_cuts=measured is not known)
        finite = measured[np.isfinite(measured)]
        anchor = np.sort(finite)[(len(finite) - 1) // 2].item() if len(finite) else 0
        axes[index] = NumberAxis(
            **common, step=step, is_single=given == np.float32, anchor=_on_grid(anchor, spec, step)
        )
    return axes


def _known(table: Table, index: int) -> Array:
    """Return the values of a column that are there."""
    values = np.asarray(table.columns[index])[~table.is_missing(index)]
    return values[values >= 0] if table.schema.columns[index].storage == "value" else values


def _spread(values: Array, value: Stored, *, are_cuts: bool) -> float:
    """Return the change that counts 1."""
    numbers = np.unique(values) if are_cuts else values
    finite = numbers[np.isfinite(numbers)].astype(np.float64)
    if are_cuts and len(finite) == 1 and value is not None and math.isfinite(value):
        apart = abs(float(value) - float(finite[0]))
        return apart if 0.0 < apart < math.inf else 1.0
    if not len(finite):
        return 1.0
    with np.errstate(over="ignore"):
        apart_each = np.abs(finite - np.median(finite))
        candidates = (float(np.median(apart_each)), float(apart_each.mean()))
    return next((each for each in candidates if 0.0 < each < math.inf), 1.0)


def _step(spec: ColumnSpec, values: Array, value: Stored, *, are_cuts: bool) -> int | None:
    """Return the step of the grid that all values are on; None for any number."""
    known = [] if value is None else [value]
    if spec.storage == "float":
        numbers = np.array([*known], dtype=np.float64)
        with np.errstate(over="ignore"):  # infinity is left out below
            seen = values.astype(np.float64) * (2 if are_cuts else 1)
        both = np.concatenate([numbers, seen])
        finite = both[np.isfinite(both)]
        return 1 if len(finite) and bool((finite == np.floor(finite)).all()) else None
    if spec.unit is None:
        return 1
    per_second = _PER_SECOND[spec.unit]
    # A cut is rounded down to the unit, so that it may miss the middle by half of one.
    whole = np.array([], dtype=np.int64) if are_cuts and known else values
    for seconds in _SECONDS:
        step = seconds * per_second
        if all(each % step == 0 for each in known) and bool((whole % step == 0).all()):
            return step
    # Python's dates with a time zone, in which a row is given back, know microseconds only.
    return 1_000 if spec.unit == "ns" and spec.time_zone is not None else 1


def _on_grid(anchor: float | int, spec: ColumnSpec, step: int | None) -> float | int:
    if step is None:
        return anchor
    return math.floor(anchor) // step * step if spec.storage != "float" else math.floor(anchor)
