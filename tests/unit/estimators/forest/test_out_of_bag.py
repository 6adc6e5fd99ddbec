"""``oob_score``, ``stop_when_stable`` and the summary, as scikit-learn users meet them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error

import treewright as tw
from treewright.errors import DataError, ParameterError, SmallDataWarning

X, Y = load_wine(return_X_y=True)
NAMES = np.array(["red", "rose", "white"])[Y]
VALUES = X[:, 0]
INPUTS = X[:, 1:]
FORESTS: list[Any] = [tw.RandomForestClassifier, tw.ExtraTreesClassifier]
REGRESSORS: list[Any] = [tw.RandomForestRegressor, tw.ExtraTreesRegressor]


@pytest.mark.parametrize("kind", FORESTS)
def test_attributes_of_a_classifier(kind: Any) -> None:
    forest = kind(40, bootstrap=True, oob_score=True, random_state=0).fit(X, NAMES)
    assert forest.oob_decision_function_.shape == (178, 3)
    np.testing.assert_allclose(forest.oob_decision_function_.sum(axis=1), 1.0)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == pytest.approx(np.mean(predicted == NAMES))
    assert forest.oob_curve_[-1] == pytest.approx(1 - forest.oob_score_)
    assert len(forest.oob_curve_) == len(forest.oob_errors_) == forest.n_estimators_ == 40
    low, high = forest.oob_interval_
    assert 0 < low < 1 - forest.oob_score_ < high < 0.2
    assert not hasattr(forest, "oob_prediction_")


@pytest.mark.parametrize("kind", REGRESSORS)
def test_attributes_of_a_regressor(kind: Any) -> None:
    forest = kind(40, bootstrap=True, oob_score=True, random_state=0).fit(INPUTS, VALUES)
    assert forest.oob_prediction_.shape == (178,)
    errors = (forest.oob_prediction_ - VALUES) ** 2
    assert forest.oob_curve_[-1] == pytest.approx(errors.mean())
    assert forest.oob_score_ == pytest.approx(1 - errors.mean() / VALUES.var())
    assert forest.oob_interval_[0] < errors.mean() < forest.oob_interval_[1]
    assert not hasattr(forest, "oob_decision_function_")


@pytest.mark.parametrize("kind", [*FORESTS, *REGRESSORS, tw.BaggingClassifier])
@pytest.mark.parametrize("size", [0.1, 10.0])
def test_equal_weights_do_not_change_what_is_out_of_bag(kind: Any, size: float) -> None:
    y = VALUES if kind in REGRESSORS else NAMES
    forest = kind(n_estimators=20, bootstrap=True, oob_score=True).fit(INPUTS, y)
    expected, curve = forest.oob_score_, forest.oob_curve_.tolist()
    forest.fit(INPUTS, y, np.full(len(y), size))
    assert forest.oob_score_ == expected
    assert forest.oob_curve_.tolist() == curve


@pytest.mark.parametrize("kind", [*FORESTS, *REGRESSORS])
def test_the_scale_of_weights_does_not_change_what_is_out_of_bag(kind: Any) -> None:
    y = VALUES if kind in REGRESSORS else NAMES
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    forest = kind(n_estimators=20, bootstrap=True, oob_score=True).fit(INPUTS, y, weight)
    expected, curve = forest.oob_score_, forest.oob_curve_.tolist()
    assert expected != kind(20, bootstrap=True, oob_score=True).fit(INPUTS, y).oob_score_
    for scale in (0.1, 3.0, 1e6):
        forest.fit(INPUTS, y, scale * weight)
        assert forest.oob_score_ == expected
        assert forest.oob_curve_.tolist() == curve


def test_a_metric_of_ones_own() -> None:
    forest = tw.RandomForestClassifier(30, oob_score=balanced_accuracy_score).fit(X, NAMES)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == balanced_accuracy_score(NAMES, predicted)
    numbers = tw.RandomForestRegressor(30, oob_score=mean_absolute_error).fit(INPUTS, VALUES)
    assert numbers.oob_score_ == mean_absolute_error(VALUES, numbers.oob_prediction_)


def test_several_outputs() -> None:
    alike = np.column_stack([Y, (Y + 1) % 3])
    forest = tw.RandomForestClassifier(30, oob_score=True).fit(X, alike)
    assert forest.oob_decision_function_.shape == (178, 3, 2)
    both = forest.oob_decision_function_.argmax(axis=1) == alike
    assert forest.oob_score_ == pytest.approx(both.all(axis=1).mean())

    mixed = np.column_stack([Y, Y == 1]).astype(int)
    forest = tw.RandomForestClassifier(30, oob_score=True).fit(X, mixed)
    assert [part.shape for part in forest.oob_decision_function_] == [(178, 3), (178, 2)]
    assert forest.summary().strength is None

    numbers = tw.RandomForestRegressor(30, oob_score=True).fit(X[:, 2:], X[:, :2])
    assert numbers.oob_prediction_.shape == (178, 2)


def test_rows_that_every_tree_has_seen_are_told() -> None:
    with pytest.warns(SmallDataWarning, match="not have OOB scores: [0-9]+ of 178"):
        forest = tw.RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, Y)
    unknown = np.isnan(forest.oob_decision_function_).all(axis=1)
    assert np.array_equal(unknown, np.isnan(forest.oob_decision_function_).any(axis=1))
    assert 30 < unknown.sum() < 120
    predicted = forest.oob_decision_function_[~unknown].argmax(axis=1)
    assert forest.oob_score_ == pytest.approx(np.mean(predicted == Y[~unknown]))
    assert re.search(rf"rows that every tree has seen +{unknown.sum()}\n", str(forest.summary()))


def test_nothing_is_left_of_an_earlier_fit() -> None:
    forest = tw.RandomForestClassifier(10, oob_score=False).fit(X, Y)
    assert not any(name.startswith("oob") and name.endswith("_") for name in vars(forest))
    learned = {"oob_score_", "oob_decision_function_", "oob_curve_", "oob_errors_"}
    forest.set_params(oob_score=True, n_estimators=30).fit(X, Y)
    assert learned < set(vars(forest))
    forest.set_params(oob_score=False).fit(X, Y)
    assert not learned & set(vars(forest))


@pytest.mark.parametrize("parameter", [{"oob_score": True}, {"stop_when_stable": 0.01}])
def test_refused_without_draws(parameter: dict[str, Any]) -> None:
    name = next(iter(parameter))
    forest = tw.ExtraTreesClassifier(10, **parameter)
    message = f"{name} cannot be used here. Out of bag estimation only available if bootstrap=True"
    with pytest.raises(ParameterError, match=message):
        forest.fit(X, Y)
    assert not hasattr(forest, "ensemble_")
    forest.set_params(max_samples=0.6, n_estimators=30).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"oob_score": "accuracy"}, "oob_score='accuracy' must be True, False, or a function"),
        ({"stop_when_stable": -1}, "stop_when_stable=-1 must be at least 0"),
        ({"stop_when_stable": "yes"}, "stop_when_stable='yes'"),
        ({"stop_when_stable": (0.1, 2, 3)}, "a tolerance, or a tolerance and a number of trees"),
        ({"stop_when_stable": (0.1, 0)}, r"stop_when_stable\[1\]=0 must be at least 1"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tw.RandomForestClassifier(5, **parameters).fit(X, Y)


@pytest.mark.parametrize("random_state", [3, None, "generator"])
def test_a_loaded_forest_needs_its_training_data(random_state: Any) -> None:
    if random_state == "generator":
        random_state = np.random.RandomState(8)
    forest = tw.RandomForestClassifier(20, random_state=random_state).fit(X, NAMES)
    loaded = pickle.loads(pickle.dumps(forest))
    with pytest.raises(DataError, match="no training data"):
        loaded.out_of_bag()
    expected = forest.out_of_bag()
    np.testing.assert_array_equal(loaded.out_of_bag(X, NAMES).answers, expected.answers)
    np.testing.assert_array_equal(forest.compact().out_of_bag(X, NAMES).curve, expected.curve)


def test_warm_start_draws_from_one_sequence() -> None:
    generator = np.random.RandomState(2)
    grown = tw.RandomForestClassifier(
        20, warm_start=True, oob_score=True, random_state=generator
    ).fit(X, Y)
    early = grown.oob_curve_
    grown.set_params(n_estimators=50).fit(X, Y)
    at_once = tw.RandomForestClassifier(
        50, oob_score=True, random_state=np.random.RandomState(2)
    ).fit(X, Y)
    np.testing.assert_array_equal(grown.oob_curve_, at_once.oob_curve_)
    np.testing.assert_array_equal(grown.oob_curve_[:20], early)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_growing_stops_when_the_error_is_stable(n_jobs: int) -> None:
    forest = tw.RandomForestClassifier(
        400, stop_when_stable=(0.006, 15), oob_score=True, random_state=1, n_jobs=n_jobs
    ).fit(X, Y)
    n_trees = forest.n_estimators_
    assert 16 <= n_trees < 400
    assert n_trees == len(forest) == len(forest.oob_curve_)
    curve = forest.oob_curve_
    spans = [np.ptp(curve[t - 15 : t + 1]) for t in range(15, n_trees)]
    assert spans[-1] <= 0.006 < min(spans[:-1])
    plain = tw.RandomForestClassifier(n_trees, random_state=1, oob_score=True).fit(X, Y)
    np.testing.assert_array_equal(plain.oob_curve_, curve)
    np.testing.assert_array_equal(plain.predict_proba(X), forest.predict_proba(X))


def test_stopping_does_not_depend_on_the_unit_of_numbers() -> None:
    for unit in (1.0, 1024.0):  # not the same number: rows are drawn by their content
        forest = tw.RandomForestRegressor(300, stop_when_stable=0.02, max_features=3)
        forest.fit(INPUTS, VALUES * unit)
        assert 21 <= forest.n_estimators_ < 100
        errors = forest.out_of_bag().curve[-21:]
        assert np.ptp(errors) <= 0.02 * np.var(VALUES * unit)


def test_never_stable_grows_all_trees() -> None:
    forest = tw.RandomForestClassifier(30, stop_when_stable=(0.0, 29)).fit(X, Y)
    assert forest.n_estimators_ == 30


def test_growing_goes_on_from_a_warm_start() -> None:
    options: dict[str, Any] = {"random_state": 1, "stop_when_stable": (0.006, 15)}
    fresh = tw.RandomForestClassifier(400, **options).fit(X, Y)
    forest = tw.RandomForestClassifier(20, warm_start=True, random_state=1).fit(X, Y)
    forest.set_params(n_estimators=400, **options).fit(X, Y)
    assert forest.n_estimators_ == fresh.n_estimators_
    more = fresh.n_estimators_ + 5  # trees there are stay, though fewer would do
    forest = tw.RandomForestClassifier(more, warm_start=True, random_state=1).fit(X, Y)
    forest.set_params(n_estimators=400, **options).fit(X, Y)
    assert forest.n_estimators_ == more


def test_progress_is_shown_while_growing(capsys: pytest.CaptureFixture[str]) -> None:
    forest = tw.RandomForestClassifier(100, stop_when_stable=0.1, verbose=1).fit(X, Y)
    assert f"grown: {forest.n_estimators_} trees" in capsys.readouterr().err


def test_summary_of_a_forest() -> None:
    iris = load_iris(as_frame=True)
    forest = tw.RandomForestClassifier(50, random_state=0).fit(iris.data, iris.target)
    summary = forest.summary()
    trees = list(forest.ensemble_)
    assert summary.depth.greatest == max(tree.depth for tree in trees)
    assert summary.leaves.median == np.median([tree.n_leaves for tree in trees])
    assert summary.n_nodes == sum(tree.n_nodes for tree in trees)
    asked = np.concatenate([tree.arrays.column[tree.arrays.column >= 0] for tree in trees])
    shares = np.bincount(asked, minlength=4) / len(asked)
    assert dict(summary.columns) == pytest.approx(dict(zip(iris.data, shares, strict=True)))
    assert [share for _, share in summary.columns] == sorted(shares, reverse=True)
    text = str(summary)
    assert text == repr(summary)
    assert text.startswith("RandomForestClassifier: 50 trees on 150 rows\n")
    assert f"{summary.strength.strength:.3f}" in text
    assert max(map(len, text.splitlines())) < 60
    summary.text(ascii=True).encode("ascii")
    kept = summary.to_dict()
    assert kept["out_of_bag"]["error"] == forest.out_of_bag().error
    assert kept["strength"]["ratio"] == summary.strength.ratio


def test_summary_of_trees_of_any_kind() -> None:
    play = tw.load_example("play_tennis")
    forest = tw.BaggingClassifier(tw.C45Classifier(), 20).fit(play.X, play.y)
    summary = forest.summary()
    assert {name for name, _ in summary.columns} <= set(play.X.columns)
    assert sum(share for _, share in summary.columns) == pytest.approx(1.0)
    assert summary.leaves.least <= summary.leaves.median <= summary.leaves.greatest
    oblique = tw.BaggingClassifier(tw.ObliqueTreeClassifier(max_depth=2), 5).fit(X, Y)
    assert len(oblique.summary().columns) > 2


def test_summary_says_why_it_is_short() -> None:
    every = tw.ExtraTreesClassifier(5).fit(X, Y).summary()
    assert every.out_of_bag is None
    assert "\nout of bag: every tree sees every row\n" in str(every)
    loaded = pickle.loads(pickle.dumps(tw.RandomForestRegressor(5).fit(INPUTS, VALUES)))
    assert "summary(X, y) tells more" in str(loaded.summary())
    assert loaded.summary(INPUTS, VALUES).out_of_bag is not None


def test_trees_that_are_always_right_have_no_correlation() -> None:
    table = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.repeat([0, 1], 20)
    summary = tw.RandomForestClassifier(30).fit(table, y).summary()
    assert summary.strength.strength == 1.0
    assert np.isnan(summary.strength.correlation)
    alone = tw.RandomForestClassifier(30).fit(table, np.zeros(40, dtype=int)).summary()
    assert alone.strength is None
