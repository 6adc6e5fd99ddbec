"""Tests of how often one of two learners wins: McNemar's over rows, the sign test over tables.

Where both do alike, neither wins, and the pair says nothing about who is better. Of the others, the
first learner wins a share of one half under H0.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.optimize import brentq

from treewright.evaluate.intervals.flags import as_flags
from treewright.evaluate.intervals.interval import (
    ALTERNATIVES,
    Alternative,
    Interval,
    deviate,
)
from treewright.evaluate.significance.hypothesis_test import HypothesisTest, p_of_deviate
from treewright.evaluate.significance.pairs import paired, ranked_alike
from treewright.parameters import check_choice

WinMethod: TypeAlias = Literal["exact", "mid_p", "chi2", "chi2_corrected"]
WIN_METHODS: tuple[WinMethod, ...] = get_args(WinMethod)

_WORDS = {
    "exact": "exact",
    "mid_p": "mid-p",
    "chi2": "chi2",
    "chi2_corrected": "chi2 with continuity correction",
}
_ENDS_OF_SHARE: dict[str, Literal["exact", "wilson", "wilsoncc"]] = {
    "exact": "exact",
    "chi2": "wilson",
    "chi2_corrected": "wilsoncc",
}


def mcnemar(
    first_right: ArrayLike,
    second_right: ArrayLike,
    *,
    method: WinMethod = "exact",
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return McNemar's test of two learners on the same rows (McNemar 1947, Psychometrika 12).

    It looks at the rows on which exactly one of them is right.

    Parameters
    ----------
    first_right, second_right
        True or 1 for each row that the learner predicts rightly.
    method
        ``"exact"``: the binomial distribution. ``"mid_p"``: the same, with half the probability of
        the count found, nearer to its level (Fagerland, Lydersen and Laake 2013, BMC Med. Res.
        Methodol. 13). ``"chi2"``: ``(b - c)² / (b + c)``. ``"chi2_corrected"``: with continuity
        correction, ``(|b - c| - 1)² / (b + c)`` (Edwards 1948, Psychometrika 13).
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"``: the accuracy of the first learner.

    Returns
    -------
    HypothesisTest
        The difference is that of the accuracies; its interval is the score interval (Tango 1998,
        Stat. Med. 17), widened where the test itself is more careful. The effect size is Cohen's g:
        the share of wins less one half. Where both are right on the same rows, p is 1.

    Examples
    --------
    >>> first = [1] * 40 + [1] * 9 + [0] * 2 + [0] * 9
    >>> second = [1] * 40 + [0] * 9 + [1] * 2 + [0] * 9
    >>> print(mcnemar(first, second))
    McNemar's test, exact: wins = 9, p = 0.0654; difference +11.7 %, -0.7 to +23.5 % (95 %)
    """
    example = "y == predicted is True for each row that is right"
    one = as_flags(first_right, name="first_right", example=example)
    two = as_flags(second_right, name="second_right", example=example)
    differences = paired(one, two, name="McNemar test", pairs="rows", least=1)
    return _test_of_wins(
        int(np.count_nonzero(differences > 0)),
        int(np.count_nonzero(differences < 0)),
        len(differences),
        method=method,
        alternative=alternative,
        name="McNemar's test",
        null="both learners have the same accuracy",
        pairs="rows",
    )


