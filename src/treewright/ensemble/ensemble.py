"""An ensemble: trees whose predictions are combined.

:class:`Ensemble` holds the trees of a forest in either of two forms: packed, where every question
is a cut of an ordered column (16 bytes a node, predicted by one compiled loop), or as a list of
:class:`~treewright.tree.tree.Tree`, which can ask questions of every kind. A user sees no
difference: both forms return single trees, add up predictions and find leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from treewright.array_types import Array, FloatArray, Int32Array, Int64Array
from treewright.dependence.additive import VOTES, Additive, additive_trees, divides
from treewright.ensemble.explanation import numbers_in_words, votes_in_words
from treewright.ensemble.tree_ensemble import TreeEnsemble
from treewright.ensemble.waiting_trees import WaitingTrees
from treewright.explain.importances import IMPURITY_SHARE, Importances
from treewright.explain.shap import Share, check_background, explain_trees
from treewright.explain.shap_values import ShapValues
from treewright.tree.arrays import LEAF, LINEAR
from treewright.tree.impurity import impurity_decrease
from treewright.tree.leaf import BY_MAJORITY, LeafRule, by_output
from treewright.tree.plan import added_up, leaves_of
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table


class Trees(Protocol):
    """The interface of the forms in which an ensemble can hold its trees."""

    answers_by_leaf: bool
    """Whether the answer about a row is always that of the one leaf that it reaches."""

    def __len__(self) -> int: ...
    def tree(self, index: int, like: Ensemble) -> Tree:
        """Return one tree on its own."""

    def add_answers(
        self, table: Table, first: int, last: int, vote: str, n_threads: int
    ) -> FloatArray:
        """Return the summed predictions (or votes) of the trees from `first` to before `last`."""

    def apply(self, table: Table, n_threads: int) -> Int32Array:
        """Return the leaf of each row in each tree."""

    def impurity_decrease(self) -> FloatArray:
        """Return the decrease of impurity by tree and column, weighted by rows."""

    def engine(self) -> str:
        """Return which of the core's growers grew the trees."""

    def n_outputs(self) -> int:
        """Return the number of outputs that the trees predict together."""

    def n_nodes(self) -> Int64Array:
        """Return the number of nodes of each tree."""

    def nbytes(self) -> int:
        """Return the memory that the trees take."""

    def joined(self, more: Any) -> Trees:
        """Return these trees and further ones of the same form."""

    def compacted(self) -> Trees:
        """Return trees of equal predictions that take less memory."""

    def first(self, n_trees: int) -> Trees:
        """Return the first `n_trees` of these trees."""

    def n_leaves(self) -> Int64Array:
        """Return the number of leaves of each tree."""

    def depths(self) -> Int64Array:
        """Return the number of questions on the longest path of each tree."""

    def questions(self, n_columns: int) -> Int64Array:
        """Return how many nodes of all trees ask each column, alone or in a linear combination."""

    def used_columns(self, n_columns: int) -> tuple[int, ...]:
        """Return the positions of the columns that trees use in any way."""


class ListedTrees:
    """Trees of any kind, as a list."""

    answers_by_leaf = False  # rows may be divided, and leaves may have linear models

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = trees if isinstance(trees, WaitingTrees) else tuple(trees)

    def __getstate__(self) -> dict[str, Any]:
        return {"_trees": tuple(self._trees)}

    def __len__(self) -> int:
        return len(self._trees)

    def tree(self, index: int, like: Ensemble) -> Tree:
        """Return one tree on its own."""
        return self._trees[index]

    def add_answers(
        self, table: Table, first: int, last: int, vote: str, n_threads: int
    ) -> FloatArray:
        """Return the summed predictions (or votes) of the trees from `first` to before `last`."""
        trees = self._trees[first:last]
        plans = [tree.plan_by(n_threads) for tree in trees]
        if vote != "hard":
            return added_up(plans, table, n_threads=n_threads)
        sums = votes(plans[0].answers(table, n_threads=n_threads), trees[0])
        for tree, plan in zip(trees[1:], plans[1:], strict=True):
            sums += votes(plan.answers(table, n_threads=n_threads), tree)
        return sums

    def apply(self, table: Table, n_threads: int) -> Int32Array:
        """Return the leaf of each row in each tree."""
        plans = [tree.plan_by(n_threads) for tree in self._trees]
        return leaves_of(plans, table, n_threads=n_threads)

    def impurity_decrease(self) -> FloatArray:
        """Return the decrease of impurity by tree and column, weighted by rows."""
        return np.array([impurity_decrease(tree) for tree in self._trees])

    def engine(self) -> str:
        """Return which of the core's growers grew the trees."""
        return self._trees[0].engine

    def n_outputs(self) -> int:
        """Return the number of outputs that the trees predict together."""
        return self._trees[0].n_outputs

    def n_nodes(self) -> Int64Array:
        """Return the number of nodes of each tree."""
        return np.array([tree.n_nodes for tree in self._trees], dtype=np.int64)

    def nbytes(self) -> int:
        """Return the memory that the trees take."""
        arrays = (array for tree in self._trees for array in tree.arrays.to_dict().values())
        return sum(np.asarray(array).nbytes for array in arrays)

    def joined(self, more: ListedTrees) -> ListedTrees:
        """Return these trees and further ones."""
        return ListedTrees((*self._trees, *more._trees))

    def compacted(self) -> ListedTrees:
        """Return the trees unchanged: their questions need all of their arrays."""
        return self

    def first(self, n_trees: int) -> ListedTrees:
        """Return the first `n_trees` of these trees."""
        return ListedTrees(self._trees[:n_trees])

    def n_leaves(self) -> Int64Array:
        """Return the number of leaves of each tree."""
        return np.array([tree.n_leaves for tree in self._trees], dtype=np.int64)

    def depths(self) -> Int64Array:
        """Return the number of questions on the longest path of each tree."""
        return np.array([tree.depth for tree in self._trees], dtype=np.int64)

    def questions(self, n_columns: int) -> Int64Array:
        """Return how many nodes of all trees ask each column, alone or in a linear combination."""
        total = np.zeros(n_columns, dtype=np.int64)
        for tree in self._trees:
            arrays = tree.arrays
            asks_one = (arrays.kind != LEAF) & (arrays.kind != LINEAR)
            total += np.bincount(arrays.column[asks_one], minlength=n_columns)
            total += np.bincount(arrays.term_column, minlength=n_columns)
        return total

    def used_columns(self, n_columns: int) -> tuple[int, ...]:
        """Return the positions of the columns that trees use in any way."""
        return tuple(sorted({column for tree in self._trees for column in tree.used_columns}))


