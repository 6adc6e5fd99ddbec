"""Conditions of a tree in words: cuts rounded as in its picture, ranges joined.

``amount 8,950 to 17,250`` for ``8950 < amount <= 17250``, ``employment ≠ without work``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from treewright.draw.answers import answers_of
from treewright.draw.training_rows import TrainingRows, cuts_of
from treewright.draw.values import bound_text, category_text
from treewright.reporting.page.markup import shown
from treewright.tree.condition import SHORT, Condition, Interval, Members
from treewright.tree.question import Categories

if TYPE_CHECKING:
    from treewright.rules.rule import Rule
    from treewright.tree.tree import Tree

_UNKNOWN = (float("-inf"), float("inf"))
_MOST_VALUES = 6
"""Values of a set that are named."""
_MOST_LETTERS = 400
"""Of the conditions of one rule."""


class TreeWords:
    """The words of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rows = TrainingRows.kept_by(tree)

    def answer(self, node: int, branch: int) -> str:
        """Return the answer that leads along a branch: ``≤ 17,250``, ``= without work``."""
        question = self._tree.question(node)
        assert question is not None
        found = answers_of(question, node, self._rows)[branch]
        return found.text if found.lead or not found.is_set else f"= {found.text}"

    @cached_property
    def _rounded(self) -> dict[tuple[int, float | int], str]:
        """The text of each cut of each column; of several the one with most digits."""
        found: dict[tuple[int, float | int], str] = {}
        if self._rows is None:
            return found
        for node in range(self._tree.n_nodes):
            question = self._tree.question(node)
            if question is None or isinstance(question, Categories):
                continue
            if not hasattr(question, "index"):  # a linear combination
                continue
            near = self._rows.neighbours(node, question)
            for cut, (low, high) in zip(cuts_of(question), near, strict=True):
                text = bound_text(question.column, cut, low, high)
                key = (question.index, cut)
                if len(text) > len(found.get(key, "")):
                    found[key] = text
        return found

    def condition(self, given: Condition) -> str:
        """Return one condition."""
        if isinstance(given, Interval) and given.known:
            told = self._interval(given)
            if told:
                return told
        if isinstance(given, Members) and given.barred is None and not given.strays:
            told = _members(given)
            if told:
                return told
        name = SHORT.name(given.column) if hasattr(given, "column") else ""
        text = given.text(SHORT)
        if not name or not text.startswith(name):
            return text
        rest = text[len(name) :]
        for old, new in ((" != ", " ≠ "), (" not in {", " not "), (" in {", " ")):
            if rest.startswith(old):
                rest = new + rest[len(old) :].removesuffix("}" if "{" in old else "")
        for old, new in ((" <= ", " ≤ "), (" >= ", " ≥ ")):
            rest = new + rest[len(old) :] if rest.startswith(old) else rest
        return f"{shown(given.column.name)}{rest}"

    def _interval(self, given: Interval) -> str:
        """Return a range of numbers or dates; nothing for one of ordered names."""
        if given.column.storage == "value":
            return ""
        name = shown(given.column.name)
        low, high = (self._bound(given, each) for each in (given.low, given.high))
        if low and high:
            return f"{name} {low} to {high}"
        return f"{name} > {low}" if low else f"{name} ≤ {high}" if high else ""

    def _bound(self, given: Interval, bound: float | int | None) -> str:
        if bound is None:
            return ""
        known = self._rounded.get((given.index, bound))
        return known or bound_text(given.column, bound, *_UNKNOWN)

    def premise(self, rule: Rule) -> str:
        """Return the conditions of a rule."""
        told = ", ".join(self.condition(each) for each in rule.conditions) or "always"
        return shown(told, _MOST_LETTERS)


def _members(given: Members) -> str:
    """Return a set of values; one of more than half of them as what it leaves out."""
    values = given.column.values
    inside = sorted(given.codes)
    outside = [code for code in range(len(values)) if code not in given.codes]
    if not inside or not outside:
        return ""
    name = shown(given.column.name)
    codes = outside if len(outside) < len(inside) else inside
    names = [shown(category_text(given.column, code), 30) for code in codes[:_MOST_VALUES]]
    rest = len(codes) - len(names)
    told = " or ".join(names) + (f" +{rest}" if rest else "")
    if codes is inside:
        return f"{name} {'=' if len(codes) == 1 else ''} {told}".replace("  ", " ")
    return f"{name} {'≠' if len(codes) == 1 else 'not'} {told}"
