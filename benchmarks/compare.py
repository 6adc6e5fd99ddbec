"""Side by side with other libraries: fit and predict times, ratios to treewright's.

    make bench                       peers that are installed in the project's environment
    python benchmarks/compare.py --rows 100000 --repeats 3

Every library grows one full tree on the same made-up table (20 columns of decimals, two classes),
in turn, and the least of several repeats counts: a ratio of two times from one run says more than
either time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np


def made_table(n_rows: int, n_columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.standard_normal((n_rows, n_columns)).astype(np.float32)
    score = 1.2 * X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.8
    y = (random.random(n_rows) < 1 / (1 + np.exp(-2 * score))).astype(np.int32)
    return X, y


def contenders(n_threads: int) -> dict[str, Callable[[], object]]:
    from sklearn.tree import DecisionTreeClassifier as SklearnTree

    import treewright as tw

    makers: dict[str, Callable[[], object]] = {
        "treewright": lambda: tw.DecisionTreeClassifier(n_jobs=n_threads),
        "scikit-learn": lambda: SklearnTree(random_state=0),
    }
    if find_spec("sklearnex"):
        from sklearnex.ensemble import RandomForestClassifier

        makers["intelex (256 bins)"] = lambda: RandomForestClassifier(
            n_estimators=1, bootstrap=False, max_features=None, n_jobs=n_threads
        )
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        makers["xgboost exact"] = lambda: XGBClassifier(
            n_estimators=1, tree_method="exact", max_depth=60, reg_lambda=0, min_child_weight=0,
            learning_rate=1, n_jobs=n_threads,
        )  # fmt: skip
    return makers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    X, y = made_table(arguments.rows)
    X_test, y_test = made_table(20_000)
    fit_seconds: dict[str, float] = {}
    print(f"{arguments.rows:,} rows x {X.shape[1]} columns, {arguments.threads} threads")
    print(f"{'':20}{'fit s':>9}{'ratio':>8}{'predict ms':>12}{'accuracy':>10}")
    for name, make in contenders(arguments.threads).items():
        fits, predicts = [], []
        for _ in range(arguments.repeats):
            model = make()
            start = time.perf_counter()
            model.fit(X, y)  # type: ignore[attr-defined]
            fits.append(time.perf_counter() - start)
            start = time.perf_counter()
            predicted = model.predict(X_test)  # type: ignore[attr-defined]
            predicts.append(time.perf_counter() - start)
        fit_seconds[name] = min(fits)
        ratio = min(fits) / fit_seconds["treewright"]
        accuracy = float(np.mean(predicted == y_test))
        print(f"{name:20}{min(fits):9.3f}{ratio:8.1f}{1e3 * min(predicts):12.2f}{accuracy:10.4f}")


if __name__ == "__main__":
    main()
