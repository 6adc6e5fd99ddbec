"""Fit learners to the parts of a table and collect their answers: the work behind every figure.

Jobs (a learner and a part) run one after the other with all threads each, or side by side on
threads with one thread each. What is learned does not depend on it. Ctrl-C ends the run and keeps
the jobs that are done; a learner that fails is told of, with the part it failed on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from treewright.evaluate.trial.answers import Answers
from treewright.evaluate.trial.learners import Learner
from treewright.evaluate.trial.splits import Folds, Split
from treewright.evaluate.trial.task_data import TaskData
from treewright.parameters import is_whole
from treewright.progress import has_listener, is_wanted, show
from treewright.threads import n_processors, n_threads
from treewright.workers import side_by_side

Work = Callable[[int, int], "Run"]

_SECONDS_IN_SILENCE = 1.0
_SECONDS_BETWEEN = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What one learner did with one part.

    Parameters
    ----------
    learner, part
        Their positions.
    answers
        Answers about the rows held out; None if it failed.
    training_answers
        Answers about the rows it learned from, where they were asked for.
    failure
        What the learner raised.
    seconds
        Time to fit.
    n_leaves
        Leaves of a single tree.
    model
        The fitted model, where it is kept.
    """

    learner: int = 0
    part: int = 0
    answers: Answers | None = None
    training_answers: Answers | None = None
    failure: Exception | None = None
    seconds: float = 0.0
    n_leaves: int | None = None
    model: Any = field(default=None, repr=False)

    @property
    def failure_text(self) -> str:
        """What went wrong, in one line."""
        words = str(self.failure).strip().split("\n")[0]
        name = type(self.failure).__name__
        return f"{name}: {words}" if words else name


def run_all(
    learners: Sequence[Learner],
    data: TaskData,
    folds: Folds,
    *,
    n_jobs: int | None = None,
    seed: int = 0,
    on_training_rows: bool = False,
    keep_models: bool = False,
    is_quiet: bool = False,
) -> tuple[tuple[Run, ...], bool]:
    """Return what every learner did with every part, and whether Ctrl-C ended the run early.

    Parameters
    ----------
    learners, data, folds
        Who is judged, on what, and how rows are divided.
    n_jobs
        Jobs side by side; None and 1 run one after the other, each with all threads.
    seed
        For learners that draw without a seed of their own.
    on_training_rows
        Whether learners also answer about the rows they learned from.
    keep_models
        Whether the fitted models are kept.
    is_quiet
        Whether no progress is shown: of work within work.
    """
    for learner in learners:
        learner.check(data)
    jobs = [(part, learner) for part in range(len(folds)) for learner in range(len(learners))]
    n_workers = min(1 if n_jobs is None else n_threads(n_jobs), len(jobs))

    threads = None if n_workers == 1 else max(1, n_processors() // n_workers)

    def work(part: int, learner: int) -> Run:
        run = fit_and_answer(
            learners[learner],
            data,
            folds.splits[part],
            seed=seed + part,
            n_threads=threads,
            on_training_rows=on_training_rows,
        )
        kept = run.model if keep_models else None
        return replace(run, learner=learner, part=part, model=kept)

    progress = Progress(len(learners), len(folds))
    done: list[Run] = []
    with progress.shown():
        try:
            for run in _runs(work, jobs, n_workers):
                done.append(run)
                if not is_quiet:
                    progress.step()
            stopped = False
        except KeyboardInterrupt:
            if not done:
                raise
            stopped = True
    if all(run.failure is not None for run in done):
        assert done[0].failure is not None
        raise done[0].failure
    order = {job: i for i, job in enumerate(jobs)}
    return tuple(sorted(done, key=lambda run: order[run.part, run.learner])), stopped


def _runs(work: Work, jobs: Sequence[tuple[int, int]], n_workers: int) -> Iterator[Run]:
    """Yield the runs one after the other, or as they end side by side."""
    if n_workers > 1:
        yield from side_by_side([partial(work, *job) for job in jobs], n_workers)
        return
    for part, learner in jobs:
        yield work(part, learner)


def fit_and_answer(
    learner: Learner,
    data: TaskData,
    split: Split,
    *,
    seed: int,
    n_threads: int | None = None,
    on_training_rows: bool = False,
) -> Run:
    """Return one run; an exception of the learner is part of the result."""
    begin = time.perf_counter()
    try:
        model = learner.fit(data, split.train, seed=seed, n_threads=n_threads)
        seconds = time.perf_counter() - begin
        answers = learner.answer(model, data, split.test)
        training = learner.answer(model, data, split.train) if on_training_rows else None
    except Exception as problem:
        return Run(failure=problem)
    return Run(
        answers=answers,
        training_answers=training,
        seconds=seconds,
        n_leaves=leaves_of(model),
        model=model,
    )


def leaves_of(model: Any) -> int | None:
    """Return the number of leaves of a single tree of ours or of scikit-learn's; else None."""
    tree = getattr(model, "tree_", model)
    found = getattr(tree, "n_leaves", None)
    return int(found) if is_whole(found) else None


class Progress:
    """A line on standard error, at a terminal and after a second, that goes when all is done."""

    def __init__(self, n_learners: int, n_parts: int) -> None:
        self._n_learners, self._n_parts = n_learners, n_parts
        self._n_done = 0
        self._begin = time.monotonic()
        self._last = 0.0
        self._width = 0

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show progress while the work goes on."""
        try:
            yield
        finally:
            if self._width:
                show(" " * self._width, end="\r")

    def step(self) -> None:
        """Count a job that is done."""
        self._n_done += 1
        now = time.monotonic()
        spent = now - self._begin
        is_silent = spent < _SECONDS_IN_SILENCE or now - self._last < _SECONDS_BETWEEN
        if not has_listener() and (is_silent or not is_wanted()):
            return
        self._last = now
        n_jobs = self._n_learners * self._n_parts
        left = spent / self._n_done * (n_jobs - self._n_done)
        part = min(self._n_parts, self._n_done // self._n_learners + 1)
        text = f"fold {part} of {self._n_parts}"
        if self._n_learners > 1:
            text = f"learner {self._n_done % self._n_learners + 1} of {self._n_learners} · {text}"
        text += f" · {int(left // 60)}:{int(left % 60):02d} left"
        show(text.ljust(self._width))
        self._width = 0 if has_listener() else max(self._width, len(text))
