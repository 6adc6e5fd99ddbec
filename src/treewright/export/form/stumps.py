"""AdaBoost's stumps as they vote: a row that follows both branches gets the class of the root."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.arrays import LEAF
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.tree.arrays import TreeArrays

_BOTH = 2
_OF_LISTS = (
    "code",
    "branch_of_code",
    "cut",
    "cut_int",
    "term_column",
    "term_coefficient",
    "term_share",
)
"""Arrays that have entries of lists, not of nodes; and a stump has no surrogates."""


def voting_stump(stump: Tree) -> Tree:
    """Return a stump whose third leaf, with the vote of the root, is for rows that follow both.

    The branches together weigh what the root weighs, but their sum is rounded, and may choose
    another class of a tie; and ties are usual: a round of SAMME leaves all classes equally heavy.
    For the same reason leaves have the class they vote for, and nothing else.
    """
    arrays = stump.arrays
    votes = np.zeros_like(arrays.value)
    votes[np.arange(len(votes)), arrays.value.argmax(axis=1)] = 1.0
    arrays = replace(arrays, value=votes)
    divides = (arrays.missing_branch[0] < 0) | (arrays.unseen_branch[0] < 0)
    if arrays.kind[0] != LEAF and divides:
        arrays = _with_third_leaf(arrays)
    return Tree(
        arrays=arrays,
        schema=stump.schema,
        classes=stump.classes,
        criterion=stump.criterion,
        unseen=stump.unseen,
        engine=stump.engine,
    )


def _with_third_leaf(arrays: TreeArrays) -> TreeArrays:
    names = [each.name for each in fields(arrays) if not each.name.startswith("surrogate")]
    parts = {name: getattr(arrays, name)[[0, 1, 2, 1]] for name in names if name not in _OF_LISTS}
    parts["value"][3] = arrays.value[0]
    parts["n_branches"][0] = _BOTH + 1
    for name in ("missing_branch", "unseen_branch"):
        if parts[name][0] < 0:
            parts[name][0] = _BOTH
    return replace(arrays, **parts, surrogate_start=np.empty(0, dtype=np.int32))
