"""The pinball loss, which a quantile makes least (Koenker and Bassett 1978)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import ValueLoss
from treewright.boosting.weighted_quantile import weighted_quantile


@dataclass(frozen=True, kw_only=True)
class Quantile(ValueLoss):
    """The distance, weighed differently on either side; starts at the quantile.

    Parameters
    ----------
    level
        Which quantile is predicted.
    """

    name: ClassVar[str] = "quantile"
    has_constant_hessian: ClassVar[bool] = True
    has_curvature: ClassVar[bool] = False
    takes_quantile: ClassVar[bool] = True
    level: float = 0.5

    @classmethod
    def for_parameters(cls, *, quantile: float | None, power: float) -> Quantile:
        """Return the loss of a quantile."""
        return cls() if quantile is None else cls(level=quantile)

    @property
    def parameter(self) -> float:
        """The level."""
        return self.level

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the quantile."""
        return np.array([weighted_quantile(y, weight, self.level)])

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        return np.maximum((1.0 - self.level) * (score - y), self.level * (y - score))
