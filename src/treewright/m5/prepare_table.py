"""Tables prepared for M5: missing values filled, nominal columns ranked by mean target.

Weka's M5P first replaces missing values by the column's mean or most frequent value, then turns a
nominal column of k values into k - 1 indicators of "one of the values above the i-th", the values
ordered by their mean target (Breiman et al. 1984, section 8.8; Wang and Witten 1997). A cut of the
column's ranks is such an indicator, so the column becomes an ordinal one. Here tables are converted
to ranks, and trees back to the columns of the user's table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int32Array, Int64Array
from treewright.data.fitted_schema import UINT_OFFSET, ColumnSpec, FittedSchema
from treewright.data.table import Table
from treewright.m5.rows_by_leaf import RowsByLeaf
from treewright.tree.arrays import CATEGORIES, LEAF, TreeArrays
from treewright.tree.linear_leaves import IndicatorTerm, NumberTerm, Term, as_numbers, numbers_in
from treewright.tree.tree import Tree

_WHOLE = 2**53
"""Up to here a float64 holds every whole number."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedColumn:
    """The preparation of one column.

    Parameters
    ----------
    spec
        The original column.
    fill
        The value that replaces a missing one, in the form of the ranked table.
    order
        The codes of a nominal column in the order of their ranks; None for other columns.
    """

    spec: ColumnSpec
    fill: float | int
    order: Int64Array | None = None

    def upper(self, rank: int) -> frozenset[int]:
        """Return the codes above a cut of the ranks (or of the order of an ordinal column)."""
        if self.order is None:
            return frozenset(range(rank + 1, len(self.spec.values)))
        return frozenset(self.order[rank + 1 :].tolist())


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranked:
    """A table without missing values, with ranked nominal columns, and the conversion back.

    Parameters
    ----------
    table
        The ranked table.
    schema
        The original columns.
    columns
        The preparation of each.
    """

    table: Table
    schema: FittedSchema
    columns: tuple[RankedColumn, ...]

    def with_lowest_cuts(self, tree: Tree, rows: RowsByLeaf) -> Tree:
        """Return the tree with every cut of ranks moved to the highest rank below it in the node.

        Ranks that no row of the node has may be on either side; M5P takes the first indicator that
        separates the rows, which puts them above the cut.
        """
        arrays = tree.arrays
        cuts = arrays.threshold_int.copy()
        for index, done in enumerate(self.columns):
            if done.spec.storage != "value":
                continue
            ranks = np.asarray(self.table.columns[index])[rows.order]
            for node in np.flatnonzero(arrays.column == index).tolist():
                left = arrays.first_child[node]
                cuts[node] = ranks[rows.start[left] : rows.stop[left]].max()
        return tree.with_arrays(replace(arrays, threshold_int=cuts))

    def terms_of(self, arrays: TreeArrays) -> tuple[list[Term], Int64Array]:
        """Return the terms that linear models may have, and the term of each node's question.

        The term of a cut of a numeric column is the column itself; that of a cut of ranks is the
        indicator of the values above it. Terms are in the order of the columns, then of the cuts;
        leaves have -1.
        """
        asks = arrays.column >= 0
        column = arrays.column[asks].astype(np.int64)
        is_coded = np.array([each.spec.storage == "value" for each in self.columns])
        rank = np.where(is_coded[column], arrays.threshold_int[asks], -1)
        keys, term_of_asking = np.unique(
            np.column_stack([column, rank]), axis=0, return_inverse=True
        )
        term_of_node = np.full(arrays.n_nodes, -1, dtype=np.int64)
        term_of_node[asks] = term_of_asking.ravel()
        return [self._term(int(c), int(r)) for c, r in keys.tolist()], term_of_node

    def _term(self, column: int, rank: int) -> Term:
        done = self.columns[column]
        if done.spec.storage == "value":
            return IndicatorTerm(index=column, column=done.spec, codes=done.upper(rank))
        low, high = finite_range(numbers_in(self.table, column))
        return NumberTerm(index=column, column=done.spec, low=low, high=high)

    def fill_of(self, term: Term) -> float:
        """Return the number that replaces a missing value of a term."""
        done = self.columns[term.index]
        if isinstance(term, IndicatorTerm):
            code = int(done.fill) if done.order is None else int(done.order[int(done.fill)])
            return float(code in term.codes)
        ranked = self.table.schema.columns[term.index]
        return float(as_numbers(np.array([done.fill]), ranked)[0])

    def counted(self, term: Term, order: Int64Array) -> Array:
        """Return a term's values in this order of rows: its numbers, or its indicator."""
        if isinstance(term, IndicatorTerm):
            first = len(term.column.values) - len(term.codes)  # lowest rank with indicator 1
            return np.asarray(self.table.columns[term.index])[order] >= first
        return np.clip(numbers_in(self.table, term.index, order), term.low, term.high)

    def questions_of(self, arrays: TreeArrays, *, unseen: str) -> dict[str, Any]:
        """Return the arrays of questions, converted to the columns of the user's table."""
        column = np.asarray(arrays.column)
        kind = arrays.kind.copy()
        threshold, threshold_int = arrays.threshold.copy(), arrays.threshold_int.copy()
        missing_branch = arrays.missing_branch.copy()
        codes: list[Array] = []
        branches: list[Array] = []
        count = np.zeros(arrays.n_nodes, dtype=np.int32)
        rest_branch = arrays.rest_branch.copy()
        for index, done in enumerate(self.columns):
            asking = np.flatnonzero(column == index)
            if not len(asking):
                continue
            ranked = self.table.schema.columns[index]
            is_float = ranked.storage == "float"
            cuts = threshold[asking] if is_float else threshold_int[asking]
            missing_branch[asking] = np.where(done.fill <= cuts, 0, 1)
            if is_float and done.spec.storage != "float":
                threshold_int[asking] = _whole_cuts(threshold[asking], done.spec)
                threshold[asking] = np.nan
            elif done.order is not None:
                kind[asking] = CATEGORIES
        for node in np.flatnonzero(kind == CATEGORIES).tolist():
            order = self.columns[column[node]].order
            assert order is not None
            listed, branch = _shorter_side(order, int(arrays.threshold_int[node]))
            codes.append(listed)
            branches.append(np.full(len(listed), branch, dtype=np.int32))
            count[node], rest_branch[node] = len(listed), 1 - branch
        threshold_int[kind == CATEGORIES] = 0
        unseen_branch = missing_branch if unseen != "majority" else arrays.unseen_branch
        return {
            "kind": kind,
            "threshold": threshold,
            "threshold_int": threshold_int,
            "missing_branch": missing_branch,
            "unseen_branch": np.where(kind == LEAF, -1, unseen_branch),
            "rest_branch": rest_branch,
            "code": np.concatenate([*codes, np.empty(0, dtype=np.int32)]),
            "branch_of_code": np.concatenate([*branches, np.empty(0, dtype=np.int32)]),
            "code_count": count,
            "code_offset": np.where(kind == CATEGORIES, np.cumsum(count) - count, -1),
        }


