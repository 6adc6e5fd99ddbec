"""The record of a pruning: its steps, its text, its curve, and what is pickled with a tree."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    chain,
    cut,
    leaf,
    mean_leaf,
    numeric,
    play_tennis,
    schema_of,
)

from treewright import DecisionTreeClassifier, load_example
from treewright.errors import TreewrightError
from treewright.prune import PRUNERS, CostComplexity, MinimumFraction, ReducedError, ToDepth
from treewright.prune.record import Pruning, PruningStep
from treewright.tree.tree import Tree


def record_of(tree: Tree) -> Pruning:
    assert tree.pruning is not None
    return tree.pruning


def test_a_grown_tree_has_none() -> None:
    assert play_tennis().pruning is None


def test_the_steps_say_what_became_of_each_node() -> None:
    tree = play_tennis()
    pruned = ToDepth(depth=1).prune(tree)
    record = record_of(pruned)
    assert record.tree is tree
    assert len(record) == 2
    assert record.steps[0] == PruningStep(node=1, action="leaf", before=2.0, after=1.0, n_leaves=4)
    assert record.steps[1].n_leaves == 3 == pruned.n_leaves


def test_the_text_is_a_table() -> None:
    assert str(record_of(ToDepth(depth=1).prune(play_tennis()))) == (
        "to_depth: 5 leaves -> 3\n"
        "before and after: depth of the tree, and the depth allowed\n"
        "\n"
        "node  asked     became  before  after  leaves\n"
        "   1  Humidity  No           2      1       4\n"
        "   3  Wind      Yes          2      1       3"
    )


def test_nothing_cut_is_said_in_a_line() -> None:
    text = str(record_of(ToDepth(depth=9).prune(play_tennis())))
    assert text == "to_depth: 5 leaves -> 5 (nothing was cut)"


def test_numbers_are_told_as_numbers() -> None:
    below = cut("x", 1.0, mean_leaf(5, 1.25), mean_leaf(5, 2.0))
    tree = build(schema_of(numeric("x")), cut("x", 2.0, below, mean_leaf(10, 9.0)))
    text = str(record_of(ToDepth(depth=1).prune(tree)))
    assert text.splitlines()[-1] == "   1  x      1.625        2      1       2"


def test_a_long_record_is_cut_short() -> None:
    tree = chain(100)
    record = record_of(MinimumFraction(fraction=0.5).prune(tree))
    assert len(record) == 100
    assert len(str(record).splitlines()) == 25
    assert str(record).splitlines()[-1] == "… and 80 more steps"
    assert len(record.text(max_steps=200).splitlines()) == 104


def test_a_long_curve_is_told_at_some_sizes() -> None:
    curve = record_of(MinimumFraction(fraction=0.5).prune(chain(100))).curve
    lines = str(curve).splitlines()
    assert len(lines) == 21
    assert lines[1].split()[0] == "101"
    assert lines[-1].split()[0] == "1"
    assert len(curve.text(max_lines=1000).splitlines()) == 102


def test_the_curve_has_a_column_for_every_set_of_rows() -> None:
    tree = play_tennis()
    rows = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Weak"]}
    given = (rows, ["No"])
    curve = record_of(ReducedError().prune(tree, *given, test=(rows, ["Yes"]))).curve
    assert list(curve.errors) == ["train", "validation", "test"]
    assert curve.errors["validation"].tolist() == [0.0, 0.0, 0.0]
    assert curve.errors["test"].tolist() == [1.0, 1.0, 1.0]
    assert str(curve).splitlines()[0] == "leaves  train  validation  test"


def test_curves_of_rows_without_weight_are_zero() -> None:
    rows = {"x": [0.5]}
    tree = chain(3)
    pruned = ToDepth(depth=1).prune(tree, rows, ["even"], sample_weight=[1.0])
    assert record_of(pruned).curve.errors["validation"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("made", PRUNERS, ids=lambda made: made.name)
def test_a_record_is_pickled_with_its_tree(made: type) -> None:
    cancer = load_example("breast_cancer")
    tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    given = (cancer.X, cancer.y) if made.name in ("reduced_error", "cost_complexity") else ()
    pruned = made().prune(tree, *given, test=(cancer.X, cancer.y))
    loaded = pickle.loads(pickle.dumps(pruned))
    assert loaded.arrays.equals(pruned.arrays)
    assert str(loaded.pruning) == str(pruned.pruning)
    assert str(loaded.pruning.curve) == str(record_of(pruned).curve)
    assert loaded.pruning.tree.arrays.equals(tree.arrays)
    assert (loaded.predict(cancer.X) == pruned.predict(cancer.X)).all()


def test_pruning_twice_keeps_both_records() -> None:
    tree = play_tennis()
    twice = ToDepth(depth=0).prune(ToDepth(depth=1).prune(tree))
    assert record_of(twice).tree.n_leaves == 3
    assert record_of(record_of(twice).tree).tree is tree


def test_kept_nodes_of_a_pruned_tree_say_why() -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    pruned = CostComplexity(alpha=0.01).prune(tree)
    for node in range(pruned.n_nodes):
        why = pruned.why(node)
        assert why.counts == tuple(pruned.arrays.value[node].tolist())
        assert (why.chosen is None) == pruned.is_leaf(node)
    loaded = pickle.loads(pickle.dumps(pruned))
    assert str(loaded.why(2, iris.X, iris.y)) == str(pruned.why(2))


def test_other_rows_do_not_say_why() -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    loaded = pickle.loads(pickle.dumps(tree))
    shuffled = np.random.default_rng(0).permutation(iris.y)
    deepest = int(np.argmax(tree.levels))
    for node in (2, deepest):  # the tree of these rows is another, or has no such node
        with pytest.raises(TreewrightError, match="pass the very table the tree was fitted on"):
            loaded.why(node, iris.X, shuffled)


def test_a_pruned_tree_is_read_like_any_other() -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    pruned = tree.prune("pessimistic")
    assert len(pruned.rules()) == pruned.n_leaves < tree.n_leaves
    assert len(pruned.text().splitlines()) == pruned.n_nodes + 1
    row = dict(zip(tree.schema.names, [5.0, 3.0, 1.5, 0.2], strict=True))
    assert pruned.explain(row).label == "setosa"
    assert pruned.to_dict()["nodes"]


def test_leaves_of_a_leaf_cost_what_it_costs() -> None:
    left = cut("x", -1.0, leaf(3, 1), leaf(1, 3))
    tree = build(schema_of(numeric("x")), cut("x", 0.0, left, leaf(0, 4)), ["a", "b"])
    curve = record_of(ToDepth(depth=0).prune(ToDepth(depth=1).prune(tree))).curve
    assert curve.errors["train"] == pytest.approx([4 / 12, 4 / 12])
