"""One difference of two trees, and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from treewright.tree.condition import COMPLETE, SHORT, Wording
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright.compare.alignment import Change
    from treewright.tree.tree import Tree

_LONGEST_PATH = 60
"""A longer path is written by its last steps: merged and in full it would fill pages."""
_LAST_STEPS = 3
_MOST_LISTED = 1
"""Number of branches or surrogates shown of one difference."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference:
    """One difference of two trees, at nodes whose paths correspond.

    Parameters
    ----------
    change
        The kind: ``"question"`` (they ask about different things, or group values
        differently), ``"pruned"`` (only the first tree asks), ``"grown"`` (only the second asks),
        ``"branches"`` (the same column, but some branches have no counterpart), ``"threshold"``
        (the same cuts at other values), ``"missing"`` (missing or unseen values take other
        branches), ``"label"`` and ``"value"`` (leaves with another class or number). Below
        ``"question"``, ``"pruned"`` and ``"grown"`` nothing is compared.
    first_node, second_node
        The node in each tree.
    n_rows, share
        Training rows of the node in the first tree, and its share of all training weight.
    first_size, second_size
        Number of nodes of each subtree.
    """

    change: Change
    first_node: int
    second_node: int
    n_rows: int
    share: float
    first_size: int
    second_size: int
    trees: tuple[Tree, Tree] = field(repr=False)

    @property
    def path(self) -> tuple[str, ...]:
        """Texts of the conditions on the path in the first tree; empty at the root."""
        return self.path_in_words(SHORT)

    @property
    def first(self) -> str:
        """Text of the node in the first tree."""
        return self.in_words(SHORT)[0]

    @property
    def second(self) -> str:
        """Text of the node in the second tree."""
        return self.in_words(SHORT)[1]

    def path_in_words(self, wording: Wording) -> tuple[str, ...]:
        """Return the texts of the conditions on the path, merged per column, or its last ones."""
        return _path_in_words(self.trees[0], self.first_node, wording)

    def in_words(self, wording: Wording) -> tuple[str, str]:
        """Return the text of the node in each tree."""
        places = ((self.trees[0], self.first_node), (self.trees[1], self.second_node))
        if self.change in ("branches", "missing"):
            tell = _branches if self.change == "branches" else _strays
            mine, theirs = (tell(tree, node, wording) for tree, node in places)
            return _not_in(mine, theirs, wording), _not_in(theirs, mine, wording)
        one, two = (_asks(tree, node, wording) for tree, node in places)
        if self.change == "question" and one == two:  # one column, split in two ways
            one, two = (" | ".join(_branches(tree, node, wording)) for tree, node in places)
        return one, two

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain strings and numbers."""
        first, second = self.in_words(COMPLETE)
        return {
            "change": self.change,
            "path": list(self.path_in_words(COMPLETE)),
            "rows": self.n_rows,
            "share": self.share,
            "first": {"node": self.first_node, "says": first, "nodes": self.first_size},
            "second": {"node": self.second_node, "says": second, "nodes": self.second_size},
        }


def _asks(tree: Tree, node: int, wording: Wording) -> str:
    question = tree.question(node)
    if question is None:
        return f"{'->' if wording.ascii else '→'} {label_in_words(tree.label(node))}"
    return question.text(0, wording) if question.n_branches == 2 else wording.name(question.column)


def _branches(tree: Tree, node: int, wording: Wording) -> list[str]:
    question = tree.question(node)
    assert question is not None
    return [question.text(branch, wording) for branch in range(question.n_branches)]


def _not_in(words: list[str], others: list[str], wording: Wording) -> str:
    alone = [each for each in words if each not in others]
    if len(alone) > _MOST_LISTED and wording.max_values is not None:
        n_left_out = len(alone) - _MOST_LISTED
        alone[_MOST_LISTED:] = [f"{'...' if wording.ascii else '…'} {n_left_out} more"]
    return " | ".join(alone) or "-"


def _strays(tree: Tree, node: int, wording: Wording) -> list[str]:
    """Return the texts of the branches of missing and unseen values."""
    question = tree.question(node)
    assert question is not None
    branches = [*_branches(tree, node, wording), "every branch"]
    arrow = "->" if wording.ascii else "→"
    return [
        *(f"else {surrogate.text(0, wording)}" for surrogate in tree.surrogates(node)),
        f"missing {arrow} {branches[question.missing_branch]}",
        f"unseen {arrow} {branches[question.unseen_branch]}",
    ]


def _path_in_words(tree: Tree, node: int, wording: Wording) -> tuple[str, ...]:
    from treewright.tree.routing import conditions_of

    n_tests = int(tree.levels[node])
    if n_tests <= _LONGEST_PATH:
        return tuple(each.text(wording) for each in conditions_of(tree, node))
    last = [node]
    while len(last) <= _LAST_STEPS:
        last.append(int(tree.arrays.parent[last[-1]]))
    steps = []
    for parent, child in pairwise(reversed(last)):
        question = tree.question(parent)
        assert question is not None
        steps.append(question.text(child - tree.children(parent).start, wording))
    ellipsis = "..." if wording.ascii else "…"
    return (f"{ellipsis} {n_tests - _LAST_STEPS} tests", *steps)
