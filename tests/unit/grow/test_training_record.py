"""Looking at a node again shows what growing saw there."""

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier


def test_every_node_of_a_large_table_can_be_asked() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(40_000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X)) > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    for node in range(tree.n_nodes):
        table = tree.why(node)
        assert table.n_rows == tree.arrays.n_rows[node]
        assert sum(table.counts) == table.n_rows
        if tree.is_leaf(node):
            assert table.chosen is None
        else:
            assert table.chosen is not None
            assert table.chosen.gain == pytest.approx(tree.arrays.gain[node], rel=1e-9)


def test_an_empty_branch_has_nothing_to_show() -> None:
    a = pd.Categorical(["p", "q", None, "p", "q", "p", "q", "p"], categories=["p", "q", "r"])
    X = pd.DataFrame({"a": a, "b": range(1, 9), "c": list("uvuvuvuv")})
    tree = ID3Classifier().fit(X, [0, 1, 0, 0, 1, 0, 1, 0]).tree_
    (empty,) = np.flatnonzero(tree.arrays.n_rows == 0)
    assert tree.why(int(empty)).n_rows == 0


def test_thresholds_are_shown_as_the_tree_has_them() -> None:
    X = np.array([[0.2], [0.6], [1.0], [1.4], [0.6], [1.0]])
    tree = C45Classifier().fit(X, [0, 0, 1, 1, 0, 1]).tree_
    chosen = tree.why(0).chosen
    assert chosen is not None
    assert tree.arrays.threshold[0] == 0.6
    assert chosen.question == "x0 <= 0.6"


def test_scores_of_a_regression_are_in_the_targets_units() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    tree = DecisionTreeRegressor(max_depth=2, column_costs=[2.0, 1.0, 1.0], cost_rule="rpart")
    tree = tree.fit(X, 10 * X[:, 2]).tree_
    assert tree.arrays.score[0] == pytest.approx(tree.arrays.gain[0])
    chosen = tree.why(0).chosen
    assert chosen is not None
    assert chosen.cost_score == pytest.approx(chosen.gain)
