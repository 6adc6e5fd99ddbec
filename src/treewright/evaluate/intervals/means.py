"""Intervals of means: of a score over folds, of a loss over rows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import DataError
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.interval import Interval, around, deviate
from treewright.measures.checks import as_values
from treewright.parameters import check_number


def fold_mean(
    scores: ArrayLike,
    *,
    test_to_train: float | None = None,
    level: float = 0.95,
    is_share: bool = False,
) -> Interval:
    """Return the interval of the mean of one score per fold, by Student's t.

    Folds share training rows, so that their scores vary less around each other than around the
    truth: the plain interval is too narrow. With `test_to_train`, the variance of the mean is
    (1/k + n_test/n_train) s² instead of s²/k (Nadeau and Bengio 2003, Mach. Learn. 52).

    Parameters
    ----------
    scores
        One score per fold, or per fold of each repetition.
    test_to_train
        Rows tested over rows trained on in each fold: 1/9 for ten folds. None gives the plain
        interval.
    level
        Confidence level.
    is_share
        Whether the score is a share, such as an error; the interval then ends at 0 and 1.

    Returns
    -------
    Interval
        Without bounds for a single fold, which shows no variation.

    Examples
    --------
    >>> accuracies = [0.8, 0.85, 0.9, 0.75, 0.8]
    >>> print(fold_mean(accuracies, is_share=True))
    82.0 %, 74.9 to 89.1 % (95 %)
    >>> print(fold_mean(accuracies, is_share=True, test_to_train=1 / 4))
    82.0 %, 71.4 to 92.6 % (95 %)
    """
    values = as_values(scores, name="scores")
    if values.size == 0:
        raise DataError("scores is empty; a mean needs the score of at least one fold.")
    return around(
        math.fsum(values) / len(values),
        fold_error(values, test_to_train=test_to_train),
        df=len(values) - 1,
        level=level,
        method="t" if test_to_train is None else "corrected resampled t",
        bounds=(0.0, 1.0) if is_share else (-math.inf, math.inf),
        is_share=is_share,
    )


def fold_error(values: ArrayLike, *, test_to_train: float | None = None) -> float:
    """Return the standard error of the mean over folds, corrected as :func:`fold_mean` says.

    Infinite for one fold.

    Examples
    --------
    >>> round(fold_error([0.05, 0.05, 0.05, -0.05, 0.05]), 6)
    0.02
    """
    check_number("test_to_train", test_to_train, low=0.0, optional=True)
    found = as_values(values, name="values")
    if len(found) < 2:
        return math.inf
    # Equal values have no spread, whatever rounding their mean has.
    variance = float(np.var(found, ddof=1)) if np.ptp(found) > 0 else 0.0
    return math.sqrt(variance * (1 / len(found) + (test_to_train or 0.0)))


def row_mean(
    losses: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    level: float = 0.95,
) -> Interval:
    """Return the interval of the mean of one loss per row: MAE, log loss, Brier score, cost.

    Student's t with the standard error of a weighted mean; with groups it is cluster-robust, with
    one degree of freedom fewer than there are groups.

    Parameters
    ----------
    losses
        The loss of each row.
    weights, groups
        Weights of the rows, and their groups, as for :func:`share`.
    bounds
        The least and the greatest value that the mean can have, such as ``(0, inf)``.
    level
        Confidence level.

    Returns
    -------
    Interval
        From bound to bound where there are fewer than two rows (or groups); NaN without rows.

    Examples
    --------
    >>> print(row_mean([1.0, 2.0, 0.0, 3.0], bounds=(0.0, float("inf"))))
    1.500, 0.000 to 3.554 (95 %)
    """
    values = as_values(losses, name="losses")
    rows = Clusters.read(len(values), weights, groups)
    return around(
        rows.mean(values),
        rows.mean_error(values),
        df=rows.n_groups - 1,
        level=level,
        method="t" + rows.words,
        bounds=bounds,
    )


def root_mean_square(
    residuals: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the interval of the root mean squared error, by the delta method.

    On the logarithm, where the estimate is nearer to normal and cannot become negative:
    RMSE · exp(± t se(MSE) / (2 MSE)) (Lehmann and Casella 1998, section 1.8).

    Parameters
    ----------
    residuals
        Actual less predicted number of each row.
    weights, groups, level
        As for :func:`row_mean`.

    Examples
    --------
    >>> print(root_mean_square([1.0, -2.0, 0.5, 3.0, -1.0, 0.0]))
    1.594, 0.778 to 3.265 (95 %)
    """
    values = as_values(residuals, name="residuals")
    largest = float(np.abs(values).max(initial=0.0)) or 1.0  # squares stay finite
    squares = (values / largest) ** 2
    rows = Clusters.read(len(values), weights, groups)
    mean, error = rows.mean(squares), rows.mean_error(squares)
    found = largest * math.sqrt(mean)
    method = "delta" + rows.words
    if not math.isfinite(error):
        return Interval(value=found, low=0.0, high=math.inf, level=level, method=method)
    reach = deviate(level, df=rows.n_groups - 1) * error / (2 * mean) if mean else 0.0
    factor = math.exp(min(reach, 700.0))  # beyond, a float overflows
    return Interval(
        value=found, low=found / factor, high=found * factor, level=level, method=method
    )
