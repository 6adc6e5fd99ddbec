"""Curves of scores, against scikit-learn's: with weights, ties, and several classes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import calibration as sk_calibration
from sklearn import metrics as sk

from treewright.evaluate import (
    calibration_curve,
    lift_curve,
    precision_recall_curve,
    roc_curve,
)


@st.composite
def scored(draw: st.DrawFn) -> tuple[list[int], list[float], list[float] | None]:
    """Two classes that both occur, scores with many ties, and weights or none."""
    n = draw(st.integers(2, 30))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n))
    scores = draw(st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(st.integers(1, 5).map(float), min_size=n, max_size=n))
    return y, scores, weights


@given(scored())
def test_roc_points_and_area_are_scikit_learns(drawn: Any) -> None:
    y, scores, weights = drawn
    line = roc_curve(y, scores, sample_weight=weights)[1]
    x, up, thresholds = sk.roc_curve(y, scores, sample_weight=weights, drop_intermediate=False)
    assert line.false_positive == pytest.approx(x)
    assert line.true_positive == pytest.approx(up)
    assert line.thresholds.tolist() == thresholds.tolist()
    assert line.area.value == pytest.approx(sk.roc_auc_score(y, scores, sample_weight=weights))


@given(scored())
def test_precision_and_recall_are_scikit_learns_less_the_point_without_rows(drawn: Any) -> None:
    y, scores, weights = drawn
    line = precision_recall_curve(y, scores, sample_weight=weights)[1]
    precision, recall, thresholds = sk.precision_recall_curve(y, scores, sample_weight=weights)
    assert line.precision == pytest.approx(precision[-2::-1])
    assert line.recall == pytest.approx(recall[-2::-1])
    assert line.thresholds.tolist() == thresholds[::-1].tolist()
    x, up = line.steps()
    assert np.trapezoid(up, x) == pytest.approx(
        sk.average_precision_score(y, scores, sample_weight=weights)
    )


@given(scored())
def test_uniform_bins_are_scikit_learns(drawn: Any) -> None:
    y, scores, _ = drawn
    line = calibration_curve(y, scores, bins=5, strategy="uniform")[1]
    observed, predicted = sk_calibration.calibration_curve(y, scores, n_bins=5)
    assert line.observed == pytest.approx(observed)
    assert line.predicted == pytest.approx(predicted)


@given(scored())
def test_quantile_bins_of_weights_are_those_of_rows_written_several_times(drawn: Any) -> None:
    y, scores, weights = drawn
    times = [1 if weights is None else int(weights[i]) for i in range(len(y))]
    weighted = calibration_curve(y, scores, bins=4, sample_weight=times)[1]
    copied = calibration_curve(np.repeat(y, times), np.repeat(scores, times), bins=4)[1]
    assert weighted.predicted == pytest.approx(copied.predicted)
    assert weighted.observed == pytest.approx(copied.observed)
    assert weighted.expected_error == pytest.approx(copied.expected_error)
    assert [each.weight for each in weighted.bins] == pytest.approx([b.weight for b in copied.bins])


@given(scored())
def test_gain_and_lift_are_counts_of_the_rows_taken(drawn: Any) -> None:
    y, scores, weights = drawn
    line = lift_curve(y, scores, sample_weight=weights)[1]
    w = np.ones(len(y)) if weights is None else np.array(weights)
    for i, threshold in enumerate(line.thresholds.tolist()):
        rows = np.array(scores) >= threshold
        assert line.taken[i] == pytest.approx(w[rows].sum() / w.sum())
        assert line.found[i] == pytest.approx((w * y)[rows].sum() / (w * y).sum())
    assert line.lift == pytest.approx(line.found[1:] / line.taken[1:])


def test_each_class_of_several_is_scikit_learns_against_the_rest() -> None:
    generator = np.random.default_rng(0)
    y = generator.choice(["a", "b", "c"], size=90)
    scores = generator.dirichlet([1, 1, 1], size=90).round(1)
    found = roc_curve(y, scores)
    assert [line.scores.name for line in found.lines] == ["a", "b", "c"]
    for column, name in enumerate("abc"):
        expected = sk.roc_auc_score(y == name, scores[:, column])
        assert found[name].area.value == pytest.approx(expected)
        average = sk.average_precision_score(y == name, scores[:, column])
        assert precision_recall_curve(y, scores)[name].area.value == pytest.approx(average)
