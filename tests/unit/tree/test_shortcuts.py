"""Deep trees, in which rows take shortcuts: they come to the leaves their values lead to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import nominal, numeric, schema_of

from treewright.tree.arrays import CATEGORIES, CUT, LEAF, TreeArrays
from treewright.tree.tree import Tree

N_TESTS = 2500
N_VALUES = 300
VALUES = tuple(f"v{i}" for i in range(N_VALUES))
SCALE = 1000


def winding_path(seed: int) -> tuple[Tree, np.ndarray]:
    """A path of cuts from above and below and of values that leave; and the node of each test.

    Test t has children 2t + 1 and 2t + 2; one of them is a leaf, the other the next test. Cuts
    close in on 0, so that rows leave all along the path.
    """
    generator = np.random.default_rng(seed)
    n_nodes = 2 * N_TESTS + 1
    side = generator.integers(0, 2, N_TESTS)
    test = np.concatenate([[0], 2 * np.arange(N_TESTS) + 1 + side])  # the last is a leaf
    tests = test[:-1]
    column = np.full(n_nodes, -1)
    column[tests] = generator.integers(0, 4, N_TESTS)  # x, z, k, c
    asked = column[tests]
    reach = 10 * (1 - np.arange(N_TESTS) / N_TESTS) * generator.uniform(0.9, 1.1, N_TESTS)
    bound = np.where(side == 0, reach, -reach)
    threshold, threshold_int = np.full(n_nodes, np.nan), np.zeros(n_nodes, dtype=np.int64)
    threshold[tests] = np.where(asked < 2, bound, np.nan)
    threshold_int[tests] = np.where(asked == 2, np.round(bound * SCALE), 0)
    listed = asked == 3  # one value leaves, all others stay
    code = generator.integers(0, N_VALUES, listed.sum())
    code_offset, code_count = np.full(n_nodes, -1), np.zeros(n_nodes, dtype=np.int32)
    code_offset[tests[listed]], code_count[tests[listed]] = np.arange(listed.sum()), 1
    rest = np.full(n_nodes, -1, dtype=np.int32)
    rest[tests[listed]] = side[listed]
    parent = np.full(n_nodes, -1)
    first_child, n_branches = np.full(n_nodes, -1), np.zeros(n_nodes, dtype=np.int32)
    first_child[tests], n_branches[tests] = 2 * np.arange(N_TESTS) + 1, 2
    parent[1:] = np.repeat(tests, 2)
    kind = np.full(n_nodes, LEAF, dtype=np.int8)
    kind[tests] = np.where(listed, CATEGORIES, CUT)
    gaps_to = np.full(n_nodes, -1, dtype=np.int32)
    gaps_to[tests] = generator.integers(0, 2, N_TESTS)
    weight = np.ones(n_nodes)
    arrays = TreeArrays(
        first_child=first_child,
        n_branches=n_branches,
        parent=parent,
        column=column,
        kind=kind,
        threshold=threshold,
        threshold_int=threshold_int,
        code_offset=code_offset,
        code_count=code_count,
        code=code.astype(np.int32),
        branch_of_code=(1 - side[listed]).astype(np.int32),
        rest_branch=rest,
        missing_branch=gaps_to,
        unseen_branch=gaps_to,
        n_rows=weight.astype(np.int64),
        weight=weight,
        impurity=weight * 0,
        gain=weight * 0,
        score=weight * 0,
        value=np.column_stack([weight, weight * 0]),
    )
    schema = schema_of(numeric("x"), numeric("z"), numeric("k", "int"), nominal("c", *VALUES))
    tree = Tree(arrays=arrays, schema=schema, classes=(np.array(["a", "b"]),), criterion="gini")
    return tree, test


def drawn_rows(seed: int, *, gaps: float) -> tuple[dict[str, Any], np.ndarray]:
    generator = np.random.default_rng(seed)
    n_rows = 400
    x = generator.normal(size=n_rows) * 3
    x[:2] = 0.0, -0.0
    z = np.append(generator.normal(size=n_rows - 2), [np.inf, -np.inf])
    k = np.round(generator.normal(size=n_rows) * 2 * SCALE)
    cells = np.column_stack([x, z, k, generator.integers(0, N_VALUES, n_rows)])
    cells[generator.random(cells.shape) < gaps] = np.nan
    rows = {
        "x": cells[:, 0],
        "z": cells[:, 1],
        "k": [None if np.isnan(v) else int(v) for v in cells[:, 2]],
        "c": [None if np.isnan(v) else VALUES[int(v)] for v in cells[:, 3]],
    }
    return rows, cells


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_rows_come_to_the_leaves_their_values_lead_to(seed: int, gaps: float) -> None:
    tree, test = winding_path(seed)
    arrays = tree.arrays
    rows, cells = drawn_rows(seed, gaps=gaps)
    at = np.zeros(len(cells), dtype=np.int64)
    for node in test[:-1]:
        here = np.flatnonzero(at == node)
        values = cells[here, arrays.column[node]]
        if arrays.kind[node] == CATEGORIES:
            leaves = values == arrays.code[arrays.code_offset[node]]
            branch = np.where(leaves, 1 - arrays.rest_branch[node], arrays.rest_branch[node])
        else:
            is_float = arrays.column[node] < 2
            bound = arrays.threshold[node] if is_float else arrays.threshold_int[node]
            branch = (values > bound).astype(int)
        branch = np.where(np.isnan(values), arrays.missing_branch[node], branch)
        at[here] = arrays.first_child[node] + branch
    np.testing.assert_array_equal(tree.apply(rows), at)
    assert len(np.unique(at)) > 100
    assert at.max() > 1500
