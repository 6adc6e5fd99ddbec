"""Forests that are grown on rows: which tables are, and what their trees are like."""

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.forest.packed import PackedTrees

RANDOM = np.random.default_rng(0)
BITS = (RANDOM.random((400, 60)) < 0.3).astype(np.float64)
KIND = (BITS[:, :5].sum(axis=1) + RANDOM.normal(size=400) > 1.5).astype(np.int64)
NAMES = np.array(["red", "green", "blue", None], object)[RANDOM.integers(0, 4, 400)]
SIZE = np.where(RANDOM.random(400) < 0.1, np.nan, RANDOM.normal(size=400))
TABLE = {"colour": NAMES, "size": SIZE, "legs": RANDOM.integers(0, 9, 400)}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_columns_of_bits_are_grown_on_rows_whatever_their_type(dtype: Any) -> None:
    forest = tw.RandomForestClassifier(5, random_state=0).fit(BITS.astype(dtype), KIND)
    assert forest.ensemble_.engine == "rows"
    assert isinstance(forest.ensemble_.trees, PackedTrees)
    like = tw.RandomForestClassifier(5, random_state=0).fit(BITS, KIND)
    assert forest.predict_proba(BITS.astype(dtype)).tolist() == like.predict_proba(BITS).tolist()


@pytest.mark.parametrize(
    ("options", "engine"),
    [
        ({}, "best_cuts"),
        ({"nominal": "one_vs_rest"}, "best_cuts"),
        ({"max_leaf_nodes": 9}, "best_cuts"),
        ({"criterion": "entropy"}, "best_cuts"),
        ({"class_weight": {0: 1.0, 1: 3.5}}, "rows"),
        ({"class_weight": {0: 1.0, 1: 3.5}, "max_leaf_nodes": 9}, "general"),
        ({"nominal": "multiway"}, "general"),
        ({"missing": "majority"}, "general"),  # there are gaps
    ],
)
def test_who_grows_a_table_with_names(options: dict[str, Any], engine: str) -> None:
    forest = tw.RandomForestClassifier(3, random_state=0, **options).fit(TABLE, KIND)
    assert forest.ensemble_.engine == engine
    assert {tree.engine for tree in forest.ensemble_} == {engine}


@pytest.mark.parametrize(
    "kind",
    [
        tw.RandomForestClassifier,
        tw.ExtraTreesClassifier,
        tw.RandomForestRegressor,
        tw.ExtraTreesRegressor,
    ],
)
def test_trees_with_names_fit_rows_that_differ(kind: Any) -> None:
    table = {**TABLE, "height": np.linspace(0.0, 1.0, len(KIND))}
    forest = kind(10, bootstrap=False, random_state=0).fit(table, KIND)
    assert forest.predict(table).tolist() == KIND.tolist()
    assert any((tree.arrays.kind == 2).any() for tree in forest.ensemble_)


def test_names_that_are_all_alike_or_missing_are_never_asked_for() -> None:
    table = {
        "same": np.array(["a"] * 400, object),
        "none": np.full(400, np.nan),
        "x": TABLE["legs"],
    }
    forest = tw.RandomForestClassifier(4, random_state=0).fit(table, KIND)
    assert forest.ensemble_.engine == "rows"
    assert all(set(tree.arrays.column[tree.arrays.kind > 0]) == {2} for tree in forest.ensemble_)


def test_more_trees_continue_a_forest_on_names() -> None:
    both = tw.ExtraTreesClassifier(6, random_state=0).fit(TABLE, KIND)
    more = tw.ExtraTreesClassifier(2, random_state=0, warm_start=True).fit(TABLE, KIND)
    more.set_params(n_estimators=6).fit(TABLE, KIND)
    assert more.predict_proba(TABLE).tolist() == both.predict_proba(TABLE).tolist()
