"""Sums over the subtrees of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import Array
from treewright.core import cut_from_below as core_cut_from_below
from treewright.core import sums_below
from treewright.core import weakest_links as core_weakest_links

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray, Int64Array
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.tree import Tree


def add_up(tree: Tree, at_leaves: Array) -> FloatArray:
    """Return, for each node, the sum of the values at the leaves below it, or its own at a leaf."""
    return at_leaves + below(tree, at_leaves)


def below(tree: Tree, values: Array, *, stops: BoolArray | None = None) -> FloatArray:
    """Return, for each node, the sum of the values at the nodes below it.

    Parameters
    ----------
    tree
        The tree.
    values
        One value per node.
    stops
        Marks nodes whose descendants are not counted by the nodes above them; none by default.
    """
    return sums_below(tree.arrays, np.ascontiguousarray(values, dtype=np.float64), stops)


def cut_from_below(
    arrays: TreeArrays,
    figure: FloatArray,
    bound: FloatArray,
    *,
    slack: float,
    questions: FloatArray | None,
    only_leaf_parents: bool,
) -> tuple[Int64Array, FloatArray]:
    """Return the nodes that become leaves from the bottom up, and the figures of their subtrees.

    See :func:`treewright.prune.base.bottom_up`.
    """
    asked = None if questions is None else np.ascontiguousarray(questions, dtype=np.float64)
    return core_cut_from_below(
        arrays,
        np.ascontiguousarray(figure, dtype=np.float64),
        asked,
        np.ascontiguousarray(bound, dtype=np.float64),
        slack,
        only_leaf_parents,
    )


def weakest_links(arrays: TreeArrays, risk: FloatArray) -> FloatArray:
    """Return the penalty per leaf at which each node becomes a leaf (Breiman et al. 1984, 3.3)."""
    links: FloatArray = core_weakest_links(arrays, risk)
    return links
