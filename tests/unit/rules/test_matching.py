from __future__ import annotations

import time

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, RuleSet
from treewright.data.read.table import read_table
from treewright.rules import Rule, matching
from treewright.rules.matching import Matcher, match_matrix


def table_and_rules(n_rows: int, n_rules: int) -> tuple[object, list[Rule]]:
    random = np.random.default_rng(0)
    table = read_table(
        {
            "x": random.normal(size=n_rows),
            "n": random.integers(0, 9, n_rows),
            "c": random.choice(list("abcd"), n_rows),
        }
    )
    rules = []
    for _ in range(n_rules):
        conditions: list[tuple[str, str, object]] = [
            ("x", str(random.choice(["<=", ">"])), float(random.normal())),
            ("n", str(random.choice(["<=", ">"])), int(random.integers(9))),
            ("c", "in", list(random.choice(list("abcd"), 2))),
        ]
        kept = random.integers(0, 4)
        rules.append(Rule.of(table.schema, conditions[:kept], "a"))
    return table, rules


@pytest.mark.parametrize("block_bytes", [8, 200, 5_000, 1 << 25])
def test_blocks_of_any_size_give_the_same_matches(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rules = table_and_rules(150, 20)
    expected = np.zeros((20, 150), dtype=bool)
    for number, rule in enumerate(rules):
        expected[number] = True
        for condition in rule.conditions:
            expected[number] &= condition.mask(table)  # type: ignore[arg-type]
    monkeypatch.setattr(matching, "_BLOCK_BYTES", block_bytes)
    found = match_matrix(rules, table).toarray() > 0  # type: ignore[arg-type]
    assert np.array_equal(found, expected)
    first = np.where(expected.any(axis=0), expected.argmax(axis=0), -1)
    assert np.array_equal(Matcher(rules).first(table), first)  # type: ignore[arg-type]


def test_no_rows_and_no_rules() -> None:
    table, rules = table_and_rules(10, 3)
    empty = table.take(np.empty(0, dtype=np.int64))  # type: ignore[attr-defined]
    assert Matcher(rules).first(empty).tolist() == []
    assert list(Matcher(rules).matches(empty)) == []
    assert Matcher([]).first(table).tolist() == [-1] * 10  # type: ignore[arg-type]
    assert match_matrix([], table).shape == (0, 10)  # type: ignore[arg-type]


@pytest.mark.slow
def test_five_thousand_rules_on_fifty_thousand_rows_take_seconds() -> None:
    # One core of a busy machine: 1.4 s; 96,000 rules on as many rows 15 s.
    random = np.random.default_rng(0)
    x = random.normal(size=(40_000, 10))
    y = x[:, 0] + x[:, 1] * x[:, 2] + 0.8 * random.normal(size=len(x)) > 0
    tree = DecisionTreeClassifier(missing="majority").fit(x, y).tree_
    rules = RuleSet.of_tree(tree)
    assert len(rules) > 5_000
    rows = random.normal(size=(50_000, 10))
    begin = time.process_time()
    said = rules.predict(rows)
    assert time.process_time() - begin < 10
    assert np.array_equal(said, tree.predict(rows))
