"""Votes: scikit-learn's answers where it has them, weights chosen out of fold, certainty."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from treewright import (
    C45Classifier,
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    VotingClassifier,
    VotingRegressor,
    load_example,
)

IRIS = load_iris(return_X_y=True)
CANCER = tuple(each[:250] for each in load_breast_cancer(return_X_y=True))
DIABETES = tuple(each[:200] for each in load_diabetes(return_X_y=True))


def classifiers() -> list[tuple[str, Any]]:
    return [
        ("line", LogisticRegression(max_iter=3000)),
        ("ours", C45Classifier()),
        ("bayes", GaussianNB()),
    ]


def regressors() -> list[tuple[str, Any]]:
    return [("line", Ridge()), ("ours", CARTRegressor()), ("tree", DecisionTreeRegressor())]


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["three classes", "two"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [2, 1, 0.5]])
@pytest.mark.parametrize("flat", [True, False])
def test_it_votes_as_scikit_learns(data: Any, voting: str, weights: Any, flat: bool) -> None:
    X, y = data
    given = {"voting": voting, "weights": weights, "flatten_transform": flat}
    ours = VotingClassifier(classifiers(), **given).fit(X, y)
    theirs = ensemble.VotingClassifier(classifiers(), **given).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    if voting == "soft":
        np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    if flat:
        names = theirs.get_feature_names_out()
        assert ours.get_feature_names_out().tolist() == names.tolist()
    assert isinstance(ours, ensemble.VotingClassifier)


@pytest.mark.parametrize("weights", [None, [2, 1, 0.5]])
def test_numbers_are_averaged_as_scikit_learns(weights: Any) -> None:
    X, y = DIABETES
    ours = VotingRegressor(regressors(), weights=weights).fit(X, y)
    theirs = ensemble.VotingRegressor(regressors(), weights=weights).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


def test_weights_of_a_soft_vote_have_the_least_log_loss_out_of_fold() -> None:
    X, y = CANCER
    vote = VotingClassifier(classifiers(), voting="soft", weights="out_of_fold").fit(X, y)
    chosen = vote.weights_.values[:, 0]
    assert chosen.min() >= 0.0
    assert chosen.sum() == pytest.approx(1.0)
    members = vote._held.members
    least = log_loss(y, np.average(members, axis=0, weights=chosen))
    for other in np.random.default_rng(0).dirichlet(np.ones(3), 200):
        assert log_loss(y, np.average(members, axis=0, weights=other)) >= least - 1e-9
    np.testing.assert_allclose(
        vote.predict_proba(X), np.average(vote._collect_probas(X), axis=0, weights=chosen)
    )


def test_weights_of_a_hard_vote_err_no_more_than_others() -> None:
    X, y = IRIS
    vote = VotingClassifier(classifiers(), weights="out_of_fold").fit(X, y)
    by_member = [each["accuracy"] for each in vote.weights_.scores]
    votes = np.stack(vote._held.members, axis=1)
    from treewright.estimators.combine.simplex import decided

    chosen = vote.weights_.values[:, 0]
    accuracy = np.mean(decided(votes, chosen, 3) == y)
    assert accuracy >= max(by_member)
    assert accuracy >= np.mean(decided(votes, np.ones(3), 3) == y)


def test_weights_of_a_mean_have_the_least_squared_error_out_of_fold() -> None:
    X, y = DIABETES
    vote = VotingRegressor(regressors(), weights="out_of_fold").fit(X, y)
    answers, chosen = np.stack(vote._held.members, axis=1), vote.weights_.values[:, 0]
    least = np.mean((answers @ chosen - y) ** 2)
    for other in np.random.default_rng(0).dirichlet(np.ones(3), 200):
        assert np.mean((answers @ other - y) ** 2) >= least - 1e-9
    assert vote.weights_["line"] > vote.weights_["tree"]


def test_text_and_ordered_classes_are_taken_as_they_are() -> None:
    loans = load_example("play_tennis")
    members = [("a", C45Classifier()), ("b", DecisionTreeClassifier(max_depth=1))]
    vote = VotingClassifier(members, voting="soft").fit(loans.X, loans.y)
    assert set(vote.predict(loans.X)) <= {"Yes", "No"}
    order = ["low", "mid", "high"]
    y = pd.Series(pd.Categorical([order[i % 3] for i in range(30)], order, ordered=True))
    X = np.arange(30.0).reshape(-1, 1) % 3
    vote = VotingClassifier([("a", C45Classifier()), ("b", LogisticRegression())]).fit(X, y)
    assert vote.classes_.tolist() == order
    assert vote.estimators_[0].classes_.tolist() == order
    assert vote.predict(X[:3]).tolist() == order


@pytest.mark.parametrize("weights", [None, "out_of_fold"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_sets_contain_the_true_class(weights: Any, voting: str) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(800, 4))
    y = np.where(X[:, 0] + random.normal(size=800) > 0, "yes", "no")
    members = [("tree", DecisionTreeClassifier(max_depth=4)), ("bayes", GaussianNB())]
    vote = VotingClassifier(members, voting=voting, weights=weights).fit(X[:400], y[:400])
    sets = vote.predict_set(X[400:], level=0.9)
    covered = sets[np.arange(400), np.searchsorted(vote.classes_, y[400:])].mean()
    assert covered > 0.85
    again = pickle.loads(pickle.dumps(vote))
    np.testing.assert_array_equal(again.predict_set(X[400:], level=0.9), sets)


@pytest.mark.parametrize("weights", [None, "out_of_fold"])
def test_intervals_cover_and_soft_votes_are_calibrated(weights: Any) -> None:
    random = np.random.default_rng(2)
    X = random.uniform(size=(800, 3))
    y = X[:, 0] + 0.1 * random.normal(size=800)
    members = [("tree", DecisionTreeRegressor(min_samples_leaf=10)), ("line", Ridge())]
    vote = VotingRegressor(members, weights=weights).fit(X[:400], y[:400])
    low, high = vote.predict_interval(X[400:], level=0.9).T
    assert 0.85 < np.mean((low <= y[400:]) & (y[400:] <= high)) < 0.95
    soft = VotingClassifier(
        classifiers(), voting="soft", weights=weights, calibrate="temperature"
    ).fit(*CANCER)
    assert soft.predict_proba(CANCER[0]).sum(axis=1) == pytest.approx(1.0)
    assert "temperature" in soft.calibration_.told()
