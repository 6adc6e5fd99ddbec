"""Intervals of smooth functions of means, by their linear part: the delta method.

A figure that is a smooth function of means over rows varies as its linear part does, which is a
mean of one number per row, the row's *influence* (van der Vaart 1998, *Asymptotic Statistics*,
chapters 3 and 20).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.evaluate.intervals.interval import Interval
from treewright.evaluate.intervals.means import row_mean

_STEP = 1e-6


def delta(
    value: float,
    influence: FloatArray,
    *,
    weights: FloatArray | None = None,
    groups: ArrayLike | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    level: float = 0.95,
    is_share: bool = False,
) -> Interval:
    """Return the interval of a figure from the influence of each row.

    Parameters
    ----------
    value
        The figure.
    influence
        What a row adds to its linear part, up to a constant.
    weights, groups, level
        As for :func:`row_mean`.
    bounds
        The least and the greatest value that the figure can have.
    is_share
        Whether it is printed as a percentage.

    Examples
    --------
    The square of a mean, 2.5, has the influence 2 · 2.5 · x:

    >>> rows = np.array([1.0, 2.0, 3.0, 4.0] * 25)
    >>> print(delta(6.25, 5 * rows))
    6.250, 5.135 to 7.365 (95 %)
    """
    centred = influence - np.average(influence, weights=weights)
    found = row_mean(centred + value, weights=weights, groups=groups, level=level)
    return Interval(
        value=value,
        low=max(found.low, bounds[0]),
        high=min(found.high, bounds[1]),
        level=level,
        method="delta" + found.method.removeprefix("t"),
        is_share=is_share,
    )


def slopes(of_counts: Callable[[FloatArray], float], counts: FloatArray) -> FloatArray:
    """Return how a figure of a table changes with the share of rows in each cell.

    By central differences; 0 in cells without rows, which no row can come from.

    >>> slopes(lambda shares: float(np.trace(shares)), np.array([[3.0, 1.0], [0.0, 4.0]])).round(6)
    array([[1., 0.],
           [0., 1.]])
    """
    shares: FloatArray = counts / counts.sum()
    found = np.zeros_like(shares)
    for cell in zip(*np.nonzero(counts), strict=True):
        beside = [shares.copy(), shares.copy()]
        reach = min(_STEP, shares[cell] / 2)
        beside[0][cell] -= reach
        beside[1][cell] += reach
        found[cell] = (of_counts(beside[1]) - of_counts(beside[0])) / (2 * reach)
    return found
