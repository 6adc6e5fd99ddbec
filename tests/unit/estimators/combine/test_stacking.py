"""Stacks: scikit-learn's answers where it has them, any table, classes by name, and certainty."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as TheirTree
from sklearn.tree import DecisionTreeRegressor as TheirRegressor

from treewright import (
    C45Classifier,
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    StackingClassifier,
    StackingRegressor,
    load_example,
)
from treewright.data.read.table import read_frame
from treewright.estimators.combine.pool import ConvexSum, OpinionPool

IRIS = load_iris(return_X_y=True)
CANCER = tuple(each[:250] for each in load_breast_cancer(return_X_y=True))
DIABETES = tuple(each[:200] for each in load_diabetes(return_X_y=True))


def classifiers() -> list[tuple[str, Any]]:
    return [
        ("line", make_pipeline(StandardScaler(), LogisticRegression())),
        ("tree", TheirTree(max_depth=3, random_state=0)),
        ("ours", C45Classifier()),
        ("bayes", GaussianNB()),
    ]


def regressors() -> list[tuple[str, Any]]:
    return [
        ("line", Ridge()),
        ("tree", TheirRegressor(max_depth=3, random_state=0)),
        ("ours", CARTRegressor()),
    ]


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["three classes", "two"])
@pytest.mark.parametrize("method", ["auto", "predict_proba", "predict"])
@pytest.mark.parametrize("passthrough", [False, True])
def test_it_answers_as_scikit_learns(data: Any, method: str, passthrough: bool) -> None:
    X, y = data
    given = {"stack_method": method, "passthrough": passthrough}
    final = LogisticRegression(max_iter=3000)
    ours = StackingClassifier(classifiers(), final, **given).fit(X, y)
    theirs = ensemble.StackingClassifier(classifiers(), final, **given).fit(X, y)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    names = theirs.get_feature_names_out()
    assert ours.get_feature_names_out().tolist() == names.tolist()
    assert ours.stack_method_ == theirs.stack_method_
    assert isinstance(ours, ensemble.StackingClassifier)


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["three classes", "two"])
def test_decision_functions_are_stacked_as_scikit_learns(data: Any) -> None:
    X, y = data
    members = [("svc", LinearSVC()), ("line", LogisticRegression(max_iter=3000))]
    given = {"stack_method": "decision_function", "cv": StratifiedKFold(3)}
    ours = StackingClassifier(members, LogisticRegression(), **given).fit(X, y)
    theirs = ensemble.StackingClassifier(members, LogisticRegression(), **given).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("cv", [None, 3, KFold(4, shuffle=True, random_state=1)])
@pytest.mark.parametrize("passthrough", [False, True])
def test_numbers_are_stacked_as_scikit_learns(cv: Any, passthrough: bool) -> None:
    X, y = DIABETES
    given = {"cv": cv, "passthrough": passthrough}
    ours = StackingRegressor(regressors(), RidgeCV(), **given).fit(X, y)
    theirs = ensemble.StackingRegressor(regressors(), RidgeCV(), **given).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_pairs_of_rows_prefit_and_weights_are_as_scikit_learns() -> None:
    X, y = CANCER
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    members = [("tree", TheirTree(max_depth=3, random_state=0)), ("bayes", GaussianNB())]
    pairs = list(KFold(4, shuffle=True, random_state=0).split(X))
    ours = StackingClassifier(members, LogisticRegression(), cv=pairs)
    theirs = ensemble.StackingClassifier(members, LogisticRegression(), cv=pairs)
    told = ours.fit(X, y, sample_weight=weight).predict_proba(X)
    np.testing.assert_array_equal(told, theirs.fit(X, y, sample_weight=weight).predict_proba(X))
    fitted = [(name, clone(each).fit(X, y)) for name, each in members]
    ours = StackingClassifier(fitted, LogisticRegression(), cv="prefit").fit(X, y)
    theirs = ensemble.StackingClassifier(fitted, LogisticRegression(), cv="prefit").fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.estimators_[0] is fitted[0][1]


def test_a_dropped_member_is_as_if_it_were_not_there() -> None:
    X, y = CANCER
    stack = StackingClassifier(classifiers()).set_params(bayes="drop").fit(X, y)
    without = StackingClassifier(classifiers()[:3]).fit(X, y)
    np.testing.assert_array_equal(stack.predict_proba(X), without.predict_proba(X))
    assert stack.named_estimators_["bayes"] == "drop"
    assert len(stack.weights_) == 3


def test_the_usual_final_estimators_are_pools() -> None:
    assert isinstance(StackingClassifier(classifiers()).fit(*IRIS).final_estimator_, OpinionPool)
    assert isinstance(StackingRegressor(regressors()).fit(*DIABETES).final_estimator_, ConvexSum)


def test_rows_in_an_order_mislead_no_default_stack() -> None:
    X = np.sort(np.random.default_rng(0).uniform(size=(100, 1)), axis=0)
    members = [("line", Ridge(1e-6)), ("tree", DecisionTreeRegressor(max_depth=6))]
    stack = StackingRegressor(members).fit(X, np.sin(9 * X[:, 0]))
    assert stack.weights_["tree"] > 0.9


FRAME = pd.DataFrame(
    {
        "size": np.arange(60.0) % 7,
        "shop": np.where(np.arange(60) % 3 == 0, "north", "south"),
        "age": np.where(np.arange(60) % 11 == 0, np.nan, np.arange(60.0)),
    }
)
CLASSES = np.where(FRAME["shop"].eq("north") & (FRAME["size"] > 2), "yes", "no")
NUMBERS = FRAME["size"].to_numpy() + 3.0 * (FRAME["shop"] == "north")
TABLES: dict[str, Any] = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.Table.from_pandas(FRAME),
    "frame": read_frame(FRAME),
    "columns": {name: FRAME[name].tolist() for name in FRAME},
    "rows": FRAME.to_dict("records"),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("passthrough", [False, True])
def test_any_table_is_stacked(kind: str, passthrough: bool) -> None:
    members = [("forest", RandomForestClassifier(5)), ("tree", C45Classifier())]
    final = DecisionTreeClassifier(max_depth=2) if passthrough else None
    stack = StackingClassifier(members, final, passthrough=passthrough)
    told = stack.fit(TABLES[kind], CLASSES).predict_proba(TABLES[kind])
    like = clone(stack).fit(FRAME, CLASSES).predict_proba(FRAME)
    np.testing.assert_array_equal(told, like)
    numbers = [("forest", DecisionTreeRegressor(max_depth=3)), ("tree", CARTRegressor())]
    regressor = StackingRegressor(numbers).fit(TABLES[kind], NUMBERS)
    assert regressor.score(TABLES[kind], NUMBERS) > 0.9


@pytest.mark.parametrize("kind", TABLES)
def test_members_of_other_libraries_read_any_table_of_numbers(kind: str) -> None:
    numbers = FRAME[["size"]].assign(twice=FRAME["size"] * 2)
    made = {
        "pandas": numbers,
        "polars": pl.from_pandas(numbers),
        "pyarrow": pa.Table.from_pandas(numbers),
        "frame": read_frame(numbers),
        "columns": {name: numbers[name].tolist() for name in numbers},
        "rows": numbers.to_dict("records"),
    }[kind]
    members = [("line", LogisticRegression()), ("ours", C45Classifier())]
    for passthrough in (False, True):
        stack = StackingClassifier(members, LogisticRegression(), passthrough=passthrough)
        told = stack.fit(made, CLASSES).predict_proba(made)
        theirs = ensemble.StackingClassifier(
            members, LogisticRegression(), passthrough=passthrough
        ).fit(numbers, CLASSES)
        # BLAS adds up in another order where a table is laid out by columns.
        np.testing.assert_allclose(told, theirs.predict_proba(numbers), rtol=1e-13)


def test_sparse_tables_are_stacked_as_scikit_learns() -> None:
    X, y = csr_array(CANCER[0]), CANCER[1]
    members = [("line", LogisticRegression(max_iter=3000)), ("ours", C45Classifier())]
    final = LogisticRegression(max_iter=3000)
    ours = StackingClassifier(members, final, passthrough=True).fit(X, y)
    theirs = ensemble.StackingClassifier(members, final, passthrough=True).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_members_of_ours_see_the_classes_in_their_order() -> None:
    order = ["low", "mid", "high"]
    y = pd.Series(pd.Categorical([order[i % 3] for i in range(60)], order, ordered=True))
    X = np.arange(60.0).reshape(-1, 1) % 3
    costs = {"low": {"high": 9.0}}
    members = [
        ("ours", DecisionTreeClassifier(cost_matrix=costs)),
        ("line", LogisticRegression()),
        ("both", make_pipeline(StandardScaler(), C45Classifier())),
    ]
    stack = StackingClassifier(members).fit(X, y)
    assert stack.classes_.tolist() == order
    assert stack.named_estimators_["ours"].classes_.tolist() == order
    assert stack.named_estimators_["both"].classes_.tolist() == order
    assert stack.named_estimators_["line"].classes_.tolist() == [0, 1, 2]
    assert stack.predict(X[:3]).tolist() == order
    by_ours = StackingClassifier(members, C45Classifier()).fit(X, y)
    assert by_ours.final_estimator_.classes_.tolist() == order
    assert by_ours.predict(X[:3]).tolist() == order


class _Watching(DecisionTreeClassifier):
    """Keeps the groups that it is fitted to."""

    seen: Any = []  # noqa: RUF012

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Any:
        self.seen.append(groups)
        return super().fit(X, y, sample_weight, groups=groups)


@pytest.mark.parametrize("cv", [None, 4, GroupKFold(3)])
def test_groups_are_not_divided_and_reach_members(cv: Any) -> None:
    X, y = CANCER
    groups = np.arange(len(y)) % 17
    _Watching.seen = []
    stack = StackingClassifier([("ours", _Watching()), ("bayes", GaussianNB())], cv=cv)
    stack.fit(X, y, groups=groups)
    assert all(each is not None for each in _Watching.seen)
    for train, test in stack._held.folds:
        assert not set(groups[train]) & set(groups[test])
    assert "by group" in str(stack.weights_)


def test_shuffled_classes_cannot_be_predicted() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(600, 5)), random.permutation(np.arange(600) % 3)
    new = random.normal(size=(600, 5))
    members = [("forest", RandomForestClassifier(30)), ("tree", DecisionTreeClassifier())]
    stack = StackingClassifier(members).fit(X[:600], y)
    told = stack.predict_proba(new)
    loss = -np.mean(np.log(told[np.arange(600), y]))
    assert abs(loss - np.log(3.0)) < 0.03  # as a constant does
    assert abs(stack.weights_.whole["log loss"] - np.log(3.0)) < 0.03
    numbers = random.normal(size=600)
    regressor = StackingRegressor([("a", DecisionTreeRegressor()), ("b", Ridge())])
    error = np.sqrt(np.mean((regressor.fit(X, numbers).predict(new) - numbers) ** 2))
    assert error < 1.05 * numbers.std()


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_number_of_jobs_changes_nothing(n_jobs: int) -> None:
    X, y = IRIS
    members = [("forest", RandomForestClassifier(5)), *classifiers()]
    one = StackingClassifier(members, random_state=3).fit(X, y)
    many = StackingClassifier(members, random_state=3, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))
    assert one.weights_.to_dict() == many.weights_.to_dict()


class _Interrupted(GaussianNB):
    """Is interrupted when fitted again."""

    count = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        type(self).count += 1
        if type(self).count > 7:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def test_an_interrupted_fit_leaves_the_stack_as_it_was() -> None:
    X, y = IRIS
    _Interrupted.count = 0
    stack = StackingClassifier([("bayes", _Interrupted())]).fit(X, y)
    before, told = dict(vars(stack)), stack.predict_proba(X)
    with pytest.raises(KeyboardInterrupt):
        stack.fit(X[:100], y[:100])
    assert vars(stack) == before
    np.testing.assert_array_equal(stack.predict_proba(X), told)


def test_sets_and_calibration_come_from_folds_that_are_there() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(900, 4))
    y = np.where(X[:, 0] + random.normal(size=900) > 0, "yes", "no")
    members = [("tree", DecisionTreeClassifier(min_samples_leaf=5)), ("bayes", GaussianNB())]
    stack = StackingClassifier(members, calibrate="temperature").fit(X[:500], y[:500])
    sets = stack.predict_set(X[500:], level=0.9)
    covered = sets[np.arange(400), np.searchsorted(stack.classes_, y[500:])].mean()
    assert 0.85 < covered < 0.95
    assert "temperature" in stack.calibration_.told()
    again = pickle.loads(pickle.dumps(stack))
    np.testing.assert_array_equal(again.predict_proba(X), stack.predict_proba(X))
    np.testing.assert_array_equal(again.predict_set(X[500:], level=0.9), sets)
    assert str(again.weights_) == str(stack.weights_)
    assert again._held is None
    loaded = pickle.loads(pickle.dumps(clone(stack).fit(X[:500], y[:500])))
    told = loaded.predict_set(X[500:], level=0.9, X_train=X[:500], y_train=y[:500])
    np.testing.assert_array_equal(told, sets)


def test_intervals_cover() -> None:
    random = np.random.default_rng(2)
    X = random.uniform(size=(900, 3))
    y = X[:, 0] + 0.1 * random.normal(size=900)
    members = [("tree", DecisionTreeRegressor(min_samples_leaf=10)), ("line", Ridge())]
    stack = StackingRegressor(members).fit(X[:500], y[:500])
    low, high = stack.predict_interval(X[500:], level=0.9).T
    assert 0.86 < np.mean((low <= y[500:]) & (y[500:] <= high)) < 0.94
    assert stack._intervals.source == "5 folds"


def test_weights_tell_members_and_figures() -> None:
    iris = load_example("iris")
    stack = StackingClassifier(classifiers(), LogisticRegression()).fit(iris.X, iris.y)
    weights = stack.weights_
    assert weights.kind == "coefficient"
    assert weights.of_classes == ("setosa", "versicolor", "virginica")
    coefficients = stack.final_estimator_.coef_
    assert weights["tree"].tolist() == [coefficients[k, 3 + k] for k in range(3)]
    assert set(weights.metrics) == {"log loss", "accuracy"}
    assert weights.to_frame()["member"].tolist() == ["line", "tree", "ours", "bayes", "(all)"]
    assert weights.to_dict()["members"][0]["member"] == "line"
    assert max(map(len, str(weights).splitlines())) <= 80
    assert str(stack.summary()) == str(weights)
    forest = StackingClassifier(classifiers(), RandomForestClassifier(5)).fit(iris.X, iris.y)
    assert forest.weights_.kind == "importance"
    assert forest.weights_.values.sum() == pytest.approx(1.0)
    blind = StackingClassifier(classifiers(), GaussianNB()).fit(iris.X, iris.y)
    assert blind.weights_.values is None
    assert "GaussianNB does not tell what it weighs" in str(blind.weights_)
