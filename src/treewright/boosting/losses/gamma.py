"""Gamma deviance, for values above 0 whose spread grows with their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import LogLinkLoss, least_counted
from treewright.errors import TargetError


@dataclass(frozen=True, kw_only=True)
class Gamma(LogLinkLoss):
    """Half the gamma deviance, but for what depends on the target alone."""

    name: ClassVar[str] = "gamma"

    @property
    def variance_power(self) -> float:
        """The power of the mean that the variance is proportional to."""
        return 2.0

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        return np.asarray(score + y * np.exp(-score))

    def check_target(self, y: FloatArray, weight: FloatArray | None, *, shift: int = 0) -> None:
        """Refuse values that are not above 0."""
        low = least_counted(y, weight, shift=shift)
        if low <= 0.0:
            raise TargetError(f"loss='gamma' needs values above 0; y has {low:g}.")
