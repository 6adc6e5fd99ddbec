"""Section: what are the decisions in words?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.words import count, percent
from treewright.draw.values import label_text, measure_text
from treewright.reporting.findings import Findings
from treewright.reporting.page.markup import Markup, Piece, markup, shown, tag
from treewright.reporting.page.tables import Head, table
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.table.small_pictures import share_bar
from treewright.reporting.tree_words import TreeWords
from treewright.reporting.words import LEVEL, counted

if TYPE_CHECKING:
    from treewright.rules.rule import Rule
    from treewright.tree.tree import Tree

_MOST_RULES = 200
_BAR = 96


def rules_section(found: Findings) -> Section | None:
    """Return the section; None for a learner that is no single tree, and for a single leaf."""
    tree = found.tree
    if tree is None:
        return _of_rule_set(found)
    if tree.n_leaves == 1:
        return None
    rules = _in_order(found, tree)
    classified = tree.classes is not None and bool(found.classes)
    cells = _of_classes(found, tree, rules) if classified else _of_numbers(tree, rules)
    rest = tree.n_leaves - len(rules)
    more = f"The other {rest:,} rules, of fewer rows, are left out." if rest > 0 else ""
    gaps = _gaps(rules)
    return Section(
        anchor="rules",
        name="The rules",
        question="What are the decisions in words?",
        finding=_finding(found, tree),
        blocks=[paragraph(_lead(classified), _linear(tree), gaps, more), cells],
    )


def _lead(classified: bool) -> str:
    right = " “Right” is counted on these rows, and is lower on new ones." if classified else ""
    return f"Each row meets one rule. Rows are those that grew the tree.{right}"


def _linear(tree: Tree) -> str:
    if tree.linear is None:
        return ""
    return "The leaves answer by linear models; the means of their rows stand here."


def _gaps(rules: list[Rule]) -> str:
    if not any(rule.passages for rule in rules):
        return ""
    return "A row with a missing value may be divided among rules, which their words cannot say."


def _in_order(found: Findings, tree: Tree) -> list[Rule]:
    """Return the rules by class, that of the fewest rows first; by number, the highest first."""
    rules = list(tree.rules())
    if len(rules) > _MOST_RULES:
        rules = sorted(rules, key=lambda rule: -rule.covers)[:_MOST_RULES]
    if tree.classes is None:
        return sorted(rules, key=lambda rule: -_mean(rule))
    rows = dict(zip(found.classes, found.profile.class_counts.tolist(), strict=True))
    return sorted(rules, key=lambda rule: (rows.get(rule.label, 0), -rule.covers))


def _mean(rule: Rule) -> float:
    return float(np.ravel(rule.distribution)[0])


def _finding(found: Findings, tree: Tree) -> str:
    if tree.classes is None:
        answers = [_mean(rule) for rule in tree.rules()]
        ends = measure_text(min(answers)), measure_text(max(answers))
        what = "answers" if tree.linear is None else "means"
        return f"{counted(len(answers), 'rule')}, with {what} from {ends[0]} to {ends[1]}"
    focus = _focus(found, tree)
    if focus is None:
        return counted(tree.n_leaves, "rule")
    label, n_rules, share = focus
    verb = "finds" if n_rules == 1 else "find"
    return f"{counted(n_rules, 'rule')} {verb} {percent(share)} of {shown(label_text(label))}"


def _focus(found: Findings, tree: Tree) -> tuple[object, int, float] | None:
    """Return a class, how many rules answer it, and the share of its rows that they hold.

    It is the most frequent class but one, of two classes the rarer: the most frequent class is
    found by any tree.
    """
    counts = found.profile.class_counts
    order = sorted(range(len(found.classes)), key=lambda k: -counts[k])
    for k in order[1:]:
        label = found.classes[k]
        own = [rule for rule in tree.rules() if rule.label == label]
        if own and all(rule.errors is not None for rule in own):
            held = sum(rule.covers - (rule.errors or 0.0) for rule in own)
            total = float(tree.arrays.value[0][k]) if tree.arrays.value.shape[1] > k else 0.0
            return (label, len(own), min(held / total, 1.0)) if total > 0 else None
    return None


def _of_classes(found: Findings, tree: Tree, rules: list[Rule]) -> Markup:
    words = TreeWords(tree)
    rows: list[list[Piece]] = []
    unit = "rows" if found.data.weights is None else "weight"
    for i, rule in enumerate(rules):
        accuracy = rule.accuracy
        low, high = rule.interval()
        leaf = -1 if rule.leaf is None else rule.leaf
        shares = tree.arrays.value[leaf]
        total = float(shares.sum())
        label = shown(label_text(rule.label))
        bar: Piece = ""
        if total > 0:
            own = shares / total
            if len(own) > 10:
                own = np.sort(own)[::-1]
            bar = share_bar(
                own,
                width=_BAR,
                title=f"{label} {percent(float(own.max()))}",
                prefix=f"rule-{i}",
                height=9,
            )
        rows.append(
            [
                [words.premise(rule), ": ", tag("b", label)],
                bar,
                count(round(rule.covers, 1)),
                "" if accuracy is None else percent(accuracy),
                ""
                if accuracy is None
                else f"{percent(low).removesuffix('%').strip()} to {percent(high)}",
            ]
        )
    heads = [
        Head("if"),
        Head("shares", drop=True),
        Head(unit, is_number=True),
        Head("right", is_number=True),
        Head(LEVEL, is_number=True, drop=True),
    ]
    return table(heads, rows, full=True)


def _of_numbers(tree: Tree, rules: list[Rule]) -> Markup:
    words = TreeWords(tree)
    rows: list[list[Piece]] = []
    for rule in rules:
        leaf = -1 if rule.leaf is None else rule.leaf
        variance = float(tree.arrays.impurity[leaf])
        is_variance = tree.criterion == "squared_error" and tree.linear is None
        spread = f"± {measure_text(math.sqrt(max(variance, 0.0)))}" if is_variance else ""
        rows.append(
            [
                words.premise(rule),
                count(round(rule.covers, 1)),
                tag("b", measure_text(_mean(rule))),
                spread,
            ]
        )
    heads = [
        Head("if"),
        Head("rows", is_number=True),
        Head("answer" if tree.linear is None else "mean", is_number=True),
        Head("sd", is_number=True, drop=True),
    ]
    return table(heads, rows, full=True)


def _of_rule_set(found: Findings) -> Section | None:
    """Return the section of a learner of rules."""
    rules = getattr(found.model, "ruleset_", None)
    if rules is None:
        return None
    lines = str(rules).split("\n")[:400]
    return Section(
        anchor="rules",
        name="The rules",
        question="What are the decisions in words?",
        finding=f"{counted(len(rules), 'rule')} decide",
        blocks=[markup([tag("pre", Markup("\n".join(markup(line) for line in lines)))])],
    )
