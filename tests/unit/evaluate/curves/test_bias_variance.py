"""Bias and variance of learners, over training sets drawn again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from treewright import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    load_example,
)
from treewright.errors import DataError, ParameterError
from treewright.evaluate import SquaredParts, ZeroOneParts, bias_variance, decompose

LOANS, IRIS = load_example("loans"), load_example("iris")


class Failing(DecisionTreeClassifier):
    """Fails whenever it is fitted."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise ValueError("it never works")


def test_bagging_removes_variance_and_the_title_says_so() -> None:
    learners = {
        "one tree": DecisionTreeClassifier(),
        "Bagging": BaggingClassifier(n_estimators=20, random_state=0),
    }
    found = bias_variance(learners, LOANS.X, LOANS.y, n_samples=20)
    one, bagged = found["one tree"], found["Bagging"]
    assert bagged.total_variance < 0.7 * one.total_variance
    assert found.draw().title == "Bagging removes half of the variance"
    assert "Bagging removes half of the variance." in found.text()
    assert max(map(len, found.text().splitlines())) <= 80


def test_no_claim_without_a_difference() -> None:
    same = {"one": DecisionTreeClassifier(max_depth=2), "two": DecisionTreeClassifier(max_depth=2)}
    found = bias_variance(same, IRIS.X, IRIS.y, n_samples=5)
    assert found.finding == ""
    assert found.draw().title == "Bias and variance"
    worse = bias_variance(
        {"small": DecisionTreeClassifier(max_depth=1), "large": DecisionTreeClassifier()},
        LOANS.X,
        LOANS.y,
        n_samples=5,
    )
    assert worse.finding == ""


def test_parts_add_up_to_the_error_of_the_models() -> None:
    found = bias_variance(DecisionTreeClassifier(), IRIS.X, IRIS.y, n_samples=7)
    (part,) = found.parts
    assert isinstance(part, ZeroOneParts)
    assert part.bias + part.net_variance == pytest.approx(part.error)
    assert part.squared_bias + part.total_variance == pytest.approx(part.error)
    assert found.n_rows == 50