def _shorter_side(order: Int64Array, rank: int) -> tuple[Int32Array, int]:
    """Return the codes of the smaller side of a cut, ascending, and its branch."""
    branch = 0 if 2 * (rank + 1) <= len(order) else 1
    side = order[: rank + 1] if branch == 0 else order[rank + 1 :]
    return np.sort(side).astype(np.int32), branch


def _whole_cuts(cuts: FloatArray, spec: ColumnSpec) -> Int64Array:
    """Return the cuts rounded down to whole numbers, in stored form."""
    floor = np.floor(cuts).astype(np.int64)
    return floor - np.int64(UINT_OFFSET - 1) - np.int64(1) if spec.storage == "uint" else floor


def finite_range(numbers: FloatArray) -> tuple[float, float]:
    """Return the least and the greatest finite number; 0 and 0 where there is none."""
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def rank_table(table: Table, target: FloatArray, weight: FloatArray | None) -> Ranked:
    """Return a table with missing values filled and nominal columns ranked by a target."""
    done, columns, specs = [], [], []
    for index, spec in enumerate(table.schema.columns):
        if spec.storage == "value":
            column, values, ranked = _ranked_codes(table, index, target, weight)
        else:
            column, values, ranked = _filled_numbers(table, index, weight)
        done.append(column)
        columns.append(values)
        specs.append(ranked)
    # All columns are columns of the ranked table now, derived ones too.
    schema = replace(table.schema, columns=tuple(specs), input_names=(), derived=(), operands=())
    filled = Table(schema=schema, n_rows=table.n_rows, columns=columns, masks=[None] * len(columns))
    return Ranked(table=filled, schema=table.schema, columns=tuple(done))


