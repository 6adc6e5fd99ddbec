"""The number of rounds, and the depth of the trees, chosen by cross-validation.

Too few rounds underfit, too many learn the noise, and the right number differs by a factor of
thirty from table to table. The number with the least loss on held-out rows is chosen (Hastie,
Tibshirani and Friedman 2009, section 10.12), by rounds of a large learning rate: as many more are
then made as the rate of the model is smaller. Losses are looked at ever more rarely: after each
round at first, after every sixteenth of the rounds made later (docs/decisions/017).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.boosting.defaults import SHAPES, final_rate, is_auto, n_folds_judged
from treewright.boosting.fit import Boosting
from treewright.boosting.options import BoostingOptions
from treewright.boosting.problem import BoostingProblem
from treewright.boosting.rounds import RoundsChoice, TriedShape
from treewright.ensemble.thread_pool import result_of
from treewright.errors import DataError

N_FOLDS = 5
LEAST_ROWS = 30
"""Rows that cross-validation needs: with fewer, a fifth of them says too little."""
_LEAST_PATIENCE = 40
"""In rounds of the model's own rate."""
_ROUNDS_PER_LOOK = 16
_LEAST_GAIN = 1e-7
"""As a share of the loss; less is rounding."""

Watch = Callable[[int | None, int, float], None]
"""A callback: takes the depth, the rounds made so far and the loss after the last of them."""


def folds_of(problem: BoostingProblem) -> Int64Array | None:
    """Return the fold that leaves each row out, -1 for rows of weight 0; None for few rows.

    Rows are dealt out in turn, class by class, in an order given by their content (weight and
    offset too), so that it does not matter in which order they are given. Copies of a row are
    dealt over the folds like any rows: kept together they would make a table of many copies look
    as if each of them was to be predicted from other rows, which it will not be. Where rows belong
    to groups, which will be predicted from other groups, whole groups are dealt out, by the
    commonest class of their rows and by size.
    """
    weight, y = problem.weight, problem.y
    counts = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0.0
    rows = np.flatnonzero(counts)
    if len(rows) < LEAST_ROWS:
        return None
    folds = np.full(len(y), -1, dtype=np.int64)
    if problem.groups is not None:
        folds[rows] = _folds_of_groups(problem.take(rows))
        return folds
    hashes = problem.draw_hashes()[rows]
    keys: list[Array] = [hashes] if weight is None else [weight[rows], hashes]
    if problem.offset is not None:
        keys = [*problem.offset[rows].T, *keys]
    if problem.loss.of_classes:
        keys.append(y[rows])
    folds[rows[np.lexsort(keys)]] = np.arange(len(rows)) % N_FOLDS
    return folds


def _folds_of_groups(problem: BoostingProblem) -> Int64Array:
    groups = problem.groups
    assert groups is not None
    if groups.n_groups < N_FOLDS:
        raise DataError(
            f"rows belong to {groups.n_groups} groups, but {N_FOLDS} are the least by which"
            " cross-validation can choose the number of rounds.\n"
            "  Hint: n_estimators=100, or another number, chooses none."
        )
    classes = problem.y if problem.loss.of_classes else None
    order = groups.in_order(problem.draw_hashes(), classes=classes)
    return groups.folds(order, N_FOLDS, classes=classes)


def choose_rounds(
    problem: BoostingProblem,
    options: BoostingOptions,
    folds: Int64Array,
    *,
    choosing_rate: float | None = None,
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
        The fold of each row, as :func:`folds_of` returns them; not all of them are judged in a
        large table.
    choosing_rate
        A larger learning rate to choose by; None is that of `options`.
    watch
        Called as the rounds proceed.
    """
    shapes = SHAPES if is_auto(options.max_depth) else ((options.max_depth, 1.0),)
    n_judged = n_folds_judged(problem.n_rows)
    parts = [
        (problem.take(learn), problem.take(judge)) for learn, judge in _splits(folds, n_judged)
    ]
    rate = choosing_rate or float(options.learning_rate)
    faster = rate / float(options.learning_rate)
    inside = max(1, options.n_threads // n_judged)
    tried = []
    with _side_by_side(options.n_threads) as run:
        for depth, share in shapes:
            if not is_auto(options.subsample):
                share = options.subsample
            own = replace(
                options, max_depth=depth, subsample=share, learning_rate=rate, n_threads=inside
            )
            boosts = [_Fold(learn, judge, own) for learn, judge in parts]
            most = max(1, round(options.n_estimators / faster))
            losses = _losses(boosts, most, _LEAST_PATIENCE / faster, run, watch, depth)
            n_best, loss = _best(losses)
            final = float(options.learning_rate)
            if choosing_rate is not None:
                final = final_rate(final, n_best)
            tried.append(
                TriedShape(
                    max_depth=depth,
                    subsample=share,
                    learning_rate=final,
                    n_rounds=max(1, round(n_best * rate / final)),
                    loss=loss,
                )
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

    def more(self, n_rounds: int, stop: threading.Event) -> float:
        """Return the loss after `n_rounds` more rounds."""
        loss = np.nan
        for left in reversed(range(n_rounds)):
            if stop.is_set():
                break
            loss = self._boosting.round(self._n_rounds, judges=left == 0).validation_loss
            self._n_rounds += 1
        return loss


def _no_model(core: Any, base: Any, thresholds: Any) -> Any:
    raise AssertionError("folds are judged, not kept")


def _splits(folds: Int64Array, n_judged: int) -> Iterator[tuple[Int64Array, Int64Array]]:
    for fold in range(n_judged):
        yield np.flatnonzero((folds >= 0) & (folds != fold)), np.flatnonzero(folds == fold)


Run = Callable[[list[_Fold], int], list[float]]
"""Makes so many more rounds in each fold, and returns the losses after them."""


@contextmanager
def _side_by_side(n_threads: int) -> Iterator[Run]:
    """Yield a function that boosts folds in a thread pool; Ctrl-C stops them between rounds."""
    stop = threading.Event()
    if n_threads == 1:
        yield lambda folds, n_more: [fold.more(n_more, stop) for fold in folds]
        return
    with ThreadPoolExecutor(min(n_threads, N_FOLDS)) as pool:

        def run(folds: list[_Fold], n_more: int) -> list[float]:
            made = [pool.submit(fold.more, n_more, stop) for fold in folds]
            return [result_of(each) for each in made]

        try:
            yield run
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _losses(
    boosts: list[_Fold],
    most: int,
    patience: float,
    run: Run,
    watch: Watch | None,
    depth: int | None,
) -> list[tuple[int, float]]:
    """Return numbers of rounds and the mean loss of the held-out rows, until it stops falling."""
    shares = np.array([each.weight for each in boosts])
    shares /= shares.sum()
    losses: list[tuple[int, float]] = []
    n_made = 0
    while n_made < most:
        n_more = min(max(1, n_made // _ROUNDS_PER_LOOK), most - n_made)
        found = np.nan_to_num(np.array(run(boosts, n_more)), nan=np.inf)
        n_made += n_more
        losses.append((n_made, float(shares @ found)))
        if watch is not None:
            watch(depth, *losses[-1])
        best, _ = _best(losses)
        if n_made - best >= max(patience, best // 2):
            break
    return losses


def _best(losses: list[tuple[int, float]]) -> tuple[int, float]:
    """Return the number of rounds of least loss; of equal losses the fewest rounds."""
    least = min(loss for _, loss in losses)
    enough = least + _LEAST_GAIN * abs(least)
    return next(pair for pair in losses if pair[1] <= enough)
