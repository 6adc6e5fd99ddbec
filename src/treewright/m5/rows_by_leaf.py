"""The training rows of a tree in the order of its leaves: every node then owns a slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.grow.problem import Problem
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsByLeaf:
    """The training rows in the order of the leaves they reach: every node owns a slice.

    Parameters
    ----------
    order
        The rows of the table in that order.
    start, stop
        The slice of each node.
    target, weight
        Target and weight in that order; a weight of None means all 1.
    n_cases
        Number of rows of each node, copies counted.
    """

    order: Int64Array
    start: Int64Array
    stop: Int64Array
    target: FloatArray
    weight: FloatArray | None
    n_cases: FloatArray

    @classmethod
    def of(cls, tree: Tree, problem: Problem) -> RowsByLeaf:
        """Return the training rows of a problem, routed through a tree."""
        arrays = tree.arrays
        place = np.empty(tree.n_nodes, dtype=np.int64)
        place[tree.reading_order] = np.arange(tree.n_nodes)
        reached = place[tree.plan.apply(problem.table)]
        order = np.argsort(reached, kind="stable")
        before = np.concatenate([[0], np.cumsum(np.bincount(reached, minlength=tree.n_nodes))])
        size = np.ones(tree.n_nodes, dtype=np.int64)
        for node in range(tree.n_nodes - 1, 0, -1):
            size[arrays.parent[node]] += size[node]
        start, stop = before[place], before[place + size]
        weight, copies = problem.weights.weight, problem.weights.copies
        counted = np.ones(len(order)) if copies is None else copies[order]
        n_before = np.concatenate([[0.0], np.cumsum(counted)])  # whole numbers: no rounding
        return cls(
            order=order,
            start=start,
            stop=stop,
            target=problem.learned_values()[order],
            weight=None if weight is None else weight[order],
            n_cases=n_before[stop] - n_before[start],
        )

    @property
    def deviation(self) -> float:
        """Standard deviation of the target."""
        mean = np.average(self.target, weights=self.weight)
        return float(np.sqrt(np.average((self.target - mean) ** 2, weights=self.weight)))

    def target_range(self, nodes: Int64Array) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest target of each of these nodes."""
        own = [self.target[self.start[node] : self.stop[node]] for node in nodes.tolist()]
        return np.array([part.min() for part in own]), np.array([part.max() for part in own])