def _ranked_codes(
    table: Table, index: int, target: FloatArray, weight: FloatArray | None
) -> tuple[RankedColumn, Array, ColumnSpec]:
    spec = table.schema.columns[index]
    codes = np.asarray(table.columns[index])
    if not spec.values:  # all missing: no value to fill in, and nothing to ask
        return RankedColumn(spec=spec, fill=0), codes, replace(spec, kind="ordinal")
    known = codes >= 0
    counts = np.bincount(
        codes[known], weights=None if weight is None else weight[known], minlength=len(spec.values)
    )
    fill = int(counts.argmax())
    codes = np.where(known, codes, fill).astype(np.int32)
    if spec.kind == "ordinal":
        return RankedColumn(spec=spec, fill=fill), codes, spec
    order = _order_by_mean(codes, target, weight, len(spec.values))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranked = replace(spec, kind="ordinal", values=tuple(spec.values[code] for code in order))
    return RankedColumn(spec=spec, fill=int(rank[fill]), order=order), rank[codes], ranked


def _order_by_mean(
    codes: Array, target: FloatArray, weight: FloatArray | None, n_values: int
) -> Int64Array:
    """Return values in order of mean target; those without rows count with the mean of all."""
    share = np.ones(len(codes)) if weight is None else weight
    total = np.bincount(codes, weights=share, minlength=n_values)
    sums = np.bincount(codes, weights=share * target, minlength=n_values)
    middle = float(sums.sum() / total.sum())
    mean = np.divide(sums, total, out=np.full(n_values, middle), where=total > 0)
    # Means that differ by rounding alone are equal; equal ones keep the order of the domain.
    spread = float(np.ptp(mean))
    if spread > 0:
        mean = np.rint((mean - mean.min()) / spread * 2.0**40)
    return np.argsort(mean, kind="stable").astype(np.int64)


def _filled_numbers(
    table: Table, index: int, weight: FloatArray | None
) -> tuple[RankedColumn, Array, ColumnSpec]:
    spec = table.schema.columns[index]
    stored = np.asarray(table.columns[index])
    missing = table.is_missing(index)
    if spec.storage == "float":
        fill = _mean(stored.astype(np.float64), ~missing, weight)
        if missing.any():
            stored = np.where(missing, fill, stored.astype(np.float64))
        return RankedColumn(spec=spec, fill=fill), stored, spec
    is_plain = spec.storage in ("int", "uint")
    numbers = as_numbers(stored, spec) if is_plain else stored.astype(np.float64)
    fill = _mean(numbers, ~missing, weight)
    if not is_plain or not missing.any() or np.abs(numbers[~missing]).max(initial=0) > _WHOLE:
        # A time, or a number that a float may not hold: filled with the nearest whole number.
        whole = round(fill) - (UINT_OFFSET if spec.storage == "uint" else 0)
        whole = min(max(whole, -(2**63)), 2**63 - 1)
        return RankedColumn(spec=spec, fill=whole), np.where(missing, whole, stored), spec
    ranked = ColumnSpec(name=spec.name, kind="numeric", storage="float", cost=spec.cost)
    return RankedColumn(spec=spec, fill=fill), np.where(missing, fill, numbers), ranked


def _mean(numbers: FloatArray, known: BoolArray, weight: FloatArray | None) -> float:
    """Return the mean of the known finite numbers; their median where the mean overflows."""
    usable = known & np.isfinite(numbers)
    if not usable.any():
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(
            np.average(numbers[usable], weights=None if weight is None else weight[usable])
        )
    return mean if np.isfinite(mean) else float(np.median(numbers[usable]))
