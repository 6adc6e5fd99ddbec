"""Rule sets to graphs: a rule is a chain of questions, and each that fails leads past the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import UnsupportedError
from treewright.export.form import graph as kinds
from treewright.export.form.form import Decision, Form
from treewright.export.form.graph import GraphBuilder
from treewright.export.form.inputs import inputs_of
from treewright.tree.condition import Condition, Interval, LinearInterval, Members
from treewright.tree.linear_leaves import LinearModel

if TYPE_CHECKING:
    from treewright.export.form.inputs import Input
    from treewright.rules.rule import Rule
    from treewright.rules.ruleset import RuleSet

_MEETS, _FAILS = 0, 1


def form_of_rules(rules: RuleSet, name: str) -> Form:
    """Return the form of a rule set whose rules are in order, or vote."""
    if rules.mode == "shares":
        raise UnsupportedError(
            "export: these rules are those of a tree that divides rows with missing values among"
            " its leaves.\n  Hint: export the tree itself."
        )
    said = (*rules.rules, rules.default)
    if any(isinstance(rule.label, LinearModel) for rule in said):
        raise UnsupportedError(
            "export: rules with linear models cannot be exported.\n"
            "  Hint: export the tree that they were read from."
        )
    used = {index for rule in rules.rules for index in rule.column_indices()}
    inputs = inputs_of(rules.schema, used)
    classes = None
    if rules.classes is not None:
        classes = tuple(rules.classes[0].tolist())
    writer = _RuleWriter(inputs)
    if rules.mode == "ordered":
        writer.add_ordered(rules)
        codes = None
        if classes is not None:
            codes = np.array([classes.index(rule.label) for rule in said], dtype=np.int32)
        return Form(
            model=name,
            inputs=inputs,
            classes=classes,
            graph=writer.builder.graph(has_links=True),
            combination="single",
            decision=Decision(class_of_leaf=codes),
            refuses_unseen=rules.unseen == "error",
            is_rules=True,
        )
    assert classes is not None
    default = classes.index(rules.default.label)
    for rule in rules.rules:
        line = np.zeros(len(classes))
        line[classes.index(rule.label)] = rule.confidence
        writer.add_vote(rule, line)
    if not rules.rules:  # a tree is due
        writer.add_vote(rules.default, np.zeros(len(classes)))
    return Form(
        model=name,
        inputs=inputs,
        classes=classes,
        graph=writer.builder.graph(has_links=True),
        combination="rules",
        otherwise=np.asarray(rules.default.distribution, dtype=np.float64),
        default_class=default,
        decision=Decision(costs=rules.leaf.cost_matrix),
        refuses_unseen=rules.unseen == "error",
        is_rules=True,
    )


class _RuleWriter:
    """Writes rules as nodes whose children are named one by one."""

    def __init__(self, inputs: tuple[Input, ...]) -> None:
        self.builder = GraphBuilder()
        self._input_of_column = {each.index: place for place, each in enumerate(inputs)}

    def add_ordered(self, rules: RuleSet) -> None:
        """Add rules in order: what fails leads to the next one, at last to the default."""
        steps = [self._steps(rule) for rule in rules.rules]
        starts = np.cumsum([0, *(len(each) + 1 for each in steps)])
        self.builder.add("root", [0])
        for rule, own, start in zip(rules.rules, steps, starts.tolist(), strict=False):
            self._add_chain(own, start, start + len(own), start + len(own) + 1)
            self._add_leaf(rule)
        self._add_leaf(rules.default)

    def add_vote(self, rule: Rule, line: np.ndarray) -> None:
        """Add a rule that votes: a tree with the leaves 'meets it' and 'does not'."""
        start = self.builder.size("kind")
        steps = self._steps(rule)
        self.builder.add("root", [start])
        end = start + len(steps)
        self._add_chain(steps, start, end, end + 1)
        self._add_leaf(rule, line)
        self._add_leaf(rule, np.zeros_like(line))

    def _steps(self, rule: Rule) -> list[tuple[Condition, float | int | None, bool]]:
        """Return the questions of a rule: a condition, its bound, and whether above is right."""
        steps: list[tuple[Condition, float | int | None, bool]] = []
        for each in rule.conditions:
            if isinstance(each, Members) or not each.known:
                steps.append((each, None, False))
                continue
            bounds = [(each.low, True), (each.high, False)]
            own = [(each, bound, above) for bound, above in bounds if bound is not None]
            steps.extend(own or [(each, None, False)])
        return steps

    def _add_chain(
        self,
        steps: list[tuple[Condition, float | int | None, bool]],
        start: int,
        meets: int,
        fails: int,
    ) -> None:
        for place, (condition, bound, above) in enumerate(steps):
            following = start + place + 1 if place + 1 < len(steps) else meets
            self._add_question(condition, bound)
            # Branch 0 is up to the bound (or in the set), branch 1 above it (or outside).
            ahead = [fails, following] if above else [following, fails]
            meets_branch = 1 if above else 0
            if bound is None and isinstance(condition, Interval):
                ahead = [following if condition.known else fails, fails]
                meets_branch = 0 if condition.known else 1
                if not condition.known:
                    ahead[1] = following
            into = self.builder
            into.add("missing", [meets_branch if condition.missing else 1 - meets_branch])
            into.add("unseen", [meets_branch if condition.unseen else 1 - meets_branch])
            into.add("child", [into.size("links")])
            into.add("links", ahead)
            into.add("n_branches", [2])
            into.add("n_rows", [0])

    def _add_question(self, condition: Condition, bound: float | int | None) -> None:
        into = self.builder
        number, at, count, rest = 0.0, 0, 0, kinds.ALL_BRANCHES
        if isinstance(condition, Members):
            kind = kinds.MEMBERS
            meets = condition.code_table()[:-2]
            at, count = into.size("code"), len(meets)
            into.add("code", np.arange(len(meets)))
            into.add("branch", np.where(meets, _MEETS, _FAILS))
        elif isinstance(condition, LinearInterval):
            kind, number = kinds.LINEAR, float(np.inf if bound is None else bound)
            at, count = into.size("term_input"), len(condition.terms)
            into.add("term_input", [self._input_of_column[index] for index, _ in condition.terms])
            into.add("term_coefficient", [factor for _, factor in condition.terms])
        elif condition.column.storage == "float":
            kind, number = kinds.CUT, float(np.inf if bound is None else bound)
        else:
            kind = kinds.WHOLE_CUTS
            at, count = into.size("whole"), 1
            into.add("whole", np.array([np.iinfo(np.int64).max if bound is None else bound]))
        into.add("kind", [kind])
        into.add("input", [self._input_of_column[condition.index]])
        into.add("number", [number])
        into.add("at", [at])
        into.add("count", [count])
        into.add("rest", [rest])

    def _add_leaf(self, rule: Rule, line: np.ndarray | None = None) -> None:
        into = self.builder
        into.add("child", [into.size("line")])
        said = rule.distribution if line is None else line
        into.add("line", np.asarray(said, dtype=np.float64)[np.newaxis])
        for name, value in (("kind", 0), ("input", 0), ("number", 0.0), ("at", 0), ("count", 0)):
            into.add(name, [value])
        for name in ("missing", "unseen", "rest"):
            into.add(name, [-1])
        into.add("n_branches", [0])
        into.add("n_rows", [int(rule.n_rows)])
