"""Trees made one by one: errors and Ctrl-C end all of them, and progress is that of all."""

from __future__ import annotations

import _thread
import threading
import time
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.ensemble.thread_pool import grow_in_thread_pool

LIMIT = 4.0
"""Seconds after which a tree that nobody stops gives up."""


class Endless:
    """Grows trees that never end, but for those that fail."""

    def __init__(self, failing: int | None = None) -> None:
        self.failing = failing
        self.stopped: list[int] = []

    def __call__(self, problem: Any, report: Any) -> Any:
        if problem == self.failing:
            raise ValueError(f"tree {problem} failed")
        start = time.monotonic()
        try:
            while time.monotonic() - start < LIMIT:
                time.sleep(0.002)
                report(1)
        except Exception:
            self.stopped.append(problem)
            raise
        raise AssertionError("nobody stopped the tree")


def numbers_as_problems(number: int) -> Any:
    return number


def test_an_error_stops_the_other_trees() -> None:
    grow = Endless(failing=1)
    start = time.monotonic()
    with pytest.raises(ValueError, match="tree 1 failed"):
        grow_in_thread_pool(numbers_as_problems, range(1, 50), grow, n_threads=3)
    assert time.monotonic() - start < LIMIT / 2
    assert len(grow.stopped) <= 3  # those under way; none was begun afterwards


def test_ctrl_c_stops_all_trees() -> None:
    grow = Endless()
    timer = threading.Timer(0.1, _thread.interrupt_main)
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        grow_in_thread_pool(numbers_as_problems, range(50), grow, n_threads=2)
    assert time.monotonic() - start < LIMIT / 2
    assert sorted(grow.stopped) == [0, 1]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_that_of_all_trees(n_jobs: int, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = tw.RandomForestRegressor(4, estimator=tw.M5Regressor(), n_jobs=n_jobs, verbose=1)
    model.fit(X, X[:, 0] * X[:, 1])
    assert "grown: 4 trees" in capsys.readouterr().err
