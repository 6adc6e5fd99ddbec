"""C4.5rules against an oracle that walks over all rows for every figure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import rule_learning as oracle
from property.growing import examples
from property.tables import Sample, small_tables

from treewright import C45RulesClassifier
from treewright.data.read.table import match_table
from treewright.tree.tree import Tree

MOST_TRIED_OUT = 10  # of more rules per class, the search tries only some subsets


def leaves_of(tree: Tree) -> list[tuple[float, str, list[oracle.Test]]]:
    """The paths of a tree, each test a function of a row of stored values."""
    found = []
    for leaf in tree.reading_order.tolist():
        if not tree.is_leaf(leaf):
            continue
        tests = []
        for parent, child in pairwise(tree.path(leaf)):
            question = tree.question(parent)
            assert question is not None
            branch = child - tree.children(parent).start

            def holds(row: Any, question: Any = question, branch: int = branch) -> bool:
                return bool(question.branch_of(row[question.index]) == branch)

            tests.append(oracle.Test(question.text(branch), question.index, holds))
        found.append((float(tree.arrays.weight[leaf]), tree.label(leaf), tests))
    return found


def stored_rows(tree: Tree, sample: Sample) -> list[tuple[Any, ...]]:
    from treewright.tree.question import stored_value

    table = match_table(sample.frame, tree.schema, owner="the test")
    columns = range(len(tree.schema.columns))
    return [
        tuple(stored_value(table, column, row) for column in columns)
        for row in range(sample.n_rows)
    ]


@given(
    sample=small_tables(min_rows=6, max_rows=30, max_columns=3, weightings=["none", "whole"]),
    confidence=st.sampled_from([0.05, 0.25, 0.6]),
    redundancy=st.sampled_from([0.5, 1.0, 4.0]),
    min_cases=st.sampled_from([1, 2]),
)
@settings(examples(2))
def test_c45rules_does_what_the_oracle_does(
    sample: Sample, confidence: float, redundancy: float, min_cases: int
) -> None:
    model = C45RulesClassifier(
        confidence=confidence, redundancy=redundancy, min_cases=min_cases, schema=sample.schema
    )
    model.fit(sample.frame, list(sample.target), sample_weight=sample.weights)
    leaves = leaves_of(model.tree_)
    labels = [label for weight, label, _ in leaves if weight >= 1]
    assume(all(labels.count(label) <= MOST_TRIED_OUT for label in set(labels)))
    weights = list(sample.weights or [1.0] * sample.n_rows)
    rows = stored_rows(model.tree_, sample)
    expected, default = oracle.c45rules(
        leaves,
        rows,
        list(sample.target),
        weights,
        columns=list(zip(*rows, strict=True)),
        is_nominal=[spec.kind == "nominal" for spec in model.tree_.schema.columns],
        classes=model.classes_.tolist(),
        confidence=confidence,
        redundancy=redundancy,
    )
    found = model.ruleset_
    assert [rule.label for rule in found] == [rule.label for rule in expected]
    assert found.default.label == default
    for rule, other in zip(found, expected, strict=True):
        met = oracle.covered(other.tests, rows)
        wrong = sum(weights[i] for i in met if sample.target[i] != other.label)
        assert rule.confidence == pytest.approx(1 - other.error, abs=1e-6)
        assert rule.covers == pytest.approx(sum(weights[i] for i in met))
        assert rule.errors == pytest.approx(wrong)
    said = []
    for row in rows:
        firing = [rule for rule in expected if all(test.holds(row) for test in rule.tests)]
        said.append(firing[0].label if firing else default)
    assert model.predict(sample.frame).tolist() == said


@given(sample=small_tables(min_rows=6, max_rows=25, weightings=["whole"]))
@settings(examples(0.5))
def test_weights_are_copies(sample: Sample) -> None:
    assume(sample.written_out().n_rows > 1)  # of one row, a warning says that it is little
    for variant in ("release8", "c5"):
        model = C45RulesClassifier(variant=variant, schema=sample.schema)
        weighted = model.fit(sample.frame, list(sample.target), sample_weight=sample.weights)
        rules = weighted.ruleset_
        written = sample.written_out()
        copied = model.fit(written.frame, list(written.target)).ruleset_
        assert [str(rule) for rule in rules] == [str(rule) for rule in copied]
        assert [rule.confidence for rule in rules] == pytest.approx(
            [rule.confidence for rule in copied]
        )
        assert rules.default.label == copied.default.label


@given(sample=small_tables(min_rows=6, max_rows=25, fixed_classes=3), seed=st.integers(0, 3))
@settings(examples(0.5))
def test_every_variant_answers_every_row(sample: Sample, seed: int) -> None:
    for knobs in (
        {"variant": "c5"},
        {"variant": "j48"},
        {"search": "annealing"},
        {"significance": 0.05},
    ):
        model = C45RulesClassifier(schema=sample.schema, random_state=seed, **knobs)  # type: ignore[arg-type]
        model.fit(sample.frame, list(sample.target), sample_weight=sample.weights)
        shares = model.predict_proba(sample.frame)
        assert isinstance(shares, np.ndarray)
        assert shares.sum(axis=1) == pytest.approx(1.0)
        assert set(model.predict(sample.frame)) <= set(sample.classes)
