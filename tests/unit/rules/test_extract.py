from __future__ import annotations

import time
from itertools import islice

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    categories,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright.errors import ParameterError, UnsupportedError


def test_the_rules_of_the_lectures() -> None:
    assert play_tennis().rules().text().splitlines() == [
        "IF Outlook = Sunny AND Humidity = High THEN No  (3 covered, 0 wrong)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes  (2 covered, 0 wrong)",
        "IF Outlook = Overcast THEN Yes  (4 covered, 0 wrong)",
        "IF Outlook = Rain AND Wind = Weak THEN Yes  (3 covered, 0 wrong)",
        "IF Outlook = Rain AND Wind = Strong THEN No  (2 covered, 0 wrong)",
    ]


def test_conditions_on_one_column_are_merged() -> None:
    rules = loans().rules()
    assert str(rules[4]) == (
        "IF 30000.5 < income <= 80000 AND children <= 2 THEN repaid  (65 covered, 5 wrong)"
    )
    assert str(rules[-1]) == "IF income is missing THEN default  (12 covered, 6 wrong)"


def test_one_against_the_rest_leaves_the_remaining_values() -> None:
    schema = schema_of(nominal("Outlook", "Sunny", "Overcast", "Rain"))
    rest = categories("Outlook", (["Rain"], leaf(0, 3)), (["Overcast"], leaf(2, 2)))
    root = categories("Outlook", (["Sunny"], leaf(3, 0)), (["Overcast", "Rain"], rest))
    rules = build(schema, root, ["No", "Yes"]).rules()
    assert [rule.conditions[0].text() for rule in rules] == [
        "Outlook = Sunny",
        "Outlook = Rain",
        "Outlook = Overcast",
    ]


def test_long_lists_are_complete() -> None:
    values = [f"v{i:02}" for i in range(40)]
    root = categories("c", (values[:20], leaf(1, 0)), (values[20:], leaf(0, 1)))
    rules = build(schema_of(nominal("c", *values)), root, "ab").rules()
    assert all(value in rules[0].text() for value in values[:20])


def test_a_rule_knows_its_leaf() -> None:
    rule = loans().rules()[0]
    assert (rule.leaf, rule.label, rule.n_rows, rule.covers, rule.errors) == (
        8,
        "default",
        43,
        43,
        3,
    )
    assert rule.distribution == pytest.approx([40 / 43, 3 / 43])


def test_an_empty_leaf_is_never_wrong() -> None:
    rule = play_tennis(humidity_low=True).rules()[2]
    assert (rule.label, rule.covers, rule.errors) == ("No", 0, 0)


def test_a_tree_that_asks_nothing_has_one_rule() -> None:
    (rule,) = build(schema_of(numeric("x")), leaf(1, 3), ["a", "b"]).rules()
    assert rule.text() == "IF true THEN b  (4 covered, 1 wrong)"
    assert rule.matches([1.0])


def test_rules_of_a_regression_tree() -> None:
    tree = build(schema_of(numeric("x")), cut("x", 0.5, mean_leaf(3, 1.25), mean_leaf(1, 5.0)))
    assert tree.rules()[0].text() == "IF x <= 0.5 THEN 1.25  (3 covered)"
    with pytest.raises(UnsupportedError, match="predicts numbers"):
        tree.rules().for_label(1.25)


def test_rules_of_one_class() -> None:
    rules = play_tennis().rules()
    assert [rule.leaf for rule in rules.for_label("No")] == [4, 7]
    with pytest.raises(ParameterError) as caught:
        rules.for_label("yes")
    assert str(caught.value) == (
        "label='yes' is none of the classes.\n  Classes: No, Yes\n  Hint: did you mean 'Yes'?"
    )


def test_the_sequence_slices_and_agrees_with_itself() -> None:
    rules = loans().rules()
    assert len(rules) == 8
    assert [str(rule) for rule in rules] == [str(rules[i]) for i in range(8)]
    assert [str(rule) for rule in rules[2:4]] == [str(rules[2]), str(rules[3])]
    with pytest.raises(IndexError):
        rules[8]


@pytest.mark.parametrize(
    ("row", "leaf"),
    [
        ([100.0, np.datetime64("2024-03-01"), None, "north", None], 8),
        ([100.0, np.datetime64("2024-03-02"), None, "west", None], 9),
        ([100.0, np.datetime64("2024-03-02"), None, "centre", None], 9),
        ([30_000.5, None, "fair", None, None], 10),
        ([30_000.5, None, None, "south", None], 10),
        ([100.0, None, "excellent", "east", None], 11),
        ([50_000.0, None, None, None, 3], 13),
        ([np.inf, None, None, None, 3], 7),
        ([None, None, None, None, 3], 3),
    ],
)
def test_exactly_the_rule_of_the_rows_leaf_matches(row: list[object], leaf: int) -> None:
    tree = loans()
    assert tree.explain(row).leaves == (leaf,)
    assert [rule.leaf for rule in tree.rules() if rule.matches(row)] == [leaf]


def test_a_divided_row_matches_no_rule_of_the_branches() -> None:
    rules = play_tennis().rules()
    assert not any(rule.matches([None, "Hot", "High", "Weak"]) for rule in rules)


def test_a_rule_needs_only_its_own_columns() -> None:
    assert play_tennis().rules()[2].matches({"Outlook": "Overcast"})


def test_a_deep_chain_is_read_lazily() -> None:
    tree = chain(100_000)
    begin = time.process_time()
    rules = tree.rules()
    assert str(rules[0]).startswith("IF x <= 0 THEN even")
    assert [str(rule).split(" THEN")[0] for rule in islice(rules, 1, 3)] == [
        "IF 0 < x <= 1",
        "IF 1 < x <= 2",
    ]
    assert str(rules[-1]).startswith("IF x > 99999 THEN even")
    assert time.process_time() - begin < 20
