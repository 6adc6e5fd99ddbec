"""The interval of average precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from treewright.errors import DataError
from treewright.evaluate.intervals import average_precision, wilson


def test_the_value_is_scikit_learns_with_weights() -> None:
    generator = np.random.default_rng(0)
    y, scores = generator.random(80) < 0.3, generator.random(80).round(1)
    weights = generator.integers(1, 5, size=80)
    found = average_precision(y, scores, weights=weights)
    assert found.value == pytest.approx(average_precision_score(y, scores, sample_weight=weights))
    assert found.low < found.value < found.high
    assert found.method == "logit, weighted"


def test_groups_make_it_wider() -> None:
    generator = np.random.default_rng(0)
    y, scores = generator.random(80) < 0.5, generator.random(80)
    rows, groups = (
        average_precision(y, scores),
        average_precision(y, scores, groups=[*range(8)] * 10),
    )
    assert groups.value == rows.value
    assert groups.low < rows.low < rows.high < groups.high


def test_a_perfect_order_has_wilsons_end_and_no_class_no_value() -> None:
    found = average_precision([1, 1, 0, 0], [4, 3, 2, -math.inf])
    assert (found.value, found.low, found.high) == (1.0, wilson(2, 2).low, 1.0)
    none = average_precision([0, 0], [1, 2])
    assert math.isnan(none.value)
    assert (none.low, none.high) == (0.0, 1.0)
    with pytest.raises(DataError, match="one number for each of the 2 rows"):
        average_precision([0, 1], [1, 2, 3])


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "shift", "truth"),
    [(20, 180, 1.0, 0.294), (100, 100, 1.0, 0.755), (30, 970, 1.5, 0.256)],
)
def test_the_interval_holds_the_truth_at_least_as_often_as_it_says(
    n_positive: int, n_negative: int, shift: float, truth: float
) -> None:
    generator = np.random.default_rng(0)
    y = np.repeat([1, 0], [n_positive, n_negative])
    many = np.repeat([1, 0], [n_positive * 2000, n_negative * 2000])
    exact = average_precision_score(many, generator.normal(size=len(many)) + shift * many)
    assert exact == pytest.approx(truth, abs=0.02)
    held = [
        exact in average_precision(y, generator.normal(size=len(y)) + shift * y) for _ in range(400)
    ]
    assert np.mean(held) >= 0.93
