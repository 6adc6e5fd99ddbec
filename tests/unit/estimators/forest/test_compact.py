"""Compacted forests: the same predictions from less memory, and typed errors for the rest."""

import pickle

import numpy as np
import pytest
from sklearn import ensemble as peers

from treewright import (
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.errors import CompactError, DataError


def made(n_classes, n_rows=3000):
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(n_rows, 6)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n_rows)
    if n_classes == 0:
        return X, signal
    return X, np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))


def answers(forest, X):
    return forest.predict_proba(X) if hasattr(forest, "predict_proba") else forest.predict(X)


@pytest.mark.parametrize("n_classes", [2, 10, 0])
@pytest.mark.parametrize("min_samples_leaf", [1, 5])
def test_memory_is_at_most_a_third_of_scikit_learns(n_classes, min_samples_leaf):
    X, y = made(n_classes)
    ours = (RandomForestClassifier if n_classes else RandomForestRegressor)(
        15, min_samples_leaf=min_samples_leaf, random_state=0
    ).fit(X, y)
    peer = (peers.RandomForestClassifier if n_classes else peers.RandomForestRegressor)(
        15, min_samples_leaf=min_samples_leaf, random_state=0
    ).fit(X, y)
    theirs = sum(
        tree.tree_.__getstate__()["nodes"].nbytes + tree.tree_.value.nbytes
        for tree in peer.estimators_
    )
    small = ours.compact()
    # By node: copies of a row count for our min_samples_leaf, and for theirs they do not.
    n_nodes = int(ours.ensemble_.trees.n_nodes().sum())
    scale = n_nodes / sum(tree.tree_.node_count for tree in peer.estimators_)
    assert small.ensemble_.nbytes < theirs * scale / 3
    assert ours.ensemble_.nbytes < theirs * scale * 0.4
    assert small.ensemble_.nbytes < ours.ensemble_.nbytes
    assert len(pickle.dumps(small)) < len(pickle.dumps(ours))
    assert len(pickle.dumps(small)) < len(pickle.dumps(peer)) * scale / 3
    fresh = np.random.default_rng(1).normal(size=(2000, 6)).astype(np.float32)
    for rows in (fresh, fresh[:5], fresh.astype(np.float64)):
        assert answers(small, rows).tobytes() == answers(ours, rows).tobytes()
        np.testing.assert_array_equal(small.apply(rows), ours.apply(rows))


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(5, vote="hard", random_state=0),
        ExtraTreesClassifier(5, max_depth=4, random_state=0),
        RandomForestClassifier(5, class_weight={0: 1.5, 1: 0.3, 2: 2.0}, random_state=0),
    ],
    ids=["hard", "shallow", "weights"],
)
def test_every_kind_of_forest_predicts_the_same(forest):
    X, y = made(3, 500)
    forest.fit(X, y)
    small = forest.compact()
    assert small.get_params() == forest.get_params()
    assert answers(small, X).tobytes() == answers(forest, X).tobytes()
    again = pickle.loads(pickle.dumps(small))
    assert answers(again, X).tobytes() == answers(forest, X).tobytes()
    assert again.classes_.tolist() == [0, 1, 2]
    assert again.compact().ensemble_.nbytes == small.ensemble_.nbytes
    assert again.score(X, y) == forest.score(X, y)


def test_trees_of_other_kinds_are_kept_whole():
    X, y = made(2, 200)
    table = {"x": X[:, 0].tolist(), "sign": np.where(X[:, 1] > 0, "up", "down").tolist()}
    forest = RandomForestClassifier(5, random_state=0).fit(table, y)
    small = forest.compact()
    assert answers(small, table).tobytes() == answers(forest, table).tobytes()
    np.testing.assert_array_equal(small.feature_importances_, forest.feature_importances_)
    assert small[0].text() == forest[0].text()


def test_what_is_gone_is_refused_by_name():
    X, y = made(0, 300)
    forest = RandomForestRegressor(5, warm_start=True, random_state=0).fit(X, y)
    small = forest.compact()
    with pytest.raises(CompactError, match="a compacted forest has no single trees"):
        small[0]
    with pytest.raises(CompactError, match="a compacted forest has no single trees"):
        small.decision_path(X)
    with pytest.raises(CompactError, match="a compacted forest has no importances"):
        _ = small.feature_importances_
    assert not hasattr(small, "feature_importances_")
    with pytest.raises(CompactError, match="a compacted forest has no further trees"):
        small.set_params(n_estimators=8).fit(X, y)
    assert len(small) == 5
    with pytest.raises(DataError, match="a loaded or compacted forest has no training data"):
        small.predict_quantiles(X)
    np.testing.assert_array_equal(
        small.predict_quantiles(X, X_train=X, y_train=y), forest.predict_quantiles(X)
    )
    assert small.n_outputs_ == small.ensemble_.n_outputs == 1
    assert len(forest[0].text()) > 0  # the forest itself is as it was


def test_an_unfitted_forest_has_nothing_to_compact():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        RandomForestRegressor().compact()
