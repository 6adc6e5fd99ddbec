"""Dropping conditions from one rule, one at a time, by the rows it covers.

Whether to drop a condition depends on the rows that meet all the others: those that meet the rule,
and those that fail this condition alone. All conditions are judged in one pass; after a drop only
the rows that had failed the dropped condition are counted again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray, Int64Array

Choice: TypeAlias = "Callable[[Int64Array, FloatArray, FloatArray], int | None]"
"""Given the conditions left, and the weight covered and wrong of the rule as it is (entry 0) and
without each of them in turn, returns the condition to drop (from 0), or None to stop."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """The figures of a rule before one drop.

    Parameters
    ----------
    conditions
        The conditions it still has, by their position in the original rule.
    covered, wrong
        Weights of the rule (entry 0) and of the rule without each of these conditions.
    dropped
        The condition that is dropped, by its position in the original rule; None in the last round.
    """

    conditions: Int64Array
    covered: FloatArray
    wrong: FloatArray
    dropped: int | None


def shorten(
    met: BoolArray, weight: FloatArray, weight_wrong: FloatArray, choose: Choice
) -> list[Round]:
    """Return the rounds of dropping conditions until `choose` stops or none is left.

    Parameters
    ----------
    met
        Conditions x rows: whether the row meets the condition.
    weight, weight_wrong
        The weight of each row, and the same where the rule would be wrong about it, else 0.
    choose
        Returns the condition to drop next.

    Returns
    -------
    rounds
        One for each drop, and a last one for what remains.
    """
    fails = ~met
    n_failed = fails.sum(axis=0, dtype=np.int32)
    left = np.arange(len(fails))
    only, wrong_only = np.zeros(len(fails)), np.zeros(len(fails))  # failed this condition alone
    meets_all = n_failed == 0
    covered, wrong = float(weight[meets_all].sum()), float(weight_wrong[meets_all].sum())

    def count(rows: Int64Array) -> None:
        """Add the rows that fail one condition to the counts of that condition."""
        failed = left[fails[np.ix_(left, rows)].argmax(axis=0)] if len(left) else left
        only[:] += np.bincount(failed, weights=weight[rows], minlength=len(fails))
        wrong_only[:] += np.bincount(failed, weights=weight_wrong[rows], minlength=len(fails))

    count(np.flatnonzero(n_failed == 1))
    rounds = []
    while True:
        figures = {
            "covered": np.concatenate([[covered], covered + only[left]]),
            "wrong": np.concatenate([[wrong], wrong + wrong_only[left]]),
        }
        chosen = choose(left, figures["covered"], figures["wrong"]) if len(left) else None
        dropped = None if chosen is None else int(left[chosen])
        rounds.append(Round(conditions=left, dropped=dropped, **figures))
        if dropped is None:
            return rounds
        covered, wrong = covered + float(only[dropped]), wrong + float(wrong_only[dropped])
        left = left[left != dropped]
        rows = np.flatnonzero(fails[dropped])
        n_failed[rows] -= 1
        count(rows[n_failed[rows] == 1])
