"""The defaults of gradient boosting (``"auto"``): rules by the number of rows.

Decision 17 (docs/decisions) says where the numbers come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from treewright.errors import ParameterError
from treewright.parameters import check_number

MOST_ROUNDS = 1_000
CHOOSING_RATE = 0.2
"""Rounds are chosen in large steps, and then made in small ones: as good, in less time."""
_MANY_CHOSEN = 100
_ENOUGH_ROUNDS = 500
_LARGEST_RATE = 0.1
_FOLDS_JUDGED = ((1_000, 5), (10_000, 3))
"""Up to so many rows, so many folds."""
SHAPES: tuple[tuple[int | None, float], ...] = ((None, 1.0), (3, 0.7))
"""Depths of trees to choose from, each with the share of the rows that a round draws."""
KEPT_OF_CHOICE = (
    "learning_rate",
    "max_depth",
    "subsample",
    "min_hessian",
    "l2_regularization",
    "max_features",
)
"""Options that depend on whether rounds are chosen; more rounds later keep them."""
_FIXED_ROUNDS = 250
_SLOW_RATE = 0.05
_ROWS_FOR_SLOW_RATE = 10_000
_ENOUGH_ROWS = 100_000
_ENOUGH_ROWS_OF_A_CLASS = 5_000
GOSS_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class GivenRounds:
    """What is left to the rules where both the rounds and the depth of trees are given.

    That is how code for scikit-learn's class of this name reads, where nothing else holds trees
    back. Its users have chosen rounds, rate and depth for leaves that are hardly shrunk: what makes
    up for too many rounds of any depth makes these learn too little (docs/decisions/017).
    """

    learning_rate: float = 0.1
    min_hessian: float = 0.001
    l2_regularization: float
    max_features: str | None
    """All columns (None), or as without given rounds."""


_GIVEN_ROUNDS_OF_CLASSES = GivenRounds(l2_regularization=0.3, max_features="auto")
_GIVEN_ROUNDS_OF_VALUES = GivenRounds(l2_regularization=1.0, max_features=None)


def is_auto(given: object) -> bool:
    """Return whether a parameter is ``"auto"``, left to the rules."""
    return isinstance(given, str) and given == "auto"


def check_auto(name: str, given: object, **limits: Any) -> None:
    """Refuse anything but ``"auto"`` and numbers within limits."""
    if is_auto(given):
        return
    if isinstance(given, str):
        raise ParameterError(f"{name}={given!r} must be a number or 'auto'.")
    check_number(name, given, **limits)


def given_rounds(
    n_estimators: object, max_depth: object, *, of_classes: bool
) -> GivenRounds | None:
    """Return the rules for rounds and a depth that are given; None where one of them is not.

    >>> given_rounds(100, 3, of_classes=False).l2_regularization
    1.0
    >>> given_rounds(100, "auto", of_classes=False) is None
    True
    """
    if is_auto(n_estimators) or is_auto(max_depth) or max_depth is None:
        return None
    return _GIVEN_ROUNDS_OF_CLASSES if of_classes else _GIVEN_ROUNDS_OF_VALUES


def n_folds_judged(n_rows: int) -> int:
    """Return how many of five folds judge the rounds: one has rows enough in a large table.

    >>> [n_folds_judged(n) for n in (500, 5_000, 50_000)]
    [5, 3, 1]
    """
    return next((n_folds for most, n_folds in _FOLDS_JUDGED if n_rows <= most), 1)


def final_rate(rate: float, n_chosen: int, *, chosen_by: float, of_classes: bool) -> float:
    """Return the rate of the model where `n_chosen` rounds of a larger rate were best.

    Of numbers it is the rate by which 500 rounds go as far as those that were chosen: half of the
    usual rate at least, and 0.1 at most, by which more are made. Each tree learns the errors of a
    few rows, and the smaller its part, the more trees of other columns share in it. Losses of
    classes are no less for it. Theirs is the usual rate or, where very many rounds were best, 0.1
    at least: the model is not larger than it must be.

    >>> [final_rate(0.05, n, chosen_by=0.2, of_classes=False) for n in (20, 100, 250)]
    [0.025, 0.04, 0.1]
    >>> [final_rate(0.05, n, chosen_by=0.2, of_classes=True) for n in (20, 100, 250)]
    [0.05, 0.05, 0.1]
    """
    if of_classes:
        return rate if n_chosen <= _MANY_CHOSEN else max(rate, _LARGEST_RATE)
    return min(max(chosen_by * n_chosen / _ENOUGH_ROUNDS, rate / 2), _LARGEST_RATE)


def n_rounds(given: int | str, *, ends_by_itself: bool) -> int:
    """Return the number of rounds, or an upper limit where held-out rows decide when to stop.

    >>> n_rounds("auto", ends_by_itself=False), n_rounds("auto", ends_by_itself=True)
    (250, 1000)
    """
    if not is_auto(given):
        return int(given)
    return MOST_ROUNDS if ends_by_itself else _FIXED_ROUNDS


def learning_rate(
    given: float | str, *, n_rows: int, of_classes: bool, ends_by_itself: bool = False
) -> float:
    """Return the learning rate.

    ``"auto"`` is 0.05 up to 10,000 rows and grows as the square root of their number up to 0.1: the
    more rows, the less a step learns of noise. It is 0.1 for regression of a fixed number of
    rounds, whose loss does not punish overconfidence.

    >>> [learning_rate("auto", n_rows=n, of_classes=True) for n in (100, 10_000, 40_000, 10**6)]
    [0.05, 0.05, 0.1, 0.1]
    >>> learning_rate("auto", n_rows=100, of_classes=False)
    0.1
    """
    if not is_auto(given):
        return float(given)
    if not of_classes and not ends_by_itself:
        return 0.1
    return min(max(_SLOW_RATE * math.sqrt(n_rows / _ROWS_FOR_SLOW_RATE), _SLOW_RATE), 0.1)


def min_hessian(given: float | str, *, n_rows: int, ends_by_itself: bool) -> float:
    """Return the sum of hessians that a leaf needs.

    ``"auto"`` is 1: where classes are almost certain, a leaf with small hessians would predict
    large numbers, and boosting may diverge. A row of an uncertain class has 1/4, so that tables of
    less than 32 rows need less: else none of 8 rows could be parted. Where held-out rows decide
    when to stop they prevent that, and it is 0.001.

    >>> [min_hessian("auto", n_rows=n, ends_by_itself=False) for n in (8, 32, 1_000)]
    [0.25, 1.0, 1.0]
    >>> min_hessian("auto", n_rows=1_000, ends_by_itself=True)
    0.001
    """
    if not is_auto(given):
        return float(given)
    return 0.001 if ends_by_itself else min(n_rows / 32, 1.0)


def l2_regularization(given: float | str, *, ends_by_itself: bool) -> float:
    """Return what is added to the hessians of a leaf: 1.5, or 3 where `min_hessian` is small.

    >>> l2_regularization("auto", ends_by_itself=False), l2_regularization(0.5, ends_by_itself=True)
    (1.5, 0.5)
    """
    if not is_auto(given):
        return float(given)
    return 3.0 if ends_by_itself else 1.5


def row_share(
    given: float | str, *, n_rows: int, n_rarest: int | None, has_nominal: bool, is_goss: bool
) -> float:
    """Return the share of the rows that a round draws.

    ``"auto"`` draws 100,000 rows, and a fifth at least: so many suffice to find the cuts, and trees
    of different rows find structure that no single cut shows. Of the rarest of classes 5,000 rows
    are drawn, or all: it is what most errors are about. All rows where columns are nominal, whose
    categories need every row they have. With GOSS it is a tenth, drawn in addition to the rows of
    large gradients.

    >>> [row_share("auto", n_rows=n, n_rarest=None, has_nominal=False, is_goss=False)
    ...  for n in (1_000, 250_000, 10**6)]
    [1.0, 0.4, 0.2]
    >>> row_share("auto", n_rows=10**6, n_rarest=10_000, has_nominal=False, is_goss=False)
    0.5
    >>> row_share("auto", n_rows=10**6, n_rarest=None, has_nominal=True, is_goss=False)
    1.0
    """
    if not is_auto(given):
        return float(given)
    if is_goss:
        return GOSS_SHARE
    if has_nominal:
        return 1.0
    share = max(_ENOUGH_ROWS / n_rows, 0.2)
    if n_rarest is not None:
        share = max(share, _ENOUGH_ROWS_OF_A_CLASS / max(n_rarest, 1))
    return min(share, 1.0)


def column_share(given: float | str | None, n_rows: int) -> float | str | None:
    """Return the share of the columns that are drawn for each node, or what was given instead.

    ``"auto"`` is half of them up to 10,000 rows, which makes the trees of a small table differ, and
    rises to all of them at 100,000, which suffice to find the best column.

    >>> [round(column_share("auto", n), 2) for n in (1_000, 30_000, 100_000)]
    [0.5, 0.74, 1.0]
    """
    if not is_auto(given):
        return given
    return min(max(0.5 + 0.5 * math.log10(max(n_rows, 1) / 10_000), 0.5), 1.0)


def category_rows(given: int | None, n_rows: int) -> int:
    """Return the rows that a category needs in a node to be ordered among the others.

    By default one in 500 rows of the table, from 5 to 50: on 200,000 rows of ten
    columns with up to 1,000 categories 50 was better than any of 1, 10, 20, 100 and 200.

    >>> [category_rows(None, n_rows) for n_rows in (100, 10_000, 1_000_000)]
    [5, 20, 50]
    """
    if given is not None:
        return given
    return min(max(n_rows // 500, 5), 50)
