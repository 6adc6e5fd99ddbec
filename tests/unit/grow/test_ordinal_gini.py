"""Trees of ordered classes: splits judged by how far apart the classes are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import measures
from treewright.errors import TargetError, UnsupportedError

RANDOM = np.random.default_rng(6)
N = 300
X = RANDOM.normal(size=(N, 3))
Y = np.digitize(X[:, 0] + RANDOM.normal(size=N), [-1.0, 0.0, 1.0])


def test_a_split_that_parts_far_classes_is_preferred() -> None:
    # Column a parts {0, 1} from {2, 3}; column b parts {0, 2} from {1, 3}: Gini cannot tell.
    y = np.tile([0, 1, 2, 3], 10)
    table = {"b": (y % 2).tolist(), "a": (y // 2).tolist()}
    assert tw.DecisionTreeClassifier(max_depth=1).fit(table, y).tree_.question(0).column.name == "b"
    tree = tw.DecisionTreeClassifier(criterion="ordinal_gini", max_depth=1).fit(table, y).tree_
    assert tree.question(0).column.name == "a"
    assert tree.arrays.impurity[0] == pytest.approx(measures.ordinal_gini([1, 1, 1, 1]))


def test_of_two_classes_it_is_the_gini_index() -> None:
    y = Y > 1
    weight = RANDOM.integers(1, 4, size=N)
    trees = [
        tw.DecisionTreeClassifier(criterion=name).fit(X, y, sample_weight=weight).tree_
        for name in ("gini", "ordinal_gini")
    ]
    assert np.array_equal(trees[0].arrays.threshold, trees[1].arrays.threshold, equal_nan=True)
    assert trees[0].arrays.impurity == pytest.approx(trees[1].arrays.impurity, abs=1e-12)
    assert measures.ordinal_gini([3, 5]) == pytest.approx(measures.gini([3, 5]))


def test_it_is_the_mean_distance_of_two_rows() -> None:
    counts = RANDOM.integers(0, 9, size=6)
    shares = counts / counts.sum()
    apart = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert measures.ordinal_gini(counts) == pytest.approx(shares @ apart @ shares)
    assert measures.ordinal_gini([4, 0, 0]) == 0.0
    assert measures.ordinal_gini([7]) == 0.0


@pytest.mark.parametrize(
    "made",
    [
        tw.DecisionTreeClassifier,
        tw.RandomForestClassifier,
        tw.ExtraTreesClassifier,
        tw.ExtraTreeClassifier,
        tw.ObliqueTreeClassifier,
    ],
)
def test_trees_and_forests_take_it(made: Any) -> None:
    model = made(criterion="ordinal_gini", max_depth=4, random_state=0).fit(X, Y)
    assert np.mean(model.predict(X) == Y) > np.bincount(Y).max() / N
    names = np.array(["d", "c", "b", "a"], dtype=object)[Y]
    with pytest.raises(TargetError, match="criterion='ordinal_gini' is for classes in an order"):
        made(criterion="ordinal_gini").fit(X, names)
    ordered = pd.Categorical(names, categories=list("dcba"), ordered=True)
    same = made(criterion="ordinal_gini", max_depth=4, random_state=0).fit(X, ordered)
    assert np.array_equal(same.predict_proba(X), model.predict_proba(X))


def test_several_targets_have_an_order_each() -> None:
    both = np.column_stack([Y, X[:, 1] > 0])
    tree = tw.DecisionTreeClassifier(criterion="ordinal_gini", max_depth=3).fit(X, both).tree_
    counts = [np.bincount(Y), np.bincount(X[:, 1] > 0)]
    own = np.mean([measures.ordinal_gini(each) for each in counts])
    assert tree.arrays.impurity[0] == pytest.approx(own)


def test_the_best_cut_has_the_least_ranked_probability_score() -> None:
    # Of shares that are those of the rows, the score (Epstein 1969) is half the impurity.
    def ranked_probability_score(criterion: str) -> float:
        tree = tw.DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, Y)
        below = np.cumsum(tree.predict_proba(X), axis=1)[:, :-1]
        return float(np.mean(((below - (Y[:, np.newaxis] <= np.arange(3))) ** 2).sum(axis=1)))

    own = ranked_probability_score("ordinal_gini")
    assert all(own <= ranked_probability_score(name) for name in ("gini", "entropy", "twoing"))
    tree = tw.DecisionTreeClassifier(criterion="ordinal_gini", max_depth=1).fit(X, Y).tree_
    shares = tree.arrays.weight[1:] / N
    assert own == pytest.approx(shares @ tree.arrays.impurity[1:] / 2)


def test_its_gains_are_no_bits() -> None:
    with pytest.raises(UnsupportedError, match="cost_rule='nunez'"):
        tw.DecisionTreeClassifier(
            criterion="ordinal_gini", column_costs={"x0": 2.0}, cost_rule="nunez"
        ).fit(X, Y)


def test_pruning_and_filling_know_it() -> None:
    model = tw.DecisionTreeClassifier(criterion="ordinal_gini", ccp_alpha=0.01).fit(X, Y)
    assert 1 < model.tree_.n_leaves < 40
    again = model.tree_.refit(X, Y)
    assert again.arrays.impurity == pytest.approx(model.tree_.arrays.impurity)
    branch = model.tree_.why(0).candidates[0].branches[0]
    assert branch.impurity == pytest.approx(measures.ordinal_gini(branch.counts))
