"""Many trees on one table: which rows each sees, growing them, and their ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.data.encoding import lend
from treewright.data.target import ClassTarget
from treewright.errors import MemoryLimitError, ParameterError
from treewright.learn.fit import Problem, Report, check_problem, tree_of
from treewright.learn.options import check_count, is_whole
from treewright.model.ensemble import Ensemble, ListedTrees, PackedTrees, Trees

FloatArray = npt.NDArray[np.float64]

SAMPLINGS = ("all", "under", "over")
"""Draw from all rows alike, or each class as often as the rarest or the commonest has rows."""


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


def n_drawn(max_samples: object, n_rows: int) -> int:
    """Give how many rows are drawn for a tree out of so many (copies counted).

    >>> n_drawn(None, 150), n_drawn(0.5, 150), n_drawn(10, 150)
    (150, 75, 10)
    """
    if max_samples is None:
        return n_rows
    if is_whole(max_samples):
        check_count("max_samples", max_samples, least=1)
        return int(max_samples)  # type: ignore[call-overload, no-any-return]
    if not isinstance(max_samples, float | np.floating) or not 0.0 < float(max_samples) <= 1.0:
        raise ParameterError(
            f"max_samples={max_samples!r} must be a number of rows, a share of them above 0 and at"
            " most 1, or None."
        )
    return max(1, round(float(max_samples) * n_rows))


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
        limits: npt.NDArray[Any] = np.array([available])
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
    return Draws(
        weight=weight,
        n_draws=n_draws,
        with_replacement=with_replacement,
        factor=factor,
        balances=balances,
    )


def _by_class(
    sampling: object, names: npt.NDArray[Any], n_rows: npt.NDArray[Any], max_samples: object
) -> tuple[int, ...]:
    present = n_rows[n_rows > 0]
    if isinstance(sampling, Mapping):
        known = {_plain(name): i for i, name in enumerate(names)}
        wanted = n_rows.copy()
        for label, count in sampling.items():
            if _plain(label) not in known:
                raise ParameterError(f"sampling names class {label!r}, which is not in y.")
            check_count(f"sampling[{label!r}]", count, least=0)
            wanted[known[_plain(label)]] = int(count)
        if not wanted.any():
            raise ParameterError("sampling draws no row of any class.")
    elif sampling == "under":
        wanted = np.where(n_rows > 0, present.min(), 0)
    elif sampling == "over":
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

    ``problem`` is that of one tree. With ``draws``, its rows are drawn from and its weights are not
    used; without, every tree sees all rows with their weights.
    """

    problem: Problem
    draws: Draws | None
    vote: str = "soft"

    @cached_property
    def columns(self) -> _core.Columns:
        """The table on loan to the core."""
        return lend(self.problem.table)

    @cached_property
    def target(self) -> _core.Target:
        """The target as the core takes it."""
        return self.problem.core_target()

    @cached_property
    def sampling(self) -> _core.Sampling | None:
        """What draws the rows of each tree; None if all trees see all rows."""
        draws = self.draws
        if draws is None:
            return None
        return _core.Sampling(
            self.columns,
            self.target,
            draws.weight,
            list(draws.n_draws),
            draws.with_replacement,
            self.problem.seed,
            self.problem.options.n_threads,
        )

    def _core_options(self) -> _core.GrowOptions:
        """Give the options of a tree; shares of rows are of those it draws."""
        options, draws = self.problem.options, self.draws
        core = self.problem.core_options()
        core.columns = list(range(len(self.problem.table.schema.columns)))
        if draws is not None:
            core.min_split = options.amount("min_samples_split", draws.total)
            core.min_leaf = options.amount("min_samples_leaf", draws.total)
            mean_factor = 1.0 if draws.factor is None else float(draws.factor.mean())
            weight = draws.total * mean_factor
            core.min_leaf_weight = (1 - 1e-9) * float(options.min_fraction_leaf) * weight
        return core

    def _core_forest(self, first_tree: int, n_trees: int) -> _core.ForestOptions:
        options = self.problem.options
        n_columns = len(self.problem.table.schema.columns)
        forest = _core.ForestOptions()
        forest.first_tree = first_tree
        forest.n_trees = n_trees
        forest.n_threads = options.n_threads
        if options.features_per == "tree":
            forest.columns_per_tree = options.n_features(n_columns)
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
        target = problem.target
        return Ensemble(
            trees=trees,
            schema=problem.table.schema,
            classes=target.classes if isinstance(target, ClassTarget) else None,
            criterion=problem.options.criterion,
            unseen=problem.options.unseen,
            vote=self.vote,
        )

    def _grow(self, first_tree: int, n_trees: int, report: Report | None) -> Trees:
        problem, options = self.problem, self._core_options()
        forest = self._core_forest(first_tree, n_trees)
        if not problem.shift:
            packed = _core.grow_packed(
                self.columns, self.target, options, forest, self.sampling, report
            )
            if packed is not None:
                target = problem.target
                n_classes = len(target.classes[0]) if isinstance(target, ClassTarget) else 0
                return PackedTrees(packed, n_classes, len(problem.table.schema.columns))
        grown = _core.grow_trees(self.columns, self.target, options, forest, self.sampling, report)
        return ListedTrees([tree_of(problem, arrays, recalls=False) for arrays in grown])
