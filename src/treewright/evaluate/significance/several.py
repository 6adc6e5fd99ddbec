"""Several comparisons at once: adjusted p-values, and intervals that hold together.

Each of m tests at the level S may err, so that one of them errs more often than S. Adjusted
p-values may be compared with S all the same: the probability of any false rejection is then at
most S.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.evaluate.intervals.interval import ALTERNATIVES, Alternative, Interval
from treewright.evaluate.intervals.means import fold_error
from treewright.evaluate.significance.hypothesis_test import HypothesisTest
from treewright.evaluate.significance.largest_t import extreme, largest_t
from treewright.measures.checks import as_floats, as_values
from treewright.parameters import check_choice, check_share

Adjustment: TypeAlias = Literal["holm", "bonferroni", "none"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)


def adjusted(p_values: ArrayLike, *, method: Adjustment = "holm") -> FloatArray:
    """Return p-values adjusted for their number.

    Parameters
    ----------
    p_values
        One per comparison.
    method
        ``"bonferroni"``: m p (Dunn 1961, J. Am. Stat. Assoc. 56; against a control this is the
        Bonferroni-Dunn test). ``"holm"``: (m - i + 1) p for the i-th smallest, never less than
        for a smaller one; it rejects all that Bonferroni does, and more (Holm 1979, Scand. J.
        Stat. 6).

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> adjusted([0.01, 0.04, 0.03], method="bonferroni").tolist()
    [0.03, 0.12, 0.09]
    """
    check_choice("method", method, ADJUSTMENTS)
    given = as_values(p_values, name="p_values")
    bad = np.flatnonzero((given < 0) | (given > 1))
    if len(bad):
        raise DataError(f"p_values[{bad[0]}] is {float(given[bad[0]])!r}, but must be 0 to 1.")
    if method == "none" or not len(given):
        return given.copy()
    if method == "bonferroni":
        return np.minimum(len(given) * given, 1.0)
    order = np.argsort(given, kind="stable")
    result = np.empty(len(given))
    result[order] = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    return np.minimum(result, 1.0)


@dataclass(frozen=True, kw_only=True)
class Simultaneous:
    """Several differences, with p-values and intervals for all of them together.

    Parameters
    ----------
    p_values
        Adjusted: H0 of a comparison is rejected at 1 - `level` if its p-value is at most that.
    intervals
        They hold all true differences at once with the confidence `level`; each holds 0 exactly
        if its H0 is not rejected.
    level
        Confidence level of all intervals together.
    method
        How they were made.
    """

    p_values: tuple[float, ...]
    intervals: tuple[Interval, ...]
    level: float
    method: str


def bonferroni(tests: Sequence[HypothesisTest], *, level: float = 0.95) -> Simultaneous:
    """Return adjusted p-values and intervals of several tests, of any kind.

    Each of m intervals has the level 1 - (1 - level) / m (Dunn 1961). Holm's adjustment has no such
    intervals with two ends; where they should agree with the verdict, take these or :func:`max_t`.

    Parameters
    ----------
    tests
        Tests of two learners each.
    level
        Confidence level of all intervals together.

    Examples
    --------
    >>> from treewright.evaluate.significance import paired_t
    >>> tree = [0.80, 0.84, 0.79, 0.82, 0.81]
    >>> others = [0.86, 0.88, 0.85, 0.88, 0.86], [0.81, 0.83, 0.82, 0.82, 0.80]
    >>> together = bonferroni([paired_t(each, tree) for each in others])
    >>> for interval in together.intervals:
    ...     print(interval)
    +0.054, +0.040 to +0.068 (95 %)
    +0.0040, -0.0222 to +0.0302 (95 %)
    """
    check_share("level", level)
    if not tests:
        return Simultaneous(p_values=(), intervals=(), level=level, method="Bonferroni")
    each = 1 - (1 - level) / len(tests)
    return Simultaneous(
        p_values=tuple(adjusted([test.p_value for test in tests], method="bonferroni").tolist()),
        intervals=tuple(replace(test.interval(each), level=level) for test in tests),
        level=level,
        method="Bonferroni",
    )


def max_t(
    differences: ArrayLike,
    *,
    test_to_train: float | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Simultaneous:
    """Return adjusted p-values and intervals of several paired t-tests on the same folds.

    The largest of all ``|t|`` is compared with its own distribution, for Student's t with the
    correlations that the differences have (Hothorn, Bretz and Westfall 2008, Biom. J. 50). Learners
    compared on the same folds vary together, so that this is sharper than Bonferroni. Nothing is
    drawn: the tail of the largest is computed (decision 28). A comparison without spread has
    p = 1 and, where its difference is not 0, no bounds, as :func:`paired_t` has it.

    Parameters
    ----------
    differences
        Folds x comparisons.
    test_to_train
        As for :func:`paired_t`.
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"`` than 0, for all comparisons.
    level
        Confidence level of all intervals together.

    Examples
    --------
    >>> first = [0.06, 0.04, 0.06, 0.06, 0.05]
    >>> second = [0.01, -0.01, 0.03, 0.0, -0.01]
    >>> together = max_t(np.column_stack([first, second]))
    >>> [p <= 0.05 for p in together.p_values]
    [True, False]
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_share("level", level)
    table = _as_table(differences)
    n_folds = len(table)
    means = np.array([math.fsum(column) / n_folds for column in table.T])
    errors = np.array([fold_error(column, test_to_train=test_to_train) for column in table.T])
    p_values = np.ones(len(means))
    reaches = np.where(means == 0, 0.0, math.inf)
    varying = np.flatnonzero(errors > 0)
    if len(varying):
        largest = largest_t(table[:, varying], alternative)
        deviates = extreme(means[varying] / errors[varying], alternative)
        p_values[varying] = [largest.at_least(each) for each in deviates.tolist()]
        reaches[varying] = largest.reached_with(1 - level) * errors[varying]
    intervals = tuple(
        Interval(
            value=float(mean),
            low=-math.inf if alternative == "less" else float(mean - own),
            high=math.inf if alternative == "greater" else float(mean + own),
            level=level,
            method="max-t",
            is_difference=True,
        )
        for mean, own in zip(means, reaches, strict=True)
    )
    return Simultaneous(
        p_values=tuple(p_values.tolist()), intervals=intervals, level=level, method="max-t"
    )


def _as_table(differences: ArrayLike) -> FloatArray:
    table = as_floats(differences, name="differences")
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise DataError(
            "differences must have a row for each of at least 2 folds and a column for each"
            f" comparison; its shape is {table.shape}."
        )
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0]
        value = float(table[row, column])
        raise DataError(f"differences[{row}, {column}] is {value!r}, but must be finite.")
    return table
