import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.errors import DataError, ParameterError
from treewright.evaluate.intervals import Interval, clopper_pearson, normal, share, wilson
from treewright.evaluate.intervals.shares import SHARE_METHODS

LEVELS = st.floats(0.5, 0.999)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 500))
    return draw(st.integers(0, n)), n


@given(counts(), LEVELS)
def test_wilson_and_clopper_pearson_are_those_of_scipy(
    k_of_n: tuple[int, int], level: float
) -> None:
    test = stats.binomtest(*k_of_n)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        found, theirs = ours(*k_of_n, level=level), test.proportion_ci(level, method)  # type: ignore[arg-type]
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(counts(), LEVELS)
def test_the_normal_interval_is_that_of_the_binomial_variance(
    k_of_n: tuple[int, int], level: float
) -> None:
    k, n = k_of_n
    low, high = stats.norm.interval(level, k / n, max(stats.binom.std(n, k / n) / n, 1e-300))
    found = normal(k, n, level=level)
    assert (found.low, found.high) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-9)


@given(counts(), LEVELS, st.sampled_from(SHARE_METHODS))
def test_the_share_found_is_inside_and_so_are_the_ends_of_0_to_1(
    k_of_n: tuple[int, int], level: float, method: str
) -> None:
    k, n = k_of_n
    found = share([1] * k + [0] * (n - k), level=level, method=method)  # type: ignore[arg-type]
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value == k / n


@pytest.mark.parametrize("interval", [wilson, normal, clopper_pearson])
def test_without_rows_nothing_is_known(interval: object) -> None:
    found = interval(0, 0)  # type: ignore[operator]
    assert math.isnan(found.value)
    assert (found.low, found.high) == (0, 1)
    assert str(found) == "not known, 0.0 to 100.0 % (95 %)"


def test_all_hits_and_none_leave_a_width_but_for_the_normal_interval() -> None:
    assert wilson(0, 20).low == 0 < wilson(0, 20).high
    assert wilson(20, 20).high == 1 > wilson(20, 20).low
    assert clopper_pearson(20, 20).low == pytest.approx(0.025 ** (1 / 20))
    assert normal(0, 20).high == 0


def test_equal_weights_change_nothing_and_their_scale_does_not_matter() -> None:
    hits = [1, 0, 1, 1, 0, 1, 1]
    plain = share(hits)
    for weight in (1e-200, 1.0, 7.0, 1e200):
        weighted = share(hits, weights=[weight] * 7)
        assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
    assert weighted.method == "Wilson"


def test_unequal_weights_count_as_fewer_rows() -> None:
    found = share([1, 1, 0, 0], weights=[3, 1, 1, 1])
    n = 36 / 12  # Kish
    expected = wilson(n * 4 / 6, n)
    assert (found.value, found.low, found.high) == pytest.approx(
        (4 / 6, expected.low, expected.high)
    )
    assert found.method == "Wilson, weighted"


def test_a_row_of_weight_0_is_no_row() -> None:
    with_it = share([1, 0, 1, 0], weights=[1, 1, 1, 0])
    assert with_it.low == pytest.approx(share([1, 0, 1]).low)


def test_groups_of_one_row_have_the_plain_interval_but_for_students_t() -> None:
    hits = np.arange(400) % 4 == 0
    grouped, plain = share(hits, groups=np.arange(400)), share(hits)
    assert (grouped.low, grouped.high) == pytest.approx((plain.low, plain.high), abs=5e-4)
    assert grouped.low <= plain.low


def test_rows_that_repeat_in_a_group_add_nothing() -> None:
    hits = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 1] * 4)
    once = share(hits, groups=np.arange(40))
    tenfold = share(np.repeat(hits, 10), groups=np.repeat(np.arange(40), 10))
    assert (tenfold.low, tenfold.high) == pytest.approx((once.low, once.high), abs=1e-9)


def test_groups_without_a_miss_count_as_one_row_each() -> None:
    found = share([1] * 100, groups=np.repeat(np.arange(10), 10))
    assert found.high == 1
    assert found.low < wilson(10, 10).low < wilson(100, 100).low


def test_one_group_leaves_everything_open() -> None:
    found = share([1, 1, 0], groups=["a", "a", "a"])
    assert (found.value, found.low, found.high) == (pytest.approx(2 / 3), 0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(3, 2), "k=3 must be between 0 and 2"),
        (lambda: normal(-1, 2), "k=-1 must be"),
        (lambda: clopper_pearson(1, math.nan), "n=nan must be"),
        (lambda: wilson(1, 2, level=1.0), "level=1.0 must be above 0 and below 1."),
        (lambda: share([0, 2]), r"hits\[1\] is 2.0, but must be 0 or 1."),
        (lambda: share([0, math.nan]), r"hits\[1\] is nan, but must be finite."),
        (lambda: share([0, 1], method="wald"), "method='wald' must be one of"),  # type: ignore[arg-type]
        (lambda: share([0, 1], groups=["a"]), r"groups must hold one group for each of the 2 rows"),
        (lambda: share([0, 1], groups=["a", None]), r"groups\[1\] is None, but every row needs"),
        (lambda: share([0, 1], weights=[1, -1]), r"weights\[1\] is -1.0"),
    ],
)
def test_what_is_no_share_is_refused(call: object, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()  # type: ignore[operator]


def test_shares_print_half_up_and_differences_with_their_sign() -> None:
    assert str(normal(1, 16)).startswith("6.3 %, ")
    shown = Interval(
        value=-0.0125,
        low=-0.05,
        high=0.0025,
        level=0.9,
        method="",
        is_share=True,
        is_difference=True,
    )
    assert str(shown) == "-1.3 %, -5.0 to +0.3 % (90 %)"


def test_open_ends_are_told_in_words_and_are_no_numbers_in_a_dict() -> None:
    above = Interval(value=2.0, low=1.0, high=math.inf, level=0.95, method="t")
    assert str(above) == "2, at least 1 (95 %)"
    below = Interval(value=2.0, low=-math.inf, high=3.0, level=0.95, method="t")
    assert str(below) == "2, at most 3 (95 %)"
    nothing = Interval(value=2.0, low=-math.inf, high=math.inf, level=0.95, method="t")
    assert str(nothing) == "2, no bounds (95 %)"
    assert above.to_dict() == {"value": 2.0, "low": 1.0, "high": None, "level": 0.95, "method": "t"}
