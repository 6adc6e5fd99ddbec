"""Poisson deviance, for counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import LogLinkLoss


@dataclass(frozen=True, kw_only=True)
class Poisson(LogLinkLoss):
    """Half the Poisson deviance, but for what depends on the target alone."""

    name: ClassVar[str] = "poisson"

    @property
    def variance_power(self) -> float:
        """The power of the mean that the variance is proportional to."""
        return 1.0

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        return np.asarray(np.exp(score) - y * score)
