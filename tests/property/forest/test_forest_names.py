"""Forests on tables with names: the grower on rows grows the trees of the general one."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.growing import examples

from treewright import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.core import grow_trees
from treewright.grow.fit import tree_of
from treewright.tree.arrays import LEAF
from treewright.tree.tree import Tree

N_TREES = 3
CATEGORIES = 2


@st.composite
def forests(draw: st.DrawFn) -> tuple[Any, dict[str, Any], Any]:
    """Return a forest, a table with names and a target."""
    n_rows = draw(st.integers(2, 80))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    share = draw(st.sampled_from([0.0, 0.0, 0.1, 0.6]))
    table: dict[str, Any] = {}
    for i in range(draw(st.integers(1, 3))):  # two levels to one for each row
        levels = draw(st.sampled_from([2, 3, 9, 12, 40, 200]))
        names = np.array([f"n{code}" for code in random.integers(0, levels, n_rows)], object)
        names[random.random(n_rows) < share] = None
        table[f"n{i}"] = names
    table["n0"][0] = "n0"  # a column without a name has no type
    for i in range(draw(st.integers(0, 3))):
        column = draw(
            st.sampled_from(
                [
                    random.normal(size=n_rows),
                    random.integers(0, 2, n_rows).astype(np.float64),
                    random.integers(-3, 5, n_rows),
                ]
            )
        )
        if column.dtype == np.float64:
            column = np.where(random.random(n_rows) < share, np.nan, column)
        table[f"x{i}"] = column
    n_classes = draw(st.sampled_from([0, 2, 2, 4]))
    if n_classes == 0:
        target: Any = random.integers(-4, 5, n_rows) / 4.0
    else:
        target = random.integers(0, n_classes, n_rows)
        target[:2] = 0, 1
    kinds = (
        (RandomForestRegressor, ExtraTreesRegressor)
        if n_classes == 0
        else (RandomForestClassifier, ExtraTreesClassifier)
    )
    forest = draw(st.sampled_from(kinds))(
        N_TREES,
        max_features=draw(st.sampled_from([None, 1, "sqrt"])),
        max_depth=draw(st.sampled_from([None, None, 3])),
        min_samples_leaf=draw(st.integers(1, 4)),
        nominal=draw(st.sampled_from(["subset", "subset", "one_vs_rest"])),
        bootstrap=draw(st.booleans()),
        random_state=draw(st.integers(0, 100)),
        n_jobs=draw(st.sampled_from([1, 2])),
    )
    return forest, table, target


def check_same_tree(ours: Tree, theirs: Tree) -> None:
    """Compare all arrays: of classes bit for bit but for gains, whose roundings may differ.

    The spread of numbers is summed in another order.
    """
    one, other = ours.arrays, theirs.arrays
    assert ours.n_nodes == theirs.n_nodes
    if ours.classes is not None:
        for field in fields(one):
            here, there = getattr(one, field.name), getattr(other, field.name)
            if field.name in ("gain", "score"):
                np.testing.assert_allclose(here, there, atol=1e-14, err_msg=field.name)
            else:
                np.testing.assert_array_equal(here, there, err_msg=field.name)
        return
    pairs = [(0, 0)]
    while pairs:
        i, j = pairs.pop()
        assert one.kind[i] == other.kind[j]
        assert one.column[i] == other.column[j]
        for name in ("weight", "value", "impurity", "gain", "score"):
            np.testing.assert_allclose(
                getattr(one, name)[i], getattr(other, name)[j], atol=1e-10, err_msg=name
            )
        if one.kind[i] == LEAF:
            continue
        for name in ("missing_branch", "n_rows", "unseen_branch", "rest_branch", "code_count"):
            assert getattr(one, name)[i] == getattr(other, name)[j], name
        if one.kind[i] == CATEGORIES:
            here = slice(one.code_offset[i], one.code_offset[i] + one.code_count[i])
            there = slice(other.code_offset[j], other.code_offset[j] + other.code_count[j])
            np.testing.assert_array_equal(one.code[here], other.code[there])
            np.testing.assert_array_equal(one.branch_of_code[here], other.branch_of_code[there])
        else:
            np.testing.assert_array_equal(one.threshold[i], other.threshold[j])
            assert one.threshold_int[i] == other.threshold_int[j]
        for branch in range(2):
            pairs.append((int(one.first_child[i]) + branch, int(other.first_child[j]) + branch))


# A name for each row is a hard case, and warned about.
@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(forests())
@examples(3.0)
def test_trees_on_names_are_those_of_the_general_grower(
    made: tuple[Any, dict[str, Any], Any],
) -> None:
    forest, table, target = made
    forest.fit(table, target)
    assert forest.ensemble_.engine == "rows"
    training = forest._training
    general = grow_trees(
        training.columns,
        training.target,
        training._core_options(),
        training._core_forest(0, N_TREES),
        training.sampling,
        None,
    )
    for tree, arrays in zip(forest.ensemble_, general, strict=True):
        check_same_tree(tree, tree_of(training.problem, arrays, recalls=False))


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesRegressor])
def test_one_tree_on_names_is_the_same_for_any_number_of_threads(kind: Any) -> None:
    random = np.random.default_rng(3)
    n_rows = 30_000  # enough for a tree to be shared
    codes = random.integers(0, 30, n_rows)
    names = np.array([f"n{code}" for code in range(30)], object)[codes]
    table = {"name": names, "x": random.normal(size=n_rows), "y": random.integers(0, 9, n_rows)}
    target = (codes % 3 + table["x"] + random.normal(size=n_rows) > 1).astype(np.int64)
    state: list[list[bytes]] = []
    for n_jobs in (1, 2, 3):
        forest = kind(1, random_state=0, min_samples_leaf=5, n_jobs=n_jobs).fit(table, target)
        (tree,) = forest.ensemble_
        arrays = tree.arrays
        names_of = ("column", "threshold", "value", "first_child", "code", "branch_of_code")
        state.append([getattr(arrays, name).tobytes() for name in names_of])
    assert state[0] == state[1] == state[2]
