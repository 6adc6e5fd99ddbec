"""Reduced error pruning on trees small enough to reckon by hand."""

from __future__ import annotations

import time

import numpy as np
import pytest
from unit.tree.hand_trees import build, chain, cut, leaf, numeric, schema_of

from treewright import Tree
from treewright.prune import ReducedError
from treewright.tree.leaf import LeafRule


def four_leaves(**options: object) -> Tree:
    """x <= 0 asks again at -1, x > 0 at 1; as leaves the root and the left say a, the right b."""
    left = cut("x", -1.0, leaf(6, 0), leaf(2, 4))
    right = cut("x", 1.0, leaf(3, 2), leaf(0, 4))
    return build(schema_of(numeric("x")), cut("x", 0.0, left, right), ["a", "b"], **options)


ROWS = {"x": [-0.5, -0.5, 0.5, 0.5, 2.0]}
LABELS = ["a", "a", "b", "b", "a"]  # wrong: both left of 0, both right of it, and the last


def nodes_cut(tree: Tree) -> list[int]:
    assert tree.pruning is not None
    return tree.pruning.node.tolist()


def test_the_best_cut_comes_first_even_where_two_others_are_better() -> None:
    # The root helps by 3 (5 errors become 2); its children by 2 each, so that 1 error would remain.
    pruned = ReducedError(candidates="any", accept="better").prune(four_leaves(), ROWS, LABELS)
    assert nodes_cut(pruned) == [0]
    assert pruned.pruning is not None
    assert (pruned.pruning.before[0], pruned.pruning.after[0]) == (5.0, 2.0)


def test_from_the_bottom_up_both_children_go_and_the_root_stays() -> None:
    pruned = ReducedError(candidates="bottom_up").prune(four_leaves(), ROWS, LABELS)
    assert nodes_cut(pruned) == [2, 1]
    assert pruned.n_leaves == 2


def test_a_node_that_is_kept_keeps_its_parents() -> None:
    # The left helps, the right does harm; the root as a leaf would be as good as what is left.
    labels = ["a", "a", "a", "a", "b"]
    bottom_up = ReducedError(candidates="bottom_up").prune(four_leaves(), ROWS, labels)
    parents = ReducedError(candidates="leaf_parents").prune(four_leaves(), ROWS, labels)
    assert nodes_cut(parents) == [1]
    assert parents.n_leaves == 3
    assert nodes_cut(bottom_up) == [1]
    rows = {"x": [-0.5, 0.5, 2.0, 2.0]}
    labels = ["a", "a", "a", "b"]  # the right loses nothing by staying, the root gains nothing
    for candidates, n_leaves in (("bottom_up", 1), ("leaf_parents", 3)):
        tree = ReducedError(candidates=candidates).prune(four_leaves(), rows, labels)
        assert tree.n_leaves == n_leaves


def test_what_changes_nothing_is_cut_unless_it_must_be_better() -> None:
    rows, labels = {"x": [-2.0, -2.0]}, ["a", "a"]  # right everywhere; nobody goes right
    assert ReducedError().prune(four_leaves(), rows, labels).n_nodes == 1
    kept = ReducedError(accept="better").prune(four_leaves(), rows, labels)
    assert kept.n_nodes == 7


def test_nodes_that_no_validation_row_reaches_are_cut() -> None:
    rows, labels = {"x": [-2.0, -0.5]}, ["a", "b"]
    pruned = ReducedError(candidates="bottom_up").prune(four_leaves(), rows, labels)
    assert nodes_cut(pruned) == [2]


def test_the_class_of_a_leaf_is_that_of_its_training_rows() -> None:
    rows, labels = {"x": [0.5, 2.0]}, ["a", "a"]  # the right says b in training
    pruned = ReducedError(accept="better").prune(four_leaves(), rows, labels)
    assert pruned.label(0) == "a"
    assert pruned.n_nodes == 1


def test_weights_count() -> None:
    labels = ["b", "a", "b", "b", "b"]
    heavy = ReducedError(candidates="bottom_up", accept="better")
    first = heavy.prune(four_leaves(), ROWS, labels, sample_weight=[1, 5, 0, 0, 1])
    assert 1 in nodes_cut(first)
    second = heavy.prune(four_leaves(), ROWS, labels, sample_weight=[5, 1, 0, 0, 1])
    assert 1 not in nodes_cut(second)


