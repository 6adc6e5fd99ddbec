import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar

from treewright.errors import DataError, ParameterError
from treewright.evaluate.significance import HypothesisTest, mcnemar, sign_test
from treewright.evaluate.significance.wins import WIN_METHODS, score_ends

ALTERNATIVES = ("two-sided", "less", "greater")
COUNTS = st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 100)).filter(
    lambda each: sum(each) > 0
)


def of_counts(wins: int, losses: int, alike: int, **options: object) -> HypothesisTest:
    first = [1] * wins + [0] * losses + [1] * alike
    second = [0] * wins + [1] * losses + [1] * alike
    return mcnemar(first, second, **options)  # type: ignore[arg-type]


@given(COUNTS, st.sampled_from(ALTERNATIVES))
def test_the_exact_test_is_the_binomial_one(counts: tuple[int, int, int], side: str) -> None:
    wins, losses, alike = counts
    test = of_counts(*counts, alternative=side)
    if wins + losses:
        theirs = stats.binomtest(wins, wins + losses, alternative=side)  # type: ignore[arg-type]
        assert test.p_value == pytest.approx(theirs.pvalue)
    else:
        assert test.p_value == 1
        assert test.note == "neither wins on any of the rows: p = 1 by convention"
    assert test.difference == pytest.approx((wins - losses) / (wins + losses + alike))


def test_the_other_ways_are_those_of_their_papers() -> None:
    # b = 9, c = 2: chi2 = 49 / 11, corrected 36 / 11; mid-p is the exact p less P(X = 2).
    assert of_counts(9, 2, 40, method="chi2").statistic == pytest.approx(49 / 11)
    assert of_counts(9, 2, 40, method="chi2").p_value == pytest.approx(stats.chi2.sf(49 / 11, 1))
    corrected = of_counts(9, 2, 40, method="chi2_corrected")
    assert corrected.p_value == pytest.approx(stats.chi2.sf(36 / 11, 1))
    assert of_counts(9, 2, 40, method="mid_p").p_value == pytest.approx(
        2 * stats.binom.cdf(2, 11, 0.5) - stats.binom.pmf(2, 11, 0.5)
    )
    assert of_counts(3, 2, 40, method="chi2_corrected").p_value == 1
    assert of_counts(5, 5, 40, method="mid_p").p_value == 1
    assert of_counts(9, 2, 40).effect_size == pytest.approx(9 / 11 - 0.5)


@settings(max_examples=300, deadline=None)
@given(
    COUNTS,
    st.sampled_from(WIN_METHODS),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from([1e-6, 0.01, 0.05, 0.1, 0.3]),
)
def test_intervals_agree_with_the_verdict_and_hold_the_difference(
    counts: tuple[int, int, int], method: str, side: str, level: float
) -> None:
    test = of_counts(*counts, method=method, alternative=side)
    interval = test.interval(1 - level)
    assert test.difference is not None
    assert -1 <= interval.low <= test.difference + 1e-12
    assert test.difference - 1e-12 <= interval.high <= 1
    if abs(test.p_value - level) > 1e-9:
        assert (0 in interval) != test.rejects(level)


@pytest.mark.parametrize(("wins", "losses", "n"), [(12, 2, 50), (3, 9, 40), (5, 5, 20)])
def test_tangos_ends_are_where_the_score_is_extreme(wins: int, losses: int, n: int) -> None:
    for end, sign in zip(score_ends(wins, losses, n, "two-sided", 0.95), (1, -1), strict=True):

        def surprise(lost: float, end: float = end) -> float:
            alike = 1 - 2 * lost - end
            likely = wins * np.log(lost + end) + losses * np.log(lost)
            return float(-likely - (n - wins - losses) * np.log(alike))

        bounds = (max(-end, 0.0) + 1e-12, (1 - end) / 2 - 1e-12)
        lost = minimize_scalar(
            surprise, bounds=bounds, method="bounded", options={"xatol": 1e-10}
        ).x
        deviation = ((wins - losses) / n - end) / np.sqrt((2 * lost + end - end**2) / n)
        assert deviation == pytest.approx(sign * 1.959964, abs=1e-4)


def test_the_sign_test_leaves_out_ties_that_only_rounding_hides() -> None:
    test = sign_test([0.1 + 0.2, 0.9, 0.8], [0.3, 0.8, 0.7])
    assert (test.statistic, test.p_value, test.n) == (2, 0.5, 3)


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(DataError, match=r"second_right\[1\] is 0.5, but must be 0 or 1."):
        mcnemar([1, 0], [1, 0.5])
    with pytest.raises(DataError, match=r"The McNemar test needs at least 1 rows, but has 0"):
        mcnemar([], [])
    with pytest.raises(ParameterError, match=r"Hint: did you mean 'mid_p'"):
        mcnemar([1], [0], method="midp")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"first has 2 rows and second 3."):
        mcnemar(np.ones(2), np.ones(3))
