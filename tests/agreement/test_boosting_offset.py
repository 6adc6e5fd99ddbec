"""Offsets beside those of other libraries: LightGBM's init_score, XGBoost's base_margin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

import treewright as tw

RANDOM = np.random.default_rng(3)
N = 600
X = np.round(3 * RANDOM.normal(size=(N, 4)))
YEARS = RANDOM.gamma(2.0, 0.5, size=N) + 0.05
COUNTS = RANDOM.poisson(YEARS * np.exp(0.2 * X[:, 0] - 0.3 * (X[:, 1] > 0))).astype(float)
ALIKE: dict[str, Any] = {
    "n_estimators": 15,
    "learning_rate": 0.2,
    "max_leaf_nodes": 8,
    "max_depth": None,
    "min_samples_leaf": 5,
    "min_hessian": 0.0,
    "l2_regularization": 1.0,
    "max_features": None,
    "init": "zero",
}


def test_lightgbm_starts_from_the_same_scores() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    start = COUNTS + RANDOM.normal(size=N)
    ours = tw.GradientBoostingRegressor(**ALIKE).fit(X, COUNTS, offset=start)
    theirs = lightgbm.LGBMRegressor(
        n_estimators=15,
        learning_rate=0.2,
        num_leaves=8,
        min_child_samples=5,
        min_child_weight=0.0,
        reg_lambda=1.0,
        min_data_in_bin=1,
        verbose=-1,
    )
    theirs.fit(X, COUNTS, init_score=start)
    assert ours.predict(X, offset=0) == pytest.approx(theirs.predict(X), abs=1e-6)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "log_loss"])
def test_xgboost_starts_from_the_same_margins(loss: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    y = (COUNTS > 1).astype(int) if loss == "log_loss" else COUNTS
    objectives = {"squared_error": "reg:squarederror", "poisson": "count:poisson"}
    start = RANDOM.normal(size=N)
    made = tw.GradientBoostingClassifier if loss == "log_loss" else tw.GradientBoostingRegressor
    shape = {"growth": "depth_wise", "max_leaf_nodes": None, "max_depth": 3, "min_samples_leaf": 1}
    ours = made(loss=loss, **{**ALIKE, **shape}).fit(X, y, offset=start)
    own = xgboost.DMatrix(X, label=y, base_margin=start)
    parameters = {
        "objective": objectives.get(loss, "binary:logistic"),
        "eta": 0.2,
        "max_depth": 3,
        "lambda": 1.0,
        "min_child_weight": 0.0,
        "max_delta_step": 0,
        "tree_method": "exact",
    }
    theirs = xgboost.train(parameters, own, num_boost_round=15).predict(own)
    found = (
        ours.predict_proba(X, offset=start)[:, 1]
        if loss == "log_loss"
        else ours.predict(X, offset=start)
    )
    assert found == pytest.approx(theirs, rel=1e-4, abs=1e-5)


def test_counts_beside_exposure_are_scikit_learns_weighted_rates() -> None:
    theirs = HistGradientBoostingRegressor(
        loss="poisson", max_iter=30, l2_regularization=0.0, min_samples_leaf=10
    ).fit(X, COUNTS / YEARS, sample_weight=YEARS)
    ours = tw.HistGradientBoostingRegressor(
        loss="poisson", max_iter=30, l2_regularization=0.0, min_samples_leaf=10
    ).fit(X, COUNTS, offset=np.log(YEARS))
    found, due = ours.predict(X, offset=0), theirs.predict(X)
    assert np.median(np.abs(found / due - 1.0)) < 1e-3
    assert ours.predict(X, offset=np.log(YEARS)) == pytest.approx(found * YEARS)
