"""How many trees are enough: growing until the out-of-bag error has settled."""

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
    """When a forest is large enough.

    Parameters
    ----------
    tolerance
        Change of the error that does not matter: of the share of wrong rows, or of the mean
        squared error in units of the target's variance (that is, of R²).
    n_trees
        The last trees during which the error may not have changed by more.
    """

    tolerance: float
    n_trees: int = 20

    @classmethod
    def of(cls, given: object) -> StopRule | None:
        """Read ``stop_when_stable``: None, a tolerance, or a tolerance and a number of trees."""
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
        """Return how many trees suffice by their curve of errors; None if more are needed.

        >>> rule = StopRule(tolerance=0.01, n_trees=2)
        >>> rule.stops_at(np.array([0.3, 0.2, 0.11, 0.105, 0.1, 0.2]), 1.0)
        5
        """
        if len(curve) <= self.n_trees:
            return None
        windows = sliding_window_view(curve, self.n_trees + 1)
        # A hair of room: errors that differ by exactly the tolerance are rounded.
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
    """Grow trees until the out-of-bag error has settled.

    The number of trees follows from the rule alone: trees grown beyond it are dropped.

    Parameters
    ----------
    forest
        What they are grown from.
    rule
        When to stop.
    n_trees
        At most so many.
    grow
        Gives so many trees from a number on.
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
    while len(parts) > 1:  # by pairs: one after the other copies the first ones again and again
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [reduce(Ensemble.joined, pair) for pair in pairs]
    return parts[0]
