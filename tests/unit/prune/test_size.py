"""Trees of a hundred thousand nodes, balanced or a chain: every pruner is done in seconds."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import arrays_of_cuts, chain, numeric, schema_of

from treewright import DecisionTreeClassifier
from treewright.measures.error_estimates import ERROR_VARIANTS, ErrorVariant
from treewright.prune import (
    PRUNERS,
    CostComplexity,
    ErrorBased,
    MinimumFraction,
    Pruner,
    ReducedError,
)
from treewright.tree.tree import Tree

N_LEAVES = 50_000
SECONDS = 6.0
"""Each takes less than one where nothing else is running."""


@pytest.fixture(scope="module", params=["chain", "balanced"])
def large_tree(request: pytest.FixtureRequest) -> Tree:
    return chain(N_LEAVES - 1) if request.param == "chain" else balanced(2**16)


def balanced(n_leaves: int) -> Tree:
    """A full binary tree with one or two rows of either class in each leaf."""
    n_nodes = 2 * n_leaves - 1
    node = np.arange(n_nodes)
    asks = node < n_leaves - 1
    generator = np.random.default_rng(0)
    value = np.zeros((n_nodes, 2))
    value[~asks] = np.eye(2)[generator.integers(0, 2, n_leaves)] * generator.integers(
        1, 4, (n_leaves, 1)
    )
    low, high = np.zeros(n_nodes), np.full(n_nodes, float(n_leaves))
    for first in (2**level - 1 for level in range(int(np.log2(n_leaves)))):
        at = np.arange(first, 2 * first + 1)
        middle = (low[at] + high[at]) / 2
        low[2 * at + 1], high[2 * at + 1] = low[at], middle
        low[2 * at + 2], high[2 * at + 2] = middle, high[at]
    for first in reversed([2**level - 1 for level in range(int(np.log2(n_leaves)))]):
        at = np.arange(first, 2 * first + 1)
        value[at] = value[2 * at + 1] + value[2 * at + 2]
    weight = value.sum(axis=1)
    shares = value / weight[:, np.newaxis]
    gini = 1 - (shares**2).sum(axis=1)
    children = np.where(asks, 2 * node + 1, 0)
    below = weight[children] * gini[children] + weight[children + 1] * gini[children + 1]
    gain = np.where(asks, gini - below / weight, 0.0)
    return Tree(
        arrays=arrays_of_cuts(
            first_child=np.where(asks, 2 * node + 1, -1),
            parent=np.where(node > 0, (node - 1) // 2, -1),
            threshold=(low + high) / 2 - 0.5,
            missing_branch=0,
            impurity=gini,
            gain=gain,
            score=gain,
            value=value,
        ),
        schema=schema_of(numeric("x")),
        classes=(np.array(["even", "odd"]),),
        criterion="gini",
    )


def some_rows(tree: Tree) -> tuple[dict[str, Any], Any]:
    generator = np.random.default_rng(1)
    x = generator.integers(0, N_LEAVES, 300).astype(float)
    return {"x": x}, np.array(["even", "odd"])[generator.integers(0, 2, 300)]


PRUNING: list[Pruner] = [
    *(made() for made in PRUNERS if made.name not in ("error_based", "cost_complexity")),
    CostComplexity(alpha=1e-6),
    CostComplexity(alpha=1e-6, on="impurity"),
    CostComplexity(rule="1-SE"),
    ReducedError(candidates="leaf_parents", accept="better"),
]


@pytest.mark.parametrize("pruner", PRUNING, ids=repr)
def test_a_large_tree_is_pruned_in_seconds(pruner: Pruner, large_tree: Tree) -> None:
    start = time.process_time()
    pruned = pruner.prune(large_tree, *some_rows(large_tree))
    assert time.process_time() - start < SECONDS
    assert pruned.n_leaves <= large_tree.n_leaves
    pruned.arrays.validate(pruned.schema)
    record = pruned.pruning
    assert record is not None
    assert record.curve.n_leaves[-1] == pruned.n_leaves
    assert str(record)


def test_a_large_tree_is_simplified_in_seconds(large_tree: Tree) -> None:
    start = time.process_time()
    simple = large_tree.simplify()
    assert time.process_time() - start < SECONDS
    assert simple.n_leaves <= large_tree.n_leaves


def test_a_large_record_is_pickled(large_tree: Tree) -> None:
    pruned = MinimumFraction().prune(large_tree)
    loaded = pickle.loads(pickle.dumps(pruned))
    assert str(loaded.pruning) == str(pruned.pruning)


def test_a_grown_chain_is_pruned_by_its_estimated_errors() -> None:
    n_rows = 15_000
    x = np.arange(n_rows, dtype=np.float32)[:, np.newaxis]
    model = DecisionTreeClassifier().fit(x, np.arange(n_rows) % 2)
    assert model.get_depth() == n_rows - 1
    for variant in ERROR_VARIANTS:
        start = time.process_time()
        pruned = model.tree_.prune(ErrorBased(variant=variant))
        assert time.process_time() - start < SECONDS
        assert pruned.n_leaves < n_rows


@pytest.mark.parametrize("variant", ERROR_VARIANTS)
def test_rows_find_their_way_down_a_deep_tree_that_changes(variant: ErrorVariant) -> None:
    generator = np.random.default_rng(0)
    value = generator.integers(0, 1300, 4000)
    class_of_value = generator.random(1300) < 0.5
    X = {"c": [f"v{v}" for v in value]}
    y = class_of_value[value] ^ (generator.random(4000) < 0.05)
    model = DecisionTreeClassifier(nominal="one_vs_rest", min_samples_leaf=2).fit(X, y)
    assert model.get_depth() > 500  # one value after the other
    pruned = model.tree_.prune(ErrorBased(variant=variant))
    assert pruned.pruning is not None
    assert sum(step.action == "raised" for step in pruned.pruning.steps) > 2
    counts = np.zeros_like(pruned.arrays.value)
    np.add.at(counts, (pruned.apply(X), y.astype(int)), 1.0)
    is_leaf = pruned.arrays.n_branches == 0
    np.testing.assert_array_equal(counts[is_leaf], pruned.arrays.value[is_leaf])
