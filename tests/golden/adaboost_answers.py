"""Answers about AdaBoost, with stumps of least weighted error as the lectures have them.

The lectures number classes -1 and 1, so that their alpha is half of ours.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import treewright as tw
from golden.lectures import Lecture, Query


def _boosted(data: Lecture, query: Query) -> tuple[tw.AdaBoostClassifier, Any]:
    X = data.records(data.attributes)
    stump = tw.DecisionTreeClassifier(max_depth=1, criterion="misclassification")
    return tw.AdaBoostClassifier(stump, n_estimators=query["rounds"]).fit(X, data.y), X


def rounds(data: Lecture, query: Query) -> list[dict[str, Any]]:
    boosted, X = _boosted(data, query)
    weights = islice(boosted.staged_weights(X, data.y), 1, None)
    return [
        {
            "stump": {
                "threshold": float(tree.arrays.threshold[0]),
                "below": tree.label(1),
                "at_or_above": tree.label(2),
            },
            "error": told.error,
            "alpha": told.alpha / 2,
            "weights": after.tolist(),
        }
        for tree, told, after in zip(boosted.ensemble_, boosted.rounds_, weights, strict=True)
    ]


def scores(data: Lecture, query: Query) -> list[float]:
    boosted, X = _boosted(data, query)
    # The first declared class, "+", counts 1; decision_function is twice the mean of -1 and 1.
    total = boosted.estimator_weights_.sum() / 2
    sign = 1 if boosted.classes_[1] == data.classes[0] else -1
    return [float(sign * score * total / 2) for score in boosted.decision_function(X)]


ANSWERS: dict[str, Any] = {"adaboost": rounds, "adaboost_scores": scores}
