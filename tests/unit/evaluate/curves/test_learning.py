"""The learning curve: nested sets, folds, and what it says of more rows."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.errors import DataError, ParameterError
from treewright.evaluate import cross_validate, learning_curve

IRIS, LOANS = load_example("iris"), load_example("loans")


class Recorder(ClassifierMixin, BaseEstimator):
    """Answers the first class, and keeps the rows it was fitted to."""

    seen: ClassVar[list[set[int]]] = []

    def fit(self, X: Any, y: Any) -> Recorder:
        self.classes_ = np.unique(y)
        Recorder.seen.append({int(each) for each in np.asarray(X)[:, 0]})
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_sets_are_nested_stratified_and_of_the_sizes_asked_for() -> None:
    Recorder.seen = []
    X = np.arange(100.0)[:, None]
    y = np.array(["a"] * 80 + ["b"] * 20)
    found = learning_curve(Recorder(), X, y, sizes=[10, 20, 40, 80], cv=5)
    assert found.sizes == (10.0, 20.0, 40.0, 80.0)
    for fold in range(5):
        sets = Recorder.seen[fold * 4 : fold * 4 + 4]
        assert [len(each) for each in sets] == [10, 20, 40, 80]
        for smaller, larger in pairwise(sets):
            assert smaller < larger
        for each in sets:
            assert sum(row >= 80 for row in each) == len(each) // 5  # the share of class b


def test_sets_grow_by_whole_groups() -> None:
    Recorder.seen = []
    X = np.arange(120.0)[:, None]
    groups = np.repeat(np.arange(30), 4)
    learning_curve(Recorder(), X, np.tile(["a", "b"], 60), sizes=[6, 20, 80], cv=3, groups=groups)
    for each in Recorder.seen:
        assert len(each) % 4 == 0
        assert all(len({row for row in each if row // 4 == g}) in (0, 4) for g in range(30))
    assert [len(each) for each in Recorder.seen[:3]] == [8, 20, 80]


def test_all_rows_give_the_cross_validated_error() -> None:
    found = learning_curve(C45Classifier(), LOANS.X, LOANS.y, sizes=[100, 1600], cv=5)
    beside = cross_validate(C45Classifier(), LOANS.X, LOANS.y, cv=5, metrics="error", refit=False)
    assert found.points[-1].validated == beside["error"].value
    assert found.points[-1].values == tuple(beside.values["error"])
    se = np.std(beside.values["error"], ddof=1) / np.sqrt(5)
    assert found.points[-1].standard_error == pytest.approx(se)


def test_more_rows_help_until_they_do_not() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(600, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    tree = DecisionTreeClassifier()
    rising = learning_curve(tree, X, y, sizes=[10, 100], cv=5)
    assert rising.more_rows_help is True
    assert rising.draw().title == "More rows would help"
    flat = learning_curve(tree, X[:, :1], X[:, 0] > 0, sizes=[300, 400], cv=5)
    assert flat.more_rows_help is False
    assert "More rows would not help." in flat.text()
    one = learning_curve(tree, X, y, sizes=[100], cv=5)
    assert one.more_rows_help is None
    assert one.draw().title == "Learning curve"


def test_usual_sizes_shares_numbers_and_repeats() -> None:
    found = learning_curve(DecisionTreeRegressor(max_depth=2), *_numbers(), cv=5, repeats=2)
    assert found.metric.name == "rmse"
    assert (found.sizes[0], found.sizes[-1], len(found.sizes)) == (10.0, 160.0, 8)
    assert len(found.points[0].values) == 10
    shares = learning_curve(DecisionTreeRegressor(), *_numbers(), cv=5, sizes=[0.5, 1.0])
    assert shares.sizes == (80.0, 160.0)
    assert max(map(len, found.text().splitlines())) <= 80
    assert found.draw().svg(width=368).startswith("<svg")
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_frame()["rows"].tolist() == list(found.sizes)


def test_repeats_do_not_shrink_the_standard_error() -> None:
    once = learning_curve(C45Classifier(), LOANS.X, LOANS.y, sizes=[800], cv=5)
    often = learning_curve(C45Classifier(), LOANS.X, LOANS.y, sizes=[800], cv=5, repeats=4)
    assert often.points[0].standard_error > once.points[0].standard_error / 2


def test_the_figures_do_not_depend_on_the_number_of_jobs() -> None:
    one, two = (
        learning_curve(DecisionTreeClassifier(), LOANS.X, LOANS.y, sizes=[50, 200], n_jobs=n)
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("sizes", "error", "words"),
    [
        ([1000], DataError, "the smallest fold leaves 135"),
        ([0], ParameterError, "sizes has 0"),
        ([1.5], ParameterError, "sizes has 1.5"),
        ([], ParameterError, "must be a list"),
        (50, ParameterError, "must be a list"),
    ],
)
def test_wrong_sizes_are_refused(sizes: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        learning_curve(DecisionTreeClassifier(), IRIS.X, IRIS.y, sizes=sizes)


def test_a_learner_that_fails_on_small_sets_is_reported() -> None:
    found = learning_curve(NeedsRows(), IRIS.X.to_pandas(), IRIS.y, sizes=[10, 100])
    assert found.points[0].n_failed == 10
    assert np.isnan(found.points[0].validated)
    assert "failed 10 of 20 times: ValueError: too few" in found.text().replace("\n", " ")
    assert found.draw().svg().startswith("<svg")
    with pytest.raises(ValueError, match="too few"):
        learning_curve(NeedsRows(), IRIS.X.to_pandas(), IRIS.y, sizes=[10])


class NeedsRows(DecisionTreeClassifier):
    """Refuses fewer than fifty rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if len(y) < 50:
            raise ValueError("too few")
        return super().fit(X, y, sample_weight)


def _numbers() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 2))
    return X, X[:, 0] + generator.normal(size=200)
