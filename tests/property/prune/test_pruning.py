"""Every pruner cuts what the slow, recursive oracle cuts, and nothing else changes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import pruning
from property.growing import examples, grow
from property.pruned import (
    POLICIES,
    ROUTED,
    as_oracle,
    assert_is,
    bits,
    cells,
    codes_of,
    grown_trees,
    known_classes,
    weights_of,
)
from property.tables import Sample, small_tables
from property.test_predictions import tables_alike

from treewright.prune import (
    MDL,
    ChiSquare,
    CostComplexity,
    CriticalValue,
    MinimumError,
    MinimumFraction,
    OneStandardError,
    Pessimistic,
    ReducedError,
    ToDepth,
    cost_complexity_path,
)
from treewright.tree.leaf import LeafRule
from treewright.tree.tree import Tree

Candidates = Literal["any", "bottom_up", "leaf_parents"]
Accept = Literal["not_worse", "better"]

COSTS = ([0.0, 1.0, 2.0, 5.0], [1.0, 0.0, 1.0, 1.0], [3.0, 0.5, 0.0, 1.0], [1.0, 1.0, 4.0, 0.0])
EXACT = ("none", "whole", "dyadic")


def with_costs(tree: Tree) -> tuple[Tree, list[list[float]]]:
    """The same tree deciding by a cost matrix."""
    assert tree.classes is not None
    n_classes = len(tree.classes[0])
    costs = [line[:n_classes] for line in COSTS[:n_classes]]
    return (
        Tree(
            arrays=tree.arrays,
            schema=tree.schema,
            classes=tree.classes,
            criterion=tree.criterion,
            leaf=LeafRule(cost_matrix=np.array(costs)),
        ),
        costs,
    )


@given(grown=grown_trees(), on=st.sampled_from(["errors", "impurity"]))
@settings(examples(1))
def test_cost_complexity_is_the_weakest_link_again_and_again(
    grown: tuple[Sample, Tree], on: str
) -> None:
    _, tree = grown
    margin = pruning.Margin()
    risk = pruning.impurity_risk if on == "impurity" else pruning.training_risk()
    expected = pruning.cost_complexity(as_oracle(tree), risk, margin)
    assume(margin.is_clear)
    check_sequence(tree, expected, on=on)


def check_sequence(tree: Tree, expected: list[tuple[float, pruning.Node]], *, on: str) -> None:
    path = cost_complexity_path(tree, on=on)
    np.testing.assert_allclose(path.alphas, [alpha for alpha, _ in expected], rtol=1e-9, atol=1e-12)
    assert path.alphas[0] == 0.0
    assert np.all(np.diff(path.alphas) > 0)
    assert path.n_leaves.tolist() == [len(pruning.leaves(node)) for _, node in expected]
    assert path.n_leaves[-1] == 1
    for alpha, node in zip(path.alphas.tolist(), (node for _, node in expected), strict=True):
        assert_is(path.at(alpha), tree, node)
        assert_is(CostComplexity(alpha=alpha * (1 + 1e-10), on=on).prune(tree), tree, node)


@given(grown=grown_trees(target="numbers"))
@settings(examples(0.75))
def test_cost_complexity_of_numbers(grown: tuple[Sample, Tree]) -> None:
    _, tree = grown
    assume(tree.arrays.impurity[0] > 1e-12 * np.max(np.abs(tree.arrays.value)) ** 2)
    margin = pruning.Margin()
    expected = pruning.cost_complexity(as_oracle(tree), pruning.impurity_risk, margin)
    assume(margin.is_clear)
    check_sequence(tree, expected, on="errors")


@given(grown=grown_trees())
@settings(examples(0.75))
def test_cost_complexity_weighs_errors_by_their_cost(grown: tuple[Sample, Tree]) -> None:
    tree, costs = with_costs(grown[1])
    margin = pruning.Margin()
    risk = pruning.training_risk(costs)
    expected = pruning.cost_complexity(as_oracle(tree), risk, margin)
    assume(margin.is_clear)
    check_sequence(tree, expected, on="errors")


@pytest.mark.parametrize("accept", ["not_worse", "better"])
@pytest.mark.parametrize("candidates", ["any", "bottom_up", "leaf_parents"])
@given(data=st.data())
@settings(examples(0.75))
def test_reduced_error_is_the_oracles(
    candidates: Candidates, accept: Accept, data: st.DataObject
) -> None:
    sample, others = data.draw(
        tables_alike(min_rows=5, max_rows=20, weightings=EXACT, missing=True)
    )
    policy = data.draw(st.sampled_from(ROUTED))
    tree = grow(sample, missing=policy, nominal=data.draw(st.sampled_from(["subset", "multiway"])))
    assume(known_classes(tree, others))
    costs: list[list[float]] | None = None
    if data.draw(st.booleans()):
        tree, costs = with_costs(tree)
    pruner = ReducedError(candidates=candidates, accept=accept)
    pruned = pruner.prune(tree, others.frame, list(others.target), sample_weight=others.weights)

    root, margin = as_oracle(tree), pruning.Margin()
    rows, codes, weights = cells(others), codes_of(tree, others), weights_of(others)
    counts = pruning.validation_counts(root, rows, codes, weights)

    def risk(node: pruning.Node) -> float:
        decided = pruning.decision(node.spoken, costs)
        return pruning.expected_cost(counts[node.number], decided, costs)

    def really(node: pruning.Node) -> float:
        price = costs or [[float(j != k) for k in range(9)] for j in range(9)]
        answers = [pruning.answer(node, row) for row in rows]
        for row, answer in zip(rows, answers, strict=True):
            is_divided = len(pruning.parts_of(node, row)) > 1
            assume(is_decided(answer, costs, or_tied=not is_divided))
        decided = [pruning.decision(answer, costs) for answer in answers]
        return sum(w * price[k][d] for k, d, w in zip(codes, decided, weights, strict=True))

    cuts = pruning.reduced_error(root, risk, margin, candidates=candidates, accept=accept)
    assume(margin.is_clear)
    assume(all(is_decided(node.spoken, costs) for node in pruning.walk(root)))
    # Cuts that make divided rows worse as a whole are taken back: one, two more, four more, ...
    n_back = 1
    while cuts and really(pruning.without(root, set(cuts))) > really(root) + 1e-9:
        cuts = cuts[: max(len(cuts) - n_back, 0)]
        n_back *= 2
    assert_is(pruned, tree, pruning.without(root, set(cuts)))


def is_decided(
    shares: Sequence[float], costs: list[list[float]] | None, *, or_tied: bool = True
) -> bool:
    """Whether no class is as good as the one decided but for rounding (or but for a tie)."""
    prices = sorted(pruning.expected_cost(shares, k, costs) for k in range(len(shares)))
    return all((or_tied and price == prices[0]) or price - prices[0] > 1e-9 for price in prices[1:])


@pytest.mark.parametrize("candidates", ["any", "bottom_up", "leaf_parents"])
@given(data=st.data())
@settings(examples(0.75))
def test_reduced_error_is_never_worse_on_its_validation_rows(
    candidates: Candidates, data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from(["classes", "numbers"]))
    sample, others = data.draw(tables_alike(min_rows=4, max_rows=16, target=target, missing=True))
    policy = data.draw(st.sampled_from(POLICIES))
    combine = data.draw(st.sampled_from(["branch_fractions", "leaf_counts"]))
    tree = grow(sample, missing=policy, combine=combine)
    if sample.is_classification:
        assume(known_classes(tree, others))
    pruner = ReducedError(candidates=candidates)
    pruned = pruner.prune(tree, others.frame, list(others.target), sample_weight=others.weights)
    before, after = cost_of(tree, others), cost_of(pruned, others)
    assert after <= before + 1e-9 * max(1.0, before)
    assert pruned.n_nodes <= tree.n_nodes


def cost_of(tree: Tree, sample: Sample) -> float:
    predicted, target = tree.predict(sample.frame), np.array(sample.target)
    if tree.classes is None:
        return float(np.array(weights_of(sample)) @ (predicted - target) ** 2)
    return float(np.array(weights_of(sample)) @ (predicted != target))


@given(grown=grown_trees(), n=st.sampled_from([0.0, 0.5, 1.0, 2.0]), by_cost=st.booleans())
@settings(examples(0.75))
def test_pessimistic_is_the_oracles(grown: tuple[Sample, Tree], n: float, by_cost: bool) -> None:
    _, tree = grown
    costs: Any = None
    if by_cost:
        tree, costs = with_costs(tree)
    margin, root = pruning.Margin(), as_oracle(tree)
    prices = pruning.Prices(whole=root.counts, costs=costs)
    expected = pruning.pessimistic(root, margin, prices, n_standard_errors=n)
    assume(margin.is_clear)
    assert_is(Pessimistic(n_standard_errors=n).prune(tree), tree, expected)


@given(grown=grown_trees(), n=st.sampled_from([0.0, 0.5, 1.0, 3.0]), by_cost=st.booleans())
@settings(examples(0.75))
def test_one_standard_error_is_the_oracles(
    grown: tuple[Sample, Tree], n: float, by_cost: bool
) -> None:
    tree = ToDepth(depth=2).prune(grown[1])  # a whole tree makes no errors
    costs: Any = None
    if by_cost:
        tree, costs = with_costs(tree)
    margin = pruning.Margin()
    expected = pruning.one_standard_error(as_oracle(tree), margin, n_standard_errors=n, costs=costs)
    assume(margin.is_clear)
    assert_is(OneStandardError(n_standard_errors=n).prune(tree), tree, expected)


@given(
    grown=grown_trees(), alpha=st.sampled_from([0.0, 0.01, 0.1, 0.3, 0.9, 1.0]), yates=st.booleans()
)
@settings(examples(0.75))
def test_chi_square_is_the_oracles(grown: tuple[Sample, Tree], alpha: float, yates: bool) -> None:
    _, tree = grown
    margin = pruning.Margin()
    expected = pruning.chi_square(as_oracle(tree), margin, alpha=alpha, yates=yates)
    assume(margin.is_clear)
    assert_is(ChiSquare(alpha=alpha, yates=yates).prune(tree), tree, expected)


@given(grown=grown_trees(), fraction=st.sampled_from([0.0, 0.03, 0.125, 0.2, 0.25, 0.5, 1.0]))
@settings(examples(0.75))
def test_minimum_fraction_is_the_oracles(grown: tuple[Sample, Tree], fraction: float) -> None:
    _, tree = grown
    margin = pruning.Margin()
    expected = pruning.minimum_fraction(as_oracle(tree), margin, fraction=fraction)
    assume(margin.is_clear)
    assert_is(MinimumFraction(fraction=fraction).prune(tree), tree, expected)


@given(grown=grown_trees(), value=st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.5, 2.0]))
@settings(examples(0.75))
def test_critical_value_is_the_oracles(grown: tuple[Sample, Tree], value: float) -> None:
    _, tree = grown
    expected = pruning.critical_value(as_oracle(tree), value=value)
    assert_is(CriticalValue(value=value).prune(tree), tree, expected)


@given(grown=grown_trees(), m=st.sampled_from([None, 0.0, 0.5, 2.0, 10.0]), by_cost=st.booleans())
@settings(examples(0.75))
def test_minimum_error_is_the_oracles(
    grown: tuple[Sample, Tree], m: float | None, by_cost: bool
) -> None:
    _, tree = grown
    costs: Any = None
    if by_cost:
        tree, costs = with_costs(tree)
    margin = pruning.Margin()
    expected = pruning.minimum_error(as_oracle(tree), margin, m=m, costs=costs)
    assume(margin.is_clear)
    assert_is(MinimumError(m=m).prune(tree), tree, expected)


@given(grown=grown_trees(), weight=st.sampled_from([0.0, 0.3, 1.0, 2.0]))
@settings(examples(0.75))
def test_mdl_is_the_oracles(grown: tuple[Sample, Tree], weight: float) -> None:
    _, tree = grown
    margin = pruning.Margin()
    values = {i: len(spec.values) for i, spec in enumerate(tree.schema.columns)}
    expected = pruning.mdl(
        as_oracle(tree),
        margin,
        n_columns=len(tree.schema.columns),
        n_values_if_one=lambda node: (
            values[int(tree.arrays.column[node.number])]
            if tree.arrays.rest_branch[node.number] >= 0
            else None
        ),
        weight=weight,
    )
    assume(margin.is_clear)
    assert_is(MDL(question_weight=weight).prune(tree), tree, expected)


@given(grown=grown_trees(), depth=st.integers(0, 6))
@settings(examples(0.5))
def test_to_depth_cuts_at_the_depth(grown: tuple[Sample, Tree], depth: int) -> None:
    _, tree = grown
    at_depth = set(np.flatnonzero(tree.levels == depth).tolist())
    assert_is(ToDepth(depth=depth).prune(tree), tree, pruning.without(as_oracle(tree), at_depth))


PRUNERS = (
    CostComplexity(alpha=0.02),
    CostComplexity(alpha=0.02, on="impurity"),
    Pessimistic(),
    ChiSquare(alpha=0.2),
    MinimumFraction(fraction=0.2),
    CriticalValue(value=0.2),
    OneStandardError(n_standard_errors=2),
    MinimumError(),
    MDL(question_weight=0.2),
    ToDepth(depth=1),
    ReducedError(),
)


@pytest.mark.parametrize("pruner", PRUNERS, ids=lambda pruner: pruner.name)
@given(data=st.data())
@settings(examples(0.4))
def test_the_curve_ends_at_the_pruned_tree(pruner: Any, data: st.DataObject) -> None:
    sample, others = data.draw(tables_alike(min_rows=5, max_rows=16, missing=False))
    # tables_alike adds gaps to the other rows: a side was learned for them, or the majority's.
    tree = grow(sample, missing="majority", nominal="multiway", unseen="majority")
    assume(known_classes(tree, others))
    before = bits(tree)
    rows = (others.frame, list(others.target))
    pruned = pruner.prune(tree, *rows, sample_weight=others.weights, test=rows)
    assert bits(tree) == before
    record = pruned.pruning
    assert record is not None
    curve = record.curve
    assert curve.n_leaves[0] == tree.n_leaves
    assert curve.n_leaves[-1] == pruned.n_leaves
    assert np.all(np.diff(curve.n_leaves) < 0)
    assert len(curve.n_leaves) == len(record) + 1 == len(record.steps) + 1
    unweighted = others.take(range(others.n_rows), weights=[1.0] * others.n_rows)
    for name, with_rows in (("train", sample), ("validation", others), ("test", unweighted)):
        for place, at in ((0, tree), (-1, pruned)):
            expected = cost_of(at, with_rows) / with_rows.total_weight
            assert curve.errors[name][place] == pytest.approx(expected, abs=1e-9), (name, place)
    assert curve.text().splitlines()[0].split() == ["leaves", "train", "validation", "test"]
    assert str(record)


@pytest.mark.parametrize("pruner", PRUNERS[:-1], ids=lambda pruner: pruner.name)
@given(data=st.data())
@settings(examples(0.4))
def test_a_weight_of_k_prunes_as_the_row_written_k_times(pruner: Any, data: st.DataObject) -> None:
    sample = data.draw(small_tables(weightings=["whole"], min_rows=5, max_rows=14))
    assume(sample.weighed_target == set(sample.target))
    options = {"missing": "majority", "nominal": "multiway"}
    weighted, written = grow(sample, **options), grow(sample.written_out(), **options)
    assume(weighted.n_nodes == written.n_nodes)
    one, two = pruner.prune(weighted), pruner.prune(written)
    assert one.n_nodes == two.n_nodes
    np.testing.assert_array_equal(one.arrays.column, two.arrays.column)
    np.testing.assert_allclose(one.arrays.value, two.arrays.value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("probabilities", [False, True])
@given(data=st.data())
@settings(examples(1))
def test_simplifying_changes_no_answer(probabilities: bool, data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(["classes", "numbers"]))
    sample, others = data.draw(tables_alike(target=target, min_rows=4, max_rows=16))
    tree = grow(
        sample,
        missing=data.draw(st.sampled_from(POLICIES)),
        combine=data.draw(st.sampled_from(["branch_fractions", "leaf_counts"])),
        unseen=data.draw(st.sampled_from(["missing", "majority"])),
    )
    # Grown leaves differ from their neighbours; a cost matrix, or another target, makes them alike.
    if sample.is_classification and data.draw(st.booleans()):
        tree, _ = with_costs(tree)
    elif data.draw(st.booleans()):
        tree = with_few_answers(tree, data)
    simple = tree.simplify(probabilities=probabilities)
    assert simple.n_nodes <= tree.n_nodes
    unseen = {name: _with_unseen(values) for name, values in others.frame.items()}
    for frame in (sample.frame, others.frame, unseen):
        if sample.is_classification:
            np.testing.assert_array_equal(simple.predict(frame), tree.predict(frame))
        else:  # the parts of a divided row are added in another order
            np.testing.assert_allclose(simple.predict(frame), tree.predict(frame), rtol=1e-12)
        if probabilities and sample.is_classification:
            np.testing.assert_allclose(
                simple.predict_proba(frame), tree.predict_proba(frame), rtol=0, atol=1e-12
            )


def with_few_answers(tree: Tree, data: st.DataObject) -> Tree:
    """The same questions with leaves that give one of two answers."""
    arrays = tree.arrays
    value = np.zeros_like(arrays.value)
    for node in np.flatnonzero(arrays.n_branches == 0).tolist():
        answer = data.draw(st.integers(0, 1))
        if tree.classes is None:
            value[node] = answer
        else:
            value[node, min(answer, arrays.width - 1)] = arrays.weight[node]
    for node in tree.bottom_up():
        if not tree.is_leaf(node):
            below = slice(tree.children(node).start, tree.children(node).stop)
            share = tree.branch_shares(node) if tree.classes is None else np.ones(len(value[below]))
            value[node] = share @ value[below]
    return tree.with_arrays(replace(arrays, value=value))


def _with_unseen(values: Any) -> Any:
    """The same cells, but a category that training did not know in the first row."""
    if isinstance(values, list) and any(isinstance(value, str) for value in values):
        return ["never seen", *values[1:]]
    return values


@pytest.mark.parametrize("missing", [False, True])
@given(sample=small_tables(min_rows=4, max_rows=16))
@settings(examples(0.5))
def test_simplifying_merges_all_leaves_that_agree(missing: bool, sample: Sample) -> None:
    tree = grow(sample, missing="majority", unseen="majority")
    simple = tree.simplify(missing=missing)
    labels = [simple.label(node) for node in range(simple.n_nodes)]
    for node in range(simple.n_nodes):
        children = simple.children(node)
        if children and all(simple.is_leaf(child) for child in children):
            assert len({labels[child] for child in children} | {labels[node]}) > 1
