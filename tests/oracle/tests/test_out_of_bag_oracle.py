"""Out-of-bag estimates, strength and correlation against the slow ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import out_of_bag as oracle

import treewright as tw
from treewright.forest.out_of_bag import OutOfBag

RNG = np.random.default_rng(11)
X = RNG.normal(size=(90, 4)).round(1)
CLASSES = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1] + RNG.normal(size=90) > 0) * 1]
CLASSES[X[:, 2] > 1] = "c"
NUMBERS = 3 * X[:, 0] - X[:, 1] ** 2 + RNG.normal(size=90)
GAPS = X.copy()
GAPS[::9, 1] = np.nan
N_TREES = 9


def fitted(kind: Any, table: Any, y: Any, weight: Any = None, **options: Any) -> Any:
    return kind(N_TREES, random_state=5, n_jobs=2, **options).fit(table, y, weight)


def said(forest: Any, table: Any, method: str) -> oracle.Said:
    """What single trees say of rows that their sample does not have."""
    trees = forest.estimators_
    copies = [forest._training.sampling.draw(t).tolist() for t in range(len(trees))]
    predicted = [getattr(tree, method)(table) for tree in trees]
    return {(t, i): predicted[t][i].tolist() for t, i in oracle.unseen(copies)}


def check(told: OutOfBag, slow: oracle.Figures) -> None:
    known = [answer is not None for answer in slow.answers]
    assert told.known.tolist() == known
    expected = [answer for answer in slow.answers if answer is not None]
    np.testing.assert_allclose(told.answers[known], expected, rtol=1e-12)
    assert np.isnan(told.answers[~told.known]).all()
    np.testing.assert_allclose(told.tree_errors, slow.tree_errors, rtol=1e-12)
    np.testing.assert_allclose(told.curve, slow.curve, rtol=1e-12)
    assert told.error == told.curve[-1]


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.ExtraTreesClassifier])
@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("table", [X, GAPS], ids=["packed", "listed"])
def test_classes_out_of_bag(kind: Any, vote: str, table: Any) -> None:
    forest = fitted(kind, table, CLASSES, vote=vote, bootstrap=True)
    codes = np.searchsorted(forest.classes_, CLASSES).tolist()
    shares = said(forest, table, "predict_proba")
    slow = oracle.class_figures(codes, shares, N_TREES, hard=vote == "hard", weight=[1.0] * 90)
    told = forest.out_of_bag()
    check(told, slow)
    assert told.score == 1 - told.error


@pytest.mark.parametrize("table", [X, GAPS], ids=["packed", "listed"])
def test_numbers_out_of_bag(table: Any) -> None:
    forest = fitted(tw.RandomForestRegressor, table, NUMBERS, max_features=2)
    values = said(forest, table, "predict")
    check(
        forest.out_of_bag(),
        oracle.value_figures(NUMBERS.tolist(), values, N_TREES, weight=[1.0] * 90),
    )


# The mean of those above 0 is 1, so that no weight is rounded.
@pytest.mark.parametrize("weights", [[0.0, 0.5, 1.5], [0.0, 1.0, 1.0]], ids=["any", "0 or 1"])
@pytest.mark.parametrize("table", [X, GAPS], ids=["without gaps", "with gaps"])
def test_rows_count_by_their_weight(table: Any, weights: list[float]) -> None:
    weight = RNG.permutation(np.resize(weights, 90))
    forest = fitted(tw.RandomForestClassifier, table, CLASSES, weight, class_weight={"a": 2.0})
    codes = np.searchsorted(forest.classes_, CLASSES).tolist()
    shares = said(forest, table, "predict_proba")
    slow = oracle.class_figures(codes, shares, N_TREES, hard=False, weight=weight.tolist())
    check(forest.out_of_bag(), slow)
    numbers = fitted(tw.RandomForestRegressor, table, NUMBERS, weight, max_features=2)
    values = said(numbers, table, "predict")
    check(
        numbers.out_of_bag(),
        oracle.value_figures(NUMBERS.tolist(), values, N_TREES, weight=weight.tolist()),
    )


@pytest.mark.parametrize("table", [X, GAPS], ids=["packed", "listed"])
def test_rows_drawn_without_replacement(table: Any) -> None:
    options = {"bootstrap": False, "max_samples": 0.7}
    forest = fitted(tw.ExtraTreesRegressor, table, NUMBERS, **options)
    values = said(forest, table, "predict")
    assert len(values) == N_TREES * 27
    check(
        forest.out_of_bag(),
        oracle.value_figures(NUMBERS.tolist(), values, N_TREES, weight=[1.0] * 90),
    )


@pytest.mark.parametrize("table", [X, GAPS], ids=["packed", "listed"])
def test_strength_and_correlation_of_classes(table: Any) -> None:
    forest = fitted(tw.RandomForestClassifier, table, CLASSES)
    codes = {label: code for code, label in enumerate(forest.classes_.tolist())}
    labels = {key: codes[label] for key, label in said(forest, table, "predict").items()}
    y = [codes[label] for label in CLASSES.tolist()]
    strength, correlation = oracle.strength(y, labels, N_TREES)
    found = forest.summary().strength
    assert found.strength == pytest.approx(strength, rel=1e-12)
    assert found.correlation == pytest.approx(correlation, rel=1e-12)
    assert found.ratio == pytest.approx(correlation / strength**2)
    assert found.bound == pytest.approx(correlation * (1 - strength**2) / strength**2)


def test_correlation_of_residuals() -> None:
    """The forest's error is the mean covariance of two trees' residuals (theorem 11.2)."""
    forest = fitted(tw.RandomForestRegressor, X, NUMBERS, max_features=2)
    values = said(forest, X, "predict")
    residual = {key: NUMBERS[key[1]] - value for key, value in values.items()}
    products = [
        np.mean([r * s for r in own for s in own])
        for row in range(90)
        if (own := [residual[t, row] for t in range(N_TREES) if (t, row) in residual])
    ]
    sds = [
        np.sqrt(np.mean([r**2 for (tree, _), r in residual.items() if tree == t]))
        for t in range(N_TREES)
    ]
    found = forest.summary().strength
    assert found.strength is None
    assert found.correlation == pytest.approx(np.mean(products) / np.mean(sds) ** 2)
    assert found.bound == pytest.approx(found.correlation * np.mean(np.square(sds)))
    assert forest.out_of_bag().error <= found.bound
