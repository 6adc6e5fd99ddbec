"""Bagging: trees on our engine, everything else through scikit-learn's."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn import config_context, ensemble
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import treewright as tw
from treewright.errors import DataError, ParameterError

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(120, 4)).round(2)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
NUMBERS = X[:, 0] * 3 + X[:, 3]


def test_without_an_estimator_it_is_a_forest_that_looks_at_all_columns() -> None:
    bagged = tw.BaggingClassifier(n_estimators=5, random_state=2).fit(X, Y)
    forest = tw.RandomForestClassifier(5, max_features=None, random_state=2).fit(X, Y)
    np.testing.assert_array_equal(bagged.predict_proba(X), forest.predict_proba(X))
    bagged = tw.BaggingRegressor(n_estimators=5, max_features=2, random_state=2).fit(X, NUMBERS)
    tree_wise = tw.RandomForestRegressor(5, max_features=2, features_per="tree", random_state=2)
    np.testing.assert_array_equal(bagged.predict(X), tree_wise.fit(X, NUMBERS).predict(X))


@pytest.mark.parametrize("estimator", [None, tw.C45Classifier(), tw.ID3Classifier()])
@pytest.mark.parametrize("repeats", [False, True])
def test_rows_and_columns_of_each_estimator(estimator: Any, repeats: bool) -> None:
    bagged = tw.BaggingClassifier(
        estimator, 6, max_samples=0.5, max_features=3, bootstrap_features=repeats
    ).fit(X, Y)
    assert len(bagged) == len(bagged.estimators_samples_) == len(bagged.estimators_features_) == 6
    sizes = {len(columns) for columns in bagged.estimators_features_}
    assert max(sizes) <= 3 if repeats else sizes == {3}
    for tree, rows, columns in zip(
        bagged.ensemble_, bagged.estimators_samples_, bagged.estimators_features_, strict=True
    ):
        assert len(rows) == 60
        assert np.unique(columns).tolist() == columns.tolist()
        asked = set(tree.arrays.column[tree.arrays.n_branches > 0].tolist())
        assert asked <= set(columns.tolist())
        assert tree.arrays.weight[0] == 60
        counts = np.bincount(Y[rows], minlength=3)
        assert tree.arrays.value[0].tolist() == counts.tolist()


def test_the_bases_own_columns_per_node_are_drawn_from_those_of_the_tree() -> None:
    base = tw.DecisionTreeClassifier(max_features=1)
    bagged = tw.BaggingClassifier(base, 4, max_features=2).fit(X, Y)
    all_seen = tw.BaggingClassifier(n_estimators=4, max_features=2).fit(X, Y)
    assert [c.tolist() for c in bagged.estimators_features_] == [
        c.tolist() for c in all_seen.estimators_features_
    ]
    assert (bagged.predict_proba(X) != all_seen.predict_proba(X)).any()


def test_without_replacement_every_row_is_seen_once_at_most() -> None:
    bagged = tw.BaggingRegressor(n_estimators=3, bootstrap=False, max_samples=40).fit(X, NUMBERS)
    for rows in bagged.estimators_samples_:
        assert len(np.unique(rows)) == len(rows) == 40
    every = tw.BaggingRegressor(n_estimators=2, bootstrap=False).fit(X, NUMBERS)
    assert [rows.tolist() for rows in every.estimators_samples_] == [list(range(120))] * 2
    assert every.score(X, NUMBERS) == 1.0


def test_warm_start_keeps_the_trees() -> None:
    grown = tw.BaggingClassifier(n_estimators=2, max_features=2, warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=5).fit(X, Y)
    whole = tw.BaggingClassifier(n_estimators=5, max_features=2).fit(X, Y)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))
    assert len(grown.estimators_features_) == 5


def test_out_of_bag_score() -> None:
    bagged = tw.BaggingClassifier(n_estimators=40, oob_score=True).fit(X, Y)
    assert 0.7 < bagged.oob_score_ < bagged.score(X, Y)
    assert bagged.oob_decision_function_.shape == (120, 3)
    with pytest.raises(ParameterError, match="oob_score"):
        tw.BaggingClassifier(bootstrap=False, oob_score=True).fit(X, Y)


def test_a_pickled_one_answers_alike_and_asks_for_its_rows() -> None:
    bagged = tw.BaggingClassifier(tw.C45Classifier(), 3, max_features=2).fit(X, Y)
    again = pickle.loads(pickle.dumps(bagged))
    np.testing.assert_array_equal(again.predict_proba(X), bagged.predict_proba(X))
    assert len(again.estimators_features_) == 3
    with pytest.raises(DataError, match="no training data"):
        _ = again.estimators_samples_


FOREIGN = [
    LogisticRegression(max_iter=500),
    LinearSVC(),
    KNeighborsClassifier(),
    tw.RandomForestClassifier(3),
    tw.C45RulesClassifier(),
]


@pytest.mark.parametrize("estimator", FOREIGN, ids=lambda each: type(each).__name__)
def test_any_other_estimator_is_bagged_by_scikit_learn(estimator: Any) -> None:
    parameters = {"max_samples": 0.7, "max_features": 3, "random_state": 7}
    ours = tw.BaggingClassifier(estimator, 4, **parameters).fit(X, Y)
    theirs = ensemble.BaggingClassifier(estimator, n_estimators=4, **parameters).fit(X, Y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.classes_.tolist() == [0, 1, 2]
    assert ours.n_features_in_ == 4
    assert len(ours) == 4
    assert ours[0] is ours.estimators_[0]
    for name in ("estimators_samples_", "estimators_features_"):
        for mine, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_array_equal(mine, other)
    has_function = hasattr(theirs, "decision_function") and hasattr(estimator, "decision_function")
    assert hasattr(ours, "decision_function") == has_function
    if has_function:
        np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


def test_numbers_by_other_estimators() -> None:
    ours = tw.BaggingRegressor(Ridge(), 5, oob_score=True, bootstrap=True)
    with pytest.warns(UserWarning, match="OOB"):
        ours.fit(X, NUMBERS)
    assert ours.score(X, NUMBERS) > 0.99
    assert len(ours.oob_prediction_) == 120
    twice = clone(ours).set_params(oob_score=False)
    assert twice.fit(X, NUMBERS).predict(X).tolist() == ours.predict(X).tolist()  # None is seed 0
    with pytest.raises(AttributeError, match="BaggingRegressor of Ridge has no trees"):
        ours.apply(X)
    assert not hasattr(ours, "feature_importances_")


def test_warm_start_of_other_estimators() -> None:
    grown = tw.BaggingRegressor(Ridge(), 2, warm_start=True).fit(X, NUMBERS)
    first = grown.estimators_[0]
    grown.set_params(n_estimators=4).fit(X, NUMBERS)
    assert len(grown) == 4
    assert grown.estimators_[0] is first


def test_changing_the_kind_of_estimator_leaves_nothing_behind() -> None:
    model = tw.BaggingClassifier(n_estimators=3, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        model.fit(X, Y)
    model.set_params(estimator=LogisticRegression(), oob_score=False).fit(X, Y)
    assert not hasattr(model, "ensemble_")
    assert not hasattr(model, "oob_score_")
    with pytest.raises(ParameterError, match="n_estimators=0"):
        model.set_params(estimator=None, n_estimators=0).fit(X, Y)
    assert model.predict(X).shape == (120,)  # still what was fitted last
    model.set_params(n_estimators=3).fit(X, Y)
    plain = tw.BaggingClassifier(n_estimators=3).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


class CountsItsRows(tw.DecisionTreeRegressor):
    """A tree with a method of its own, which bagging must call."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> CountsItsRows:
        self.n_rows_ = len(X)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("made", [tw.BaggingRegressor, tw.AdaBoostRegressor])
