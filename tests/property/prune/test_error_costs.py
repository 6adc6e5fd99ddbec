"""Error-based pruning under a cost matrix, and rows that follow it: both as the oracle has them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import pruning
from property.growing import examples, grow
from property.prune.test_raising import CONFIDENCES, min_cases_of, noisy_sample
from property.pruned import (
    ROUTED,
    as_oracle,
    assert_raised,
    cells,
    codes_of,
    known_classes,
    pruned_by_error,
    weights_of,
)
from property.tables import Sample
from property.test_predictions import tables_alike

from treewright import DecisionTreeClassifier
from treewright.core import ErrorPruning
from treewright.measures.error_estimates import ERROR_VARIANTS, ErrorVariant, normal_deviate
from treewright.prune import (
    MDL,
    ChiSquare,
    CostComplexity,
    CriticalValue,
    ErrorBased,
    MinimumError,
    MinimumFraction,
    OneStandardError,
    Pessimistic,
    Pruner,
    ReducedError,
    ToDepth,
)
from treewright.prune.error_costs import error_costs
from treewright.prune.routed_rows import RoutedRows as Rows
from treewright.prune.subtree_raising import prune_by_error
from treewright.tree.leaf import LEAF_ESTIMATES, LeafRule
from treewright.tree.tree import Tree


def deciding_by(tree: Tree, leaf: LeafRule) -> Tree:
    """The same tree, whose leaves decide by another rule."""
    return Tree(
        arrays=tree.arrays,
        schema=tree.schema,
        classes=tree.classes,
        criterion=tree.criterion,
        leaf=leaf,
        record=tree._record,
    )


def drawn_rule(draw: Any, n_classes: int, *, estimates: Any = LEAF_ESTIMATES) -> LeafRule:
    """Some rule; costs are whole numbers, on the diagonal mostly 0."""
    costs = None
    if draw(st.booleans()):
        lines = st.lists(st.integers(0, 6), min_size=n_classes, max_size=n_classes)
        costs = np.array(draw(st.lists(lines, min_size=n_classes, max_size=n_classes)), dtype=float)
        if draw(st.sampled_from([True, True, False])):
            np.fill_diagonal(costs, 0.0)
        assume(costs[~np.eye(n_classes, dtype=bool)].any())
    return LeafRule(estimate=draw(st.sampled_from(estimates)), m=3.0, cost_matrix=costs)


def prices_of(tree: Tree) -> pruning.Prices:
    whole = tree.arrays.value[0]
    return pruning.Prices(
        whole=tuple(whole.tolist()),
        costs=None if tree.leaf.cost_matrix is None else tree.leaf.cost_matrix.tolist(),
        added=tuple(tree.leaf.added(whole).tolist()),
    )


def check_against_oracle(tree: Tree, sample: Sample, others: Sample, pruner: ErrorBased) -> bool:
    """Compare tree and curve with the oracle's; False where a hair's breadth decides."""
    rows = (others.frame, list(others.target))
    pruned = pruner.prune(tree, validation=rows, test=rows)
    margin, changes = pruning.Margin(), list[float]()
    expected = pruned_by_error(
        as_oracle(tree),
        margin,
        rows=cells(sample),
        codes=codes_of(tree, sample),
        weights=weights_of(sample),
        pruner=pruner,
        min_cases=min_cases_of(tree),
        prices=prices_of(tree),
        followers=(cells(others), codes_of(tree, others)),
        changes=changes,
    )
    if not margin.is_clear:
        return False
    assert_raised(pruned, expected)
    record = pruned.pruning
    assert record is not None
    errors = record.curve.errors
    np.testing.assert_array_equal(errors["validation"], errors["test"])
    followed = errors["test"] * others.n_rows
    for place, at in ((0, tree), (-1, pruned)):
        judged = Rows.read(at, *rows, owner="the test")
        cost = judged.risk[at.arrays.n_branches == 0].sum()
        assert followed[place] == pytest.approx(cost, abs=1e-9)
    at_steps = np.diff(followed)[len(followed) - 1 - len(changes) :]
    # C5.0 takes small parts of rows from leaves; what that changes comes with the first step.
    first = 1 if pruner.variant == "c5" and has_gaps(sample) else 0
    np.testing.assert_allclose(at_steps[first:], changes[first:], atol=1e-9)
    return True


def has_gaps(sample: Sample) -> bool:
    return any(value is None or value != value for row in cells(sample) for value in row)


@pytest.mark.parametrize("variant", ERROR_VARIANTS)
@given(data=st.data())
@settings(examples(1))
def test_costs_and_followers_are_the_oracles(variant: ErrorVariant, data: st.DataObject) -> None:
    sample, others = data.draw(
        tables_alike(min_rows=5, max_rows=16, storages=("float", "nominal"), missing=True)
    )
    tree = grow(
        sample,
        missing=data.draw(st.sampled_from(["divide", "divide", *ROUTED])),
        nominal=data.draw(st.sampled_from(["multiway", "subset"])),
        empty_branches=data.draw(st.booleans()),
    )
    assume(known_classes(tree, others))
    assert tree.classes is not None
    tree = deciding_by(tree, drawn_rule(data.draw, len(tree.classes[0])))
    pruner = ErrorBased(
        confidence=data.draw(CONFIDENCES),
        raising=data.draw(st.booleans()),
        collapse=data.draw(st.booleans()),
        variant=variant,
        regrowing=False,  # the oracle grows nothing
    )
    assume(check_against_oracle(tree, sample, others, pruner))


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("costs", [None, [[0, 1, 2], [3, 0, 1], [2, 6, 0]]], ids=["plain", "costs"])
def test_raised_branches_are_followed_as_the_oracles(costs: Any, gaps: float) -> None:
    n_checked = n_raised = 0
    for seed in range(12):
        sample, others = noisy_sample(seed, gaps=gaps), noisy_sample(seed + 100, gaps=0.1)
        tree = grow(sample, seed=seed, splitter="random", missing="divide", nominal="multiway")
        matrix = None if costs is None else np.array(costs, dtype=float)
        tree = deciding_by(tree, LeafRule(cost_matrix=matrix))
        pruner = ErrorBased(confidence=0.5, collapse=seed % 2 == 0)
        n_checked += check_against_oracle(tree, sample, others, pruner)
        record = pruner.prune(tree).pruning
        assert record is not None
        n_raised += any(step.action == "raised" for step in record.steps)
    assert n_checked >= 10
    assert n_raised >= 4


JUDGING = [
    ErrorBased(),
    ErrorBased(variant="j48", confidence=0.5, collapse=False),
    ErrorBased(variant="c5", confidence=0.1),
    ReducedError(),
    ReducedError(candidates="bottom_up", accept="better"),
    CostComplexity(),
    CostComplexity(on="impurity", rule="1-SE"),
    OneStandardError(),
    Pessimistic(),
    MinimumError(),
    *(made() for made in (ChiSquare, MinimumFraction, CriticalValue, MDL, ToDepth)),
]


def pruned_with(pruner: Pruner, tree: Tree, others: Sample) -> Tree:
    rows = (others.frame, list(others.target))
    return pruner.prune(tree, validation=rows, test=rows)


@pytest.mark.parametrize("pruner", JUDGING, ids=repr)
@given(data=st.data(), price=st.sampled_from([1.0, 1.0, 0.25, 8.0]))
@settings(examples(0.2))
def test_errors_that_all_cost_alike_prune_as_without_costs(
    pruner: Pruner, data: st.DataObject, price: float
) -> None:
    sample, others = data.draw(
        tables_alike(min_rows=5, max_rows=16, missing=True, weightings=("none", "whole"))
    )
    # Sums of parts of rows tie but for rounding, which a cost matrix takes for a tie.
    policy = data.draw(st.sampled_from(["divide", "majority"]))
    assume(policy == "majority" or isinstance(pruner, ErrorBased))
    plain = grow(sample, missing=policy, nominal="multiway", unseen="majority")
    assume(known_classes(plain, others))
    assert plain.classes is not None
    assume(len(plain.classes[0]) > 1)
    costs = price * (1 - np.eye(len(plain.classes[0])))
    one = pruned_with(pruner, plain, others)
    two = pruned_with(pruner, deciding_by(plain, LeafRule(cost_matrix=costs)), others)
    assert one.arrays.equals(two.arrays)
    assert one.pruning is not None
    assert two.pruning is not None
    np.testing.assert_array_equal(one.pruning.node, two.pruning.node)
    for name, errors in one.pruning.curve.errors.items():
        if policy == "majority" or name == "train":
            np.testing.assert_allclose(
                two.pruning.curve.errors[name], price * errors, rtol=1e-12, atol=1e-12
            )
    if isinstance(pruner, ErrorBased):
        for name in ("before", "after"):
            expected = price * getattr(one.pruning, name)
            np.testing.assert_allclose(getattr(two.pruning, name), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("pruner", JUDGING, ids=repr)
@given(data=st.data(), factor=st.sampled_from([0.5, 2.0, 1024.0]))
@settings(examples(0.2))
def test_the_unit_of_costs_is_of_no_account(
    pruner: Pruner, data: st.DataObject, factor: float
) -> None:
    sample, others = data.draw(tables_alike(min_rows=5, max_rows=16, missing=True))
    tree = grow(sample, missing="divide", nominal="multiway")
    assume(known_classes(tree, others))
    assert tree.classes is not None
    rule = drawn_rule(data.draw, len(tree.classes[0]))
    assume(rule.cost_matrix is not None)
    assert rule.cost_matrix is not None
    more = replace(rule, cost_matrix=factor * rule.cost_matrix)
    one, two = (pruned_with(pruner, deciding_by(tree, each), others) for each in (rule, more))
    assert one.arrays.equals(two.arrays)


@pytest.mark.parametrize("variant", ERROR_VARIANTS)
@given(
    right=st.floats(0, 40),
    wrong=st.floats(0, 40),
    more=st.tuples(st.floats(0, 20), st.floats(0, 20)),
    whole=st.booleans(),
    confidence=st.floats(1e-9, 1, exclude_max=True),
)
@settings(examples(8))
def test_no_estimate_falls_below_its_bound_as_rows_come(
    variant: ErrorVariant,
    right: float,
    wrong: float,
    more: tuple[float, float],
    whole: bool,
    confidence: float,
) -> None:
    """Rows that come are right or wrong; neither count falls."""
    if whole:
        right, wrong, more = round(right), round(wrong), (round(more[0]), round(more[1]))
    core = ErrorPruning()
    core.log_confidence = float(np.log(confidence))
    core.deviate_squared = normal_deviate(confidence, variant) ** 2
    core.set_variant(variant, variant == "j48" and confidence > 0.5)
    bound = core.errors_at_least(right + wrong, wrong)
    after = wrong + more[1]
    assert after + core.added_errors(right + more[0] + after, after) >= bound - 1e-9


def test_few_rows_are_sent_down_branches_in_vain() -> None:
    """The work of raising grows with the rows that would move, not with rows times depth."""
    generator = np.random.default_rng(0)
    n_rows = 20_000
    X = generator.normal(size=(n_rows, 5)).astype(np.float32)
    tree = DecisionTreeClassifier(min_samples_leaf=2).fit(X, generator.integers(0, 2, n_rows)).tree_
    training = tree.record(None, None, None, owner="the test", hint="")
    done = prune_by_error(
        tree,
        training.rows(),
        confidence=0.25,
        variant="release8",
        raising=True,
        collapse=True,
        regrowing=False,
        growth=training.growth(),
    )
    assert done.raised.any()
    assert done.n_sent < 5 * n_rows


def test_prices_are_in_errors_of_average_cost() -> None:
    sample = noisy_sample(0, gaps=0.0)
    costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [2.0, 6.0, 0.5]])
    tree = deciding_by(grow(sample), LeafRule(cost_matrix=costs))
    prices, oracle = error_costs(tree), prices_of(tree)
    assert prices.unit == pytest.approx(oracle.unit)
    np.testing.assert_allclose(prices.cost * prices.unit, costs)
    expected = [oracle.of_unseen_error(k) for k in range(3)]
    np.testing.assert_allclose(prices.price * prices.unit, expected)
