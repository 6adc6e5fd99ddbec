"""The shape of a tree: sizes and traversals, from the arrays alone."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import TreewrightError
from treewright.parameters import check_count, is_whole

if TYPE_CHECKING:
    from treewright.array_types import Int32Array, Int64Array
    from treewright.tree.arrays import TreeArrays


class Shape:
    """Sizes and traversals; node 0 is the root, and every node is numbered before its children."""

    arrays: TreeArrays

    # Sizes

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.arrays.n_nodes

    @property
    def n_tests(self) -> int:
        """Number of inner nodes."""
        return self.n_nodes - self.n_leaves

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.arrays.n_branches == 0))

    @property
    def depth(self) -> int:
        """Number of tests on the longest path; 0 for a root alone."""
        return int(self.levels.max())

    @cached_property
    def levels(self) -> Int64Array:
        """Level of each node: the number of tests above it; the root is at level 0."""
        # Pointer doubling: every round, each node skips twice as many ancestors, so that even a
        # chain takes log2(depth) rounds. The root stands in for its own parent, 0 steps away.
        ancestor = np.maximum(self.arrays.parent, 0).astype(np.int64)
        level = np.ones(self.n_nodes, dtype=np.int64)
        level[0] = 0
        while ancestor.any():
            level += level[ancestor]
            ancestor = ancestor[ancestor]
        level.flags.writeable = False
        return level

    def level(self, node: int, *, first: int = 0) -> int:
        """Return the level of a node: the number of tests above it, plus the level of the root.

        Parameters
        ----------
        node
            The node.
        first
            Level of the root: 0, or 1 where levels are counted from 1.
        """
        self.check_node(node)
        check_count("first", first, least=0)
        return int(self.levels[node]) + int(first)

    def leaf_levels(self, *, first: int = 0) -> Int64Array:
        """Return the number of leaves at each level, at the position of the level's number.

        Parameters
        ----------
        first
            Level of the root: 0, or 1 where levels are counted from 1.
        """
        check_count("first", first, least=0)
        return np.bincount(self.levels[self.arrays.n_branches == 0] + first)

    def check_node(self, node: object) -> None:
        """Refuse the number of a node that the tree does not have."""
        if not is_whole(node) or not 0 <= node < self.n_nodes:
            raise TreewrightError(
                f"There is no node {node}; the tree has nodes 0 to {self.n_nodes - 1}."
            )

    # Traversals

    def is_leaf(self, node: int) -> bool:
        """Return whether a node is a leaf."""
        return bool(self.arrays.n_branches[node] == 0)

    def children(self, node: int) -> range:
        """Return the children of a node in the order of its branches."""
        first = int(self.arrays.first_child[node])
        return range(first, first + int(self.arrays.n_branches[node]))

    def ancestors(self, node: int) -> list[int]:
        """Return the nodes above a node, its parent first and the root last."""
        parent = self.arrays.parent
        found = []
        above = parent.item(node)
        while above >= 0:
            found.append(above)
            above = parent.item(above)
        return found

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included."""
        return [*reversed(self.ancestors(node)), node]

    def branches_to(self, node: int) -> list[int]:
        """Return the branches taken on the way from the root to a node."""
        path = self.path(node)
        return [child - self.children(above).start for above, child in pairwise(path)]

    def bottom_up(self) -> range:
        """Return the nodes in an order in which every node comes before its parent."""
        return range(self.n_nodes - 1, -1, -1)

    @cached_property
    def reading_order(self) -> Int32Array:
        """Nodes in pre-order, branch by branch, as a tree is printed."""
        first_child, n_branches = self.arrays.first_child.tolist(), self.arrays.n_branches.tolist()
        order, pending = [], [0]
        while pending:
            node = pending.pop()
            order.append(node)
            first = first_child[node]
            pending.extend(range(first + n_branches[node] - 1, first - 1, -1))
        return np.array(order, dtype=np.int32)
