"""From the engine's trees to the pruning oracle's, and back to what was kept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from oracle import pruning

from property.growing import grow, split_of
from property.tables import Sample, small_tables
from treewright.prune import ErrorBased
from treewright.tree.tree import Tree

POLICIES = ("divide", "learned_side", "own_branch", "majority", "most_likely", "surrogates")
ROUTED = ("divide", "learned_side", "own_branch", "majority", "most_likely")
"""Policies whose questions say all about a row: no surrogates, no look at its class."""

_NODE = ("value", "weight", "n_rows", "impurity")
_QUESTION = ("gain", "score", "missing_branch", "unseen_branch", "kind", "column", "n_branches")


def as_oracle(tree: Tree, node: int = 0, above: tuple[float, ...] = ()) -> pruning.Node:
    arrays = tree.arrays
    value = arrays.value[node] if tree.classes is not None else arrays.weight[[node]]
    counts = tuple(value.tolist())
    spoken = counts if sum(counts) > 0 else above
    unseen = int(arrays.unseen_branch[node])
    return pruning.Node(
        number=node,
        counts=counts,
        children=tuple(as_oracle(tree, child, spoken) for child in tree.children(node)),
        split=split_of(tree, node),
        unseen_branch=None if unseen < 0 else unseen,
        impurity=float(arrays.impurity[node]),
        gain=float(arrays.gain[node]),
        counts_above=above,
    )


def assert_is(pruned: Tree, whole: Tree, expected: pruning.Node) -> None:
    """The pruned tree has the expected nodes, and each of them says what it said."""
    pending = [(0, expected)]
    n_met = 0
    while pending:
        node, there = pending.pop()
        n_met += 1
        was = there.number
        for name in _NODE:
            assert same(pruned, node, whole, was, name), (name, node, was)
        assert pruned.is_leaf(node) == (not there.children), (node, was)
        if there.children:
            assert split_of(pruned, node) == split_of(whole, was)
            assert pruned.surrogates(node) == whole.surrogates(was)
            for name in _QUESTION:
                assert same(pruned, node, whole, was, name), (name, node, was)
        pending.extend(zip(pruned.children(node), there.children, strict=True))
    assert n_met == pruned.n_nodes
    pruned.arrays.validate(pruned.schema)


def pruned_by_error(
    root: pruning.Node,
    margin: pruning.Margin,
    *,
    rows: list[tuple[Any, ...]],
    codes: list[int],
    weights: list[float],
    pruner: ErrorBased,
    min_cases: float = 0.0,
    prices: pruning.Prices | None = None,
    followers: tuple[list[tuple[Any, ...]], list[int]] = ([], []),
    changes: list[float] | None = None,
) -> pruning.Node:
    """What the oracle leaves; ``changes`` takes down what each step changes for followers."""
    prices = prices or pruning.Prices(whole=root.counts)
    if pruner.collapse:
        root = pruning.collapse(root, margin, variant=pruner.variant, prices=prices)
    if pruner.confidence is None:
        return root
    method = pruning.ErrorBased(
        rows=rows,
        class_of_row=codes,
        n_classes=len(root.counts),
        confidence=pruner.confidence,
        variant=pruner.variant,
        raising=pruner.raising,
        margin=margin,
        prices=prices,
        weights=weights,
        copies=weights if all(w == int(w) for w in weights) else [1.0] * len(weights),
        min_cases=min_cases,
        follower_rows=followers[0],
        follower_classes=followers[1],
        changes=[] if changes is None else changes,
    )
    return method.prune(
        root,
        [(row, w) for row, w in enumerate(weights) if w > 0],
        [(row, 1.0) for row in range(len(followers[0]))],
    )


def assert_raised(tree: Tree, expected: pruning.Node) -> None:
    """Questions and counts; a branch that no row reaches may have kept a class."""
    pending = [(0, expected)]
    while pending:
        node, there = pending.pop()
        assert split_of(tree, node) == there.split or (there.split is None and tree.is_leaf(node))
        if there.weight > 0:
            np.testing.assert_allclose(tree.arrays.value[node], there.counts, rtol=1e-9, atol=1e-9)
            assert tree.arrays.weight[node] == pytest.approx(there.weight)
        else:
            assert tree.arrays.weight[node] == 0.0
            assert tree.arrays.n_rows[node] == 0
            if there.given_class is not None:
                assert tree.arrays.value[node].argmax() == there.given_class
                assert tree.arrays.value[node].sum() == 1.0
        pending.extend(zip(tree.children(node), there.children, strict=True))
    tree.arrays.validate(tree.schema)


def same(tree: Tree, node: int, other: Tree, at: int, name: str) -> bool:
    mine, theirs = getattr(tree.arrays, name)[node], getattr(other.arrays, name)[at]
    return bool(mine.tobytes() == theirs.tobytes())


def cells(sample: Sample) -> list[tuple[Any, ...]]:
    return list(zip(*(column.values for column in sample.columns), strict=True))


def weights_of(sample: Sample) -> list[float]:
    return list(sample.weights or (1.0,) * sample.n_rows)


def codes_of(tree: Tree, sample: Sample) -> list[int]:
    assert tree.classes is not None
    known = tree.classes[0].tolist()
    return [known.index(label) for label in sample.target]


def known_classes(tree: Tree, sample: Sample) -> bool:
    """Whether all labels of other rows are classes of the tree."""
    assert tree.classes is not None
    return set(sample.target) <= set(tree.classes[0].tolist())


@st.composite
def grown_trees(
    draw: st.DrawFn, /, missing: tuple[str, ...] = POLICIES, **knobs: Any
) -> tuple[Sample, Tree]:
    """A table and a tree grown from it by some setting that leaves several nodes."""
    sample = draw(small_tables(min_rows=5, max_rows=20, **knobs))
    policy = draw(st.sampled_from(missing))
    nominal = draw(
        st.sampled_from(
            ["subset", "one_vs_rest"] + (["multiway"] if policy != "surrogates" else [])
        )
    )
    tree = grow(
        sample,
        missing=policy,
        nominal=nominal,
        criterion=draw(st.sampled_from(["gini", "entropy", "gain_ratio"]))
        if sample.is_classification
        else "squared_error",
    )
    return sample, tree


def bits(tree: Tree) -> bytes:
    """Everything a tree holds, to see that it did not change."""
    return b"".join(np.asarray(array).tobytes() for array in tree.arrays.to_dict().values())
