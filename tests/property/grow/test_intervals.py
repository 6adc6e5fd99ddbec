"""MDLP and CAL5 cut each column where the oracle does, and the criterion judges what they make."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.criteria import gain as gain_of_parts
from oracle.criteria import gini
from oracle.intervals import Cuts, Point, bounds, cal5, mdlp
from property.growing import examples, grow, problem_of
from property.tables import Sample, Storage, small_tables

from treewright import CHAIDClassifier, CHAIDRegressor
from treewright.data.read.table import match_table
from treewright.explain.why import why
from treewright.grow.options import GrowthOptions
from treewright.grow.training_record import TrainingRecord
from treewright.tree.question import Cut, Intervals
from treewright.tree.tree import Tree

Search = Literal["mdlp", "cal5"]
MARGIN = 1e-9
ORDERED: list[Storage] = ["float32", "int", "ordinal"]  # finite: the engine's thresholds always are


def points_of(sample: Sample, column: int) -> list[Point]:
    table = sample.for_oracle()
    return [
        Point(value=table.rows[row][column], label=table.target[row], weight=table.weight_of(row))
        for row in table.present()
        if table.rows[row][column] is not None
    ]


def expected_cuts(sample: Sample, column: int, search: Search, **knobs: Any) -> Cuts:
    table = sample.for_oracle()
    present = table.present()
    unit = len(present) / sum(table.weight_of(row) for row in present)
    points = points_of(sample, column)
    min_rows = knobs["min_samples_leaf"]
    if search == "mdlp":
        return mdlp(points, unit=unit, min_rows=min_rows)
    return cal5(
        points,
        threshold=knobs["cal5_threshold"],
        alpha=knobs["cal5_alpha"],
        unit=unit,
        min_rows=min_rows,
    )


@st.composite
def knobs_of(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "min_samples_leaf": draw(st.integers(1, 3)),
        "cal5_threshold": draw(st.sampled_from([0.5, 0.6, 0.8])),
        "cal5_alpha": draw(st.sampled_from([0.3, 0.9])),
    }


@st.composite
def tables_with_a_signal(draw: st.DrawFn) -> Sample:
    """Most rows have the class of their value in the first column: chance alone cuts nothing."""
    sample = draw(small_tables(storages=ORDERED, min_rows=20, max_rows=60, max_columns=2))
    values = sorted({value for value in sample.columns[0].values if value is not None})
    class_of_value = {value: draw(st.sampled_from(sample.classes)) for value in values}
    follows = draw(st.lists(st.integers(0, 9), min_size=sample.n_rows, max_size=sample.n_rows))
    target = tuple(
        class_of_value.get(value, label) if chance else label
        for value, label, chance in zip(
            sample.columns[0].values, sample.target, follows, strict=True
        )
    )
    return replace(sample, target=target, classes=tuple(sorted(set(target))))


@pytest.mark.parametrize("search", ["mdlp", "cal5"])
@given(data=st.data())
@settings(examples(5))
def test_every_column_is_cut_where_the_oracle_cuts_it(search: Search, data: st.DataObject) -> None:
    sample = data.draw(tables_with_a_signal())
    knobs = data.draw(knobs_of())
    assume(len(sample.weighed_target) > 1)
    options = {"criterion": "gini", "numeric": search, "missing": "majority", **knobs}
    tree = grow(sample, max_depth=1, **options)
    tree.arrays.validate(tree.schema)
    record = TrainingRecord(problem_of(sample, GrowthOptions(max_depth=1, **options)))
    rows = why(tree, 0, record).candidates
    judged = {}
    for column in range(len(sample.columns)):
        expected = expected_cuts(sample, column, search, **knobs)
        assume(expected.margin > MARGIN)
        candidate = rows[column]
        n_branches = len(candidate.branches)
        assert n_branches == (len(expected.between) + 1 if expected.between else 0)
        if expected.between:
            judged[column] = expected
            assert candidate.gain == pytest.approx(gain(sample, column, expected), abs=1e-9)
    question = tree.question(0)
    if not judged or (search == "cal5" and is_dominated(sample, **knobs)):
        assert question is None
        return
    best = max(gain(sample, column, cuts) for column, cuts in judged.items())
    assert question is not None
    assert isinstance(question, Cut | Intervals)
    assert gain(sample, question.index, judged[question.index]) == pytest.approx(best, abs=1e-9)
    cuts = question.cuts if isinstance(question, Intervals) else (question.threshold,)
    for cut, (below, above) in zip(cuts, judged[question.index].between, strict=True):
        assert below <= cut < above


def is_dominated(sample: Sample, *, cal5_threshold: float, cal5_alpha: float, **_: Any) -> bool:
    """Whether CAL5 would close the path before any question."""
    table = sample.for_oracle()
    labels = [table.target[row] for row in table.present()]
    weights = [table.weight_of(row) for row in table.present()]
    of_class = [
        sum(w for label, w in zip(labels, weights, strict=True) if label == k) for k in set(labels)
    ]
    unit = len(labels) / sum(weights)
    low, _ = bounds(max(of_class) * unit, len(labels), cal5_alpha)
    assume(abs(low - cal5_threshold) > MARGIN)
    return low >= cal5_threshold


def gain(sample: Sample, column: int, cuts: Cuts) -> float:
    """Gini gain over the rows with a value, times their share of the node."""
    table = sample.for_oracle()
    ends = [below for below, _ in cuts.between]
    parts: list[list[tuple[Any, float]]] = [[] for _ in range(len(ends) + 1)]
    total = 0.0
    for row in table.present():
        total += table.weight_of(row)
        value = table.rows[row][column]
        if value is not None:
            place = sum(value > end for end in ends)
            parts[place].append((table.target[row], table.weight_of(row)))
    known = sum(w for part in parts for _, w in part)
    return known / total * gain_of_parts(parts, gini)


@given(data=st.data())
@settings(examples(3))
def test_rows_go_to_their_interval_and_rules_say_so(data: st.DataObject) -> None:
    sample = data.draw(tables_with_a_signal())
    missing = data.draw(
        st.sampled_from(["learned_side", "most_likely", "own_branch", "majority", "divide"])
    )
    options = {
        "numeric": data.draw(st.sampled_from(["mdlp", "cal5"])),
        "missing": missing,
        "threshold_at": data.draw(st.sampled_from(["midpoint", "observed", "training"])),
        "max_leaf_nodes": data.draw(st.sampled_from([None, 6])),
        "nominal": "multiway",
    }
    tree = grow(sample, criterion=data.draw(st.sampled_from(["gini", "gain_ratio"])), **options)
    check_rows_and_rules(tree, sample, is_settled=missing != "divide")


@given(data=st.data())
@settings(examples(3))
def test_rows_go_to_their_group_and_rules_say_so(data: st.DataObject) -> None:
    target: Any = data.draw(st.sampled_from(["classes", "numbers"]))
    sample = data.draw(small_tables(target=target, min_rows=10, max_rows=40, max_columns=3))
    model = CHAIDClassifier if sample.is_classification else CHAIDRegressor
    loose = {"alpha_split": 0.9, "min_samples_split": 4, "min_samples_leaf": 2, "n_bins": 4}
    made = model(schema=sample.schema, **loose)
    tree = made.fit(sample.frame, list(sample.target), sample.weights).tree_
    check_rows_and_rules(tree, sample, is_settled=True)


def check_rows_and_rules(tree: Tree, sample: Sample, *, is_settled: bool) -> None:
    tree.arrays.validate(tree.schema)
    weights = np.array(sample.weights or (1.0,) * sample.n_rows)
    leaves, labels = tree.apply(sample.frame), tree.predict(sample.frame)
    if is_settled:  # a missing value goes the same way in training and in prediction
        n_rows = np.bincount(leaves[weights > 0], minlength=tree.n_nodes)
        is_leaf = tree.arrays.n_branches == 0
        assert np.array_equal(n_rows[is_leaf], tree.arrays.n_rows[is_leaf])
    table = match_table(sample.frame, tree.schema, owner="the test")
    rules = list(tree.rules())
    for row in range(sample.n_rows):
        node: int | None = 0
        while node is not None and not tree.is_leaf(node):
            question = tree.question(node)
            assert question is not None
            branch = question.branch_of(question.value_in(table, row))
            node = None if branch < 0 else tree.children(node)[branch]
        cells = {name: values[row] for name, values in sample.frame.items()}
        matching = [rule for rule in rules if rule.matches(cells)]
        assert [rule.leaf for rule in matching] == ([] if node is None else [node])
        if node is not None:
            assert leaves[row] == node
            assert matching[0].label == labels[row]
