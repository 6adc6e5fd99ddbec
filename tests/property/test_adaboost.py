"""Statements about AdaBoost that hold for every table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw

CRITERIA = ["gini", "entropy", "misclassification"]


@st.composite
def tables(draw: st.DrawFn, *, most_rows: int = 40) -> tuple[pd.DataFrame, Any, Any]:
    """Numbers with gaps, categories with gaps, many and few values; classes; weights."""
    n_rows = draw(st.integers(4, most_rows))
    n_classes = draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.sampled_from([2, 5, 1000]))
    X = pd.DataFrame(
        {
            "number": random.integers(0, n_values, n_rows) / 4,
            "whole": random.integers(-3, 3, n_rows),
            "kind": random.choice(["a", "b", "c", "d"], n_rows),
        }
    )
    if draw(st.booleans()):
        X.loc[random.random(n_rows) < 0.2, "number"] = np.nan
        X.loc[random.random(n_rows) < 0.2, "kind"] = None
    y = random.integers(0, n_classes, n_rows)
    y[:2] = [0, 1]
    weights = random.choice([0.25, 1.0, 1.75, 3.0], n_rows)
    return X, y, weights


def decrease(tree: Any) -> float:
    mass = tree.arrays.weight * tree.arrays.impurity
    return float((mass[0] - mass[1:].sum()) / tree.arrays.weight[0])


@given(table=tables(), criterion=st.sampled_from(CRITERIA))
@settings(max_examples=150, deadline=None)
def test_a_stump_takes_away_as_much_impurity_as_the_best_single_tree(
    table: tuple[Any, Any, Any], criterion: str
) -> None:
    X, y, weights = table
    tree = tw.DecisionTreeClassifier(max_depth=1, criterion=criterion)
    boosted = tw.AdaBoostClassifier(tree, n_estimators=1).fit(X, y, sample_weight=weights)
    single = tree.fit(X, y, sample_weight=weights).tree_
    assert decrease(boosted.ensemble_[0]) == pytest.approx(decrease(single), abs=1e-12)
    boosted.ensemble_[0].arrays.validate(boosted.ensemble_.schema)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_cuts_inside_bins_are_found(n_classes: int, criterion: str) -> None:
    """More values than bins: bounds say where to look, and the best cut is among what they say."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.normal(size=(3000, 3)).round(3)
        y = (X @ [0.3, -0.2, 0.1] + random.normal(size=3000)).round().clip(0, n_classes - 1)
        X[random.random(X.shape) < 0.05] = np.nan
        weights = random.exponential(size=3000)
        tree = tw.DecisionTreeClassifier(max_depth=1, criterion=criterion)
        boosted = tw.AdaBoostClassifier(tree, n_estimators=1).fit(X, y, sample_weight=weights)
        single = tree.fit(X, y, sample_weight=weights).tree_
        found = boosted.ensemble_[0]
        assert decrease(found) == pytest.approx(decrease(single), rel=1e-11)
        assert found.arrays.column[0] == single.arrays.column[0]
        assert found.arrays.threshold[0] == single.arrays.threshold[0]


