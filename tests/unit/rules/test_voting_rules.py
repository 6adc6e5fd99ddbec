"""C5.0's rules: what a change of the theory does to its errors, and what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import C45RulesClassifier, load_example
from treewright.data.read.table import read_table
from treewright.errors import UnsupportedError
from treewright.rules import Rule
from treewright.rules.counting import LabelledRows
from treewright.rules.learn.c5rules import _Theory


def theory(seed: int) -> _Theory:
    random = np.random.default_rng(seed)
    table = read_table({"x": random.random(60), "y": random.random(60)})
    rows = LabelledRows(
        table=table,
        codes=random.integers(0, 3, 60),
        weight=random.integers(1, 4, 60).astype(float),
        classes=np.array(list("abc"), dtype=object),
    )
    rules = []
    for label in random.choice(list("abc"), 9):
        column, test = random.choice(["x", "y"]), random.choice(["<=", ">"])
        made = Rule.of(table.schema, [(str(column), str(test), float(random.random()))], str(label))
        # Votes that tie now and then: the lower class wins.
        votes = float(random.choice([0.5, 0.7, 0.9]))
        rules.append(
            Rule(conditions=made.conditions, label=label, schema=table.schema, confidence=votes)
        )
    return _Theory(rules, rows, bits=random.uniform(1, 9, 9), error_rate=0.2)


def errors_of(made: _Theory, chosen: Any) -> float:
    """Count votes row by row."""
    total = 0.0
    for row, (real, weight) in enumerate(zip(made._rows.codes, made._rows.weight, strict=True)):
        votes = [0.0, 0.0, 0.0]
        for rule in np.flatnonzero(chosen):
            if row in made.rows_of(int(rule)):
                votes[made.codes[rule]] += made.votes[rule]
        said = votes.index(max(votes)) if max(votes) > 0 else -1
        total += weight * (said != real)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_errors_that_a_change_adds(seed: int) -> None:
    made = theory(seed)
    random = np.random.default_rng(seed)
    made.start(random.random(9) < 0.5)
    for _ in range(6):
        assert made.errors == errors_of(made, made.chosen)
        for rule in range(9):
            changed = made.chosen.copy()
            changed[rule] = not changed[rule]
            assert made.errors + made._change[rule] == errors_of(made, changed)
        made._make(int(random.integers(9)))


def test_climbing_leaves_no_change_that_saves_bits() -> None:
    made = theory(7)
    made.climb()
    bits = made._bits
    now = float(made._length(int(made.chosen.sum()), bits[made.chosen].sum(), made.errors))
    for rule in range(9):
        changed = made.chosen.copy()
        changed[rule] = not changed[rule]
        then = made._length(int(changed.sum()), bits[changed].sum(), errors_of(made, changed))
        assert float(then) >= now - 1e-9


def test_rules_vote_with_the_confidence_of_c5() -> None:
    iris = load_example("iris")
    model = C45RulesClassifier(variant="c5").fit(iris.X, iris.y)
    rules = model.ruleset_
    assert rules.mode == "voting"
    for rule in rules:
        assert rule.errors is not None
        assert rule.confidence == pytest.approx((rule.covers - rule.errors + 1) / (rule.covers + 2))
    assert model.score(iris.X, iris.y) > 0.95
    assert [rule.label for rule in rules] == sorted(rule.label for rule in rules)
    with pytest.raises(UnsupportedError, match="no single rule decides"):
        model.apply(iris.X)
