"""Fit members to all rows and to folds, side by side: the same models for any number of threads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from sklearn import config_context, get_config

from treewright.array_types import Array
from treewright.data.read.take_rows import take_rows
from treewright.errors import TreewrightWarning
from treewright.estimators.combine.folds import Fold
from treewright.estimators.combine.members import Member
from treewright.estimators.combine.rows import Rows
from treewright.estimators.progress import show
from treewright.threads import n_processors, n_threads
from treewright.workers import side_by_side

Passed = Mapping[str, Mapping[str, Any]]
"""What else the fit of each member is given, by its name."""

Done = TypeVar("Done")


class Fitter:
    """Fits members to one table.

    Parameters
    ----------
    members, rows, passed
        Who learns, from what, and with what else.
    n_jobs
        Jobs side by side; None and 1 run one after the other, each with all threads.
    seed
        For members that draw without a seed of their own; None leaves them as they are.
    verbose
        Whether progress is shown.
    """

    def __init__(
        self,
        members: Sequence[Member],
        rows: Rows,
        passed: Passed,
        *,
        n_jobs: Any,
        seed: int | None,
        verbose: Any,
    ) -> None:
        self._members, self._rows, self._passed = members, rows, passed
        self._n_workers = 1 if n_jobs is None else n_threads(n_jobs)
        self._seed, self._verbose = seed, verbose

    def fitted(self) -> list[Any]:
        """Return the members fitted to all rows."""
        jobs = [partial(self._fit, member) for member in self._members]
        return self._done(jobs, "fitted to all rows")

    def out_of_fold(self, folds: Sequence[Fold]) -> list[Array]:
        """Return what members answer about rows that they have not seen, in the order of rows."""
        jobs = [
            partial(self._answer, member, number, fold)
            for member in self._members
            for number, fold in enumerate(folds)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # said of the whole table
            parts = self._done(jobs, "answered out of fold")
        order = np.argsort(np.concatenate([test for _, test in folds]), kind="stable")
        n_folds = len(folds)
        return [
            np.concatenate(parts[begin : begin + n_folds])[order]
            for begin in range(0, len(parts), n_folds)
        ]

    def _fit(self, member: Member, number: int | None = None, fold: Fold | None = None) -> Any:
        return member.fit(
            self._rows,
            None if fold is None else fold[0],
            self._passed[member.name],
            where="" if number is None else f" when fold {number} is held out",
            seed=self._seed,
            n_threads=None if self._n_workers == 1 else max(1, n_processors() // self._n_workers),
        )

    def _answer(self, member: Member, number: int, fold: Fold) -> Array:
        model = self._fit(member, number, fold)
        X = take_rows(self._rows.table_of(member.estimator), fold[1])
        return member.answers(model, X, self._rows.classes)

    def _done(self, jobs: Sequence[Callable[[], Done]], what: str) -> list[Done]:
        """Return what the jobs return, in their order."""
        settings = get_config()  # of this thread, and of no other

        def work(number: int) -> tuple[int, Done]:
            with config_context(**settings):
                return number, jobs[number]()

        n_workers = min(self._n_workers, len(jobs))
        numbered = [partial(work, number) for number in range(len(jobs))]
        done: dict[int, Done] = {}
        for number, result in (
            side_by_side(numbered, n_workers) if n_workers > 1 else (job() for job in numbered)
        ):
            done[number] = result
            if self._verbose:
                show(f"{what}: {len(done)} of {len(jobs)}")
        if self._verbose:
            show("".ljust(60), end="\r")
        return [done[number] for number in range(len(jobs))]
