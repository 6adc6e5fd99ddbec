"""A tree put together from parts of trees, its nodes numbered as if it had been grown in one go.

The growers number the children of a node when they divide it, depth first; and nodes with much
work, which all threads divide together, before all others (``grow::is_shared_work``). So the nodes
below one that is not shared are neighbours, in an order that does not depend on where it stands,
and move as a block. Questions about categories are listed in the order in which they are asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import Array, Int32Array, Int64Array
from treewright.data.table import Table
from treewright.stream.route import branch_of_rows, is_constant
from treewright.tree.arrays import CATEGORIES, OF_NODES, TreeArrays
from treewright.tree.edit import side_by_side

SHARED_WORK = 1 << 18
"""Rows x columns from which all threads divide a node together (``cpp/src/grow/growth.cpp``)."""

_ROWS_TO_SEE = 64
"""Rows of a shared node, about, in which almost every column varies."""


@dataclass(eq=False)
class Parts:
    """Nodes of several trees, and the tree that is made of them.

    A node has its place among all nodes, those of the second tree behind those of the first.
    `children` has the children of nodes that are not the neighbours they are in their own tree.
    """

    pieces: list[TreeArrays]
    children: dict[int, list[int]] = field(default_factory=dict)

    def add(self, arrays: TreeArrays) -> int:
        """Add the nodes of a tree; return the place of its root."""
        place = self.n_nodes
        self.pieces.append(arrays)
        return place

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all parts."""
        return sum(piece.n_nodes for piece in self.pieces)


def joined(parts: Parts, root: int, table: Table) -> tuple[TreeArrays, Int32Array]:
    """Return the arrays of the tree below a root, and the place that each node is taken from."""
    nodes = side_by_side(parts.pieces)
    source = _Order(nodes, parts.children, table).of(root)
    number = np.full(nodes.n_nodes + 1, -1, dtype=np.int32)  # the last is of no node
    number[source] = np.arange(len(source), dtype=np.int32)
    first_child = number[nodes.first_child[source]]
    parent = number[nodes.parent[source]]
    for place, children in parts.children.items():
        first_child[number[place]] = number[children[0]]
        parent[number[children]] = number[place]
    parent[0] = -1
    return _taken(nodes, source, first_child, parent), source


class _Order:
    """The nodes in their order."""

    def __init__(self, nodes: TreeArrays, children: dict[int, list[int]], table: Table) -> None:
        self.nodes, self.children, self.table = nodes, children, table
        self.first: list[int] = nodes.first_child.tolist()
        self.n_branches: list[int] = nodes.n_branches.tolist()
        self.n_rows: list[int] = nodes.n_rows.tolist()
        self.n_columns = len(table.schema.columns)
        self.blocks: list[Any] = []

    def of(self, root: int) -> Int32Array:
        self.blocks.append([root])
        alone = self._shared(root) if self._may_be_shared(root) else [root]
        for place in alone:
            self._below(place)
        return np.concatenate([np.asarray(block, dtype=np.int32) for block in self.blocks])

    def _may_be_shared(self, place: int) -> bool:
        return self.n_rows[place] * self.n_columns > SHARED_WORK

    def _shared(self, root: int) -> list[int]:
        """Number the children of shared nodes; return the nodes below that are not shared.

        What is shared depends on how many columns vary among the rows of a node. A few rows of each
        mostly show that all do; else all rows are looked at.
        """
        n_rows = self.table.n_rows
        step = max(1, SHARED_WORK // self.n_columns // _ROWS_TO_SEE)
        found = self._shared_by(root, np.arange(0, n_rows, step), is_sample=True)
        if found is None:
            found = self._shared_by(root, np.arange(n_rows), is_sample=False)
        assert found is not None
        blocks, alone = found
        self.blocks += blocks
        return alone

    def _shared_by(
        self, root: int, rows: Int64Array, *, is_sample: bool
    ) -> tuple[list[list[int]], list[int]] | None:
        """Return the children of shared nodes, and the nodes below; None if rows are too few."""
        blocks: list[list[int]] = []
        alone: list[int] = []
        stack = [(root, rows, list(range(self.n_columns)))]
        while stack:
            place, rows, columns = stack.pop()
            if not self.n_branches[place]:
                continue
            if self.n_rows[place] * len(columns) <= SHARED_WORK:
                alone.append(place)
                continue
            varying = [c for c in columns if not is_constant(self.table, c, rows)]
            if is_sample and len(varying) < len(columns):
                return None
            columns = varying or columns
            children = self._children(place)
            blocks.append(children)
            is_second = branch_of_rows(self.nodes, place, self.table, rows)
            for i, child in reversed([*enumerate(children)]):
                of_child = rows[np.flatnonzero(is_second == bool(i))]
                stack.append((child, of_child, columns))
        return blocks, alone

    def _below(self, root: int) -> None:
        """Number the nodes below one, depth first."""
        stack = [root]
        while stack:
            place = stack.pop()
            if not self.n_branches[place]:
                continue
            if place not in self.children and not self._may_be_shared(place):
                self.blocks.append(np.arange(self.first[place], self._end_below(place)))
                continue
            children = self._children(place)
            self.blocks.append(children)
            stack += reversed(children)

    def _children(self, place: int) -> list[int]:
        first = self.first[place]
        return self.children.get(place) or [*range(first, first + self.n_branches[place])]

    def _end_below(self, place: int) -> int:
        """Return where the block of the nodes below one ends: behind the last that is divided."""
        while True:
            first = self.first[place]
            asking = (
                child
                for child in range(first + self.n_branches[place] - 1, first - 1, -1)
                if self.n_branches[child]
            )
            last = next(asking, None)
            if last is None:
                return first + self.n_branches[place]
            place = last


def _taken(
    nodes: TreeArrays, source: Int32Array, first_child: Int32Array, parent: Int32Array
) -> TreeArrays:
    """Return some nodes as the arrays of a tree; there are no surrogates, and no several cuts."""
    numbered = ("first_child", "parent")
    new: dict[str, Any] = {
        name: getattr(nodes, name)[source] for name in OF_NODES if name not in numbered
    }
    code, branch = nodes.code, nodes.branch_of_code
    asks = np.flatnonzero(new["kind"] == CATEGORIES)
    if len(asks):
        asks = asks[np.argsort(first_child[asks])]  # a question is asked when children are numbered
        count = new["code_count"][asks].astype(np.int64)
        begin = np.cumsum(count) - count
        entries = np.repeat(new["code_offset"][asks] - begin, count) + np.arange(count.sum())
        code, branch = code[entries], branch[entries]
        new["code_offset"][asks] = begin
    else:
        code, branch = code[:0], branch[:0]
    return TreeArrays(
        first_child=first_child, parent=parent, code=code, branch_of_code=branch, **new
    )


def by_node(parts: list[Array], source: Int32Array) -> Array:
    """Return what was noted of the nodes of all parts, for those of the tree."""
    noted: Array = np.concatenate(parts)[source]
    return noted
