"""Simplification: subtrees that cannot change a prediction become leaves."""

from __future__ import annotations

import numpy as np

from treewright.array_types import BoolArray, IntegerArray
from treewright.parameters import check_flag
from treewright.prune.base import Cuts, cut
from treewright.prune.risk import leaves_below
from treewright.tree.edit import has_marked_ancestor
from treewright.tree.leaf import by_output
from treewright.tree.tree import Tree


def simplify(tree: Tree, *, probabilities: bool = False, missing: bool = True) -> Tree:
    """Return the smallest equivalent tree; see :meth:`treewright.tree.tree.Tree.simplify`."""
    check_flag("probabilities", probabilities)
    check_flag("missing", missing)
    alike = _all_below_alike(tree, _identity(tree, exact=True))
    is_part = np.zeros(tree.n_nodes, dtype=bool)
    if missing:
        is_part = has_marked_ancestor(tree, _may_divide(tree))
    if tree.combine == "leaf_counts":  # the weight of a leaf matters beside other parts of a row
        alike &= ~is_part
    if not probabilities and tree.classes is not None:
        # A sum of distributions that favour one class favours it too, but beside parts of the row
        # that reach other leaves the margin matters.
        alike |= _all_below_alike(tree, _identity(tree, exact=False)) & ~is_part
    marked = (tree.arrays.n_branches > 0) & alike
    topmost = np.flatnonzero(marked & ~has_marked_ancestor(tree, marked))
    merged = Cuts(
        node=topmost,
        before=leaves_below(tree)[topmost],
        after=np.ones(len(topmost)),
        compared="leaves that say the same, and the one in their place",
    )
    return cut("simplify", tree, merged)


def _identity(tree: Tree, *, exact: bool) -> IntegerArray:
    """Return a number for each node, equal for nodes of equal predictions."""
    answers = tree.answers
    if not exact:
        assert tree.classes is not None
        parts = by_output(answers, tree.classes)
        answers = np.column_stack([tree.leaf.choose(part) for part in parts])
    order = np.lexsort(answers.T)
    is_new = (answers[order[1:]] != answers[order[:-1]]).any(axis=1)
    number: IntegerArray = np.empty(tree.n_nodes, dtype=np.int64)
    number[order] = np.append(0, np.cumsum(is_new))
    if tree.linear is not None:  # each linear model counts as different
        is_linear = np.diff(tree.linear.start) > 0
        number = np.where(is_linear, tree.n_nodes + np.arange(tree.n_nodes), number)
    return number


def _all_below_alike(tree: Tree, identity: IntegerArray) -> BoolArray:
    """Return whether each node and all leaves below it have one number."""
    parent = tree.arrays.parent.tolist()
    common = identity.tolist()
    is_mixed = [False] * len(common)
    for node in range(len(common) - 1, 0, -1):
        above = parent[node]
        if is_mixed[node] or common[node] != common[above]:
            is_mixed[above] = True
    return ~np.array(is_mixed)


def _may_divide(tree: Tree) -> BoolArray:
    """Return whether each node can divide a row among several branches."""
    arrays = tree.arrays
    return (arrays.n_branches > 0) & ((arrays.missing_branch < 0) | (arrays.unseen_branch < 0))
