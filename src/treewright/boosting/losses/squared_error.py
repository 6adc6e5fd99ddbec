"""Squared error: half the squared distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ValueLoss, mean_of


@dataclass(frozen=True, kw_only=True)
class SquaredError(ValueLoss):
    """Half the squared distance; starts at the mean."""

    name: ClassVar[str] = "squared_error"
    has_constant_hessian: ClassVar[bool] = True
    units_per_loss: ClassVar[float] = 2.0

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the mean."""
        return np.array([mean_of(y, weight)])

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        return 0.5 * (scores[:, 0] - y) ** 2
