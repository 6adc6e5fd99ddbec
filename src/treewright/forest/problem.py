"""Many trees on one table: which rows each sees, growing them, and their ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.core import (
    Columns,
    ForestOptions,
    GrowOptions,
    Sampling,
    Target,
    grow_packed,
    grow_trees,
    weights_of_tree,
)
from treewright.core import columns_of_tree as core_columns_of_tree
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import of_ordinary_size
from treewright.ensemble.ensemble import Ensemble, ListedTrees, PackedTrees, Trees
from treewright.ensemble.thread_pool import Grower, bare, grow_one_by_one
from treewright.errors import MemoryLimitError, ParameterError
from treewright.grow.fit import Report, check_problem, tree_of
from treewright.grow.problem import Problem, RowWeights
from treewright.parameters import check_count, is_whole
from treewright.prune import Pruner
from treewright.tree.leaf import LeafRule

SAMPLINGS = ("all", "under", "over")
"""Draw from all rows alike, or each class as often as the rarest or the commonest has rows."""
MOST_DRAWS = 2**30
"""As many rows as a tree takes."""


@dataclass(frozen=True, kw_only=True)
class Draws:
    """How the rows of each tree are drawn.

    Parameters
    ----------
    weight
        How likely each row is to be drawn; None is all alike. Whole numbers are copies.
    n_draws
        Rows drawn of all, or of each class.
    with_replacement
        Whether a row may be drawn again.
    factor
        What a row weighs each time it is drawn; None is 1.
    balances
        Whether each tree weighs the classes it has drawn equally.
    """

    weight: FloatArray | None
    n_draws: tuple[int, ...]
    with_replacement: bool
    factor: FloatArray | None = None
    balances: bool = False

    @property
    def total(self) -> int:
        """Rows drawn for a tree."""
        return sum(self.n_draws)

    def with_costs(self, problem: Problem) -> Draws:
        """Give the draws of rows that also count by what errors cost in growing."""
        if problem.cost_factor is None:
            return self
        assert isinstance(problem.target, ClassTarget)
        factor = problem.cost_factor[problem.target.codes]
        return replace(self, factor=factor if self.factor is None else factor * self.factor)


def n_drawn(max_samples: object, n_rows: int) -> int:
    """Give how many rows are drawn for a tree out of so many (copies counted).

    >>> n_drawn(None, 150), n_drawn(0.5, 150), n_drawn(10, 150)
    (150, 75, 10)
    """
    if max_samples is None:
        return n_rows
    if is_whole(max_samples):
        check_count("max_samples", max_samples, least=1)
        wanted: int = int(max_samples)
        if wanted > n_rows:
            raise ParameterError(f"max_samples={wanted!r} is more than the {n_rows:,} rows.")
        return wanted
    if not isinstance(max_samples, float | np.floating) or not 0.0 < float(max_samples) <= 1.0:
        raise ParameterError(
            f"max_samples={max_samples!r} must be a number of rows, a share of them above 0 and at"
            " most 1, or None."
        )
    return max(1, round(float(max_samples) * n_rows))


def share_drawn(n_rows: int, n_draws: int) -> float:
    """Give the share of rows expected in a bootstrap sample: 1 - (1 - 1/n)^m, about 63 %.

    >>> round(share_drawn(1000, 1000), 4)
    0.6323
    """
    return 1.0 - (1.0 - 1.0 / n_rows) ** n_draws


def draws_of(
    target: Any,
    weight: FloatArray | None,
    *,
    n_rows: int,
    max_samples: object,
    sampling: object,
    with_replacement: bool,
    factor: FloatArray | None,
    balances: bool,
) -> Draws:
    """Settle how rows are drawn; checks what the parameters ask for."""
    if factor is not None and not np.all(factor > 0):  # what counts for nothing is not drawn
        weight = np.where(factor > 0, 1.0 if weight is None else weight, 0.0)
    whole = weight is None or bool(np.all(weight == np.floor(weight)))
    if weight is not None and bool(np.all(weight == 1.0)):
        weight = None
    copies = np.ones(n_rows) if weight is None else (weight if whole else (weight > 0) * 1.0)
    available = int(copies.sum())
    if not with_replacement and not whole:
        raise ParameterError(
            "sample_weight must be whole numbers (copies) where rows are drawn without"
            " replacement.\n  Hint: bootstrap=True draws in proportion to any weights."
        )
    if isinstance(sampling, str) and sampling == "all":
        n_draws: tuple[int, ...] = (n_drawn(max_samples, available),)
        limits: Array = np.array([available])
    else:
        if not isinstance(target, ClassTarget) or len(target.classes) != 1:
            raise ParameterError(
                f"sampling={sampling!r} draws by class: it needs one target of classes."
            )
        codes = target.codes.reshape(n_rows)
        limits = np.bincount(codes, weights=copies, minlength=len(target.classes[0])).astype(int)
        n_draws = _by_class(sampling, target.classes[0], limits, max_samples)
    if not with_replacement and np.any(np.array(n_draws) > limits):
        raise ParameterError(
            f"{max(n_draws):,} rows cannot be drawn without replacement from {limits.max():,}.\n"
            "  Hint: bootstrap=True draws with replacement; or a smaller max_samples."
        )
    check_draws(sum(n_draws), "max_samples=... says how many")
    if factor is not None:
        factor = None if np.all(factor == 1.0) else of_ordinary_size(factor)
    return Draws(
        weight=weight,
        n_draws=n_draws,
        with_replacement=with_replacement,
        factor=factor,
        balances=balances,
    )


def check_draws(n_draws: int, way_out: str) -> None:
    """Refuse to draw more rows than a tree takes."""
    if n_draws > MOST_DRAWS:
        raise ParameterError(
            f"each tree would draw {n_draws:,} rows; at most {MOST_DRAWS:,} can be drawn.\n"
            f"  Hint: {way_out}; whole numbers in sample_weight mean copies, and as many rows are"
            " drawn as there are copies."
        )


def _by_class(
    sampling: object, names: Array, n_rows: Array, max_samples: object
) -> tuple[int, ...]:
    present = n_rows[n_rows > 0]
    if isinstance(sampling, Mapping):
        known = {_plain(name): i for i, name in enumerate(names)}
        wanted = n_rows.copy()
        for label, count in sampling.items():
            if _plain(label) not in known:
                raise ParameterError(f"sampling names class {label!r}, which is not in y.")
            check_count(f"sampling[{label!r}]", count, least=0)
            if count and not n_rows[known[_plain(label)]]:
                raise ParameterError(
                    f"sampling[{label!r}]={count!r}: the class has no row of positive weight."
                )
            wanted[known[_plain(label)]] = int(count)
        if not wanted.any():
            raise ParameterError("sampling draws no row of any class.")
    elif isinstance(sampling, str) and sampling == "under":
        wanted = np.where(n_rows > 0, present.min(), 0)
    elif isinstance(sampling, str) and sampling == "over":
        wanted = np.where(n_rows > 0, present.max(), 0)
    else:
        raise ParameterError(
            f"sampling={sampling!r} must be one of {', '.join(map(repr, SAMPLINGS))}, or a dict of"
            " class to number of rows."
        )
    if max_samples is not None:
        raise ParameterError(
            f"max_samples={max_samples!r} and sampling={sampling!r} both say how many rows a tree"
            " sees.\n  Hint: sampling={class: rows, ...} gives numbers by class."
        )
    # One class alone is a single stratum all the same: the core takes one number for "all rows".
    return tuple(int(count) for count in wanted)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


@dataclass(frozen=True, kw_only=True)
class ForestProblem:
    """Everything a forest is grown from.

    Parameters
    ----------
    problem
        That of one tree.
    draws
        How its rows are drawn, whose weights are not used then; None if every tree sees all rows
        with their weights.
    vote
        How the trees decide together.
    columns_per_tree
        Columns drawn for each tree; 0 is as many as the options say, which may be all.
    repeats_columns
        Whether a column may be drawn again, and the tree has fewer.
    pruner
        Cuts each tree back by what the tree itself tells.
    grower
        Makes each tree, where that is more than growing and such pruning.
    """

    problem: Problem
    draws: Draws | None
    vote: str = "soft"
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
        """What draws the rows of each tree; None if all trees see all rows."""
        draws = self.draws
        if draws is None:
            return None
        return Sampling(
            self.columns,
            self.target,
            draws.weight,
            list(draws.n_draws),
            draws.with_replacement,
            self.problem.seed,
            self.problem.options.n_threads,
        )

    def with_seed(self, seed: int) -> ForestProblem:
        """Give the same problem for the trees of another seed."""
        if seed == self.problem.seed:
            return self
        return replace(self, problem=replace(self.problem, seed=seed))

    def _core_options(self) -> GrowOptions:
        """Give the options of a tree; shares of rows are of those it draws."""
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
        """Share of its tree's weight that a leaf needs, not to be missed by a rounding error."""
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
        """Grow the trees of these numbers; trees depend on their numbers and on nothing else."""
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
        target, leaf = problem.target, problem.leaf
        # Trees that vote have weighed the costs; what they have counted is decided by majority.
        decides = LeafRule(cost_matrix=None if self.vote == "hard" else leaf.cost_matrix)
        return Ensemble(
            trees=trees,
            schema=problem.table.schema,
            classes=target.classes if isinstance(target, ClassTarget) else None,
            criterion=problem.options.criterion,
            unseen=problem.options.unseen,
            vote=self.vote,
            leaf=decides,
        )

    def columns_of_tree(self, number: int) -> list[int]:
        """Give the columns that the tree of a number may ask."""
        return core_columns_of_tree(self._core_options(), self._core_forest(number, 1), number)

    def tree_problem(self, number: int, *, n_threads: int = 1) -> Problem:
        """Give what the tree of a number is grown from, as a problem of its own."""
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
                grow_one_by_one(
                    lambda number: self.tree_problem(number, n_threads=inside),
                    range(first_tree, first_tree + n_trees),
                    self.grower,
                    n_threads=1 if inside > 1 else n_threads,
                    report=report,
                )
            )
        trees = self._grow_in_core(first_tree, n_trees, report)
        if self.pruner is None:
            return trees
        like = self._ensemble(trees)
        return ListedTrees([bare(self.pruner.prune(tree)) for tree in like])

    def _grow_in_core(self, first_tree: int, n_trees: int, report: Report | None) -> Trees:
        problem, options = self.problem, self._core_options()
        forest = self._core_forest(first_tree, n_trees)
        if not problem.shift and problem.leaf.estimate == "majority":
            packed = grow_packed(self.columns, self.target, options, forest, self.sampling, report)
            if packed is not None:
                target = problem.target
                n_classes = len(target.classes[0]) if isinstance(target, ClassTarget) else 0
                return PackedTrees(packed, n_classes, len(problem.table.schema.columns))
        grown = grow_trees(self.columns, self.target, options, forest, self.sampling, report)
        return ListedTrees([tree_of(problem, arrays, recalls=False) for arrays in grown])
