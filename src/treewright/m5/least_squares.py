"""Least-squares regression of a target on numbers, and two ways to drop terms.

Two passes over the rows compute means and products; the fit of every subset of the terms follows
from the products alone. Numbers and target are standardised, so that an error of 1 is that of the
mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.m5.prune import error_factor

Blocks = Callable[[], Iterator[FloatArray]]
"""Function that iterates over the numbers of the rows (a column per term), in blocks of rows."""

_EXACT = 1e-20
"""Squared errors below this share of the target's variance are rounding: the fit is exact."""
_CANCELS = 1e-4
"""Below this a squared error is summed over the rows: the products would cancel."""
_FEW_TERMS = 32
"""Up to this many terms, solving again is as fast as updating an inverse."""
_ALIKE = 1e4
"""A term that the others explain but for one part in this is dropped by solving again."""
_COLLINEAR = 1.5
"""Standardised coefficient above which Weka takes a term for collinear."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """A fitted linear model in the units of the numbers.

    Parameters
    ----------
    chosen
        Positions of the terms that were kept.
    coefficients
        The coefficient of each.
    intercept
        The prediction where all terms are 0.
    """

    chosen: Int64Array
    coefficients: FloatArray
    intercept: float

    @classmethod
    def constant(cls, value: float) -> Fit:
        """Return the model without terms."""
        return cls(chosen=np.empty(0, dtype=np.int64), coefficients=np.empty(0), intercept=value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """The least-squares fit of a subset of the terms.

    Parameters
    ----------
    terms, coefficients
        The terms, and their standardised coefficients.
    ridge
        Ridge added to the variances.
    inverse
        The inverse of the covariances; None where solving again is as fast.
    """

    terms: Int64Array
    coefficients: FloatArray
    ridge: float
    inverse: FloatArray | None = None


class LeastSquares:
    """The regression of a target on any subset of some terms.

    Parameters
    ----------
    blocks
        The numbers of the rows.
    target
        The target of the rows.
    weight
        The weight of the rows; None means all 1.
    """

    def __init__(self, blocks: Blocks, target: FloatArray, weight: FloatArray | None) -> None:
        self._blocks = blocks
        n_rows = len(target)
        self._share = np.full(n_rows, 1 / n_rows) if weight is None else weight / weight.sum()
        self.target_mean = float(target @ self._share)
        off = target - self.target_mean
        self.target_sd = float(np.sqrt((off * off) @ self._share))
        self._target = off / self.target_sd if self.target_sd > 0 else off
        with np.errstate(over="ignore", invalid="ignore"):
            self._gather()

    def _gather(self) -> None:
        mean, low, high = np.zeros(1), np.full(1, np.inf), np.full(1, -np.inf)
        for rows, block in self._parts():
            mean = mean + self._share[rows] @ block
            low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        self.mean = mean
        products: FloatArray = np.zeros((len(mean), len(mean)))
        with_target = np.zeros(len(mean))
        for rows, block in self._parts():
            off = block - mean
            weighed = (off * self._share[rows, np.newaxis]).T
            products += weighed @ off
            with_target += weighed @ self._target[rows]
        sd = np.sqrt(np.diagonal(products))
        # Terms near the largest number have no finite deviation, and are left out.
        varies = (high > low) & (sd > 0) & np.isfinite(sd)
        self._unit = np.where(varies, sd, 1.0)
        self._products = products / self._unit / self._unit[:, np.newaxis]
        self._with_target = with_target / self._unit
        self.varying = np.flatnonzero(varies)

    def _parts(self) -> Iterator[tuple[slice, FloatArray]]:
        at = 0
        for block in self._blocks():
            yield slice(at, at + len(block)), block
            at += len(block)

    def solve(self, terms: Int64Array, ridge: float) -> Choice:
        """Return the fit of these terms; `ridge` is added to their variances, which are 1."""
        products = self._covariances(terms, ridge)
        solved: FloatArray
        inverse = None
        try:
            solved = np.asarray(np.linalg.solve(products, self._with_target[terms]))
            if len(terms) > _FEW_TERMS:
                inverse = np.asarray(np.linalg.inv(products))
        except np.linalg.LinAlgError:  # terms so collinear that the ridge is lost in rounding
            solved = np.linalg.pinv(products) @ self._with_target[terms]
        return Choice(terms=terms, coefficients=solved, ridge=ridge, inverse=inverse)

    def without(self, choice: Choice, place: int) -> Choice:
        """Return the fit without one of the terms."""
        fewer = np.delete(choice.terms, place)
        if choice.inverse is None or choice.inverse[place, place] > _ALIKE:
            return self.solve(fewer, choice.ridge)
        # Removing a row and column of a matrix is a rank-one update of its inverse.
        column = choice.inverse[:, place] / choice.inverse[place, place]
        inverse = choice.inverse - np.outer(column, choice.inverse[place])
        coefficients = choice.coefficients - column * choice.coefficients[place]
        return Choice(
            terms=fewer,
            coefficients=np.delete(coefficients, place),
            ridge=choice.ridge,
            inverse=np.delete(np.delete(inverse, place, axis=0), place, axis=1),
        )

    def _covariances(self, terms: Int64Array, ridge: float) -> FloatArray:
        products: FloatArray = self._products[terms[:, np.newaxis], terms]
        products.flat[:: len(terms) + 1] += ridge
        return products

    def squared_error(self, choice: Choice) -> float:
        """Return the mean squared error as a share of the variance; at least the rounding error."""
        own = choice.coefficients
        # (P + ridge) c = q, so that 1 - 2 c q + c P c = 1 - c q - ridge c c.
        error = 1.0 - float(own @ self._with_target[choice.terms]) - choice.ridge * float(own @ own)
        if error < _CANCELS:
            error = sum(float((off * off) @ share) for off, share in self._errors(choice))
        return max(error, _EXACT)

    def absolute_error(self, choice: Choice) -> float:
        """Return the mean absolute error in standard deviations; at least the rounding error."""
        error = sum(float(np.abs(off) @ share) for off, share in self._errors(choice))
        return max(error, float(np.sqrt(_EXACT)))

    def _errors(self, choice: Choice) -> Iterator[tuple[FloatArray, FloatArray]]:
        own, unit = choice.terms, self._unit[choice.terms]
        for rows, block in self._parts():
            scaled = (block[:, own] - self.mean[own]) / unit
            yield self._target[rows] - scaled @ choice.coefficients, self._share[rows]

    def least_needed(self, choice: Choice) -> int:
        """Return the position of the term whose removal raises the squared error least."""
        inverse: FloatArray
        if choice.inverse is not None:
            inverse = choice.inverse
        else:
            inverse = np.asarray(np.linalg.pinv(self._covariances(choice.terms, choice.ridge)))
        spread = np.maximum(np.diagonal(inverse), np.finfo(np.float64).tiny)
        return int((choice.coefficients**2 / spread).argmin())

    def fit(self, choice: Choice) -> Fit:
        """Return a fit in the units of the numbers and the target."""
        own = choice.terms
        with np.errstate(over="ignore", invalid="ignore"):
            coefficients = choice.coefficients * self.target_sd / self._unit[own]
            intercept = self.target_mean - float(coefficients @ self.mean[own])
        if not (np.isfinite(coefficients).all() and np.isfinite(intercept)):
            # The scales of numbers and target differ too much: a coefficient overflows.
            return Fit.constant(self.target_mean)
        return Fit(chosen=own, coefficients=coefficients, intercept=intercept)


def choose_as_weka(squares: LeastSquares, n_cases: float) -> Choice:
    """Return the fit after dropping terms as Weka's LinearRegression does (default "M5 method").

    First, repeatedly, the term of the largest standardised coefficient above 1.5: such terms
    are taken for collinear. Then the term of the smallest one, as long as Akaike's criterion
    ``error / error of all x (n - k) + 2 x parameters`` falls, n the cases and k the parameters of
    the model of all terms. The ridge of 1e-8 is added to sums over cases.
    """
    ridge = 1e-8 / n_cases
    choice = squares.solve(squares.varying, ridge)
    while len(choice.terms):
        sizes = np.abs(choice.coefficients)
        place = int(sizes.argmax())
        if not sizes[place] > _COLLINEAR:
            break
        choice = squares.without(choice, place)
    n_parameters = n_left = len(choice.terms) + 1
    if n_parameters >= n_cases:  # the criterion falls with every term dropped
        return squares.solve(choice.terms[:0], ridge)
    of_all = squares.squared_error(choice)
    least = n_cases + n_parameters
    while len(choice.terms):
        n_left -= 1
        place = int(np.abs(choice.coefficients).argmin())
        fewer = squares.without(choice, place)
        akaike = squares.squared_error(fewer) / of_all * (n_cases - n_parameters) + 2 * n_left
        if not akaike < least:
            break
        least, choice = akaike, fewer
    return choice


def choose_by_estimate(
    squares: LeastSquares, n_cases: float, error: Callable[[Choice], float]
) -> Choice:
    """Return the fit after terms are dropped while the estimate falls (Quinlan 1992, section 2).

    The estimate is the error times ``(n + v) / (n - v)`` for n cases and v parameters, and infinite
    where there are no more cases than parameters. The term whose removal raises the squared error
    least is dropped first; the papers leave open how terms are searched.

    Parameters
    ----------
    squares, n_cases
        The regression, and its number of rows.
    error
        Function that returns the error of a fit.
    """
    ridge = 1e-12  # enough to decide which of two equal terms is dropped
    choice = squares.solve(squares.varying, ridge)
    estimate = np.inf
    if len(choice.terms) + 1 < n_cases:
        estimate = error(choice) * error_factor(n_cases, len(choice.terms) + 1)
    while len(choice.terms):
        fewer = squares.without(choice, squares.least_needed(choice))
        estimated = np.inf
        if len(fewer.terms) + 1 < n_cases:
            estimated = error(fewer) * error_factor(n_cases, len(fewer.terms) + 1)
        if estimated >= estimate and estimate < np.inf:
            break
        estimate, choice = estimated, fewer
    return choice
