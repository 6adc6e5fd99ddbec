"""AdaBoost: fit a weak learner, give the rows it gets wrong more weight, and repeat.

:func:`boost_classes` is AdaBoost.M1 (Freund and Schapire 1996) and SAMME (Zhu, Zou, Rosset, Hastie
2009), :func:`boost_values` AdaBoost.R2 (Drucker 1997). Both ask a :class:`WeakLearner` for one
learner a round and know nothing else of it. The weights of the rows are kept in the core
(:class:`AdaBoostRows`), exactly: the result depends neither on the order of the rows nor on the
number of threads. The scale of the first weights has no effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.adaboost.rounds import RoundFigures
from treewright.array_types import Array, FloatArray, Int32Array
from treewright.core import AdaBoostRows
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.data.read.weights import RowWeights
from treewright.ensemble.listeners import Listener
from treewright.errors import DataError

ALGORITHMS = ("SAMME", "M1")
_ROUNDING = 1e-12
"""An error this close to guessing counts as guessing: 1 - 1/3 is not 2/3 to the last bit."""
LOSSES = ("linear", "square", "exponential")

Rows = AdaBoostRows
"""The training rows with their weights in the coming round."""
_ENDED = "a callback ended the rounds"
_LEAST_FACTOR = -600.0
"""The smallest exponent whose exponential, times a weight, is still above 0."""


class WeakLearner(Protocol):
    """Learns from weighted rows in every round and keeps the models it has learned."""

    def learn(self, rows: Rows, number: int) -> Array:
        """Learn in the round of this number (from 0); return the prediction for each training row.

        Classes are returned as their numbers (int32).
        """


@dataclass(frozen=True, kw_only=True)
class Boosted:
    """The rounds that were kept, and why there are no more."""

    rounds: tuple[RoundFigures, ...]
    stopped: str

    @property
    def alphas(self) -> FloatArray:
        """Vote weight (alpha) of each learner."""
        return np.array([figures.alpha for figures in self.rounds])

    @property
    def errors(self) -> FloatArray:
        """Weighted error of each learner."""
        return np.array([figures.error for figures in self.rounds])


def rows_of(target: ClassTarget | ValueTarget, weights: RowWeights) -> Rows:
    """Return the training rows with their weights of the first round."""
    n_rows = len(target.codes if isinstance(target, ClassTarget) else target.values)
    first = np.ones(n_rows) if weights.weight is None else weights.weight
    if not isinstance(target, ClassTarget):
        return AdaBoostRows(first, None, 0)
    codes = np.ascontiguousarray(target.codes.reshape(-1))
    return AdaBoostRows(first, codes, len(target.classes[0]))


def learn_in_round(learner: WeakLearner, rows: Rows, number: int) -> Array:
    """Return a learner's predictions in a round; an error gets a note that names the round."""
    try:
        return learner.learn(rows, number)
    except Exception as error:
        error.add_note(f"This happened to the weak learner in round {number + 1} of AdaBoost.")
        raise


def boost_classes(
    rows: Rows,
    learner: WeakLearner,
    *,
    n_classes: int,
    n_rounds: int,
    algorithm: str = "SAMME",
    learning_rate: float = 1.0,
    stop_when_correct: bool = False,
    listener: Listener[RoundFigures] | None = None,
) -> Boosted:
    """Boost classifiers by AdaBoost.M1 or SAMME.

    Parameters
    ----------
    rows
        The training rows; their weights change.
    learner
        The weak learner.
    n_classes
        Number of classes.
    n_rounds
        The largest number of rounds.
    algorithm
        ``"M1"`` needs an error below 1/2, ``"SAMME"`` one below that of guessing, 1 - 1/K, and
        adds log(K - 1) to alpha. For two classes they are the same.
    learning_rate
        Factor of alpha.
    stop_when_correct
        Stop as soon as the learners so far together classify every training row correctly.
    listener
        Called in every round; may stop boosting.
    """
    limit = 0.5 if algorithm == "M1" or n_classes < 2 else 1.0 - 1.0 / n_classes
    extra = 0.0 if algorithm == "M1" or n_classes < 2 else math.log(n_classes - 1.0)
    has_bound = n_classes == 2 and learning_rate == 1.0
    made: list[RoundFigures] = []
    stopped = f"n_estimators={n_rounds} rounds were made"
    for number in range(n_rounds):
        if listener is not None:
            listener.begin()
        predicted = learn_in_round(learner, rows, number)
        error = rows.error(predicted)
        is_done = error <= 0.0 or error >= limit - _ROUNDING
        if is_done:
            stopped = _why(error, limit, is_first=not made)
            if error > 0.0 and made:
                break
            # Alpha would be infinite or, for a first learner that must be kept, 0; scikit-learn: 1.
            alpha, kept = 1.0, 1.0
        else:
            alpha = learning_rate * (math.log((1.0 - error) / error) + extra)
            kept = reweigh_classes(rows, predicted, alpha)
        training_error = rows.vote(predicted, alpha)
        made.append(
            RoundFigures(
                error=error,
                alpha=alpha,
                sum_of_weights=kept,
                bound=2.0 * math.sqrt(error * (1.0 - error)) if has_bound else math.nan,
                training_error=training_error,
            )
        )
        is_ended = listener is not None and listener.end(made[-1])
        if is_done:
            break
        if is_ended:
            stopped = _ENDED
            break
        if stop_when_correct and training_error <= 0.0:
            stopped = "every training row is right"
            break
    return Boosted(rounds=tuple(made), stopped=stopped)


