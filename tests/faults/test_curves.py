"""Curves of strange tables, targets and learners: a typed error, or an answer that is right."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.errors import DataError, TreewrightError
from treewright.evaluate import (
    bias_variance,
    calibration_curve,
    complexity_curve,
    learning_curve,
    lift_curve,
    noise_curve,
    precision_recall_curve,
    roc_curve,
)

CURVES = [roc_curve, precision_recall_curve, calibration_curve, lift_curve]


def experiments(X: Any, y: Any, **options: Any) -> list[Any]:
    learner = DecisionTreeClassifier()
    return [
        lambda: learning_curve(learner, X, y, cv=2, **options),
        lambda: complexity_curve(learner, X, y, parameter="max_depth", cv=2, **options),
        lambda: noise_curve(learner, X, y, shares=[0, 0.5], cv=2, **options),
        lambda: bias_variance(learner, X, y, n_samples=3, **options),
    ]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("names", [['<&">', "\u202eabc"], ["", " "], ["x" * 300, "y"]])
def test_strange_names_of_classes_are_printed_and_drawn(curve: Any, names: list[str]) -> None:
    found = curve(np.array(names * 10, dtype=object), np.linspace(0, 1, 20))
    assert found.text()
    assert found.draw().svg(width=368).startswith("<svg")


@pytest.mark.parametrize("curve", CURVES)
def test_two_rows_are_enough(curve: Any) -> None:
    found = curve([0, 1], [0.2, 0.7])
    assert found.text()
    assert found.draw().svg().startswith("<svg")


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize(
    ("y", "scores", "words"),
    [
        ([], [], "y has no rows"),
        ([0, 1], [0.5], "needs|need|shape"),
        ([0, 1], ["high", "low"], "no number"),
        ([0, None], [0.1, 0.2], "missing|None"),
        ([[0, 1], [1, 0]], [0.1, 0.2], "dimensions"),
        ([0, 1], np.zeros((2, 2, 2)), "dimensions"),
    ],
)
def test_wrong_scores_are_refused(curve: Any, y: Any, scores: Any, words: str) -> None:
    with pytest.raises(TreewrightError, match=words):
        curve(y, scores)


@pytest.mark.parametrize("curve", CURVES)
def test_wrong_weights_and_groups_are_refused(curve: Any) -> None:
    with pytest.raises(DataError, match="sample_weight has shape"):
        curve([0, 1], [0.1, 0.2], sample_weight=[1.0])
    with pytest.raises(DataError, match="sample_weight is -1"):
        curve([0, 1], [0.1, 0.2], sample_weight=[1.0, -1.0])
    with pytest.raises(DataError, match="groups has shape"):
        curve([0, 1], [0.1, 0.2], groups=[1])


@pytest.mark.parametrize("curve", CURVES)
def test_rows_without_weight_do_not_count(curve: Any) -> None:
    y, scores = [0, 1, 0, 1, 1], [0.1, 0.8, 0.6, 0.4, 0.0]
    whole = curve(y[:4], scores[:4])[1]
    with_nothing = curve(y, scores, sample_weight=[1, 1, 1, 1, 0])[1]
    for name in ("true_positive", "precision", "observed", "found"):
        if hasattr(whole, name):
            assert getattr(with_nothing, name) == pytest.approx(getattr(whole, name))


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve, lift_curve])
def test_a_class_that_has_no_weight_has_no_curve(curve: Any) -> None:
    with pytest.raises(DataError, match="rows that have a class and rows that have not"):
        curve([0, 1], [0.1, 0.2], sample_weight=[1, 0])


def test_a_class_that_no_row_has_is_left_out_of_curves() -> None:
    scores = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1]])
    found = roc_curve([*"abab"], scores, classes=[*"abc"])
    assert [line.scores.name for line in found.lines] == ["a", "b"]


@pytest.mark.parametrize("kind", range(4))
def test_one_class_and_one_row(kind: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one_row = experiments([[1.0]], ["a"])[kind]
        with pytest.raises(TreewrightError):
            one_row()
        one_class = experiments(np.arange(12.0)[:, None], ["a"] * 12)[kind]
        if kind == 2:
            with pytest.raises(DataError, match="no wrong label"):
                one_class()
        else:
            assert one_class().text()
            assert one_class().draw().svg().startswith("<svg")


@pytest.mark.parametrize("kind", range(4))
def test_columns_of_text_with_gaps(kind: int) -> None:
    X = {"colour": np.array(["red", "blue", None] * 10, dtype=object), "size": np.arange(30.0)}
    found = experiments(X, ["a", "b", "b"] * 10)[kind]()
    assert found.text()


@pytest.mark.parametrize("kind", range(3))
def test_weights_reach_the_learner_and_the_figures(kind: int) -> None:
    X, y = np.arange(40.0)[:, None], np.array(["a", "b"] * 20)
    plain = experiments(X, y)[kind]()
    weighted = experiments(X, y, sample_weight=np.tile([9.0, 1.0], 20))[kind]()
    assert weighted.to_dict() != plain.to_dict()


def test_a_learner_that_takes_no_weights_is_refused() -> None:
    with pytest.raises(TreewrightError, match="takes no weights"):
        learning_curve(Unweighted(), [[1.0], [2.0]] * 10, [0, 1] * 10, sample_weight=np.ones(20))


class Unweighted(ClassifierMixin, BaseEstimator):
    """A learner whose fit has no weights."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_answers_that_are_no_classes_are_reported_not_counted() -> None:
    with pytest.raises(TreewrightError, match="is none of the classes"):
        learning_curve(Stray(), [[1.0], [2.0]] * 10, ["a", "b"] * 10, sizes=[5], cv=2)


class Stray(Unweighted):
    """Answers a class that does not exist."""

    def predict(self, X: Any) -> Any:
        return np.full(len(X), "stray")


@pytest.mark.parametrize("n", [4, 40])
def test_a_constant_number_has_curves_without_spread(n: int) -> None:
    X, y = np.arange(float(n))[:, None], np.full(n, 2.5)
    tree = DecisionTreeRegressor()
    for found in (
        learning_curve(tree, X, y, cv=2),
        complexity_curve(tree, X, y, parameter="max_depth", cv=2),
        noise_curve(tree, X, y, cv=2),
        bias_variance(tree, X, y, n_samples=3),
    ):
        assert found.text()
        assert found.draw().svg().startswith("<svg")
