"""Strange tables, folds and learners are refused by name, or judged by a told convention."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate import compare, cross_validate, scores

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
HALVES = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
FIRST_HALF = np.r_[np.ones(20), np.zeros(20)]


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers the first class, with probabilities of any kind."""

    def __init__(self, probabilities: Any = None, tells_classes: bool = True) -> None:
        self.probabilities = probabilities
        self.tells_classes = tells_classes

    def fit(self, X: Any, y: Any) -> "Odd":
        self.first_ = np.unique(y)[0]
        if self.tells_classes:
            self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.first_)

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.probabilities, (len(X), 1))


class Plain:
    """Fits and predicts, and knows nothing of scikit-learn."""

    def fit(self, X: Any, y: Any) -> "Plain":
        self.first = y[0]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.first)


def judged(learner: Any = None, y: Any = Y, **given: Any) -> Any:
    return cross_validate(DecisionTreeClassifier() if learner is None else learner, X, y, **given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: judged(Odd([np.nan, 1])), r"probabilities of Odd in row 0 are \[nan, 1.0\]"),
        (lambda: judged(Odd([-1, 2])), r"probabilities of Odd in row 0 are \[-1.0, 2.0\]"),
        (lambda: judged(Odd([0.2] * 5)), r"shape \(4, 5\); 4 rows and 2 classes need \(4, 2\)"),
        (lambda: judged(Odd([1.0])), r"of Odd have shape \(4, 1\)"),
        (lambda: judged(Odd([1.0], tells_classes=False)), r"of Odd have shape \(4, 1\)"),
        (lambda: judged(sample_weight=["a"] * 40), "sample_weight is no number in every row"),
        (lambda: judged(sample_weight=FIRST_HALF, cv=HALVES[:1]), "to judge on have no weight"),
        (lambda: judged(sample_weight=FIRST_HALF, cv=HALVES[1:]), "to learn from have no weight"),
        (lambda: judged(groups=[None] * 5 + ["a"] * 35), r"groups\[0\] is None, but every row"),
        (lambda: judged(groups=[1.0, np.nan] * 20), r"groups\[1\] is nan, but every row"),
        (lambda: judged(groups=pd.Series(["a", None] * 20)), r"groups\[1\] is .*every row"),
        (lambda: judged(cv=[(1, 2, 3)]), r"part 0 of cv is \(1, 2, 3\); it must be a pair"),
        (lambda: judged(cv=[1, 2]), "part 0 of cv is 1; it must be a pair"),
        (lambda: judged(cv=[([0.5], [1])]), "float64 entries .* must have positions of rows"),
        (lambda: judged(cv=[([[0, 1]], [2])]), r"entries of shape \(1, 2\)"),
        (lambda: judged(cv=[(Y[:3] == 1, Y[:3] == 0)]), "a mask of 40 rows"),
        (lambda: judged(cv=[([0, 1], [2, 3, 2])]), "part 0 of cv judges row 2 2 times"),
        (lambda: judged(cv=[([0, 1], [])]), "part 0 of cv has no rows to judge on"),
        (lambda: judged(cv=iter(())), "cv has no parts"),
        (lambda: judged(random_state=None), "random_state=None must be a whole number"),
        (lambda: judged(random_state=-1), "random_state=-1 must be at least 0"),
        (lambda: judged(random_state=2**32), "random_state=4294967296 must be at most"),
        (lambda: scores(Y, Y, probabilities=["a"] * 40), "probabilities holds what is no number"),
        (lambda: judged(y=pd.to_datetime(["2020-01-01", "2021-01-01"] * 20)), "holds dates"),
        (lambda: judged(y=np.column_stack([Y, Y])), "one value per row is judged"),
        (lambda: judged(DecisionTreeClassifier), "is a class; a learner is an instance"),
        (lambda: judged(cost_matrix=[[0, 1, 2], [1, 0, 2]]), "must have 2 rows"),
    ],
)
def test_strange_input_is_refused_by_name(call: Callable[[], object], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()


def test_one_row_gets_no_hint_that_does_not_help() -> None:
    with pytest.raises(DataError) as refused:
        cross_validate(DecisionTreeClassifier(), X[:1], Y[:1])
    assert str(refused.value) == "cv=10 folds need at least as many rows; there are 1."


def test_rows_that_several_parts_judge_count_once() -> None:
    once = judged(cv=HALVES[:1])
    thrice = judged(cv=(pair for pair in HALVES[:1] * 3))
    assert thrice["error"].high == pytest.approx(once["error"].high, abs=0.02)
    assert once.folds.method == "1 given part"
    learners = [DecisionTreeClassifier(), 0]
    with pytest.raises(UnsupportedError, match="judges rows in several parts"):
        compare(learners, X, Y, cv=HALVES[:1] * 3, test="mcnemar")


def test_groups_may_be_of_any_kind() -> None:
    labels = np.array(["b", 2.5, True, 7] * 10, dtype=object)
    number = {label: i for i, label in enumerate(labels.tolist())}
    found = judged(cv=3, groups=labels)
    coded = judged(cv=3, groups=[number[label] for label in labels.tolist()])
    assert found.folds.method == coded.folds.method == "3 folds, stratified, by group"
    assert found["error"].high == pytest.approx(coded["error"].high, abs=0.2)


def test_columns_of_a_learner_that_does_not_tell_its_classes_are_all_of_them() -> None:
    found = judged(Odd([0.25, 0.75], tells_classes=False), metrics="brier")
    told = judged(Odd([0.25, 0.75]), metrics="brier")
    assert found["brier"].value == told["brier"].value == pytest.approx(np.mean((0.75 - Y) ** 2))


def test_a_learner_without_parameters_is_copied() -> None:
    learner = Plain()
    found = judged(learner, metrics="error")
    assert not hasattr(learner, "first")
    assert 0 < found["error"].value < 1


def test_a_constant_answers_every_row_of_a_dict() -> None:
    table = {f"x{i}": X[:, i] for i in range(3)}
    found = compare([DecisionTreeClassifier(), 0], table, Y, cv=3, metrics=["error", "auc"])
    assert found["always 0"]["auc"].value == 0.5


def test_one_class_in_a_fold_leaves_out_what_it_has_no_value_of() -> None:
    order = np.argsort(Y, kind="stable")
    cv = [(order[10:], order[:10]), (order[:30], order[30:]), (order[20:], order[:20])]
    found = compare([DecisionTreeClassifier(), 0], X, Y, cv=cv, metrics="auc")
    values = found["always 0"].values["auc"]
    assert np.isnan(values[:2]).all()
    assert found.differences[1] is None
    assert "AUC has values on fewer than two folds of always 0" in str(found).replace("\n", " ")


def test_folds_of_one_row_have_no_root_mean_square() -> None:
    learners = [DecisionTreeRegressor(), 0.0]
    found = compare(learners, X[:12], X[:12, 0], cv="leave_one_out")
    assert found.differences[1] is None
    exact = cross_validate(learners[0], X[:12], X[:12, 0], cv="leave_one_out", metrics="rmse")
    assert found["DecisionTreeRegressor"]["rmse"].value == exact["rmse"].value
    by_row = compare(learners, X[:12], X[:12, 0], cv="leave_one_out", metrics="mae")
    assert by_row.differences[1] is not None


def test_a_difference_of_shares_is_at_most_100_points() -> None:
    found = compare([1, 0], X[:2], [0, 1], cv="leave_one_out")
    assert found.differences[1] is not None
    interval = found.differences[1].interval
    assert (interval.low, interval.high) == (-1, 1)


def test_a_learner_that_changes_its_table_changes_no_other() -> None:
    class Spoiler(Plain):
        def fit(self, X: Any, y: Any) -> "Spoiler":
            super().fit(X, y)
            X[:] = 0
            return self

        def predict(self, X: Any) -> Any:
            X[:] = 0
            return super().predict(X)

    tree = DecisionTreeClassifier()
    alone = judged(tree, cv=3, metrics="error")
    beside = compare({"spoiler": Spoiler(), "tree": tree, "last": tree}, X, Y, cv=3)
    assert beside["tree"]["error"].value == beside["last"]["error"].value == alone["error"].value