@pytest.mark.parametrize("unit", [1e-12, 1e-300, 1e12])
def test_the_unit_of_weights_does_not_matter(unit: float) -> None:
    weight = [unit] * 5
    pruner = ReducedError(candidates="bottom_up", accept="better")
    pruned = pruner.prune(four_leaves(), ROWS, LABELS, sample_weight=weight)
    assert nodes_cut(pruned) == [2, 1]


def test_errors_are_weighed_by_their_cost() -> None:
    # A b taken for an a costs 10: a leaf of 2 a and 4 b, or of 3 a and 2 b, is a b.
    tree = four_leaves(leaf=LeafRule(cost_matrix=np.array([[0.0, 1.0], [10.0, 0.0]])))
    assert [tree.label(node) for node in (0, 1, 2)] == ["b", "b", "b"]
    pruned = ReducedError(candidates="bottom_up").prune(tree, {"x": [-2.0, 0.5]}, ["b", "b"])
    assert pruned.pruning is not None
    assert pruned.pruning.before.max() == 10.0  # the b among the a's
    assert pruned.n_nodes == 1


def test_rows_that_are_divided_are_judged_as_they_are_predicted() -> None:
    # A gap goes both ways at the root. Part by part the right is better as a leaf; as a whole the
    # row is predicted better by the tree as it is.
    tree = four_leaves()
    rows = {"x": [np.nan, np.nan, -2.0, 0.5]}
    labels = ["a", "a", "a", "b"]
    for candidates in ("any", "bottom_up", "leaf_parents"):
        pruned = ReducedError(candidates=candidates).prune(tree, rows, labels)
        wrong = (pruned.predict(rows) != np.array(labels)).sum()
        assert wrong <= (tree.predict(rows) != np.array(labels)).sum()


def comb(n_teeth: int) -> Tree:
    """A chain whose every leaf asks once more: each of these questions does harm, none else."""
    spine = chain(n_teeth)
    n_old = spine.n_nodes
    teeth = np.flatnonzero((np.arange(n_old) % 2 == 1) & (np.arange(n_old) < n_old - 1))
    old = {name: np.asarray(array) for name, array in spine.arrays.to_dict().items()}
    new = {}
    for name, array in old.items():
        if array.shape[:1] != (n_old,):
            continue
        below = np.repeat(array[teeth], 2, axis=0)
        new[name] = np.concatenate([array, below])
    first = n_old + 2 * np.arange(len(teeth))
    new["first_child"][teeth], new["n_branches"][teeth] = first, 2
    new["column"][teeth], new["kind"][teeth] = 0, 1
    new["threshold"][teeth] = teeth // 2 - 0.5
    new["parent"][n_old:] = np.repeat(teeth, 2)
    # Each tooth has 3 rows of its class; below, 2 rows of the other class stand apart.
    own = spine.arrays.value[teeth] > 0
    new["value"][teeth] = np.where(own, 3.0, 2.0)
    new["value"][n_old::2] = np.where(own, 3.0, 0.0)
    new["value"][n_old + 1 :: 2] = np.where(own, 0.0, 2.0)
    new["weight"] = new["value"].sum(axis=1)
    old.update(new)
    old["surrogate_start"] = np.zeros(len(new["parent"]) + 1, dtype=np.int32)
    arrays = type(spine.arrays)(**old)
    return spine.with_arrays(arrays)


def test_a_cut_far_below_does_not_have_to_tell_every_node_above() -> None:
    n_teeth = 12_000
    tree = comb(n_teeth)
    tree.arrays.validate(tree.schema)
    # Of three rows in a tooth, all of its class, two meet the leaf that says so.
    place = np.repeat(np.arange(1.0, n_teeth), 3)
    x = place - np.tile([0.7, 0.6, 0.0], n_teeth - 1)
    y = np.array(["even", "odd"])[place.astype(int) % 2]
    start = time.process_time()
    pruned = ReducedError(accept="better").prune(tree, {"x": x}, y)
    assert time.process_time() - start < 10  # telling them took fifteen seconds
    assert pruned.pruning is not None
    assert len(pruned.pruning) == n_teeth - 1
    assert (pruned.predict({"x": x}) == y).all()
