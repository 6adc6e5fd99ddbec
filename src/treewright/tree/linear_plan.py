"""Prediction by linear models in leaves: the compiled plan routes rows, then terms are added.

Terms are added one at a time, for all rows at once: a row's terms are summed in the same order
whatever the batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.plan import Plan

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.table import Table
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.linear_leaves import LinearLeaves

_FEW_ROWS = 16
"""Up to this many rows, only the terms of their own leaves are computed."""


class LinearPlan(Plan):
    """A plan of a tree with linear models in its leaves."""

    def __init__(self, plan: Plan, linear: LinearLeaves, arrays: TreeArrays) -> None:
        super().__init__(plan._core, plan._combine)
        self._linear = linear
        self._constant = np.where(np.diff(linear.start) > 0, linear.intercept, arrays.value[:, 0])
        self._weight = arrays.weight
        asks = np.asarray(arrays.n_branches) > 0
        undecided = (arrays.missing_branch < 0) | (arrays.unseen_branch < 0)
        self._divides = bool((asks & undecided).any())

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return the prediction of each row, one row of the result each."""
        if not self._divides:
            leaves = self.apply(table, n_threads=n_threads)
            return self._at(table, None, leaves)[:, np.newaxis]
        start, leaves, shares = self.parts(table)
        rows = np.repeat(np.arange(table.n_rows), np.diff(start))
        if self._combine == "leaf_counts":
            shares = self._by_weight(rows, leaves, shares)
        parts = shares * self._at(table, rows, leaves)
        answers = np.zeros((table.n_rows, 1))
        np.add.at(answers[:, 0], rows, parts)
        return answers

    def _at(self, table: Table, rows: Int64Array | None, leaves: Int64Array) -> FloatArray:
        """Return the prediction of each leaf for its row."""
        linear = self._linear
        n_nodes = len(self._constant)
        predicted: FloatArray = self._constant[leaves]
        with np.errstate(over="ignore", invalid="ignore"):
            for i, entries in self._by_term(leaves):
                nodes = np.searchsorted(linear.start, entries, side="right") - 1
                coefficient, fill = np.zeros(n_nodes), np.zeros(n_nodes)
                coefficient[nodes], fill[nodes] = linear.coefficient[entries], linear.fill[entries]
                numbers = linear.terms[i].values(table)
                if rows is not None:
                    numbers = numbers[rows]
                numbers = np.where(np.isnan(numbers), fill[leaves], numbers)
                predicted += coefficient[leaves] * numbers
        if not np.isfinite(predicted).all():  # beyond the largest number
            largest = np.finfo(np.float64).max
            predicted = np.nan_to_num(predicted, nan=0.0, posinf=largest, neginf=-largest)
        if linear.limits is not None:
            has_model = np.diff(linear.start)[leaves] > 0
            limited = np.clip(predicted, linear.limits[leaves, 0], linear.limits[leaves, 1])
            predicted = np.where(has_model, limited, predicted)
        return predicted

    def _by_term(self, leaves: Int64Array) -> Iterator[tuple[int, Int64Array]]:
        """Yield the terms that models of these leaves may have, each with its entries."""
        start, term = self._linear.start, self._linear.term
        entries = np.arange(len(term))
        if len(leaves) <= _FEW_ROWS:
            own = [np.arange(start[leaf], start[leaf + 1]) for leaf in np.unique(leaves)]
            entries = np.concatenate([*own, np.empty(0, dtype=np.int64)])
        entries = entries[np.argsort(term[entries], kind="stable")]
        used, first = np.unique(term[entries], return_index=True)
        ends = np.append(first, len(entries))[1:]
        for i, begin, end in zip(used, first, ends, strict=True):
            yield int(i), entries[begin:end]

    def _by_weight(self, rows: Int64Array, leaves: Int64Array, shares: FloatArray) -> FloatArray:
        """Return the weight of each leaf of a divided row: its training weight, if not 0."""
        several = np.bincount(rows)[rows] > 1
        weight = np.where(several, self._weight[leaves], 1.0)
        total = np.bincount(rows, weights=weight)[rows]
        return np.where(several & (total > 0), weight / np.where(total > 0, total, 1.0), shares)