@given(table=tables(), n_rounds=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_the_table_of_votes_says_what_the_stumps_say_one_by_one(
    table: tuple[Any, Any, Any], n_rounds: int
) -> None:
    X, y, weights = table
    boosted = tw.AdaBoostClassifier(n_estimators=n_rounds).fit(X, y, sample_weight=weights)
    other = X.sample(frac=1, random_state=0).reset_index(drop=True)
    other.loc[0, "kind"] = "never seen"
    other.loc[1, "number"] = np.nan
    votes = np.zeros((len(other), boosted.n_classes_))
    for learner, alpha in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        said = np.searchsorted(boosted.classes_, learner.predict(other))
        votes[np.arange(len(other)), said] += alpha
    shares = votes / boosted.estimator_weights_.sum()
    found = boosted._answers(other)
    assert np.allclose(found, shares, atol=1e-12)
    *_, last = boosted.staged_decision_function(other)
    assert np.array_equal(last, boosted.decision_function(other))


@given(table=tables(), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_does_not_show(table: tuple[Any, Any, Any], seed: int) -> None:
    X, y, weights = table
    rows = np.random.default_rng(seed).permutation(len(y))
    one = tw.AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=weights)
    moved = tw.AdaBoostClassifier(n_estimators=10).fit(X.iloc[rows], y[rows], weights[rows])
    assert np.array_equal(one.estimator_errors_, moved.estimator_errors_)
    assert np.array_equal(one.estimator_weights_, moved.estimator_weights_)
    assert np.array_equal(one.decision_function(X), moved.decision_function(X))


def uneven(n_rows: int, seed: int) -> Any:
    """Weights of which no two sums are equal: rounding would decide between equal stumps."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, n_rows)


def same_up_to_rounding(one: Any, other: Any, X: Any) -> None:
    assert one.estimator_errors_ == pytest.approx(other.estimator_errors_, rel=1e-9, abs=1e-9)
    assert one.estimator_weights_ == pytest.approx(other.estimator_weights_, rel=1e-9)
    assert one.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-9)


@given(table=tables(), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_stump_of_weights_is_one_of_copies(table: tuple[Any, Any, Any], seed: int) -> None:
    """Stumps have no limits that count rows; only sums of weights round otherwise."""
    X, y, _ = table
    random = np.random.default_rng(seed)
    copies, unit = random.integers(1, 4, len(y)), uneven(len(y), seed)
    rows = random.permutation(np.repeat(np.arange(len(y)), copies))
    weighted = tw.AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=copies * unit)
    written = tw.AdaBoostClassifier(n_estimators=10).fit(X.iloc[rows], y[rows], unit[rows])
    same_up_to_rounding(weighted, written, X)


@given(
    table=tables(),
    factor=st.sampled_from([0.1, 3.0, 1e-6, 1e6, 2.0**40]),
    depth=st.sampled_from([1, 3]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_only_the_ratios_of_weights_matter(
    table: tuple[Any, Any, Any], factor: float, depth: int, seed: int
) -> None:
    X, y, _ = table
    weights = uneven(len(y), seed)
    tree = tw.DecisionTreeClassifier(max_depth=depth, min_samples_leaf=depth)
    one = tw.AdaBoostClassifier(tree, n_estimators=6).fit(X, y, sample_weight=weights)
    other = tw.AdaBoostClassifier(tree, n_estimators=6).fit(X, y, sample_weight=factor * weights)
    same_up_to_rounding(other, one, X)
    if factor == 2.0**40:  # no product is rounded
        assert np.array_equal(other.decision_function(X), one.decision_function(X))


@given(table=tables(), size=st.sampled_from([0.1, 10.0, 1e-6, 1e6, 2.0**40]))
@settings(max_examples=40, deadline=None)
def test_equal_weights_are_none(table: tuple[Any, Any, Any], size: float) -> None:
    X, y, _ = table
    one = tw.AdaBoostClassifier(n_estimators=6).fit(X, y)
    other = tw.AdaBoostClassifier(n_estimators=6).fit(X, y, np.full(len(y), size))
    assert np.array_equal(other.estimator_errors_, one.estimator_errors_)
    assert np.array_equal(other.decision_function(X), one.decision_function(X))


@given(table=tables())
@settings(max_examples=40, deadline=None)
def test_after_a_round_its_learner_has_half_of_the_weight_wrong(
    table: tuple[Any, Any, Any],
) -> None:
    """Freund and Schapire 1997: the next round is as hard as can be for the learner before it."""
    X, y, weights = table
    boosted = tw.AdaBoostClassifier(n_estimators=6, algorithm="M1")
    boosted.fit(X, y, sample_weight=weights)
    stages = list(boosted.staged_weights(X, y, sample_weight=weights))
    assert len(stages) == len(boosted) + 1
    learned = zip(boosted.estimators_, boosted.rounds_, stages[:-1], stages[1:], strict=True)
    for learner, told, before, after in learned:
        wrong = learner.predict(X) != y
        assert before.sum() == pytest.approx(1.0)
        assert before[wrong].sum() == pytest.approx(told.error, abs=1e-12)
        if 0.0 < told.error < 0.5:
            assert after[wrong].sum() == pytest.approx(0.5, abs=1e-9)
            assert told.sum_of_weights == pytest.approx(2 * told.error)


@given(table=tables())
@settings(max_examples=30, deadline=None)
def test_the_training_error_stays_below_its_bound(table: tuple[Any, Any, Any]) -> None:
    X, y, weights = table
    y = (y > 0).astype(int)
    boosted = tw.AdaBoostClassifier(n_estimators=15).fit(X, y, sample_weight=weights)
    scores = boosted.staged_score(X, y, sample_weight=weights)
    for told, score in zip(boosted.rounds_, scores, strict=True):
        assert told.training_error == pytest.approx(1 - score, abs=1e-9)
        assert told.training_error <= told.bound + 1e-9
