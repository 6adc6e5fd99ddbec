"""Links: what the scores of boosted trees mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from treewright.array_types import FloatArray

LINKS = ("identity", "log", "logistic", "half_logistic", "softmax", "ordinal")
"""What a score is: the prediction itself, its logarithm, log odds (halved, or one per class), or a
place among thresholds that part ordered classes."""


def answers_of(scores: FloatArray, link: str) -> FloatArray:
    """Return predicted numbers or class probabilities from scores, rows x outputs.

    >>> answers_of(np.array([[0.0]]), "logistic").tolist()
    [[0.5, 0.5]]
    """
    if link == "identity":
        return scores
    if link == "log":
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(scores))
    if link == "softmax":
        return np.asarray(softmax(scores, axis=1))
    answers = np.empty((len(scores), 2))
    second = answers[:, 1]
    expit(2.0 * scores[:, 0] if link == "half_logistic" else scores[:, 0], out=second)
    np.subtract(1.0, second, out=answers[:, 0])
    return answers


def shares_between(scores: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return the probabilities of ordered classes, which thresholds part, from scores.

    >>> shares_between(np.array([[0.0]]), np.array([0.0, 100.0])).round(2).tolist()
    [[0.5, 0.5, 0.0]]
    """
    shares = np.empty((len(scores), len(thresholds) + 1))
    below: FloatArray = np.zeros(len(scores))
    for place, threshold in enumerate(thresholds.tolist()):
        up_to = expit(threshold - scores[:, 0])
        np.subtract(up_to, below, out=shares[:, place])
        below = up_to
    np.subtract(1.0, below, out=shares[:, -1])
    return shares


def are_thresholds(given: Any, link: Any, n_rounds: int, n_classes: int) -> bool:
    """Return whether thresholds of a state are those of a link: of every round, ascending."""
    if link != "ordinal":
        return given is None
    thresholds = np.asarray(given)
    if thresholds.dtype != np.float64 or thresholds.shape != (n_rounds + 1, n_classes - 1):
        return False
    return bool(np.isfinite(thresholds).all() and (np.diff(thresholds, axis=1) > 0).all())
