"""Forests of ordered columns with missing values, which the fast engines grow."""

import pickle
from typing import Any

import numpy as np
import pytest

from treewright import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.forest.packed import PackedTrees

KINDS = [
    RandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestRegressor,
    ExtraTreesRegressor,
]


def made_table(n_rows: int, dtype: type = np.float64) -> tuple[Any, Any]:
    """Return rows with a tenth of the values missing, and a target that depends on gaps."""
    random = np.random.default_rng(3)
    X = random.normal(size=(n_rows, 5)).astype(dtype)
    y = (X[:, 0] + X[:, 1] + 0.3 * random.normal(size=n_rows) > 0).astype(int)
    missing = random.random(X.shape) < 0.1
    y[missing[:, 2]] = 1  # only whether the value is known tells
    X[missing] = np.nan
    return X, y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_answers_of_rows_with_gaps_are_those_of_the_trees(kind: Any, dtype: type) -> None:
    X, y = made_table(1500, dtype)  # enough that trees are prepared for many rows
    forest = kind(4, random_state=0).fit(X[:400], y[:400])
    assert isinstance(forest.ensemble_.trees, PackedTrees)
    answer = getattr(forest, "predict_proba", forest.predict)
    leaves = forest.apply(X)
    by_tree = []
    for i, tree in enumerate(forest.ensemble_):
        by_tree.append(tree.predict_proba(X) if tree.classes else tree.predict(X))
        np.testing.assert_array_equal(leaves[:, i], tree.apply(X))
    np.testing.assert_allclose(answer(X), np.mean(by_tree, axis=0), rtol=1e-12)
    np.testing.assert_array_equal(answer(X)[:7], answer(X[:7]))  # few rows go another way


@pytest.mark.parametrize("kind", KINDS)
def test_whether_a_value_is_known_is_asked_and_kept(kind: Any) -> None:
    X, y = made_table(300)
    X[~np.isnan(X[:, 2]), 2] = 1.0  # one value beside gaps
    forest = kind(5, random_state=0).fit(X, y)
    assert forest.ensemble_.engine in ("best_cuts", "drawn_cuts")
    thresholds = np.concatenate([tree.arrays.threshold for tree in forest.ensemble_])
    columns = np.concatenate([tree.arrays.column for tree in forest.ensemble_])
    asked = np.isinf(thresholds)
    assert asked.any()
    assert set(columns[asked]) >= {2}
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    np.testing.assert_array_equal(forest.compact().predict(X), forest.predict(X))


def test_one_gap_does_not_change_the_engine() -> None:
    X, y = made_table(100)
    plain = np.nan_to_num(X)
    gap = plain.copy()
    gap[17, 3] = np.nan
    for kind in KINDS:
        engines = {kind(2, random_state=0).fit(rows, y).ensemble_.engine for rows in (plain, gap)}
        assert len(engines) == 1


def test_gaps_of_other_policies_are_grown_generally() -> None:
    X, y = made_table(100)
    for missing in ("majority", "own_branch", "surrogates"):
        forest = RandomForestClassifier(2, missing=missing, random_state=0)
        assert forest.fit(X, y).ensemble_.engine == "general"


def test_ordered_categories_may_be_missing() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(5)
    names = np.array(["low", "middle", "high"], dtype=object)[random.integers(0, 3, 200)]
    y = (names == "high").astype(int)
    names[random.random(200) < 0.3] = None
    y[[name is None for name in names]] = 1
    size = pandas.Categorical(names, categories=["low", "middle", "high"], ordered=True)
    table = pandas.DataFrame({"size": size, "x": random.normal(size=200)})
    for kind in KINDS:
        forest = kind(3, random_state=0).fit(table, y)
        assert forest.ensemble_.engine in ("best_cuts", "drawn_cuts")
        by_tree = [np.asarray(tree.predict(table), dtype=float) for tree in forest.ensemble_]
        assert np.mean((np.mean(by_tree, axis=0) > 0.5) == y) > 0.9
