"""What errors cost where they are counted one by one: in units of an error of average cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorCosts:
    """What errors cost while a tree is pruned, in errors of average cost.

    Parameters
    ----------
    unit
        What an error costs on average: all other figures are multiples of it.
    cost
        Of each actual class by each decided class; empty where every error costs 1.
    price
        By decided class: what an error not seen among the training rows of a leaf costs.
    added
        What a leaf adds to its class weights before it decides; empty where that changes nothing.
    """

    unit: float
    cost: FloatArray
    price: FloatArray
    added: FloatArray


def error_costs(tree: Tree) -> ErrorCosts:
    """Find what errors cost in a tree, and in which unit they are counted.

    An error not seen yet is of the other classes as they are frequent in the whole training table.
    The unit is the mean over its rows of what taking one for another class costs.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> costs = [[0, 1], [4, 0]]
    >>> tree = DecisionTreeClassifier(cost_matrix=costs).fit([[1], [2], [3]], list("aab")).tree_
    >>> prices = error_costs(tree)
    >>> prices.unit, prices.price.tolist()
    (2.0, [2.0, 0.5])
    """
    whole, costs = tree.arrays.value[0], tree.leaf.cost_matrix
    nothing = np.zeros(0)
    added = tree.leaf.added(whole)
    # Where all errors cost alike, a row more of every class decides nothing.
    matters = added if tree.leaf.estimate == "m_estimate" else nothing
    others = ~np.eye(len(whole), dtype=bool)
    if costs is None:
        return ErrorCosts(unit=1.0, cost=nothing, price=nothing, added=matters)
    dearest = float(costs.max())
    if not costs.diagonal().any() and (costs[others] == dearest).all():
        return ErrorCosts(unit=dearest, cost=nothing, price=nothing, added=matters)
    share = whole / max(whole.sum(), 1e-300)
    mean = np.where(others, costs, 0.0).sum(axis=1) / max(len(whole) - 1, 1)
    unit = float(share @ mean) or dearest
    weight = np.where(others, share[:, np.newaxis], 0.0)
    weight = np.where(weight.sum(axis=0) > 0, weight, others)
    price = (weight * costs).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-300)
    return ErrorCosts(
        unit=unit,
        cost=np.ascontiguousarray(costs / unit),
        price=np.maximum(price - costs.diagonal(), 0.0) / unit,
        added=added if added.any() else nothing,
    )
