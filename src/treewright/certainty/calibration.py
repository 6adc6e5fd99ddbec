"""Maps that make probabilities true: of the rows told 70 %, 70 % are of the class.

A map is learned from probabilities of rows that the model had not seen; class weights are undone
first, so that probabilities are those of the table as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import isotonic_regression

from treewright.array_types import Array, FloatArray, Int64Array

_TIMES_LEAST = np.array([1e-6, 1.0, 4.0, 16.0, 64.0])
"""What is tried of the classes' shares to be mixed in, times what n rows cannot rule out."""
_MOST_MIXED = 0.1
_MOST_TEMPERATURE = 50.0
_STEPS = 15
_LEAST_GAIN = 1e-6
"""Log loss that a Newton step has to gain for another: the next gains about its square."""
_MOST_ROWS = 10_000
"""Rows that a temperature is learned from: two numbers need no more."""
_FEW_ROWS = 1_000
"""Rows by which one of a few probabilities is chosen."""


class Calibration(Protocol):
    """A map from probabilities, rows x classes, to truer ones."""

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return calibrated probabilities."""

    def told(self) -> str:
        """Return what it does, in words."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shares:
    """Puts the shares of the classes in the table back, after class weights have changed them.

    A class that was trained on with `factor` times its weight is `factor` times too probable:
    Elkan, *The Foundations of Cost-Sensitive Learning*, IJCAI 2001, theorem 2; Saerens et al. 2002.

    >>> Shares(factor=np.array([1.0, 9.0]))(np.array([[0.5, 0.5]])).round(3).tolist()
    [[0.9, 0.1]]
    """

    factor: FloatArray

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return probabilities by the shares of the table."""
        with np.errstate(divide="ignore"):
            divided = np.where(self.factor > 0, probabilities / self.factor, 0.0)
        return _normalized(divided, probabilities)

    def told(self) -> str:
        """Return what it does, in words."""
        return "class shares of the table put back"


@dataclass(frozen=True, kw_only=True, eq=False)
class Temperature:
    """Makes probabilities less, or more, extreme, and moves those of each class: p ** (1/T) * c.

    Guo et al., *On Calibration of Modern Neural Networks*, ICML 2017, with the factor of each class
    that Alexandari, Kundaje and Shrikumar (ICML 2020) add; divided by their sum. Before it, a part
    `mixed` of the classes' shares is mixed in, as votes of finitely many trees tell 0 of what is
    possible.

    Parameters
    ----------
    temperature, log_factor
        T, and the logarithm of c for each class.
    mixed, shares
        The part mixed in, and the shares of the classes.

    Examples
    --------
    >>> even = np.array([0.5, 0.5])
    >>> softer = Temperature(temperature=2.0, log_factor=np.zeros(2), mixed=0.0, shares=even)
    >>> softer(np.array([[0.9, 0.1], [0.5, 0.5]])).round(3).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """

    temperature: float
    log_factor: FloatArray
    mixed: float
    shares: FloatArray

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return tempered probabilities."""
        mixed = (1.0 - self.mixed) * probabilities + self.mixed * self.shares
        with np.errstate(divide="ignore"):
            tempered = np.log(mixed) / self.temperature + self.log_factor
        calibrated: FloatArray = _softmax(tempered)
        return calibrated

    def told(self) -> str:
        """Return what it does, in words."""
        factors = ", ".join(f"{each:.3g}" for each in np.exp(self.log_factor[:6]))
        more = ", ..." if len(self.log_factor) > 6 else ""
        return f"temperature {self.temperature:.3g}, factors of the classes {factors}{more}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Isotonic:
    """Replaces probabilities by shares of rows, any increasing function; each class for itself.

    Zadrozny and Elkan, *Transforming Classifier Scores into Accurate Multiclass Probability
    Estimates*, KDD 2002; probabilities of several classes are divided by their sum. No share is
    nearer to 0 or 1 than 1 / (n + 2) for n rows.

    Parameters
    ----------
    knots, heights
        The function of each class, linear between knots.
    """

    knots: tuple[FloatArray, ...]
    heights: tuple[FloatArray, ...]

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return probabilities after each class's function."""
        if probabilities.shape[1] == 2:
            second = _between(probabilities[:, 1], self.knots[0], self.heights[0])
            return np.stack([1.0 - second, second], axis=1)
        risen = [
            _between(column, knots, heights)
            for column, knots, heights in zip(
                probabilities.T, self.knots, self.heights, strict=True
            )
        ]
        return _normalized(np.stack(risen, axis=1), probabilities)

    def told(self) -> str:
        """Return what it does, in words."""
        return "an increasing step function for each class"


