"""Weights of members, none negative and together 1, that suit answers about unseen rows best."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from treewright.array_types import FloatArray, Int64Array

LEAST_PROBABILITY = 1e-15
"""What a probability of 0 counts as in a log loss, as in scikit-learn's."""
_PRECISION = 1e-13
_RIDGE = 1e-13
_STEPS = 200
_ZERO = 1e-7
_ROUNDING = 1e-9


def least_log_loss(of_truth: FloatArray, weight: FloatArray | None = None) -> FloatArray:
    """Return the weights of the mean of probabilities that has the least log loss.

    Parameters
    ----------
    of_truth
        What each member tells of the true class, rows x members.
    weight
        Weight of each row; None if all are equal.

    Notes
    -----
    The loss is convex in the weights. At its least, no member's mean of ``p / mixture`` over the
    rows exceeds 1 (Cover, *An Algorithm for Maximizing Expected Log Investment Return*, 1984).

    Examples
    --------
    >>> least_log_loss(np.array([[0.9, 0.5], [0.8, 0.5], [0.9, 0.5]])).round(3).tolist()
    [1.0, 0.0]
    """
    told = np.maximum(of_truth, LEAST_PROBABILITY)
    told = told / told.max(axis=1, keepdims=True)  # the same weights, and no overflow
    share = _shares(len(told), weight)
    # Without the sum of weights fixed, log loss + sum has its least where they add to 1: Kim,
    # Carbonetto, Stephens and Anitescu, A Fast Algorithm for Maximum Likelihood Estimation of
    # Mixture Proportions, 2020. Newton's steps are quadratic programs in weights of 0 or more.
    at = _equal(told.shape[1])
    lowest = _loss_and_sum(told, share, at)
    for _ in range(_STEPS):
        parts = told / (told @ at)[:, np.newaxis]
        mean = share @ parts
        hessian = (parts * share[:, np.newaxis]).T @ parts
        aim = _least_form(hessian, 2.0 * mean - 1.0)
        size = 1.0
        while size > _ZERO:
            tried = at + size * (aim - at)
            if (reached := _loss_and_sum(told, share, tried)) < lowest:
                break
            size /= 2.0
        if size <= _ZERO:
            break
        gained, at, lowest = lowest - reached, tried, reached
        if gained < _PRECISION:
            break
    return _adding_to_one(at)


def least_squared_error(
    answers: FloatArray, values: FloatArray, weight: FloatArray | None = None
) -> FloatArray:
    """Return the weights of the mean of answers that has the least squared error.

    Breiman, *Stacked Regressions*, Machine Learning 24, 1996.

    Parameters
    ----------
    answers
        Of each member, rows x members.
    values
        The truth.
    weight
        Weight of each row; None if all are equal.

    Examples
    --------
    >>> answers = np.array([[1.0, 3.0], [2.0, 4.0], [3.0, 5.0]])
    >>> least_squared_error(answers, np.array([1.5, 2.5, 3.5])).round(6).tolist()
    [0.75, 0.25]
    """
    errors = answers - values[:, np.newaxis]
    share = _shares(len(errors), weight)
    products = (errors * share[:, np.newaxis]).T @ errors
    scale = float(np.trace(products)) / len(products)
    if not scale > 0.0:
        return _equal(len(products))
    # Among weights in one direction the least of w'Aw - 2 sum(w) is -1 / w'Aw of those adding to 1.
    return _adding_to_one(_least_form(products / scale, np.ones(len(products))))


def least_errors(
    votes: Int64Array, codes: Int64Array, n_classes: int, weight: FloatArray | None = None
) -> FloatArray:
    """Return the weights of votes that are wrong least often.

    Of weights that err equally often those nearer to equal votes are kept: from the best of equal
    votes, each member alone and the weights of least squared error on, members are given other
    weights one at a time as long as errors become fewer.

    Parameters
    ----------
    votes
        Code of the class that each member votes for, rows x members.
    codes
        The true classes.
    n_classes
        Number of classes.
    weight
        Weight of each row; None if all are equal.

    Examples
    --------
    >>> votes = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0]])
    >>> least_errors(votes, np.array([0, 1, 1]), 2).tolist()
    [1.0, 0.0, 0.0]
    >>> least_errors(votes[:, [0, 0]], np.array([0, 1, 1]), 2).tolist()
    [0.5, 0.5]
    """
    n_members = votes.shape[1]
    share = _shares(len(votes), weight)
    cast = votes[:, :, np.newaxis] == np.arange(n_classes)

    def error(weights: FloatArray) -> float:
        return float(share @ (decided(votes, weights, n_classes) != codes))

    truth = (codes[:, np.newaxis] == np.arange(n_classes)).astype(np.float64)
    flat = cast.transpose(0, 2, 1).reshape(-1, n_members).astype(np.float64)
    beside = np.repeat(share, n_classes)
    starts = [_equal(n_members), *np.eye(n_members)]
    starts.append(least_squared_error(flat, truth.ravel(), beside))
    errors = [error(start) for start in starts]
    at, fewest = starts[int(np.argmin(errors))], min(errors)
    improved = True
    while improved:
        improved = False
        for member in range(n_members):
            for given in np.arange(2 * n_members + 1) / n_members:
                tried = at.copy()
                tried[member] = given * at.max()
                if tried.sum() > 0.0 and (found := error(tried)) < fewest - _PRECISION:
                    at, fewest, improved = tried, found, True
    return _adding_to_one(at)


def decided(votes: Int64Array, weights: FloatArray, n_classes: int) -> Int64Array:
    """Return the code of the class with the most votes; of equally many the first.

    Sums of weights are equal if they differ by rounding alone, in whatever order they are added.
    """
    cast = votes[:, :, np.newaxis] == np.arange(n_classes)
    counted = np.einsum("nmk,m->nk", cast, weights)
    most = counted.max(axis=1, keepdims=True)
    codes: Int64Array = np.argmax(counted >= most * (1.0 - _ROUNDING), axis=1).astype(np.int64)
    return codes


def _least_form(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the weights, 0 or more, with the least of ``w' matrix w / 2 - vector' w``."""
    ridge = _RIDGE * float(np.trace(matrix))
    lower = np.linalg.cholesky(matrix + ridge * np.eye(len(matrix)))
    found: FloatArray = nnls(lower.T, solve_triangular(lower, vector, lower=True))[0]
    return found


def _loss_and_sum(told: FloatArray, share: FloatArray, weights: FloatArray) -> float:
    mixture = told @ weights
    if not mixture.min() > 0.0:
        return np.inf
    return float(weights.sum() - share @ np.log(mixture))


def _adding_to_one(weights: FloatArray) -> FloatArray:
    kept = np.where(weights > _ZERO * weights.max(), weights, 0.0)
    shares: FloatArray = kept / kept.sum()
    return shares


def _equal(n_members: int) -> FloatArray:
    return np.full(n_members, 1.0 / n_members)


def _shares(n_rows: int, weight: FloatArray | None) -> FloatArray:
    if weight is None:
        return np.full(n_rows, 1.0 / n_rows)
    shares: FloatArray = weight / weight.sum()
    return shares
