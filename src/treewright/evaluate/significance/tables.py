"""The test of two learners over several tables: Wilcoxon's signed ranks."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from treewright.array_types import FloatArray
from treewright.evaluate.intervals.interval import ALTERNATIVES, Alternative, Interval
from treewright.evaluate.significance.hypothesis_test import HypothesisTest
from treewright.evaluate.significance.pairs import paired, ranked_alike
from treewright.parameters import check_choice

Zeros: TypeAlias = Literal["split", "drop", "pratt"]
ZEROS: tuple[Zeros, ...] = get_args(Zeros)

_SCIPY_ZEROS: dict[Zeros, Literal["zsplit", "wilcox", "pratt"]] = {
    "split": "zsplit",
    "drop": "wilcox",
    "pratt": "pratt",
}


def wilcoxon(
    first: ArrayLike,
    second: ArrayLike,
    *,
    zeros: Zeros = "split",
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return Wilcoxon's signed-rank test over tables (Wilcoxon 1945, Biom. Bull. 1).

    It asks which learner wins by more, without taking differences on several tables for normal:
    the test of choice for two learners on several tables (Demsar 2006, JMLR 7, section 3.1.3). It
    is scipy's, exact for small numbers of tables.

    Parameters
    ----------
    first, second
        The score of either learner on each table.
    zeros
        What differences of 0 count: ``"split"`` gives half of their ranks to either learner
        (Demsar), ``"drop"`` leaves them out (Wilcoxon), ``"pratt"`` ranks and then leaves them out
        (Pratt 1959).
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"``: the score of the first learner.

    Returns
    -------
    HypothesisTest
        The statistic is that of scipy: the smaller sum of ranks; one-sided, that of the first's
        wins. The difference is the median of the means of all pairs of differences (Hodges and
        Lehmann 1963), with the interval of the differences that the test does not reject. The
        effect size is the rank-biserial correlation (Kerby 2014): 1 if the first learner always
        wins. If all differences are 0, p is 1.

    Examples
    --------
    >>> first = [0.79, 0.88, 0.67, 0.91, 0.83, 0.75, 0.94]
    >>> second = [0.77, 0.87, 0.68, 0.87, 0.80, 0.70, 0.88]
    >>> print(wilcoxon(first, second))
    Wilcoxon's test: W = 1.5, p = 0.0469; difference +0.030, +0.005 to +0.050 (95 %)
    """
    check_choice("zeros", zeros, ZEROS)
    check_choice("alternative", alternative, ALTERNATIVES)
    given = paired(first, second, name="Wilcoxon test", pairs="tables", least=1)
    differences = ranked_alike(given, first, second)
    statistic, p_value, note = 0.0, 1.0, "all differences are 0: p = 1 by convention"
    if differences.any():
        result = _scipy_test(differences, zeros, alternative)
        statistic, p_value, note = float(result.statistic), float(result.pvalue), ""
    return HypothesisTest(
        name="Wilcoxon's test",
        null="differences over tables are symmetric around 0",
        statistic=statistic,
        symbol="W",
        df=None,
        p_value=p_value,
        alternative=alternative,
        n=len(differences),
        pairs="tables",
        difference=float(np.median(_pair_means(differences))),
        effect_size=_rank_biserial(differences),
        effect="rank-biserial correlation",
        note=note,
        ends=partial(_interval, differences, zeros, alternative, p_value),
    )


def _scipy_test(differences: FloatArray, zeros: Zeros, alternative: Alternative) -> Any:
    return stats.wilcoxon(differences, zero_method=_SCIPY_ZEROS[zeros], alternative=alternative)


def _pair_means(differences: FloatArray) -> FloatArray:
    one, two = np.triu_indices(len(differences))
    return np.sort((differences[one] + differences[two]) / 2)


def _rank_biserial(differences: FloatArray) -> float:
    known = differences[differences != 0]
    ranks = stats.rankdata(np.abs(known))
    return float(np.sum(np.sign(known) * ranks) / np.sum(ranks)) if len(known) else 0.0


def _interval(
    differences: FloatArray, zeros: Zeros, alternative: Alternative, p_value: float, level: float
) -> Interval:
    """Return the differences that the test, with them taken off, does not reject.

    The p-value changes only where the difference passes the mean of a pair (Hollander, Wolfe and
    Chicken 2013, section 3.3), so that it is asked between two of these, by bisection.
    """
    means = np.unique(_pair_means(differences))
    between = np.concatenate([[means[0] - 1], (means[1:] + means[:-1]) / 2, [means[-1] + 1]])

    def is_kept(gap: int) -> bool:
        moved = differences - between[gap]
        return bool(_scipy_test(moved, zeros, alternative).pvalue > 1 - level)

    gaps = range(len(between))
    centre = len(between) // 2
    low, high = -math.inf, math.inf
    if alternative != "less":
        below = bisect_left(gaps, True, 0, centre, key=is_kept)
        low = means[below - 1] if below > 0 else -math.inf
    if alternative != "greater":
        above = bisect_left(gaps, True, centre, key=lambda gap: not is_kept(gap))
        high = means[above - 1] if above < len(between) else math.inf
    # Differences of 0, and ties, make the test at 0 another than just beside it.
    if p_value > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low < 0 < high:
        low, high = (0.0, high) if np.median(means) > 0 else (low, 0.0)
    return Interval(
        value=float(np.median(_pair_means(differences))),
        low=float(low),
        high=float(high),
        level=level,
        method="Wilcoxon's test",
        is_difference=True,
    )