def reweigh_classes(rows: Rows, predicted: Int32Array, alpha: float) -> float:
    """Reduce the weight of rows classified correctly; return what is left of the sum of weights."""
    return rows.reward(predicted, math.exp(-alpha))


def reweigh_values(rows: Rows, losses: FloatArray, alpha: float) -> float:
    """Reduce the weights, the more the smaller a row's loss; return what is left of the sum."""
    factors = -alpha * (1.0 - losses)
    if factors.max() < _LEAST_FACTOR:  # all would be 0; only their ratios matter
        factors -= factors.max()
    return rows.multiply(np.exp(factors))


def _why(error: float, limit: float, *, is_first: bool) -> str:
    if error <= 0.0:
        return "the last learner has every row right"
    kept = "; it is kept, as there is no other" if is_first else " and was left out"
    return f"the next learner was no better than guessing (error {error:.4f} of {limit:.4g}){kept}"


def boost_values(
    rows: Rows,
    learner: WeakLearner,
    values: FloatArray,
    *,
    n_rounds: int,
    loss: str = "linear",
    learning_rate: float = 1.0,
    listener: Listener[RoundFigures] | None = None,
) -> Boosted:
    """Boost regressors by AdaBoost.R2.

    Parameters
    ----------
    rows, learner, n_rounds, learning_rate, listener
        As for :func:`boost_classes`.
    values
        The target.
    loss
        Function of the deviation, as a share d of the largest: ``"linear"`` d, ``"square"`` d^2,
        ``"exponential"`` 1 - exp(-d).
    """
    made: list[RoundFigures] = []
    stopped = f"n_estimators={n_rounds} rounds were made"
    for number in range(n_rounds):
        if listener is not None:
            listener.begin()
        predicted = learn_in_round(learner, rows, number)
        losses = losses_of(rows, predicted, values, loss, number)
        error = rows.mean(losses)
        is_done = error <= 0.0 or error >= 0.5
        if is_done:
            stopped = _why_of_values(error, is_first=not made)
            if error > 0.0 and made:
                break
            alpha, kept = 1.0, 1.0
        else:
            beta = error / (1.0 - error)
            alpha = -learning_rate * math.log(beta)
            kept = reweigh_values(rows, losses, alpha)
        made.append(
            RoundFigures(
                error=error,
                alpha=alpha,
                sum_of_weights=kept,
                bound=math.nan,
                training_error=math.nan,
            )
        )
        is_ended = listener is not None and listener.end(made[-1])
        if is_done:
            break
        if is_ended:
            stopped = _ENDED
            break
    return Boosted(rounds=tuple(made), stopped=stopped)


def losses_of(
    rows: Rows, predicted: FloatArray, values: FloatArray, loss: str, number: int
) -> FloatArray:
    """Return the loss of each row in a round, from 0 to 1; 0 for rows of weight 0."""
    deviation = np.zeros(len(values))
    counts = rows.shares() > 0
    # Halves: the difference of the two largest numbers would overflow.
    np.abs(predicted / 2.0 - values / 2.0, out=deviation, where=counts)
    largest = float(deviation.max())
    if not math.isfinite(largest):
        row = int(np.flatnonzero(~np.isfinite(deviation))[0])
        raise DataError(
            f"the weak learner predicts {predicted[row]} for row {row} in round {number + 1} of"
            " AdaBoost; it must predict numbers."
        )
    if largest > 0.0:
        deviation /= largest
    if loss == "square":
        return deviation * deviation
    if loss == "exponential":
        return -np.expm1(-deviation)
    return deviation


def _why_of_values(error: float, *, is_first: bool) -> str:
    if error <= 0.0:
        return "the last learner has every row right"
    kept = "; it is kept, as there is no other" if is_first else " and was left out"
    return f"the mean loss of the next learner was {error:.4f}, not below 1/2{kept}"
