"""Rounds of boosting judged by a scorer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, make_scorer, mean_absolute_error, roc_auc_score

import treewright as tw
from treewright.errors import ParameterError

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(1200, 3))
VALUES = X[:, 0] * X[:, 1] + X[:, 2] + RANDOM.normal(size=1200)
CLASSES = np.where(VALUES > 0, "up", "down")
THREE = np.digitize(VALUES, [-1, 1])
STOPS: dict[str, Any] = {
    "early_stopping": True,
    "n_estimators": 300,
    "learning_rate": 0.3,
    "n_iter_no_change": 5,
}


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss", None])
def test_validation_rows_are_judged_by_the_scorer(scoring: str | None) -> None:
    model = tw.GradientBoostingClassifier(scoring=scoring, **STOPS)
    model.fit(X[:800], CLASSES[:800], X_val=X[800:], y_val=CLASSES[800:])
    scores = [told.validation_score for told in model.rounds_]
    assert model.n_iter_ == len(scores) < 300
    assert scores[-1] == max(scores)
    if scoring == "roc_auc":
        told = roc_auc_score(CLASSES[800:] == "up", model.predict_proba(X[800:])[:, 1])
    elif scoring == "neg_log_loss":
        told = -model.rounds_[-1].validation_loss
    else:
        told = accuracy_score(CLASSES[800:], model.predict(X[800:]))
    assert scores[-1] == pytest.approx(told, abs=1e-9)
    assert "validation score" in str(model.rounds_)


def test_the_loss_and_its_scorer_stop_at_the_same_round() -> None:
    by_loss = tw.GradientBoostingClassifier(**STOPS).fit(X, THREE)
    by_score = tw.GradientBoostingClassifier(scoring="neg_log_loss", **STOPS).fit(X, THREE)
    assert by_score.n_iter_ == by_loss.n_iter_
    assert (by_score.predict(X) == by_loss.predict(X)).all()


@pytest.mark.parametrize("made", [np.asarray, pd.DataFrame, pl.DataFrame, np.ndarray.tolist])
def test_rows_held_out_of_any_table_are_judged(made: Any) -> None:
    seen = []

    def absolute(estimator: Any, rows: Any, y: Any) -> float:
        seen.append(len(rows))
        return -float(mean_absolute_error(y, estimator.predict(rows)))

    model = tw.GradientBoostingRegressor(scoring=absolute, **STOPS).fit(made(X), VALUES)
    assert set(seen) == {120}
    assert len(seen) == model.n_iter_ + 5
    named = tw.GradientBoostingRegressor(
        scoring=make_scorer(mean_absolute_error, greater_is_better=False), **STOPS
    )
    assert named.fit(made(X), VALUES).n_iter_ == model.n_iter_


def test_a_scorer_may_ask_for_other_rows_than_the_judged_ones() -> None:
    told = []

    def of_others(estimator: Any, rows: Any, y: Any) -> float:
        told.append(estimator.predict(X[:7]))
        return -float(np.mean((estimator.predict(rows) - y) ** 2))

    model = tw.GradientBoostingRegressor(
        scoring=of_others, init=LinearRegression(), n_estimators=4
    ).fit(X, VALUES, X_val=X, y_val=VALUES)
    for stage, seen in zip(model.staged_predict(X[:7]), told, strict=True):
        assert stage == pytest.approx(seen, abs=1e-12)


def test_training_rows_are_judged_where_none_are_held_out() -> None:
    model = tw.GradientBoostingRegressor(
        scoring="r2", early_stopping=True, validation_fraction=None, n_estimators=20
    ).fit(X, VALUES, sample_weight=np.arange(1200) % 3)
    assert model.rounds_[-1].train_score == pytest.approx(
        model.score(X, VALUES, sample_weight=np.arange(1200) % 3)
    )
    assert np.isnan(model.rounds_[-1].validation_score)


def test_an_earlier_fit_does_not_show() -> None:
    """A scorer is not told of the model that is about to be replaced."""
    model = tw.GradientBoostingRegressor(scoring="r2", **STOPS).fit(X, VALUES)
    again = model.fit(X[:, ::-1], -VALUES).rounds_
    fresh = tw.GradientBoostingRegressor(scoring="r2", **STOPS).fit(X[:, ::-1], -VALUES).rounds_
    assert [told.validation_score for told in again] == [told.validation_score for told in fresh]


def test_a_scorer_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="scoring='gold' cannot be used"):
        tw.GradientBoostingRegressor(scoring="gold").fit(X, VALUES)
    with pytest.raises(ParameterError, match="must be 'loss', the name"):
        tw.GradientBoostingRegressor(scoring=["r2"]).fit(X, VALUES)
    with pytest.raises(ParameterError, match="round 1: scoring gave nan"):
        tw.GradientBoostingRegressor(scoring=lambda *_: np.nan, **STOPS).fit(X, VALUES)
    with pytest.raises(ParameterError, match="must give one number"):
        tw.GradientBoostingRegressor(scoring=lambda *_: {"r2": 1.0}, **STOPS).fit(X, VALUES)
