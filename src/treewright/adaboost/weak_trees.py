"""Weak learners that are trees: stumps found by a special search, or trees grown every round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treewright.adaboost.fit import Rows
from treewright.adaboost.stump_trees import StumpTrees
from treewright.array_types import Array, FloatArray, Int32Array
from treewright.core import Sampling
from treewright.core import Stumps as CoreStumps
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import RowWeights, check_draws
from treewright.ensemble.ensemble import ListedTrees, Trees
from treewright.ensemble.thread_pool import Grower, bare
from treewright.grow import recipes
from treewright.grow.fit import check_problem, unseen_branches
from treewright.grow.problem import Problem
from treewright.tree.tree import Tree

Factor = Callable[[FloatArray], FloatArray | None]
"""Returns the class weight of each row, used in the trees but not in boosting."""

_FREE = ("criterion", "threshold_at", "unseen", "max_depth", "max_leaf_nodes", "n_threads")
"""Options that stumps may have set to something else than the default."""


def is_stump(problem: Problem) -> bool:
    """Return whether a problem's trees are stumps that :class:`Stumps` can find."""
    options, target = problem.options, problem.target
    if any(
        given is not None
        for given in (options.monotonic_cst, options.column_costs, options.max_features)
    ):
        return False
    like = recipes.GENERAL_CLASSIFIER.replace(**{name: getattr(options, name) for name in _FREE})
    return (
        isinstance(target, ClassTarget)
        and target.single
        and options == like
        and (options.max_depth == 1 or options.max_leaf_nodes == 2)
        and options.criterion_traits.judges_stumps
        and options.threshold_at in ("midpoint", "observed")
        and options.unseen != "majority"
        and problem.cost_factor is None
        and problem.leaf.estimate == "majority"
        and problem.leaf.cost_matrix is None
        and all(spec.cost == 1.0 for spec in problem.table.schema.columns)
    )


class Stumps:
    """Stumps of least impurity; the columns are sorted once for all rounds."""

    def __init__(self, problem: Problem) -> None:
        check_problem(problem)
        self._problem = problem
        self._core = CoreStumps(lend(problem.table), problem.core_target(), problem.core_options())

    def learn(self, rows: Rows, number: int) -> Int32Array:
        """Find the stump of a round; return its predictions."""
        return self._core.find(rows, self._problem.options.n_threads)

    def trees(self, n_trees: int) -> Trees:
        """Return the first `n_trees` stumps found."""
        arrays, start = self._core.joined(n_trees)
        arrays["unseen_branch"] = unseen_branches(arrays, self._problem.options)
        return StumpTrees(arrays, start, len(self._problem.table.schema.columns))


class WeightedTrees:
    """Trees of any kind, each grown from the weights of its round or from rows drawn by them.

    Parameters
    ----------
    problem
        The problem of a tree, with the initial weights.
    grow
        Makes a tree.
    resample
        Draw as many rows as there are, with replacement, by their weights.
    factor
        The class weights of the trees; None if there are none.
    """

    def __init__(
        self, problem: Problem, grow: Grower, *, resample: bool, factor: Factor | None = None
    ) -> None:
        self._problem = problem
        self._grow = grow
        self._factor = factor
        self._trees: list[Tree] = []
        self._sampling: Sampling | None = None
        if resample:
            n_draws = max(1, round(problem.n_copies))
            check_draws(n_draws, "resample=False uses the weights themselves")
            self._sampling = Sampling(
                lend(problem.table),
                problem.core_target(),
                problem.weights.relative().weight,
                None,
                [n_draws],
                True,
                problem.seed,
                problem.options.n_threads,
            )

    def learn(self, rows: Rows, number: int) -> Array:
        """Grow the tree of a round; return its predictions."""
        # Trees that count cases (C4.5) need weights that add up to the number of rows.
        weights = rows.shares() * self._problem.n_copies
        tree = bare(self._grow(self._problem_of(weights, number), None))
        self._trees.append(tree)
        answers = tree.plan.answers(self._problem.table, n_threads=self._problem.options.n_threads)
        if tree.classes is None:
            return answers[:, 0]
        return tree.leaf.choose(answers).astype(np.int32)

    def _problem_of(self, weights: FloatArray, number: int) -> Problem:
        problem = replace(self._problem, tree=number)
        copies = None
        if self._sampling is not None:
            weights = copies = self._sampling.draw_by(weights, number).astype(np.float64)
        factor = None if self._factor is None else self._factor(weights)
        if factor is not None:
            weights = weights * factor
        problem = replace(problem, weights=RowWeights(weight=weights, copies=copies))
        if self._sampling is None or copies is None:
            return problem
        return problem.take(np.flatnonzero(copies))

    def trees(self, n_trees: int) -> Trees:
        """Return the first `n_trees` trees grown."""
        return ListedTrees(self._trees[:n_trees])