@dataclass(frozen=True, kw_only=True, eq=False)
class OnGrid:
    """Rounds probabilities of two classes to steps that a map is sure to keep in order.

    Logarithms and powers are exact but for the last bits, and turn the order of probabilities round
    that differ by no more. So what is monotone by a constraint stays monotone to the last bit.

    >>> OnGrid()(np.array([[0.9, 0.1]])).round(9).tolist()
    [[0.9, 0.1]]
    """

    bits: int = 32

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return probabilities, of which the second decides."""
        second = np.ldexp(np.rint(np.ldexp(probabilities[:, 1], self.bits)), -self.bits)
        return np.stack([1.0 - second, second], axis=1)

    def told(self) -> str:
        """Return what it does, in words."""
        return f"rounded to {self.bits} bits, so that their order is kept"


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """One map after the other."""

    first: Calibration
    second: Calibration

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return probabilities after both."""
        return self.second(self.first(probabilities))

    def told(self) -> str:
        """Return what it does, in words."""
        return f"{self.first.told()}, then {self.second.told()}"


def fit_temperature(
    probabilities: FloatArray, codes: Int64Array, weight: FloatArray | None
) -> tuple[Temperature, float]:
    """Return the temperature of least log loss, and that loss."""
    rows = _some_rows(len(codes), _MOST_ROWS)
    probabilities, codes = probabilities[rows], codes[rows]
    weight = _counted(codes, None if weight is None else weight[rows])
    counts = np.bincount(codes, weight, minlength=probabilities.shape[1]) + 1.0
    shares: FloatArray = (counts / counts.sum()).astype(np.float64)
    least = 1.0 / (len(codes) + 2.0)  # n rows do not show that anything is less probable
    has_zeros = probabilities.min(initial=1.0) <= least
    best: tuple[float, Temperature] | None = None
    at: FloatArray | None = None
    for mixed in least * _TIMES_LEAST[: None if has_zeros else 1]:
        if best is not None and mixed > _MOST_MIXED:
            break
        logs = np.log((1.0 - mixed) * probabilities + mixed * shares)
        at = _newton(logs, codes, weight, at)
        slope = max(float(at[0]), 1.0 / _MOST_TEMPERATURE)
        offsets = at[1:] - at[1:].mean()
        loss = _log_loss(slope * logs + offsets, codes, weight)
        if best is not None and loss >= best[0]:
            break  # the loss falls with what is mixed in, then rises
        made = Temperature(
            temperature=1.0 / slope, log_factor=offsets, mixed=float(mixed), shares=shares
        )
        best = (loss, made)
    assert best is not None
    return best[1], best[0]


def best_tempered(
    candidates: Sequence[FloatArray], codes: Int64Array, weight: FloatArray | None
) -> int:
    """Return which of several probabilities has the least log loss after a temperature.

    They are in an order in which the loss falls, then rises: more and more even.
    """
    rows = _some_rows(len(codes), _FEW_ROWS)
    codes = codes[rows]
    weight = _counted(codes, None if weight is None else weight[rows])
    at: FloatArray | None = None
    lowest = np.inf
    for number, probabilities in enumerate(candidates):
        logs = np.log(np.maximum(probabilities[rows], _TIMES_LEAST[0] / len(codes)))
        at = _newton(logs, codes, weight, at)
        loss = _log_loss(at[0] * logs + at[1:], codes, weight)
        if loss >= lowest:
            return number - 1
        lowest = loss
    return len(candidates) - 1


def _some_rows(n_rows: int, n_most: int) -> Int64Array | slice:
    if n_rows <= n_most:
        return slice(None)
    chosen: Int64Array = np.random.default_rng(0).permutation(n_rows)[:n_most]
    return chosen


def _counted(codes: Int64Array, weight: FloatArray | None) -> FloatArray:
    """Return weights that add to the number of rows."""
    return np.ones(len(codes)) if weight is None else weight * (len(codes) / weight.sum())


