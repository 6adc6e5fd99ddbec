import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.errors import DataError, ParameterError
from treewright.evaluate.significance import (
    HypothesisTest,
    auc_difference,
    five_by_two_f,
    five_by_two_t,
    paired_rows,
    paired_t,
)

ALTERNATIVES = ("two-sided", "less", "greater")
SCORES = st.integers(0, 1000).map(lambda each: each / 1000)
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=30).filter(
    lambda pairs: np.ptp([a - b for a, b in pairs]) > 1e-6
)


def agrees_with_its_interval(test: HypothesisTest, level: float) -> bool:
    """Whether the interval of 1 - level holds 0 exactly if the test does not reject."""
    if abs(test.p_value - level) < 1e-9:
        return True
    interval = test.interval(1 - level)
    inside = interval.low < 0 < interval.high or interval.low == 0 == interval.high
    at_an_end = not inside and 0 in interval
    return at_an_end or inside != test.rejects(level)


@given(PAIRS, st.sampled_from(ALTERNATIVES), st.floats(0.01, 0.5))
def test_plain_tests_are_those_of_scipy_and_agree_with_their_intervals(
    pairs: list[tuple[float, float]], alternative: str, level: float
) -> None:
    first, second = zip(*pairs, strict=True)
    theirs = stats.ttest_rel(first, second, alternative=alternative)  # type: ignore[call-overload]
    ends = theirs.confidence_interval(1 - level)
    for ours in (paired_t, paired_rows):
        test = ours(first, second, alternative=alternative)  # type: ignore[operator]
        assert test.statistic == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9)
        assert test.df == theirs.df
        assert test.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-9)
        found = test.interval(1 - level)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=1e-9)
        assert agrees_with_its_interval(test, level)


def test_the_corrected_test_divides_by_the_larger_variance() -> None:
    first, second = [0.80, 0.85, 0.90, 0.75, 0.80], [0.75, 0.80, 0.85, 0.80, 0.75]
    corrected = paired_t(first, second, test_to_train=1 / 4)
    assert corrected.statistic == pytest.approx(1.5 * math.sqrt((1 / 5) / (1 / 5 + 1 / 4)))
    assert corrected.name == "corrected resampled t-test"
    assert corrected.p_value == pytest.approx(2 * stats.t.sf(1.0, 4))
    assert corrected.effect_size == pytest.approx(0.03 / math.sqrt(0.002))


def test_weighted_rows_count_by_their_weight_and_groups_as_one() -> None:
    first, second = np.array([1.0, 2.0, 5.0, 3.0]), np.array([0.5, 2.5, 3.0, 1.0])
    weighted = paired_rows(first, second, weights=[1, 1, 2, 0])
    assert weighted.difference == pytest.approx((0.5 - 0.5 + 2 * 2) / 4)
    repeated = paired_rows(
        np.repeat(first, 5), np.repeat(second, 5), groups=np.repeat(np.arange(4), 5)
    )
    plain = paired_rows(first, second)
    assert (repeated.statistic, repeated.df) == pytest.approx((plain.statistic, plain.df))


def test_five_by_two_follows_dietterich_and_alpaydin() -> None:
    random = np.random.default_rng(2)
    first, second = random.random((5, 2)), random.random((5, 2))
    p = first - second
    variances = p.var(axis=1, ddof=1)
    t, f = five_by_two_t(first, second), five_by_two_f(first, second)
    assert t.statistic == pytest.approx(p[0, 0] / math.sqrt(variances.mean()))
    assert t.p_value == pytest.approx(2 * stats.t.sf(abs(t.statistic), 5))
    assert f.statistic == pytest.approx((p**2).sum() / (2 * variances.sum()))
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5))


