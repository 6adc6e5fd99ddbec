"""Error-based pruning: what the oracle leaves, counts that are those of the rows, and no more."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import pruning
from property.growing import examples, grow, split_of
from property.pruned import (
    POLICIES,
    ROUTED,
    as_oracle,
    assert_raised,
    bits,
    cells,
    codes_of,
    pruned_by_error,
    weights_of,
)
from property.tables import STORAGES, Column, Sample, small_tables

from treewright.core import ErrorPruning
from treewright.measures import added_errors
from treewright.measures.error_estimates import ERROR_VARIANTS, ErrorVariant, normal_deviate
from treewright.prune import ErrorBased
from treewright.tree.tree import Tree

CONFIDENCES = st.sampled_from([0.001, 0.05, 0.1, 0.25, 0.4, 0.5, 0.75, 0.99])


@pytest.mark.parametrize("raising", [True, False], ids=["raising", "no_raising"])
@pytest.mark.parametrize("variant", ERROR_VARIANTS)
@given(data=st.data())
@settings(examples(1))
def test_error_based_is_the_oracles(
    variant: ErrorVariant, raising: bool, data: st.DataObject
) -> None:
    splitter = data.draw(st.sampled_from(["best", "random"]))
    # Cuts drawn between whole numbers beyond 2^53 are not exact.
    storages: Any = STORAGES if splitter == "best" else ("float", "ordinal", "nominal")
    sample = data.draw(small_tables(min_rows=5, max_rows=20, storages=storages))
    tree = grow(
        sample,
        missing=data.draw(st.sampled_from(["divide", "divide", *ROUTED])),
        nominal=data.draw(st.sampled_from(["multiway", "subset", "one_vs_rest"])),
        empty_branches=data.draw(st.booleans()),
        criterion=data.draw(st.sampled_from(["gini", "entropy", "gain_ratio"])),
        splitter=splitter,
    )
    pruner = ErrorBased(
        confidence=data.draw(st.one_of(st.none(), CONFIDENCES)),
        raising=raising,
        collapse=data.draw(st.booleans()),
        variant=variant,
        regrowing=False,  # which is the oracle's that grows as well
    )
    assume(pruned_as_the_oracle(tree, sample, pruner) is not None)


def pruned_as_the_oracle(tree: Tree, sample: Sample, pruner: ErrorBased) -> Tree | None:
    """Prune, and compare with the oracle; None where a hair's breadth would decide otherwise."""
    before = bits(tree)
    pruned = pruner.prune(tree)
    assert bits(tree) == before
    margin = pruning.Margin()
    expected = pruned_by_error(
        as_oracle(tree),
        margin,
        rows=cells(sample),
        codes=codes_of(tree, sample),
        weights=weights_of(sample),
        pruner=pruner,
        min_cases=min_cases_of(tree),
    )
    if not margin.is_clear:
        return None
    assert_raised(pruned, expected)
    # C5.0 leaves branches empty that would get less than a twentieth of a row.
    lost = 0.05 * tree.n_leaves if pruner.variant == "c5" else 0.0
    check_counts(pruned, sample, lost)
    check_curve(pruned, tree, lost)
    return pruned


def min_cases_of(tree: Tree) -> float:
    """Rows that branches needed in growing."""
    return float(tree.record(None, None, None, owner="", hint="").growth().options.min_leaf)


def noisy_sample(seed: int, *, gaps: float) -> Sample:
    """A table in which the class hangs on two columns and on chance, and cells are missing."""
    generator = np.random.default_rng(seed)
    n_rows = 36
    x, z = generator.normal(size=(2, n_rows)).round(1)
    wrong = generator.random(n_rows) < 0.2
    target = np.where((x + z > 0) ^ wrong, "u", np.where(generator.random(n_rows) < 0.8, "v", "w"))
    drawn = (generator.choice(list("pqr"), n_rows), x, z, generator.choice(list("st"), n_rows))
    columns = []
    for cells_, storage in zip(drawn, ("nominal", "float", "float", "nominal"), strict=True):
        missing = generator.random(n_rows) < gaps
        values = [None if gap else cell.item() for cell, gap in zip(cells_, missing, strict=True)]
        domain = tuple(sorted({v for v in values if v is not None})) if storage == "nominal" else ()
        columns.append(Column(storage=storage, values=tuple(values), domain=domain))
    return Sample(columns=tuple(columns), target=tuple(target.tolist()), classes=("u", "v", "w"))


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("variant", ERROR_VARIANTS)
def test_noisy_tables_are_raised_as_the_oracles(variant: ErrorVariant, gaps: float) -> None:
    n_raised = 0
    for seed in range(12):
        sample = noisy_sample(seed, gaps=gaps)
        # Splits drawn at random: many a good one stands below a useless one.
        tree = grow(sample, seed=seed, splitter="random", missing="divide", nominal="multiway")
        pruner = ErrorBased(confidence=0.5, variant=variant, collapse=False, regrowing=False)
        pruned = pruned_as_the_oracle(tree, sample, pruner)
        if pruned is None:
            continue
        assert pruned.pruning is not None
        n_raised += any(step.action == "raised" for step in pruned.pruning.steps)
    assert n_raised >= 6