def _newton(
    logs: FloatArray, codes: Int64Array, weight: FloatArray, start: FloatArray | None
) -> FloatArray:
    """Return the slope and the offsets of logarithms that have the least log loss.

    The loss is convex in both; a normal prior, of one row's weight on offsets and next to none on
    the slope, keeps them finite where rows tell nothing about them. To start from what was found
    for logarithms much alike saves half of the steps.
    """
    prior = np.zeros(logs.shape[1] + 1)
    prior[0] = 1.0
    strength = np.ones_like(prior)
    strength[0] = 1e-4
    at = prior if start is None else start
    rows = np.arange(len(codes))

    def loss(point: FloatArray) -> float:
        whole = _log_loss(point[0] * logs + point[1:], codes, weight) * float(weight.sum())
        return whole + 0.5 * float(strength @ (point - prior) ** 2)

    lowest = loss(at)
    for _ in range(_STEPS):
        told = _softmax(at[0] * logs + at[1:])
        told_weight = told * weight[:, np.newaxis]
        off = told_weight.copy()
        off[rows, codes] -= weight
        gradient = np.concatenate([[np.vdot(off, logs)], off.sum(axis=0)])
        gradient += strength * (at - prior)
        around = told_weight * (logs - (told * logs).sum(axis=1)[:, np.newaxis])
        cross = around.sum(axis=0)
        hessian = np.diag(strength)
        hessian[0, 0] += np.vdot(around, logs)
        hessian[0, 1:] += cross
        hessian[1:, 0] += cross
        hessian[1:, 1:] += np.diag(told_weight.sum(axis=0)) - told.T @ told_weight
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6 and not (reached := loss(at - size * step)) <= lowest:
            size /= 2.0
        if size <= 1e-6:
            break
        gained, lowest, at = lowest - reached, reached, at - size * step
        if gained < _LEAST_GAIN * len(codes):
            break
    return at


def fit_isotonic(
    probabilities: FloatArray, codes: Int64Array, weight: FloatArray | None
) -> tuple[Isotonic, float]:
    """Return the increasing functions of least squared error, and the log loss they have."""
    n_rows, n_classes = probabilities.shape
    nearest = 1.0 / (n_rows + 2.0)
    weight = np.ones(n_rows) if weight is None else weight
    knots, heights = [], []
    for number in [1] if n_classes == 2 else range(n_classes):
        told, place = np.unique(probabilities[:, number], return_inverse=True)
        total = np.bincount(place, weight)
        shares = np.bincount(place, weight * (codes == number)) / total
        risen = isotonic_regression(shares, weights=total).x
        knots.append(told)
        heights.append(np.clip(risen, nearest, 1.0 - nearest))
    made = Isotonic(knots=tuple(knots), heights=tuple(heights))
    logs = np.log(made(probabilities))
    return made, _log_loss(logs, codes, weight)


Fit = Callable[[FloatArray, Int64Array, FloatArray | None], tuple[Calibration, float]]

CALIBRATIONS: dict[str, Fit | None] = {
    "temperature": fit_temperature,
    "isotonic": fit_isotonic,
    "shares": None,  # known from the class weights
}
"""What `calibrate` may be, and how it is learned from answers about unseen rows."""


def _log_loss(logs: FloatArray, codes: Int64Array, weight: FloatArray) -> float:
    """Return the mean log loss of probabilities given by logarithms, up to a constant each row."""
    most = logs.max(axis=1)
    sums = np.log(np.exp(logs - most[:, np.newaxis]).sum(axis=1)) + most
    losses = sums - logs[np.arange(len(codes)), codes]
    return float(weight @ losses / weight.sum())


def _softmax(scores: FloatArray) -> FloatArray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _between(given: FloatArray, knots: FloatArray, heights: FloatArray) -> FloatArray:
    """Return the heights of a function that rises between knots; rounding never exceeds a knot's.

    >>> _between(np.array([0.0, 0.5, 3.0]), np.array([0.0, 1.0]), np.array([0.2, 0.4])).round(1)
    array([0.2, 0.3, 0.4])
    """
    left = np.searchsorted(knots, given, side="right") - 1
    last = len(knots) - 1
    low, high = heights[np.maximum(left, 0)], heights[np.minimum(left + 1, last)]
    return np.clip(np.interp(given, knots, heights), low, high)


def _normalized(parts: FloatArray, otherwise: Array) -> FloatArray:
    sums = parts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: FloatArray = np.where(sums > 0, parts / sums, otherwise)
    return shares
