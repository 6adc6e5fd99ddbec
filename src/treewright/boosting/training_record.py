"""The losses of training rows after each round, and of those that a round has not drawn.

They are computed when they are asked for: in every round they would take a tenth of its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from treewright.array_types import BoolArray, FloatArray, UInt64Array
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.losses.base import Loss
from treewright.boosting.problem import BoostingProblem
from treewright.boosting.scores_by_round import scores_by_round
from treewright.core import rows_of_round

MOST_ROWS = 10_000
"""Rows that are kept for the purpose: more say the same."""
_GOLDEN = 0x9E3779B97F4A7C15
"""The step between the keys of rounds; any odd number would do."""


def key_of_round(seed: int, number: int) -> int:
    """Return the key of a round's random numbers."""
    return (seed + number * _GOLDEN) % 2**64


def keys_of_rounds(seed: int, first: int, last: int) -> UInt64Array:
    """Return the keys of the rounds from `first` on, before `last`."""
    steps = np.arange(last - first, dtype=np.uint64) * np.uint64(_GOLDEN)  # beyond 2**64 from 0 on
    return np.uint64(key_of_round(seed, first)) + steps


@dataclass(frozen=True, kw_only=True)
class RoundDraws:
    """How the rows of rounds are drawn, from round `first` (from 0) on."""

    first: int
    seed: int
    share: float


@dataclass(frozen=True, kw_only=True)
class TrainingFigures:
    """Mean losses of training rows.

    Attributes
    ----------
    start
        Before the first round.
    train_loss
        After each round, of the rows that it has drawn.
    oob_loss, oob_improvement
        After each round, of the rows that it has not drawn, and by how much it lowered the loss;
        NaN where there are none.
    """

    start: float
    train_loss: FloatArray
    oob_loss: FloatArray
    oob_improvement: FloatArray


class TrainingRecord:
    """The training rows that losses are computed for, 10,000 drawn from them if there are more.

    Parameters
    ----------
    problem
        The training rows.
    seed
        Of the draw.
    """

    def __init__(self, problem: BoostingProblem, *, seed: int) -> None:
        rows = np.arange(len(problem.y))
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_ROWS, replace=False))
        # Whole groups are drawn by all their rows, which are not all kept.
        self._hashes = None if problem.groups is None else problem.draw_hashes()[rows]
        self._problem = problem.take(rows)  # a copy: the table may change once the model is fitted

    def figures(self, model: BoostedEnsemble, draws: Sequence[RoundDraws]) -> TrainingFigures:
        """Return the losses after each round of a model, whose rounds drew rows so."""
        problem = self._problem
        scores = problem.first_scores(model.base)
        all_rows = np.ones(len(problem.y), dtype=np.bool_)
        hashes: UInt64Array | None = None
        if any(each.share < 1.0 for each in draws):
            hashes = problem.draw_hashes() if self._hashes is None else self._hashes
        lines = []
        own_loss = partial(self._loss_after, model)
        start = self._mean(own_loss(0), scores, all_rows)
        for number, following in enumerate(scores_by_round(model, problem.table, scores)):
            before, scores = scores, following
            own = next(each for each in reversed(draws) if each.first <= number)
            is_drawn = all_rows if hashes is None else _drawn(hashes, own, number)
            after, is_out = partial(self._mean, own_loss(number + 1), scores), ~is_drawn
            left_before = self._mean(own_loss(number), before, is_out)
            lines.append((after(is_drawn), after(is_out), left_before))
        train, left, before_them = np.array(lines).reshape(-1, 3).T
        return TrainingFigures(
            start=start, train_loss=train, oob_loss=left, oob_improvement=before_them - left
        )

    def _loss_after(self, model: BoostedEnsemble, n_rounds: int) -> Loss:
        loss, thresholds = self._problem.loss, model.thresholds
        return loss if thresholds is None else loss.with_thresholds(thresholds[n_rounds])

    def _mean(self, loss: Loss, scores: FloatArray, rows: Any) -> float:
        problem = self._problem
        if not rows.any():
            return float("nan")
        weight = None if problem.weight is None else problem.weight[rows]
        return loss.mean(scores[rows], problem.y[rows], weight)


def _drawn(hashes: UInt64Array, draws: RoundDraws, number: int) -> BoolArray:
    if draws.share >= 1.0:
        return np.ones(len(hashes), dtype=np.bool_)
    is_drawn = np.zeros(len(hashes), dtype=np.bool_)
    is_drawn[rows_of_round(hashes, draws.share, key_of_round(draws.seed, number))] = True
    return is_drawn
