"""AdaBoost against scikit-learn's, round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import datasets, ensemble, tree
from sklearn.linear_model import LogisticRegression

import treewright as tw

TABLES = {
    "breast cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "digits": datasets.load_digits,
}
N_ROUNDS = 30


def weights_before_each_round(theirs: Any, X: Any, y: Any) -> list[Any]:
    """SAMME's weights, replayed from scikit-learn's fitted learners."""
    weights = np.full(len(y), 1.0 / len(y))
    before = []
    for learner, alpha in zip(theirs.estimators_, theirs.estimator_weights_, strict=False):
        before.append(weights)
        weights = weights * np.exp(alpha * (learner.predict(X) != y))
        weights = weights / weights.sum()
    return before


def gini_decrease(decided: Any, y: Any, weights: Any) -> float:
    """How much a division of the rows takes from the Gini index."""

    def impurity(rows: Any) -> float:
        shares = np.bincount(y[rows], weights=weights[rows])
        return float(shares.sum() - (shares**2).sum() / shares.sum())

    everything = np.ones(len(y), dtype=bool)
    parts = [decided == side for side in np.unique(decided)]
    return impurity(everything) - sum(map(impurity, parts))


@pytest.mark.parametrize("name", TABLES)
def test_every_round_has_the_same_stump_or_one_as_good(name: str) -> None:
    X, y = TABLES[name](return_X_y=True)
    theirs = ensemble.AdaBoostClassifier(n_estimators=N_ROUNDS, random_state=0).fit(X, y)
    same = 0
    for learner, weights in zip(
        theirs.estimators_, weights_before_each_round(theirs, X, y), strict=True
    ):
        ours = tw.AdaBoostClassifier(n_estimators=1).fit(X, y, sample_weight=weights)
        found = ours.ensemble_[0].arrays
        column, threshold = int(found.column[0]), float(found.threshold[0])
        is_same = column == learner.tree_.feature[0] and np.array_equal(
            X[:, column] <= threshold, X[:, column] <= learner.tree_.threshold[0]
        )
        same += is_same
        if is_same:
            error = float(weights[learner.predict(X) != y].sum())
            assert ours.estimator_errors_[0] == pytest.approx(error, abs=1e-12)
        else:  # they draw among the best
            mine = gini_decrease(X[:, column] <= threshold, y, weights)
            other = gini_decrease(learner.apply(X), y, weights)
            assert mine == pytest.approx(other, rel=1e-9)
    assert same > 0.8 * N_ROUNDS


@pytest.mark.parametrize("name", TABLES)
def test_errors_weights_and_decisions_agree(name: str) -> None:
    X, y = TABLES[name](return_X_y=True)
    theirs = ensemble.AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    ours = tw.AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_, abs=1e-10)
    assert ours.estimator_weights_ == pytest.approx(theirs.estimator_weights_, abs=1e-9)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    for mine, other in zip(
        ours.staged_predict_proba(X), theirs.staged_predict_proba(X), strict=True
    ):
        assert np.allclose(mine, other, atol=1e-10)


def test_an_estimator_of_scikit_learn_is_boosted_as_there() -> None:
    X, y = datasets.load_iris(return_X_y=True)
    learner = LogisticRegression(C=0.1)
    theirs = ensemble.AdaBoostClassifier(learner, n_estimators=8, random_state=3).fit(X, y)
    ours = tw.AdaBoostClassifier(learner, n_estimators=8, random_state=3).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_, abs=1e-6)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_r2_draws_and_weighs_as_there(loss: str) -> None:
    X, y = datasets.load_diabetes(return_X_y=True)
    learner = tree.DecisionTreeRegressor(max_depth=3, random_state=0)
    options: dict[str, Any] = {"n_estimators": 12, "loss": loss, "random_state": 5}
    theirs = ensemble.AdaBoostRegressor(learner, **options).fit(X, y)
    ours = tw.AdaBoostRegressor(learner, **options).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(theirs.estimator_errors_, abs=1e-10)
    assert np.allclose(ours.predict(X), theirs.predict(X))
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert np.allclose(mine, other)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_r2_with_our_trees_predicts_as_well(loss: str) -> None:
    X, y = datasets.make_friedman1(600, noise=0.5, random_state=0)
    options: dict[str, Any] = {"n_estimators": 50, "loss": loss, "random_state": 0}
    theirs = ensemble.AdaBoostRegressor(**options).fit(X[:300], y[:300])
    ours = tw.AdaBoostRegressor(**options).fit(X[:300], y[:300])
    assert ours.score(X[300:], y[300:]) > theirs.score(X[300:], y[300:]) - 0.03
