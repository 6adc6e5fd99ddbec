"""Updating a tree with further rows: the tree that is left is the one grown of all rows at once.

Nodes on the way of the new rows are judged again, from the root down (Utgoff, Berkman and Clouse
1997). Where a node asks about the same column as before, its rows are divided by the question it
asks now, and only branches whose rows have changed are visited; all other subtrees stay. Where it
does not, or where its rows are few, what is below is grown anew. Every question is found by the
core, as in growing; what is new here is only which need not be looked for
(:mod:`treewright.stream.others`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from treewright.array_types import FloatArray, Int32Array, Int64Array
from treewright.data.read.target import ClassTarget
from treewright.grow.fit import fit_tree
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_record import TrainingRecord, recall_of
from treewright.stream.numbering import Parts, by_node, joined
from treewright.stream.others import (
    ROUNDING,
    asked_of,
    left_over,
    most_lost_by_row,
    part_of,
)
from treewright.stream.route import branch_of_rows
from treewright.stream.served import is_updated_by_node
from treewright.tree.arrays import TreeArrays
from treewright.tree.tree import Tree

_FEW_CELLS = 1 << 15
"""Rows x columns up to which growing takes no longer than a look at a node and its children: a
millisecond, a third of which calling the core costs whatever the rows."""

_CELLS_TO_JUDGE = 0.15
"""Share of all cells that an update may read to learn what other columns leave over. Reading one
costs a third of growing a tree of it, so that an update that learns, and grows all anew, takes a
twentieth longer than growing alone."""

_NOTHING = (-1, np.inf, 0)
"""What is noted of a node that knows of no column."""

_MOST_REACHED = 0.5
"""Share of the parts grown anew at the bottom from which on the whole tree is grown at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Grown:
    """A tree without pruning, and what its nodes know of the columns they do not ask about.

    Attributes
    ----------
    tree : Tree
    options : GrowthOptions
        Those it was grown by.
    left_over : float array
        By node, the least that questions of other columns leave over; infinite where none was
        judged.
    n_judged : int32 array
        By node, how many of the other columns that holds for: the first so many.
    can_be_updated : bool
        Whether parts of the tree may be kept: it is as it was grown, of a problem that the positive
        list has. Weights, say, leave traces in every node.
    """

    tree: Tree
    options: GrowthOptions
    left_over: FloatArray
    n_judged: Int32Array
    can_be_updated: bool

    def is_of(self, problem: Problem) -> bool:
        """Return whether the tree was grown by the options, columns and classes of a problem."""
        if not self.can_be_updated:
            return False
        options = problem.options.replace(n_threads=self.options.n_threads)
        target, classes = problem.target, self.tree.classes
        return (
            self.options == options
            and self.tree.schema == problem.table.schema
            and isinstance(target, ClassTarget)
            and classes is not None
            and classes[0].tolist() == target.classes[0].tolist()
        )


def grown(problem: Problem) -> Grown:
    """Return the tree of a problem, of which nothing else is known yet."""
    return of_tree(fit_tree(problem), problem, can_be_updated=is_updated_by_node(problem))


def of_tree(tree: Tree, problem: Problem, *, can_be_updated: bool) -> Grown:
    """Return a tree of which nothing else is known yet."""
    return Grown(
        tree=tree,
        options=problem.options,
        left_over=np.full(tree.n_nodes, np.inf),
        n_judged=np.zeros(tree.n_nodes, dtype=np.int32),
        can_be_updated=can_be_updated,
    )


