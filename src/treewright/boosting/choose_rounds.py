"""How many rounds to boost, and how deep trees go: chosen by cross-validation.

Rounds that are too few miss what the table says, rounds that are too many learn its noise, and how
many are right differs by a factor of thirty from table to table; the number that makes the loss of
rows left out least is what is looked for (Hastie, Tibshirani and Friedman 2009, section 10.12).
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
"""Different rows from which a fifth of them says anything."""
_LEAST_PATIENCE = 40
_ROUNDS_AT_A_TIME = 8
_LEAST_GAIN = 1e-7
"""As a share of the loss; less is rounding, which may depend on how rows are written down."""

Watch = Callable[[int | None, int, float], None]
"""Is told of the depth, the rounds made so far and the loss after the last of them."""


def folds_of(problem: BoostingProblem) -> Int64Array | None:
    """Return the fold that leaves each row out, -1 for rows that weigh nothing; None for few rows.

    Rows are dealt out in turn, class by class, in an order that follows from their content; those
    that are alike share a fold. So neither the order of the rows nor whether a row is written twice
    or weighs 2 matters.
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
    """Choose the rounds, and the depth where it is left open.

    Parameters
    ----------
    problem
        What is boosted.
    options
        How; `n_estimators` is the most rounds that are tried.
    folds
        The fold of each row, as :func:`folds_of` gives them.
    watch
        Follows what is tried.
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
    """Boosting on the rows of the other folds, judged by those of one."""

    def __init__(
        self, learn: BoostingProblem, judge: BoostingProblem, options: BoostingOptions
    ) -> None:
        weight = judge.weight
        self.weight = float(len(judge.y) if weight is None else weight.sum())
        self._boosting = Boosting(learn, options, make=_no_model, validation=judge)
        self._n_rounds = 0

    def more(self, n_rounds: int, stop: threading.Event) -> list[float]:
        """Return the losses after each of so many rounds more."""
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
"""Makes so many rounds more in each fold, and gives their losses."""


@contextmanager
def _side_by_side(n_threads: int) -> Iterator[Run]:
    """Boost folds, several at a time; Ctrl-C ends them between rounds."""
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
    """Return the mean loss of the rows left out after each round, until it falls no more."""
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
    """Return the rounds after which the loss is least, the fewest of those alike."""
    least = min(losses)
    enough = least + _LEAST_GAIN * abs(least)
    return next(number for number, loss in enumerate(losses, 1) if loss <= enough)
