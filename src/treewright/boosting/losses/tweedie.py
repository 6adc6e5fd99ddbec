"""Tweedie deviance, for values that are often 0 and else spread like gamma's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import LogLinkLoss


@dataclass(frozen=True, kw_only=True)
class Tweedie(LogLinkLoss):
    """Half the Tweedie deviance, but for what depends on the target alone.

    Parameters
    ----------
    power
        Of the mean, which the variance is proportional to; between 1 and 2.
    """

    name: ClassVar[str] = "tweedie"
    power: float = 1.5

    @classmethod
    def for_parameters(cls, *, quantile: float | None, power: float) -> Tweedie:
        """Return the loss of a power."""
        return cls(power=power)

    @property
    def variance_power(self) -> float:
        """The power of the mean that the variance is proportional to."""
        return self.power

    @property
    def parameter(self) -> float:
        """The power."""
        return self.power

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row."""
        score = scores[:, 0]
        rest, one = 2.0 - self.power, 1.0 - self.power
        return np.asarray(np.exp(rest * score) / rest - y * np.exp(one * score) / one)
