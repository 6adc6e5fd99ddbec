"""What one node holds: its counts, its rows, its level, and the tree below it."""

import numpy as np
import pytest

import treewright as tw
from treewright import load_example
from treewright.errors import ParameterError, TreewrightError


def test_counts_of_a_regression_node() -> None:
    tree = tw.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [1.0, 3.0, 9.0]).tree_
    counts = tree.counts(1)
    assert (counts.mean, counts.sd, counts.majority) == (2.0, 1.0, None)
    assert str(counts) == "node 1: 2 rows, mean 2, sd 1"
    median = tw.DecisionTreeRegressor(criterion="absolute_error").fit([[1.0], [2.0]], [1.0, 2.0])
    assert median.tree_.counts(0).sd is None


def test_counts_tell_weights_and_outputs() -> None:
    tree = tw.DecisionTreeClassifier().fit([[1.0], [2.0]], [["a", 1], ["b", 2]], [2.0, 0.5]).tree_
    assert tree.counts(0).classes == {"a": 2.0, "b": 0.5}
    assert tree.counts(0, output=1).classes == {1: 2.0, 2: 0.5}
    assert str(tree.counts(0)).startswith("node 0: 2 rows of weight 2.5")
    with pytest.raises(ParameterError, match="output=2 must be from 0 to 1"):
        tree.counts(0, output=2)


def test_rows_of_the_leaves_are_all_rows_once() -> None:
    iris = load_example("iris")
    tree = tw.DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    found = np.concatenate([tree.rows(leaf, iris.X) for leaf in leaves])
    assert sorted(found.tolist()) == list(range(150))
    assert tree.rows(0, iris.X).tolist() == list(range(150))


def test_a_divided_row_is_in_both_branches() -> None:
    X = {"c": ["a", "a", "b", "b"]}
    tree = tw.ID3Classifier().fit(X, ["p", "p", "q", "q"]).tree_
    table = {"c": ["a", None]}
    assert [tree.rows(node, table).tolist() for node in range(3)] == [[0, 1], [0, 1], [1]]


def test_a_subtree_predicts_as_the_tree_does_below_its_node() -> None:
    iris = load_example("iris")
    tree = tw.DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    whole = tree.predict_proba(iris.X)
    for node in range(tree.n_nodes):
        below = tree.subtree(node)
        rows = tree.rows(node, iris.X)
        table = {name: iris.X.column(name).to_numpy()[rows] for name in iris.X.columns}
        np.testing.assert_array_equal(below.predict_proba(table), whole[rows])
        assert below.counts(0).classes == tree.counts(node).classes
    with pytest.raises(TreewrightError, match="keeps no record"):
        tree.subtree(0).why(0)


def test_an_empty_leaf_taken_alone_predicts_as_it_did() -> None:
    X = tw.Schema(values={"c": ["a", "b", "z"]})
    tree = tw.ID3Classifier(schema=X).fit({"c": ["a", "b", "b"]}, ["p", "q", "q"]).tree_
    assert tree.counts(3).n_rows == 0
    assert tree.subtree(3).predict({"c": ["z"]}).tolist() == [tree.label(3)]


def test_a_subtree_of_linear_leaves_keeps_its_models() -> None:
    X = [[float(x)] for x in range(40)]
    y = [float(x) if x < 20 else 90.0 - 2 * x for x in range(40)]
    tree = tw.DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(X, y).tree_
    np.testing.assert_allclose(tree.subtree(2).predict(X[25:]), y[25:])


def test_levels_are_counted_from_0_or_1() -> None:
    play = load_example("play_tennis")
    tree = tw.ID3Classifier().fit(play.X, play.y).tree_
    assert (tree.level(0), tree.level(4), tree.level(4, first=1)) == (0, 2, 3)
    assert tree.leaf_levels().tolist() == [0, 1, 4]
    assert tree.leaf_levels(first=1).tolist() == [0, 0, 1, 4]
    for call in (tree.level, tree.counts, tree.subtree, lambda n: tree.rows(n, play.X)):
        with pytest.raises(TreewrightError, match="no node 99; the tree has nodes 0 to 7"):
            call(99)
