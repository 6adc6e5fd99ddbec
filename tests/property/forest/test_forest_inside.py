"""Threads that work inside a tree, where trees are fewer than threads, do not show in it."""

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

N_ROWS = 28_000  # of which a bootstrap draws enough for threads to share a tree


def table() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(29)
    X = random.normal(size=(N_ROWS, 6)).astype(np.float32)
    X[:, 1] = X[:, 1].round(1)
    X[:, 2] = random.integers(0, 3, N_ROWS)
    X[:, 3] = random.exponential(size=N_ROWS) ** 5  # drawn cuts part few rows from many
    return X, X[:, 0] + X[:, 1] * X[:, 4] + 0.5 * random.normal(size=N_ROWS)


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize(
    ("made", "n_classes"),
    [
        (RandomForestClassifier, 2),
        (RandomForestClassifier, 5),
        (RandomForestRegressor, 0),
        (ExtraTreesClassifier, 2),
        (ExtraTreesClassifier, 5),
        (ExtraTreesRegressor, 0),
    ],
)
def test_few_trees_are_the_same_for_any_number_of_threads(
    made: Any, n_classes: int, bootstrap: bool
) -> None:
    X, value = table()
    ranks = value.argsort().argsort()
    y = value if n_classes == 0 else ranks * n_classes // N_ROWS

    def grown(n_trees: int, n_jobs: int) -> Any:
        forest = made(
            n_trees, max_features=0.5, bootstrap=bootstrap, random_state=5, n_jobs=n_jobs
        ).fit(X, y)
        assert isinstance(forest.ensemble_.trees, PackedTrees)
        return forest

    for n_trees in (1, 2, 3, 5):
        alone = grown(n_trees, 1)
        for n_jobs in (2, 3, 4):
            together = grown(n_trees, n_jobs)
            assert pickle.dumps(together.ensemble_) == pickle.dumps(alone.ensemble_)
            assert together.predict(X[:500]).tobytes() == alone.predict(X[:500]).tobytes()


def test_many_threads_share_one_tree() -> None:
    X, y = table()
    alone = ExtraTreesRegressor(1, random_state=0, n_jobs=1).fit(X, y)
    many = ExtraTreesRegressor(1, random_state=0, n_jobs=24).fit(X, y)
    assert pickle.dumps(many.ensemble_) == pickle.dumps(alone.ensemble_)
