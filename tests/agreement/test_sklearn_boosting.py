"""Boosting under scikit-learn's names: the same trees from the same parameters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from threadpoolctl import threadpool_limits

import treewright as tw

# So few values that each has a bin of its own: every cut that scikit-learn tries is tried.
X, Y = make_friedman1(400, random_state=0)
X = np.round(50 * X) / 50
XC, YC = make_classification(500, 8, random_state=1)
XC = np.round(20 * XC) / 20
PLAIN = {"learning_rate": 0.1, "n_estimators": 15, "max_depth": 3}
AS_SKLEARN: dict[str, Any] = {
    "max_leaf_nodes": None,
    "growth": "depth_wise",
    "l2_regularization": 0.0,
    "min_hessian": 0.0,
    "subsample": 1.0,
    "max_features": None,
    "criterion": "friedman_mse",
}
LIMITS = [
    {},
    {"min_samples_split": 80},
    {"min_samples_split": 0.3},
    {"min_samples_leaf": 0.1},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.3},
    {"ccp_alpha": 0.2},
    {"min_samples_split": 0.2, "ccp_alpha": 0.05, "min_samples_leaf": 5},
    {"loss": "huber", "alpha": 0.8, "min_samples_leaf": 20},
    {"loss": "quantile", "alpha": 0.3, "min_samples_leaf": 20},
]


def leaves_of(model: Any) -> list[int]:
    return [int(tree.get_n_leaves()) for tree in model.estimators_.ravel()]


@pytest.mark.parametrize("limits", LIMITS)
def test_regressors_grow_the_same_trees(limits: dict[str, Any]) -> None:
    ours = tw.GradientBoostingRegressor(**PLAIN | AS_SKLEARN | limits).fit(X, Y)
    theirs = GradientBoostingRegressor(**PLAIN | limits, random_state=0).fit(X, Y)
    if limits.get("loss") in ("huber", "quantile"):  # leaves and ties differ in quantiles between
        assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y), abs=0.05)
        return
    assert leaves_of(ours) == leaves_of(theirs)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)
    assert np.allclose(ours.train_score_, theirs.train_score_)


@pytest.mark.parametrize(
    "limits", [{"ccp_alpha": 0.002}, {"min_impurity_decrease": 0.002}, {"min_samples_leaf": 30}]
)
def test_classifiers_grow_the_same_trees_by_scikit_learns_criterion(limits: dict[str, Any]) -> None:
    ours = tw.GradientBoostingClassifier(**PLAIN | AS_SKLEARN | limits).fit(XC, YC)
    theirs = GradientBoostingClassifier(**PLAIN | limits, random_state=0).fit(XC, YC)
    assert leaves_of(ours) == leaves_of(theirs)
    scores = ours.decision_function(XC), theirs.decision_function(XC)
    assert np.allclose(*scores, rtol=0, atol=1e-6)
    assert np.allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
    assert ours.apply(XC).shape == theirs.apply(XC).shape
    assert np.allclose(ours.init_.predict_proba(XC[:1]), theirs.init_.predict_proba(XC[:1]))


def test_weighted_rows_have_the_same_trees() -> None:
    weight = np.random.default_rng(3).integers(1, 5, len(Y))
    limits = {"min_weight_fraction_leaf": 0.1, "min_impurity_decrease": 0.3}
    ours = tw.GradientBoostingRegressor(**PLAIN | AS_SKLEARN | limits)
    theirs = GradientBoostingRegressor(**PLAIN | limits, random_state=0)
    ours.fit(X, Y, sample_weight=weight)
    theirs.fit(X, Y, sample_weight=weight)
    assert leaves_of(ours) == leaves_of(theirs)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-6)


def test_weighted_rows_have_the_same_trees_by_scikit_learns_criterion() -> None:
    weight = np.random.default_rng(3).integers(1, 5, len(YC))
    limits = {"min_weight_fraction_leaf": 0.1, "min_impurity_decrease": 0.002}
    ours = tw.GradientBoostingClassifier(**PLAIN | AS_SKLEARN | limits)
    theirs = GradientBoostingClassifier(**PLAIN | limits, random_state=0)
    ours.fit(XC, YC, sample_weight=weight)
    theirs.fit(XC, YC, sample_weight=weight)
    assert leaves_of(ours) == leaves_of(theirs)
    scores = ours.decision_function(XC), theirs.decision_function(XC)
    assert np.allclose(*scores, rtol=0, atol=1e-5)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """scikit-learn's threads wait by turning round: beside other tests that is most of the work."""
    with threadpool_limits(1, user_api="openmp"):
        yield


@pytest.mark.usefixtures("one_thread")
def test_histogram_boosting_predicts_as_scikit_learns() -> None:
    for options in ({}, {"min_samples_leaf": 5, "max_leaf_nodes": 8, "l2_regularization": 2.0}):
        ours = tw.HistGradientBoostingRegressor(**options).fit(X, Y)
        theirs = HistGradientBoostingRegressor(**options).fit(X, Y)
        assert np.allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-5)
    ours = tw.HistGradientBoostingClassifier(max_iter=10).fit(XC, YC)
    theirs = HistGradientBoostingClassifier(max_iter=10).fit(XC, YC)
    # scikit-learn rounds gradients to float32: of cuts that are equally good another may win.
    assert np.abs(ours.predict_proba(XC) - theirs.predict_proba(XC)).mean() < 2e-3


@pytest.mark.usefixtures("one_thread")
def test_histogram_boosting_tells_of_its_rounds_as_scikit_learns() -> None:
    given = {"X_val": X[300:], "y_val": Y[300:]}
    options = {"max_iter": 10, "early_stopping": True}
    ours = tw.HistGradientBoostingRegressor(**options).fit(X[:300], Y[:300], **given)
    theirs = HistGradientBoostingRegressor(**options).fit(X[:300], Y[:300], **given)
    assert np.allclose(ours.train_score_, theirs.train_score_)
    assert np.allclose(ours.validation_score_, theirs.validation_score_)
    for name in ("n_iter_", "do_early_stopping_", "n_trees_per_iteration_", "is_categorical_"):
        assert getattr(ours, name) == getattr(theirs, name), name
    scored = [
        made(scoring="r2", **options).fit(X[:300], Y[:300], **given)
        for made in (tw.HistGradientBoostingRegressor, HistGradientBoostingRegressor)
    ]
    assert np.allclose(scored[0].validation_score_, scored[1].validation_score_)
