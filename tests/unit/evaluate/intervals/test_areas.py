import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import areas as oracle
from sklearn.metrics import roc_auc_score

from treewright.errors import DataError
from treewright.evaluate.intervals import auc, auc_one_vs_rest, bootstrap
from treewright.evaluate.intervals.areas import area
from treewright.evaluate.significance import auc_difference

Scored = tuple[list[bool], list[float], list[float], list[float]]


@st.composite
def scored(draw: st.DrawFn) -> Scored:
    """Rows of both sides, two scores with ties, and whole weights."""
    n = draw(st.integers(4, 30))
    more = draw(st.lists(st.booleans(), min_size=n - 4, max_size=n - 4))
    flags = draw(st.permutations([True, True, False, False, *more]))
    values = st.lists(st.integers(0, 9).map(float), min_size=n, max_size=n)
    weights = st.lists(st.integers(1, 3).map(float), min_size=n, max_size=n)
    return list(flags), draw(values), draw(values), draw(weights)


@given(scored())
def test_area_and_variance_are_those_of_all_pairs(rows: Scored) -> None:
    flags, first, _, _ = rows
    found = area(flags, first)
    assert found.value == pytest.approx(oracle.area(flags, first), abs=1e-12)
    assert found.standard_error**2 == pytest.approx(
        oracle.covariance(flags, first, first), abs=1e-12
    )


@given(scored())
def test_the_difference_has_the_covariance_of_all_pairs(rows: Scored) -> None:
    flags, first, second, _ = rows
    test = auc_difference(flags, first, second)
    variance = (
        oracle.covariance(flags, first, first)
        + oracle.covariance(flags, second, second)
        - 2 * oracle.covariance(flags, first, second)
    )
    difference = oracle.area(flags, first) - oracle.area(flags, second)
    assert test.difference == pytest.approx(difference, abs=1e-12)
    if variance > 1e-9:
        assert test.statistic == pytest.approx(difference / math.sqrt(variance), abs=1e-6)


@given(scored())
def test_weighted_areas_are_those_of_scikit_learn(rows: Scored) -> None:
    flags, first, _, weights = rows
    theirs = roc_auc_score(flags, first, sample_weight=weights)
    assert area(flags, first, weights=weights).value == pytest.approx(theirs, abs=1e-12)


@settings(max_examples=50)
@given(st.data())
def test_mean_areas_of_classes_are_those_of_scikit_learn(data: st.DataObject) -> None:
    y = [*"abc", *data.draw(st.lists(st.sampled_from("abc"), min_size=3, max_size=20))]
    raw = data.draw(
        st.lists(
            st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=len(y), max_size=len(y)
        )
    )
    scores = np.array(raw, float)
    scores /= scores.sum(axis=1, keepdims=True)
    for average in ("macro", "weighted"):
        found = auc_one_vs_rest(y, scores, classes=[*"abc"], average=average)  # type: ignore[arg-type]
        theirs = roc_auc_score(y, scores, multi_class="ovr", average=average, labels=[*"abc"])
        assert found.value == pytest.approx(theirs, abs=1e-12)
        assert found.low <= found.value <= found.high


def test_two_classes_against_each_other_have_the_interval_of_one() -> None:
    random = np.random.default_rng(1)
    is_one = random.random(80) < 0.4
    score = random.normal(size=80) + is_one
    both = np.column_stack([-score, score])
    one, two = auc(is_one, score), auc_one_vs_rest(is_one, both, classes=[False, True])
    assert (one.low, one.high) == pytest.approx((two.low, two.high))


@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0])
def test_the_interval_is_near_that_of_the_bootstrap(shift: float) -> None:
    random = np.random.default_rng(3)
    is_one = np.arange(400) % 3 == 0
    score = random.normal(size=400) + shift * is_one
    delong = auc(is_one, score, scale="plain")
    drawn = bootstrap(roc_auc_score, is_one, score, strata=is_one, n_resamples=1000)
    width = delong.high - delong.low
    assert drawn.low == pytest.approx(delong.low, abs=0.1 * width)
    assert drawn.high == pytest.approx(delong.high, abs=0.1 * width)


def test_rows_that_repeat_in_a_group_add_nothing() -> None:
    random = np.random.default_rng(5)
    is_one = np.arange(60) % 2 == 0
    score = random.normal(size=60) + is_one
    once = auc(is_one, score)
    fourfold = auc(np.repeat(is_one, 4), np.repeat(score, 4), groups=np.repeat(np.arange(60), 4))
    assert fourfold.value == pytest.approx(once.value)
    assert fourfold.high - fourfold.low == pytest.approx(once.high - once.low, rel=0.03)


def test_scores_that_part_both_sides_have_wilsons_end() -> None:
    found = auc([0, 0, 0, 1, 1], [1, 2, 3, 4, math.inf])
    assert found.value == found.high == 1
    assert found.low == pytest.approx(2 / (2 + 1.959964**2), abs=1e-6)
    assert auc([1, 1, 0, 0, 0], [1, 2, 3, 4, 5]).low == 0
    weights = np.random.default_rng(0).random(90)
    assert auc(np.arange(90) > 40, np.arange(90), weights=weights).value == 1


def test_a_side_of_one_row_or_none_leaves_everything_open() -> None:
    one = auc([0, 1, 0], [1, 2, 3])
    assert (one.value, one.low, one.high) == (0.5, 0, 1)
    none = auc([0, 0], [1, 2])
    assert math.isnan(none.value)
    assert (none.low, none.high) == (0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc([0, 2], [1, 2]), r"is_positive\[1\] is 2.0, but must be 0 or 1."),
        (lambda: auc([0, 1], [1, math.nan]), r"scores\[1\] is nan, but must be a number."),
        (lambda: auc([0, 1], [1]), "scores must hold one number for each of the 2 rows"),
        (
            lambda: auc_one_vs_rest(["a", "b"], [[1, 0]], classes=["a", "b"]),
            r"scores must have a row for each of the 2 rows and a column for each of the 2 classes",
        ),
        (
            lambda: auc_one_vs_rest(["a", "a"], [[1, 0], [1, 0]], classes=["a", "b"]),
            "class 'a' has no rows or all of them",
        ),
        (lambda: auc_difference([0, 1, 1], [1, 2, 3], [1, 2, 3]), "needs at least 2 rows of the"),
    ],
)
def test_wrong_rows_are_refused(call: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()  # type: ignore[operator]
