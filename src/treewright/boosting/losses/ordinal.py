"""Cumulative logits: minus the logarithm of the probability of a row's class among ordered ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from scipy.special import log_expit

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ClassLoss, log_of, mean_of, weight_of_classes


@dataclass(frozen=True, kw_only=True, eq=False)
class Ordinal(ClassLoss):
    """Of ordered classes: one score, and thresholds between the classes that it is compared with.

    The probability of class k or a lower one is 1 / (1 + exp(score - threshold k)): the score
    moves the odds of all thresholds alike (proportional odds, McCullagh 1980; as a loss of
    boosting and of other learners Rennie and Srebro 2005, Pedregosa, Bach and Gramfort 2017). The
    thresholds are learned with the trees, by a Newton step after each round.

    Parameters
    ----------
    n_classes
        Number of classes.
    thresholds
        Where the classes part, ascending; what rows are judged by.
    """

    name: ClassVar[str] = "ordinal"
    needs_order: ClassVar[bool] = True
    n_classes: int
    thresholds: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def for_classes(cls, n_classes: int) -> Ordinal:
        """Return the loss for so many classes."""
        return cls(n_classes=n_classes)

    @property
    def link(self) -> str:
        """What a score means."""
        return "ordinal"

    @property
    def parameter(self) -> float:
        """The number of classes."""
        return float(self.n_classes)

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return 0: the thresholds say the shares of the classes."""
        return np.zeros(1)

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return what takes the mean of the offsets away; the thresholds do the rest."""
        return np.array([-mean_of(offset[:, 0], weight)])

    def first_thresholds(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the log odds of the shares of the classes up to each but the last."""
        weights = weight_of_classes(y, weight, self.n_classes).astype(np.float64)
        shares = np.maximum(weights / weights.sum(), np.exp(log_of(0.0)))
        below, above = np.cumsum(shares)[:-1], np.cumsum(shares[::-1])[::-1][1:]
        return np.asarray(np.log(below) - np.log(above))

    def with_thresholds(self, thresholds: FloatArray) -> Ordinal:
        """Return the loss of rows beside these thresholds."""
        return replace(self, thresholds=thresholds)

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        bounds = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        own, score = y.astype(np.intp), scores[:, 0]
        # The difference of two logistic functions, without the cancellation.
        between = np.log(-np.expm1(-np.diff(bounds)))[own]
        return np.asarray(
            -log_expit(bounds[own + 1] - score) - log_expit(score - bounds[own]) - between
        )
