"""The ensemble that AdaBoost makes: trees with a vote weight each.

Trees for classes vote, and the class with the largest weight wins (Freund and Schapire 1997);
regression trees predict their weighted median (Drucker 1997).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.adaboost.stump_trees import StumpTrees
from treewright.core import weighted_medians
from treewright.dependence.additive import Additive
from treewright.ensemble.ensemble import Ensemble, Trees, votes
from treewright.ensemble.explanation import votes_in_words
from treewright.errors import ModelFormatError, UnsupportedError
from treewright.explain.importances import IMPURITY_SHARE, Importances, one_line
from treewright.explain.shap import Share, explain_tree
from treewright.interrupts import row_blocks

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.data.table import Table
    from treewright.explain.shap_values import ShapValues

_GRID_BITS = 51


def on_grid(weights: FloatArray) -> FloatArray:
    """Round weights to multiples of a power of two, so that sums of any of them are exact.

    Then the result depends neither on the order of addition nor on how votes are grouped, and the
    last staged prediction equals ``predict``. The rounding is 2^-52 of the sum of all weights.

    >>> float(np.abs(on_grid(np.array([0.1, 2.0])) - [0.1, 2.0]).max()) < 1e-15
    True
    """
    _, exponent = np.frexp(weights.sum())
    rounded: FloatArray = np.ldexp(np.rint(np.ldexp(weights, _GRID_BITS - exponent)), exponent)
    return np.ldexp(rounded, -_GRID_BITS)


def medians(predictions: FloatArray, weights: FloatArray, n_threads: int = 1) -> FloatArray:
    """Return the weighted median of each row of predictions, rows x models, as a column.

    It is the smallest prediction such that it and those below it have half of the weight.

    >>> medians(np.array([[1.0, 5.0, 3.0]]), np.array([0.5, 2.0, 1.0])).tolist()
    [[5.0]]
    """
    return weighted_medians(predictions, weights, n_threads)[:, np.newaxis]


class WeightedEnsemble(Ensemble):
    """Trees with vote weights.

    Parameters
    ----------
    weights
        The vote weight of each tree, in the order of the trees; above 0.
    **common
        As for :class:`~treewright.ensemble.ensemble.Ensemble`, without `vote`.
    """

    def __init__(self, *, weights: FloatArray, **common: Any) -> None:
        vote = "median" if common["classes"] is None else "weighted"
        super().__init__(**common, vote=vote)
        self.weights = weights
        self._on_grid = on_grid(weights)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        trees, weights = kept.get("trees"), np.asarray(kept.get("weights"))
        is_whole = (
            trees is not None
            and weights.dtype == np.float64
            and weights.shape == (len(trees),)
            and bool(np.isfinite(weights).all() and (weights > 0.0).all())
            and (kept.get("classes") is None) == (kept.get("vote") == "median")
        )
        if not is_whole:
            raise ModelFormatError("a boosted model is damaged: what its trees count.")
        self.__dict__.update(kept)
        self._on_grid = on_grid(weights)

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return each class's share of the votes, or the predicted numbers, a line per row."""
        weights = self._on_grid
        if self.classes is None:
            return medians(self._predictions(table, n_threads), weights, n_threads)
        votes = self._votes(table, weights, 0, len(self), n_threads)
        votes /= weights.sum()
        return votes

    def staged_answers(self, table: Table, *, n_threads: int = 1) -> Iterator[FloatArray]:
        """Yield the predictions of the first tree, the first two, and so on."""
        weights = self._on_grid
        if self.classes is None:
            predictions = self._predictions(table, n_threads)
            for n_trees in range(1, len(self) + 1):
                first = np.ascontiguousarray(predictions[:, :n_trees])
                yield medians(first, weights[:n_trees], n_threads)
            return
        votes: FloatArray | None = None
        for tree in range(len(self)):
            more = self._votes(table, weights, tree, tree + 1, n_threads)
            votes = more if votes is None else votes + more
            yield votes / weights[: tree + 1].sum()

    def _votes(
        self, table: Table, weights: FloatArray, first: int, last: int, n_threads: int
    ) -> FloatArray:
        if isinstance(self.trees, StumpTrees):
            return self.trees.add_votes(table, weights, first, last, n_threads)
        sums: FloatArray | None = None
        for tree in range(first, last):
            votes = self.trees.add_answers(table, tree, tree + 1, "hard", n_threads)
            votes *= weights[tree]
            sums = votes if sums is None else np.add(sums, votes, out=sums)
        assert sums is not None
        return sums

    def _predictions(self, table: Table, n_threads: int) -> FloatArray:
        """Return the prediction of each tree, rows x trees."""
        predictions = np.empty((table.n_rows, len(self)))
        for tree in range(len(self)):
            answers = self.trees.add_answers(table, tree, tree + 1, "soft", n_threads)
            for block in row_blocks(table.n_rows):
                predictions[block, tree] = answers[block, 0]
        return predictions

    def _explained_row(self, table: Table) -> ShapValues:
        """Return SHAP values of one row; of numbers those of the tree that predicts the median."""
        if self.classes is not None:
            return super()._explained_row(table)
        said = self.said(table)[:, 0]
        return explain_tree(self[int(np.argmax(said == self.answers(table)[0, 0]))], table)

    def _votes_in_words(self, said: Array, chosen: list[int] | None) -> str:
        if self.classes is None:
            return super()._votes_in_words(said, chosen)
        return votes_in_words(said, self.weights)

    def _shares(self) -> Iterator[Share]:
        if self.classes is None:
            raise UnsupportedError(
                "shap_values: AdaBoost.R2 predicts the weighted median of its trees, which is no"
                " sum of what columns add.\n  Hint: estimators_[i].shap_values explains one tree;"
                " or GradientBoostingRegressor, or RandomForestRegressor."
            )
        factors = self._on_grid / self._on_grid.sum()
        for tree, factor in zip(self, factors.tolist(), strict=True):
            yield Share(tree=tree, answers=factor * votes(tree.answers, tree), factor=factor)

    def added_up(self) -> Additive | str:
        """Return the votes as a sum of trees; or why there is none."""
        if self.classes is None:
            return "the prediction is the weighted median of the trees"
        return super().added_up()

    def importances(self) -> Importances:
        """Return each column's share of the impurity decrease, trees weighted by their votes."""
        return one_line("impurity", IMPURITY_SHARE, self.schema.names, self.column_shares())

    def column_shares(self) -> FloatArray:
        """Return each column's share of the impurity decrease, trees weighted by their votes."""
        by_tree = self.trees.impurity_decrease()
        totals = by_tree.sum(axis=1)
        grown = totals > 0  # a tree of one leaf decreases no impurity
        if not grown.any():
            return np.zeros(by_tree.shape[1])
        shares = by_tree[grown] / totals[grown, np.newaxis]
        mean: FloatArray = self.weights[grown] @ shares
        share: FloatArray = mean / mean.sum()
        return share

    def first(self, n_trees: int) -> WeightedEnsemble:
        """Return an ensemble of the first `n_trees` of these trees."""
        return self._weighted(self.trees.first(n_trees), self.weights[:n_trees])

    def compacted(self) -> WeightedEnsemble:
        """Return an ensemble of equal predictions that takes less memory; see :class:`Ensemble`."""
        return self._weighted(self.trees.compacted(), self.weights)

    def joined(self, more: Ensemble) -> WeightedEnsemble:
        """Return an ensemble of these trees and those of another."""
        assert isinstance(more, WeightedEnsemble)
        weights = np.concatenate([self.weights, more.weights])
        return self._weighted(super().joined(more).trees, weights)

    def _with(self, trees: Trees) -> Ensemble:
        return self._weighted(trees, self.weights)

    def _weighted(self, trees: Trees, weights: FloatArray) -> WeightedEnsemble:
        return WeightedEnsemble(
            weights=weights,
            trees=trees,
            schema=self.schema,
            classes=self.classes,
            criterion=self.criterion,
            unseen=self.unseen,
            leaf=self.leaf,
        )
