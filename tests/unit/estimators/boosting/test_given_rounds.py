"""Rounds and a depth that are given, as in code for scikit-learn: what the rest resolves to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import make_friedman2

import treewright as tw
from treewright.boosting.losses import loss_of_classes, loss_of_values
from treewright.boosting.options import BoostingOptions
from treewright.boosting.problem import BoostingProblem
from treewright.data.read.table import read_table
from treewright.data.read.weights import RowWeights

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(300, 6))
VALUES = X[:, 0] * X[:, 1] + X[:, 2]
CLASSES = np.digitize(VALUES, [-0.5, 0.5])
PORTED = [
    {"n_estimators": 500, "max_depth": 4, "min_samples_split": 5, "learning_rate": 0.01},
    {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 3},
    {"n_estimators": 200, "learning_rate": 0.05, "max_depth": 2},
    {"n_estimators": 120, "max_depth": 2, "subsample": 0.5},
]


def settled(of_classes: bool, **given: Any) -> BoostingOptions:
    make = tw.GradientBoostingClassifier if of_classes else tw.GradientBoostingRegressor
    loss = (
        loss_of_classes("log_loss", 3)
        if of_classes
        else loss_of_values("squared_error", quantile=None, power=1.5)
    )
    problem = BoostingProblem(
        table=read_table(X),
        y=(CLASSES if of_classes else VALUES).astype(np.float64),
        weights=RowWeights(),
        loss=loss,
    )
    return make(**given)._boosting_options().settled(problem)


@pytest.mark.parametrize("given", PORTED)
def test_what_is_open_beside_rounds_and_depth(given: dict[str, Any]) -> None:
    classes, values = settled(True, **given), settled(False, **given)
    assert (classes.l2_regularization, classes.min_hessian) == (0.3, 0.001)
    assert (values.l2_regularization, values.min_hessian) == (1.0, 0.001)
    assert classes.n_features(6) == 3
    assert values.n_features(6) == 6
    for own in (classes, values):
        assert own.learning_rate == given.get("learning_rate", 0.1)
        assert own.subsample == given.get("subsample", 1.0)
        assert own.max_depth == given["max_depth"]


@pytest.mark.parametrize("of_classes", [False, True])
def test_a_number_that_is_given_is_taken_as_it_is(of_classes: bool) -> None:
    given = {"l2_regularization": 0.0, "min_hessian": 2.0, "max_features": 1}
    own = settled(of_classes, n_estimators=50, max_depth=3, **given)
    assert (own.l2_regularization, own.min_hessian, own.n_features(6)) == (0.0, 2.0, 1)


@pytest.mark.parametrize("given", [{"n_estimators": 50}, {"n_estimators": 50, "max_depth": None}])
def test_rounds_without_a_depth_are_as_they_were(given: dict[str, Any]) -> None:
    classes, values = settled(True, **given), settled(False, **given)
    assert (classes.learning_rate, values.learning_rate) == (0.05, 0.1)
    for own in (classes, values):
        assert (own.l2_regularization, own.min_hessian, own.n_features(6)) == (1.5, 1.0, 3)


def test_settled_twice_is_settled_once() -> None:
    own = settled(False, **PORTED[1])
    problem = BoostingProblem(
        table=read_table(X),
        y=VALUES,
        weights=RowWeights(),
        loss=loss_of_values("squared_error", quantile=None, power=1.5),
    )
    assert own.settled(problem) == own == replace(own)


def test_a_warm_start_from_chosen_rounds_keeps_their_columns() -> None:
    model = tw.GradientBoostingRegressor(warm_start=True, max_depth=2, random_state=0)
    model.fit(X, VALUES)
    n_drawn = model.max_features_
    model.set_params(n_estimators=model.n_iter_ + 5).fit(X, VALUES)
    assert model.max_features_ == n_drawn == 3


def test_code_for_scikit_learn_is_about_as_good_where_there_is_no_noise() -> None:
    """Half of the columns and a large penalty had 1.8 to 2.1 times the error here."""
    rows, y = make_friedman2(300, noise=0.0, random_state=1)
    for given in PORTED[1:3]:
        ours = tw.GradientBoostingRegressor(**given).fit(rows[:200], y[:200])
        theirs = ensemble.GradientBoostingRegressor(random_state=0, **given)
        theirs.fit(rows[:200], y[:200])
        errors = [np.mean((m.predict(rows[200:]) - y[200:]) ** 2) for m in (ours, theirs)]
        assert errors[0] < 1.25 * errors[1]
