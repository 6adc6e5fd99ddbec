"""The text of a set of rules, and of the rules that a row meets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.parameters import check_count
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT, Wording
from treewright.tree.leaf import label_of
from treewright.tree.node_text import label_in_words, way_in_words

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.rules.rule import Rule
    from treewright.rules.ruleset import RuleSet

_LINE = 60
"""Conditions of a rule are wrapped beyond this many characters."""

_HOW = {
    "ordered": "the first that holds decides",
    "voting": "those that hold vote",
    "shares": "each answers for its share of a row",
}


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """The printed lines of one rule; its figures are beside the first."""

    name: str
    words: list[str]
    rule: Rule | None = None
    is_default: bool = False


def paint(rules: RuleSet, *, level: float, max_rules: int | None, wording: Wording) -> str:
    """Return the table of rules as text, the default last."""
    check_count("max_rules", max_rules, least=0, optional=True)
    n_rules = len(rules)
    entries = [
        _Entry(name=str(number), words=_wrapped(rule, wording), rule=rule)
        for number, rule in enumerate(rules.rules[:max_rules], start=1)
    ]
    if len(entries) < n_rules:
        ellipsis = "..." if wording.ascii else "…"
        entries.append(_Entry(name="", words=[f"{ellipsis} {n_rules - len(entries)} more"]))
    if rules.mode != "shares":
        words = ["otherwise" if n_rules else "always"]
        entries.append(_Entry(name="", words=words, rule=rules.default, is_default=True))
    columns = [
        TextColumn("", [entry.name for entry in entries], right=True),
        *_figures(entries, rules, level),
    ]
    number, *figured = (
        TextColumn(column.header, _spread(column.cells, entries), right=column.right)
        for column in columns
    )
    premises = TextColumn("if", [line for entry in entries for line in entry.words])
    how = f", {_HOW[rules.mode]}" if n_rules > 1 else ""
    heading = f"{n_rules} {'rule' if n_rules == 1 else 'rules'}{how}"
    return f"{heading}\n\n{lay_out([number, premises, *figured])}"


def _wrapped(rule: Rule, wording: Wording) -> list[str]:
    """Return the conditions on as many lines as they need."""
    lines = ["true"] if not rule.conditions else []
    for condition in rule.conditions:
        words = condition.text(wording)
        if lines and len(lines[-1]) + len(words) + 5 <= _LINE:
            lines[-1] += f" and {words}"
        else:
            lines.append(f"and {words}" if lines else words)
    return lines


def _spread(cells: Sequence[str], entries: Sequence[_Entry]) -> list[str]:
    """Return cells with empty ones inserted beside the further lines of an entry."""
    return [
        line
        for cell, entry in zip(cells, entries, strict=True)
        for line in (cell, *[""] * (len(entry.words) - 1))
    ]


def _figures(entries: Sequence[_Entry], rules: RuleSet, level: float) -> list[TextColumn]:
    told = [entry.rule for entry in entries]
    labels = ["" if rule is None else label_in_words(rule.label) for rule in told]
    covers = [rule.covers if rule is not None and rule.covers > 0 else None for rule in told]
    columns = [
        TextColumn("then", labels, right=rules.classes is None),
        TextColumn("covers", figures(covers), right=True),
    ]
    if rules.classes is None or len(rules.classes) > 1:
        return columns
    judged = [(rule, rule.accuracy) if rule is not None else (None, None) for rule in told]
    right = ["" if share is None else percent(share) for _, share in judged]
    intervals = [
        "" if rule is None or share is None else _interval(rule, level) for rule, share in judged
    ]
    trust = [
        "" if entry.rule is None or entry.is_default else f"{entry.rule.confidence:.3f}"
        for entry in entries
    ]
    return [
        *columns,
        TextColumn("right", right, right=True),
        TextColumn(f"{100 * level:g} % interval", intervals, right=True),
        TextColumn("confidence", trust),
    ]


def _interval(rule: Rule, level: float) -> str:
    low, high = rule.interval(level)
    return f"{100 * low:.1f} to {100 * high:.1f} %"


@dataclass(frozen=True, kw_only=True)
class RuleExplanation:
    """Why a row got its prediction; ``print`` it.

    Parameters
    ----------
    label
        The predicted class or number.
    answer
        Class probabilities (outputs side by side), or the prediction(s).
    met
        The rules that the row meets, by number from 0.
    degrees
        The part of the row that meets each: 1 unless values are missing on its path.
    decided_by
        The rule that decided; None for the default, and where several rules did.
    way
        How the answer comes about where the rules alone do not tell: ``calibrated``, ``by expected
        cost``.
    """

    label: Any
    answer: FloatArray
    met: tuple[int, ...]
    degrees: tuple[float, ...]
    decided_by: int | None
    rules: RuleSet = field(repr=False)
    way: str = ""

    def calibrated(self, answer: FloatArray) -> RuleExplanation:
        """Return the same rules with calibrated probabilities, and the class that they decide."""
        classes, leaf = self.rules.classes, self.rules.leaf
        way = way_in_words(answer, classes, leaf, calibrated=True)
        return replace(self, answer=answer, label=label_of(answer, classes, leaf), way=way)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, wording: Wording = SHORT) -> str:
        """Return the text of the prediction and the rules that led to it."""
        label = label_in_words(self.label)
        way = f"; {self.way}" if self.way else ""
        if not self.met:
            return f"{label}  (no rule holds: the default{way})"
        if self.rules.mode == "ordered":
            reason = f"rule {self.met[0] + 1} is the first that holds"
        else:
            n_met = len(self.met)
            reason = f"{n_met} rule holds" if n_met == 1 else f"{n_met} rules hold"
        lines = [
            (f"rule {number + 1}", self.rules[number], degree)
            for number, degree in zip(self.met, self.degrees, strict=True)
        ]
        columns = [
            TextColumn("", [name for name, _, _ in lines]),
            TextColumn("if", [rule.premise(wording) for _, rule, _ in lines]),
            TextColumn("then", [label_in_words(rule.label) for _, rule, _ in lines]),
        ]
        if self.rules.mode == "voting":
            votes = [rule.confidence or 0.0 for _, rule, _ in lines]
            columns.append(TextColumn("vote", figures(votes), right=True))
        if self.rules.mode == "shares":
            columns.append(TextColumn("share", [percent(d) for _, _, d in lines], right=True))
        return f"{label}  ({reason}{way})\n\n{lay_out(columns)}"
