"""Routing of one row at one node, in terms of nodes and branches.

The compiled plan routes whole tables; these functions serve explanations and consultations, one row
and one node at a time, by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from treewright.tree.condition import Condition, Conjunction, merge
from treewright.tree.question import EVERY_BRANCH, Question, Stored
from treewright.tree.surrogate import Surrogate

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def branch_taken(
    tree: Tree, node: int, question: Question, value_of: Callable[[Question], Stored]
) -> tuple[int, Surrogate | None]:
    """Return the branch of a row, or :data:`EVERY_BRANCH`, and the surrogate used, if any.

    Where the value is missing or unseen, the node's surrogates are tried in order, then the node's
    branch for such values is taken.

    Parameters
    ----------
    tree, node, question
        The node, and its question.
    value_of
        Function that returns the row's value for a question.
    """
    value = value_of(question)
    if not question.knows(value):
        for surrogate in tree.surrogates(node):
            instead = surrogate.branch_of(value_of(surrogate.question))
            if instead != EVERY_BRANCH:
                return instead, surrogate
    return question.branch_of(value), None


def branches_followed(tree: Tree, node: int, branch: int) -> list[tuple[int, float]]:
    """Return the branches that a row follows, and its share in each."""
    if branch != EVERY_BRANCH:
        return [(branch, 1.0)]
    shares = tree.branch_shares(node).tolist()
    return [(each, share) for each, share in enumerate(shares) if share > 0]


def conditions_of(tree: Tree, node: int) -> Conjunction:
    """Return the conditions on the path to one node, merged by column."""
    return merge(_condition_at(tree, parent, child) for parent, child in pairwise(tree.path(node)))


def _condition_at(tree: Tree, parent: int, child: int) -> Condition:
    question = tree.question(parent)
    assert question is not None  # only inner nodes have children
    return question.condition(child - tree.children(parent).start)