class Ensemble(TreeEnsemble):
    """Trees whose predictions are averaged, or counted as votes.

    Parameters
    ----------
    trees
        The trees, in either form.
    schema, classes, criterion, unseen
        Shared by all trees; as for :class:`~treewright.tree.tree.Tree`.
    vote
        ``"soft"`` averages the class probabilities (or predicted numbers), ``"hard"`` counts the
        votes of the trees for each class.
    leaf
        How the combined probabilities or votes become a class.
    """

    def __init__(
        self,
        *,
        trees: Trees,
        schema: FittedSchema,
        classes: tuple[Array, ...] | None,
        criterion: str,
        unseen: str = "missing",
        vote: str = "soft",
        leaf: LeafRule = BY_MAJORITY,
    ) -> None:
        self.trees = trees
        self.schema = schema
        self.classes = classes
        self.criterion = criterion
        self.unseen = unseen
        self.vote = vote
        self.leaf = leaf

    def __len__(self) -> int:
        return len(self.trees)

    def _tree(self, index: int) -> Tree:
        return self.trees.tree(index, self)

    def __repr__(self) -> str:
        n_nodes = int(self.trees.n_nodes().sum())
        return f"Ensemble(n_trees={len(self)}, n_nodes={n_nodes}, vote={self.vote!r})"

    @property
    def n_outputs(self) -> int:
        """Number of targets predicted together."""
        if self.classes is not None:
            return len(self.classes)
        return self.trees.n_outputs()

    @property
    def engine(self) -> str:
        """Name of the core's grower that grew the trees (``grow/engines.hpp`` has the table)."""
        return self.trees.engine()

    @property
    def nbytes(self) -> int:
        """Memory that the trees take, in bytes."""
        return self.trees.nbytes()

    def compacted(self) -> Ensemble:
        """Return an ensemble of the same predictions, bit for bit, that takes less memory.

        Packed trees store equal leaf values once and drop everything that prediction does not need;
        methods that need the rest (a single tree, importances) raise a ``CompactError``. Trees that
        ask about categories, or in which a row may follow several branches, are returned unchanged.
        """
        return self._with(self.trees.compacted())

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return class probabilities (outputs side by side) or predicted numbers, row by row."""
        sums = self.trees.add_answers(table, 0, len(self), self.vote, n_threads)
        sums /= len(self)
        return sums

    def apply(self, table: Table, *, n_threads: int = 1) -> Int32Array:
        """Return the leaf of each row in each tree, as the number of a node of that tree."""
        return self.trees.apply(table, n_threads)

    def explained(
        self,
        table: Table,
        *,
        background: Table | None = None,
        interactions: bool = False,
        n_threads: int = 1,
    ) -> ShapValues:
        """Return the SHAP values of what :meth:`answers` returns.

        Parameters
        ----------
        table, background, interactions, n_threads
            As for ``treewright.explain.shap.explain_trees``.
        """
        check_background(background)
        shares = list(self._shares())
        base = None
        if background is not None:
            base = self.answers(background, n_threads=n_threads).mean(axis=0)
        counts_leaves = any(share.tree.combine == "leaf_counts" for share in shares)
        return explain_trees(
            shares,
            table,
            classes=self.classes,
            base=base,
            background=background,
            interactions=interactions,
            n_threads=n_threads,
            scale=self._scale(),
            when_divided=self._when_divided(counts_leaves),
        )

    def added_up(self) -> Additive | str:
        """Return the ensemble as a sum of trees; or why it is none."""
        found = additive_trees(self._shares(), self.schema)
        is_vote = self.vote not in ("soft", "median") and any(divides(tree) for tree in self)
        return (
            replace(found, unless_divided=VOTES)
            if is_vote and isinstance(found, Additive)
            else found
        )

    def _scale(self) -> str:
        if self.classes is None:
            return "prediction"
        return "probability" if self.vote == "soft" else "share of the votes"

    def _when_divided(self, counts_leaves: bool) -> str | None:
        """Return why the values of a divided row would not add up; None where they do."""
        if self.vote != "soft":
            return "its trees vote for the class of all branches together: no sum of columns"
        if counts_leaves:
            return (
                "combine='leaf_counts' divides by the weight of the leaves reached: no sum of"
                " columns"
            )
        return None

    def _shares(self) -> Iterator[Share]:
        """Yield the trees with what their nodes add to the answers."""
        factor = 1.0 / len(self)
        for tree in self:
            answers = tree.answers if self.vote == "soft" else votes(tree.answers, tree)
            yield Share(tree=tree, answers=factor * answers, factor=factor)

    def _explained_row(self, table: Table) -> ShapValues:
        return self.explained(table)

    @property
    def used_columns(self) -> tuple[int, ...]:
        """Positions of the columns used by questions, surrogates or linear models in leaves."""
        return self.trees.used_columns(len(self.schema.names))

    def said(self, table: Table) -> Array:
        """Return the class or the number that each tree predicts for one row, trees x outputs."""
        vote = "soft" if self.classes is None else "hard"
        answers = np.concatenate(
            [self.trees.add_answers(table, tree, tree + 1, vote, 1) for tree in range(len(self))]
        )
        if self.classes is None:
            return answers
        said = np.empty((len(self), len(self.classes)), dtype=object)
        for output, part in enumerate(by_output(answers, self.classes)):
            said[:, output] = self.classes[output][part.argmax(axis=1)].tolist()
        return said

    def _votes_in_words(self, said: Array, chosen: list[int] | None) -> str:
        return numbers_in_words(said) if self.classes is None else votes_in_words(said)

    def importances(self) -> Importances:
        """Return the impurity importances: each column's share of the decrease, tree by tree."""
        by_tree = self.trees.impurity_decrease()
        totals = by_tree.sum(axis=1)
        grown = totals > 0  # a tree of one leaf decreases no impurity
        shares = by_tree[grown] / totals[grown, np.newaxis]
        names = tuple(self.schema.names)
        return Importances(kind="impurity", measure=IMPURITY_SHARE, names=names, by_tree=shares)

    def column_shares(self) -> FloatArray:
        """Return each column's share of the decrease of impurity, averaged over the trees."""
        by_tree = self.trees.impurity_decrease()
        totals = by_tree.sum(axis=1)
        grown = totals > 0  # a tree of one leaf decreases no impurity
        if not grown.any():
            return np.zeros(by_tree.shape[1])
        mean: FloatArray = (by_tree[grown] / totals[grown, np.newaxis]).mean(axis=0)
        shares: FloatArray = mean / mean.sum()
        return shares

    def first(self, n_trees: int) -> Ensemble:
        """Return an ensemble of the first `n_trees` of these trees."""
        return self._with(self.trees.first(n_trees))

    def deciding(self, leaf: LeafRule) -> Ensemble:
        """Return an ensemble of the same trees that decides by another rule."""
        if leaf.equals(self.leaf):
            return self
        other = self._with(self.trees)
        other.leaf = leaf
        return other

    def joined(self, more: Ensemble) -> Ensemble:
        """Return an ensemble of these trees and those of another."""
        if type(self.trees) is type(more.trees):
            trees = self.trees.joined(more.trees)
        else:  # one ensemble is packed, the other is not
            trees = ListedTrees((*self, *more))
        return self._with(trees)

    def _with(self, trees: Trees) -> Ensemble:
        return Ensemble(
            trees=trees,
            schema=self.schema,
            classes=self.classes,
            criterion=self.criterion,
            unseen=self.unseen,
            vote=self.vote,
            leaf=self.leaf,
        )


def votes(answers: FloatArray, tree: Tree) -> FloatArray:
    """Return the votes of a tree: 1 for the class it predicts in each output, 0 for the others."""
    assert tree.classes is not None
    parts = []
    for part in by_output(answers, tree.classes):
        voted = np.zeros_like(part)
        voted[np.arange(len(part)), tree.leaf.choose(part)] = 1.0
        parts.append(voted)
    return np.hstack(parts)
