"""Answers of a forest about rows that trees have left out, for intervals, sets and calibration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray
from treewright.data.read.target import ClassTarget
from treewright.estimators.certainty.keeps_rows import N_FOLDS, KeepsRows
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.estimators.certainty.unseen import GivenRows, Unseen, known_target
from treewright.forest.out_of_bag import out_of_bag
from treewright.forest.problem import ForestProblem
from treewright.tree.leaf import by_output


class AnswersOutOfBag(KeepsRows):
    """A forest that need not be grown anew to tell of rows that it has not seen."""

    _training: ForestProblem | None
    _training_data: Any
    _model: Any
    _draws_by_class: Any

    def _unseen(self, given: GivenRows, n_folds: int) -> Unseen:
        """Return the answers of trees that have not drawn a row, where rows are drawn.

        A row is left out by a third of the trees, whose probabilities are less even than those of
        all. Where sets of classes are asked for, which depend on that, more trees are grown for it,
        so that as many have left out a row as the forest has trees.
        """
        kept = given is self._fitted_to and self._training is not None
        again = () if kept else (given.X, given.y, given.sample_weight, given.groups)
        forest = self._training_data(*again)
        if forest.sampling is None:
            return super()._unseen(given, n_folds)
        ensemble, of_classes = self._model(), self._is_classifier()
        told = out_of_bag(forest, ensemble)
        if of_classes and n_folds >= N_FOLDS:
            share = max(float(told.n_trees.mean()) / len(ensemble), 0.1)
            n_more = math.ceil(len(ensemble) * (1.0 / share - 1.0))
            told = out_of_bag(forest, ensemble.joined(forest.grow(len(ensemble), n_more)))
        weight = given.weights()
        known = told.known if weight is None else told.known & (weight > 0)
        truth = known_target(self, given.y, of_classes=of_classes)
        if of_classes and self._draws_by_class() and not _is_like_all(known, truth[:, 0], weight):
            return super()._unseen(given, n_folds)
        rows = np.flatnonzero(known)
        answers = told.answers.reshape(len(known), -1)[rows]
        return Unseen(
            rows=rows,
            answers={None: by_output(answers, told.classes) if told.classes else [answers]},
            truth=truth[rows],
            weight=None if weight is None else weight[rows],
            source="out of bag" if given.groups is None else "out of bag, by group",
        )


def _is_like_all(known: BoolArray, codes: Array, weight: FloatArray | None) -> bool:
    """Return whether rows left out are nearly as many of each class as there are.

    A rare class that is drawn many times over is left out by no tree.
    """
    counted = np.ones(len(known)) if weight is None else (weight > 0) * 1.0
    there = np.bincount(codes, counted)
    shares = np.bincount(codes, known * counted, minlength=len(there))[there > 0] / there[there > 0]
    return bool(shares.min() >= 0.9 * shares.max())


class DrawnShares(PredictsSets):
    """A forest whose `sampling` may draw rare classes more often than they are there."""

    _training: ForestProblem | None
    _draws_by_class: Any

    def _changes_shares(self) -> bool:
        return super()._changes_shares() or self._draws_by_class()

    def _class_factor(self, target: ClassTarget, given: GivenRows) -> FloatArray:
        """Return the factors of `class_weight`, times how often a row of each class is drawn."""
        factor = super()._class_factor(target, given)
        if not self._draws_by_class():
            return factor
        assert self._training is not None
        assert self._training.draws is not None
        weight = given.weights()
        counts = None if weight is None else (weight > 0) * 1.0
        there = np.bincount(target.codes.reshape(-1), counts, minlength=len(factor))
        drawn: FloatArray = np.array(self._training.draws.n_draws) / np.maximum(there, 1.0)
        return factor * drawn
