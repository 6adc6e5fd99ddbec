"""Trees made from trees: every kind of question survives, and nothing that is gone is left."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    categories,
    chain,
    cut,
    leaf,
    loans,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright import (
    CARTClassifier,
    DecisionTreeClassifier,
    ObliqueTreeClassifier,
    load_example,
)
from treewright.prune import PRUNERS
from treewright.tree.arrays import INTERVALS, LINEAR
from treewright.tree.edit import has_marked_ancestor, with_leaves
from treewright.tree.tree import Tree


def marked(tree: Tree, *nodes: int) -> np.ndarray:
    chosen = np.zeros(tree.n_nodes, dtype=bool)
    chosen[list(nodes)] = True
    return chosen


def kept_nodes(tree: Tree, leaves: np.ndarray) -> list[int]:
    return [
        node
        for node in range(tree.n_nodes)
        if not any(leaves[above] for above in tree.ancestors(node))
    ]


def assert_kept(pruned: Tree, tree: Tree, leaves: np.ndarray) -> None:
    """Nodes keep their order; each says, and asks, what it did."""
    kept = kept_nodes(tree, leaves)
    assert pruned.n_nodes == len(kept)
    pruned.arrays.validate(pruned.schema)
    for node, was in enumerate(kept):
        for name in ("value", "weight", "n_rows", "impurity"):
            mine, theirs = getattr(pruned.arrays, name)[node], getattr(tree.arrays, name)[was]
            assert mine.tobytes() == theirs.tobytes(), name
        if leaves[was] or tree.is_leaf(was):
            assert pruned.is_leaf(node)
            assert pruned.question(node) is None
            continue
        assert pruned.question(node) == tree.question(was)
        assert pruned.surrogates(node) == tree.surrogates(was)
        assert [kept[child] for child in pruned.children(node)] == list(tree.children(was))


@pytest.mark.parametrize("nodes", [(), (0,), (1,), (3,), (1, 3), (0, 1), (2,), (4, 1)])
def test_marked_nodes_become_leaves(nodes: tuple[int, ...]) -> None:
    tree = play_tennis()
    leaves = marked(tree, *nodes)
    assert_kept(with_leaves(tree, leaves), tree, leaves)


def test_every_kind_of_question_is_copied() -> None:
    tree = loans()
    for node in range(tree.n_nodes):
        leaves = marked(tree, node)
        assert_kept(with_leaves(tree, leaves), tree, leaves)


def test_surrogates_move_with_their_nodes() -> None:
    schema = schema_of(numeric("x"), numeric("y"), nominal("colour", "r", "g", "b"))
    below = cut(
        "x", 1.0, leaf(1, 2), leaf(3, 4),
        surrogates=(("y", 2.0, True), ("colour", {"r": 0, "g": 1}, False)),
    )  # fmt: skip
    other = categories("colour", (["r"], leaf(5, 1)), (["g", "b"], leaf(0, 2)))
    tree = build(schema, cut("x", 0.0, other, below, surrogates=(("y", 9.0, False),)), ["a", "b"])
    for nodes in ((), (1,), (2,), (0,)):
        leaves = marked(tree, *nodes)
        assert_kept(with_leaves(tree, leaves), tree, leaves)
    without_first = with_leaves(tree, marked(tree, 1))
    assert [each.question.column.name for each in without_first.surrogates(2)] == ["y", "colour"]


def test_grown_surrogates_still_route_rows() -> None:
    cancer = load_example("breast_cancer")
    tree = CARTClassifier().fit(cancer.X, cancer.y).tree_
    assert tree.arrays.n_surrogates > 0
    rows = np.column_stack([cancer.X[name] for name in cancer.X.columns])
    rows[::3, 20:] = np.nan  # the columns that are asked most
    at = tree.apply(rows)
    for node in np.flatnonzero(tree.arrays.n_branches > 0).tolist():
        leaves = marked(tree, node)
        pruned = with_leaves(tree, leaves)
        kept = kept_nodes(tree, leaves)
        expected = [_nearest(tree, leaf_, set(kept)) for leaf_ in at.tolist()]
        assert [kept[node_] for node_ in pruned.apply(rows).tolist()] == expected


def _nearest(tree: Tree, node: int, kept: set[int]) -> int:
    return node if node in kept else next(n for n in tree.ancestors(node) if n in kept)


def test_one_value_against_the_rest_is_copied() -> None:
    X = {"colour": list("rgbyrgby") * 4, "x": list(range(32))}
    tree = DecisionTreeClassifier(nominal="one_vs_rest").fit(X, [v < 9 for v in range(32)]).tree_
    for node in range(tree.n_nodes):
        leaves = marked(tree, node)
        assert_kept(with_leaves(tree, leaves), tree, leaves)


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(numeric="mdlp"), ObliqueTreeClassifier(random_state=0)],
    ids=["intervals", "sums"],
)
def test_intervals_and_sums_are_copied(model: Any) -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    y = np.digitize(X[:, 0] + X[:, 1] + generator.normal(size=200) / 4, [-1, 0, 1])
    tree = model.fit(X, y).tree_
    assert set(tree.arrays.kind.tolist()) & {INTERVALS, LINEAR}
    for node in range(tree.n_nodes):
        leaves = marked(tree, node)
        assert_kept(with_leaves(tree, leaves), tree, leaves)
    for pruner in PRUNERS:
        rows = (X, y) if pruner.name in ("reduced_error", "cost_complexity") else ()
        pruned = pruner().prune(tree, *rows)
        pruned.arrays.validate(pruned.schema)
        assert pruned.n_leaves <= tree.n_leaves


def test_nothing_marked_gives_the_tree_itself() -> None:
    tree = play_tennis()
    assert with_leaves(tree, marked(tree)) is tree
    assert with_leaves(tree, marked(tree, 2, 4)) is tree  # leaves already


def test_the_tree_given_stays_as_it_is() -> None:
    tree = loans()
    before = {f.name: getattr(tree.arrays, f.name).copy() for f in dataclasses.fields(tree.arrays)}
    with_leaves(tree, marked(tree, 1))
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(tree.arrays, name), array)


def test_arrays_of_the_new_tree_are_read_only() -> None:
    pruned = with_leaves(play_tennis(), marked(play_tennis(), 1))
    with pytest.raises(ValueError, match="read-only"):
        pruned.arrays.value[0, 0] = 1.0


def test_marks_are_found_above() -> None:
    tree = chain(6)
    for node in range(tree.n_nodes):
        chosen = marked(tree, node)
        found = has_marked_ancestor(tree, chosen)
        expected = [any(chosen[a] for a in tree.ancestors(n)) for n in range(tree.n_nodes)]
        assert found.tolist() == expected
    assert not has_marked_ancestor(tree, marked(tree)).any()


def test_a_chain_is_cut_in_its_middle() -> None:
    tree = chain(50_000)
    leaves = marked(tree, 50_000)
    pruned = with_leaves(tree, leaves)
    assert pruned.n_nodes == 50_001
    pruned.arrays.validate(pruned.schema)
