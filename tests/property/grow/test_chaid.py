"""CHAID grows, node by node, the tree that the oracle grows from its definition.

Where a decision hangs by a rounding error, two correct programs may differ: such tables are left
out by the margin that every node of the oracle carries. Exact ties are not: the first wins.
"""

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.chaid import ChaidNode, ChaidOptions, grow_chaid, walk_chaid
from property.growing import examples
from property.tables import Sample, small_tables

from treewright import CHAIDClassifier, CHAIDRegressor
from treewright.data.read.table import match_table
from treewright.tree.tree import Tree

MARGIN = 1e-8


@st.composite
def settings_of_chaid(draw: st.DrawFn, *, test: str) -> dict[str, Any]:
    alpha_merge = draw(st.sampled_from([0.01, 0.05, 0.3, 0.8, 1.0]))
    exhaustive = draw(st.booleans())
    resplits = not exhaustive and draw(st.booleans())
    alpha_split_merge = draw(st.sampled_from([0.2, 0.9, 1.0])) * alpha_merge if resplits else None
    chosen = {
        "alpha_merge": alpha_merge,
        "alpha_split": draw(st.sampled_from([0.05, 0.3, 0.9])),
        "alpha_split_merge": alpha_split_merge,
        "exhaustive": exhaustive,
        "bonferroni": draw(st.booleans()),
        "n_bins": draw(st.sampled_from([2, 3, 4, 10])),
        "missing": draw(st.sampled_from(["floating", "last"])),
        "min_samples_split": draw(st.integers(2, 4)),
        "min_samples_leaf": draw(st.integers(1, 3)),
    }
    return chosen if test == "f" else chosen | {"test": test}


def fit(sample: Sample, chosen: dict[str, Any]) -> Tree:
    model = CHAIDClassifier if sample.is_classification else CHAIDRegressor
    made = model(schema=sample.schema, **chosen)
    tree: Tree = made.fit(sample.frame, list(sample.target), sample.weights).tree_
    return tree


def assert_same_tree(tree: Tree, expected: ChaidNode, sample: Sample, n_bins: int) -> None:
    tree.arrays.validate(tree.schema)
    written = sample.written_out() if sample.weights is not None and sample.has_copies else sample
    table = match_table(written.frame, tree.schema, owner="the test")
    pending = [(0, expected)]
    while pending:
        node, there = pending.pop()
        question = tree.question(node)
        if there.column is None:
            assert question is None, (node, there)
            continue
        assert question is not None, (node, there)
        assert question.index == there.column
        assert question.n_branches == len(there.groups)
        assert -tree.arrays.score[node] == pytest.approx(log(there.adjusted_p), rel=1e-9, abs=1e-9)
        branches: dict[int, set[int]] = {branch: set() for branch in range(question.n_branches)}
        for row in there.rows:
            branches[question.branch_of(question.value_in(table, row))].add(row)
        for branch, child in enumerate(there.children):
            assert branches[branch] == set(child.rows), (node, branch, there.groups)
            pending.append((tree.children(node)[branch], child))


def log(p_value: float) -> float:
    return math.log(p_value) if p_value > 0 else -math.inf


def check(sample: Sample, chosen: dict[str, Any], test: str) -> None:
    expected = grow_chaid(sample.for_oracle(), ChaidOptions(**(chosen | {"test": test})))
    assume(all(node.margin > MARGIN for node in walk_chaid(expected)))
    assert_same_tree(fit(sample, chosen), expected, sample, chosen["n_bins"])


@pytest.mark.parametrize("test", ["pearson", "likelihood_ratio"])
@given(data=st.data())
@settings(examples(3))
def test_chaid_is_the_oracles_chaid(test: str, data: st.DataObject) -> None:
    sample = data.draw(small_tables(min_rows=6, max_rows=30, max_columns=3, max_classes=3))
    check(sample, data.draw(settings_of_chaid(test=test)), test)


@given(data=st.data())
@settings(examples(4))
def test_chaid_of_numbers_is_the_oracles(data: st.DataObject) -> None:
    sample = data.draw(
        small_tables(
            target="numbers",
            min_rows=6,
            max_rows=30,
            max_columns=3,
            weightings=["none", "whole", "dyadic"],
        )
    )
    check(sample, data.draw(settings_of_chaid(test="f")), "f")
