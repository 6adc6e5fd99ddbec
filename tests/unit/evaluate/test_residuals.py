"""Residuals: groups of similar answers, their intervals, and what the pictures say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.chart import Chart, Dots
from treewright.errors import DataError, ParameterError
from treewright.evaluate import cross_validate, residuals

RANDOM = np.random.default_rng(0)


def test_groups_hold_all_rows_and_their_means_and_intervals() -> None:
    predicted = RANDOM.normal(size=101)
    actual = predicted + RANDOM.normal(size=101)
    found = residuals(actual, predicted, bins=4)
    assert [each.n_rows for each in found.bins] == [26, 25, 25, 25]
    order = np.argsort(predicted)
    first = (actual - predicted)[order[:26]]
    assert found.bins[0].mean == pytest.approx(first.mean())
    low, high = stats.t.interval(0.95, 25, first.mean(), first.std(ddof=1) / np.sqrt(26))
    assert (found.bins[0].from_, found.bins[0].to) == pytest.approx((low, high))
    assert found.median_error == np.sort(np.abs(actual - predicted))[50]


def test_equal_answers_are_one_group() -> None:
    found = residuals([1.0, 2.0, 3.0, 4.0], [2.5] * 4, bins=10)
    assert [(each.low, each.high, each.n_rows) for each in found.bins] == [(2.5, 2.5, 4)]
    assert found.draw_residuals().title == "Residuals by answer"


def test_titles_say_which_end_is_off_where_the_interval_does() -> None:
    predicted = np.repeat(np.arange(10.0), 20)
    noise = np.tile([-0.1, 0.1], 100)
    exact = residuals(predicted + noise, predicted)
    assert exact.draw_residuals().title == "Residuals by answer"
    assert exact.draw().title == "Half of the answers are within 0.1 of the truth"
    high = residuals(predicted + noise + 2.0 * (predicted == 9), predicted)
    assert high.draw_residuals().title == "The largest answers are too low, by 2 on average"
    low = residuals(predicted + noise - 3.0 * (predicted == 0), predicted)
    assert low.draw_residuals().title == "The smallest answers are too high, by 3 on average"


def test_weights_count_and_rows_without_any_do_not() -> None:
    found = residuals([1.0, 5.0, 9.0], [1.5, 2.0, 2.5], bins=1, sample_weight=[3.0, 1.0, 0.0])
    assert found.bins[0].n_rows == 2
    assert found.bins[0].mean == pytest.approx((3 * -0.5 + 3.0) / 4)
    assert found.median_error == 0.5


def test_at_most_a_thousand_rows_are_drawn_and_it_is_said() -> None:
    numbers = RANDOM.normal(size=5000)
    chart = residuals(numbers, numbers / 2).draw()
    assert isinstance(chart, Chart)
    (dots,) = [mark for mark in chart.marks if isinstance(mark, Dots)]
    assert len(dots.x) == 1000
    assert chart.caption == "5,000 rows, 1,000 of them drawn."
    assert chart.square
    assert len(chart.svg()) < 40_000


def test_results_of_regression_have_residuals_and_those_of_classes_say_what_else() -> None:
    X = RANDOM.normal(size=(60, 2))
    judged = cross_validate(DecisionTreeRegressor(max_depth=2), X, X[:, 0], cv=3)
    found = judged.residuals(bins=3)
    assert len(found.answers) == 60
    assert max(map(len, str(found).split("\n"))) <= 80
    assert found.to_frame().columns == ("actual", "predicted", "residual")
    with pytest.raises(ParameterError, match="bins"):
        judged.residuals(bins=0)
    classes = cross_validate(DecisionTreeClassifier(max_depth=2), X, X[:, 0] > 0, cv=3)
    with pytest.raises(DataError, match="residuals are differences of numbers"):
        classes.residuals()


def test_one_row_has_no_interval() -> None:
    found = residuals([1.0], [2.0])
    assert not found.bins[0].is_off
    assert "1" in str(found)
    for picture in (found.draw(), found.draw_residuals()):
        assert picture.svg().startswith("<svg")
