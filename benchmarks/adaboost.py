"""AdaBoost side by side with scikit-learn's: time to fit, to predict, to answer one row; R2.

    python benchmarks/adaboost.py [--rounds 100] [--theirs 10] [--jobs 1]

The table is the bench's 100,000 x 20 decimals with two classes (or a number). `--theirs` rounds of
scikit-learn's are timed and scaled to as many as ours: its time is the same for every round.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import ensemble

import treewright as tw


def score(X: Any) -> Any:
    """The bench's function: interactions, thresholds and periodic parts."""
    s = 1.2 * X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.8
    s += np.where(X[:, 4] > 0.3, X[:, 5], -0.7 * X[:, 6])
    return s + 0.5 * X[:, 7] * (X[:, 8] > 0) - 0.4 * X[:, 9] ** 2 + 0.4


def timed(call: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    best, result = float("inf"), None
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--theirs", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--values", action="store_true", help="AdaBoost.R2 instead")
    given = parser.parse_args()
    random = np.random.default_rng(0)
    X = random.standard_normal((150_000, 20)).astype(np.float32)
    s = score(X)
    if given.values:
        y: Any = s + 0.5 * random.standard_normal(len(X))
        ours: Any = tw.AdaBoostRegressor(n_estimators=given.rounds, n_jobs=given.jobs)
        theirs: Any = ensemble.AdaBoostRegressor(n_estimators=given.theirs, random_state=0)
    else:
        y = (random.random(len(X)) < 1 / (1 + np.exp(-2 * s))).astype(int)
        ours = tw.AdaBoostClassifier(n_estimators=given.rounds, n_jobs=given.jobs)
        theirs = ensemble.AdaBoostClassifier(n_estimators=given.theirs, random_state=0)
    train, test = slice(0, 100_000), slice(100_000, None)
    seconds, _ = timed(lambda: ours.fit(X[train], y[train]))
    print(f"ours    fit {seconds:8.3f} s  test score {ours.score(X[test], y[test]):.4f}")
    if given.theirs:
        slow, _ = timed(lambda: theirs.fit(X[train], y[train]))
        scaled = slow * given.rounds / len(theirs.estimators_)
        print(f"theirs  fit {scaled:8.3f} s (scaled)  ratio {scaled / seconds:.1f}")
        batch, _ = timed(lambda: theirs.predict(X[test]))
        batch *= given.rounds / len(theirs.estimators_)
        print(f"theirs  50,000 rows {1e3 * batch:8.2f} ms (scaled)")
    batch, _ = timed(lambda: ours.predict(X[test]), 5)
    print(f"ours    50,000 rows {1e3 * batch:8.2f} ms")
    one = X[:1]
    answer, _ = timed(lambda: [ours.predict(one) for _ in range(200)], 5)
    print(f"ours    one row {1e6 * answer / 200:.1f} us")


if __name__ == "__main__":
    main()
