"""How the time and memory of a tree and of a forest grow with the rows: 28 decimals, two classes.

    python benchmarks/growth.py
    python benchmarks/growth.py --rows 100000 1000000 --threads 1

Each fit has a process of its own, so that its peak of memory is its own too. The least of three
fits counts up to a million rows, one fit beyond. The last lines have the exponents of growth: of
the seconds of a fit, from the fewest rows to the most.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

N_COLUMNS = 28
N_TREES = 10
ROWS_TO_REPEAT = 1_000_000
FRESH = get_context("spawn")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Seconds of the fastest fit and prediction; megabytes of the table, and at the peak."""

    fit: float
    predict: float
    table: float
    peak: float


def table_of(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.standard_normal((n_rows, N_COLUMNS))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3])
    return X, (score + random.standard_normal(n_rows) > 0.8).astype(np.int64)


def measured(kind: str, n_rows: int, n_threads: int) -> Measured:
    import treewright as tw

    X, y = table_of(n_rows)
    fit = predict = math.inf
    for _ in range(3 if n_rows <= ROWS_TO_REPEAT else 1):
        model: Any
        if kind == "tree":
            model = tw.DecisionTreeClassifier(n_jobs=n_threads)
        else:
            model = tw.RandomForestClassifier(N_TREES, n_jobs=n_threads, random_state=0)
        fit = min(fit, seconds(lambda model=model: model.fit(X, y)))
        predict = min(predict, seconds(lambda model=model: model.predict(X)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return Measured(fit=fit, predict=predict, table=X.nbytes / 1e6, peak=peak)


def seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10**5, 10**6, 10**7])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    print(f"{'kind':8}{'rows':>12}{'fit s':>9}{'predict s':>11}{'table MB':>10}{'peak MB':>9}")
    for kind in ("tree", "forest"):
        took = []
        for n_rows in sorted(arguments.rows):
            with ProcessPoolExecutor(1, FRESH) as process:
                one = process.submit(measured, kind, n_rows, arguments.threads).result()
            took.append(one.fit)
            figures = f"{one.fit:9.3f}{one.predict:11.3f}{one.table:10.0f}{one.peak:9.0f}"
            print(f"{kind:8}{n_rows:12,}{figures}", flush=True)
        if len(took) > 1:
            grown = max(arguments.rows) / min(arguments.rows)
            print(f"{kind}: rows to the power of {math.log(took[-1] / took[0], grown):.2f}")


if __name__ == "__main__":
    main()
