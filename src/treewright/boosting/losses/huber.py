"""Huber's loss: squared for most rows, absolute for those far off (Friedman 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ValueLoss
from treewright.boosting.weighted_quantile import weighted_quantile


@dataclass(frozen=True, kw_only=True)
class Huber(ValueLoss):
    """Half the squared distance up to delta, a line beyond; starts at the median.

    Parameters
    ----------
    level
        The quantile of the distances that delta is (Friedman's alpha).
    """

    name: ClassVar[str] = "huber"
    is_by_row: ClassVar[bool] = False  # delta is a quantile of all distances
    has_constant_hessian: ClassVar[bool] = True
    takes_quantile: ClassVar[bool] = True
    level: float = 0.9

    @classmethod
    def for_parameters(cls, *, quantile: float | None, power: float) -> Huber:
        """Return the loss of a level."""
        return cls() if quantile is None else cls(level=quantile)

    @property
    def parameter(self) -> float:
        """The level."""
        return self.level

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the median."""
        return np.array([weighted_quantile(y, weight, 0.5)])

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row, delta being that of these rows."""
        distance = np.abs(scores[:, 0] - y)
        delta = weighted_quantile(distance, weight, self.level)
        inside = 0.5 * distance**2
        return np.asarray(np.where(distance <= delta, inside, delta * (distance - 0.5 * delta)))
