"""Partial dependence of every estimator: the mean of its predictions over rows with the column set.

What is expected is made by predicting, row by row and value by value; no code is shared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_estimator import CLASSIFIERS, ESTIMATORS

from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    M5Regressor,
    ObliqueTreeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    Schema,
)
from treewright.dependence.dependence import PartialDependence, PartialDependences
from treewright.errors import ColumnMismatchError, DataError, ParameterError, UnsupportedError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4)).round(2)
HOLES = np.where(RANDOM.random(X.shape) < 0.15, np.nan, X)
CLASSES = np.array(["no", "yes", "maybe"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
NUMBERS = X[:, 0] * 3 + np.abs(X[:, 1]) + X[:, 2] * X[:, 0]
WEIGHTS = RANDOM.integers(0, 4, size=120).astype(float)
COLOURS = ["red", "green", "blue", None]
MIXED = {
    "size": HOLES[:, 0].tolist(),
    "colour": [COLOURS[i] for i in RANDOM.integers(0, 4, size=120)],
    "is_new": (X[:, 2] > 0).tolist(),
    "age": X[:, 3].tolist(),
}


def answers_of(model: Any, rows: Any) -> Any:
    """Return what a model predicts, rows x outputs."""
    found = model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)
    return np.asarray(found).reshape(120, -1)


def with_value(rows: Any, column: Any, value: Any) -> Any:
    """Return the rows with one column set."""
    if isinstance(rows, dict):
        return {**rows, column: [value] * 120}
    changed = rows.copy()
    changed[:, column] = np.nan if value is None else value
    return changed


def assert_is_mean(found: Any, model: Any, rows: Any, column: Any, weights: Any = None) -> None:
    """Compare means and single rows with what the model predicts value by value."""
    assert len(found) > 1
    for place, value in enumerate(found.values):
        answers = answers_of(model, with_value(rows, column, value))
        mean = np.average(answers, axis=0, weights=weights)
        np.testing.assert_allclose(found.mean[place], mean, rtol=1e-12, atol=1e-12)
        own = answers[found.row_numbers]
        np.testing.assert_allclose(found.rows[:, place], own, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("made", ESTIMATORS, ids=lambda made: made.__name__)
def test_means_of_every_estimator_are_those_of_its_predictions(made: Any) -> None:
    model = made()
    if not hasattr(model, "partial_dependence"):
        pytest.skip("this estimator has no trees that add up")
    model.fit(X, CLASSES if made in CLASSIFIERS else NUMBERS)
    for column in (0, 3):
        found = model.partial_dependence(X, column, grid=6, rows=5)
        assert_is_mean(found, model, X, column)


@pytest.mark.parametrize("made", ESTIMATORS, ids=lambda made: made.__name__)
def test_means_over_names_and_gaps_are_those_of_the_predictions(made: Any) -> None:
    model = made()
    if not hasattr(model, "partial_dependence"):
        pytest.skip("this estimator has no trees that add up")
    try:
        model.fit(MIXED, CLASSES if made in CLASSIFIERS else NUMBERS, sample_weight=WEIGHTS)
    except UnsupportedError:
        pytest.skip("this estimator takes numbers alone")
    for column in ("size", "colour", "is_new"):
        found = model.partial_dependence(MIXED, column, grid=5, sample_weight=WEIGHTS)
        assert (None in found.values) == (
            None in MIXED[column] or np.nan in MIXED[column] or column == "size"
        )
        assert_is_mean(found, model, MIXED, column, WEIGHTS)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(missing="divide", nominal="multiway"),
        DecisionTreeRegressor(missing="divide", nominal="multiway"),
        DecisionTreeClassifier(missing="surrogates", max_depth=4),
        C45Classifier(),
        BaggingClassifier(DecisionTreeClassifier(missing="divide"), n_estimators=3, random_state=0),
        AdaBoostClassifier(n_estimators=4),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, missing="divide"), n_estimators=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_divided_rows_and_values_count_in_every_branch(model: Any) -> None:
    target = NUMBERS if isinstance(model, DecisionTreeRegressor) else CLASSES
    model.fit(MIXED, target)
    for column in MIXED:
        assert_is_mean(model.partial_dependence(MIXED, column, grid=7), model, MIXED, column)


def test_most_models_walk_their_trees_and_others_say_why_not() -> None:
    def method(model: Any, target: Any, rows: Any = X) -> str:
        return str(model.fit(rows, target).partial_dependence(rows, 0, grid=3).method)

    walked = "by one walk of the trees"
    assert method(RandomForestClassifier(n_estimators=3), CLASSES) == walked
    assert method(GradientBoostingClassifier(n_estimators=3), CLASSES) == walked
    assert method(DecisionTreeRegressor(), NUMBERS, HOLES) == walked
    assert "leaves have linear models" in method(M5Regressor(), NUMBERS)
    assert "weighted median" in method(AdaBoostRegressor(n_estimators=3), NUMBERS)
    assert "several columns together" in method(ObliqueTreeClassifier(), CLASSES)
    lines = GradientBoostingRegressor(n_estimators=3, leaf_model="linear")
    assert "leaves have linear models" in method(lines, NUMBERS)


def test_scores_of_boosting_are_averaged_before_the_link() -> None:
    model = GradientBoostingClassifier(n_estimators=5).fit(HOLES, CLASSES)
    found = model.partial_dependence(HOLES, 1, grid=6, output="score", sample_weight=WEIGHTS)
    assert found.scale == "score"
    assert found.output_names == tuple(model.classes_)
    for place, value in enumerate(found.values):
        scores = model.decision_function(with_value(HOLES, 1, value))
        mean = np.average(scores, axis=0, weights=WEIGHTS)
        np.testing.assert_allclose(found.mean[place], mean, rtol=1e-12, atol=1e-12)
    counts = GradientBoostingRegressor(n_estimators=5, loss="poisson").fit(X, np.abs(NUMBERS))
    assert_is_mean(counts.partial_dependence(X, 0, grid=6), counts, X, 0)


def test_calibrated_probabilities_are_those_averaged() -> None:
    model = RandomForestClassifier(n_estimators=20, calibrate="isotonic", random_state=0)
    model.fit(X, CLASSES)
    found = model.partial_dependence(X, 0, grid=4)
    assert "calibrated" in found.method
    assert_is_mean(found, model, X, 0)


@pytest.mark.parametrize(
    "model", [RandomForestRegressor(n_estimators=4), GradientBoostingRegressor(n_estimators=4)]
)
def test_a_pair_sets_both_columns(model: Any) -> None:
    model.fit(MIXED, NUMBERS)
    found = model.partial_dependence(MIXED, ("size", "colour"), grid={"size": 4})
    assert found.mean.shape == (5, 4, 1)
    for i, size in enumerate(found.values[0]):
        for j, colour in enumerate(found.values[1]):
            rows = with_value(with_value(MIXED, "size", size), "colour", colour)
            assert found.mean[i, j, 0] == pytest.approx(model.predict(rows).mean(), rel=1e-12)


def test_several_outputs_are_told_apart() -> None:
    both = np.column_stack([NUMBERS, -2 * NUMBERS])
    model = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, both)
    found = model.partial_dependence(X, 0, grid=5)
    assert found.output_names == ("output 0", "output 1")
    assert_is_mean(found, model, X, 0)


def test_one_thread_and_many_give_the_same_bits() -> None:
    forest = RandomForestClassifier(n_estimators=7, random_state=0, n_jobs=1).fit(HOLES, CLASSES)
    one = forest.partial_dependence(HOLES, [0, 1, (0, 1)], sample_weight=WEIGHTS + 0.3)
    many = forest.set_params(n_jobs=3).partial_dependence(
        HOLES, [0, 1, (0, 1)], sample_weight=WEIGHTS + 0.3
    )
    for first, second in zip(one, many, strict=True):
        assert np.array_equal(first.mean, second.mean)
    boosted = GradientBoostingClassifier(n_estimators=7, n_jobs=1).fit(HOLES, CLASSES)
    curves = boosted.partial_dependence(HOLES, 0, rows=None).rows
    again = boosted.set_params(n_jobs=3).partial_dependence(HOLES, 0, rows=None).rows
    assert np.array_equal(curves, again)


def test_many_rows_are_averaged_part_by_part() -> None:
    rows = np.tile(X, (300, 1))
    model = GradientBoostingRegressor(n_estimators=3, n_jobs=1).fit(X, NUMBERS)
    found = model.partial_dependence(rows, 0, grid=4, rows=3)
    expected = model.partial_dependence(X, 0, grid=4)
    assert found.n_rows == 36_000
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
    chances = GradientBoostingClassifier(n_estimators=3, n_jobs=1).fit(X, CLASSES)
    grid = np.linspace(-2, 2, 100)
    wide = chances.partial_dependence(np.tile(X, (200, 1)), 0, grid=grid)
    expected = chances.partial_dependence(X, 0, grid=grid)
    np.testing.assert_allclose(wide.mean, expected.mean, rtol=1e-12)


def test_values_are_those_asked_for_else_as_many_rows_between_each() -> None:
    model = DecisionTreeRegressor().fit(X, NUMBERS)
    assert model.partial_dependence(X, 0, grid=[1.5, -1.0]).values == (1.5, -1.0)
    few = model.partial_dependence(X, 0, grid=3)
    assert few.values == (X[:, 0].min(), np.sort(X[:, 0])[60], X[:, 0].max())
    assert len(model.partial_dependence(X, 0)) <= 100
    several = model.partial_dependence(X, [0, 1], grid={0: [0.5, 1.0], 1: 3})
    assert several[0].values == (0.5, 1.0)
    assert len(several[1]) == 3
    left_out = model.partial_dependence(X, 0, grid=200, sample_weight=(X[:, 0] > 0) * 1.0)
    assert min(left_out.values) > 0
    assert left_out.n_rows == (X[:, 0] > 0).sum()


def test_all_used_columns_are_found_and_what_moves_most_is_told_first() -> None:
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(MIXED, NUMBERS)
    found = model.partial_dependence(MIXED)
    assert isinstance(found, PartialDependences)
    names = [each.column for each in found if isinstance(each, PartialDependence)]
    assert names == ["size", "colour", "is_new", "age"]
    moves = found.moves()
    assert moves[0][0] == "size"
    assert [high - low for _, low, high in moves] == sorted(
        (float(np.ptp(each.mean)) for each in found), reverse=True
    )


def test_mistakes_are_refused_in_words() -> None:
    model = DecisionTreeClassifier().fit(MIXED, CLASSES)
    with pytest.raises(ColumnMismatchError, match=r"no column .sise.\.\n.*\n.*size"):
        model.partial_dependence(MIXED, "sise")
    with pytest.raises(ParameterError, match="no column 7: the table has 4"):
        model.partial_dependence(MIXED, 7)
    with pytest.raises(ParameterError, match="a tuple of 3: one column, or a pair"):
        model.partial_dependence(MIXED, ("size", "age", "colour"))
    with pytest.raises(ParameterError, match="of one column with itself"):
        model.partial_dependence(MIXED, ("size", "size"))
    with pytest.raises(ParameterError, match="asks for nothing"):
        model.partial_dependence(MIXED, [])
    with pytest.raises(ParameterError, match="grid"):
        model.partial_dependence(MIXED, "size", grid=1)
    with pytest.raises(ParameterError, match="grid='fine' must be"):
        model.partial_dependence(MIXED, "size", grid="fine")
    with pytest.raises(ParameterError, match="several columns are asked for"):
        model.partial_dependence(MIXED, ["size", "age"], grid=[1.0, 2.0])
    with pytest.raises(ParameterError, match="'size' has no values"):
        model.partial_dependence(MIXED, "size", grid=[])
    with pytest.raises(DataError, match="has 'pink', which was not there"):
        model.partial_dependence(MIXED, "colour", grid=["red", "pink"])
    with pytest.raises(UnsupportedError, match="output='score' is for boosting"):
        model.partial_dependence(MIXED, "size", output="score")
    with pytest.raises(ParameterError, match="rows"):
        model.partial_dependence(MIXED, "size", rows=-1)
    with pytest.raises(DataError, match="sample_weight has 3 values"):
        model.partial_dependence(MIXED, "size", sample_weight=[1, 2, 3])
    with pytest.raises(ParameterError, match="label='perhaps' is not an output"):
        model.partial_dependence(MIXED, "size").draw("perhaps")


def test_derived_columns_follow_the_column_that_is_set() -> None:
    rows = {"a": X[:, 0].tolist(), "b": (X[:, 1] + 5).tolist()}
    added = Schema().derive("total = a + b")
    target = np.round(X[:, 0] + X[:, 1]) + (X[:, 0] > 1)
    model = DecisionTreeRegressor(schema=added, max_depth=5).fit(rows, target)
    assert "total" in {model.tree_.schema.names[i] for i in model.tree_.used_columns}
    found = model.partial_dependence(rows, "a", grid=6, rows=4)
    assert "'total' is derived from several columns" in found.method
    assert_is_mean(found, model, rows, "a")
    both = model.partial_dependence(rows, ("a", "b"), grid=3)
    assert "'total' is derived from several columns" in both.method
    for i, first in enumerate(both.values[0]):
        for j, second in enumerate(both.values[1]):
            changed = with_value(with_value(rows, "a", first), "b", second)
            assert both.mean[i, j, 0] == pytest.approx(model.predict(changed).mean(), rel=1e-12)
    half = Schema().derive("half = a / 2")
    single = DecisionTreeRegressor(schema=half, max_depth=5).fit(rows, target)
    halved = single.partial_dependence(rows, "a", grid=6)
    assert halved.method == "by one walk of the trees"
    assert_is_mean(halved, single, rows, "a")
