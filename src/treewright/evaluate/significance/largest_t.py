"""The distribution of the largest of several t that vary together, computed without draws.

The t of several comparisons on the same folds are t = R' z / s: the columns of R have length 1 and
the products that the comparisons have, z is normal, and s² is a chi-square over its degrees of
freedom. z has a direction u and a length. Given the direction, the largest t is m(u) times length
over s, whose square is d F(d, df) in d dimensions: its tail is known exactly. Only the direction is
left to average over, with points that are spread evenly (Genz and Bretz 2009, *Computation of
Multivariate Normal and t Probabilities*, sections 4.1 and 4.2).

Probabilities near 0.05 are within 0.5 % of themselves for up to nine comparisons, of which none
follows from the others, and within 1.5 % for twenty; 100,000 draws are within 1.5 % for any number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, ndtri, stdtrit

from treewright.array_types import FloatArray
from treewright.evaluate.intervals.interval import Alternative

_STEPS = 100
_WIDTH = 1e-12


@dataclass(frozen=True, eq=False)
class LargestT:
    """The most extreme of several t.

    Parameters
    ----------
    of_direction
        The most extreme of the t, in each direction, where the length over s is 1.
    df
        Degrees of freedom of each t.
    n_dimensions
        Of the directions: 1 or an even number.
    """

    of_direction: FloatArray
    df: int
    n_dimensions: int

    def at_least(self, value: float) -> float:
        """Return the probability of a value or more."""
        if value == 0:
            return float(np.mean(self.of_direction >= 0))
        is_beyond = self._beyond(value)
        if value > 0:
            return float(np.mean(np.where(self.of_direction > 0, is_beyond, 0.0)))
        return float(np.mean(np.where(self.of_direction < 0, 1 - is_beyond, 1.0)))

    def _beyond(self, value: float) -> FloatArray:
        """Return the probability of a value, or one further from 0, in each direction.

        For an even number d of dimensions P(d F >= f) is x^a (1 + a y + a (a + 1) y² / 2! + ...),
        d / 2 terms, a = df / 2, x = df / (df + f) and y = 1 - x (Abramowitz and Stegun 26.6.4).
        """
        scaled = self.df * np.square(self.of_direction)
        x = scaled / (scaled + value**2)
        a = self.df / 2
        if self.n_dimensions == 1:
            beyond: FloatArray = betainc(a, 0.5, x)
            return beyond
        terms = np.ones_like(x)
        for j in range(self.n_dimensions // 2 - 1, 0, -1):
            terms = 1 + terms * (1 - x) * ((a + j - 1) / j)
        result: FloatArray = x**a * terms
        return result

    def reached_with(self, probability: float) -> float:
        """Return the least value that is reached with a probability, or a smaller one."""
        high = float(stdtrit(self.df, 1 - probability / 2))
        low, step = high, 0.1 * abs(high) + 0.1
        above = below = self._excess(high, probability)
        while below <= 0:
            low, step = low - step, 2 * step
            below = self._excess(low, probability)
        while above > 0:
            high, step = high + step, 2 * step
            above = self._excess(high, probability)
        # Regula falsi, where the end that stays twice counts half (Dowell and Jarratt 1971).
        kept = 0
        for _ in range(_STEPS):
            if high - low <= _WIDTH * max(1.0, abs(high)) or above == 0:
                break
            middle = min(max((low * above - high * below) / (above - below), low), high)
            found = self._excess(middle, probability)
            if found > 0:
                low, below = middle, found
                above, kept = (above / 2 if kept == 1 else above), 1
            else:
                high, above = middle, found
                below, kept = (below / 2 if kept == -1 else below), -1
        return high

    def _excess(self, value: float, probability: float) -> float:
        """Return how much more probable a value is, on the scale that is nearest to a line."""
        return math.log(max(self.at_least(value), 1e-300) / probability)


def largest_t(differences: FloatArray, alternative: Alternative) -> LargestT:
    """Return the distribution of the most extreme t of differences that are 0 on average.

    Parameters
    ----------
    differences
        Folds x comparisons; each varies over the folds.
    alternative
        Which side is extreme.

    Examples
    --------
    >>> one = largest_t(np.array([[0.1], [0.3], [0.2]]), "two-sided")
    >>> round(one.reached_with(0.05), 3)  # Student's t with two degrees of freedom
    4.303
    """
    centred = (differences - differences.mean(axis=0)) / np.ptp(differences, axis=0)
    # R of QR: columns of length 1, with the products that the centred differences have.
    root = np.linalg.qr(centred / np.linalg.norm(centred, axis=0), mode="r")
    root = root[np.abs(root).max(axis=1) > 1e-12]
    rank = len(root)
    n_dimensions = rank if rank == 1 else rank + rank % 2
    directions = _directions(n_dimensions)
    # einsum, as BLAS wakes its threads for a product that is done before they are.
    each = extreme(np.einsum("ji,jk->ki", directions[:rank], root), alternative)
    return LargestT(each.max(axis=0), df=len(differences) - 1, n_dimensions=n_dimensions)


def extreme(deviates: FloatArray, alternative: Alternative) -> FloatArray:
    """Return how far deviates are on the side, or sides, that are asked about."""
    if alternative == "two-sided":
        return np.abs(deviates)
    return deviates if alternative == "greater" else -deviates


def _directions(n_dimensions: int) -> FloatArray:
    """Return points of the unit sphere, dimensions x points, that are spread evenly.

    Multiples of powers of one irrational number, modulo 1, leave no part of a cube without points.
    As normal deviates they have all directions alike.
    """
    if n_dimensions == 1:
        return np.array([[1.0, -1.0]])
    root = 2.0
    for _ in range(64):  # of x^(d + 1) = x + 1
        root = (1 + root) ** (1 / (n_dimensions + 1))
    steps = root ** -np.arange(1.0, n_dimensions + 1)
    n_points = 1024 * (n_dimensions + 4)
    shares = (0.5 + np.outer(steps, np.arange(1.0, n_points + 1))) % 1
    normal = ndtri(np.clip(shares, 1e-15, 1 - 1e-15))
    found: FloatArray = normal / np.sqrt(np.square(normal).sum(axis=0))
    return found
