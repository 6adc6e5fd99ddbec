"""C5.0's second stage: weakest links are cut until training errors rise by a standard error."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.parameters import check_flag, check_number
from treewright.prune.base import Cuts, Pruner, cut
from treewright.prune.bottom_up import add_up
from treewright.prune.risk import training_risk
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.record import Record
from treewright.tree.tree import Tree

_FILLED_LEAF = 1e-3
_FILLED_BRANCH = 0.1
"""Weight from which C5.0 counts a leaf, and searches a branch."""
_SPLITTER, _SINGLE_SPLITTER = 2.0**13 + 1, 2.0**29 + 1
"""Factors that round a number to 40 bits (Veltkamp 1968), or to the 24 of single precision."""


@dataclass(frozen=True, kw_only=True)
class OneStandardError(Pruner):
    """Cut weakest links until the training errors have risen by a standard error (C5.0, prune.c).

    With E errors among N training rows, sqrt(E (1 - E / N)) more are allowed; under a cost matrix,
    a standard error of the total cost of the rows. Of the subtrees that would not cost more than
    the rest of that budget, the one with the least cost per leaf removed is cut; subtrees
    that tie are cut together, and pruning ends where they do not all fit. C5.0 applies this after
    error-based pruning.

    Parameters
    ----------
    n_standard_errors : float
        Number of standard errors by which the training errors may rise.
    single_precision : bool
        Count errors and keep the least cost in single precision, as C5.0 does: equal costs that
        are not exact, like 1/3 of an error a leaf, do not tie then, and the subtrees are cut one
        after the other.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> from treewright.prune import OneStandardError
    >>> loans = load_example("loans")
    >>> tree = C45Classifier().fit(loans.X, loans.y).tree_
    >>> tree.n_leaves, OneStandardError().prune(tree).n_leaves
    (53, 43)
    """

    name: ClassVar[str] = "one_standard_error"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    n_standard_errors: float = 1.0
    single_precision: bool = False

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("n_standard_errors", self.n_standard_errors, low=0.0)
        check_flag("single_precision", self.single_precision)

    def run(
        self,
        tree: Tree,
        *,
        training: Record | None = None,
        validation: RoutedRows | None = None,
        tested: RoutedRows | None = None,
    ) -> Tree:
        """Return the pruned tree; E is recounted where given training rows were divided."""
        links = _Links(tree, single_precision=self.single_precision)
        costs = links.errors[0], _squares(tree)
        if training is not None and _divides_rows(tree, training):
            costs = _costs_of_rows(tree, training)
        cuts = Cuts.of(
            links.cut_within(self.n_standard_errors * _spread(tree, *costs)),
            "errors of the subtree, and of a leaf",
        )
        return cut(self.name, tree, cuts, validation=validation, test=tested)


class _Links:
    """The subtrees of a tree, and the current cost of cutting each."""

    def __init__(self, tree: Tree, *, single_precision: bool) -> None:
        arrays = tree.arrays
        self.single_precision = single_precision
        self._splitter = _SINGLE_SPLITTER if single_precision else _SPLITTER
        self.parent = arrays.parent.tolist()
        self.first_child = arrays.first_child.tolist()
        self.n_branches = arrays.n_branches.tolist()
        self.risk: list[float] = self._all_rounded(training_risk(tree)).tolist()
        self.errors = self._errors_below()
        filled = (arrays.n_branches == 0) & (arrays.weight > _FILLED_LEAF)
        self.leaves: list[float] = add_up(tree, filled.astype(np.float64)).tolist()
        self.place = _order_after_children(self.first_child, self.n_branches)
        n_below = add_up(tree, np.ones(tree.n_nodes)).astype(np.int64)
        self.first_below = (np.array(self.place) - n_below + 1).tolist()
        self.is_cut = [False] * len(self.parent)
        is_open = (arrays.weight > _FILLED_BRANCH).tolist()
        is_open[0] = True
        for node in range(1, len(is_open)):  # branches of no weight are not searched
            is_open[node] = is_open[node] and is_open[self.parent[node]]
        leaves = np.array(self.leaves)
        offered = np.flatnonzero((arrays.n_branches > 0) & np.array(is_open) & (leaves > 1))
        cost = self._all_rounded((np.array(self.risk) - np.array(self.errors))[offered])
        ratio = cost / (leaves[offered] - 1)
        if not single_precision:
            ratio = self._all_rounded(ratio)
        places = np.array(self.place)[offered]
        self.heap = list(zip(ratio.tolist(), places.tolist(), offered.tolist(), strict=True))
        heapq.heapify(self.heap)

    def cut_within(self, budget: float) -> Iterator[tuple[int, float, float]]:
        """Yield the nodes cut within the budget, each with its errors before and as a leaf."""
        while budget > 0:
            ties = self._weakest(budget)
            if not ties or sum(self._cost(node) for node in ties) > budget:
                return
            changed: set[int] = set()
            for node in ties:
                cost, n_fewer = self._cost(node), self.leaves[node] - 1
                yield node, self.errors[node], self.risk[node]
                changed.update(self._cut(node, cost, n_fewer))
                budget -= cost
            for node in changed:
                self._offer(node)

    def _weakest(self, budget: float) -> list[int]:
        """Return the subtrees of least cost per leaf that the budget allows."""
        found: list[tuple[int, float, int]] = []  # place, cost for each leaf, node
        least = np.inf
        while self.heap:
            ratio, place, node = self.heap[0]
            if found and self._rounded(ratio) != least:
                break
            heapq.heappop(self.heap)
            if self._is_current(node, ratio) and self._cost(node) <= budget:
                least = self._rounded(ratio)
                found.append((place, ratio, node))
        # C5.0 goes through the nodes, those below first, with the least cost so far, rounded: a
        # cost below it begins a new list of ties, one above it is no tie. Of the list, those that
        # are below a node came last.
        chosen: list[int] = []
        for _, ratio, node in sorted(found):
            first_below = self.first_below[node]
            are_all_below = bool(chosen) and self.place[chosen[0]] >= first_below
            if not chosen or ratio < least or (ratio == least and are_all_below):
                chosen = [node]
            elif ratio == least:
                while self.place[chosen[-1]] >= first_below:
                    chosen.pop()
                chosen.append(node)
        taken = set(chosen)
        for place, ratio, node in found:
            if node not in taken:
                heapq.heappush(self.heap, (ratio, place, node))
        return chosen

    def _errors_below(self) -> list[float]:
        """Return the errors of the leaves below each node, added branch by branch."""
        errors = list(self.risk)
        for node in range(len(errors) - 1, -1, -1):
            if self.n_branches[node] > 0:
                errors[node] = 0.0
                first = self.first_child[node]
                for child in range(first, first + self.n_branches[node]):
                    errors[node] = self._rounded(errors[node] + errors[child])
        return errors

    def _cut(self, node: int, cost: float, n_fewer: float) -> list[int]:
        """Make a node a leaf; return its ancestors, whose costs have changed."""
        pending = [node]
        while pending:
            at = pending.pop()
            if not self.is_cut[at]:
                self.is_cut[at] = True
                first = self.first_child[at]
                pending.extend(range(first, first + self.n_branches[at]))
        self.errors[node], self.leaves[node] = self.risk[node], 1.0
        changed = []
        above = self.parent[node]
        while above >= 0:
            self.errors[above] = self._rounded(self.errors[above] + cost)
            self.leaves[above] -= n_fewer
            changed.append(above)
            above = self.parent[above]
        return changed

    def _cost(self, node: int) -> float:
        return self._rounded(self.risk[node] - self.errors[node])

    def _offer(self, node: int) -> None:
        if self.leaves[node] > 1:
            heapq.heappush(self.heap, (self._ratio(node), self.place[node], node))

    def _is_current(self, node: int, ratio: float) -> bool:
        return not self.is_cut[node] and self.leaves[node] > 1 and self._ratio(node) == ratio

    def _ratio(self, node: int) -> float:
        """Return the cost per leaf removed; only the least one is kept in single precision."""
        ratio = self._cost(node) / (self.leaves[node] - 1)
        return ratio if self.single_precision else self._rounded(ratio)

    def _rounded(self, figure: float) -> float:
        """Return a figure rounded as C5.0 does, or to the precision of sums of parts of rows."""
        split = figure * self._splitter
        rounded = split - (split - figure)
        if rounded == figure or not self.single_precision:
            return rounded
        return float(np.float32(figure))  # halves go to the even neighbour

    def _all_rounded(self, figures: FloatArray) -> FloatArray:
        if self.single_precision:
            return figures.astype(np.float32).astype(np.float64)
        split = figures * self._splitter
        return split - (split - figures)


def _order_after_children(first_child: list[int], n_branches: list[int]) -> list[int]:
    """Return the position of each node in an order in which it comes after all nodes below it."""
    place = [0] * len(n_branches)
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        pending.extend(range(first_child[node], first_child[node] + n_branches[node]))
    for at, node in enumerate(reversed(order)):
        place[node] = at
    return place


def _divides_rows(tree: Tree, training: Record) -> bool:
    """Return whether some training row has a missing value in a column that the tree asks about."""
    table = training.rows()[0]
    asked = np.unique(tree.arrays.column[tree.arrays.n_branches > 0])
    return any(bool(table.is_missing(int(column)).any()) for column in asked)


def _squares(tree: Tree) -> float | None:
    """Return the sum of squared costs of the rows in the leaves; None where errors cost 1."""
    if tree.leaf.cost_matrix is None:
        return None
    return float(training_risk(tree, squared=True)[tree.arrays.n_branches == 0].sum())


def _spread(tree: Tree, cost: float, squares: float | None) -> float:
    """Return the standard error of the total cost; for errors of cost 1, sqrt(E (1 - E / N))."""
    total = float(tree.arrays.weight[0])
    if squares is None:
        squares = cost
    return float(np.sqrt(max(squares - cost * cost / total, 0.0))) if total > 0 else 0.0


def _costs_of_rows(tree: Tree, training: Record) -> tuple[float, float]:
    """Return the sum of the costs of the training rows, and the sum of their squares."""
    table, codes, weight = training.rows()
    # Of equally probable classes the first, whatever the rounding of parts.
    chosen = replace(tree.leaf, preferred=0).choose(tree.plan.answers(table))
    costs = tree.leaf.cost_matrix
    cost = (chosen != codes).astype(np.float64) if costs is None else costs[codes, chosen]
    weight = np.ones(len(cost)) if weight is None else weight
    return float(weight @ cost), float(weight @ cost**2)  # of ones the squares are the same
