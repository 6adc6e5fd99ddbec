"""Partial dependence of 20 columns: by one walk of the trees, and by scikit-learn's brute force.

Both average the same estimator's predictions over the same rows, at the same values; they take
turns, and the least processor time of each counts.

    OMP_NUM_THREADS=1 python benchmarks/partial_dependence.py [--rows 1000] [--rounds 100]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.inspection import partial_dependence

from treewright import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier

COLUMNS = list(range(20))
VALUES = 100
TURNS = 3


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def compared(name: str, model: Any, X: Any, y: Any, output: str = "prediction") -> None:
    model.fit(X, y)
    response = "decision_function" if output == "score" else "auto"

    def theirs() -> list[Any]:
        how = {"method": "brute", "grid_resolution": VALUES, "response_method": response}
        return [partial_dependence(model, X, [c], percentiles=(0, 1), **how) for c in COLUMNS]

    brute, expected = seconds(theirs)
    grid = {c: each["grid_values"][0].tolist() for c, each in zip(COLUMNS, expected, strict=True)}

    def ours() -> Any:
        return model.partial_dependence(X, COLUMNS, grid=grid, output=output, rows=0)

    walked, found = seconds(ours)
    for _ in range(TURNS):
        brute, walked = min(brute, seconds(theirs)[0]), min(walked, seconds(ours)[0])
    differ = max(
        np.abs(each["average"] - own.mean.T[-len(each["average"]) :]).max()
        for each, own in zip(expected, found, strict=True)
    )
    times = f"{brute:8.3f} s  {walked:8.4f} s  {brute / walked:4.0f}x"
    print(f"{name:40} {len(X):6,}  {times}  differ by {differ:.1e}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=100)
    given = options.parse_args()
    random = np.random.default_rng(0)
    X = random.normal(size=(given.rows, 20))
    score = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * X[:, 3:].sum(axis=1)
    score += random.normal(size=given.rows)
    two, three = score > 1, np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    rounds = {"n_estimators": given.rounds, "n_jobs": 1}
    compared("boosting, regression", GradientBoostingRegressor(**rounds), X, score)
    boosted = GradientBoostingClassifier(**rounds)
    compared("boosting, two classes, score", boosted, X, two, "score")
    compared("boosting, two classes, probability", boosted, X, two)
    compared("boosting, three classes, probability", boosted, X, three)
    forest = RandomForestClassifier(n_estimators=50, n_jobs=1, random_state=0)
    compared("forest of 50 full trees", forest, X, two)


if __name__ == "__main__":
    main()
