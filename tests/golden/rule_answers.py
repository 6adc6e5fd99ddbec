"""Answers about rules, asked of ``treewright.rules``."""

from __future__ import annotations

from typing import Any

from golden.lectures import Lecture, Query, lecture
from golden.tree_answers import grow
from treewright.rules import DNF, post_prune
from treewright.rules.learn.post_prune import Estimate


def dnf_accuracy(data: Lecture, query: Query) -> float:
    """The share of rows that a formula, written as it is printed, puts into their class."""
    grown = grow(data, {"algorithm": "id3"})
    terms = [
        [(each["attribute"], each["test"], each["value"]) for each in conjunction]
        for conjunction in query["dnf"]
    ]
    formula = DNF.of(grown.tree.schema, terms, label=query["class"])
    met = formula.evaluate(data.records(grown.attributes)).tolist()
    said = [query["class"] if each else query["otherwise"] for each in met]
    return float(sum(a == b for a, b in zip(said, data.y, strict=True)) / len(said))


def rule_accuracy(data: Lecture, query: Query) -> dict[str, Any]:
    """The first look that post-pruning takes at a rule of the tree of the fifteen days."""
    grown = grow(lecture("play_tennis_d15"), {"algorithm": "id3"})
    pruned = post_prune(grown.tree, data.records(grown.attributes), data.y)
    (found,) = [
        rule
        for rule in pruned.rules
        if {each.column.name: each.text() for each in rule.before.conditions}
        == {name: f"{name} = {value}" for name, value in query["if"].items()}
    ]
    assert found.before.label == query["then"]
    first = found.trials[0]

    def told(estimate: Estimate) -> dict[str, float]:
        return {"covered": estimate.covered, "accuracy": estimate.accuracy}

    return {
        "rule": told(first.estimate),
        "without": {each.column.name: told(estimate) for each, estimate in first.without},
    }


ANSWERS = {answer.__name__: answer for answer in (dnf_accuracy, rule_accuracy)}
