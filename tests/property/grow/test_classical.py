"""ID3 and C4.5 grow (and C4.5 prunes), node by node, as the oracle does from their definitions.

Where a decision hangs by a rounding error, two correct programs may differ: such tables are left
out by the margin that every question of the oracle carries. Exact ties are not: the first wins.
"""

import math
from typing import Any, Literal

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import pruning
from property.growing import examples, split_of
from property.pruned import assert_raised, pruned_by_error
from property.tables import Sample, small_tables
from property.test_predictions import tables_alike

from treewright import C45Classifier, ID3Classifier
from treewright.measures.error_estimates import ErrorVariant
from treewright.prune import ErrorBased
from treewright.tree.tree import Tree

MARGIN = 1e-9
COMBINES: tuple[Literal["branch_fractions", "leaf_counts"], ...] = (
    "branch_fractions",
    "leaf_counts",
)


def assert_same_tree(tree: Tree, expected: oracle.Node) -> None:
    pending: list[tuple[int, oracle.Node]] = [(0, expected)]
    while pending:
        node, there = pending.pop()
        classes = [] if tree.classes is None else tree.classes[0].tolist()
        assert tree.arrays.weight[node] == pytest.approx(there.weight)
        assert tree.arrays.n_rows[node] <= len(there.rows)  # copies are written out there
        if there.weight > 0:
            counts = [there.counts[label] for label in classes]
            np.testing.assert_allclose(tree.arrays.value[node], counts, rtol=1e-9, atol=1e-9)
        shares = np.array([there.counts[label] for label in classes])
        np.testing.assert_allclose(
            tree.distribution(node), shares / shares.sum(), rtol=1e-9, atol=1e-9
        )
        split = split_of(tree, node)
        if isinstance(there, oracle.Leaf):
            assert split is None, (node, split, there)
            continue
        assert split is not None, (node, there.split, there.score)
        assert split.column == there.split.column
        assert split.kind == there.split.kind
        if there.split.threshold is None or math.isfinite(there.split.threshold):
            assert split.threshold == there.split.threshold  # the engine's are always finite
        assert split.branch_of_value == there.split.branch_of_value
        assert tree.arrays.gain[node] == pytest.approx(there.gain, abs=1e-9)
        assert tree.arrays.score[node] == pytest.approx(there.score, abs=1e-9)
        pending.extend(zip(tree.children(node), there.children, strict=True))


def fit(model: Any, sample: Sample) -> Tree:
    model.set_params(schema=sample.schema)
    tree: Tree = model.fit(sample.frame, list(sample.target), sample.weights).tree_
    return tree


def in_class_order(tree: Tree, shares: dict[Any, float]) -> list[float]:
    assert tree.classes is not None
    return [shares[label] for label in tree.classes[0].tolist()]


def assert_same_answers(
    tree: Tree,
    expected: oracle.Node,
    rows: Sample,
    combine: Literal["branch_fractions", "leaf_counts"],
) -> None:
    answers = tree.predict_proba(rows.frame)
    cells = list(zip(*(column.values for column in rows.columns), strict=True))
    for row, answer in zip(cells, answers, strict=True):
        shares = oracle.distribution(expected, row, combine=combine)
        np.testing.assert_allclose(answer, in_class_order(tree, shares), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("combine", COMBINES)
@given(tables=tables_alike(storages=["nominal"], weightings=["none", "whole"], min_rows=4))
@settings(examples(5))
def test_id3_is_the_oracles_id3(
    combine: Literal["branch_fractions", "leaf_counts"], tables: tuple[Sample, Sample]
) -> None:
    sample, others = tables
    expected = oracle.grow_id3(sample.for_oracle())
    assume(oracle.smallest_margin(expected) > MARGIN)
    # The engine divides a row down to a thousandth.
    assume(all(not 0.0 < node.weight < 2e-3 for node in oracle.walk(expected)))
    tree = fit(ID3Classifier(combine=combine), sample)
    assert_same_tree(tree, expected)
    assert_same_answers(tree, expected, others, combine)


@pytest.mark.parametrize("combine", COMBINES)
@pytest.mark.parametrize("guard", [True, False], ids=["guard", "no_guard"])
@pytest.mark.parametrize("mdl", [True, False], ids=["mdl", "no_mdl"])
@given(data=st.data())
@settings(examples(3))
def test_c45_is_the_oracles_c45(
    combine: Literal["branch_fractions", "leaf_counts"],
    guard: bool,
    mdl: bool,
    data: st.DataObject,
) -> None:
    tables = tables_alike(
        storages=["nominal", "nominal", "float32", "int", "ordinal"],  # finite: see test_splits
        weightings=["none", "whole"],
        min_rows=4,
        max_rows=16,
    )
    sample, others = data.draw(tables)
    min_cases = data.draw(st.sampled_from([1.0, 2.0, 2.0, 3.0]))
    expected = oracle.grow_c45(
        sample.for_oracle(), min_branch_weight=min_cases, mdl=mdl, guard=guard
    )
    assume(oracle.smallest_margin(expected) > MARGIN)
    model = C45Classifier(
        combine=combine,
        gain_guard=guard,
        mdl_penalty=mdl,
        min_cases=min_cases,
        confidence=None,
        collapse=False,
    )
    tree = fit(model, sample)
    assert_same_tree(tree, expected)
    assert_same_answers(tree, expected, others, combine)


@pytest.mark.parametrize("variant", ["release8", "j48"])
@given(data=st.data())
@settings(examples(3))
def test_c45_is_the_oracles_c45_collapsed_and_pruned(
    variant: ErrorVariant, data: st.DataObject
) -> None:
    sample = data.draw(
        small_tables(
            storages=["nominal", "nominal", "float32", "int", "ordinal"],
            weightings=["none", "whole"],
            min_rows=5,
            max_rows=24,
        )
    )
    confidence = data.draw(st.sampled_from([0.1, 0.25, 0.25, 0.4, 0.75]))
    min_cases = data.draw(st.sampled_from([1.0, 2.0, 2.0]))
    table = sample.for_oracle()
    grown = oracle.grow_c45(table, min_branch_weight=min_cases)
    assume(oracle.smallest_margin(grown) > MARGIN)
    classes = table.class_order()
    margin = pruning.Margin()
    expected = pruned_by_error(
        pruning.from_grown(grown, classes),
        margin,
        rows=list(table.rows),
        codes=[classes.index(label) for label in table.target],
        weights=[table.weight_of(row) for row in range(len(table.rows))],
        pruner=ErrorBased(confidence=confidence, variant=variant),
    )
    assume(margin.is_clear)
    model = C45Classifier(variant=variant, confidence=confidence, min_cases=min_cases)
    assert_raised(fit(model, sample), expected)
