"""rpart's complexity parameter: which splits it takes back while it grows a tree.

rpart decides on a node once its branches are grown (partition.c of rpart 4.1). Its rule is close to
minimal cost-complexity pruning, but the risk of a branch is that of its subtree *without* the
splits that would collapse before the branch does, whether the penalty reaches them or not. So
rpart can give up a split that the nested sequence of Breiman et al. (1984) keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray
from treewright.prune.base import Cuts
from treewright.tree.tree import Tree


@dataclass(kw_only=True)
class _Walk:
    """The state of the walk over the nodes, left branch first; one entry per node.

    Parameters
    ----------
    risk, alpha
        Risk of each node as a leaf, and the penalty of a split.
    bound
        What a split of the node can bring at most, as known when it is reached.
    complexity
        The penalty at which the node would become a leaf.
    left_over, n_splits
        Risk and splits of its subtree, without splits that collapse before the node.
    """

    risk: list[float]
    alpha: float
    bound: list[float]
    complexity: list[float]
    left_over: list[float]
    n_splits: list[int]

    def collapses_at_once(self, node: int) -> bool:
        """Return whether no split of the node could be worth its penalty."""
        self.complexity[node] = self.alpha
        self.left_over[node] = self.risk[node]
        return self._most(node) <= self.alpha

    def _most(self, node: int) -> float:
        return min(self.risk[node], self.bound[node])

    def enter_left(self, node: int, left: int) -> None:
        self.bound[left] = self._most(node) - self.alpha

    def enter_right(self, node: int, left: int, right: int) -> None:
        risk = self.risk[node]
        with_subtree = (risk - self.left_over[left]) / (self.n_splits[left] + 1)
        most = max(with_subtree, risk - self.risk[left])
        self.bound[right] = min(most, self.bound[node]) - self.alpha

    def leave(self, node: int, left: int, right: int) -> bool:
        """Return whether the node becomes a leaf, its branches being settled."""
        parts = {left: self.left_over[left], right: self.left_over[right]}
        splits = {left: self.n_splits[left], right: self.n_splits[right]}

        def ratio() -> float:
            return (self.risk[node] - (parts[left] + parts[right])) / (sum(splits.values()) + 1)

        left_goes_first = self.complexity[right] > self.complexity[left]
        for branch in (left, right) if left_goes_first else (right, left):
            if not ratio() > self.complexity[branch]:
                break
            parts[branch], splits[branch] = self.risk[branch], 0
        self.complexity[node] = ratio()
        if self.complexity[node] <= self.alpha:
            return True
        self.left_over[node] = parts[left] + parts[right]
        self.n_splits[node] = sum(splits.values()) + 1
        return False


def cuts_as_rpart(tree: Tree, risk: FloatArray, cp: float) -> Cuts:
    """Return the nodes of a tree of binary splits that rpart would have left as leaves.

    Parameters
    ----------
    tree
        The whole tree.
    risk
        Risk of each node as a leaf.
    cp
        The penalty of a split, as a share of the risk of the root.
    """
    n_nodes, alpha = tree.n_nodes, cp * float(risk[0])
    walk = _Walk(
        risk=risk.tolist(),
        alpha=alpha,
        bound=risk.tolist(),
        complexity=[alpha] * n_nodes,
        left_over=risk.tolist(),
        n_splits=[0] * n_nodes,
    )
    arrays, mean = tree.arrays, _means(tree)
    cut: list[int] = []
    stack = [(0, 0)]
    while stack:
        node, stage = stack.pop()
        if arrays.n_branches[node] == 0:
            continue
        first = int(arrays.first_child[node])
        # rpart's left branch is the one of the lower mean.
        left, right = (first, first + 1) if mean[first] < mean[first + 1] else (first + 1, first)
        if stage == 0:
            if walk.collapses_at_once(node):
                cut.append(node)
                continue
            walk.enter_left(node, left)
            stack += [(node, 1), (left, 0)]
        elif stage == 1:
            walk.enter_right(node, left, right)
            stack += [(node, 2), (right, 0)]
        elif walk.leave(node, left, right):
            cut.append(node)
    nodes = np.array(cut, dtype=np.int64)
    return Cuts(
        node=nodes,
        before=np.array([walk.complexity[node] for node in cut], dtype=np.float64),
        after=np.full(len(cut), alpha),
        compared="the risk that a split takes away for each leaf it adds, and the penalty",
    )


def _means(tree: Tree) -> list[float]:
    """Return the mean target of each node, classes counted from 0."""
    value = tree.arrays.value
    if tree.classes is None:
        means: list[float] = value[:, 0].tolist()
        return means
    counts = value[:, : len(tree.classes[0])]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    by_place: list[float] = (shares @ np.arange(counts.shape[1])).tolist()
    return by_place
