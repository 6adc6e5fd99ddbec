"""Early stopping of a forest: grow trees until the out-of-bag error has settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from treewright.array_types import FloatArray
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError
from treewright.forest.out_of_bag import OutOfBagTally
from treewright.forest.problem import ForestProblem
from treewright.parameters import check_count, check_number


@dataclass(frozen=True, kw_only=True)
class StopRule:
    """The rule that decides when a forest has enough trees.

    Parameters
    ----------
    tolerance
        Change of the error that does not matter: of the error rate, or of the mean squared error
        in units of the target's variance (that is, of R²).
    n_trees
        Number of last trees over which the error may not have changed by more than that.
    """

    tolerance: float
    n_trees: int = 20

    @classmethod
    def of(cls, given: object) -> StopRule | None:
        """Return the rule of ``stop_when_stable``: None, a tolerance, or (tolerance, trees)."""
        if given is None:
            return None
        if isinstance(given, tuple | list):
            if len(given) != 2:
                raise ParameterError(
                    f"stop_when_stable={given!r} must be a tolerance, or a tolerance and a number"
                    " of trees.\n  Hint: stop_when_stable=(0.001, 20)."
                )
            check_count("stop_when_stable[1]", given[1], least=1)
            return cls(tolerance=cls._tolerance(given[0]), n_trees=int(given[1]))
        return cls(tolerance=cls._tolerance(given))

    @staticmethod
    def _tolerance(given: Any) -> float:
        check_number("stop_when_stable", given, low=0.0)
        return float(given)

    def stops_at(self, curve: FloatArray, scale: float) -> int | None:
        """Return how many trees suffice, given the error after each tree; None if more are needed.

        >>> rule = StopRule(tolerance=0.01, n_trees=2)
        >>> rule.stops_at(np.array([0.3, 0.2, 0.11, 0.105, 0.1, 0.2]), 1.0)
        5
        """
        if len(curve) <= self.n_trees:
            return None
        windows = sliding_window_view(curve, self.n_trees + 1)
        # A little slack: differences of exactly the tolerance may be rounded up.
        still = np.ptp(windows, axis=1) <= self.tolerance * scale * (1 + 1e-9)
        return int(np.argmax(still)) + self.n_trees + 1 if still.any() else None


def grow_until_stable(
    forest: ForestProblem,
    rule: StopRule,
    *,
    n_trees: int,
    grow: Callable[[int, int], Ensemble],
    grown: Ensemble | None = None,
) -> Ensemble:
    """Return an ensemble of as many trees as the out-of-bag error needs to settle.

    The number of trees depends on the rule alone: trees grown beyond it are dropped.

    Parameters
    ----------
    forest
        The problem of the forest.
    rule
        When to stop.
    n_trees
        Upper limit of the number of trees.
    grow
        Returns an ensemble of so many trees, starting with the tree of a number.
    grown
        Trees to begin with, all of which are kept.
    """
    tally = OutOfBagTally(forest)
    parts = [] if grown is None else [grown]
    n_kept = n_grown = 0 if grown is None else len(grown)
    if grown is not None:
        tally.add(grown)
    scale = tally.scale()
    enough = rule.stops_at(tally.curve, scale) if grown is not None else None
    while enough is None and n_grown < n_trees:
        more = grow(n_grown, min(rule.n_trees, n_trees - n_grown))
        tally.add(more, n_grown)
        parts.append(more)
        n_grown += len(more)
        enough = rule.stops_at(tally.curve, scale)
    n_needed = n_grown if enough is None else max(enough, n_kept)
    last = len(parts[-1]) - (n_grown - n_needed)
    if last < len(parts[-1]):
        parts[-1] = parts[-1].first(last)
    while len(parts) > 1:  # in pairs: joining one by one would copy the first trees every time
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [reduce(Ensemble.joined, pair) for pair in pairs]
    return parts[0]
