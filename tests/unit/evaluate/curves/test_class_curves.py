"""Curves of scores: ROC, precision and recall, calibration, lift."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from treewright import DecisionTreeClassifier, load_example
from treewright.errors import DataError, ParameterError
from treewright.evaluate import (
    calibration_curve,
    cross_validate,
    intervals,
    judge,
    lift_curve,
    precision_recall_curve,
    roc_curve,
    scores,
)

Y = ["no", "yes", "no", "yes", "yes", "no", "yes", "no"]
SCORES = [0.1, 0.9, 0.4, 0.8, 0.6, 0.7, 0.55, 0.3]
IRIS = load_example("iris")
CURVES = [roc_curve, precision_recall_curve, calibration_curve, lift_curve]


def noisy(n: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    probability = generator.random(n)
    return (generator.random(n) < probability).astype(int), probability


@pytest.mark.parametrize("curve", CURVES)
def test_a_curve_prints_within_80_columns_draws_and_converts(curve: Any) -> None:
    y, probability = noisy()
    three = np.where(probability < 0.2, "a very long name of a class", np.where(y == 1, "b", "c"))
    rows = np.stack([probability / 2, probability / 2, 1 - probability], axis=1)
    for found in (curve(y, probability), curve(three, rows)):
        assert max(map(len, found.text().splitlines())) <= 80
        assert found.draw().svg().startswith("<svg")
        assert found.draw().svg(width=368).startswith("<svg")
        assert len(found.to_frame()["class"]) > 2
        json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("curve", CURVES)
def test_scores_that_no_curve_can_be_made_of_are_refused(curve: Any) -> None:
    with pytest.raises(DataError, match=r"nan in row 2 \(1 of 8 rows\)"):
        curve(Y, [0.1, 0.9, np.nan, 0.8, 0.6, 0.7, 0.55, 0.3])
    with pytest.raises(DataError, match="needs two classes; every row is 'yes'"):
        curve(["yes"] * 3, [0.1, 0.2, 0.3])
    with pytest.raises(DataError, match=r"scores has shape \(7, 2\)"):
        curve(Y, np.ones((7, 2)))
    with pytest.raises(DataError, match="speaks for one class; there are 3"):
        curve([*"abc"], [0.1, 0.2, 0.3])
    with pytest.raises(ParameterError, match=r"level=1\.5"):
        curve(Y, SCORES, level=1.5)


def test_infinite_scores_have_their_place() -> None:
    found = roc_curve([0, 1, 0, 1], [-np.inf, np.inf, 1e308, 1.5e308])[1]
    assert found.thresholds.tolist() == [np.inf, np.inf, 1.5e308, 1e308, -np.inf]
    assert found.area.value == 1.0
    with pytest.raises(DataError, match="no probability"):
        calibration_curve([0, 1], [0.5, np.inf])


def test_constant_scores_have_the_diagonal() -> None:
    found = roc_curve(Y, [0.5] * 8)["yes"]
    assert found.points.tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert found.area.value == 0.5
    assert precision_recall_curve(Y, [0.5] * 8)["yes"].points.tolist() == [[1.0, 0.5]]
    assert lift_curve(Y, [0.5] * 8)["yes"].gain(0.25).value == 0.25
    assert len(calibration_curve(Y, [0.5] * 8)["yes"].bins) == 1


def test_the_area_has_delongs_interval_and_counts_groups() -> None:
    y, probability = noisy(200)
    groups = np.repeat(np.arange(40), 5)
    found = roc_curve(y, probability, groups=groups)[1].area
    expected = intervals.auc(y, probability, groups=groups)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.low != roc_curve(y, probability)[1].area.low


def test_the_interval_of_average_precision_is_that_of_the_metric() -> None:
    y, probability = noisy(200)
    beside = scores(y, y, probabilities=probability, metrics="average_precision")
    area, metric = precision_recall_curve(y, probability)[1].area, beside["average_precision"]
    assert (area.value, area.low, area.high) == (metric.value, metric.low, metric.high)


def test_a_class_of_two_rows_has_an_average_precision_with_interval() -> None:
    y = [1, 1] + [0] * 40
    found = scores(y, y, probabilities=np.linspace(0.9, 0.1, 42), metrics="average_precision")[
        "average_precision"
    ]
    assert found.value == 1.0  # a draw without the class used to be an error
    one = precision_recall_curve([1] + [0] * 9, np.linspace(1, 0, 10))[1].area
    assert (one.value, one.low, one.high) == (1.0, intervals.wilson(1, 1).low, 1.0)


def test_another_class_may_be_asked_about() -> None:
    found = roc_curve(Y, [1 - each for each in SCORES], positive="no")
    assert found["no"].area.value == 0.875
    with pytest.raises(ParameterError, match="there is no curve of 'yes'"):
        found["yes"]
    with pytest.raises(ParameterError, match="is none of the classes"):
        roc_curve(Y, SCORES, positive="maybe")


def test_one_class_of_three_may_be_asked_about() -> None:
    found = roc_curve([*"abcabc"], [0.9, 0.2, 0.3, 0.8, 0.1, 0.0], positive="a")
    assert [line.scores.name for line in found.lines] == ["a"]
    assert found["a"].area.value == 1.0


def test_perfect_probabilities_are_calibrated_and_squares_of_them_are_not() -> None:
    y, probability = noisy(20_000)
    good = calibration_curve(y, probability)
    assert good[1].expected_error < 0.02
    assert good.draw().title == "Calibration"
    assert sum(each.is_off for each in good[1].bins) <= 2  # 5 % of ten intervals, by chance
    low = calibration_curve(y, probability**2)
    assert low[1].expected_error > 0.1
    assert low.draw().title.endswith("are too low")
    high = calibration_curve(y, np.sqrt(probability))
    assert high.draw().title == "Scores are too high"


def test_bins_hold_equally_many_rows_and_never_part_equals() -> None:
    y, probability = noisy(1000)
    weights = [each.weight for each in calibration_curve(y, probability)[1].bins]
    assert weights == [100.0] * 10
    tied = calibration_curve(y, probability.round(1))[1]
    assert len(tied.bins) <= 10
    assert sum(each.weight for each in tied.bins) == 1000
    for each in tied.bins:
        assert each.low - 1e-12 <= each.predicted <= each.high + 1e-12  # a mean of equals rounds


def test_the_first_rows_hold_most_of_a_class_that_is_told_apart() -> None:
    y = np.array([1] * 50 + [0] * 450)
    found = lift_curve(y, np.linspace(1, 0, 500))
    assert found[1].gain(0.05).value == 0.5
    assert found[1].gain(0.1).value == 1.0
    assert found.draw().title.replace("\u202f", " ") == "The first 10 % of the rows hold 100 % of 1"
    random = lift_curve(y, np.random.default_rng(0).random(500))
    assert random.draw().title == "Cumulative gain"


def test_titles_claim_only_what_intervals_carry() -> None:
    y, probability = noisy(300)
    assert roc_curve(y, probability).draw().title.startswith("1 is told apart with area 0.8")
    luck = np.random.default_rng(1).random(300)
    assert roc_curve(y, luck).draw().title == "ROC curve"
    assert precision_recall_curve(y, luck).draw().title == "Precision and recall"


def test_the_most_frequent_class_is_not_praised_for_its_frequency() -> None:
    generator = np.random.default_rng(0)
    y = np.array(["rare"] * 100 + ["other"] * 100 + ["common"] * 800)
    luck = generator.dirichlet([1, 1, 1], size=1000)
    found = precision_recall_curve(y, luck)
    assert found.leader is not None
    assert found.draw().title == "Precision and recall"


def test_results_with_probabilities_have_all_four_curves() -> None:
    found = cross_validate(GaussianNB(), IRIS.X.to_pandas(), IRIS.y, cv=5, metrics="auc")
    assert found.roc()["versicolor"].area.value == pytest.approx(
        roc_curve(found.scores.answers.actual, found.scores.answers.probabilities)[
            "versicolor"
        ].area.value
    )
    mean = np.mean([line.area.value for line in found.roc().lines])
    assert mean == pytest.approx(found["auc"].value)
    assert len(found.calibration(bins=4).lines) == 3
    model = DecisionTreeClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    beside = judge(model, IRIS.X, IRIS.y)
    assert beside.precision_recall()["setosa"].area.value == 1.0
    assert beside.lift()["setosa"].gain(1 / 3).value == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="bins=0"):
        found.calibration(bins=0)


def test_answers_without_probabilities_have_no_curves() -> None:
    with pytest.raises(DataError, match="needs the probabilities"):
        scores(Y, Y, metrics="error").roc()
    with pytest.raises(DataError, match="is for classes"):
        scores([1.5, 2.5], [1.0, 2.0]).roc()


def test_more_classes_than_hues_show_the_best_in_front() -> None:
    generator = np.random.default_rng(0)
    y = np.repeat([f"class {i:02}" for i in range(12)], 20)
    found = roc_curve(y, generator.dirichlet([1] * 12, size=240))
    roles = [line.role for line in found.draw().lines]
    assert roles.count("validated") == 1
    assert roles.count("other") == 11


def test_long_curves_are_thinned_in_pictures_alone() -> None:
    y, probability = noisy(5000)
    found = roc_curve(y, probability)
    assert len(found[1].thresholds) == 5001
    line = found.draw().lines[0]
    assert len(line.x) <= 402
    assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == (0, 0, 1, 1)
