"""The quantile of weighted values: where some losses start, and where Huber's turns."""

from __future__ import annotations

import math

import numpy as np

from treewright.array_types import FloatArray


def weighted_quantile(values: FloatArray, weight: FloatArray | None, level: float) -> float:
    """Return the least value with this share of the weight up to it, midway where it is exactly so.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 4.0]), None, 0.5)
    2.5
    """
    if weight is None:  # no need to sort a million values
        share = level * len(values)
        at = max(math.ceil(share) - 1, 0)
        after = min(at + 1, len(values) - 1)
        nearest = np.partition(values, (at, after))
        return float((nearest[at] + nearest[after]) / 2 if at + 1 == share else nearest[at])
    order = np.argsort(values, kind="stable")
    shares = weight[order]
    below = np.cumsum(shares)
    counted = values[order][shares > 0]
    below = below[shares > 0]
    at = int(np.searchsorted(below, level * below[-1]))
    if below[at] == level * below[-1] and at + 1 < len(counted):
        return float((counted[at] + counted[at + 1]) / 2)
    return float(counted[at])
