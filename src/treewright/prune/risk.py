"""Leaves below each node, and the risk of each node as a leaf on its training rows."""

from __future__ import annotations

import numpy as np

from treewright.array_types import FloatArray
from treewright.prune.bottom_up import add_up
from treewright.tree.impurity import impurity_mass
from treewright.tree.leaf import LeafRule, by_output
from treewright.tree.tree import Tree


def leaves_below(tree: Tree) -> FloatArray:
    """Return the number of leaves of every subtree."""
    return add_up(tree, (tree.arrays.n_branches == 0).astype(np.float64))


def training_risk(tree: Tree, *, squared: bool = False) -> FloatArray:
    """Return the risk of each node as a leaf: the cost of its training rows.

    It is the weight of the rows of other classes (or their cost under the cost matrix); for numbers
    the node's weight times its impurity. `squared` sums the squared costs of rows, of classes only.
    """
    if tree.classes is None:
        return impurity_mass(tree)
    total: FloatArray = np.zeros(tree.n_nodes)
    costs = tree.leaf.cost_matrix
    rule = tree.leaf if costs is None or not squared else LeafRule(cost_matrix=costs**2)
    values = by_output(tree.arrays.value, tree.classes)
    for counts, answer in zip(values, by_output(tree.answers, tree.classes), strict=True):
        total += rule.cost_of(counts, tree.leaf.choose(answer))
    return total
