"""The problem of a forest: the rows that each tree draws, growing the trees, their ensemble."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.core import (
    Columns,
    ForestOptions,
    GrowOptions,
    PackedForest,
    Sampling,
    Target,
    grow_packed,
    grow_trees,
    weights_of_tree,
)
from treewright.core import columns_of_tree as core_columns_of_tree
from treewright.criteria import CRITERIA
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import RowWeights
from treewright.ensemble.ensemble import Ensemble, ListedTrees, Trees
from treewright.ensemble.thread_pool import Grower, bare, grow_in_thread_pool
from treewright.ensemble.waiting_trees import WaitingTrees
from treewright.errors import MemoryLimitError
from treewright.forest.packed import PackedTrees
from treewright.forest.sampling import Draws
from treewright.grow.fit import Report, check_problem, tree_of
from treewright.grow.problem import Problem
from treewright.prune import Pruner
from treewright.tree.leaf import BY_MAJORITY, LeafRule
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class ForestProblem:
    """Everything a forest is grown from.

    Parameters
    ----------
    problem
        The problem of one tree.
    draws
        How the rows of a tree are drawn (the weights of `problem` are not used then); None if every
        tree takes all rows with their weights.
    vote
        How the predictions are combined: ``"soft"`` or ``"hard"``.
    decides
        The leaf rule whose costs decide; that of `problem` is without those that only decide.
    columns_per_tree
        Columns drawn for each tree; 0 leaves it to the options, which may use all.
    repeats_columns
        Whether a column may be drawn more than once, so that the tree has fewer.
    pruner
        Prunes each tree by the tree's own figures, without further rows.
    grower
        Makes each tree, where that is more than growing and such pruning.
    """

    problem: Problem
    draws: Draws | None
    vote: str = "soft"
    decides: LeafRule = BY_MAJORITY
    columns_per_tree: int = 0
    repeats_columns: bool = False
    pruner: Pruner | None = None
    grower: Grower | None = None

    @cached_property
    def columns(self) -> Columns:
        """The table on loan to the core."""
        return lend(self.problem.table)

    @cached_property
    def target(self) -> Target:
        """The target as the core takes it."""
        return self.problem.core_target()

    @cached_property
    def sampling(self) -> Sampling | None:
        """Draws the rows of each tree; None if all trees take all rows."""
        draws = self.draws
        if draws is None:
            return None
        return Sampling(
            self.columns,
            self.target,
            draws.weight if draws.factor is None else draws.factor,
            None if draws.groups is None else draws.groups.codes,
            list(draws.n_draws),
            draws.with_replacement,
            self.problem.seed,
            self.problem.options.n_threads,
        )

    def with_seed(self, seed: int) -> ForestProblem:
        """Return the same problem with another seed."""
        if seed == self.problem.seed:
            return self
        return replace(self, problem=replace(self.problem, seed=seed))

    def _core_options(self) -> GrowOptions:
        """Return the options of a tree; shares of rows refer to the rows it draws."""
        options, draws = self.problem.options, self.draws
        core = self.problem.core_options()
        n_columns = len(self.problem.table.schema.columns)
        core.columns = list(range(n_columns))
        core.random_ties = True  # else the first columns would win the ties of every tree
        if options.features_per == "node":
            core.max_columns = self._columns_per_node
        if draws is not None:
            core.min_leaf, core.min_split = self.problem.limits(draws.total)
            core.min_leaf_weight = self._min_leaf_share * draws.total
        return core

    @property
    def _columns_per_node(self) -> int:
        n_columns = self.columns_per_tree or len(self.problem.table.schema.columns)
        return self.problem.options.n_features(n_columns)

    @property
    def _min_leaf_share(self) -> float:
        """Share of its tree's weight that a leaf needs, reduced by 1e-9 to allow for rounding."""
        return (1 - 1e-9) * float(self.problem.options.min_fraction_leaf)

    def _core_forest(self, first_tree: int, n_trees: int) -> ForestOptions:
        options = self.problem.options
        forest = ForestOptions()
        forest.first_tree = first_tree
        forest.n_trees = n_trees
        forest.n_threads = options.n_threads
        forest.min_leaf_share = self._min_leaf_share
        forest.columns_per_tree = self.columns_per_tree
        forest.repeats_columns = self.repeats_columns
        if not self.columns_per_tree and options.features_per == "tree":
            forest.columns_per_tree = options.n_features(len(self.problem.table.schema.columns))
        if self.draws is not None:
            forest.balances = self.draws.balances
            if self.draws.factor is not None:
                forest.set_factor(np.ascontiguousarray(self.draws.factor))
        return forest

    def grow(self, first_tree: int, n_trees: int, *, report: Report | None = None) -> Ensemble:
        """Grow the trees of these numbers; a tree depends on its number and on nothing else."""
        problem = self.problem
        check_problem(problem)
        try:
            trees = self._grow(first_tree, n_trees, report)
        except MemoryError as error:
            raise MemoryLimitError(
                f"growing {n_trees:,} trees on {problem.table.n_rows:,} rows ran out of memory.\n"
                "  Hint: fewer trees, or max_depth, max_leaf_nodes or min_samples_leaf."
            ) from error
        return self._ensemble(trees)

    def _ensemble(self, trees: Trees) -> Ensemble:
        problem = self.problem
        target = problem.target
        return Ensemble(
            trees=trees,
            schema=problem.table.schema,
            classes=target.classes if isinstance(target, ClassTarget) else None,
            criterion=problem.options.criterion,
            unseen=problem.options.unseen,
            vote=self.vote,
            leaf=self.rule,
        )

    @property
    def rule(self) -> LeafRule:
        """How the combined probabilities or votes become a class."""
        decides = self.decides
        if self.vote == "hard" and decides.grows_by_cost:  # the trees vote by their costs already
            return BY_MAJORITY
        return LeafRule(cost_matrix=decides.cost_matrix, grows_by_cost=decides.grows_by_cost)

    def columns_of_tree(self, number: int) -> list[int]:
        """Return the columns that the tree of this number may ask."""
        return core_columns_of_tree(self._core_options(), self._core_forest(number, 1), number)

    def tree_problem(self, number: int, *, n_threads: int = 1) -> Problem:
        """Return the problem that the tree of this number is grown from."""
        options = self.problem.options.replace(n_threads=n_threads)
        if options.features_per == "node":
            options = options.replace(max_features=self._columns_per_node)
        problem = replace(
            self.problem,
            options=options,
            tree=number,
            columns=tuple(self.columns_of_tree(number)),
        )
        if self.draws is None:
            return problem
        assert self.sampling is not None
        copies = self.sampling.draw(number)
        forest = self._core_forest(number, 1)
        weight = weights_of_tree(self.columns, self.target, forest, copies)
        weights = RowWeights(weight=weight, copies=copies.astype(np.float64))
        return replace(problem, weights=weights).take(np.flatnonzero(copies))

    def _grow(self, first_tree: int, n_trees: int, report: Report | None) -> Trees:
        if self.grower is not None:
            n_threads = self.problem.options.n_threads
            inside = n_threads if n_trees < n_threads else 1  # threads work inside each tree
            return ListedTrees(
                grow_in_thread_pool(
                    lambda number: self.tree_problem(number, n_threads=inside),
                    range(first_tree, first_tree + n_trees),
                    self.grower,
                    n_threads=1 if inside > 1 else n_threads,
                    report=report,
                )
            )
        trees = self._without_idle_rows()._grow_in_core(first_tree, n_trees, report)
        if self.pruner is None:
            return trees
        like = self._ensemble(trees)
        return ListedTrees([bare(self.pruner.prune(tree)) for tree in like])

    def _without_idle_rows(self) -> ForestProblem:
        """Return the problem with rows of weight 0 not drawn, if the others weigh the same.

        Unweighted rows have faster growers, which trees of the same rows without them have too.
        """
        weight = self.problem.weights.weight
        if self.draws is not None or weight is None or weight.all():
            return self
        counted = weight > 0
        if np.ptp(weight[counted]) > 0:
            return self
        n_rows = int(counted.sum())
        draws = Draws(
            weight=counted.astype(np.float64),
            n_draws=(n_rows,),
            with_replacement=False,
            n_units=n_rows,
        )
        return replace(self, problem=replace(self.problem, weights=RowWeights()), draws=draws)

    def _to_be_unpacked(self, packed: PackedForest, engine: str) -> Trees:
        """Return trees with what packed ones have no room for: names, weights, entropy.

        They wait packed until they are asked for, and know the problem without its rows.
        """
        problem = self.problem.take(np.arange(0))
        in_bits = CRITERIA[problem.options.criterion_traits.core].is_in_bits
        is_real = [spec.storage == "float" for spec in problem.table.schema.columns]

        def unpacked() -> list[Tree]:
            try:
                trees = [
                    tree_of(problem, arrays, recalls=False, engine=engine)
                    for arrays in packed.unpacked(is_real, in_bits, problem.options.n_threads)
                ]
            except MemoryError as error:
                raise MemoryLimitError(
                    f"unpacking {packed.n_trees:,} trees ran out of memory; they are kept packed.\n"
                    "  Hint: more memory; or fewer trees, max_depth or min_samples_leaf."
                ) from error
            for tree in trees:  # the core has just made them (docs/decisions/051)
                tree.arrays.take_on_trust(problem.table.schema)
            return trees

        return ListedTrees(WaitingTrees(packed.n_trees, unpacked))

    def _grow_in_core(self, first_tree: int, n_trees: int, report: Report | None) -> Trees:
        problem, options = self.problem, self._core_options()
        forest = self._core_forest(first_tree, n_trees)
        is_plain = not problem.shift and problem.fills is None
        if is_plain and problem.leaf.estimate == "majority":
            grown = grow_packed(self.columns, self.target, options, forest, self.sampling, report)
            if grown is not None:
                packed, engine = grown
                if packed.must_be_unpacked:
                    return self._to_be_unpacked(packed, engine)
                target = problem.target
                n_classes = len(target.classes[0]) if isinstance(target, ClassTarget) else 0
                n_columns = len(problem.table.schema.columns)
                return PackedTrees(packed, n_classes, n_columns, engine=engine)
        trees = grow_trees(self.columns, self.target, options, forest, self.sampling, report)
        return ListedTrees([tree_of(problem, arrays, recalls=False) for arrays in trees])
