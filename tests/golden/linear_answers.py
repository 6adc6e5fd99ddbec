"""Answers about linear learners, which are scikit-learn's: SGD is one call, GD sums its steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import SGDRegressor

from golden.lectures import Lecture, Query


def _learner(query: Query, weights: Any) -> SGDRegressor:
    """The LMS rule: squared loss, a constant rate, neither penalty nor intercept."""
    model = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=query["rate"], fit_intercept=False
    )
    model.partial_fit([np.zeros(len(weights))], [0.0])  # a row of zeros changes no weight
    model.coef_ = np.array(weights, dtype=np.float64)
    return model


def sgd(data: Lecture | None, query: Query) -> list[list[float]]:
    examples = query["examples"]
    model = _learner(query, np.zeros(len(examples[0][0])))
    steps = []
    for x, t in examples:
        model.partial_fit([x], [t])
        steps.append(model.coef_.tolist())
    return steps


def gd(data: Lecture | None, query: Query) -> list[float]:
    """One batch step: what every example alone would change, from the same weights, added up."""
    examples = query["examples"]
    start = np.zeros(len(examples[0][0]))
    changes = [_learner(query, start).partial_fit([x], [t]).coef_ - start for x, t in examples]
    whole: list[float] = (start + np.sum(changes, axis=0)).tolist()
    return whole


ANSWERS = {"sgd": sgd, "gd": gd}
