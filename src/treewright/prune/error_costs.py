"""Costs of errors for methods that count errors: in units of an error of average cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorCosts:
    """Costs of errors in pruning, in errors of average cost.

    Parameters
    ----------
    unit
        Average cost of an error, the unit of all other figures.
    cost
        Cost matrix, actual by predicted class; empty where every error costs 1.
    price
        By predicted class, the cost of an error beyond those among the training rows of a leaf.
    added
        Pseudo-counts that a leaf adds to its class weights; empty where they change nothing.
    """

    unit: float
    cost: FloatArray
    price: FloatArray
    added: FloatArray


def error_costs(tree: Tree) -> ErrorCosts:
    """Return the costs of errors in a tree, and their unit.

    The classes of further errors are as frequent as in the whole training table.
    The unit is the mean cost of a misclassification over its rows.

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
    # Where all errors cost the same, one more row of every class changes no prediction.
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
