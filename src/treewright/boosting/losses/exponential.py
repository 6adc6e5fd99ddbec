"""The exponential loss, which AdaBoost makes small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ClassLoss, log_odds, log_of, log_of_sum
from treewright.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Exponential(ClassLoss):
    """Of two classes: the score is half the log odds of the second."""

    name: ClassVar[str] = "exponential"

    @classmethod
    def for_classes(cls, n_classes: int) -> Exponential:
        """Return the loss; more than two classes are refused."""
        if n_classes > 2:
            raise ParameterError(
                f"loss='exponential' tells two classes apart, and y has {n_classes}.\n"
                "  Hint: loss='log_loss'."
            )
        return cls()

    @property
    def link(self) -> str:
        """What a score means."""
        return "half_logistic"

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return half the log odds."""
        return np.array([log_odds(y, weight) / 2])

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return where both classes have the same share of the loss beside the offsets."""
        counts = np.ones(len(y)) if weight is None else weight
        of_second = log_of_sum(np.where(y > 0.5, counts, 0.0), -offset[:, 0])
        of_first = log_of_sum(np.where(y > 0.5, 0.0, counts), offset[:, 0])
        unlikely = log_of(0.0)
        return np.array([(max(of_second, unlikely) - max(of_first, unlikely)) / 2])

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        return np.asarray(np.exp(np.where(y > 0.5, -score, score)))
