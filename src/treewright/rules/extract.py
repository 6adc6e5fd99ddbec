"""One rule per leaf, with the conditions of its path merged per column.

The rules of a tree are a lazy sequence: in full, they can be quadratic in the size of the tree.
Iterating over them costs one merge per node; indexing a single one walks its path.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from treewright.array_types import Array
from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import nearest_hint
from treewright.rules.rule import Rule
from treewright.text.names import list_names
from treewright.text.notebook import text_html
from treewright.tree.condition import COMPLETE, SHORT, Condition, Conjunction, Wording, merge_into
from treewright.tree.leaf import by_output
from treewright.tree.routing import conditions_of

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int32Array
    from treewright.tree.tree import Tree


_MOST_IN_NOTEBOOK = 50
"""Rules that a notebook shows; those of a large tree would take long to write."""


class RuleSequence(Sequence[Rule]):
    """The rules of a tree from left to right, made lazily."""

    def __init__(self, tree: Tree, leaves: Int32Array) -> None:
        self._tree = tree
        self._leaves = leaves

    def __len__(self) -> int:
        return len(self._leaves)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> RuleSequence: ...

    def __getitem__(self, index: int | slice) -> Rule | RuleSequence:
        if isinstance(index, slice):
            return RuleSequence(self._tree, self._leaves[index])
        leaf = int(self._leaves[index])
        return self._rule(leaf, conditions_of(self._tree, leaf))

    def __iter__(self) -> Iterator[Rule]:
        for leaf, conditions in walk_leaves(self._tree, self._leaves):
            yield self._rule(leaf, conditions)

    def __repr__(self) -> str:
        return f"<{len(self)} rules of {self._tree!r}>"

    def __str__(self) -> str:
        return self.text()

    @cached_property
    def _errors(self) -> FloatArray | None:
        """Misclassified weight of each node."""
        tree = self._tree
        if tree.classes is None or tree.n_outputs > 1:
            return None
        code_of_label = {label: code for code, label in enumerate(tree.classes[0].tolist())}
        labels = [code_of_label[tree.label(node)] for node in range(tree.n_nodes)]
        wrong = tree.arrays.value.copy()
        wrong[np.arange(tree.n_nodes), labels] = 0.0
        return np.asarray(wrong.sum(axis=1))

    @cached_property
    def _class_weights(self) -> FloatArray:
        """Class weights of each node, smoothed by the tree's leaf rule."""
        value = self._tree.arrays.value
        if self._tree.classes is None:
            return value[:, :0]
        parts = by_output(value, self._tree.classes)
        return np.hstack([self._tree.leaf.smoothed(part, part[0]) for part in parts])

    def _rule(self, leaf: int, conditions: Conjunction) -> Rule:
        """Return the rule of a leaf."""
        tree = self._tree
        has_rows = tree.has_rows
        return Rule(
            conditions=conditions,
            label=tree.label(leaf),
            leaf=leaf,
            n_rows=int(tree.arrays.n_rows[leaf]),
            covers=float(tree.arrays.weight[leaf]) * has_rows,
            errors=None if self._errors is None else float(self._errors[leaf]) * has_rows,
            distribution=tree.answers[leaf],
            weights=self._class_weights[leaf],
            schema=tree.schema,
        )

    def for_label(self, label: object) -> RuleSequence:
        """Return the rules that predict one class."""
        return RuleSequence(self._tree, leaves_of(self._tree, label, among=self._leaves))

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return the text of all rules, one per line."""
        return "\n".join(rule.text(wording) for rule in self)

    def _repr_html_(self) -> str:
        rest = len(self) - _MOST_IN_NOTEBOOK
        more = f"\n… {rest:,} more rules" if rest > 0 else ""
        return text_html(f"{self[:_MOST_IN_NOTEBOOK].text(SHORT)}{more}")


def rules(tree: Tree) -> RuleSequence:
    """Return the rules of a tree, one per leaf, from left to right."""
    order = tree.reading_order
    return RuleSequence(tree, order[tree.arrays.n_branches[order] == 0])


def leaves_of(tree: Tree, label: object, *, among: Int32Array) -> Int32Array:
    """Return those leaves that predict a class."""
    check_label(label, tree.classes, subject="This tree predicts")
    keep = np.array([tree.label(leaf) == label for leaf in among.tolist()], dtype=bool)
    kept: Int32Array = among[keep]
    return kept


def check_label(label: object, classes: tuple[Array, ...] | None, *, subject: str) -> None:
    """Refuse a label that is none of the classes that a tree or rules predict."""
    if classes is None or len(classes) > 1:
        what = "numbers" if classes is None else "several classes at once"
        raise UnsupportedError(
            f"{subject} {what}, so rules cannot be chosen by class.\n"
            "  Hint: printed, the rules show what each of them predicts."
        )
    names = classes[0].tolist()
    if not isinstance(label, Hashable) or label not in names:
        known = list_names(map(str, names))
        raise ParameterError(
            f"label={label!r} is none of the classes.\n"
            f"  Classes: {known}{nearest_hint(label, map(str, names))}"
        )


def walk_leaves(tree: Tree, leaves: Int32Array) -> Iterator[tuple[int, Conjunction]]:
    """Yield the given leaves (in reading order) with the merged conditions of their paths."""
    wanted = np.zeros(tree.n_nodes, dtype=bool)
    wanted[leaves] = True
    pending: list[tuple[int, dict[object, Condition]]] = [(0, {})]
    while pending:
        node, merged = pending.pop()
        question = tree.question(node)
        if question is None:
            if wanted[node]:
                yield node, tuple(merged.values())
            continue
        children = tree.children(node)
        for branch in range(len(children) - 1, -1, -1):
            below = dict(merged)
            merge_into(below, question.condition(branch))
            pending.append((children[branch], below))
