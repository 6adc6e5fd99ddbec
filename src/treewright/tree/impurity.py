"""What nodes weigh in impurity, and each column's share of what the tree takes away from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.arrays import LINEAR

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree


def impurity_mass(tree: Tree) -> FloatArray:
    """Return weight x impurity of each node, both as they were when the tree was grown.

    Nodes keep the weight of their rows as it is; under a cost matrix classes counted otherwise in
    growing (:meth:`LeafRule.growing_factors`), and impurities are about those weights.
    """
    arrays = tree.arrays
    weight = arrays.weight
    if tree.leaf.cost_matrix is not None:
        weight = arrays.value @ tree.leaf.growing_factors(arrays.value[0])
    return weight * arrays.impurity


def impurity_decrease(tree: Tree) -> FloatArray:
    """Return what each column takes away from the impurity, per unit of training weight."""
    brought, weight = _brought(tree), float(tree.arrays.weight[0])
    return brought / weight if weight > 0 else brought


def column_shares(tree: Tree) -> FloatArray:
    """Return each column's share of what the tree takes away from the impurity."""
    brought = _brought(tree)
    total = float(brought.sum())
    return brought / total if total > 0 else brought


def _brought(tree: Tree) -> FloatArray:
    mass = impurity_mass(tree)
    below = np.bincount(tree.arrays.parent[1:], weights=mass[1:], minlength=tree.n_nodes)
    return by_column(tree, mass - below)


def by_column(tree: Tree, brought: FloatArray) -> FloatArray:
    """Add up what nodes bring by the column they ask about; sums divide it among theirs."""
    arrays = tree.arrays
    plain = (arrays.n_branches > 0) & (arrays.kind != LINEAR)
    totals = np.zeros(len(tree.schema.columns))
    np.add.at(totals, arrays.column[plain], brought[plain])
    sums = np.flatnonzero(arrays.kind == LINEAR)
    sums = sums[np.argsort(arrays.term_offset[sums])]
    parts = np.repeat(brought[sums], arrays.term_count[sums]) * arrays.term_share
    np.add.at(totals, arrays.term_column, parts)
    return totals
