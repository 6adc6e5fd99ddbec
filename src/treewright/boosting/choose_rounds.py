"""The number of rounds, and the depth of the trees, chosen by cross-validation.

Too few rounds underfit, too many learn the noise, and the right number differs by a factor of
thirty from table to table. The number with the least loss on held-out rows is chosen (Hastie,
Tibshirani and Friedman 2009, section 10.12).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import Int64Array
from treewright.boosting.defaults import SHAPES, is_auto
from treewright.boosting.fit import Boosting
from treewright.boosting.options import BoostingOptions
from treewright.boosting.problem import BoostingProblem, core_target
from treewright.boosting.rounds import RoundsChoice, TriedShape
from treewright.core import content_hashes
from treewright.data.core_columns import lend
from treewright.ensemble.thread_pool import result_of

N_FOLDS = 5
LEAST_ROWS = 30
"""Distinct rows that cross-validation needs: with fewer, a fifth of them says too little."""
_LEAST_PATIENCE = 40
_ROUNDS_AT_A_TIME = 8
_LEAST_GAIN = 1e-7
"""As a share of the loss; less is rounding, which differs between copies and weights of rows."""

Watch = Callable[[int | None, int, float], None]
"""A callback: takes the depth, the rounds made so far and the loss after the last of them."""


def folds_of(problem: BoostingProblem) -> Int64Array | None:
    """Return the fold that leaves each row out, -1 for rows of weight 0; None for few rows.

    Rows are dealt out in turn, class by class, in an order given by their content; equal rows share
    a fold. So it matters neither in which order the rows are given nor whether a row is written
    twice or has weight 2.
    """
    weight, y = problem.weight, problem.y
    counts = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0.0
    hashes = content_hashes(lend(problem.table), core_target(problem))
    distinct, first, which = np.unique(hashes[counts], return_index=True, return_inverse=True)
    if len(distinct) < LEAST_ROWS:
        return None
    order = np.arange(len(distinct))
    if problem.loss.of_classes:
        order = np.argsort(y[counts][first], kind="stable")
    fold = np.empty(len(distinct), dtype=np.int64)
    fold[order] = np.arange(len(distinct)) % N_FOLDS
    dealt = np.full(len(y), -1, dtype=np.int64)
    dealt[counts] = fold[which]
    return dealt


def choose_rounds(
    problem: BoostingProblem,
    options: BoostingOptions,
    folds: Int64Array,
    *,
    watch: Watch | None = None,
) -> RoundsChoice:
    """Return the best number of rounds, and the best depth where it is ``"auto"``.

    Parameters
    ----------
    problem
        The rows, target and loss.
    options
        The options; `n_estimators` is the largest number of rounds that is tried.
    folds
        The fold of each row, as :func:`folds_of` returns them.
    watch
        Called as the rounds proceed.
    """
    shapes = SHAPES if is_auto(options.max_depth) else ((options.max_depth, 1.0),)
    parts = [(problem.take(learn), problem.take(judge)) for learn, judge in _splits(folds)]
    tried = []
    with _side_by_side(options.n_threads) as run:
        for depth, share in shapes:
            if not is_auto(options.subsample):
                share = options.subsample
            own = replace(options, max_depth=depth, subsample=share, n_threads=1)
            boosts = [_Fold(learn, judge, own) for learn, judge in parts]
            losses = _losses(boosts, int(options.n_estimators), run, watch, depth)
            best = _best(losses)
            tried.append(
                TriedShape(max_depth=depth, subsample=share, n_rounds=best, loss=losses[best - 1])
            )
    return RoundsChoice(tried)


class _Fold:
    """Boosting on the rows of the other folds, validated on one fold."""

    def __init__(
        self, learn: BoostingProblem, judge: BoostingProblem, options: BoostingOptions
    ) -> None:
        weight = judge.weight
        self.weight = float(len(judge.y) if weight is None else weight.sum())
        self._boosting = Boosting(learn, options, make=_no_model, validation=judge)
        self._n_rounds = 0

    def more(self, n_rounds: int, stop: threading.Event) -> list[float]:
        """Return the losses after each of `n_rounds` more rounds."""
        losses = []
        for _ in range(n_rounds):
            if stop.is_set():
                break
            losses.append(self._boosting.round(self._n_rounds).validation_loss)
            self._n_rounds += 1
        return losses


def _no_model(core: Any, base: Any) -> Any:
    raise AssertionError("folds are judged, not kept")


def _splits(
    folds: Int64Array,
) -> Iterator[tuple[Int64Array, Int64Array]]:
    for fold in range(N_FOLDS):
        yield np.flatnonzero((folds >= 0) & (folds != fold)), np.flatnonzero(folds == fold)


Run = Callable[[list[_Fold], int], list[list[float]]]
"""Makes so many more rounds in each fold, and returns their losses."""


@contextmanager
def _side_by_side(n_threads: int) -> Iterator[Run]:
    """Yield a function that boosts folds in a thread pool; Ctrl-C stops them between rounds."""
    stop = threading.Event()
    if n_threads == 1:
        yield lambda folds, n_more: [fold.more(n_more, stop) for fold in folds]
        return
    with ThreadPoolExecutor(min(n_threads, N_FOLDS)) as pool:

        def run(folds: list[_Fold], n_more: int) -> list[list[float]]:
            made = [pool.submit(fold.more, n_more, stop) for fold in folds]
            return [result_of(each) for each in made]

        try:
            yield run
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _losses(
    boosts: list[_Fold], most: int, run: Run, watch: Watch | None, depth: int | None
) -> list[float]:
    """Return the mean loss of the held-out rows after each round, until it stops falling."""
    shares = np.array([each.weight for each in boosts])
    shares /= shares.sum()
    losses: list[float] = []
    while len(losses) < most:
        found = np.array(run(boosts, min(_ROUNDS_AT_A_TIME, most - len(losses))))
        losses.extend((shares @ np.nan_to_num(found, nan=np.inf)).tolist())
        if watch is not None:
            watch(depth, len(losses), losses[-1])
        best = _best(losses)
        if len(losses) - best >= max(_LEAST_PATIENCE, best // 2):
            break
    return losses


def _best(losses: list[float]) -> int:
    """Return the number of rounds of least loss; of equal losses the fewest rounds."""
    least = min(losses)
    enough = least + _LEAST_GAIN * abs(least)
    return next(number for number, loss in enumerate(losses, 1) if loss <= enough)
