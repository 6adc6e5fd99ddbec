"""The search: many settings on few rows and folds, the better third of them on more.

Successive halving (Jamieson and Talwalkar 2016, *Non-stochastic best arm identification*, AISTATS;
Li et al. 2018, *Hyperband*, JMLR 18) by thirds. The learner as it was given stays to the end, so
that what is chosen was better than it on the same rows.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.errors import NoSplitWarning
from treewright.evaluate.metrics import Metric
from treewright.evaluate.scores import scored
from treewright.evaluate.trial.learners import Learner
from treewright.evaluate.trial.run import Run, run_all
from treewright.evaluate.trial.splits import Folds, Split
from treewright.evaluate.trial.task_data import TaskData

_FACTOR = 3
_FEWEST = 3
"""Settings that the last rung has at least."""
_LEAST_ROWS = 300
"""Rows that every rung learns from at least, where there are so many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tried:
    """A setting that was tried, as the last rung that it reached found it.

    Parameters
    ----------
    number
        Its place among the settings drawn; 0 is the learner as it was given.
    parameters
        What was set.
    rung
        How often it was among the better third.
    n_rows
        Rows that it learned from.
    values
        The metric on each fold.
    seconds
        Mean time to fit.
    failure
        What it raised; empty where it did not.
    """

    number: int
    parameters: dict[str, Any]
    rung: int
    n_rows: int
    values: tuple[float, ...]
    seconds: float
    failure: str = ""

    @property
    def value(self) -> float:
        """Mean of the metric over the folds; nan of a setting that failed."""
        known = [value for value in self.values if not math.isnan(value)]
        return float(np.mean(known)) if known and not self.failure else math.nan

    @property
    def sd(self) -> float:
        """Standard deviation over the folds; nan of one fold."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else math.nan


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """All that was tried, best first.

    Parameters
    ----------
    tried
        The settings: those of the last rung first, then by their figure.
    metric
        What they were ranked by.
    n_fits
        Fits in all.
    n_rungs
        Rungs that were reached.
    n_rows
        Rows of the table.
    method
        How rows were divided.
    was_stopped
        Whether Ctrl-C ended the search early.
    """

    tried: tuple[Tried, ...] = field(repr=False)
    metric: Metric = field(repr=False)
    n_fits: int
    n_rungs: int
    n_rows: int
    method: str
    was_stopped: bool = False

    @property
    def best(self) -> Tried:
        """The best of the last rung; of equally good ones the first that was drawn."""
        return self.tried[0]

    @property
    def as_given(self) -> Tried:
        """The learner as it was given."""
        return next(each for each in self.tried if each.number == 0)


def search(
    learner: Learner,
    data: TaskData,
    candidates: Sequence[dict[str, Any]],
    folds: Folds,
    metric: Metric,
    *,
    n_jobs: int | None = None,
    seed: int = 0,
    is_quiet: bool = False,
) -> Search:
    """Return what was found of the candidates, the first of which is the learner as given."""
    n_rungs = 1
    while len(candidates) / _FACTOR**n_rungs >= _FEWEST:
        n_rungs += 1
    left = list(range(len(candidates)))
    found: dict[int, Tried] = {}
    n_fits, was_stopped, rung = 0, False, 0
    for rung in range(n_rungs):
        part = _part(data, folds, rung, n_rungs, seed)
        models = [
            replace(learner, model=clone(learner.model).set_params(**candidates[i])) for i in left
        ]
        try:
            with settings_may_be_poor():
                runs, was_stopped = run_all(
                    models, data, part, n_jobs=n_jobs, seed=seed, is_quiet=is_quiet
                )
        except KeyboardInterrupt:
            if not found:
                raise
            was_stopped, runs = True, ()
        n_fits += len(runs)
        answers = next((run.answers for run in runs if run.answers is not None), None)
        if answers is not None:  # refuses a metric that needs what the learner does not give
            scored(learner.name, answers, (metric,), 0.95)
        reached = _judged(runs, left, candidates, part, metric, rung, was_stopped)
        found |= reached
        if was_stopped:
            break
        best_first = sorted(left, key=lambda i: _rank(found[i], metric))
        left = sorted({0, *best_first[: math.ceil(len(candidates) / _FACTOR ** (rung + 1))]})
    return Search(
        tried=tuple(sorted(found.values(), key=lambda each: _rank(each, metric))),
        metric=metric,
        n_fits=n_fits,
        n_rungs=rung + 1,
        n_rows=data.n_rows,
        method=folds.method,
        was_stopped=was_stopped,
    )


@contextmanager
def settings_may_be_poor() -> Iterator[None]:
    """Keep settings that learn nothing from warning of it: they are not chosen.

    Filters of warnings belong to the whole process, so that a worker leaves them to the thread
    that started it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoSplitWarning)
        yield


