import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from treewright.errors import DataError, ParameterError
from treewright.evaluate.significance import average_ranks, friedman, nemenyi, sign_test, wilcoxon

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Demsar 2006 (JMLR 7), table 6: areas under the curve. In the line of voting, the paper ranks the
# equal third and fourth figures 2 and 3, by digits that it does not print.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.9751, 0.975],  # voting
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)


def test_friedman_and_nemenyi_are_those_that_demsar_published() -> None:
    assert average_ranks(DEMSAR).round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    test = friedman(DEMSAR, correct_ties=False)
    assert round(test.chi2.statistic, 2) == 9.28
    assert round(test.f.statistic, 2) == 3.69
    assert test.f.df == (3, 39)
    assert test.f.rejects(0.05)
    found = nemenyi(DEMSAR, names=NAMES)
    assert round(found.critical_difference, 2) == 1.25
    at_ten = nemenyi(DEMSAR, names=NAMES, level=0.10)
    assert round(at_ten.critical_difference, 2) == 1.12
    # "C4.5 is significantly worse than C4.5+m and C4.5+m+cf" at 0.10.
    assert [(pair.first, pair.second) for pair in at_ten.pairs if pair.p_value <= 0.10] == [
        ("C4.5+m+cf", "C4.5"),
        ("C4.5+m", "C4.5"),
    ]
    assert at_ten.alike == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert found.alike == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)


def test_wilcoxon_is_that_of_demsars_second_table() -> None:
    test = wilcoxon(DEMSAR[:, 1], DEMSAR[:, 0])
    assert test.statistic == 12  # R- = 12, R+ = 93; two differences of 0 share their ranks
    assert test.rejects(0.05)
    assert test.difference is not None
    assert test.difference > 0


# scipy goes through all 2^n signs of up to 13 tied differences, here for every gap that is asked:
# few of them, or more than it does that for.
FEW, MANY = (2, 7), (14, 20)
DIFFERENCES = st.sampled_from([FEW, MANY]).flatmap(
    lambda ends: st.lists(st.integers(-8, 8).map(float), min_size=ends[0], max_size=ends[1])
)
TEN = [3.0, -1.0, 0.0, 4.0, 4.0, 2.0, -2.0, 5.0, 1.0, 8.0]
ALTERNATIVES = ("two-sided", "less", "greater")


@settings(deadline=None, max_examples=60)
@given(
    DIFFERENCES,
    st.sampled_from(["split", "drop", "pratt"]),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from([0.05, 0.2]),
)
@example(TEN, "split", "two-sided", 0.05)
def test_wilcoxon_is_scipys_and_its_interval_does_not_contradict_it(
    differences: list[float], zeros: str, side: str, level: float
) -> None:
    nothing = np.zeros(len(differences))
    test = wilcoxon(differences, nothing, zeros=zeros, alternative=side)  # type: ignore[arg-type]
    if any(differences):
        method = {"split": "zsplit", "drop": "wilcox", "pratt": "pratt"}[zeros]
        theirs = stats.wilcoxon(differences, zero_method=method, alternative=side)  # type: ignore[arg-type]
        assert (test.statistic, test.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    else:
        assert (test.p_value, test.note) == (1, "all differences are 0: p = 1 by convention")
    interval = test.interval(1 - level)
    assert interval.low <= interval.high
    if test.rejects(level):
        assert not interval.low < 0 < interval.high
    else:
        assert 0 in interval


def test_the_interval_is_the_hodges_lehmann_one_of_the_tables() -> None:
    # n = 10 without ties: the exact interval of 95 % leaves out 8 means of pairs on either side.
    x = np.array([1.1, 2.3, -0.4, 3.7, 0.9, 5.2, 1.6, -1.3, 2.8, 4.4])
    means = np.sort([(a + b) / 2 for i, a in enumerate(x) for b in x[i:]])
    interval = wilcoxon(x, np.zeros(10)).interval()
    assert (interval.low, interval.high) == pytest.approx((means[8], means[-9]))
    assert interval.value == pytest.approx(np.median(means))


def test_few_tables_have_no_bounds() -> None:
    interval = wilcoxon([3.0, 4.0, 5.0], [1.0, 1.0, 1.0]).interval()
    assert (interval.low, interval.high) == (-math.inf, math.inf)


def test_ties_that_only_rounding_hides_are_ties() -> None:
    # 0.85 - 0.8 and 0.1 - 0.15 differ in their last digits.
    test = wilcoxon([0.85, 0.1, 0.5], [0.8, 0.15, 0.3], zeros="drop")
    assert test.statistic == 1.5


@settings(deadline=None)
@given(
    st.integers(2, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=n, max_size=n
        )
    )
)
def test_friedman_is_scipys(scores: list[list[int]]) -> None:
    table = np.array(scores, float)
    test = friedman(table)
    if (np.ptp(table, axis=1) == 0).all():
        assert (test.chi2.p_value, test.f.p_value) == (1, 1)
        assert test.f.note == "all learners tie on every table: p = 1 by convention"
        return
    theirs = stats.friedmanchisquare(*table.T)
    assert test.chi2.statistic == pytest.approx(theirs.statistic)
    assert test.chi2.p_value == pytest.approx(theirs.pvalue)
    assert friedman(-table, higher_is_better=False).chi2.statistic == pytest.approx(
        theirs.statistic
    )


def test_one_order_on_every_table_leaves_no_doubt() -> None:
    test = friedman(np.tile([0.9, 0.8, 0.7], (5, 1)))
    # 6 orders of three: the other four tables agree with the first by chance.
    assert (test.f.statistic, test.f.p_value) == (math.inf, pytest.approx(6.0**-4))
    assert "the same order on every table" in str(test.f)
    tied = friedman(np.tile([0.9, 0.9, 0.7], (5, 1)), correct_ties=True)
    assert tied.f.p_value == pytest.approx(3.0**-4)
    assert test.chi2.effect_size == pytest.approx(1)
    assert "differ on these 5 tables" in test.chi2.sentence()


def test_two_learners_have_nemenyis_test_by_the_normal_distribution() -> None:
    scores = np.array([[0.9, 0.8]] * 9 + [[0.7, 0.8]])
    (pair,) = nemenyi(scores).pairs
    assert pair.p_value == pytest.approx(2 * stats.norm.sf(0.8 * math.sqrt(10)), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: friedman([[1, 2], [3, 4]]), "compares 3 learners or more, but scores has 2."),
        (lambda: friedman([[1, 2, 3]]), r"at least 2 tables .* its shape is \(1, 3\)"),
        (
            lambda: friedman([[1, 2, 3], [1, math.nan, 3]]),
            r"scores\[1, 1\] is nan, but every learner",
        ),
        (lambda: nemenyi([[1, 2], [3, 4]], names=["a"]), "names has 1 names, but scores has 2"),
        (lambda: wilcoxon([], []), "The Wilcoxon test needs at least 1 tables, but has 0."),
        (lambda: wilcoxon([1], [math.inf]), r"second\[0\] is inf, but must be finite."),
        (lambda: wilcoxon([1], [2], zeros="keep"), "zeros='keep' must be one of"),  # type: ignore[arg-type]
        (lambda: friedman(DEMSAR).f.interval(), "compares more than two"),
        (lambda: sign_test([1], [2], alternative="more"), "alternative='more' must be one of"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_ranked_is_refused(call: object, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()  # type: ignore[operator]
