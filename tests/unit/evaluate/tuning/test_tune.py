"""Tuning: the same for any number of jobs, honest about labels by lot, and kept after Ctrl-C."""

import os
import signal
import threading
import time
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    load_example,
)
from treewright.errors import DataError, ParameterError
from treewright.evaluate import Range, Tuned, compare, cross_validate, tune

IRIS, LOANS, DIABETES = (load_example(name) for name in ("iris", "loans", "diabetes"))
FEW = LOANS.X.rows(np.arange(400)), LOANS.y[:400]


class Guess(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers by lot, better for some values of its parameter; slow or failing for others."""

    def __init__(self, wrong: float = 0.5, seconds: float = 0.0, fails: bool = False) -> None:
        self.wrong = wrong
        self.seconds = seconds
        self.fails = fails

    def fit(self, X: Any, y: Any) -> "Guess":
        if self.fails:
            raise RuntimeError("this setting cannot be")
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        X = np.asarray(X)
        lot = np.random.default_rng(int(X[:, 1].sum())).uniform(size=len(X)) < self.wrong
        return np.where(lot, 1 - X[:, 0], X[:, 0]).astype(int)


X01 = np.column_stack([[0.0, 1.0] * 60, np.arange(120.0)])
Y01 = np.array([0, 1] * 60)


def test_listed_values_are_a_grid_search() -> None:
    """Few combinations are tried all, on the folds and with the figures of scikit-learn."""
    table = IRIS.X.to_pandas()
    found = tune(
        DecisionTreeClassifier(random_state=0),
        table,
        IRIS.y,
        space={"max_depth": [1, 2, 3]},
        outer=None,
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert len(found.tried) == 4
    for each in found.tried:
        tree = DecisionTreeClassifier(random_state=0, **each.parameters)
        theirs = 1 - cross_val_score(tree, table, IRIS.y, cv=folds)
        np.testing.assert_allclose(each.values, theirs)
    assert found.best_parameters == min(found.tried, key=lambda t: t.value).parameters
    assert found.model.get_params()["max_depth"] == found.best_parameters.get("max_depth")
    assert (found.model.predict(table) == IRIS.y).mean() > 0.9


def test_a_better_setting_is_found_and_its_gain_is_real() -> None:
    found = tune(Guess(), X01, Y01, space={"wrong": Range(low=0.0, high=0.6)}, n_candidates=20)
    assert found.best_parameters["wrong"] < 0.1
    assert found.gain is not None
    assert found.gain > 0.3
    assert "more than chance" in found.verdict
    assert found["error"].value < 0.15


def test_equal_gains_on_every_fold_are_not_called_certain() -> None:
    """The t-test of differences without a spread would have p = 0."""
    found = tune(Guess(wrong=1.0), X01, Y01, space={"wrong": [0.0]}, outer=3)
    assert found.gain == 1.0
    assert found.verdict == (
        "Tuning gained 100.0 points on the outer folds, the same on each: without a spread"
        " no test tells if it is chance."
    )


def test_settings_that_are_no_better_leave_the_learner_as_it_is() -> None:
    found = tune(Guess(wrong=0.0), X01, Y01, space={"wrong": [0.0, 0.4, 0.5]})
    assert found.best_parameters == {}
    assert found.gain == 0
    assert "chosen: as given" in str(found)
    assert found.verdict == "Tuning gained nothing on the outer folds."


def test_labels_by_lot_score_as_chance_after_tuning() -> None:
    """The figure that chose is too good; the honest one is not."""
    chosen, honest = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 4)), rng.permutation(np.arange(80) % 2)
        found = tune(DecisionTreeClassifier(), X, y, n_candidates=12, outer=3, random_state=seed)
        chosen.append(found.search.best.value)
        honest.append(found["error"].value)
    assert np.mean(chosen) < np.mean(honest) - 0.02
    assert np.mean(honest) == pytest.approx(0.5, abs=0.08)


def test_the_rows_that_judge_are_never_seen_by_the_search() -> None:
    seen: list[set[float]] = []

    class Witness(Guess):
        def fit(self, X: Any, y: Any) -> "Witness":
            seen.append(set(np.asarray(X)[:, 1].tolist()))
            super().fit(X, y)
            return self

        def predict(self, X: Any) -> Any:
            asked = set(np.asarray(X)[:, 1].tolist())
            assert not asked & seen[-1]
            return super().predict(X)

    parts = [(np.arange(80), np.arange(80, 120))]
    procedure = Tuned(Witness(), space={"wrong": [0.1, 0.2]})
    found = cross_validate(procedure, X01, Y01, cv=parts, refit=False)
    assert not found.failures
    assert len(seen) > 10
    assert all(max(rows) < 80 for rows in seen)


def test_groups_are_divided_by_no_fold() -> None:
    people = np.repeat(np.arange(60), 5)
    rng = np.random.default_rng(0)
    X = rng.normal(scale=0.1, size=(300, 3)) + rng.normal(size=(60, 3))[people]
    y = rng.integers(0, 2, 60)[people]
    apart = tune(DecisionTreeClassifier(), X, y, groups=people, n_candidates=9, cv=3, outer=3)
    assert apart.search.method == "3 folds, stratified, by group"
    assert apart["error"].value > 0.35
    assert apart.search.as_given.value > 0.35


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_result_does_not_depend_on_the_number_of_jobs(n_jobs: int) -> None:
    forest = RandomForestClassifier(n_estimators=5)
    found = [
        tune(forest, *FEW, n_candidates=10, cv=3, outer=3, n_jobs=jobs) for jobs in (None, n_jobs)
    ]
    first, second = ([(t.parameters, t.values) for t in each.tried] for each in found)
    assert first == second
    assert found[0].verdict == found[1].verdict
    shares = [each.model.predict_proba(FEW[0]) for each in found]
    assert (shares[0] == shares[1]).all()


def test_rows_and_settings_are_halved_by_thirds() -> None:
    found = tune(DecisionTreeClassifier(), LOANS.X, LOANS.y, outer=None, n_candidates=27)
    by_rung = [[t for t in found.tried if t.rung == rung] for rung in (0, 1, 2)]
    assert [len(each) for each in by_rung] in ([18, 6, 3], [17, 6, 4], [18, 5, 4])
    assert [{t.n_rows for t in each} for each in by_rung] == [{300}, {533}, {1600}]
    assert [{len(t.values) for t in each} for each in by_rung] == [{2}, {3}, {5}]
    assert found.search.as_given.rung == 2  # stays to the end


def test_the_tuned_learner_is_a_learner() -> None:
    found = compare(
        {"tree": C45Classifier(), "tuned": Tuned(C45Classifier(), n_candidates=4, cv=3)},
        *FEW,
        cv=3,
    )
    assert not found.failures
    model = Tuned(DecisionTreeRegressor(), n_candidates=4, cv=3).fit(DIABETES.X, DIABETES.y)
    assert model.score(DIABETES.X, DIABETES.y) > 0.2
    assert model.n_features_in_ == 10


def test_any_estimator_is_tuned_in_the_space_given() -> None:
    steps = make_pipeline(StandardScaler(), Ridge())
    space = {"ridge__alpha": stats.loguniform(1e-3, 1e3), "ridge__fit_intercept": [True, False]}
    found = tune(steps, DIABETES.X.to_pandas(), DIABETES.y, space=space, n_candidates=8, outer=3)
    assert found.metric.name == "rmse"
    assert found.model.predict(DIABETES.X.to_pandas()).shape == DIABETES.y.shape
    assert "StandardScaler > Ridge" in str(found)
    assert max(map(len, str(found).splitlines())) <= 80


def test_weights_and_costs_choose() -> None:
    costs = {"default": {"repaid": 20}}
    found = tune(
        DecisionTreeClassifier(),
        *FEW,
        cost_matrix=costs,
        sample_weight=np.ones(400),
        n_candidates=4,
        cv=3,
        outer=3,
    )
    assert found.metric.name == "mean_cost"
    with pytest.raises(ParameterError, match="Guess takes no weights"):
        tune(Guess(), X01, Y01, space={"wrong": [0.1]}, sample_weight=np.ones(120))


@pytest.mark.parametrize("outer", [None, 3])
def test_the_result_is_read_and_drawn(outer: int | None) -> None:
    found = tune(C45Classifier(), *FEW, n_candidates=12, cv=3, outer=outer)
    assert max(map(len, str(found).splitlines())) <= 80
    for width in (368, 760):
        ET.fromstring(found.draw().svg(width=width))
    assert len(found.to_frame()) == len(found.tried) == 12
    assert found.to_dict()["parameters"] == found.best_parameters
    if outer is None:
        assert "no honest figure (outer=None)" in str(found)
        with pytest.raises(ParameterError, match="there is no honest figure"):
            found["error"]
    else:
        assert "3 outer folds, each with a search of its own: 4 searches in all" in str(found)


def test_a_setting_that_fails_is_told_and_not_chosen() -> None:
    found = tune(Guess(), X01, Y01, space={"fails": [False, True], "wrong": [0.1]}, outer=None)
    assert found.best_parameters == {"wrong": 0.1}
    assert "1 settings failed; fails=True, wrong=0.1: RuntimeError: this setting" in str(found)
    assert found.to_dict()["tried"][-1]["failed"] == "RuntimeError: this setting cannot be"


def test_if_every_setting_fails_its_error_is_raised() -> None:
    with pytest.raises(RuntimeError, match="this setting cannot be"):
        tune(Guess(fails=True), X01, Y01, space={"wrong": [0.1, 0.2]})


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.skipif(os.name == "nt", reason="no signals to a process of one's own on Windows")
def test_ctrl_c_keeps_what_was_tried(n_jobs: int) -> None:
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    space = {"wrong": Range(low=0.0, high=0.5)}
    begin = time.monotonic()
    found = tune(Guess(seconds=0.05), X01, Y01, space=space, n_candidates=100, n_jobs=n_jobs)
    assert time.monotonic() - begin < 5
    assert found.was_stopped
    assert found.model is None
    assert 1 <= len(found.tried) <= 100
    assert "then stopped" in str(found)
    assert "Ctrl-C came before" in str(found)
    ET.fromstring(found.draw().svg())


@pytest.mark.skipif(os.name == "nt", reason="no signals to a process of one's own on Windows")
def test_ctrl_c_in_an_outer_fold_keeps_the_model() -> None:
    threading.Timer(2.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    space = {"wrong": [0.1, 0.2]}
    found = tune(Guess(seconds=0.1), X01, Y01, space=space, outer=20)
    assert found.was_stopped
    assert found.model is not None
    assert found.best_parameters == {"wrong": 0.1}
    assert max(map(len, str(found).splitlines())) <= 80


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_setting_that_learns_nothing_does_not_warn(n_jobs: int | None) -> None:
    space = {"min_samples_leaf": [20, 500]}
    learner = GradientBoostingClassifier(n_estimators=5)
    found = tune(learner, *FEW, space=space, cv=3, outer=3, n_jobs=n_jobs)
    assert len(found.tried) == 3


def test_one_class_is_tuned_to_no_error() -> None:
    found = tune(DecisionTreeClassifier(), X01, ["a"] * 120, n_candidates=4, cv=3, outer=3)
    assert found.best_parameters == {}
    assert found["error"].value == 0


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"space": {"max_dept": [1]}},
            ParameterError,
            "no parameter of .*did you mean 'max_depth'",
        ),
        ({"space": {"max_depth": 3}}, ParameterError, "must be a list of values, a Range, or"),
        ({"space": {"max_depth": []}}, ParameterError, "must be a list of values, a Range, or"),
        ({"space": {}}, ParameterError, "must be a dict of parameters and what to try"),
        ({"n_candidates": 1}, ParameterError, "n_candidates=1 must be at least 2"),
        ({"cv": 500}, DataError, "cv=500 folds need at least as many rows"),
        ({"outer": 500}, DataError, "cv=500 folds need at least as many rows"),
        ({"metrics": "eror"}, ParameterError, "did you mean 'error'"),
        ({"fixed": ["max_dept"]}, ParameterError, "no parameter of .*did you mean 'max_depth'"),
        (
            {"space": {"max_depth": [1, 2]}, "fixed": ["max_depth"]},
            ParameterError,
            "fixed leaves nothing to try for DecisionTreeClassifier: its space has max_depth",
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=f"(?s){words}"):
        tune(DecisionTreeClassifier(), *FEW, **given)


def test_a_learner_without_a_space_asks_for_one() -> None:
    with pytest.raises(ParameterError, match="space is not known for Guess: say what to try"):
        tune(Guess(), X01, Y01)
    with pytest.raises(DataError, match="Guess gives no probabilities, and auc needs them"):
        tune(Guess(), X01, Y01, space={"wrong": [0.1]}, metrics="auc")
    with pytest.raises(ParameterError, match="has no parameters to tune"):
        tune("repaid", *FEW)
    with pytest.raises(ParameterError, match="ascending ends above 0"):
        Range(low=0, high=1, log=True)
    with pytest.raises(ParameterError, match="needs two numbers"):
        Range(low="a", high=1)  # type: ignore[arg-type]


def test_seconds_of_quick_fits_are_not_told_as_nothing() -> None:
    found = tune(DecisionTreeClassifier(), IRIS.X, IRIS.y, n_candidates=4, outer=None)
    lines = found.text().splitlines()
    (head,) = (i for i, line in enumerate(lines) if " seconds " in line)
    at = lines[head].index("seconds")
    assert all(float(line[at : at + 7]) > 0 for line in lines[head + 1 : head + 4])
