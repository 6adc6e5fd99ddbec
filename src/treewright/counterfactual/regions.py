"""The regions of one tree, nearest to a row first.

A region is a set of rows that take the same way: usually the rows of one leaf, and where a value
that stays missing divides the row, those of several leaves together. Regions are followed from the
root, always the nearest one first (a best-first search). What a region costs never falls as it
gets smaller, so they are found in the order of their distance, and the first with the wanted answer
is the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from treewright.counterfactual.axes import IS_MISSING, Axis, Part
from treewright.data.table import Table
from treewright.tree.question import LinearCut, Question, Stored
from treewright.tree.routing import branches_followed
from treewright.tree.tree import Tree

MOST_REGIONS = 200_000
"""Regions opened, beyond one for each node, before the search is cut short.

Only values that stay missing open more than one for each node: they can make very many.
"""


@dataclass(frozen=True)
class _Open:
    """A region that is not yet followed to its leaves.

    Parameters
    ----------
    parts
        What is open to each column that was asked about.
    near
        The cost of the nearest value of each part, and that value.
    nodes
        Nodes that are still to be followed.
    """

    parts: Mapping[int, Part]
    near: Mapping[int, tuple[float, Stored]]
    nodes: tuple[int, ...]

    def narrowed(self, axis: Axis, part: Part) -> _Open | None:
        """Return the region with a column narrowed to a part; None for an empty one."""
        near = axis.nearest(part)
        if near is None:
            return None
        parts, nearest = {**self.parts, axis.index: part}, {**self.near, axis.index: near}
        return _Open(parts, nearest, self.nodes)

    def at(self, nodes: tuple[int, ...]) -> _Open:
        """Return the region with other nodes to follow."""
        return _Open(self.parts, self.near, nodes)


class Regions:
    """The regions of a tree, as seen from a row.

    Parameters
    ----------
    tree
        The tree; sums of columns (oblique) must be of fixed columns only.
    axes
        The columns that it uses, by position.
    table
        The row, as a table.
    """

    def __init__(self, tree: Tree, axes: Mapping[int, Axis], table: Table) -> None:
        self._tree, self._axes, self._table = tree, axes, table
        self.is_cut_short = False

    def __iter__(self) -> Iterator[tuple[float, dict[int, Stored]]]:
        """Yield the distance of each region, and the values that lead there, by column."""
        # Of equal distances the fewest changes come first, then what was opened first.
        pending: list[tuple[float, int, int, _Open]] = [(0.0, 0, 0, _Open({}, {}, (0,)))]
        n_opened = 0
        while pending:
            cost, _, _, region = heappop(pending)
            if not region.nodes:
                yield cost, {index: value for index, (_, value) in region.near.items()}
                continue
            for each in self._followed(region):
                n_opened += 1
                if n_opened > MOST_REGIONS + self._tree.n_nodes:
                    self.is_cut_short = True
                    return
                moves = [price for price, value in each.near.values() if price > 0.0]
                heappush(pending, (math.fsum(moves), len(moves), n_opened, each))

    def _followed(self, region: _Open) -> Iterator[_Open]:
        """Yield the regions that the question of the first open node divides a region into."""
        node, *others = region.nodes
        question = self._tree.question(node)
        if question is None:
            yield region.at(tuple(others))
            return
        surrogates = self._tree.surrogates(node)
        children = self._tree.children(node)
        for outcome, narrowed in self._asked(region, question):
            if outcome >= 0:
                yield narrowed.at((children[outcome], *others))
                continue
            rest = question.missing_branch if outcome == IS_MISSING else question.unseen_branch
            undecided = [narrowed]
            for surrogate in surrogates:
                left = []
                for each in undecided:
                    for found, within in self._asked(each, surrogate.question):
                        if found < 0:
                            left.append(within)
                            continue
                        branch = 1 - found if surrogate.flipped else found
                        yield within.at((children[branch], *others))
                undecided = left
            taken = branches_followed(self._tree, node, rest)
            for each in undecided:
                yield each.at((*(children[branch] for branch, _ in taken), *others))

    def _asked(self, region: _Open, question: Question) -> Iterator[tuple[int, _Open]]:
        if isinstance(question, LinearCut):  # of fixed columns: its value does not change
            value = question.value_in(self._table)
            yield IS_MISSING if value is None else question.branch_of(value), region
            return
        axis = self._axes[question.index]
        part = region.parts.get(question.index)
        for outcome, smaller in axis.split(axis.start() if part is None else part, question):
            narrowed = region.narrowed(axis, smaller)
            if narrowed is not None:
                yield outcome, narrowed
