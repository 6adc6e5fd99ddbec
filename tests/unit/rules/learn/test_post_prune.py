from __future__ import annotations

import pytest
from unit.tree.hand_trees import build, cut, leaf, mean_leaf, numeric, play_tennis, schema_of

from treewright.errors import ParameterError, TargetError, UnsupportedError
from treewright.rules import post_prune

SCHEMA = schema_of(numeric("x"), numeric("y"))
INNER = cut("y", 1.0, cut("x", 3.0, leaf(0, 3), leaf(2, 0)), leaf(3, 1))
TREE = build(SCHEMA, cut("x", 1.0, leaf(4, 0), INNER), "ab")
"""x <= 1 -> a; 1 < x <= 3, y <= 1 -> b; x > 3, y <= 1 -> a; x > 1, y > 1 -> a."""


def rows(*cells: tuple[float, float]) -> dict[str, list[float]]:
    return {"x": [x for x, _ in cells], "y": [y for _, y in cells]}


def test_a_precondition_goes_if_the_rule_is_better_without_it() -> None:
    X, y = rows((0, 0), (2, 0), (2, 2), (2, 2), (5, 0), (5, 2)), list("abbbaa")
    pruned = post_prune(TREE, X, y)
    second = pruned.rules[1]
    assert second.before.premise() == "1 < x <= 3 AND y <= 1"
    # Right already: no row says that it would be better shorter.
    assert second.dropped == ()
    fourth = pruned.rules[3]
    assert fourth.before.premise() == "x > 1 AND y > 1"
    assert [each.text() for each in fourth.dropped] == ["y > 1", "x > 1"]
    figures = [(trial.estimate.covered, trial.estimate.value) for trial in fourth.trials]
    assert figures == [
        (3, pytest.approx(1 / 3)),
        (5, pytest.approx(2 / 5)),
        (6, pytest.approx(1 / 2)),
    ]
    assert fourth.after.premise() == "true"


def test_each_look_weighs_every_precondition() -> None:
    X, y = rows((0, 0), (2, 0), (2, 2), (5, 0)), list("abba")
    first = post_prune(TREE, X, y).rules[1].trials[0]
    assert [condition.text() for condition, _ in first.without] == ["x > 1", "y <= 1", "x <= 3"]
    assert [(each.covered, each.accuracy) for _, each in first.without] == [
        (2, pytest.approx(1 / 2)),
        (2, 1.0),
        (2, pytest.approx(1 / 2)),
    ]
    assert first.dropped is None
    easier = post_prune(TREE, X, y, accept="not_worse").rules[1]
    assert [each.text() for each in easier.dropped] == ["y <= 1"]


def test_rules_are_sorted_by_their_estimate() -> None:
    X, y = rows((0, 0), (0, 0), (2, 0), (5, 0), (5, 2)), list("abbaa")
    pruned = post_prune(TREE, X, y)
    trust = [rule.confidence for rule in pruned.ruleset]
    assert trust == sorted(trust, reverse=True)  # type: ignore[type-var]
    assert pruned.ruleset.mode == "ordered"
    assert pruned.ruleset.predict(X).tolist() == list("aabaa")


def test_equal_rules_are_listed_once() -> None:
    X, y = rows((0, 0), (5, 0), (5, 2)), list("aaa")
    pruned = post_prune(TREE, X, y, accept="not_worse")
    assert [str(rule.after.premise()) for rule in pruned.rules if rule.after.label == "a"] == [
        "true"
    ] * 3
    assert [rule.premise() for rule in pruned.ruleset if rule.label == "a"] == ["true"]


def test_a_rule_that_no_row_meets_is_worth_nothing() -> None:
    X, y = rows((0, 0)), ["a"]
    pruned = post_prune(TREE, X, y)
    second = pruned.rules[1].trials[0].estimate
    assert (second.covered, second.value, second.accuracy) == (0, 0.0, 0.0)
    assert pruned.ruleset.predict(X).tolist() == ["a"]


def test_the_default_is_the_class_of_the_rows_left_over() -> None:
    # Rows that lack x meet no rule that asks for it.
    X = {"x": [0.0, 2.0, 5.0, 5.0, None, None], "y": [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]}
    default = post_prune(TREE, X, list("abaabb")).ruleset.default
    assert (default.label, default.covers, default.errors) == ("b", 2, 0)
    # As many of each class are left over: the one more frequent among all rows.
    assert post_prune(TREE, X, list("abaaba")).ruleset.default.label == "a"


def test_pessimistic_estimates_need_no_validation_rows() -> None:
    X = rows((0, 0), (0, 0), (0, 1), (2, 0), (2, 0), (2, 0), (5, 0), (5, 0), (5, 2), (5, 2))
    pruned = post_prune(TREE, X, list("aaabbbaaaa"), estimate="pessimistic")
    third = pruned.rules[2]
    assert third.before.premise() == "x > 3 AND y <= 1"
    assert [each.text() for each in third.dropped] == ["y <= 1"]
    assert third.trials[-1].estimate.value == pytest.approx(0.25 ** (1 / 4))
    assert third.after.premise() == "x > 3"


def test_weights_count() -> None:
    X = rows((0, 0), (2, 0), (5, 0))
    heavy = post_prune(TREE, X, list("aba"), sample_weight=[1.0, 5.0, 1.0])
    assert heavy.rules[1].trials[0].estimate.covered == 5


def test_the_trace_is_printed() -> None:
    X, y = rows((0, 0), (2, 0), (2, 2), (2, 2), (5, 0), (5, 2)), list("abbbaa")
    lines = str(post_prune(TREE, X, y)).splitlines()
    assert lines[0].split() == ["rule", "dropped", "covers", "estimate"]
    assert lines[4].split("  ")[0] == "4"
    assert "x > 1 AND y > 1 -> a" in lines[4]
    assert lines[4].endswith("y > 1         3    33.3 %")
    assert "rules, the first that holds decides" in "\n".join(lines)


def test_what_cannot_be_pruned_is_refused() -> None:
    numbers = build(schema_of(numeric("x")), cut("x", 0.5, mean_leaf(3, 1.25), mean_leaf(1, 5.0)))
    with pytest.raises(UnsupportedError, match="post_prune is for one class per row"):
        post_prune(numbers, {"x": [0.0]}, [1.0])
    with pytest.raises(ParameterError, match="estimate='test' must be one of"):
        post_prune(TREE, rows((0, 0)), ["a"], estimate="test")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="accept='equal' must be one of"):
        post_prune(TREE, rows((0, 0)), ["a"], accept="equal")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"confidence=2 must be above 0 and at most 1\."):
        post_prune(TREE, rows((0, 0)), ["a"], confidence=2)
    with pytest.raises(TargetError, match="inconsistent numbers of samples"):
        post_prune(TREE, rows((0, 0)), ["a", "b"])


def test_a_tree_that_asks_nothing_leaves_one_rule() -> None:
    tree = build(play_tennis().schema, leaf(5, 9), ["No", "Yes"])
    rows = [{"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}]
    pruned = post_prune(tree, rows, ["Yes"])
    assert [rule.premise() for rule in pruned.ruleset] == ["true"]
    assert pruned.ruleset.predict(rows).tolist() == ["Yes"]