def updated(problem: Problem, before: Grown, n_before: int) -> tuple[Grown, int]:
    """Return the tree of a problem, and the number of rows in the parts that were grown anew.

    Parameters
    ----------
    problem
        All rows, of which the first `n_before` are those of the tree before; it is one that
        :func:`~treewright.stream.served.is_updated_by_node` accepts, of the same columns and
        classes as before.
    before
        The tree before; it stays as it is.
    """
    n_rows, n_columns = problem.table.n_rows, len(problem.table.schema.columns)
    n_parts = n_rows * n_columns / _FEW_CELLS
    n_new = n_rows - n_before
    # So many of the parts that the bottom consists of have a new row in them, if they are drawn.
    is_much = n_parts <= 1 or 1 - (1 - 1 / n_parts) ** n_new > _MOST_REACHED
    if is_much or before.tree.n_leaves == 1:
        return grown(problem), n_rows
    update = _Update(problem, before, n_before)
    root = update.run()
    if update.n_regrown == n_rows and len(update.parts.pieces) == 2:
        return update.as_grown_whole()
    arrays, source = joined(update.parts, root, problem.table)
    arrays.take_on_trust(problem.table.schema)
    tree = Tree(
        arrays=arrays,
        schema=problem.table.schema,
        classes=before.tree.classes,
        criterion=problem.options.criterion,
        combine=problem.options.combine,
        unseen=problem.options.unseen,
        leaf=problem.leaf,
        record=TrainingRecord.keep(problem),
        recall=recall_of(problem),
        engine=before.tree.engine,
    )
    made = Grown(
        tree=tree,
        options=problem.options,
        left_over=by_node(update.left_over, source),
        n_judged=by_node(update.n_judged, source),
        can_be_updated=True,
    )
    return made, update.n_regrown


@dataclass(frozen=True, eq=False)
class _Visit:
    """A node to be judged again, the rows it had and those it has, and where its tree goes."""

    node: int
    before: Int64Array
    now: Int64Array
    depth: int
    parent: int
    branch: int


