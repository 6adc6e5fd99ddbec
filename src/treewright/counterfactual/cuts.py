"""The cuts that a model has on each column of numbers, and the sums of columns it asks about."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewright.array_types import Array
from treewright.counterfactual.setting import Cuts, Limits
from treewright.data.fitted_schema import FittedSchema
from treewright.data.table import Table
from treewright.errors import UnsupportedError
from treewright.text.names import list_names
from treewright.tree.arrays import CUT, INTERVALS, TreeArrays
from treewright.tree.condition import Conjunction, Interval, LinearInterval
from treewright.tree.question import LinearCut, columns_of
from treewright.tree.tree import Tree

_STEPS = 65
"""Steps of a column whose leaves have linear models: every 64th of the rows."""


def cuts_of_trees(trees: Iterable[Tree]) -> Cuts:
    """Return the cuts of all trees, ascending, by column."""
    found: dict[int, list[Array]] = {}
    for tree in trees:
        for index, cuts in _cuts_of(tree.arrays, tree.schema):
            found.setdefault(index, []).append(cuts)
    return {index: _in_order(np.concatenate(parts)) for index, parts in found.items()}


def _cuts_of(arrays: TreeArrays, schema: FittedSchema) -> Iterable[tuple[int, Array]]:
    is_float = np.array([spec.storage == "float" for spec in schema.columns], dtype=bool)
    cuts_once = np.flatnonzero(arrays.kind == CUT)
    for index in np.unique(arrays.column[cuts_once]).tolist():
        nodes = cuts_once[arrays.column[cuts_once] == index]
        yield index, (arrays.threshold if is_float[index] else arrays.threshold_int)[nodes]
    for node in np.flatnonzero(arrays.kind == INTERVALS).tolist():
        index, first = int(arrays.column[node]), int(arrays.cut_offset[node])
        owned = slice(first, first + int(arrays.cut_count[node]))
        yield index, (arrays.cut if is_float[index] else arrays.cut_int)[owned]
    stand_ins = arrays.surrogate_kind == CUT
    for index in np.unique(arrays.surrogate_column[stand_ins]).tolist():
        which = stand_ins & (arrays.surrogate_column == index)
        cuts = arrays.surrogate_threshold if is_float[index] else arrays.surrogate_threshold_int
        yield index, cuts[which]


def cuts_of_rules(conjunctions: Iterable[Conjunction]) -> Cuts:
    """Return the bounds of all conditions, ascending, by column."""
    found: dict[int, set[float | int]] = {}
    for conjunction in conjunctions:
        for each in conjunction:
            if isinstance(each, Interval) and not isinstance(each, LinearInterval):
                bounds = (each.low, each.high)
                found.setdefault(each.index, set()).update(b for b in bounds if b is not None)
    return {index: sorted(bounds) for index, bounds in found.items()}


def with_steps(cuts: Cuts, rows: Table, used: Iterable[int]) -> Cuts:
    """Return cuts with values of rows between: leaves with linear models answer each otherwise.

    Parameters
    ----------
    cuts
        The cuts.
    rows, used
        Rows, and the positions of the columns that get steps: quantiles of their values.
    """
    stepped = dict(cuts)
    for index in used:
        if rows.schema.columns[index].storage == "value":
            continue
        values = np.sort(np.asarray(rows.columns[index])[~rows.is_missing(index)])
        if len(values) == 0:
            continue
        some = values[np.linspace(0, len(values) - 1, _STEPS).astype(int)]
        exact = some.astype(np.float64 if some.dtype.kind == "f" else np.int64)
        stepped[index] = sorted({*cuts.get(index, ()), *exact.tolist()})
    return stepped


def sums_of_rules(conjunctions: Iterable[Conjunction]) -> Iterable[tuple[int, ...]]:
    """Yield the columns of each sum that rules have a condition on."""
    for conjunction in conjunctions:
        for each in conjunction:
            if isinstance(each, LinearInterval):
                yield tuple(index for index, _ in each.terms)


def _in_order(cuts: Array) -> list[float | int]:
    ascending: list[float | int] = np.unique(cuts).tolist()
    return ascending


def refuse_loose_sums(
    sums: Iterable[tuple[int, ...]], schema: FittedSchema, limits: Limits
) -> None:
    """Refuse sums of columns that may change: a cut of a sum is no bound on one column.

    Parameters
    ----------
    sums
        Positions of the columns of each sum.
    schema, limits
        The columns, and which of them are fixed.
    """
    for positions in sums:
        names = [schema.names[index] for index in positions]
        loose = [name for name in names if not limits.keep(schema, name)]
        if loose:
            raise UnsupportedError(
                f"counterfactual moves one column at a time across its cuts, and this model asks"
                f" about a sum of {list_names(names)}.\n"
                f"  Hint: fixed={[*sorted(limits.fixed), *loose]!r} keeps the sum as it is; or a"
                " tree without oblique questions."
            )


def sums_of_trees(trees: Iterable[Tree]) -> Iterable[tuple[int, ...]]:
    """Yield the columns of each sum that trees ask about."""
    for tree in trees:
        if len(tree.arrays.term_column) == 0:
            continue
        for node in np.flatnonzero(tree.arrays.term_count > 0).tolist():
            question = tree.question(node)
            if isinstance(question, LinearCut):
                yield columns_of(question)