def test_figures_are_those_of_models_fitted_by_hand() -> None:
    """Each training set once more, from its seed, and the answers by the pure function."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(60, 2))
    y = X[:, 0] + generator.normal(size=60)
    found = bias_variance(
        DecisionTreeRegressor(max_depth=3), X, y, n_samples=4, test="out_of_bag", random_state=5
    )
    (part,) = found.parts
    assert isinstance(part, SquaredParts)
    answers = np.full((4, 60), np.nan)
    for sample in range(4):
        drawn = np.random.default_rng([5, sample]).integers(60, size=60)
        model = DecisionTreeRegressor(max_depth=3).fit(X[np.sort(drawn)], y[np.sort(drawn)])
        left = np.setdiff1d(np.arange(60), drawn)
        answers[sample, left] = model.predict(X[left])
    judged = ~np.all(np.isnan(answers), axis=0)
    assert found.n_rows == judged.sum()
    assert part.mean == pytest.approx(np.nanmean(answers[:, judged], axis=0))
    assert part.variance == pytest.approx(np.nanvar(answers[:, judged], axis=0))


def test_bias_and_variance_of_a_known_problem() -> None:
    """A line and a polynomial of degree nine through a sine: bias of the one, variance of both."""
    generator = np.random.default_rng(0)
    x = generator.random(400)
    best = np.sin(2 * np.pi * x)
    y = best + generator.normal(scale=0.3, size=400)
    line, curve = (
        make_pipeline(PolynomialFeatures(degree), LinearRegression()) for degree in (1, 9)
    )
    found = bias_variance(
        {"line": line, "curve": curve},
        x[:, None],
        y,
        optimal=best,
        n_samples=60,
        sampling="subsample",
    )
    for part in found.parts:
        total = part.squared_bias + part.total_variance + part.noise
        assert total == pytest.approx(part.error, rel=0.1)
        assert part.noise == pytest.approx(0.09, rel=0.25)
    assert found["line"].squared_bias == pytest.approx(0.2, rel=0.25)  # 1/2 - 3/pi^2
    assert found["curve"].squared_bias < 0.01
    assert found["curve"].total_variance > found["line"].total_variance
    assert len(found.draw().parts) == 3
    assert "noise" in found.text()
    hidden = bias_variance(line, x[:, None], y, n_samples=5)
    assert "Noise is not known, and part of the bias." in hidden.text()


def test_noise_of_classes_is_told_apart_where_the_best_answers_are_known() -> None:
    generator = np.random.default_rng(0)
    X = generator.random((500, 1))
    best = np.where(X[:, 0] > 0.5, "b", "a")
    flipped = generator.random(500) < 0.2
    y = np.where(flipped, np.where(best == "a", "b", "a"), best)
    stump = DecisionTreeClassifier(max_depth=1)
    known = bias_variance(stump, X, y, optimal=best, n_samples=15)
    (part,) = known.parts
    assert isinstance(part, ZeroOneParts)
    assert part.bias < 0.05
    assert part.noise == pytest.approx(0.2, abs=0.06)
    total = part.noise + part.bias + part.net_variance
    assert total == pytest.approx(part.error)
    (hidden,) = bias_variance(stump, X, y, n_samples=15).parts
    assert isinstance(hidden, ZeroOneParts)
    assert hidden.bias > 0.15


def test_whole_groups_are_drawn_and_held_out() -> None:
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    X = groups[:, None] + generator.normal(scale=0.01, size=(120, 1))
    y = generator.integers(0, 2, size=30)[groups]
    grouped = bias_variance(DecisionTreeClassifier(), X, y, groups=groups, n_samples=20)
    alone = bias_variance(DecisionTreeClassifier(), X, y, n_samples=20)
    assert alone.parts[0].error < 0.1 < 0.3 < grouped.parts[0].error
    assert "of groups" in grouped.text()


def test_it_draws_converts_and_does_not_depend_on_the_number_of_jobs() -> None:
    one, two = (
        bias_variance(
            [DecisionTreeClassifier(), BaggingClassifier(n_estimators=3)],
            IRIS.X,
            IRIS.y,
            n_samples=6,
            n_jobs=n,
        )
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    json.dumps(one.to_dict(), allow_nan=False)
    assert one.draw().svg(width=368).startswith("<svg")
    assert one.to_frame()["learner"].tolist() == ["DecisionTreeClassifier", "BaggingClassifier"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_samples": 1}, ParameterError, "n_samples=1 must be at least 2"),
        ({"sampling": "jackknife"}, ParameterError, "sampling='jackknife'"),
        ({"test": 0.0}, ParameterError, r"test=0\.0"),
        ({"test": "bag"}, ParameterError, "test='bag'"),
        ({"loss": "squared"}, ParameterError, "loss='squared' is for numbers; classes"),
        ({"loss": "hinge"}, ParameterError, "loss='hinge'"),
        ({"optimal": ["setosa"]}, DataError, "optimal has 1 entries; 150 rows"),
        ({"optimal": ["rose"] * 150}, DataError, "'rose' is none of the classes"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        bias_variance(DecisionTreeClassifier(), IRIS.X, IRIS.y, **options)


def test_a_learner_that_fails_is_told() -> None:
    with pytest.raises(ValueError, match="it never works"):
        bias_variance(Failing(), IRIS.X, IRIS.y, n_samples=2)
    with pytest.raises(DataError, match="failed on every training set: ValueError: it never"):
        bias_variance([DecisionTreeClassifier(), Failing()], IRIS.X, IRIS.y, n_samples=2)


def test_tiny_tables() -> None:
    found = bias_variance(DecisionTreeClassifier(), [[0.0], [1.0], [2.0]], [*"aab"], n_samples=3)
    assert found.n_rows == 1
    with pytest.raises(DataError):
        bias_variance(DecisionTreeClassifier(), [[0.0], [1.0]], [*"ab"], n_samples=3)


@pytest.mark.parametrize(
    ("predictions", "target", "options", "words"),
    [
        ([1.0, 2.0], [1.0, 2.0], {}, r"predictions has shape \(2,\)"),
        ([[1.0]], [1.0, 2.0], {}, r"predictions has shape \(1, 1\)"),
        ([["a"]], [1.0], {}, "no number.\n  Hint: loss='zero_one'"),
        ([[float("nan")]], [1.0], {}, "not finite"),
        ([[1.0]], [1.0], {"optimal": [1.0, 2.0]}, "target has 1 rows and optimal has 2"),
    ],
)
def test_wrong_predictions_are_refused(
    predictions: Any, target: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        decompose(predictions, target, **options)
