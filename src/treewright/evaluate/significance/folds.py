"""Tests of the scores that two learners have on the same folds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, fdtri

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.evaluate.intervals.interval import Alternative, Interval
from treewright.evaluate.intervals.means import fold_error
from treewright.evaluate.significance.hypothesis_test import (
    NO_SPREAD,
    HypothesisTest,
    by_standard_errors,
)
from treewright.evaluate.significance.pairs import paired
from treewright.measures.checks import as_floats

_NULL = "both learners have the same expected score"


def paired_t(
    first: ArrayLike,
    second: ArrayLike,
    *,
    test_to_train: float | None = None,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return the paired t-test over folds, plain or corrected for the rows that folds share.

    The plain test, t = sqrt(k) m / s, takes folds for independent and finds differences where there
    are none: training sets share most of their rows. The corrected resampled t-test has
    t = m / (s sqrt(1/k + n_test/n_train)) (Nadeau and Bengio 2003, Mach. Learn. 52); for r times k
    folds it is used with all r·k differences and n_test/n_train = 1/(k - 1) (Bouckaert and Frank
    2004, PAKDD).

    Parameters
    ----------
    first, second
        The score of either learner on each fold.
    test_to_train
        Rows tested over rows trained on in each fold, for the corrected test: 1/9 for ten folds.
        None gives the plain test.
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"``, of the first learner against the second.

    Returns
    -------
    HypothesisTest
        With Cohen's d of the differences, m / s, as effect size. If all differences are the same,
        there is no spread to measure chance by: p is 1 by convention, the interval of a difference
        other than 0 has no bounds, and the note says so.

    Examples
    --------
    >>> a, b = [0.80, 0.85, 0.90, 0.75, 0.80], [0.75, 0.80, 0.85, 0.80, 0.75]
    >>> print(paired_t(a, b))
    paired t-test: t = 1.5, 4 df, p = 0.208; difference +0.0300, -0.0255 to +0.0855 (95 %)
    >>> round(paired_t(a, b, test_to_train=1 / 4).statistic, 3)
    1.0
    """
    name = "paired t-test" if test_to_train is None else "corrected resampled t-test"
    differences = paired(first, second, name=name, pairs="folds")
    mean = math.fsum(differences) / len(differences)
    return by_standard_errors(
        mean,
        fold_error(differences, test_to_train=test_to_train),
        df=len(differences) - 1,
        alternative=alternative,
        name=name,
        null=_NULL,
        n=len(differences),
        pairs="folds",
        effect_size=_cohens_d(differences),
        effect="Cohen's d",
    )


def five_by_two_t(
    first: ArrayLike, second: ArrayLike, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Return the t-test of five repetitions of two folds (Dietterich 1998, Neural Comput. 10).

    t = p(1,1) / sqrt(sum of s_i² / 5) with 5 degrees of freedom, where p(i,j) is the difference on
    fold j of repetition i, and s_i² their variance in repetition i. The numerator is a single
    difference, the first: the order of folds matters, which :func:`five_by_two_f` avoids.

    Parameters
    ----------
    first, second
        Scores, repetitions x folds: five lists of two.
    alternative
        As for :func:`paired_t`.

    Examples
    --------
    >>> a = [[0.75, 0.78], [0.74, 0.80], [0.77, 0.76], [0.79, 0.73], [0.76, 0.77]]
    >>> b = [[0.71, 0.74], [0.73, 0.75], [0.74, 0.71], [0.74, 0.72], [0.72, 0.75]]
    >>> print(five_by_two_t(a, b))
    5x2cv t-test: t = 2, 5 df, p = 0.102; difference +0.0400, -0.0114 to +0.0914 (95 %)
    """
    differences, variances = _five_by_two(first, second, name="5x2cv t-test")
    return by_standard_errors(
        float(differences[0, 0]),
        math.sqrt(math.fsum(variances) / 5),
        df=5,
        alternative=alternative,
        name="5x2cv t-test",
        null=_NULL,
        n=10,
        pairs="folds",
        effect_size=_cohens_d(differences),
        effect="Cohen's d",
    )


def five_by_two_f(first: ArrayLike, second: ArrayLike) -> HypothesisTest:
    """Return the F-test of five repetitions of two folds (Alpaydin 1999, Neural Comput. 11).

    F = sum of p(i,j)² / (2 sum of s_i²) with 10 and 5 degrees of freedom. It has no one-sided form.

    Parameters
    ----------
    first, second
        Scores, repetitions x folds: five lists of two.

    Returns
    -------
    HypothesisTest
        Its interval holds the differences that, taken off all ten, leave F below its critical
        value. Where none does, because the ten contradict each other, it is the mean alone. If the
        two differences of each repetition are alike, the convention is that of :func:`paired_t`.

    Examples
    --------
    >>> a = [[0.75, 0.78], [0.74, 0.80], [0.77, 0.76], [0.79, 0.73], [0.76, 0.77]]
    >>> b = [[0.71, 0.74], [0.73, 0.75], [0.74, 0.71], [0.74, 0.72], [0.72, 0.75]]
    >>> print(five_by_two_f(a, b))
    5x2cv F-test: F = 3.45, 10 and 5 df, p = 0.092; difference +0.0340, -0.0069 to +0.0749 (95 %)
    """
    differences, variances = _five_by_two(first, second, name="5x2cv F-test")
    spread, squares = 2 * math.fsum(variances), math.fsum((differences**2).ravel())
    note = ""
    if spread > 0:
        statistic = squares / spread
    else:
        statistic = math.inf if squares else 0.0
        note = NO_SPREAD if squares else "all differences are 0: p = 1 by convention"
    return HypothesisTest(
        name="5x2cv F-test",
        null=_NULL,
        statistic=statistic,
        symbol="F",
        df=(10, 5),
        p_value=float(fdtrc(10, 5, statistic)) if spread > 0 else 1.0,
        alternative="two-sided",
        n=10,
        pairs="folds",
        difference=float(differences.mean()),
        effect_size=_cohens_d(differences),
        effect="Cohen's d",
        note=note,
        ends=partial(_f_interval, differences, spread),
    )


def _f_interval(differences: FloatArray, spread: float, level: float) -> Interval:
    mean = float(differences.mean())
    around_mean = math.fsum(((differences - mean) ** 2).ravel())
    allowed = spread * float(fdtri(10, 5, level))
    reach = math.sqrt(max(allowed - around_mean, 0.0) / differences.size)
    if not spread and differences.any():
        reach = math.inf
    return Interval(
        value=mean,
        low=mean - reach,
        high=mean + reach,
        level=level,
        method="5x2cv F-test",
        is_difference=True,
    )


def _five_by_two(
    first: ArrayLike, second: ArrayLike, *, name: str
) -> tuple[FloatArray, FloatArray]:
    """Return the ten differences, and the variance of each repetition's two."""
    for scores in (first, second):
        shape = as_floats(scores, name="scores").shape
        if shape != (5, 2):
            raise DataError(
                f"The {name} needs the scores of five repetitions of two folds, but their shape is"
                f" {shape}.\n  Hint: paired_t(..., test_to_train=) takes any number of folds."
            )
    flat = paired(np.ravel(first), np.ravel(second), name=name, pairs="folds")
    differences = flat.reshape(5, 2)
    return differences, (differences[:, 0] - differences[:, 1]) ** 2 / 2


def _cohens_d(differences: FloatArray) -> float | None:
    """Return the mean in standard deviations (Cohen 1988, section 2.3.5); None without spread."""
    if np.ptp(differences) == 0:
        return None
    return float(differences.mean() / np.std(differences, ddof=1))
