"""What simplification merges, and what it may not."""

from __future__ import annotations

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    categories,
    cut,
    leaf,
    mean_leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright import Tree
from treewright.tree.leaf import LeafRule

XY = schema_of(numeric("x"), numeric("y"))


def two_alike(side: int = 0, **options: object) -> Tree:
    """Below x <= 0 both leaves say a, with other shares; a gap goes to a side, or to both (-1)."""
    gap = {"missing_branch": side, "unseen_branch": side}
    below = cut("y", 0.0, leaf(5, 1), leaf(3, 2), **gap)
    return build(XY, cut("x", 0.0, below, leaf(1, 8), **gap), ["a", "b"], **options)


def test_leaves_of_one_class_become_one() -> None:
    simple = two_alike().simplify()
    assert simple.n_leaves == 2
    assert simple.arrays.value[1].tolist() == [8.0, 3.0]


def test_probabilities_may_be_kept() -> None:
    assert two_alike().simplify(probabilities=True).n_leaves == 3
    same_shares = cut("y", 0.0, leaf(4, 2), leaf(2, 1))
    tree = build(XY, cut("x", 0.0, same_shares, leaf(1, 8)), ["a", "b"])
    assert tree.simplify(probabilities=True).n_leaves == 2


def test_a_tree_of_one_answer_is_its_root() -> None:
    root = cut("x", 0.0, cut("y", 0.0, leaf(5, 1), leaf(3, 2)), leaf(9, 8))
    assert build(XY, root, ["a", "b"]).simplify().n_nodes == 1


def test_below_a_node_that_divides_rows_weights_matter() -> None:
    tree = two_alike(side=-1)
    assert tree.simplify().n_leaves == 3
    assert tree.simplify(missing=False).n_leaves == 2


def test_below_a_node_that_divides_rows_alike_leaves_are_merged() -> None:
    same_shares = cut("y", 0.0, leaf(4, 0), leaf(1, 0))
    tree = build(XY, cut("x", 0.0, same_shares, leaf(0, 3)), ["a", "b"])
    assert tree.simplify().n_leaves == 2


def test_where_rows_in_leaves_are_counted_alike_leaves_differ() -> None:
    # A row without x, y > 0: counts 1 a and 3 b; merged, 5 a and 3 b.
    same_shares = cut("y", 0.0, leaf(4, 0), leaf(1, 0))
    root = cut("x", 0.0, same_shares, leaf(0, 3))
    tree = build(XY, root, ["a", "b"], combine="leaf_counts")
    simple = tree.simplify()
    row = {"x": [np.nan], "y": [1.0]}
    assert tree.predict(row).tolist() == ["b"]
    assert simple.predict(row).tolist() == ["b"]
    assert simple.n_leaves == 3
    assert tree.simplify(probabilities=True).n_leaves == 3
    assert tree.simplify(missing=False).n_leaves == 2


def test_unseen_values_divide_too() -> None:
    colours = nominal("colour", "r", "g", "b")
    below = cut("y", 0.0, leaf(5, 1), leaf(3, 2), missing_branch=0, unseen_branch=0)
    for unseen, n_leaves in ((-1, 3), (0, 2)):
        root = categories(
            "colour", (["r"], below), (["g"], leaf(0, 4)), missing_branch=0, unseen_branch=unseen
        )
        tree = build(schema_of(colours, numeric("y")), root, ["a", "b"])
        assert tree.simplify().n_leaves == n_leaves


def test_numbers_are_merged_where_they_are_equal() -> None:
    below = cut("y", 0.0, mean_leaf(3, 1.5), mean_leaf(2, 1.5))
    tree = build(XY, cut("x", 0.0, below, mean_leaf(4, 2.5)))
    simple = tree.simplify()
    assert simple.n_leaves == 2
    assert simple.predict({"x": [-1.0], "y": [9.0]}).tolist() == [1.5]


def test_costs_decide_what_is_alike() -> None:
    tree = two_alike(leaf=LeafRule(cost_matrix=np.array([[0.0, 1.0], [9.0, 0.0]])))
    assert tree.simplify().n_nodes == 1  # everything is a b


def test_an_empty_leaf_says_what_its_node_says() -> None:
    tree = play_tennis(humidity_low=True)
    assert tree.simplify().n_leaves == tree.n_leaves
    empty = categories("colour", (["r"], leaf(3, 1)), (["g"], leaf(0, 0)))
    alone = build(schema_of(nominal("colour", "r", "g")), empty, ["a", "b"])
    assert alone.simplify(probabilities=True).n_nodes == 1


def test_what_was_merged_is_on_record() -> None:
    simple = two_alike().simplify()
    assert str(simple.pruning) == (
        "simplify: 3 leaves -> 2\n"
        "before and after: leaves that say the same, and the one in their place\n\n"
        "node  asked  became  before  after  leaves\n"
        "   1  y      a            2      1       2"
    )
    assert simple.simplify().n_leaves == 2


@pytest.mark.parametrize("probabilities", [False, True])
def test_nothing_to_merge_leaves_the_tree(probabilities: bool) -> None:
    tree = play_tennis()
    assert tree.simplify(probabilities=probabilities).arrays.equals(tree.arrays)
