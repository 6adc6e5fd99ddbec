"""Forests on tables with names, of weighed rows or by entropy are grown fast as generally."""

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
from treewright.core import grow_packed, grow_trees
from treewright.grow.fit import tree_of
from treewright.tree.arrays import LEAF
from treewright.tree.tree import Tree

N_TREES = 3
CATEGORIES = 2


@st.composite
def forests(draw: st.DrawFn, least_names: int = 1) -> tuple[Any, dict[str, Any], Any]:
    """Return a forest, a table with names and a target."""
    n_rows = draw(st.integers(2, 80))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    share = draw(st.sampled_from([0.0, 0.0, 0.1, 0.6]))
    table: dict[str, Any] = {}
    for i in range(draw(st.integers(least_names, 3))):  # two levels to one for each row
        levels = draw(st.sampled_from([2, 3, 9, 12, 40, 200]))
        names = np.array([f"n{code}" for code in random.integers(0, levels, n_rows)], object)
        names[random.random(n_rows) < share] = None
        table[f"n{i}"] = names
    if "n0" in table:
        table["n0"][0] = "n0"  # a column without a name has no type
    for i in range(draw(st.integers(0 if table else 1, 3))):
        column = draw(
            st.sampled_from(
                [
                    random.normal(size=n_rows),
                    random.integers(0, 2, n_rows).astype(np.float64),
                    random.integers(-3, 5, n_rows),
                ]
            )
        )
        if column.dtype == np.float64 and table:
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


def check_both_ways(training: Any, engines: tuple[str, str]) -> None:
    """Compare the trees of two growers, of which the first is taken unless another is asked for."""
    state = []
    for engine in engines:
        options = training._core_forest(0, N_TREES)
        if engine != "drawn_cuts":
            options.set_engine(engine)
        core = (training.columns, training.target, training._core_options(), options)
        grown = grow_packed(*core, training.sampling, None)
        assert grown is not None
        assert grown[1] == engine
        state.append(grown[0].state())
    for name, array in state[0].items():
        assert isinstance(array, np.ndarray)
        other = state[1][name]
        assert isinstance(other, np.ndarray)
        assert array.tobytes() == other.tobytes(), name


def check_against_general(forest: Any, in_lists: bool = False) -> None:
    """`in_lists`: lists serve the rows and the criterion, too."""
    training = forest._training
    engine = forest.ensemble_.engine
    if in_lists:
        assert engine in ("best_cuts", "rows")
        check_both_ways(training, ("best_cuts", "rows"))
    elif engine == "drawn_cuts":
        check_both_ways(training, ("drawn_cuts", "rows"))
    else:
        n_classes = len(forest.classes_) if hasattr(forest, "classes_") else 0
        is_drawn = isinstance(forest, ExtraTreesClassifier | ExtraTreesRegressor)
        # Drawn cuts of Gini's index or squared errors, weighed of two classes or numbers.
        assert not is_drawn or n_classes > 2 or forest.criterion == "entropy"
        assert engine == "rows"
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


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, ExtraTreesRegressor])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_trees_on_names_of_wide_tables_are_those_of_the_general_grower(
    kind: Any, missing: float
) -> None:
    """Of many columns cells lie column by column; up to 255 names are bytes."""
    random = np.random.default_rng(0)
    table: dict[str, Any] = {f"x{i}": random.normal(size=800) for i in range(20)}
    for i, n_names in enumerate((2, 3, 20, 60, 200)):
        codes = random.integers(0, n_names, 800)
        names = np.array([f"n{code}" for code in codes], dtype=object)
        names[random.random(800) < missing] = None
        table[f"n{i}"] = names
    signal = table["x0"] + (table["n2"] > "n15" if missing == 0.0 else 0.0)
    target = signal > 0.5 if kind is ExtraTreesClassifier else signal + random.normal(size=800)
    check_against_general(kind(N_TREES, max_features=2, random_state=0).fit(table, target))