def sign_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: WinMethod = "exact",
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return the sign test over tables: how often the first learner has the higher score.

    It needs no scale that tables share, and so has little power (Demsar 2006, section 3.1.4).
    Tables with equal scores count for neither learner.

    Parameters
    ----------
    first, second
        The score of either learner on each table.
    method, alternative
        As for :func:`mcnemar`.

    Returns
    -------
    HypothesisTest
        The difference is the share of tables won less the share lost.

    Examples
    --------
    >>> print(sign_test([0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.8, 0.7, 0.6, 0.8, 0.5, 0.7]))
    sign test, exact: wins = 6, p = 0.0312; difference +100.0 %, +8.1 to +100.0 % (95 %)
    """
    given = paired(first, second, name="sign test", pairs="tables", least=1)
    differences = ranked_alike(given, first, second)
    return _test_of_wins(
        int(np.count_nonzero(differences > 0)),
        int(np.count_nonzero(differences < 0)),
        len(differences),
        method=method,
        alternative=alternative,
        name="sign test",
        null="either learner wins as many tables",
        pairs="tables",
    )


def _test_of_wins(
    wins: int,
    losses: int,
    n: int,
    *,
    method: WinMethod,
    alternative: Alternative,
    name: str,
    null: str,
    pairs: str,
) -> HypothesisTest:
    check_choice("method", method, WIN_METHODS)
    check_choice("alternative", alternative, ALTERNATIVES)
    decided = wins + losses
    full_name = f"{name}, {_WORDS[method]}"
    return HypothesisTest(
        name=full_name,
        null=null,
        statistic=float(wins) if method in ("exact", "mid_p") else _chi2(wins, losses, method),
        symbol="wins" if method in ("exact", "mid_p") else "chi2",
        df=None if method in ("exact", "mid_p") else 1,
        p_value=_p_value(wins, decided, method, alternative),
        alternative=alternative,
        n=n,
        pairs=pairs,
        difference=(wins - losses) / n,
        effect_size=wins / decided - 0.5 if decided else 0.0,
        effect="Cohen's g",
        note="" if decided else f"neither wins on any of the {pairs}: p = 1 by convention",
        ends=partial(_interval, wins, losses, n, method, alternative, full_name),
    )


def _chi2(wins: int, losses: int, method: WinMethod) -> float:
    if wins + losses == 0:
        return 0.0
    apart = abs(wins - losses) - (1 if method == "chi2_corrected" else 0)
    return float(max(apart, 0) ** 2 / (wins + losses))


def _p_value(wins: int, n: int, method: WinMethod, alternative: Alternative) -> float:
    if n == 0:
        return 1.0
    if method == "exact":
        return float(stats.binomtest(wins, n, alternative=alternative).pvalue)
    if method == "mid_p":
        return _mid_p(wins, n, 0.5, alternative)
    apart = 2 * wins - n
    if method == "chi2_corrected":
        # Towards what speaks for H0: one-sided, away from the side that counts.
        towards = {"two-sided": -np.sign(apart), "greater": -1, "less": 1}[alternative]
        apart = 0 if alternative == "two-sided" and abs(apart) <= 1 else apart + int(towards)
    return p_of_deviate(apart / math.sqrt(n), df=math.inf, alternative=alternative)


def _mid_p(wins: int, n: int, share: float, alternative: Alternative) -> float:
    half = float(stats.binom.pmf(wins, n, share)) / 2
    below = float(stats.binom.cdf(wins - 1, n, share)) + half
    above = float(stats.binom.sf(wins, n, share)) + half
    both = min(2 * min(below, above), 1.0)
    return {"two-sided": both, "less": below, "greater": above}[alternative]


def _interval(
    wins: int,
    losses: int,
    n: int,
    method: WinMethod,
    alternative: Alternative,
    name: str,
    level: float,
) -> Interval:
    """Return the interval of the difference of both shares of all pairs.

    Two intervals are known: that of the wins among the decided pairs, which agrees with the test
    but takes the number of these for given, and Tango's. The wider one is taken on either side, but
    an end does not cross 0 where the test rejects.
    """
    decided = wins + losses
    low_share, high_share = _share_of_wins(wins, decided, method, alternative, level)
    given_low, given_high = ((2 * end - 1) * decided / n for end in (low_share, high_share))
    score_low, score_high = score_ends(wins, losses, n, alternative, level)
    low = given_low if given_low > 0 >= score_low else min(given_low, score_low)
    high = given_high if given_high < 0 <= score_high else max(given_high, score_high)
    return Interval(
        value=(wins - losses) / n,
        low=-1.0 if alternative == "less" else low,
        high=1.0 if alternative == "greater" else high,
        level=level,
        method=name,
        is_share=True,
        is_difference=True,
    )


def _share_of_wins(
    wins: int, n: int, method: WinMethod, alternative: Alternative, level: float
) -> tuple[float, float]:
    if n == 0:
        return 0.0, 1.0
    if method != "mid_p":
        ends = stats.binomtest(wins, n, alternative=alternative).proportion_ci(
            level, _ENDS_OF_SHARE[method]
        )
        return float(ends.low), float(ends.high)
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)

    def excess(share: float, side: Alternative) -> float:
        return _mid_p(wins, n, share, side) - tail

    # With half a probability for the count found, the tail at 0 or 1 can exceed the level.
    low = 0.0 if wins == 0 else float(brentq(excess, 0.0, 1.0, args=("greater",), xtol=1e-14))
    high = 1.0 if wins == n else float(brentq(excess, 0.0, 1.0, args=("less",), xtol=1e-14))
    return low, high


def score_ends(
    wins: int, losses: int, n: int, alternative: Alternative, level: float
) -> tuple[float, float]:
    """Return Tango's score interval of a difference of paired shares (1998, Stat. Med. 17)."""
    z = deviate(level, alternative=alternative)

    def deviation(difference: float) -> float:
        b = -wins - losses + (2 * n - wins + losses) * difference
        c = -losses * difference * (1 - difference)
        nuisance = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
        variance = n * (2 * nuisance + difference * (1 - difference))
        return (wins - losses - n * difference) / math.sqrt(max(variance, 1e-300))

    found = (wins - losses) / n
    inside = 1 - 1e-12
    ends = []
    for end, target in ((-inside, z), (inside, -z)):
        if abs(found) >= inside and end * found > 0:
            ends.append(found)
            continue
        ends.append(float(brentq(lambda at, t=target: deviation(at) - t, end, found, xtol=1e-14)))
    return ends[0], ends[1]
