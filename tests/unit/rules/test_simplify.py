"""What is dropped from a decision list, and what is not; that nothing changes is a property."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import nominal, numeric, ordinal, schema_of

from treewright import DecisionTreeClassifier, RuleSet
from treewright.rules import Rule
from treewright.tree.condition import Interval

SCHEMA = schema_of(
    numeric("x"), numeric("y"), nominal("c", "a", "b"), ordinal("o", "low", "mid", "high")
)
CLASSES = (np.array(["no", "yes"], dtype=object),)


def rule(label: str, *conditions: Any) -> Rule:
    given = tuple(
        each if isinstance(each, Interval) else Rule.of(SCHEMA, [each], label).conditions[0]
        for each in conditions
    )
    return Rule(conditions=given, label=label, schema=SCHEMA, distribution=np.zeros(2))


def bounds(
    low: float | None = None, high: float | None = None, *, missing: bool = False
) -> Interval:
    return Interval(index=0, column=SCHEMA.columns[0], low=low, high=high, missing=missing)


def short(*rules: Rule, default: str = "yes", mode: Any = "ordered") -> list[str]:
    whole = RuleSet(rules, default=rule(default), classes=CLASSES, mode=mode)
    return [f"{each.premise()} -> {each.label}" for each in whole.simplify()]


def test_a_rule_that_no_row_can_meet() -> None:
    never = rule("no", bounds(5, 3))
    assert short(never) == []
    assert short(never, rule("no", bounds(0)), mode="voting") == ["x > 0 -> no"]


def test_a_missing_value_may_still_meet_an_empty_interval() -> None:
    assert short(rule("no", bounds(5, 3, missing=True))) != []


def test_a_condition_that_every_row_meets() -> None:
    every = bounds(missing=True)
    assert short(rule("no", every, ("y", ">", 1.0))) == ["y > 1 -> no"]


def test_a_rule_within_an_earlier_one() -> None:
    wide, narrow = rule("no", ("x", ">", 1.0)), rule("yes", ("x", ">", 2.0), ("c", "=", "a"))
    assert short(wide, narrow) == ["x > 1 -> no"]


def test_a_rule_that_several_earlier_ones_use_up_along_a_column() -> None:
    rules = [rule("no", bounds(None, 1)), rule("yes", bounds(1, 3)), rule("no", bounds(0.5, 2.5))]
    assert short(*rules, rule("no", ("y", ">", 0.0)), default="yes") == [
        "x <= 1 -> no",
        "x <= 3 -> yes",
        "y > 0 -> no",
    ]


def test_neighbours_with_one_answer_become_one_rule() -> None:
    assert short(rule("no", bounds(None, 1)), rule("no", bounds(1, 3))) == ["x <= 3 -> no"]


def test_a_bound_beyond_which_an_earlier_rule_decides() -> None:
    assert short(rule("no", bounds(None, 1)), rule("no", bounds(1, 3), ("y", "<=", 0.0))) == [
        "x <= 1 -> no",
        "x <= 3 AND y <= 0 -> no",
    ]


def test_a_condition_stays_where_a_missing_value_would_slip_through() -> None:
    left, right = rule("no", bounds(None, 1)), rule("no", bounds(1), ("y", "<=", 0.0))
    assert short(left, right)[1] == "x is known AND y <= 0 -> no"
    left = rule("no", bounds(None, 1, missing=True))
    assert short(left, right)[1] == "y <= 0 -> no"


def test_categories_use_a_column_up_only_with_unseen_and_missing_ones() -> None:
    rules = [rule("no", ("c", "=", "a")), rule("no", ("c", "=", "b"), ("y", ">", 0.0))]
    assert short(*rules)[1] == "c = b AND y > 0 -> no"


def test_values_in_order_are_compared_too() -> None:
    low, all_but_high = rule("no", ("o", "<=", "low")), rule("no", ("o", "<=", "mid"))
    assert short(all_but_high, low) == ["o <= mid -> no"]
    assert short(low, rule("yes", ("o", ">", "low")), rule("no", ("o", "<=", "mid"))) == [
        "o = low -> no"
    ]


def test_a_last_rule_that_says_what_the_default_says() -> None:
    rules = [rule("no", ("x", ">", 1.0)), rule("yes", ("c", "=", "a"))]
    assert short(*rules) == ["x > 1 -> no"]
    assert len(short(*rules, default="no")) == 2


def test_a_rule_whose_rows_would_get_the_same_answer_later() -> None:
    same = [rule("no", ("x", ">", 2.0), ("c", "=", "a")), rule("no", ("x", ">", 1.0))]
    assert short(*same) == ["x > 1 -> no"]
    between = rule("yes", ("y", ">", 0.0))
    assert len(short(same[0], between, same[1])) == 3
    aside = rule("yes", ("x", "<=", 0.0), ("y", ">", 0.0))
    assert short(same[0], aside, same[1], default="no") == [
        "x <= 0 AND y > 0 -> yes",
    ]


def test_figures_stay_and_the_leaf_goes() -> None:
    counted = Rule(
        conditions=rule("no", bounds(1, 3)).conditions,
        label="no",
        schema=SCHEMA,
        covers=5.0,
        errors=1.0,
        leaf=7,
        distribution=np.array([0.8, 0.2]),
    )
    rules = RuleSet([rule("yes", bounds(None, 1)), counted], default=rule("yes"), classes=CLASSES)
    _, shorter = rules.simplify()
    assert (shorter.covers, shorter.errors, shorter.leaf) == (5.0, 1.0, None)
    assert shorter.premise() == "x <= 3"


@pytest.mark.slow
def test_thousands_of_rules_take_seconds() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(20_000, 8))
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.8 * random.normal(size=len(x)) > 0
    tree = DecisionTreeClassifier(missing="majority").fit(x, y).tree_
    whole = RuleSet.of_tree(tree)
    begin = time.process_time()
    shorter = whole.simplify()
    assert time.process_time() - begin < 60
    assert len(whole) > 2000
    assert shorter.n_conditions < 0.8 * whole.n_conditions
    rows = random.normal(size=(20_000, 8))
    assert np.array_equal(shorter.predict(rows), whole.predict(rows))