@given(data=st.data())
@settings(examples(1))
def test_counts_are_those_of_the_rows_whatever_becomes_of_gaps(data: st.DataObject) -> None:
    sample = data.draw(small_tables(min_rows=5, max_rows=20, storages=("float", "nominal")))
    policy = data.draw(st.sampled_from([*POLICIES, "most_likely_in_class"]))
    tree = grow(sample, missing=policy, nominal="subset", splitter="random", max_features=1)
    pruned = ErrorBased(confidence=data.draw(CONFIDENCES)).prune(tree)
    check_counts(pruned, sample)
    assert pruned.n_nodes <= tree.n_nodes


def check_counts(tree: Tree, sample: Sample, lost: float = 0.0) -> None:
    """Sending the training rows through the pruned tree gives the counts in its nodes."""
    table = tree._read(sample.frame)
    start, leaf, share = tree.plan.parts(table)
    row = np.repeat(np.arange(sample.n_rows), np.diff(start))
    codes, weight = np.array(codes_of(tree, sample)), np.array(weights_of(sample))
    counts = np.zeros_like(tree.arrays.value)
    np.add.at(counts, (leaf, codes[row]), share * weight[row])
    for node in tree.bottom_up():
        if node > 0:
            counts[tree.arrays.parent[node]] += counts[node]
    met = tree.arrays.weight > 0
    np.testing.assert_allclose(counts[met], tree.arrays.value[met], rtol=1e-9, atol=1e-9 + lost)
    np.testing.assert_allclose(counts[~met], 0.0, atol=1e-12 + lost)


def check_curve(pruned: Tree, tree: Tree, lost: float) -> None:
    record = pruned.pruning
    assert record is not None
    curve = record.curve
    assert curve.n_leaves[0] == tree.n_leaves
    assert curve.n_leaves[-1] == pruned.n_leaves
    assert len(record.steps) == len(curve.n_leaves) - 1
    for place, at in ((0, tree), (-1, pruned)):
        wrong = sum(pruning.training_risk()(leaf) for leaf in pruning.leaves(as_oracle(at)))
        rate = wrong / tree.arrays.weight[0]
        tolerance = 1e-9 + (lost / tree.arrays.weight[0] if place == -1 else 0.0)
        assert curve.errors["train"][place] == pytest.approx(rate, abs=tolerance)
    assert "error_based" in str(record)


@given(
    grown=small_tables(min_rows=5, max_rows=20, missing=False),
    criterion=st.sampled_from(["gini", "entropy", "gain_ratio", "misclassification", "twoing"]),
    confidence=CONFIDENCES,
)
@settings(examples(1))
def test_without_raising_a_kept_node_says_what_it_said(
    grown: Sample, criterion: str, confidence: float
) -> None:
    tree = grow(grown, criterion=criterion)
    pruned = ErrorBased(raising=False, confidence=confidence).prune(tree)
    pending = [(0, 0)]
    while pending:
        node, was = pending.pop()
        assert pruned.arrays.n_rows[node] == tree.arrays.n_rows[was]
        for name in ("value", "weight", "impurity"):
            mine, theirs = getattr(pruned.arrays, name)[node], getattr(tree.arrays, name)[was]
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12, err_msg=name)
        if not pruned.is_leaf(node):
            assert split_of(pruned, node) == split_of(tree, was)
            pending.extend(zip(pruned.children(node), tree.children(was), strict=True))


@given(sample=small_tables(min_rows=5, max_rows=16, weightings=["whole"]), confidence=CONFIDENCES)
@settings(examples(1))
def test_a_weight_of_k_is_the_row_written_k_times(sample: Sample, confidence: float) -> None:
    assume(sample.weighed_target == set(sample.target))
    weighted, written = (
        grow(sample, missing="majority"),
        grow(sample.written_out(), missing="majority"),
    )
    pruner = ErrorBased(confidence=confidence)
    one, two = pruner.prune(weighted), pruner.prune(written)
    np.testing.assert_array_equal(one.arrays.column, two.arrays.column)
    np.testing.assert_allclose(one.arrays.value, two.arrays.value, rtol=1e-12)


@pytest.mark.parametrize("variant", ERROR_VARIANTS)
@given(
    n=st.one_of(st.floats(1e-3, 1e6), st.integers(1, 200).map(float)),
    share=st.floats(0, 1),
    few=st.one_of(st.none(), st.sampled_from([0.0, 1e-7, 0.3, 0.9999, 0.99995, 1.0, 1.5, 2.0])),
    confidence=st.floats(1e-6, 1, exclude_max=True),
)
@settings(examples(5))
def test_added_errors_of_core_measures_and_oracle_agree(
    variant: ErrorVariant, n: float, share: float, few: float | None, confidence: float
) -> None:
    e = min(few, n) if few is not None else n * share
    settings_of_core = ErrorPruning()
    settings_of_core.log_confidence = math.log(confidence)
    settings_of_core.deviate_squared = normal_deviate(confidence, variant) ** 2
    settings_of_core.set_variant(variant, variant == "j48" and confidence > 0.5)
    expected = pruning.added_errors(n, e, confidence, variant)
    assert float(added_errors(n, e, confidence, variant=variant)) == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )
    assert settings_of_core.added_errors(n, e) == pytest.approx(expected, rel=1e-9, abs=1e-9)
