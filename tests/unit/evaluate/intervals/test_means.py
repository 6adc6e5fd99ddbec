import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.errors import DataError
from treewright.evaluate.intervals import fold_mean, root_mean_square, row_mean

NUMBERS = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40).filter(
    lambda values: np.ptp(values) > 1e-3
)
LEVELS = st.floats(0.5, 0.999)


@given(NUMBERS, LEVELS)
def test_both_plain_intervals_are_students(values: list[float], level: float) -> None:
    theirs = stats.ttest_1samp(values, 0).confidence_interval(level)
    for found in (fold_mean(values, level=level), row_mean(values, level=level)):
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_the_correction_adds_the_ratio_of_test_to_training_rows() -> None:
    values = np.array([0.8, 0.85, 0.9, 0.75, 0.8])
    plain, corrected = fold_mean(values), fold_mean(values, test_to_train=0.25)
    ratio = (corrected.high - corrected.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(math.sqrt((1 / 5 + 1 / 4) / (1 / 5)))


def test_one_fold_has_no_bounds_and_a_share_those_it_has_anyway() -> None:
    assert (fold_mean([3.0]).low, fold_mean([3.0]).high) == (-math.inf, math.inf)
    assert (fold_mean([0.3], is_share=True).low, fold_mean([0.3], is_share=True).high) == (0, 1)


def test_equal_folds_have_no_width() -> None:
    found = fold_mean([0.1] * 7)
    assert found.low == found.value == found.high == 0.1


def test_weighted_rows_have_the_linearised_error() -> None:
    x, w = np.array([1.0, 2.0, 4.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0])
    found = row_mean(x, weights=w, level=0.9)
    mean = float(w @ x / w.sum())
    error = math.sqrt(4 / 3 * float(np.sum((w * (x - mean)) ** 2))) / float(w.sum())
    assert found.value == pytest.approx(mean)
    assert found.high - mean == pytest.approx(stats.t.ppf(0.95, 3) * error)


def test_a_group_is_as_good_as_its_sum() -> None:
    # Equal groups: the clustered interval is Student's of their means.
    x = np.random.default_rng(0).normal(size=(12, 5))
    clustered = row_mean(x.ravel(), groups=np.repeat(np.arange(12), 5))
    of_means = row_mean(x.mean(axis=1))
    assert (clustered.low, clustered.high) == pytest.approx((of_means.low, of_means.high))


def test_one_row_reaches_from_bound_to_bound() -> None:
    found = row_mean([2.0], bounds=(0.0, math.inf))
    assert (found.value, found.low, found.high) == (2, 0, math.inf)
    assert math.isnan(row_mean([]).value)


@given(NUMBERS, st.sampled_from([1e-150, 1.0, 1e150]))
def test_the_root_mean_square_scales_with_its_residuals(values: list[float], scale: float) -> None:
    plain = root_mean_square(values)
    scaled = root_mean_square(np.array(values) * scale)
    assert plain.value == pytest.approx(math.sqrt(np.mean(np.square(values))))
    assert 0 <= plain.low <= plain.value <= plain.high
    assert scaled.value == pytest.approx(plain.value * scale)
    assert scaled.low == pytest.approx(plain.low * scale)


def test_perfect_predictions_have_no_error() -> None:
    found = root_mean_square([0.0, 0.0])
    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert root_mean_square([1.0]).high == math.inf


def test_wrong_scores_are_refused_by_place() -> None:
    with pytest.raises(DataError, match=r"scores\[1\] is nan, but must be finite."):
        fold_mean([0.5, math.nan])
    with pytest.raises(DataError, match="scores is empty"):
        fold_mean([])
    with pytest.raises(DataError, match=r"residuals must be one list of numbers"):
        root_mean_square([[1.0]])
