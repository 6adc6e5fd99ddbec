"""What learners do does not depend on how many run at once; a failure is told; Ctrl-C keeps."""

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier as TheirForest

from treewright import DecisionTreeClassifier, RandomForestClassifier, load_example
from treewright.evaluate import compare, cross_validate


class Touchy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fails where it meets a certain row, else answers the first class."""

    def __init__(self, fails_with: float = -1.0) -> None:
        self.fails_with = fails_with

    def fit(self, X: Any, y: Any) -> "Touchy":
        if self.fails_with in np.asarray(X)[:, 0]:
            raise RuntimeError("I cannot learn from this row")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


class Stopper(Touchy):
    """Is stopped by Ctrl-C in its fifth fit, and would take a minute for it."""

    n_begun = 0

    def fit(self, X: Any, y: Any) -> "Stopper":
        super().fit(X, y)
        Stopper.n_begun += 1
        if Stopper.n_begun == 5:
            time.sleep(0.5)  # for the folds that are done to be seen
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(6000):
                time.sleep(0.01)
        return self


X, Y = np.arange(60.0).reshape(-1, 1), np.array([0, 1] * 30)


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_results_do_not_depend_on_the_number_of_jobs(n_jobs: int) -> None:
    wine = load_example("wine")
    learners = [
        DecisionTreeClassifier(splitter="random"),
        RandomForestClassifier(n_estimators=5),
        TheirForest(n_estimators=5),
    ]
    table = wine.X.to_pandas()
    alone = compare(learners, table, wine.y, cv=4)
    beside = compare(learners, table, wine.y, cv=4, n_jobs=n_jobs)
    for name in alone.names:
        assert alone[name].values == beside[name].values
    assert str(alone) == str(beside)


def test_a_learner_that_fails_on_a_fold_is_reported() -> None:
    found = cross_validate(Touchy(fails_with=0.0), X, Y, cv=[(Y == 0, Y == 1), (Y == 1, Y == 0)])
    assert found.failures == {0: "RuntimeError: I cannot learn from this row"}
    assert len(found.done) == 1
    assert "Touchy failed on 1 of 2 folds" in str(found)
    assert "failed on fold 0: RuntimeError: I cannot learn from this row" in str(found)


def test_a_learner_that_always_fails_raises_its_own_error() -> None:
    with pytest.raises(RuntimeError, match="I cannot learn"):
        cross_validate(Touchy(fails_with=0.0), X, Y, cv=[(np.arange(30), np.arange(30, 60))])


def test_a_learner_that_always_fails_beside_others_is_named() -> None:
    learners = {"fine": DecisionTreeClassifier(), "touchy": Touchy(fails_with=0.0)}
    cv = [(np.arange(n), np.arange(n, n + 10)) for n in (20, 30, 40)]
    found = compare(learners, X, Y, cv=cv)
    assert found.failures == {"touchy": "RuntimeError: I cannot learn from this row"}
    assert "touchy failed: RuntimeError: I cannot learn from this row" in str(found)
    assert found.p_values == {}
    with pytest.raises(ValueError, match="no figures of 'touchy': RuntimeError"):
        found["touchy"]


def test_a_learner_that_answers_nan_fails() -> None:
    class Nan(BaseEstimator):  # type: ignore[misc]
        _estimator_type = "regressor"

        def fit(self, X: Any, y: Any) -> "Nan":
            return self

        def predict(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(ValueError, match=r"Nan answers nan in row \d+"):
        cross_validate(Nan(), X, Y + 0.5, cv=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.skipif(os.name == "nt", reason="no signals to a process of one's own on Windows")
def test_ctrl_c_keeps_the_folds_that_are_done(n_jobs: int) -> None:
    Stopper.n_begun = 0
    begin = time.monotonic()
    found = cross_validate(Stopper(), X, Y, cv=20, n_jobs=n_jobs)
    assert time.monotonic() - begin < 30
    assert found.was_stopped
    assert 1 <= len(found.done) < 20
    assert f"stopped after {len(found.runs)} of 20 folds" in str(found)
    assert found.model is None


@pytest.mark.skipif(os.name == "nt", reason="no signals to a process of one's own on Windows")
def test_ctrl_c_ends_a_fit_in_a_worker() -> None:
    many = np.random.default_rng(0).normal(size=(60_000, 10))
    labels = np.arange(60_000) % 2
    begin = time.monotonic()
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        compare(
            [RandomForestClassifier(n_estimators=2000), RandomForestClassifier(n_estimators=2001)],
            many,
            labels,
            n_jobs=2,
        )
    assert time.monotonic() - begin < 4
    timer.join()
    time.sleep(0.5)  # the workers end too
    assert not [each for each in threading.enumerate() if each.name.startswith("treewright")]
