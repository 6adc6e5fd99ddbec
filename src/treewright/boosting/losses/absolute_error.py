"""Absolute error: the distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ValueLoss
from treewright.boosting.weighted_quantile import weighted_quantile


@dataclass(frozen=True, kw_only=True)
class AbsoluteError(ValueLoss):
    """The distance; starts at the median."""

    name: ClassVar[str] = "absolute_error"
    has_constant_hessian: ClassVar[bool] = True
    has_curvature: ClassVar[bool] = False

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the median."""
        return np.array([weighted_quantile(y, weight, 0.5)])

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        return np.abs(scores[:, 0] - y)