@given(
    st.lists(SCORES, min_size=10, max_size=10),
    st.lists(SCORES, min_size=10, max_size=10),
    st.floats(0.01, 0.5),
)
def test_five_by_two_agrees_with_its_intervals(
    first: list[float], second: list[float], level: float
) -> None:
    one, two = np.reshape(first, (5, 2)), np.reshape(second, (5, 2))
    assert agrees_with_its_interval(five_by_two_t(one, two), level)
    f = five_by_two_f(one, two)
    if f.difference != 0:
        assert agrees_with_its_interval(f, level)


@pytest.mark.parametrize("test", [paired_t, paired_rows])
def test_equal_scores_have_p_1_and_say_so(test: object) -> None:
    result = test([0.7, 0.8, 0.9], [0.7, 0.8, 0.9])  # type: ignore[operator]
    assert (result.statistic, result.p_value, result.effect_size) == (0, 1, None)
    assert result.note == "all differences are 0: p = 1 by convention"
    assert not result.rejects(0.999)


def test_one_difference_on_every_fold_has_no_spread_whatever_its_rounding() -> None:
    result = paired_t([0.80, 0.85, 0.90], [0.75, 0.80, 0.85])  # 0.05, but for the last digit
    assert (result.statistic, result.p_value) == (math.inf, 1)
    assert "note: the differences are all alike, no spread to measure chance by" in str(result)
    assert "these 3 folds do not decide it" in result.sentence().lower()
    for alternative in ("two-sided", "greater", "less"):
        found = paired_t([0.1, 0.2], [0.2, 0.3], alternative=alternative)  # type: ignore[arg-type]
        assert found.p_value == 1
        assert 0 in found.interval()
    nothing = np.full((5, 2), 0.5)
    assert five_by_two_f(nothing, nothing).p_value == five_by_two_t(nothing, nothing).p_value == 1
    for alike in (
        five_by_two_f(nothing + 0.1, nothing),
        five_by_two_t(nothing + 0.1, nothing),
        five_by_two_f(nothing + np.arange(5)[:, None], nothing),  # alike in each repetition
        paired_rows([1, 1, 1], [0, 0, 0]),
        auc_difference([1, 1, 0, 0], [4, 3, 2, 1], [1, 2, 3, 4]),
    ):
        assert (abs(alike.statistic), alike.p_value) == (math.inf, 1)
        assert "p = 1 by convention" in alike.note
        assert 0 in alike.interval(0.5)


def test_a_test_rejects_where_p_is_at_most_the_level_and_says_it_in_a_sentence() -> None:
    test = paired_t([0.9, 0.8, 0.9, 0.8, 0.9], [0.7, 0.7, 0.7, 0.7, 0.6])
    assert test.rejects(test.p_value)
    assert not test.rejects(test.p_value / 2)
    assert test.sentence(first="forest", second="tree", figure="accuracy") == (
        "On data like these, forest has a higher accuracy than tree:\n"
        "+0.180, +0.076 to +0.284 (95 %), p = 0.00858."
    )
    assert test.to_dict()["interval"]["level"] == 0.95
    assert pickle.loads(pickle.dumps(test)) == test


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t([0.5], [0.4]), "The paired t-test needs at least 2 folds, but has 1."),
        (lambda: paired_t([0.5, 0.6], [0.4]), "first has 2 folds and second 1."),
        (lambda: paired_t([0.5, math.nan], [0.4, 0.3]), r"first\[1\] is nan, but must be finite."),
        (lambda: paired_t([1, 2], [2, 4], alternative="both"), "alternative='both' must be one of"),  # type: ignore[arg-type]
        (lambda: paired_t([1, 2], [2, 4], test_to_train=-1), "test_to_train=-1 must be at least 0"),
        (lambda: five_by_two_t([1, 2], [2, 4]), r"five repetitions of two folds, but their shape"),
        (
            lambda: paired_rows([1, 2], [2, 4], groups=["a", "a"]),
            "needs at least 2 rows",
        ),
        (lambda: paired_t([1, 2], [2, 4]).rejects(0), "level=0 must be above 0 and below 1."),
    ],
)
def test_what_cannot_be_compared_is_refused(call: object, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()  # type: ignore[operator]
