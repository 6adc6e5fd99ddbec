"""The trees of a forest as the core keeps them: packed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import FloatArray, Int32Array, Int64Array
from treewright.core import PackedForest, questions_by_column
from treewright.core import depths as core_depths
from treewright.data.core_columns import lend
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import CompactError, ModelFormatError
from treewright.tree.arrays import TreeArrays
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.data.table import Table


class PackedTrees:
    """Trees of cuts on ordered columns, packed in the core."""

    answers_by_leaf = True

    def __init__(self, core: PackedForest, n_classes: int, n_columns: int, *, engine: str) -> None:
        self.core = core
        self._n_classes = n_classes
        self._n_columns = n_columns
        self._engine = engine

    def _with(self, core: PackedForest) -> PackedTrees:
        """Return an object of the same kind for other trees of the same forest."""
        return PackedTrees(core, self._n_classes, self._n_columns, engine=self._engine)

    def __len__(self) -> int:
        return self.core.n_trees

    def __getstate__(self) -> dict[str, Any]:
        return {
            "state": self.core.state(),
            "n_classes": self._n_classes,
            "n_columns": self._n_columns,
            "engine": self._engine,
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self._n_classes, self._n_columns = int(kept["n_classes"]), int(kept["n_columns"])
        self._engine = str(kept["engine"])
        try:
            self.core = PackedForest(kept["state"], self._n_classes, self._n_columns)
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            raise ModelFormatError(f"the trees of a forest are damaged: {error}.") from error

    def tree(self, index: int, like: Ensemble) -> Tree:
        """Return one tree on its own."""
        self.refuse_if_compact("single trees: the weights and impurities of nodes are gone")
        is_real = [spec.storage == "float" for spec in like.schema.columns]
        arrays = self.core.tree(index, is_real)
        return Tree(
            arrays=TreeArrays.from_core(arrays),
            schema=like.schema,
            classes=like.classes,
            criterion=like.criterion,
            unseen=like.unseen,
            engine=self._engine,
        )

    def add_answers(
        self, table: Table, first: int, last: int, vote: str, n_threads: int
    ) -> FloatArray:
        """Return the summed predictions (or votes) of the trees from `first` to before `last`."""
        return self.core.add_answers(lend(table), first, last, vote, n_threads)

    def apply(self, table: Table, n_threads: int) -> Int32Array:
        """Return the leaf of each row in each tree."""
        return self.core.apply(lend(table), n_threads)

    def impurity_decrease(self) -> FloatArray:
        """Return the decrease of impurity by tree and column, weighted by rows."""
        self.refuse_if_compact("importances")
        importances: FloatArray = self.core.importances
        return importances

    def engine(self) -> str:
        """Return which of the core's growers grew the trees."""
        return self._engine

    def n_outputs(self) -> int:
        """Return the number of outputs that the trees predict together."""
        return 1

    def n_nodes(self) -> Int64Array:
        """Return the number of nodes of each tree."""
        n_nodes: Int64Array = self.core.n_nodes
        return n_nodes

    def nbytes(self) -> int:
        """Return the memory that the trees take."""
        return int(self.core.nbytes)

    def joined(self, more: PackedTrees) -> PackedTrees:
        """Return these trees and further ones."""
        for trees in (self, more):
            trees.refuse_if_compact("further trees")
        return self._with(self.core.joined(more.core))

    def compacted(self) -> PackedTrees:
        """Return trees of equal predictions: equal leaf values kept once, all else dropped."""
        return self._with(self.core.compacted())

    def refuse_if_compact(self, wanted: str) -> None:
        """Raise if the trees are compact; `wanted` needs more than questions and leaf values."""
        if self.core.is_compact:
            raise CompactError(
                f"a compacted forest has no {wanted}.\n"
                "  Hint: ask the forest that compact() was called on."
            )

    def first(self, n_trees: int) -> PackedTrees:
        """Return the first `n_trees` of these trees."""
        return self._with(self.core.first(n_trees))

    def n_leaves(self) -> Int64Array:
        """Return the number of leaves of each tree."""
        return (self.n_nodes() + 1) // 2  # every question has two branches

    def depths(self) -> Int64Array:
        """Return the number of questions on the longest path of each tree."""
        return core_depths(self.core)

    def questions(self, n_columns: int) -> Int64Array:
        """Return how many nodes of all trees ask each column."""
        return questions_by_column(self.core).astype(np.int64)

    def used_columns(self, n_columns: int) -> tuple[int, ...]:
        """Return the positions of the columns that trees use: those that they ask."""
        return tuple(np.flatnonzero(self.questions(n_columns)).tolist())
