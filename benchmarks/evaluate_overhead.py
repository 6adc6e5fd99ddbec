"""What `compare` adds to the fits and predictions that it is about, and how it shares processors.

    python benchmarks/evaluate_overhead.py overhead
    python benchmarks/evaluate_overhead.py jobs        # needs LightGBM (pip install lightgbm)

Overhead: five learners, ten folds, 10,000 rows and 20 columns. The bare work (clone, fit, predict,
predict_proba on the same folds and seeds) and ``compare(..., n_jobs=1)`` with its printed result,
in turn; seconds of the processor, which other programs do not lengthen, and of the clock. Jobs:
ours and LightGBM in one comparison with ``n_jobs`` 1 and 2, in turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.evaluate import compare
from treewright.evaluate.trial.learners import learners_of
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import read_task_data

N_ROWS, N_COLUMNS = 10_000, 20
CASES = (
    ("cheap trees", False, 20),
    ("cheap trees", True, 20),
    ("cheap of other kinds", False, 10),
    ("usual", False, 5),
    ("usual", True, 5),
)
"""Learners, whether they learn from a dataframe, and how often each way is measured."""
REPEATS = 5

Seconds = tuple[float, float]
"""Of the processor and of the clock."""


def table(seed: int = 0) -> tuple[Any, Any]:
    """Return numbers and classes as texts, of which a tenth are wrong."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, N_COLUMNS))
    is_yes = (X[:, 0] + X[:, 1] * X[:, 2] > 0) ^ (random.random(N_ROWS) < 0.1)
    return X, np.where(is_yes, "yes", "no")


def as_frame(X: Any) -> Any:
    """Return the table as a dataframe with four columns of categories."""
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    for name in frame.columns[-4:]:
        frame[name] = pd.qcut(frame[name], 5, labels=list("abcde")).astype(str)
    return frame


def learners(kind: str) -> dict[str, Any]:
    """Return five learners that are cheap to fit, ours or of other kinds too, or usual ones."""
    if kind == "cheap trees":
        return {
            "stump": tw.DecisionTreeClassifier(max_depth=1),
            "tree 3": tw.DecisionTreeClassifier(max_depth=3),
            "tree 4": tw.DecisionTreeClassifier(max_depth=4),
            "tree 5": tw.DecisionTreeClassifier(max_depth=5),
            "cart": tw.CARTClassifier(max_depth=4),
        }
    if kind == "cheap of other kinds":
        return {
            "stump": tw.DecisionTreeClassifier(max_depth=1),
            "tree 3": tw.DecisionTreeClassifier(max_depth=3),
            "tree 4": tw.DecisionTreeClassifier(max_depth=4),
            "scikit-learn 4": DecisionTreeClassifier(max_depth=4),
            "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        }
    return {
        "tree": tw.DecisionTreeClassifier(),
        "c45": tw.C45Classifier(),
        "forest": tw.RandomForestClassifier(50),
        "boosting": tw.HistGradientBoostingClassifier(max_iter=50),
        "adaboost": tw.AdaBoostClassifier(),
    }


def timed(work: Callable[[], object]) -> Seconds:
    """Return what some work takes."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def bare(models: dict[str, Any], X: Any, y: Any) -> Seconds:
    """Return what the fits and predictions alone take, on the folds and seeds of `compare`."""
    data = read_task_data(X, y, task="classes", owner="benchmark")
    total = np.zeros(2)
    for part, split in enumerate(make_folds(data, 10).splits):
        pick = X.iloc if hasattr(X, "iloc") else X
        learned, asked = pick[split.train], pick[split.test]
        for learner in learners_of(models):
            total += timed(partial(work, learner.model, part, learned, y[split.train], asked))
    return float(total[0]), float(total[1])


def work(model: Any, seed: int, learned: Any, y: Any, asked: Any) -> None:
    """Fit a clone and let it answer."""
    fitted = clone(model)
    if fitted.get_params().get("random_state", 0) is None:
        fitted.set_params(random_state=seed)
    fitted.fit(learned, y)
    fitted.predict(asked)
    fitted.predict_proba(asked)


def printed(models: dict[str, Any], X: Any, y: Any, *, n_jobs: int) -> str:
    """Return the comparison as text."""
    return str(compare(models, X, y, n_jobs=n_jobs))


def overhead() -> None:
    """Print what `compare` takes beside the bare work."""
    X, y = table()
    for kind, has_frame, repeats in CASES:
        models, given = learners(kind), as_frame(X) if has_frame else X
        found = np.array(
            [
                [bare(models, given, y), timed(partial(printed, models, given, y, n_jobs=1))]
                for _ in range(repeats)
            ]
        )
        least = found.min(axis=0)
        more = 100 * (least[1] / least[0] - 1)
        print(
            f"{kind}, {'a dataframe' if has_frame else 'an array'}:"
            f" overhead {more[0]:.1f} % of the processor's time, {more[1]:.1f} % of the clock's"
            f" ({least[0, 0]:.3f} s bare, {least[1, 0]:.3f} s compared; least of {repeats})",
            flush=True,
        )


def jobs() -> None:
    """Print what ours and LightGBM take side by side, with one job and with two."""
    from lightgbm import LGBMClassifier

    X, y = table()
    models = {
        "forest": tw.RandomForestClassifier(50),
        "boosting": tw.HistGradientBoostingClassifier(max_iter=50),
        "lightgbm": LGBMClassifier(n_estimators=50, verbose=-1),
        "lightgbm deep": LGBMClassifier(n_estimators=50, num_leaves=127, verbose=-1),
    }
    numbers = (1, 2)
    found = [
        [timed(partial(printed, models, X, y, n_jobs=n_jobs)) for n_jobs in numbers]
        for _ in range(REPEATS)
    ]
    texts = [printed(models, X, y, n_jobs=n_jobs) for n_jobs in numbers]
    for n_jobs, (processor, clock) in zip(numbers, np.min(found, axis=0), strict=True):
        print(f"n_jobs={n_jobs}: {processor:.2f} ({clock:.2f}) seconds")
    print("the same figures" if len(set(texts)) == 1 else "other figures")


if __name__ == "__main__":
    {"overhead": overhead, "jobs": jobs}[sys.argv[1]]()