@dataclass(eq=False)
class _Update:
    problem: Problem
    before: Grown
    n_before: int
    n_regrown: int = 0
    parts: Parts = field(init=False)
    left_over: list[FloatArray] = field(init=False)
    n_judged: list[Int32Array] = field(init=False)

    def __post_init__(self) -> None:
        self.old = self.before.tree.arrays
        self.parts = Parts([self.old])
        self.left_over, self.n_judged = [self.before.left_over], [self.before.n_judged]
        self.table = self.problem.table
        self.n_columns = len(self.table.schema.columns)
        self.cells_left = _CELLS_TO_JUDGE * self.table.n_rows * self.n_columns
        self.max_depth = self.problem.options.depth(self.n_columns)
        self.whole: Tree | None = None
        self._noted: tuple[int, float, int] = _NOTHING

    def run(self) -> int:
        """Update the tree; return the place of its root."""
        every = np.arange(self.table.n_rows)
        stack = [_Visit(0, every[: self.n_before], every, 0, -1, 0)]
        root = 0
        while stack:
            visit = stack.pop()
            place = self._kept(visit, stack) if self._is_worth_keeping(visit) else None
            if place is None:
                place = self._regrown(visit)
            if visit.parent < 0:
                root = place
            else:
                self.parts.children[visit.parent][visit.branch] = place
        return root

    def as_grown_whole(self) -> tuple[Grown, int]:
        """Return the tree that was grown anew from the root on."""
        assert self.whole is not None
        made = of_tree(self.whole, self.problem, can_be_updated=True)
        made = replace(made, left_over=self.left_over[1], n_judged=self.n_judged[1])
        return made, self.n_regrown

    def _is_worth_keeping(self, visit: _Visit) -> bool:
        has_many = len(visit.now) * self.n_columns > _FEW_CELLS
        may_be_divided = self.max_depth is None or visit.depth < self.max_depth
        return has_many and may_be_divided and bool(self.old.n_branches[visit.node])

    def _kept(self, visit: _Visit, stack: list[_Visit]) -> int | None:
        """Return the place of the node with its question of now; None where it is to be regrown."""
        column = int(self.old.column[visit.node])
        asked = asked_of(self.problem, visit.now, [column])
        if not asked.n_branches[0]:
            return None
        bound, n_judged = self._still_known(visit)
        most = self._most_gain(asked, visit, bound, n_judged)
        if not asked.score[0] > most + ROUNDING:
            if n_judged == self.n_columns - 1:  # all were judged, and one may have caught up
                bound, n_judged = np.inf, 0
            bound, n_judged = self._judge_more(visit, column, bound, n_judged)
            most = self._most_gain(asked, visit, bound, n_judged)
        self._noted = (column, bound, n_judged)
        if not asked.score[0] > most + ROUNDING:
            return None
        self._noted = _NOTHING
        return self._divided(visit, asked, column, bound, n_judged, stack)

    def _still_known(self, visit: _Visit) -> tuple[float, int]:
        """Return what other columns leave over at least, after rows have gone elsewhere."""
        bound = float(self.before.left_over[visit.node])
        stayed = visit.now[visit.now < self.n_before]
        if len(stayed) != len(visit.before) or not np.array_equal(stayed, visit.before):
            common = np.intersect1d(stayed, visit.before, assume_unique=True)
            n_gone = len(visit.before) - len(common)
            bound -= n_gone * most_lost_by_row(self.problem.options, len(visit.before))
        return bound, int(self.before.n_judged[visit.node])

    def _most_gain(self, asked: TreeArrays, visit: _Visit, bound: float, n_judged: int) -> float:
        """Return the most that a question of another column may gain in the node."""
        if n_judged < self.n_columns - 1:
            return np.inf
        return float(asked.impurity[0]) - bound / len(visit.now)

    def _judge_more(
        self, visit: _Visit, column: int, bound: float, n_judged: int
    ) -> tuple[float, int]:
        """Judge as many of the other columns as the update may, and return what is known then."""
        others = [c for c in range(self.n_columns) if c != column]
        n_more = min(len(others) - n_judged, int(self.cells_left / len(visit.now)))
        if n_more <= 0:
            return bound, n_judged
        self.cells_left -= n_more * len(visit.now)
        chosen = others[n_judged : n_judged + n_more]
        return min(bound, left_over(self.problem, visit.now, chosen)), n_judged + n_more

    def _divided(
        self,
        visit: _Visit,
        asked: TreeArrays,
        column: int,
        bound: float,
        n_judged: int,
        stack: list[_Visit],
    ) -> int:
        """Return the place of a node that is kept; visit its branches that have changed."""
        place = self._add(_about(asked, column), bound, n_judged)
        first = int(self.old.first_child[visit.node])
        second = branch_of_rows(self.parts.pieces[-1], 0, self.table, visit.now)
        was_second = branch_of_rows(self.old, visit.node, self.table, visit.before)
        n_before = len(visit.before)
        # Mostly rows have come and none has gone: then those that were there come first.
        only_came = np.array_equal(visit.now[:n_before], visit.before)
        only_came = only_came and np.array_equal(second[:n_before], was_second)
        for branch in (0, 1):
            joins = second if branch else ~second
            if only_came and not joins[n_before:].any():
                continue
            now = visit.now[np.flatnonzero(joins)]
            if only_came:
                before = now[: np.searchsorted(now, self.n_before)]
            else:
                before = visit.before[np.flatnonzero(was_second == bool(branch))]
            if not np.array_equal(now, before):
                child = _Visit(first + branch, before, now, visit.depth + 1, place, branch)
                stack.append(child)
        self.parts.children[place] = [first, first + 1]
        return place

    def _regrown(self, visit: _Visit) -> int:
        """Grow the tree of a node anew; return its place."""
        depth = None if self.max_depth is None else max(self.max_depth - visit.depth, 0)
        is_whole = len(visit.now) == self.table.n_rows
        tree = fit_tree(self.problem if is_whole else part_of(self.problem, visit.now, depth))
        self.n_regrown += len(visit.now)
        self.whole = tree if is_whole else self.whole
        (column, bound, n_judged), self._noted = self._noted, _NOTHING
        if column != tree.arrays.column[0]:
            bound, n_judged = np.inf, 0
        return self._add(tree.arrays, bound, n_judged)

    def _add(self, arrays: TreeArrays, bound: float, n_judged: int) -> int:
        """Add the nodes of a tree whose root knows of other columns; return its place."""
        known = np.full(arrays.n_nodes, np.inf)
        judged = np.zeros(arrays.n_nodes, dtype=np.int32)
        known[0], judged[0] = bound, n_judged
        self.left_over.append(known)
        self.n_judged.append(judged)
        return self.parts.add(arrays)


def _about(asked: TreeArrays, column: int) -> TreeArrays:
    """Return the question about one column alone as one about that column of the table."""
    columns = asked.column.copy()
    columns[0] = column
    return replace(asked, column=columns)