# A name for each row is a hard case, and warned about.
@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(forests())
@examples(3.0)
def test_trees_on_names_are_those_of_the_general_grower(
    made: tuple[Any, dict[str, Any], Any],
) -> None:
    forest, table, target = made
    forest.fit(table, target)
    check_against_general(forest, in_lists="Forest" in type(forest).__name__)


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(forests(least_names=0), st.data())
@examples(3.0)
def test_trees_of_weighed_rows_are_those_of_the_general_grower(
    made: tuple[Any, dict[str, Any], Any],
    data: st.DataObject,
) -> None:
    forest, table, target = made
    n_rows = len(target)
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    weight = data.draw(
        st.sampled_from(
            [
                random.uniform(0.1, 3.0, n_rows),
                random.integers(0, 4, n_rows).astype(np.float64),
                # Sums of far more bits than a double, where drawn rows are rounded.
                np.exp(random.normal(size=n_rows) * (8.0 if forest.bootstrap else 1.0)),
            ]
        )
    )
    weight[:2] = 1.0, 2.0  # they differ, and both classes count
    if isinstance(forest, RandomForestClassifier | ExtraTreesClassifier):
        forest.class_weight = data.draw(
            st.sampled_from([None, None, "balanced", "balanced_subsample"])
        )
        forest.criterion = data.draw(st.sampled_from(["gini", "entropy"]))
    forest.min_weight_fraction_leaf = data.draw(st.sampled_from([0.0, 0.0, 0.07]))
    if isinstance(forest, RandomForestRegressor | ExtraTreesRegressor):
        # Products of weights and targets are rounded, so that roundings decide between equal means.
        target = target + random.normal(size=n_rows) / 8.0
    forest.fit(table, target, sample_weight=weight)
    check_against_general(forest)


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(forests(least_names=0))
@examples(2.0)
def test_trees_by_entropy_are_those_of_the_general_grower(
    made: tuple[Any, dict[str, Any], Any],
) -> None:
    forest, table, target = made
    if not isinstance(forest, RandomForestClassifier | ExtraTreesClassifier):
        return
    forest.criterion = "entropy"
    forest.fit(table, target)
    check_against_general(forest, in_lists="Forest" in type(forest).__name__)


@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize(
    "kind", [RandomForestClassifier, ExtraTreesRegressor, ExtraTreesClassifier]
)
def test_one_tree_on_names_is_the_same_for_any_number_of_threads(kind: Any, weighs: bool) -> None:
    random = np.random.default_rng(3)
    n_rows = 30_000  # enough for a tree to be shared
    codes = random.integers(0, 30, n_rows)
    names = np.array([f"n{code}" for code in range(30)], object)[codes]
    table = {"name": names, "x": random.normal(size=n_rows), "y": random.integers(0, 9, n_rows)}
    target = (codes % 3 + table["x"] + random.normal(size=n_rows) > 1).astype(np.int64)
    weight = random.uniform(0.5, 2.0, n_rows)
    state: list[list[bytes]] = []
    for n_jobs in (1, 2, 3):
        forest = kind(1, random_state=0, min_samples_leaf=5, n_jobs=n_jobs)
        forest.fit(table, target, sample_weight=weight if weighs else None)
        (tree,) = forest.ensemble_
        arrays = tree.arrays
        names_of = ("column", "threshold", "value", "first_child", "code", "branch_of_code")
        state.append([getattr(arrays, name).tobytes() for name in names_of])
    assert state[0] == state[1] == state[2]


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("weighs", [False, True])
def test_tables_of_bits_by_entropy_are_grown_as_generally(kind: Any, weighs: bool) -> None:
    random = np.random.default_rng(4)
    X = random.integers(0, 2, (200, 30)).astype(np.float64)
    y = (X[:, :5].sum(axis=1) + random.normal(size=200) > 2.5).astype(np.int64)
    weight = random.uniform(0.2, 2.0, 200) if weighs else None
    forest = kind(N_TREES, criterion="entropy", random_state=0, n_jobs=1)
    in_lists = not weighs and kind is RandomForestClassifier
    check_against_general(forest.fit(X, y, sample_weight=weight), in_lists=in_lists)
