"""Answers about gradient boosting."""

from __future__ import annotations

from typing import Any

import numpy as np

import treewright as tw
from golden.lectures import Lecture, Query


def step(data: Lecture, query: Query) -> dict[str, Any]:
    """One round from the mean, with a stump and part of its answer."""
    X, y = data.records(data.attributes), np.array(data.y, dtype=np.float64)
    model = tw.GradientBoostingRegressor(
        n_estimators=1,
        learning_rate=query["step"],
        max_leaf_nodes=2,
        l2_regularization=0.0,
        max_features=1.0,
    ).fit(X, y)
    predictions = model.predict(X)
    return {
        "start": float(model.ensemble_.base[0]),
        "threshold": float(model.ensemble_[0].arrays.threshold[0]),
        "predictions": predictions.tolist(),
        "sse": float(np.sum((y - predictions) ** 2)),
    }


ANSWERS: dict[str, Any] = {"gradient_boost_step": step}
