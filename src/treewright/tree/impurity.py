"""Weighted impurity of nodes, and the decrease of impurity that is due to each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.arrays import LINEAR

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree

_ROUNDING = 2.0**-50
"""Share of what a decrease is the difference of, below which it is rounding."""


def impurity_mass(tree: Tree) -> FloatArray:
    """Return weight x impurity of each node, both as in growing.

    Nodes store the weight of their rows unaltered; under a cost matrix classes had other weights in
    growing (:meth:`LeafRule.growing_factors`), and impurities are those of the altered weights.
    """
    arrays = tree.arrays
    weight = arrays.weight
    if tree.leaf.cost_matrix is not None:
        weight = arrays.value @ tree.leaf.growing_factors(arrays.value[0])
    return weight * arrays.impurity


def impurity_decrease(tree: Tree) -> FloatArray:
    """Return the decrease of impurity due to each column, per unit of training weight."""
    brought, weight = _brought(tree), float(tree.arrays.weight[0])
    return brought / weight if weight > 0 else brought


def column_shares(tree: Tree) -> FloatArray:
    """Return each column's share of the total decrease of impurity."""
    brought = _brought(tree)
    total = float(brought.sum())
    return brought / total if total > 0 else brought


def _brought(tree: Tree) -> FloatArray:
    mass = impurity_mass(tree)
    below = np.bincount(tree.arrays.parent[1:], weights=mass[1:], minlength=tree.n_nodes)
    brought = mass - below
    summed = mass
    if tree.classes is not None:  # entropy is a difference of sums of w log w
        summed = mass + tree.arrays.weight * np.log2(1.0 + tree.arrays.weight)
    brought[np.abs(brought) <= _ROUNDING * summed] = 0.0
    return by_column(tree, brought)


def by_column(tree: Tree, brought: FloatArray) -> FloatArray:
    """Return the sum of node figures by column; linear combinations (oblique) divide theirs."""
    arrays = tree.arrays
    plain = (arrays.n_branches > 0) & (arrays.kind != LINEAR)
    totals = np.zeros(len(tree.schema.columns))
    np.add.at(totals, arrays.column[plain], brought[plain])
    sums = np.flatnonzero(arrays.kind == LINEAR)
    sums = sums[np.argsort(arrays.term_offset[sums])]
    parts = np.repeat(brought[sums], arrays.term_count[sums]) * arrays.term_share
    np.add.at(totals, arrays.term_column, parts)
    return totals