def test_a_tree_with_a_fit_of_its_own_is_fitted_by_it(made: Any) -> None:
    model = made(CountsItsRows(max_depth=2), n_estimators=3, random_state=0).fit(X, NUMBERS)
    assert [member.n_rows_ for member in model.estimators_] == [120] * 3
    assert model.predict(X).shape == (120,)


class TakesGroups(Ridge):
    """An estimator that records the metadata it is given."""

    def fit(self, X: Any, y: Any, groups: Any = None) -> TakesGroups:
        self.groups_ = groups
        return super().fit(X, y)

    def predict(self, X: Any, note: Any = None) -> Any:
        TakesGroups.note = note
        return super().predict(X)


def test_metadata_go_to_an_estimator_that_has_asked_for_them() -> None:
    with config_context(enable_metadata_routing=True):
        asked = TakesGroups().set_fit_request(groups=True).set_predict_request(note=True)
        bagged = tw.BaggingRegressor(asked, n_estimators=2, random_state=0)
        model = make_pipeline(bagged).fit(X, NUMBERS, groups=np.arange(120))
        model.predict(X, note="seen")
        rows = model[-1].estimators_samples_
    for member, drawn in zip(model[-1].estimators_, rows, strict=True):
        assert member.groups_.tolist() == drawn.tolist()
    assert TakesGroups.note == "seen"
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing"):
        bagged.fit(X, NUMBERS, groups=np.arange(120))


def test_metadata_that_trees_do_not_take_are_refused() -> None:
    model = tw.BaggingClassifier(n_estimators=2)
    message = "fit of BaggingClassifier got note, which trees of Treewright do not take."
    with pytest.raises(ParameterError, match=re.escape(message)):
        model.fit(X, Y, note=np.arange(120))
    model.fit(X, Y)
    for method in ("predict", "predict_proba", "predict_log_proba"):
        with pytest.raises(ParameterError, match=f"^{method} of BaggingClassifier got note"):
            getattr(model, method)(X, note="unseen")
    assert set(model.get_metadata_routing().fit.requests) == {"sample_weight", "groups"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_features": 0}, "max_features=0 must be at least 1."),
        ({"max_features": 5}, "max_features=5 is more than the 4 columns of the table."),
        (
            {"max_features": 1.5},
            "max_features=1.5: a share of the columns must be above 0 and at most 1.",
        ),
        ({"max_features": "sqrt"}, "max_features='sqrt' must be a whole number."),
        ({"bootstrap_features": 1}, "bootstrap_features=1 must be True or False."),
        ({"n_estimators": 10**7}, "n_estimators=10000000 must be at most 1,000,000."),
        ({"estimator": tw.M5Regressor()}, "estimator=M5Regressor(...) predicts numbers, but"),
        ({"estimator": LogisticRegression}, "estimator=LogisticRegression must be a single tree"),
        (
            {"estimator": tw.DecisionTreeClassifier(features_per="tree", max_features=2)},
            "features_per='tree' of estimator=DecisionTreeClassifier(...) is not used: bagging"
            " draws the columns of each tree.\n  Hint: BaggingClassifier(..., max_features=2).",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(changes: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        tw.BaggingClassifier(**changes).fit(X, Y)
