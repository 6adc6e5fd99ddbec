"""Shares put in order by constraints, and weights whose share is within bounds to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.grow.monotone import _weights, in_order

X = np.arange(8.0)[:, np.newaxis]


def test_leaves_are_moved_to_the_middle_of_their_branches() -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(X, [1, 1, 1, 0, 0, 0, 0, 0]).tree_
    assert tree.answers[:, 1].tolist() == [0.375, 1.0, 0.0]
    moved = in_order(tree, [1])
    assert moved.answers[:, 1].tolist() == [0.375, 0.5, 0.5]
    assert moved.arrays.value[1:].sum(axis=1).tolist() == [3.0, 5.0]  # the weights of the nodes
    assert in_order(tree, [-1]) is tree
    assert in_order(tree, [0]) is tree
    assert in_order(tree, None) is tree


def test_only_what_is_out_of_order_moves() -> None:
    tree = DecisionTreeClassifier().fit(X, [0, 0, 1, 0, 1, 1, 1, 1]).tree_
    moved = in_order(tree, [1])
    told = moved.predict_proba(X)[:, 1]
    assert np.all(np.diff(told) >= 0)
    kept = told == tree.predict_proba(X)[:, 1]
    assert kept.tolist() == [True, True, False, False, True, True, True, True]


def test_numbers_are_left_as_they_are() -> None:
    tree = DecisionTreeRegressor().fit(X, X[:, 0]).tree_
    assert in_order(tree, [-1]) is tree


@pytest.mark.parametrize("seed", range(5))
def test_a_share_is_met_to_the_last_bit(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(300):
        weight = float(random.choice([0.0, 1.0, 3.0, 7.0, 49.0, random.random() * 1e6, 1e-9]))
        share = float(random.choice([0.0, 1.0, 1 / 3, random.random(), random.random() ** 30]))
        first, second = _weights(random.random(), (share, share), weight)
        assert second / (first + second) == share
        assert min(first, second) >= 0
