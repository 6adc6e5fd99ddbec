"""What holds of rules, whatever the table: they answer as their tree, and short lists as long."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from property.grow.test_invariance import assume_fit, draw_tree_options
from property.grow.test_one_tree import TASKS
from property.growing import examples, grow
from property.tables import Sample
from property.test_predictions import answers_of, tables_alike

from treewright import RuleSet
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.rules import Rule
from treewright.tree.condition import Condition, Interval, Members


def with_strangers(sample: Sample, data: st.DataObject) -> Sample:
    """Put a category that no training row had into some cells."""
    columns = []
    for column in sample.columns:
        if column.storage == "nominal" and data.draw(st.booleans()):
            values = tuple(
                "a stranger" if data.draw(st.integers(0, 3)) == 0 else value
                for value in column.values
            )
            column = replace(column, values=values)
        columns.append(column)
    return replace(sample, columns=tuple(columns))


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_a_set_of_rules_answers_as_its_tree(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    other = with_strangers(other, data)
    options = draw_tree_options(data, criterion)
    combine = data.draw(st.sampled_from(["branch_fractions", "leaf_counts"]))
    unseen = data.draw(st.sampled_from(["missing", "majority"]))
    tree = grow(sample, combine=combine, unseen=unseen, **options)
    rules = RuleSet.of_tree(tree)
    assert len(rules) == tree.n_leaves
    expected = answers_of(tree, other)
    found = rules.answers(rules.read(other.frame))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    labels, said = tree.predict(other.frame), rules.predict(other.frame)
    if tree.classes is None:
        np.testing.assert_allclose(said, labels, rtol=1e-12)
        return
    # Two classes that tie may be told apart by the last bit of a sum.
    top_two = np.sort(expected, axis=1)[:, -2:]
    is_clear = np.diff(top_two, axis=1)[:, 0] > 1e-12 if top_two.shape[1] == 2 else True
    assert np.array_equal(labels[is_clear], said[is_clear])


SCHEMA = FittedSchema(
    columns=(
        ColumnSpec(name="x", kind="numeric", storage="float"),
        ColumnSpec(name="n", kind="numeric", storage="int"),
        ColumnSpec(name="c", kind="nominal", storage="value", values=("a", "b", "c")),
        ColumnSpec(name="o", kind="ordinal", storage="value", values=("low", "mid", "high")),
    ),
    named=True,
)
CLASSES = (np.array(["p", "q", "r"], dtype=object),)
VALUES: dict[str, list[Any]] = {
    "x": [-np.inf, 0.0, 0.5, 0.75, 1.0, 1.25, np.inf, None],
    "n": [-5, 0, 1, 2, None],
    "c": ["a", "b", "c", "a stranger", None],
    "o": ["low", "mid", "high", None],
}
"""Between, at and beyond all cuts that are drawn: every row that rules could tell apart."""
ROWS = [dict(zip(VALUES, cells, strict=True)) for cells in product(*VALUES.values())]
GRID = {name: [row[name] for row in ROWS] for name in VALUES}


@st.composite
def requirements(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """What a rule requires of one column, in plain words."""
    flags = {"missing": draw(st.booleans()), "unseen": draw(st.booleans()) and name == "c"}
    if name == "c":
        return {"among": draw(st.sets(st.sampled_from("abc"))), **flags}
    cuts = {"x": [0.0, 0.5, 1.0], "n": [0, 1], "o": ["low", "mid"]}[name]
    low, high = draw(st.sampled_from([None, *cuts])), draw(st.sampled_from([None, *cuts]))
    return {"low": low, "high": high, **flags}


@st.composite
def written_rules(draw: st.DrawFn) -> tuple[dict[str, dict[str, Any]], str]:
    asked = draw(st.lists(st.sampled_from(list(VALUES)), unique=True, max_size=3))
    return {name: draw(requirements(name)) for name in asked}, draw(st.sampled_from("pqr"))


def is_met(required: dict[str, Any], value: Any, rank: Any) -> bool:
    """The oracle: read a requirement word by word."""
    if value is None:
        return bool(required["missing"])
    if "among" in required:
        return bool(required["unseen"]) if value not in "abc" else value in required["among"]
    low, high = required["low"], required["high"]
    return (low is None or rank(value) > rank(low)) and (high is None or rank(value) <= rank(high))


def meets(rule: dict[str, dict[str, Any]], row: dict[str, Any]) -> bool:
    ranks = {"o": ("low", "mid", "high").index}
    return all(is_met(each, row[name], ranks.get(name, float)) for name, each in rule.items())


def built(rule: dict[str, dict[str, Any]], label: str, **figures: Any) -> Rule:
    conditions: list[Condition] = []
    for name, required in rule.items():
        index = SCHEMA.index(name)
        spec = SCHEMA.columns[index]
        flags = {"missing": required["missing"], "unseen": required["unseen"]}
        if name == "c":
            codes = frozenset(spec.values.index(value) for value in required["among"])
            conditions.append(Members(index=index, column=spec, codes=codes, **flags))
            continue
        bounds = {
            side: spec.values.index(required[side])
            if name == "o" and required[side] is not None
            else required[side]
            for side in ("low", "high")
        }
        conditions.append(Interval(index=index, column=spec, **bounds, **flags))
    return Rule(conditions=tuple(conditions), label=label, schema=SCHEMA, **figures)


def one_hot(label: str) -> Any:
    return np.array([float(label == each) for each in "pqr"])


def list_of(rules: list[Any], mode: str = "ordered") -> RuleSet:
    return RuleSet(
        [
            built(rule, label, covers=float(place), distribution=one_hot(label))
            for place, (rule, label) in enumerate(rules)
        ],
        default=Rule(conditions=(), label="q", schema=SCHEMA, distribution=one_hot("q")),
        classes=CLASSES,
        mode=mode,  # type: ignore[arg-type]
    )


def first_label(rules: list[Any], row: dict[str, Any]) -> str:
    return next((label for rule, label in rules if meets(rule, row)), "q")


@given(rules=st.lists(written_rules(), max_size=7))
@settings(examples(2))
def test_a_decision_list_is_read_from_the_top(rules: Any) -> None:
    found = list_of(rules)
    expected = [first_label(rules, row) for row in ROWS]
    assert found.predict(GRID).tolist() == expected
    first = [next((i for i, (r, _) in enumerate(rules) if meets(r, row)), -1) for row in ROWS]
    assert found.apply(GRID).tolist() == first


@given(rules=st.lists(written_rules(), max_size=7))
@settings(examples(1))
def test_votes_are_added_up(rules: Any) -> None:
    found = list_of(rules, "voting")
    shares = found.predict_proba(GRID)
    assert isinstance(shares, np.ndarray)
    said = found.predict(GRID)
    for place, row in enumerate(ROWS):
        votes = dict.fromkeys("pqr", 0.0)
        for rule, (requirement, label) in zip(found, rules, strict=True):
            if meets(requirement, row):
                assert rule.confidence is not None
                votes[label] += rule.confidence
        total = sum(votes.values())
        expected = [votes[label] / total for label in "pqr"] if total else [0.0, 1.0, 0.0]
        assert shares[place] == pytest.approx(expected, abs=1e-12)
        assert said[place] == max("qpr", key=lambda label: votes[label])


@given(rules=st.lists(written_rules(), max_size=7))
@settings(examples(3))
def test_simplifying_a_list_changes_no_prediction(rules: Any) -> None:
    whole = list_of(rules)
    short = whole.simplify()
    assert len(short) <= len(whole)
    assert short.n_conditions <= whole.n_conditions
    assert short.predict(GRID).tolist() == whole.predict(GRID).tolist()
    again = short.simplify()
    assert again.predict(GRID).tolist() == whole.predict(GRID).tolist()


@given(rules=st.lists(written_rules(), max_size=6), mode=st.sampled_from(["ordered", "voting"]))
@settings(examples(1))
def test_simplifying_may_keep_probabilities_too(rules: Any, mode: str) -> None:
    # Distributions that differ from rule to rule: only rules of one distribution are alike.
    whole = list_of(rules, mode)
    told_apart = [
        replace(rule, distribution=one_hot(rule.label) * 0.5 + place / 100)
        for place, rule in enumerate(whole)
    ]
    whole = RuleSet(told_apart, default=whole.default, classes=CLASSES, mode=whole.mode)
    short = whole.simplify(keep="probabilities")
    assert np.array_equal(short.predict_proba(GRID), whole.predict_proba(GRID))


@given(rules=st.lists(written_rules(), max_size=6), label=st.sampled_from("pqr"))
@settings(examples(2))
def test_the_formula_of_a_class_is_true_of_its_rows(rules: Any, label: str) -> None:
    formula = list_of(rules).dnf(label)
    expected = [first_label(rules, row) == label for row in ROWS]
    assert formula.evaluate(GRID).tolist() == expected


@given(rules=st.lists(written_rules(), min_size=1, max_size=6), row=st.sampled_from(ROWS))
@settings(examples(1))
def test_an_explanation_names_the_rules_that_hold(rules: Any, row: dict[str, Any]) -> None:
    found = list_of(rules).explain(row)
    expected = [place for place, (rule, _) in enumerate(rules) if meets(rule, row)]
    assert list(found.met) == expected
    assert found.label == first_label(rules, row)
    assert found.decided_by == (expected[0] if expected else None)
