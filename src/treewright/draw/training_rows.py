"""The training rows of every node of a tree, where the tree still has them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.table import MISSING
from treewright.tree.condition import sum_of_columns
from treewright.tree.question import Categories, LinearCut, Question

if TYPE_CHECKING:
    from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

_MOST_VISITS = 20_000_000
"""Rows x levels that are routed for a picture; beyond, it is drawn without them."""


class TrainingRows:
    """The training rows that reach each node, with their target.

    Parameters
    ----------
    tree
        The tree.
    table, target, weight
        Its training rows: class codes or numbers, and weights (None: all 1).
    """

    def __init__(self, tree: Tree, table: Table, target: Array, weight: FloatArray | None) -> None:
        self._tree = tree
        self.table = table
        self.target = target
        self.weight = weight
        self._last: tuple[int, tuple[Array, BoolArray]] | None = None

    @classmethod
    def kept_by(cls, tree: Tree) -> TrainingRows | None:
        """Return the training rows of a tree; None where it has none, or too many to route."""
        kept = tree.kept_rows()
        if kept is None or kept[0].n_rows * (tree.depth + 1) > _MOST_VISITS:
            return None
        return cls(tree, *kept)

    @cached_property
    def _by_node(self) -> tuple[Int64Array, Int64Array]:
        """Rows in the order of the nodes they visit, and where the rows of each node end."""
        start, visited = self._tree.plan.decision_path(self.table)
        row_of_visit = np.repeat(np.arange(len(start) - 1), np.diff(start))
        order = np.argsort(visited, kind="stable")
        ends = np.cumsum(np.bincount(visited, minlength=self._tree.n_nodes))
        return row_of_visit[order], ends

    def at(self, node: int) -> Int64Array:
        """Return the positions of the rows that reach a node."""
        rows, ends = self._by_node
        return rows[ends[node - 1] if node else 0 : ends[node]]

    def values(self, node: int, question: Question) -> tuple[Array, BoolArray]:
        """Return what a node asks of each of its rows in stored form, and whether it is missing."""
        if self._last is None or self._last[0] != node:  # asked for several times in a row
            self._last = node, self._looked_up(node, question)
        return self._last[1]

    def _looked_up(self, node: int, question: Question) -> tuple[Array, BoolArray]:
        rows = self.at(node)
        if isinstance(question, LinearCut):
            total = sum_of_columns(question.terms, self.table)[rows]
            return total, np.isnan(total)
        values = self.table.columns[question.index][rows]
        if question.column.storage == "value":
            return values, np.asarray(values == MISSING)
        if values.dtype.kind == "f":
            return values, np.isnan(values)
        present = self.table.masks[question.index]
        return values, np.zeros(len(values), bool) if present is None else ~present[rows]

    def neighbours(self, node: int, question: Question) -> list[tuple[float, float]]:
        """Return, for each cut of a node, the values of its rows next to it on either side.

        An end without rows is infinite.
        """
        if isinstance(question, Categories):
            return []
        values, missing = self.values(node, question)
        known = np.sort(values[~missing])
        found = []
        for cut in cuts_of(question):
            place = int(np.searchsorted(known, cut, side="right"))
            low = known[place - 1].item() if place > 0 else -np.inf
            high = known[place].item() if place < len(known) else np.inf
            found.append((low, high))
        return found


def cuts_of(question: Question) -> tuple[float | int, ...]:
    """Return the cuts of a question about an order; none of one about categories."""
    if isinstance(question, Categories):
        return ()
    return getattr(question, "cuts", None) or (question.threshold,)  # type: ignore[union-attr]
