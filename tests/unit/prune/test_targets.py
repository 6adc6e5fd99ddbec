"""Trees that predict numbers, or several targets at once, and trees of one leaf."""

from __future__ import annotations

import numpy as np
import pytest
from unit.tree.hand_trees import build, cut, leaf, mean_leaf, numeric, schema_of

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, Tree
from treewright.prune import (
    MDL,
    PRUNERS,
    CostComplexity,
    CriticalValue,
    MinimumFraction,
    Pessimistic,
    Pruner,
    ReducedError,
    ToDepth,
)

FOR_ALL: list[Pruner] = [
    CostComplexity(alpha=0.5),
    CriticalValue(value=0.5),
    MinimumFraction(fraction=0.3),
    ToDepth(depth=1),
    ReducedError(),
]


def tree_of_numbers() -> Tree:
    below = cut("x", 1.0, mean_leaf(5, 1.0, variance=1.0), mean_leaf(5, 2.0, variance=1.0))
    root = cut("x", 2.0, below, mean_leaf(10, 9.0, variance=1.0))
    return build(schema_of(numeric("x")), root)


@pytest.mark.parametrize("pruner", FOR_ALL, ids=lambda pruner: pruner.name)
def test_trees_of_numbers_are_pruned(pruner: Pruner) -> None:
    tree = tree_of_numbers()
    rows = {"x": [0.0, 1.5, 3.0]}
    pruned = pruner.prune(tree, rows, [1.5, 1.5, 9.0])
    assert pruned.n_leaves < tree.n_leaves
    record = pruned.pruning
    assert record is not None
    assert record.curve.errors["validation"][0] == pytest.approx((0.25 + 0.25) / 3)


def test_reduced_error_of_numbers_is_by_squared_error() -> None:
    tree = tree_of_numbers()
    rows = {"x": [0.0, 1.5, 3.0]}
    kept = ReducedError(accept="better").prune(tree, rows, [1.0, 2.0, 9.0])
    assert kept.n_leaves == 3
    cut_once = ReducedError(accept="better").prune(tree, rows, [1.5, 1.5, 9.0])
    assert cut_once.n_leaves == 2
    record = cut_once.pruning
    assert record is not None
    assert record.before.tolist() == [pytest.approx(0.5)]
    assert record.after.tolist() == [pytest.approx(0.0)]


@pytest.mark.parametrize("size", [1e-9, 1e-200, 1.0, 1e9, 1e200])
def test_the_unit_of_the_target_does_not_matter(size: float) -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(120, 2))
    y = x[:, 0] + generator.normal(size=120) / 2
    pruned = DecisionTreeRegressor(prune="reduced_error").fit(x, y).tree_
    scaled = DecisionTreeRegressor(prune="reduced_error").fit(x, y * size).tree_
    assert 1 < pruned.n_leaves == scaled.n_leaves
    by_folds = DecisionTreeRegressor(prune="cost_complexity").fit(x, y).tree_
    scaled = DecisionTreeRegressor(prune="cost_complexity").fit(x, y * size).tree_
    assert 1 < by_folds.n_leaves == scaled.n_leaves


def test_an_offset_of_the_target_does_not_matter() -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(120, 2))
    y = (x[:, 0] + generator.normal(size=120) / 2).round(2)
    pruned = DecisionTreeRegressor(prune="reduced_error").fit(x, y).tree_
    moved = DecisionTreeRegressor(prune="reduced_error").fit(x, y + 2.0**26).tree_
    assert pruned.n_leaves == moved.n_leaves


@pytest.mark.parametrize("pruner", FOR_ALL, ids=lambda pruner: pruner.name)
def test_trees_of_several_outputs_are_pruned(pruner: Pruner) -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=(60, 2))
    y = np.column_stack([x[:, 0] > 0, x[:, 1] > 0]).astype(str)
    tree = DecisionTreeClassifier().fit(x, y).tree_
    assert tree.depth > 1
    pruned = pruner.prune(tree, x[:, :], y)
    assert pruned.n_nodes <= tree.n_nodes
    wrong = (pruned.predict(x) != y).sum() / len(y)  # errors in all outputs together
    record = pruned.pruning
    assert record is not None
    assert record.curve.errors["validation"][-1] == pytest.approx(wrong)
    assert record.curve.errors["train"][-1] == pytest.approx(wrong)


def test_numbers_of_several_outputs_add_up() -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=(60, 2))
    y = x @ generator.normal(size=(2, 3))
    tree = DecisionTreeRegressor(min_samples_leaf=5).fit(x, y).tree_
    pruned = CostComplexity(alpha=0.3).prune(tree, x, y)
    assert 1 < pruned.n_leaves < tree.n_leaves
    record = pruned.pruning
    assert record is not None
    squares = ((pruned.predict(x) - y) ** 2).sum(axis=1).mean()
    assert record.curve.errors["validation"][-1] == pytest.approx(squares)


@pytest.mark.parametrize("made", PRUNERS, ids=lambda made: made.name)
def test_a_root_alone_stays(made: type[Pruner]) -> None:
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).tree_
    given = ([[1.0]], ["a"]) if made.name in ("reduced_error", "cost_complexity") else ()
    pruned = made().prune(tree, *given)
    assert pruned.n_nodes == 1
    assert pruned.pruning is not None
    assert str(pruned.pruning) == f"{made.name}: 1 leaves -> 1 (nothing was cut)"


def test_a_tree_of_one_class_is_cut_to_its_root() -> None:
    tree = build(schema_of(numeric("x")), cut("x", 1.0, leaf(3, 0), leaf(2, 0)), ["a", "b"])
    for pruner in (CostComplexity(alpha=0.0), MinimumFraction(fraction=0.5)):
        assert pruner.prune(tree).n_nodes == 1


def test_the_curve_of_numbers_whose_squares_are_none() -> None:
    x = np.arange(8.0)[:, np.newaxis]
    tree = DecisionTreeRegressor().fit(x, 1e300 * x[:, 0]).tree_
    pruned = ToDepth(depth=1).prune(tree, x, 1e300 * x[:, 0])
    assert pruned.pruning is not None
    assert pruned.pruning.curve.errors["validation"].tolist() == [0.0, np.inf, np.inf]


@pytest.mark.parametrize(
    "pruner", [Pessimistic(n_standard_errors=1e308), MDL(question_weight=1e308)]
)
def test_what_nothing_can_pay_for_leaves_the_root(pruner: Pruner) -> None:
    x = np.arange(8.0)[:, np.newaxis]
    tree = DecisionTreeClassifier().fit(x, ["a", "b", "b", "a", "b", "a", "a", "b"]).tree_
    assert pruner.prune(tree).n_leaves == 1
