"""What each tree of an ensemble says about each row, side by side: columns for another learner.

Trees predict classes or numbers. Of two classes one column per tree tells all, of several there is
a column per class, of numbers one per output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from treewright.array_types import Array, FloatArray, Int32Array, Int64Array
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.interrupts import row_blocks
from treewright.tree.leaf import by_output
from treewright.tree.tree import Tree

OUTPUTS = ("value", "proba", "leaf")
"""Decisions (of numbers the predictions), shares of the classes, or the leaves."""

_CELLS_AT_ONCE = 1 << 19


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeOutputs:
    """The columns that the trees of an ensemble give.

    Parameters
    ----------
    ensemble
        The trees.
    output
        ``"value"``: of classes 1 where the tree decides for the class and -1 where it does not, of
        numbers what it predicts. ``"proba"``: the share of the class. ``"leaf"``: 1 for the leaf
        of the row, 0 for all others.
    classes
        The classes that columns are made for, in their order; None for those of the ensemble,
        which may have seen fewer.
    """

    ensemble: Ensemble
    output: str
    classes: tuple[Array, ...] | None = None

    def dense(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return the columns, rows x columns."""
        if self.output == "leaf":
            return self._leaves_dense(table, n_threads)
        trees = self.ensemble.trees
        read = self._reader()
        if trees.answers_by_leaf:
            return self._by_leaf(table, read, n_threads)
        columns = np.empty((table.n_rows, 0))
        for number, tree in enumerate(self.ensemble):
            said = read(tree.plan.answers(table, n_threads=n_threads))
            width = said.shape[1]
            if number == 0:
                columns = np.empty((table.n_rows, width * len(trees)))
            columns[:, number * width : (number + 1) * width] = said
        return columns

    def sparse(self, table: Table, *, n_threads: int = 1) -> csr_matrix:
        """Return the columns of the leaves as a sparse matrix: one entry per row and tree."""
        places, n_columns = self._leaf_places(table, n_threads)
        n_rows, n_trees = places.shape
        start = np.arange(n_rows + 1, dtype=np.int64) * n_trees
        if start[-1] < 2**31:
            start = start.astype(np.int32)
        entries = (np.ones(places.size), places.reshape(-1), start)
        return csr_matrix(entries, shape=(n_rows, n_columns))

    def _reader(self) -> Callable[[FloatArray], FloatArray]:
        """Return what makes columns of the answers of a tree, row by row or node by node."""
        found, rule = self.ensemble.classes, self.ensemble.leaf
        if found is None:
            return lambda answers: answers
        wanted = found if self.classes is None else self.classes

        def read(answers: FloatArray) -> FloatArray:
            parts = []
            for own, all_of_them, shares in zip(
                found, wanted, by_output(answers, found), strict=True
            ):
                said = shares
                if self.output == "value":
                    said = np.full(shares.shape, -1.0)
                    said[np.arange(len(shares)), rule.choose(shares)] = 1.0
                parts.append(_in_columns_of(said, own, all_of_them, self.output))
            return np.hstack(parts)

        return read

    def _by_leaf(
        self, table: Table, read: Callable[[FloatArray], FloatArray], n_threads: int
    ) -> FloatArray:
        """Return the columns by looking up what the leaf of each row says."""
        says = [read(tree.answers) for tree in self.ensemble]
        leaves = self.ensemble.apply(table, n_threads=n_threads)
        first = _first_of_tree([len(each) for each in says])
        flat = np.concatenate(says)
        n_rows, n_trees = leaves.shape
        width = flat.shape[1]
        columns = np.empty((n_rows, n_trees * width))
        for block in row_blocks(n_rows, max(1, _CELLS_AT_ONCE // (n_trees * width))):
            columns[block] = flat[leaves[block] + first].reshape(-1, n_trees * width)
        return columns

    def _leaf_places(self, table: Table, n_threads: int) -> tuple[Int32Array, int]:
        """Return the column of the leaf of each row in each tree, and how many columns there are.

        Of a row that is divided among leaves it is the one with the largest part.
        """
        column_of_node, n_columns = [], 0
        for tree in self.ensemble:
            own = np.zeros(tree.n_nodes, dtype=np.int32)
            leaves = leaves_in_order(tree)
            own[leaves] = np.arange(n_columns, n_columns + len(leaves))
            column_of_node.append(own)
            n_columns += len(leaves)
        first = _first_of_tree([len(own) for own in column_of_node])
        flat = np.concatenate(column_of_node)
        places = self.ensemble.apply(table, n_threads=n_threads)
        for block in row_blocks(len(places), max(1, _CELLS_AT_ONCE // places.shape[1])):
            places[block] = flat[places[block] + first]
        return places, n_columns

    def _leaves_dense(self, table: Table, n_threads: int) -> FloatArray:
        places, n_columns = self._leaf_places(table, n_threads)
        columns = np.zeros((len(places), n_columns))
        for block in row_blocks(len(places), max(1, _CELLS_AT_ONCE // places.shape[1])):
            np.put_along_axis(columns[block], places[block].astype(np.int64), 1.0, axis=1)
        return columns


def leaves_in_order(tree: Tree) -> Int32Array:
    """Return the leaves of a tree from left to right, as its rules are."""
    order = tree.reading_order
    leaves: Int32Array = order[tree.arrays.n_branches[order] == 0]
    return leaves


def _first_of_tree(n_nodes: list[int]) -> Int64Array:
    """Return the place of each tree's first node where the nodes of all are put together."""
    return np.concatenate([[0], np.cumsum(n_nodes[:-1])]).astype(np.int64)


def _in_columns_of(said: FloatArray, own: Array, wanted: Array, output: str) -> FloatArray:
    """Return one column per class that is wanted; of two only that of the second."""
    names, known = wanted.tolist(), own.tolist()
    if known != names:
        absent = -1.0 if output == "value" else 0.0
        every = np.full((len(said), len(names)), absent)
        every[:, [names.index(name) for name in known]] = said
        said = every
    return said[:, 1:] if len(names) == 2 else said
