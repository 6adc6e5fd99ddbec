"""Conformal thresholds: how strange a row may be and still belong (Vovk et al. 2005).

The strangeness (score) of rows that the model had not seen is known. A new row, drawn as they were,
is as strange as any of them, so that its score is at most the k-th smallest of n with probability
k / (n + 1) at least: Lei et al., *Distribution-Free Predictive Inference for Regression*, JASA 113,
2018, theorem 2.2.
"""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array, FloatArray

_ROUNDING = 1e-12


def threshold(scores: FloatArray, weight: FloatArray | None, level: float) -> float:
    """Return the score that a new row does not exceed with this probability.

    Infinite where there are too few rows to know. Rows count by their weights, and the new row as
    one of mean weight.

    >>> threshold(np.arange(1.0, 10.0), None, 0.8), threshold(np.arange(1.0, 10.0), None, 0.95)
    (8.0, inf)
    """
    order = np.argsort(scores, kind="stable")
    if weight is None:
        reached = np.arange(1.0, len(scores) + 1.0)
        needed = level * (len(scores) + 1.0)
    else:
        reached = np.cumsum(weight[order])
        needed = level * reached[-1] * (1.0 + 1.0 / np.count_nonzero(weight))
    place = int(np.searchsorted(reached, needed * (1.0 - _ROUNDING)))
    return float(scores[order[place]]) if place < len(scores) else np.inf


def thresholds_by(
    labels: Array, scores: FloatArray, weight: FloatArray | None, level: float
) -> dict[object, float]:
    """Return the threshold of each label: every group is covered by itself (Vovk's Mondrian)."""
    found = {}
    for label in dict.fromkeys(labels.tolist()):
        own = labels == label
        found[label] = threshold(scores[own], None if weight is None else weight[own], level)
    return found
