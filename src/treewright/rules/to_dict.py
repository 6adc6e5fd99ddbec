"""A set of rules as plain Python: lists, dicts, strings and numbers that ``json`` accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.tree.condition import COMPLETE, Condition, LinearInterval, Members
from treewright.tree.to_dict import column_to_dict, plain, plain_bound, question_to_dict

if TYPE_CHECKING:
    from treewright.rules.routing import Crossing
    from treewright.rules.rule import Rule
    from treewright.rules.ruleset import RuleSet


def ruleset_to_dict(rules: RuleSet) -> dict[str, Any]:
    """Return the schema, classes, rules and default as plain Python."""
    classes = None
    if rules.classes is not None:
        classes = [[plain(name) for name in names.tolist()] for names in rules.classes]
    described: dict[str, Any] = {
        "kind": "regression" if rules.classes is None else "classification",
        "mode": rules.mode,
        "unseen": rules.unseen,
        "columns": [column_to_dict(spec) for spec in rules.schema.columns],
        "classes": classes,
        "rules": [_rule(rule) for rule in rules],
        "default": _rule(rules.default),
    }
    if rules.mode == "shares":
        described |= {"combine": rules.combine, **_ways(rules)}
    return described


def _rule(rule: Rule) -> dict[str, Any]:
    label = rule.label
    return {
        "if": [_condition(each) for each in rule.conditions],
        "then": [plain(part) for part in label] if isinstance(label, tuple) else plain(label),
        "text": rule.premise(),
        "rows": rule.n_rows,
        "covers": rule.covers,
        "errors": rule.errors,
        "accuracy": rule.accuracy,
        "confidence": rule.confidence,
        "distribution": [plain(number) for number in rule.distribution.tolist()],
        "weights": [plain(number) for number in rule.weights.tolist()],
    }


def _condition(condition: Condition) -> dict[str, Any]:
    described: dict[str, Any] = {"column": condition.index, "text": condition.text(COMPLETE)}
    if isinstance(condition, Members):
        allowed = condition.code_table()[:-2]
        described |= {"kind": "members", "codes": allowed.nonzero()[0].tolist()}
    else:
        low, high = (
            None if bound is None else plain_bound(condition.column, bound)
            for bound in (condition.low, condition.high)
        )
        described |= {"kind": "interval", "low": low, "high": high, "known": condition.known}
    if isinstance(condition, LinearInterval):
        described |= {"kind": "linear", "terms": [list(term) for term in condition.terms]}
    return described | {"missing": condition.missing, "unseen": condition.unseen}


def _ways(rules: RuleSet) -> dict[str, Any]:
    """Return the nodes on the paths to the leaves, and the passages of each rule."""
    number_of: dict[int, int] = {}
    crossings: list[Crossing] = []
    ways = []
    for rule in rules:
        way = []
        for passage in rule.passages:
            crossing = passage.crossing
            if id(crossing) not in number_of:
                number_of[id(crossing)] = len(crossings)
                crossings.append(crossing)
            step = {"crossing": number_of[id(crossing)], "branch": passage.branch}
            way.append(step | {"share": passage.share})
        ways.append(way)
    described = [
        {
            "question": question_to_dict(crossing.question),
            "surrogates": [
                {"question": question_to_dict(each.question), "flipped": each.flipped}
                for each in crossing.surrogates
            ],
        }
        for crossing in crossings
    ]
    return {"crossings": described, "ways": ways}
