"""How long a default fit of gradient boosting takes, beside LightGBM's, on the shared tables.

    python benchmarks/boosting_time.py
    python benchmarks/boosting_time.py --tables servo zoo --repeats 20
    python benchmarks/boosting_time.py --one-thread

Both libraries take their defaults, their number of threads among them; the tables are those of up
to 1,500 rows, where choosing the rounds weighs most, and six larger ones. Seconds are wall time:
libraries take turns of some fits each, and the least counts, so that other work on the machine
counts as little as it can. Each has a process of its own: LightGBM's threads go on turning for some
milliseconds after a fit, and would take a processor from a fit that follows in the same process.
On a busy machine threads wait for each other, LightGBM's above all:
`--one-thread` compares the processor's time of one thread each. docs/decisions/017 says what is
wanted: at most twice LightGBM's time on the median table, and at most five times on any.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from tables import Table, as_categories, tables

MOST_ROWS = 1_500
LARGER = ("segment", "kr_vs_kp", "waveform", "california_housing", "adult", "nycflights")
LEAST_SECONDS = 1.0  # a short fit is repeated until so much time has gone by
FITS_OF_A_TURN = 5  # of which the first is slower: its caches are cold, its threads asleep
PAUSE = 0.02  # seconds between turns, in which threads that wait for more work come to rest
FRESH = get_context("spawn")


@dataclass(frozen=True, kw_only=True)
class Timed:
    """Seconds of the fastest fit of each library."""

    table: str
    n_rows: int
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def chosen_tables(names: list[str], n_rows: int) -> list[Table]:
    every = tables(names, n_rows)
    return [each for each in every if names or len(each.y) <= MOST_ROWS or each.name in LARGER]


def timed(table: Table, n_repeats: int, *, is_alone: bool) -> Timed:
    """Fit in turn, with all threads, or by the processor's time of one."""
    with ExitStack() as stack:
        own = [stack.enter_context(ProcessPoolExecutor(1, FRESH)) for _ in ("ours", "theirs")]
        least = [np.inf, np.inf]
        began, n_made = time.perf_counter(), 0
        while n_made < n_repeats or time.perf_counter() - began < LEAST_SECONDS:
            for i, (process, make) in enumerate(zip(own, (_treewright, _lightgbm), strict=True)):
                took = process.submit(_seconds, make, table, is_alone=is_alone).result()
                least[i] = min(least[i], took)
                time.sleep(PAUSE)
            n_made += 1
    return Timed(table=table.name, n_rows=len(table.y), ours=least[0], theirs=least[1])


def _seconds(make: Callable[[bool, int | None], Any], table: Table, *, is_alone: bool) -> float:
    clock = time.process_time if is_alone else time.perf_counter
    X = as_categories(table.X) if make is _lightgbm else table.X
    least = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns without a known value
        for _ in range(FITS_OF_A_TURN):
            model = make(table.is_classification, 1 if is_alone else None)
            start = clock()
            model.fit(X, table.y)
            least = min(least, clock() - start)
    return float(least)


def _treewright(is_classification: bool, n_jobs: int | None) -> Any:
    import treewright as tw

    make = tw.GradientBoostingClassifier if is_classification else tw.GradientBoostingRegressor
    return make(random_state=0, n_jobs=n_jobs)


def _lightgbm(is_classification: bool, n_jobs: int | None) -> Any:
    import lightgbm

    make = lightgbm.LGBMClassifier if is_classification else lightgbm.LGBMRegressor
    return make(random_state=0, n_jobs=n_jobs, verbose=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="drawn of a larger table")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each library")
    parser.add_argument("--tables", nargs="*", default=[], help="names; see above if none is given")
    parser.add_argument("--one-thread", action="store_true", help="and the processor's time")
    arguments = parser.parse_args()
    print("| table | rows | treewright, ms | LightGBM, ms | ratio |")
    print("|---|--:|--:|--:|--:|")
    found = []
    for table in chosen_tables(arguments.tables, arguments.rows):
        one = timed(table, arguments.repeats, is_alone=arguments.one_thread)
        found.append(one)
        cells = f"{1e3 * one.ours:.1f} | {1e3 * one.theirs:.1f} | {one.ratio:.1f}"
        print(f"| {one.table} | {one.n_rows:,} | {cells} |", flush=True)
    ratios = [each.ratio for each in found]
    worst = found[int(np.argmax(ratios))]
    print(f"| **median** | | | | {np.median(ratios):.2f} |")
    print(f"| **worst** ({worst.table}) | | | | {worst.ratio:.1f} |")


if __name__ == "__main__":
    main()
