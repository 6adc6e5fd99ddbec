"""Callbacks of scikit-learn 1.9 follow the rounds of boosting."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.boosting.fit import PATIENCE
from treewright.estimators import callbacks

has_callbacks = pytest.mark.skipif(
    importlib.util.find_spec("sklearn.callback") is None,
    reason="this scikit-learn has no callbacks; they came with 1.9",
)

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(400, 3))
VALUES = X[:, 0] * X[:, 1] + X[:, 2]
CLASSES = np.where(VALUES > 0, "up", "down")
BOOSTING = [
    (tw.GradientBoostingClassifier(n_estimators=6), CLASSES),
    (tw.GradientBoostingRegressor(n_estimators=6), VALUES),
    (tw.AdaBoostClassifier(n_estimators=6), CLASSES),
    (tw.AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=2), n_estimators=6), CLASSES),
    (tw.AdaBoostRegressor(n_estimators=6), VALUES),
]


class Listener:
    """Writes down what it hears, and ends the rounds after so many."""

    def __init__(self, last: int = 1000) -> None:
        self.last = last
        self.heard: list[str] = []
        # Not the models: scikit-learn remembers the methods of callbacks to the end.
        self.predicted: list[Any] = []
        self.n_rounds = 0

    def setup(self, estimator: Any, context: Any) -> None:
        self.heard.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any, y: Any, metadata: Any, fitted_estimator: Any
    ) -> bool:
        self.heard.append(f"end {context.task_name}")
        if fitted_estimator is None:  # the round was left out
            self.heard.append("nothing")
            return False
        assert y is not None
        self.predicted.append(fitted_estimator.predict(X))
        self.n_rounds = len(fitted_estimator.rounds_)
        return bool(context.task_name == "round" and context.task_id + 1 >= self.last)


@has_callbacks
@pytest.mark.parametrize(("estimator", "y"), BOOSTING)
def test_a_callback_hears_of_every_round(estimator: Any, y: Any) -> None:
    listener = Listener()
    model = clone(estimator).set_callbacks(listener).fit(X, y)
    assert listener.heard == [
        "setup",
        "begin fit",
        *["begin round", "end round"] * 6,
        "end fit",
        "teardown",
    ]
    # What it is given predicts as the rounds so far do.
    stages = list(model.staged_predict(X))
    for stage, seen in zip(stages, listener.predicted[:6], strict=True):
        assert (seen == stage).all()
    assert (listener.predicted[-1] == model.predict(X)).all()
    assert (clone(estimator).fit(X, y).predict(X) == model.predict(X)).all()


@has_callbacks
@pytest.mark.parametrize(("estimator", "y"), BOOSTING)
def test_a_callback_may_end_the_rounds(estimator: Any, y: Any) -> None:
    listener = Listener(last=3)
    model = clone(estimator).set_callbacks(listener).fit(X, y)
    assert len(model.rounds_) == 3
    assert listener.heard[-2:] == ["end fit", "teardown"]
    fewer = clone(estimator).set_params(n_estimators=3).fit(X, y)
    assert (model.predict(X) == fewer.predict(X)).all()
    if isinstance(model, tw.AdaBoostClassifier | tw.AdaBoostRegressor):
        assert model.rounds_.stopped == "a callback ended the rounds"


@has_callbacks
def test_a_round_that_is_left_out_ends_too() -> None:
    listener = Listener()
    y = np.arange(400) % 5 < 2  # nothing to learn: the second learner is no better than guessing
    model = tw.AdaBoostClassifier(n_estimators=500).set_callbacks(listener).fit(X[:, :1] * 0, y)
    assert len(model.rounds_) == 1
    left_out = ["begin round", "end round", "nothing"]
    assert listener.heard[2:-2] == ["begin round", "end round", *left_out]


@has_callbacks
def test_callbacks_are_put_away_where_fit_fails() -> None:
    listener = Listener()
    model = tw.GradientBoostingRegressor(loss=lambda y, score: (score * np.nan, score))
    with pytest.raises(ValueError, match="round 1"):
        model.set_callbacks(listener).fit(X, VALUES)
    assert listener.heard == ["setup", "begin fit", "begin round", "teardown"]
    assert not hasattr(model, "_callback_fit_ctx")


@has_callbacks
def test_rounds_left_by_a_warm_start_and_early_stopping_are_told() -> None:
    listener = Listener()
    model = tw.GradientBoostingRegressor(n_estimators=4, warm_start=True).fit(X, VALUES)
    model.set_callbacks(listener).set_params(n_estimators=6).fit(X, VALUES)
    assert listener.heard.count("end round") == 2
    listener = Listener()
    stopped = tw.GradientBoostingRegressor(n_estimators=400, early_stopping=True, learning_rate=0.5)
    stopped.set_callbacks(listener).fit(X, VALUES)
    assert listener.heard.count("end round") == stopped.n_iter_ + PATIENCE
    assert listener.n_rounds == stopped.n_iter_


@has_callbacks
@pytest.mark.parametrize(("estimator", "y"), BOOSTING[:3])
def test_scikit_learns_own_callbacks_work(estimator: Any, y: Any, capsys: Any) -> None:
    pytest.importorskip("rich")  # of the progress bar
    from sklearn.callback import ProgressBar, ScoringMonitor

    scoring = "accuracy" if y is CLASSES else "r2"
    monitor = ScoringMonitor(scoring=scoring)
    weight = np.r_[np.ones(300), np.full(100, 2.0)]
    model = clone(estimator).set_callbacks(monitor, ProgressBar()).fit(X, y, sample_weight=weight)
    logged = [row[scoring] for row in monitor.get_logs().data if row["task_name"] == "round"]
    assert len(logged) == 6
    assert logged[-1] == pytest.approx(model.score(X, y, sample_weight=weight))
    inside = make_pipeline(StandardScaler(), clone(estimator)).set_callbacks(ProgressBar())
    inside.fit(X, y)
    assert f"{type(estimator).__name__} - fit #1" in capsys.readouterr().out


def test_without_callbacks_in_scikit_learn_nothing_changes(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    try:
        bare = importlib.reload(callbacks)

        class Plain(bare.HasCallbacks):
            @bare.ends_callbacks
            def fit(self) -> Any:
                return self._tasks(X, VALUES, None, n_rounds=3)

        assert not hasattr(Plain(), "set_callbacks")
        assert Plain().fit() is None
    finally:
        monkeypatch.undo()
        importlib.reload(callbacks)
