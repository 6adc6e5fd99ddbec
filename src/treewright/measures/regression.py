"""Spread of the numbers of a regression target, before and after a split.

``variance``, ``absolute_deviation`` and ``poisson_deviance`` are means over the rows; ``sse`` is
a sum, as in the textbook's section 3.6, whose weighted squared error weighs *sums* by the shares of
the branches and therefore ranks splits differently from least squares.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.measures.checks import as_values, as_weights
from treewright.parameters import check_choice

ValueMeasure = Literal[
    "variance", "standard_deviation", "fifth_root", "sse", "absolute_deviation", "poisson_deviance"
]
VALUE_MEASURES: tuple[ValueMeasure, ...] = (
    "variance",
    "standard_deviation",
    "fifth_root",
    "sse",
    "absolute_deviation",
    "poisson_deviance",
)


def variance(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the mean squared distance from the mean (by N, not N - 1; Breiman et al. 1984, 8.3).

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> variance([8, 8, 10, 10])
    1.0
    """
    y = as_values(values)
    w = as_weights(weights, y.size)
    total = float(w.sum())
    return sse(y, weights=w) / total if total > 0.0 else 0.0


def standard_deviation(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the root of the variance; its reduction is M5's SDR (Quinlan 1992, section 2).

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> standard_deviation([8, 8, 12, 12])
    2.0
    >>> error_reduction([[8, 8], [12, 12]], measure="standard_deviation")
    2.0
    """
    return math.sqrt(variance(values, weights=weights))


def fifth_root(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the fifth root of the variance, Weka's M5P's measure instead of the deviation.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> fifth_root([0, 2])
    1.0
    """
    y = as_values(values)
    counted = y[as_weights(weights, y.size) > 0.0]
    if not counted.size or (counted == counted[0]).all():
        return 0.0  # a root would magnify the rounding error of the mean
    return float(variance(y, weights=weights) ** 0.2)


def sse(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the sum of squared distances from the mean (Breiman et al. 1984, section 8.3).

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> sse([8, 8, 10, 10])
    4.0
    """
    y = as_values(values)
    w = as_weights(weights, y.size)
    if not w.sum() > 0.0:
        return 0.0
    return float(np.sum(w * (y - np.average(y, weights=w)) ** 2))


def absolute_deviation(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the mean distance from the median (absolute deviation; Breiman et al. 1984, 8.11).

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> absolute_deviation([1, 2, 9])
    2.6666666666666665
    """
    y = as_values(values)
    w = as_weights(weights, y.size)
    total = float(w.sum())
    if not total > 0.0:
        return 0.0
    order = np.argsort(y, kind="stable")
    # Any median minimises the sum; the lower one is used.
    median = y[order][np.searchsorted(np.cumsum(w[order]), total / 2.0)]
    return float(np.sum(w * np.abs(y - median)) / total)


def poisson_deviance(values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return half the mean Poisson deviance: mean of y log(y / mean), 0 log 0 = 0.

    The terms mean - y of the deviance (McCullagh & Nelder 1989, table 2.1) add up to 0.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers of the target.
    weights : array-like of shape (n_rows,), optional
        Row weights; 1 by default.

    Examples
    --------
    >>> poisson_deviance([2, 2, 2])
    0.0
    >>> round(poisson_deviance([0, 4]), 6)
    1.386294
    """
    y = as_values(values)
    w = as_weights(weights, y.size)
    if (y < 0.0).any():
        row = int(np.argmax(y < 0.0))
        raise DataError(
            f"values[{row}] is {float(y[row])!r}, but a Poisson deviance needs"
            f" numbers of at least 0."
        )
    total = float(w.sum())
    mean = float(np.sum(w * y)) / total if total > 0.0 else 0.0
    if not mean > 0.0:
        return 0.0
    return max(0.0, float(np.sum(w * xlogy(y, y / mean)) / total))


_FUNCTIONS = {
    "variance": variance,
    "standard_deviation": standard_deviation,
    "fifth_root": fifth_root,
    "sse": sse,
    "absolute_deviation": absolute_deviation,
    "poisson_deviance": poisson_deviance,
}


def weighted_error(
    parts: Sequence[ArrayLike],
    *,
    measure: ValueMeasure = "variance",
    weights: Sequence[ArrayLike] | None = None,
) -> float:
    """Return the spread of the parts of a split, each weighted by its share of the rows.

    Parameters
    ----------
    parts : sequence of array-like
        The target values of each branch.
    measure : {"variance", "standard_deviation", "fifth_root", "sse", "absolute_deviation", \
"poisson_deviance"}
        "variance" is least squares (times N, the total squared error), "standard_deviation" M5's,
        "fifth_root" M5P's, "sse" the textbook's weighted squared error.
    weights : sequence of array-like, optional
        The row weights of each branch.

    Examples
    --------
    >>> weighted_error([[8, 10], [12, 12]], measure="sse")
    1.0
    >>> 4 * weighted_error([[8, 10], [12, 12]])  # the total squared error
    2.0
    """
    check_choice("measure", measure, VALUE_MEASURES)
    sets, weights_of_part = _parts(parts, weights)
    total = sum(float(w.sum()) for w in weights_of_part)
    if not total > 0.0:
        return 0.0
    spread = _FUNCTIONS[measure]
    return sum(
        float(w.sum()) / total * spread(y, weights=w)
        for y, w in zip(sets, weights_of_part, strict=True)
    )


def error_reduction(
    parts: Sequence[ArrayLike],
    *,
    measure: ValueMeasure = "variance",
    weights: Sequence[ArrayLike] | None = None,
) -> float:
    """Return the spread of all rows minus the weighted spread of the parts.

    Parameters
    ----------
    parts, measure, weights
        As in :func:`weighted_error`.

    Examples
    --------
    >>> error_reduction([[8, 10], [12, 14]])
    4.0
    """
    check_choice("measure", measure, VALUE_MEASURES)
    sets, weights_of_part = _parts(parts, weights)
    before = _FUNCTIONS[measure](np.concatenate(sets), weights=np.concatenate(weights_of_part))
    after = weighted_error(sets, measure=measure, weights=weights_of_part)
    return max(0.0, before - after)


def _parts(
    parts: Sequence[ArrayLike], weights: Sequence[ArrayLike] | None
) -> tuple[list[FloatArray], list[FloatArray]]:
    if len(parts) == 0:
        raise DataError("parts must hold the target values of at least one branch.")
    if weights is not None and len(weights) != len(parts):
        raise DataError(
            f"weights must hold one list for each of the {len(parts)} parts,"
            f" but has {len(weights)}."
        )
    sets = [as_values(part, name=f"parts[{i}]") for i, part in enumerate(parts)]
    weights_of_part = [
        as_weights(None if weights is None else weights[i], y.size, name=f"weights[{i}]")
        for i, y in enumerate(sets)
    ]
    return sets, weights_of_part
