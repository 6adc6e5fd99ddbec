"""Log loss: minus the logarithm of the probability of a row's own class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, softmax

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import (
    ClassLoss,
    log_odds,
    log_of,
    mean_of,
    weight_of_classes,
)
from treewright.boosting.newton import newton


@dataclass(frozen=True, kw_only=True)
class LogLoss(ClassLoss):
    """Of two classes: the score is the log odds of the second."""

    name: ClassVar[str] = "log_loss"
    units_per_loss: ClassVar[float] = 2.0

    @classmethod
    def for_classes(cls, n_classes: int) -> ClassLoss:
        """Return the form for so many classes."""
        return Multinomial(n_classes=n_classes) if n_classes > 2 else cls()

    @property
    def link(self) -> str:
        """What a score means."""
        return "logistic"

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the log odds."""
        return np.array([log_odds(y, weight)])

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return the score that does best beside the offsets, by Newton's method."""

        def derivatives(start: FloatArray) -> tuple[FloatArray, FloatArray]:
            share = expit(start[0] + offset[:, 0])
            hessian = mean_of(share * (1.0 - share), weight)
            return np.array([mean_of(share - y, weight)]), np.array([[hessian]])

        return newton(
            self.start(y, weight) - mean_of(offset[:, 0], weight),
            derivatives,
            lambda start: mean_of(self.of_rows(start + offset, y, weight), weight),
        )

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        return np.asarray(np.logaddexp(0.0, score) - y * score)


@dataclass(frozen=True, kw_only=True)
class Multinomial(ClassLoss):
    """Of three or more classes: a score of each, their softmax the probabilities."""

    name: ClassVar[str] = "multinomial"
    n_classes: int

    @classmethod
    def for_classes(cls, n_classes: int) -> Multinomial:
        """Return the loss for so many classes."""
        return cls(n_classes=n_classes)

    @property
    def n_outputs(self) -> int:
        """Scores of a row: one of each class."""
        return self.n_classes

    @property
    def link(self) -> str:
        """What a score means."""
        return "softmax"

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the logarithms of the shares of the classes."""
        shares = weight_of_classes(y, weight, self.n_classes)
        return np.array([log_of(share / shares.sum()) for share in shares])

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return the scores that do best beside the offsets, by Newton's method."""
        shares = weight_of_classes(y, weight, self.n_classes)
        counts = np.full(len(y), 1.0 / len(y)) if weight is None else weight / weight.sum()

        def derivatives(start: FloatArray) -> tuple[FloatArray, FloatArray]:
            found = softmax(start + offset, axis=1)
            mean = counts @ found
            hessian = np.diag(mean) - (found * counts[:, np.newaxis]).T @ found
            # A constant more for all classes changes nothing; this keeps steps from wandering so.
            return mean - shares / shares.sum(), hessian + 1.0 / self.n_classes

        return newton(
            self.start(y, weight) - counts @ offset,
            derivatives,
            lambda start: mean_of(self.of_rows(start + offset, y, weight), weight),
        )

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        own = scores[np.arange(len(y)), y.astype(np.intp)]
        most = scores.max(axis=1)
        return np.asarray(np.log(np.exp(scores - most[:, np.newaxis]).sum(axis=1)) + most - own)
