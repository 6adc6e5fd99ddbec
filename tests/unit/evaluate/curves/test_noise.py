"""The noise curve: wrong labels among the rows learned from."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from treewright import C45Classifier, DecisionTreeClassifier, load_example
from treewright.errors import DataError, ParameterError
from treewright.evaluate import cross_validate, noise_curve

IRIS, LOANS = load_example("iris"), load_example("loans")


class Recorder(ClassifierMixin, BaseEstimator):
    """Answers the first class, and keeps the labels it was given, by row."""

    seen: ClassVar[list[dict[int, Any]]] = []

    def fit(self, X: Any, y: Any) -> Recorder:
        self.classes_ = np.unique(y)
        rows = np.asarray(X)[:, 0].astype(int).tolist()
        type(self).seen.append(dict(zip(rows, np.asarray(y).tolist(), strict=True)))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


class NumberRecorder(RegressorMixin, Recorder):
    """The same for numbers."""

    seen: ClassVar[list[dict[int, Any]]] = []
    _estimator_type = "regressor"

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def test_labels_are_wrong_in_the_share_asked_for_and_the_same_ones_again() -> None:
    Recorder.seen = []
    y = np.array(["a", "b", "c", "d"] * 50)
    found = noise_curve(Recorder(), np.arange(200.0)[:, None], y, shares=[0.0, 0.1, 0.3], cv=5)
    wrong = []
    for share in range(3):
        together: dict[int, Any] = {}
        for fold in Recorder.seen[5 * share : 5 * share + 5]:
            together |= fold
        wrong.append({row: label for row, label in together.items() if label != y[row]})
    assert [len(each) for each in wrong] == [0, 20, 60]
    assert wrong[1].items() <= wrong[2].items()
    assert set(wrong[2].values()) == {*"abcd"}
    assert [each.validated for each in found.points] == [0.75] * 3  # judged by true labels


def test_wrong_numbers_are_those_of_other_rows() -> None:
    NumberRecorder.seen = []
    y = np.arange(40.0) + 0.5
    noise_curve(NumberRecorder(), np.arange(40.0)[:, None], y, shares=[1.0], cv=2)
    labels = NumberRecorder.seen[0] | NumberRecorder.seen[1]
    assert all(labels[row] != y[row] for row in range(40))
    assert sorted(labels.values()) == y.tolist()


def test_no_noise_is_cross_validation_and_noise_makes_trees_larger_and_worse() -> None:
    found = noise_curve(DecisionTreeClassifier(), LOANS.X, LOANS.y, shares=[0, 0.1, 0.3], cv=5)
    beside = cross_validate(
        DecisionTreeClassifier(), LOANS.X, LOANS.y, cv=5, metrics="error", refit=False
    )
    assert found.points[0].validated == beside["error"].value
    errors = [each.validated for each in found.points]
    leaves = [each.n_leaves or 0.0 for each in found.points]
    assert errors == sorted(errors)
    assert leaves == sorted(leaves)
    assert errors[2] > errors[0] + 0.1
    assert leaves[2] > 2 * leaves[0]
    assert found.finding == "With 10 % wrong labels error is 23.6 % instead of 15.9 %"
    assert found.points[2].training == 0.0  # by the labels that were learned


def test_pruning_withstands_noise_better() -> None:
    whole, pruned = (
        noise_curve(learner, LOANS.X, LOANS.y, shares=[0.2], cv=5)
        for learner in (DecisionTreeClassifier(), C45Classifier())
    )
    assert pruned.points[0].validated < whole.points[0].validated


def test_it_prints_draws_converts_and_does_not_depend_on_the_number_of_jobs() -> None:
    one, two = (
        noise_curve(DecisionTreeClassifier(), IRIS.X, IRIS.y, shares=[0, 0.2], n_jobs=n)
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    json.dumps(one.to_dict(), allow_nan=False)
    assert max(map(len, one.text().splitlines())) <= 80
    assert one.draw().svg(width=368).startswith("<svg")
    assert one.to_frame()["wrong_labels"].tolist() == [0.0, 0.2]


def test_the_target_keeps_its_type() -> None:
    Recorder.seen = []
    noise_curve(Recorder(), np.arange(20.0)[:, None], np.array([0, 1] * 10), shares=[0.5], cv=2)
    assert {type(label) for label in Recorder.seen[0].values()} == {int}


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ([], r"shares=\[\] must be a list"),
        (0.1, r"shares=0\.1 must be a list"),
        ([1.5], r"shares=1\.5 must be between 0 and 1"),
        (["some"], "shares='some' must be a number"),
    ],
)
def test_wrong_shares_are_refused(shares: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        noise_curve(DecisionTreeClassifier(), IRIS.X, IRIS.y, shares=shares)


def test_one_class_has_no_wrong_label() -> None:
    with pytest.raises(DataError, match="there is no wrong label"):
        noise_curve(DecisionTreeClassifier(), np.arange(20.0)[:, None], ["a"] * 20)


def test_ctrl_c_keeps_the_shares_that_are_done() -> None:
    found = noise_curve(Interrupted(), IRIS.X, IRIS.y, shares=[0, 0.1, 0.2], cv=3)
    assert found.shares == (0.0, 0.1)
    assert len(found.points[1].values) == 1
    assert "stopped at 10 % wrong labels" in found.text()
    Interrupted.left = 3
    found = noise_curve(Interrupted(), IRIS.X, IRIS.y, shares=[0, 0.1], cv=3)
    assert found.shares == (0.0,)
    assert "stopped before 10 % wrong labels" in found.text()


class Interrupted(DecisionTreeClassifier):
    """Somebody presses Ctrl-C while it is fitted for the fifth time."""

    left: ClassVar[int] = 4

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if Interrupted.left == 0:
            raise KeyboardInterrupt
        Interrupted.left -= 1
        return super().fit(X, y, sample_weight)
