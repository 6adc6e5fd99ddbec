"""Sampling: the rows that each tree of a forest draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.read.groups import RowGroups
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import check_draws
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.grow.problem import Problem
from treewright.parameters import check_count, is_whole

SAMPLINGS = ("all", "under", "over")
"""Draw from all rows, or from each class as many rows as the rarest or the commonest has."""


@dataclass(frozen=True, kw_only=True)
class Draws:
    """How the rows of each tree are drawn.

    Parameters
    ----------
    weight
        Weight of each row, without those of classes; None if all are equal. It has no effect on how
        often a row is drawn, but that rows of weight 0 are not.
    n_draws
        Rows drawn in all, or of each class; where rows belong to groups, groups drawn.
    with_replacement
        Whether a row may be drawn more than once.
    n_units
        Rows, or groups, that are drawn from.
    rows_per_draw
        Rows that come with each draw, on average: those of a group.
    groups
        Groups that are drawn as a whole; None if rows are drawn one by one.
    factor
        Weight of a row each time it is drawn, with those of classes; None is 1.
    balances
        Whether each tree gives the classes it has drawn equal weight.
    """

    weight: FloatArray | None
    n_draws: tuple[int, ...]
    with_replacement: bool
    n_units: int
    rows_per_draw: float = 1.0
    groups: RowGroups | None = None
    factor: FloatArray | None = None
    balances: bool = False

    @property
    def total(self) -> int:
        """Rows drawn for a tree; of groups, whose sizes differ, the expected number."""
        return round(sum(self.n_draws) * self.rows_per_draw)

    @property
    def n_distinct(self) -> float:
        """Rows expected in a tree, each counted once."""
        if not self.with_replacement:
            return self.total
        share = share_drawn(self.n_units, sum(self.n_draws))
        return share * self.n_units * self.rows_per_draw

    def with_costs(self, problem: Problem) -> Draws:
        """Return the draws with rows also weighted by the costs of errors, as growing needs."""
        if problem.cost_factor is None:
            return self
        assert isinstance(problem.target, ClassTarget)
        factor = problem.cost_factor[problem.target.codes]
        return replace(self, factor=factor if self.factor is None else factor * self.factor)


def n_drawn(max_samples: object, n_rows: int) -> int:
    """Return how many rows are drawn for a tree out of `n_rows`; with replacement maybe more.

    >>> n_drawn(None, 150), n_drawn(0.5, 150), n_drawn(10, 150), n_drawn(2.0, 150)
    (150, 75, 10, 300)
    """
    if max_samples is None:
        return n_rows
    if is_whole(max_samples):
        check_count("max_samples", max_samples, least=1)
        return int(max_samples)
    if not isinstance(max_samples, float | np.floating) or not 0.0 < float(max_samples) < np.inf:
        raise ParameterError(
            f"max_samples={max_samples!r} must be a number of rows, a share of them above 0, or"
            " None."
        )
    return max(1, round(min(float(max_samples) * n_rows, 2.0**62)))


def share_drawn(n_rows: int, n_draws: int) -> float:
    """Return the share of rows expected in a bootstrap sample: 1 - (1 - 1/n)^m, about 63 %.

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
    groups: RowGroups | None = None,
) -> Draws:
    """Return how rows are drawn, after checking the parameters.

    `weight` and `factor` are relative: their scale says nothing. With `groups`, whole groups are
    drawn, and `max_samples` counts them.
    """
    if factor is not None and not np.all(factor > 0):  # a class may have no weight
        weight = np.where(factor > 0, 1.0 if weight is None else weight, 0.0)
    counts = np.ones(n_rows) if weight is None else (weight > 0) * 1.0
    n_counted = available = int(counts.sum())
    is_plain = isinstance(sampling, str) and sampling == "all"
    if groups is not None:
        available = groups.take(np.flatnonzero(counts)).n_groups
        _check_groups(available, sampling, is_plain=is_plain)
    if is_plain:
        n_draws: tuple[int, ...] = (n_drawn(max_samples, available),)
        limits: Array = np.array([available])
    else:
        if not isinstance(target, ClassTarget) or len(target.classes) != 1:
            raise ParameterError(
                f"sampling={sampling!r} draws by class: it needs one target of classes."
            )
        codes = target.codes.reshape(n_rows)
        limits = np.bincount(codes, weights=counts, minlength=len(target.classes[0])).astype(int)
        n_draws = _by_class(sampling, target.classes[0], limits, max_samples)
    if not with_replacement and np.any(np.array(n_draws) > limits):
        raise ParameterError(
            f"{max(n_draws):,} {'rows' if groups is None else 'groups'} cannot be drawn without"
            f" replacement from {limits.max():,}.\n"
            "  Hint: bootstrap=True draws with replacement; or a smaller max_samples."
        )
    rows_per_draw = n_counted / available
    # In whole numbers: no float may be so large.
    check_draws(sum(n_draws) * int(n_counted) // int(available), "max_samples=... says how many")
    if factor is not None and np.all(factor[counts > 0] == 1.0):
        factor = None
    return Draws(
        weight=weight,
        n_draws=n_draws,
        with_replacement=with_replacement,
        n_units=available,
        rows_per_draw=rows_per_draw,
        groups=groups,
        factor=factor,
        balances=balances,
    )


def _check_groups(n_groups: int, sampling: object, *, is_plain: bool) -> None:
    if not is_plain:
        raise UnsupportedError(
            f"sampling={sampling!r} draws rows of each class, groups= whole groups, which may have"
            " rows of several.\n  Hint: class_weight='balanced_subsample' gives the classes that a"
            " tree has drawn equal weight."
        )
    if n_groups < 2:
        raise DataError(
            "all rows (of positive weight) belong to one group: every tree would draw all of them."
            "\n  Hint: leave groups out, or give the rows different labels."
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
