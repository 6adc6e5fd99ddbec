"""Tests of several learners over several tables, by their ranks (Demsar 2006, JMLR 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import chdtrc, fdtrc

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.evaluate.significance.hypothesis_test import HypothesisTest
from treewright.measures.checks import as_floats
from treewright.parameters import check_flag, check_share
from treewright.text.numbers import figure, figures, p_values
from treewright.text.table import TextColumn, lay_out

_NULL = "all learners have the same expected rank"


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> FloatArray:
    """Return the average rank of each learner over tables; 1 is best, ties share their ranks.

    Parameters
    ----------
    scores
        Tables x learners.
    higher_is_better
        Whether the highest score has rank 1.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.7], [0.6, 0.8, 0.6]]).tolist()
    [1.75, 1.5, 2.75]
    """
    return np.asarray(_ranks(scores, higher_is_better).mean(axis=0))


@dataclass(frozen=True, kw_only=True)
class Friedman:
    """The Friedman test in both of its forms; ``print`` it.

    Parameters
    ----------
    chi2
        Friedman's statistic, with k - 1 degrees of freedom.
    f
        Iman and Davenport's, which is less careful without need: the one to use.
    average_ranks
        The average rank of each learner; 1 is best.
    """

    chi2: HypothesisTest
    f: HypothesisTest
    average_ranks: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.chi2}\n{self.f}"


def friedman(
    scores: ArrayLike, *, higher_is_better: bool = True, correct_ties: bool = True
) -> Friedman:
    """Return the Friedman test: whether all learners do alike over tables.

    chi2 = 12 N / (k (k + 1)) (sum of R_j² - k (k + 1)² / 4) with k - 1 degrees of freedom (Friedman
    1937, J. Am. Stat. Assoc. 32); F = (N - 1) chi2 / (N (k - 1) - chi2) with k - 1 and
    (k - 1)(N - 1) (Iman and Davenport 1980, Commun. Stat. A 9).

    Parameters
    ----------
    scores
        Tables x learners: at least two tables and three learners.
    higher_is_better
        Whether the highest score has rank 1.
    correct_ties
        Divide chi2 by the share of the variance that ties leave, as scipy does. Demsar's formula
        has no such correction.

    Returns
    -------
    Friedman
        With Kendall's W, chi2 / (N (k - 1)), as effect size. If all learners tie on every table, p
        is 1. If they have the same order on every table, F is infinite, and its p is the
        probability that all tables draw one of the m orders by chance, m^(1 - N).

    Examples
    --------
    >>> print(friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.85, 0.6], [0.7, 0.8, 0.5]]))
    Friedman test: chi2 = 6.5, 2 df, p = 0.0388
    Iman-Davenport test: F = 13, 2 and 6 df, p = 0.00659
    """
    check_flag("correct_ties", correct_ties)
    ranks = _ranks(scores, higher_is_better)
    n_tables, n_learners = ranks.shape
    if n_learners < 3:
        raise DataError(
            f"The Friedman test compares 3 learners or more, but scores has {n_learners}.\n"
            "  Hint: wilcoxon(first, second) compares two over tables."
        )
    means = ranks.mean(axis=0)
    between = float(np.sum((means - (n_learners + 1) / 2) ** 2))
    chi2 = 12 * n_tables / (n_learners * (n_learners + 1)) * between
    # Ranks without ties have the variance (k² - 1) / 12 within each table.
    untied = (n_learners**2 - 1) / 12
    kept = float(ranks.var(axis=1).mean()) / untied
    is_tied = kept == 0
    chi2 = chi2 / kept if correct_ties and not is_tied else chi2
    most = n_tables * (n_learners - 1)
    left = most - chi2
    f = math.inf if left <= 1e-12 * most else (n_tables - 1) * chi2 / left
    df = (float(n_learners - 1), float((n_learners - 1) * (n_tables - 1)))
    p_of_f = float(fdtrc(*df, f))
    note = "all learners tie on every table: p = 1 by convention" if is_tied else ""
    if math.isinf(f):
        n_orders = _n_orders(ranks[0])
        p_of_f = float(n_orders) ** (1 - n_tables)
        note = f"the same order on every table: p of F is that of {n_orders} equally likely orders"
    fields: dict[str, Any] = {
        "null": _NULL,
        "alternative": "two-sided",
        "n": n_tables,
        "pairs": "tables",
        "effect_size": chi2 / most,
        "effect": "Kendall's W",
        "note": note,
    }
    return Friedman(
        chi2=HypothesisTest(
            name="Friedman test",
            statistic=chi2,
            symbol="chi2",
            df=df[0],
            p_value=float(chdtrc(df[0], chi2)),
            **fields,
        ),
        f=HypothesisTest(
            name="Iman-Davenport test",
            statistic=f,
            symbol="F",
            df=df,
            p_value=p_of_f,
            **fields,
        ),
        average_ranks=tuple(means.tolist()),
    )


def _n_orders(ranks: FloatArray) -> int:
    """Return in how many orders learners can stand that tie as these do."""
    _, tied = np.unique(ranks, return_counts=True)
    return math.factorial(len(ranks)) // math.prod(map(math.factorial, tied.tolist()))


@dataclass(frozen=True, kw_only=True)
class RankPair:
    """Two learners of a Nemenyi test.

    Parameters
    ----------
    first, second
        Their names.
    difference
        Average rank of the first less that of the second; negative if the first is better.
    p_value
        Of the difference, adjusted for all pairs.
    """

    first: str
    second: str
    difference: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Nemenyi:
    """Which learners differ in their average rank, all pairs compared at once; ``print`` it.

    Parameters
    ----------
    names, average_ranks
        The learners and their average ranks, best first.
    n_tables
        Tables.
    level
        Significance level.
    critical_difference
        Two learners differ if their average ranks are at least this far apart.
    pairs
        Every two learners, in the order of `names`.
    """

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    n_tables: int
    level: float
    critical_difference: float
    pairs: tuple[RankPair, ...]

    @property
    def alike(self) -> tuple[tuple[str, ...], ...]:
        """The largest sets of learners that the test does not tell apart, best first.

        They are the bars of a critical-difference picture.
        """
        found: list[tuple[int, int]] = []
        ranks = self.average_ranks
        for start in range(len(ranks)):
            end = start
            while end + 1 < len(ranks) and ranks[end + 1] - ranks[start] < self.critical_difference:
                end += 1
            if end > start and (not found or end > found[-1][1]):
                found.append((start, end))
        return tuple(self.names[start : end + 1] for start, end in found)

    def __str__(self) -> str:
        columns = [
            TextColumn("learner", [pair.first for pair in self.pairs]),
            TextColumn("and", [pair.second for pair in self.pairs]),
            TextColumn("ranks apart", figures(pair.difference for pair in self.pairs), right=True),
            TextColumn("p", p_values(pair.p_value for pair in self.pairs), right=True),
        ]
        ranks = figures(self.average_ranks)
        ranked = [f"{name} {rank}" for name, rank in zip(self.names, ranks, strict=True)]
        return (
            f"average ranks on {self.n_tables} tables: {', '.join(ranked)}\n"
            f"critical difference {figure(self.critical_difference)} ({100 * self.level:g} %)\n\n"
            f"{lay_out(columns)}"
        )


def nemenyi(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    level: float = 0.05,
) -> Nemenyi:
    """Return the Nemenyi test of every two learners over tables (Nemenyi 1963; Demsar 2006).

    The critical difference is q sqrt(k (k + 1) / (6 N)), with q the upper quantile of the
    studentised range of k learners, divided by sqrt(2).

    Parameters
    ----------
    scores
        Tables x learners: at least two of each.
    names
        The learners; numbers from 1 if None.
    higher_is_better
        Whether the highest score has rank 1.
    level
        Significance level, for all pairs together.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.85, 0.6], [0.7, 0.8, 0.5]]
    >>> print(nemenyi(scores, names=["forest", "tree", "constant"]))
    average ranks on 4 tables: forest 1.25, tree 1.75, constant 3.00
    critical difference 1.657 (5 %)
    <BLANKLINE>
    learner  and       ranks apart      p
    forest   tree            -0.50  0.759
    forest   constant        -1.75  0.036
    tree     constant        -1.25  0.181
    """
    check_share("level", level)
    ranks = _ranks(scores, higher_is_better)
    n_tables, n_learners = ranks.shape
    labels = [str(i + 1) for i in range(n_learners)] if names is None else list(names)
    if len(labels) != n_learners:
        raise DataError(f"names has {len(labels)} names, but scores has {n_learners} learners.")
    means = ranks.mean(axis=0)
    order = np.argsort(means, kind="stable").tolist()
    error = math.sqrt(n_learners * (n_learners + 1) / (6 * n_tables)) / math.sqrt(2)
    reach = stats.studentized_range(n_learners, np.inf)
    pairs = []
    for one, two in combinations(order, 2):
        apart = float(means[one] - means[two])
        p_value = min(float(reach.sf(abs(apart) / error)), 1.0)
        pairs.append(
            RankPair(first=labels[one], second=labels[two], difference=apart, p_value=p_value)
        )
    return Nemenyi(
        names=tuple(labels[i] for i in order),
        average_ranks=tuple(float(means[i]) for i in order),
        n_tables=n_tables,
        level=level,
        critical_difference=float(reach.isf(level)) * error,
        pairs=tuple(pairs),
    )


def _ranks(scores: ArrayLike, higher_is_better: bool) -> FloatArray:
    check_flag("higher_is_better", higher_is_better)
    table = as_floats(scores, name="scores")
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise DataError(
            "scores must have a row for each of at least 2 tables and a column for each of at least"
            f" 2 learners; its shape is {table.shape}."
        )
    bad = np.argwhere(np.isnan(table))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"scores[{row}, {column}] is nan, but every learner needs a score on every table.\n"
            "  Hint: leave out the table, or the learner that failed on it."
        )
    return np.asarray(stats.rankdata(-table if higher_is_better else table, axis=1))
