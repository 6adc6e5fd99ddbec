"""How fast `TreeFeatures` is beside scikit-learn's trees, on 100,000 rows of 200 decimals.

    python benchmarks/tree_features.py [--trees 100] [--theirs 4] [--rows 100000] [--repeats 2]

A hundred trees (stumps, and of depth 4), each on a random half of the columns, are fitted and then
asked about the same rows; two threads on both sides. scikit-learn's take minutes: a few of them
are timed and the time is scaled to a hundred, which favours none, as they are fitted one by one.
Seconds are the least of several repeats, taken in turns; processor seconds stand beside them.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw

N_THREADS = 2


def made_table(n_rows: int, dtype: Any) -> tuple[Any, Any, Any]:
    """Return decimals, two classes and a number that ten of the columns tell something about."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 200)).astype(dtype)
    number = X[:, :10].sum(axis=1) + 2 * random.normal(size=n_rows)
    return X, (number > 0).astype(int), number.astype(np.float64)


def ours(X: Any, y: Any, depth: int, n_trees: int, task: str) -> None:
    """Fit and ask trees of ours."""
    features = tw.TreeFeatures(n_trees, max_depth=depth, n_jobs=N_THREADS, task=task)
    features.fit(X, y).transform(X)


def theirs(X: Any, y: Any, depth: int, n_trees: int, task: str) -> None:
    """Fit and ask trees of scikit-learn, each on the columns drawn for it."""
    bags, tree = BaggingClassifier, DecisionTreeClassifier(max_depth=depth)
    if task == "numbers":
        bags, tree = BaggingRegressor, DecisionTreeRegressor(max_depth=depth)
    half = {"max_features": 0.5, "bootstrap": False, "random_state": 0}
    with joblib.parallel_config("threading"):  # processes would copy the table
        model = bags(tree, n_estimators=n_trees, n_jobs=N_THREADS, **half).fit(X, y)
        members = zip(model.estimators_, model.estimators_features_, strict=True)
        joblib.Parallel(N_THREADS)(
            joblib.delayed(lambda each, own: each.predict(X[:, own]))(*member) for member in members
        )


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Return seconds by the clock, and of the processor."""
    begin, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begin, time.process_time() - used


def main() -> None:
    """Print seconds, and how many times as long scikit-learn takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--theirs", type=int, default=4)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=2)
    given = parser.parse_args()
    print(f"{'':28} {'ours':>14} {'scikit-learn':>16}  times   (seconds, and of the processor)")
    for dtype in (np.float64, np.float32):
        X, classes, number = made_table(given.rows, dtype)
        for task, y in (("classes", classes), ("numbers", number)):
            for depth in (1, 4):
                found = []
                for _ in range(given.repeats):
                    for side, n in ((ours, given.trees), (theirs, given.theirs)):
                        seconds = timed(partial(side, X, y, depth, n, task))
                        found.append([each * given.trees / n for each in seconds])
                mine, other = np.min(found[::2], axis=0), np.min(found[1::2], axis=0)
                name = f"{np.dtype(dtype).name} {task} depth {depth}"
                print(
                    f"{name:28} {mine[0]:6.1f} ({mine[1]:5.1f}) {other[0]:7.0f} ({other[1]:6.0f})"
                    f"  {other[0] / mine[0]:.1f} ({other[1] / mine[1]:.1f})",
                    flush=True,
                )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"most memory of the process: {most:.2f} GB, of which the table {X.nbytes / 1e9:.2f}")


if __name__ == "__main__":
    main()
