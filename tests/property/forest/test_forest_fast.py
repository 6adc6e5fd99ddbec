"""Trees grown packed, on ordered columns, are the trees of the grower that knows everything."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.growing import examples

from treewright import (
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.core import grow_packed, grow_trees
from treewright.forest.packed import PackedTrees
from treewright.grow.fit import tree_of
from treewright.tree.arrays import LEAF
from treewright.tree.tree import Tree

N_TREES = 3
_FLOATS = (-np.inf, -1e300, -1.5, -0.0, 0.0, 0.1, 1.0, np.nextafter(1.0, 2.0), 2.5, 1e300, np.inf)
_SINGLES = (-np.inf, -2.5, -0.0, 0.0, 0.125, 1.0, 1.0000001, 3.0, 2.0**100, np.inf)
_WHOLES = (-(2**51), -3, 0, 1, 2, 5, 6, 2**40, 2**51)
# Of sums over targets of very different sizes ties are decided by rounding.
_TARGETS = (-100.0, -2.0, 0.0, 0.1, 1.0 / 3.0, 1.0, 7.0, 33.0)
_SIZES = (1.0, 1e-6, 1e9, 2.0**60)


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> np.ndarray[Any, Any]:
    kind = draw(st.sampled_from(["float", "single", "whole", "many"]))
    if kind == "many":  # mostly distinct
        seed = draw(st.integers(0, 1000))
        return np.random.default_rng(seed).normal(size=n_rows)
    pool, dtype = {
        "float": (_FLOATS, np.float64),
        "single": (_SINGLES, np.float32),
        "whole": (_WHOLES, np.int64),
    }[kind]
    few = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=len(pool)))
    return np.array(draw(st.lists(st.sampled_from(few), min_size=n_rows, max_size=n_rows)), dtype)


def with_gaps(column: np.ndarray[Any, Any], share: float, seed: int) -> np.ndarray[Any, Any]:
    """Return the column with some values missing."""
    made = column.astype(np.float32 if column.dtype == np.float32 else np.float64)
    made[np.random.default_rng(seed).random(len(made)) < share] = np.nan
    return made


@st.composite
def forests(draw: st.DrawFn) -> tuple[Any, dict[str, Any], Any, Any]:
    """Return a forest, its table, target and weights."""
    n_rows = draw(st.integers(2, 60))
    table = {f"x{i}": draw(columns(n_rows)) for i in range(draw(st.integers(1, 4)))}
    share = draw(st.sampled_from([0.0, 0.0, 0.05, 0.4, 0.9]))
    if share > 0:
        seeds = {name: draw(st.integers(0, 1000)) for name in table}
        kept = draw(st.sampled_from([None, *table]))  # a column without gaps beside the others
        table = {
            name: column if name == kept else with_gaps(column, share, seeds[name])
            for name, column in table.items()
        }
    n_classes = draw(st.sampled_from([0, 2, 2, 4]))
    pool = _TARGETS if n_classes == 0 else range(n_classes)
    target = np.array(draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)))
    if n_classes > 0:
        target[:2] = 0, 1  # a single class is not grown packed
    else:
        target = target * draw(st.sampled_from(_SIZES)) + draw(st.sampled_from([0.0, 5.0]))
    bootstrap = draw(st.booleans())
    weights = None
    if bootstrap and draw(st.booleans()):
        # Rows are drawn or not; weights of other ratios are for the general grower.
        weights = 3.0 * np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
        weights[:2] = 3.0
    if draw(st.booleans()):
        times = draw(st.lists(st.sampled_from([1, 1, 2, 40]), min_size=n_rows, max_size=n_rows))
        table = {name: np.repeat(column, times) for name, column in table.items()}
        target = np.repeat(target, times)
        weights = None if weights is None else np.repeat(weights, times)
    drawing: dict[str, Any] = {"bootstrap": bootstrap}
    if bootstrap and n_classes > 0 and draw(st.booleans()):
        # Up to 40 times a row on average: more than an entry of the lists can count.
        counts = np.bincount(target if weights is None else target[weights > 0])
        drawing["sampling"] = {
            label: int(count) * draw(st.sampled_from([1, 2, 40]))
            for label, count in enumerate(counts.tolist())
            if count > 0
        }
    elif bootstrap:
        drawing["max_samples"] = draw(st.sampled_from([None, 0.7]))
    kinds = (
        (RandomForestRegressor, ExtraTreesRegressor)
        if n_classes == 0
        else (RandomForestClassifier, ExtraTreesClassifier)
    )
    forest = draw(st.sampled_from(kinds))(
        N_TREES,
        max_features=draw(st.sampled_from([None, 1, 2, "sqrt"])),
        features_per=draw(st.sampled_from(["node", "node", "tree"])),
        max_depth=draw(st.sampled_from([None, None, 1, 4])),
        min_samples_leaf=draw(st.integers(1, 4)),
        min_samples_split=draw(st.sampled_from([2, 2, 7, 0.4])),
        min_weight_fraction_leaf=draw(st.sampled_from([0.0, 0.0, 0.1])),
        min_impurity_decrease=draw(st.sampled_from([0.0, 0.0, 0.01])),
        **drawing,
        random_state=draw(st.integers(0, 100)),
        n_jobs=draw(st.sampled_from([1, 2])),
    )
    if "Forest" in type(forest).__name__:  # drawn cuts that are made best first are grown generally
        forest.max_leaf_nodes = draw(st.sampled_from([None, None, 2, 5, 40]))
    n_columns = len(table)
    if forest.max_features == 2 and n_columns < 2:
        forest.max_features = 1
    return forest, table, target, weights


def check_same_tree(packed: Tree, general: Tree, size: float) -> None:
    """Compare node by node from the root, for targets up to a size; node numbers may differ."""
    ours, theirs = packed.arrays, general.arrays
    assert packed.n_nodes == general.n_nodes
    pairs = [(0, 0)]
    while pairs:
        i, j = pairs.pop()
        assert ours.kind[i] == theirs.kind[j]
        assert ours.column[i] == theirs.column[j]
        np.testing.assert_allclose(ours.weight[i], theirs.weight[j], rtol=1e-12)
        np.testing.assert_allclose(ours.value[i], theirs.value[j], atol=1e-12 * size)
        np.testing.assert_allclose(ours.impurity[i], theirs.impurity[j], atol=1e-12 * size**2)
        if ours.kind[i] == LEAF:
            continue
        np.testing.assert_array_equal(ours.threshold[i], theirs.threshold[j])
        assert ours.threshold_int[i] == theirs.threshold_int[j]
        assert ours.missing_branch[i] == theirs.missing_branch[j]
        for branch in range(2):
            pairs.append((int(ours.first_child[i]) + branch, int(theirs.first_child[j]) + branch))


def check_both_ways(training: Any, trees: PackedTrees, is_drawn: bool) -> None:
    """Compare the trees with those of each grower of such cuts, bit for bit."""
    if training.problem.options.max_leaf_nodes is not None:
        engines = ["best_cuts"]
    else:
        engines = ["rows"] if is_drawn else ["best_cuts", "rows"]
    for engine in engines:
        options = training._core_forest(0, N_TREES)
        options.set_engine(engine)
        grown = grow_packed(
            training.columns,
            training.target,
            training._core_options(),
            options,
            training.sampling,
            None,
        )
        assert grown is not None
        assert grown[1] == engine
        state = trees.core.state()
        for name, array in grown[0].state().items():
            assert array.tobytes() == state[name].tobytes(), (engine, name)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_drawn_cut_at_zero_has_no_sign(missing: float) -> None:
    """Which of 0.0 and -0.0 is the least value of a node depends on the order of its rows."""
    random = np.random.default_rng(0)
    table = random.choice([0.0, -0.0, 5e-324, 1.0], size=(600, 3))
    table[random.random(table.shape) < missing] = np.nan
    forest = ExtraTreesRegressor(N_TREES, max_features=None, n_jobs=1)
    forest.fit(table, random.normal(size=len(table)))
    thresholds = np.concatenate([tree.arrays.threshold for tree in forest.ensemble_])
    assert (thresholds == 0).any()
    assert not np.signbit(thresholds[thresholds == 0]).any()
    check_both_ways(forest._training, forest.ensemble_.trees, is_drawn=True)
    lone = DecisionTreeRegressor(splitter="random").fit(table, random.normal(size=len(table)))
    own = lone.tree_.arrays.threshold
    assert not np.signbit(own[own == 0]).any()


@pytest.mark.parametrize("n_classes", [0, 2, 4])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_drawn_cuts_of_wide_tables_are_those_on_rows(n_classes: int, missing: float) -> None:
    """Cells lie column by column; those of few values, half of the columns, are bytes."""
    random = np.random.default_rng(n_classes)
    n_rows = 700
    few = random.random((n_rows, 20)) < random.random(20)
    table = np.hstack([few, random.poisson(9.0, (n_rows, 10)), random.normal(size=(n_rows, 10))])
    signal = table[:, 0] + 0.1 * table[:, 20] + table[:, 30]
    table[random.random(table.shape) < missing] = np.nan
    target = signal if n_classes == 0 else np.floor(4.0 * signal).astype(int) % n_classes
    kind = ExtraTreesRegressor if n_classes == 0 else ExtraTreesClassifier
    forest = kind(N_TREES, max_features=2, random_state=0).fit(table, target)
    assert forest.ensemble_.engine == "drawn_cuts"
    check_both_ways(forest._training, forest.ensemble_.trees, is_drawn=True)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_tree_of_a_wide_table_is_the_same_for_any_number_of_threads(missing: float) -> None:
    random = np.random.default_rng(0)
    table = np.hstack([random.random((20_000, 20)) < 0.3, random.normal(size=(20_000, 10))])
    target = (table[:, 0] + table[:, 20] > 0.5).astype(int)
    table[random.random(table.shape) < missing] = np.nan
    alone, together = (
        ExtraTreesClassifier(1, max_features=2, random_state=0, n_jobs=n_jobs).fit(table, target)
        for n_jobs in (1, 2)
    )
    ours, theirs = (each.ensemble_.trees.core.state() for each in (alone, together))
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)


@given(forests())
@examples(3.0)
def test_packed_trees_are_those_of_the_general_grower(
    made: tuple[Any, dict[str, Any], Any, Any],
) -> None:
    forest, table, target, weights = made
    forest.fit(table, target, sample_weight=weights)
    ensemble = forest.ensemble_
    assert isinstance(ensemble.trees, PackedTrees)
    is_drawn = "Extra" in type(forest).__name__
    assert ensemble.engine in (("drawn_cuts",) if is_drawn else ("best_cuts", "rows"))
    training = forest._training
    general = grow_trees(
        training.columns,
        training.target,
        training._core_options(),
        training._core_forest(0, N_TREES),
        training.sampling,
        None,
    )
    check_both_ways(training, ensemble.trees, is_drawn)
    size = float(np.abs(target).max())
    for tree, arrays in zip(ensemble, general, strict=True):
        check_same_tree(tree, tree_of(training.problem, arrays, recalls=False), size)


@pytest.mark.parametrize("weighs", [False, True])
def test_a_few_huge_targets_leave_the_others_apart(weighs: bool) -> None:
    # On the grid of all targets most were alike, no cut gained anything, and the first one of many
    # alike was taken: a tree as deep as there are rows.
    random = np.random.default_rng(0)
    X = random.normal(size=(3_000, 6))
    y = np.exp(8.0 * X[:, 0] + 8.0 * X[:, 1])
    weights = random.integers(1, 4, len(y)) / 2 if weighs else None
    forest = RandomForestRegressor(3, max_features=2, bootstrap=False, random_state=0)
    forest.fit(X, y, sample_weight=weights)
    assert forest.ensemble_.engine == ("general" if weighs else "best_cuts")
    assert max(each.tree_.depth for each in forest.estimators_) < 150
    assert np.allclose(forest.predict(X), y, rtol=1e-9, atol=0.0)
