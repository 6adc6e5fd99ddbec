"""Training data kept with a tree: enough to explain a node or to route the rows again.

The core grows the nodes on the path from the root again, which gives the same splits bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.read.table import match_table
from treewright.data.read.target import ClassTarget
from treewright.data.table import Table
from treewright.errors import TreewrightError
from treewright.grow.costs import with_costs
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_data import Reading
from treewright.grow.why_leaf import why_leaf
from treewright.tree.record import Growth

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


MOST_CELLS_KEPT = 10_000_000
"""A tree keeps its training table for :meth:`Tree.why` up to this many cells."""


Path: TypeAlias = tuple[int, ...]
"""The branches from the root to a node."""


@dataclass(frozen=True)
class Part:
    """A node of a tree that starts with given questions, and what is grown from its rows."""

    problem: Problem
    is_given: bool
    """Whether its question was given, and not chosen among those of the problem."""


@dataclass(frozen=True)
class TrainingRecord:
    """The training data of a tree, kept for :meth:`Tree.why` and pruning.

    Where the first questions were given, `parts` has what was grown below them, by the path to it.
    """

    problem: Problem
    parts: Mapping[Path, Part] = field(default_factory=dict)

    def part_of(self, path: Sequence[int]) -> tuple[Part, list[int]]:
        """Return the part that a node was grown in, and the path to the node from its root."""
        for length in range(len(path), -1, -1):
            part = self.parts.get(tuple(path[:length]))
            if part is not None:
                return part, list(path[length:])
        return Part(self.problem, is_given=False), list(path)

    @classmethod
    def keep(cls, problem: Problem) -> TrainingRecord | None:
        """Return the record of a small problem; None for a large one, which is not kept."""
        n_cells = problem.table.n_rows * len(problem.table.schema.columns)
        return cls(problem) if n_cells <= MOST_CELLS_KEPT else None

    def rows(self) -> tuple[Table, Array, FloatArray | None]:
        """Return the training rows: table, class codes (or numbers) and weights (None: all 1)."""
        target = self.problem.target
        known = target.codes if isinstance(target, ClassTarget) else target.values
        return self.problem.table, known, self.problem.counted_weight

    def growth(self) -> Growth:
        """Return how the tree was grown."""
        problem = self.problem
        return Growth(
            problem.core_options(), problem.weights.copies, problem.cost_factor, problem.fills
        )


@dataclass(frozen=True)
class _Recall:
    """Makes the record of a tree from its training data again; small enough to be pickled."""

    options: GrowthOptions
    seed: int
    is_classification: bool
    class_weight: object = None
    priors: object = None

    def __call__(
        self, tree: Tree, X: object, y: object, sample_weight: object, *, owner: str
    ) -> TrainingRecord:
        table = match_table(X, tree.schema, owner=owner, by_name=True)
        reading = Reading(
            owner=owner,
            learns="classes" if self.is_classification else "numbers",
            several_outputs=True,
            class_weight=self.class_weight,
            priors=self.priors,
        )
        target = reading.read_target(y, table.n_rows)
        if isinstance(target, ClassTarget):
            _check_classes(tree, target)
        problem = Problem(
            table=table,
            target=target,
            weights=reading.read_weights(sample_weight, target, table.n_rows),
            options=self.options,
            seed=self.seed,
        )
        return TrainingRecord(with_costs(problem, tree.leaf))

    def reason_for_one_leaf(self, tree: Tree) -> str | None:
        """Return which limit kept the root from being split; None where its rows are all alike."""
        if tree.arrays.impurity[0] <= 0.0:
            return None
        reason = why_leaf(tree, 0, self.options)
        if reason is not None and "min_samples" in reason:
            reason += "; min_samples_split=2, min_samples_leaf=1 let small tables be split"
        return reason


def _check_classes(tree: Tree, target: ClassTarget) -> None:
    """Refuse a target that is not the training target: its codes would mean other classes."""
    assert tree.classes is not None
    pairs = zip(tree.classes, target.classes, strict=False)
    if len(tree.classes) != len(target.classes) or not all(
        np.array_equal(known, given) for known, given in pairs
    ):
        raise TreewrightError(
            "The classes of y are not those the tree was grown on.\n"
            "  Hint: pass the very target the tree was fitted on."
        )


def recall_of(problem: Problem) -> _Recall:
    """Return the function that makes the record of a tree from its training data again."""
    return _Recall(
        options=problem.options,
        seed=problem.seed,
        is_classification=problem.is_classification,
        class_weight=problem.class_weight,
        priors=problem.priors,
    )