def _rank(tried: Tried, metric: Metric) -> tuple[float, ...]:
    """Return the key to sort by: failed ones last, later rungs first, then the figure."""
    sign = -1.0 if metric.higher_is_better else 1.0
    is_failed = math.isnan(tried.value)
    return (is_failed, -tried.rung, 0.0 if is_failed else sign * tried.value, tried.number)


def _judged(
    runs: Sequence[Run],
    left: Sequence[int],
    candidates: Sequence[dict[str, Any]],
    folds: Folds,
    metric: Metric,
    rung: int,
    was_stopped: bool,
) -> dict[int, Tried]:
    """Return the settings that have the same folds behind them, with their figures."""
    of_setting: dict[int, list[Run]] = {i: [] for i in left}
    for run in runs:
        of_setting[left[run.learner]].append(run)
    n_done = len(folds)
    if was_stopped:  # folds come one after the other: those that most settings have are compared
        counts = [len(own) for own in of_setting.values()]
        n_done = min(counts) or 1
    found = {}
    for number, own in of_setting.items():
        if len(own) < n_done:
            continue
        own = own[:n_done]
        failed = next((run.failure_text for run in own if run.failure is not None), "")
        values = tuple(metric.value(run.answers) for run in own if run.answers is not None)
        found[number] = Tried(
            number=number,
            parameters=dict(candidates[number]),
            rung=rung,
            n_rows=max(len(folds.splits[run.part].train) for run in own),
            values=values,
            seconds=float(np.mean([run.seconds for run in own])),
            failure=failed,
        )
    return found


def _part(data: TaskData, folds: Folds, rung: int, n_rungs: int, seed: int) -> Folds:
    """Return the folds of a rung: two, then three, at last all, with more and more rows."""
    before_last = n_rungs - 1 - rung
    if before_last == 0:
        return folds
    n_folds = min(len(folds), 2 if rung == 0 else 3)
    made = []
    for split in folds.splits[:n_folds]:
        wanted = max(_LEAST_ROWS, len(split.train) // _FACTOR**before_last)
        train = split.train
        if wanted < len(train):
            train = np.sort(train[_spread(data, train, seed) < wanted])
        made.append(Split(train=train, test=split.test, repeat=split.repeat))
    return replace(folds, splits=tuple(made))


def _spread(data: TaskData, rows: Int64Array, seed: int) -> Int64Array:
    """Return the place of each row in an order whose every beginning is like the whole.

    Groups follow each other whole; classes are met in their proportions.
    """
    random = np.random.default_rng(seed)
    at_random: FloatArray = random.permutation(len(rows)).astype(np.float64)
    if data.groups is not None:
        groups = np.unique(data.groups[rows], return_inverse=True)[1]
        at_random = random.permutation(groups.max() + 1)[groups].astype(np.float64)
    elif data.task == "classes":
        codes: Array = data.codes[rows]
        for code in np.unique(codes):
            own = np.flatnonzero(codes == code)
            at_random[own] = (random.permutation(len(own)) + random.uniform()) / len(own)
    place = np.empty(len(rows), dtype=np.int64)
    place[np.argsort(at_random, kind="stable")] = np.arange(len(rows))
    return place
