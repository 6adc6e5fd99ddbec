"""Stumps in shared arrays, and their votes in one table.

A stump has three nodes, or one where no question was found. All stumps of a column together are
a step function of its value, which the core keeps instead of them (:class:`StumpVotes`): the
time to predict a row grows with the number of columns, not with the number of stumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import FloatArray, Int32Array, Int64Array
from treewright.core import StumpVotes
from treewright.data.core_columns import lend
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ModelFormatError
from treewright.tree.arrays import LEAF, OF_NODES, TreeArrays
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table

_OF_CODES = ("code", "branch_of_code")
_OF_STUMPS = (
    "column",
    "kind",
    "threshold",
    "threshold_int",
    "code_offset",
    "code_count",
    "rest_branch",
    "missing_branch",
    "unseen_branch",
)


class StumpTrees:
    """Stumps for classes, one after the other in the same arrays.

    Parameters
    ----------
    arrays
        Those of :class:`~treewright.tree.arrays.TreeArrays` that stumps need; nodes and positions
        in ``code`` are numbered consecutively over all stumps.
    start
        The first node of each stump, and the number of nodes at the end.
    n_columns
        Number of columns of the table.
    """

    answers_by_leaf = False  # rows with missing values are divided

    def __init__(self, arrays: Mapping[str, Any], start: Int64Array, n_columns: int) -> None:
        self._arrays = {name: np.asarray(arrays[name]) for name in OF_NODES + _OF_CODES}
        self._start = start
        self._n_columns = n_columns
        self._votes: tuple[bytes, StumpVotes] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"arrays": self._arrays, "start": self._start, "n_columns": self._n_columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._arrays, self._start = state["arrays"], state["start"]
        self._n_columns, self._votes = state["n_columns"], None
        n_nodes = len(self._arrays["kind"])
        sizes = np.diff(self._start)
        is_sound = (
            len(self._start) > 1
            and self._start[0] == 0
            and self._start[-1] == n_nodes
            and bool(np.all((sizes == 1) | (sizes == 3)))
            and all(len(self._arrays[name]) == n_nodes for name in OF_NODES)
        )
        if not is_sound:
            raise ModelFormatError("the stumps are damaged: their nodes do not add up.")

    def __len__(self) -> int:
        return len(self._start) - 1

    def tree(self, index: int, like: Ensemble) -> Tree:
        """Return one stump on its own."""
        first, last = int(self._start[index]), int(self._start[index + 1])
        part = {name: self._arrays[name][first:last] for name in OF_NODES}
        for name in ("first_child", "parent"):
            part[name] = np.where(part[name] >= 0, part[name] - first, part[name])
        asks = part["code_offset"] >= 0
        begin = int(part["code_offset"][0]) if asks.any() else 0
        end = begin + int(part["code_count"][0]) if asks.any() else 0
        part["code_offset"] = np.where(asks, part["code_offset"] - begin, part["code_offset"])
        part |= {name: self._arrays[name][begin:end] for name in _OF_CODES}
        return Tree(
            arrays=TreeArrays(**part),
            schema=like.schema,
            classes=like.classes,
            criterion=like.criterion,
            unseen=like.unseen,
            engine=self.engine(),
        )

    def votes(self, schema: FittedSchema, weights: FloatArray) -> StumpVotes:
        """Return the stumps with their vote weights, packed for prediction."""
        key = weights.tobytes()
        if self._votes is None or self._votes[0] != key:
            roots = self._start[:-1]
            asked: dict[str, object] = {name: self._arrays[name][roots] for name in _OF_STUMPS}
            asked |= {name: self._arrays[name] for name in _OF_CODES}
            says = self._arrays["value"].argmax(axis=1).astype(np.int32)
            asked |= {"said": says[self._nodes()], "vote": weights}
            n_codes = [
                len(spec.values) if spec.storage == "value" else 0 for spec in schema.columns
            ]
            width = self._arrays["value"].shape[1]
            try:
                self._votes = (key, StumpVotes(asked, n_codes, width))
            except (ValueError, TypeError, IndexError, RuntimeError) as error:
                raise ModelFormatError(f"the stumps are damaged: {error}.") from error
        return self._votes[1]

    def add_votes(
        self, table: Table, weights: FloatArray, first: int, last: int, n_threads: int
    ) -> FloatArray:
        """Return the summed votes of some of the stumps for each class, rows x classes."""
        votes = self.votes(table.schema, weights)
        if first == 0 and last == len(self):
            return votes.add_all(lend(table), n_threads)
        return votes.add(lend(table), first, last)

    def add_answers(
        self, table: Table, first: int, last: int, vote: str, n_threads: int
    ) -> FloatArray:
        """Return the summed predictions (or votes) of the stumps from `first` to before `last`."""
        if vote == "hard":
            return self.add_votes(table, np.ones(len(self)), first, last, n_threads)
        value = self._arrays["value"]
        shares = value / value.sum(axis=1, keepdims=True)
        nodes = self._nodes()
        branches = self._branches(table)
        sums = np.zeros((table.n_rows, value.shape[1]))
        for stump in range(first, last):
            sums += shares[nodes[stump]][branches[:, stump]]
        return sums

    def apply(self, table: Table, n_threads: int) -> Int32Array:
        """Return the leaf of each row in each stump; the heavier leaf if the row follows both."""
        nodes = self._nodes()
        weight = self._arrays["weight"][nodes]
        place = (nodes - nodes[:, 2:]).astype(np.int32)  # the root comes last
        place[:, 2] = np.where(weight[:, 0] >= weight[:, 1], place[:, 0], place[:, 1])
        return np.take_along_axis(place, self._branches(table).T, axis=1).T

    def _nodes(self) -> Int64Array:
        """Return the nodes of the two branches of each stump and its root; a lone leaf thrice.

        The third node is for a row that follows both branches: their predictions, weighted by rows,
        are the root's.
        """
        roots = self._start[:-1]
        asks = (self._arrays["kind"][roots] != LEAF).astype(np.int64)
        return np.column_stack([roots + asks, roots + 2 * asks, roots])

    def _branches(self, table: Table) -> Int32Array:
        """Return the branch of each row at each stump, rows x stumps; 2 is both."""
        return self.votes(table.schema, np.ones(len(self))).branches(lend(table))

    def impurity_decrease(self) -> FloatArray:
        """Return the decrease of impurity by stump and column, weighted by rows."""
        nodes = self._nodes()
        mass = (self._arrays["weight"] * self._arrays["impurity"])[nodes]
        column = self._arrays["column"][nodes[:, 2]]
        asks = column >= 0
        brought = (mass[:, 2] - mass[:, 0] - mass[:, 1]) / self._arrays["weight"][nodes[:, 2]]
        decrease = np.zeros((len(self), self._n_columns))
        decrease[np.flatnonzero(asks), column[asks]] = brought[asks]
        return decrease

    def engine(self) -> str:
        """Return which of the core's growers grew the stumps."""
        return "stumps"

    def n_outputs(self) -> int:
        """Return the number of outputs that the stumps predict together."""
        return 1

    def n_nodes(self) -> Int64Array:
        """Return the number of nodes of each stump."""
        return np.diff(self._start)

    def n_leaves(self) -> Int64Array:
        """Return the number of leaves of each stump."""
        return (self.n_nodes() + 1) // 2

    def depths(self) -> Int64Array:
        """Return the number of questions of each stump: one, or none."""
        return self.n_nodes() // 2

    def nbytes(self) -> int:
        """Return the memory that the stumps take."""
        return self._start.nbytes + sum(array.nbytes for array in self._arrays.values())

    def questions(self, n_columns: int) -> Int64Array:
        """Return how many stumps ask each column."""
        column = self._arrays["column"][self._start[:-1]]
        return np.bincount(column[column >= 0], minlength=n_columns)

    def used_columns(self, n_columns: int) -> tuple[int, ...]:
        """Return the positions of the columns that trees use: those that they ask."""
        return tuple(np.flatnonzero(self.questions(n_columns)).tolist())

    def compacted(self) -> StumpTrees:
        """Return the stumps unchanged: there is nothing to leave out."""
        return self

    def first(self, n_trees: int) -> StumpTrees:
        """Return the first `n_trees` of these stumps."""
        last = int(self._start[n_trees])
        part = {name: self._arrays[name][:last] for name in OF_NODES}
        part |= {name: self._arrays[name] for name in _OF_CODES}
        return StumpTrees(part, self._start[: n_trees + 1], self._n_columns)

    def joined(self, more: StumpTrees) -> StumpTrees:
        """Return these stumps and further ones."""
        shift = dict.fromkeys(OF_NODES, 0)
        shift |= {"first_child": int(self._start[-1]), "parent": int(self._start[-1])}
        shift["code_offset"] = len(self._arrays["code"])
        arrays = {}
        for name in OF_NODES + _OF_CODES:
            added = more._arrays[name]
            if shift.get(name, 0):
                added = np.where(added >= 0, added + shift[name], added).astype(added.dtype)
            arrays[name] = np.concatenate([self._arrays[name], added])
        start = np.concatenate([self._start, more._start[1:] + self._start[-1]])
        return StumpTrees(arrays, start, self._n_columns)
