"""A near row that gets the wanted answer, of a model whose regions are too many to try.

The regions of trees that answer together are intersections of theirs, and to find the nearest is a
hard problem (Cui et al. 2015 solve it as an integer program). Here it is searched for:

1. *Starts.* The regions of each tree (or rule) nearest to the row; a climb from the row, one column
   at a time, by what raises the wanted answer most for its distance; and reference rows that get
   the wanted answer. Where none of them gets it, climbs from the regions that fall short least.
2. *Descent.* From the nearest starts: one column is moved back, or moved back while another one is
   moved, to the nearest such row that still gets the answer, until there is none.

Every row is judged by the model's own prediction. What is found is not proved to be nearest.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.counterfactual.axes import Axis
from treewright.counterfactual.changed_rows import Moves, changed
from treewright.counterfactual.setting import Cuts
from treewright.counterfactual.wanted import Wanted
from treewright.data.table import Table
from treewright.tree.question import Stored, stored_value

Decided = Callable[[Table], Array]
"""A model's own prediction for a table that has been read."""

_ROWS_AT_ONCE = 256
_MOST_STARTS = 2_000
_DESCENTS = 4
"""Starts that are descended from; more find a nearer row rarely (docs/decisions)."""
_MOST_ROWS = 10_000
"""Reference rows that are asked about, evenly chosen."""
_CLIMBS = 8
_MOST_STEPS = 24
_NEAR_STOPS = 12
_MOST_STOPS = 40
"""Values of a column that are tried at once: the nearest ones, then every so many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """The search from one row.

    Parameters
    ----------
    row
        The row, as a table.
    axes
        The columns that may change or are asked about, by position.
    cuts
        The cuts of the model.
    wanted
        The answer that is wanted.
    decided
        The model's own prediction.
    answers
        Its probabilities or numbers, which tell how near an answer is.
    """

    row: Table
    axes: Mapping[int, Axis]
    cuts: Cuts
    wanted: Wanted
    decided: Decided
    answers: Callable[[Table], FloatArray]

    def found(self, regions: Iterable[Moves], reference: Table | None) -> dict[int, Stored] | None:
        """Return the moves to the nearest row that is found; None if none is."""
        near = sorted(map(self.moves, regions), key=self.cost)[:_MOST_STARTS]
        good = self._first_met(near, _DESCENTS)
        good += self._first_met(self._from_rows(reference), _DESCENTS)
        climbed = self._climbed({})
        if climbed is None and not good:  # from a row that is nearer to the answer
            tries = map(self._climbed, self._most_promising(near))
            climbed = next((each for each in tries if each is not None), None)
        if climbed is not None:
            good.append(climbed)
        ends = [self._descended(each) for each in good]
        return min(ends, key=self.cost, default=None)

    def cost(self, moves: Moves) -> float:
        """Return the distance of a row with these values from the row itself."""
        return math.fsum(self.axes[index].cost(value) for index, value in moves.items())

    def first_met(self, rows: list[dict[int, Stored]]) -> dict[int, Stored] | None:
        """Return the first row that gets the wanted answer; None if none does."""
        return next(iter(self._first_met(rows, 1)), None)

    def _first_met(self, rows: list[dict[int, Stored]], most: int) -> list[dict[int, Stored]]:
        found: list[dict[int, Stored]] = []
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[first : first + _ROWS_AT_ONCE]
            met = self.wanted.is_met(self.decided(changed(self.row, some)))
            found += [some[place] for place in np.flatnonzero(met).tolist()]
            if len(found) >= most:
                break
        return found[:most]

    def moves(self, values: Moves) -> dict[int, Stored]:
        """Return only the values that are others than the row's."""
        return {index: v for index, v in values.items() if v != self.axes[index].value}

    def _from_rows(self, reference: Table | None) -> list[dict[int, Stored]]:
        """Return the moves to where reference rows are."""
        if reference is None or reference.n_rows == 0:
            return []
        spaced = np.linspace(0, reference.n_rows - 1, min(reference.n_rows, _MOST_ROWS))
        rows = reference.take(np.unique(spaced.astype(np.int64)))
        met = np.flatnonzero(self.wanted.is_met(self.decided(rows)))
        free = [axis for axis in self.axes.values() if not axis.is_fixed]
        found = []
        for place in met.tolist():
            moves: dict[int, Stored] = {}
            for axis in free:
                theirs = stored_value(rows, axis.index, place)
                near = axis.beside(theirs, self.cuts.get(axis.index, ()))
                if near is not None:
                    moves[axis.index] = near
            found.append(self.moves(moves))
        return sorted(found, key=self.cost)[:_MOST_STARTS]

    def _most_promising(self, rows: list[dict[int, Stored]]) -> list[dict[int, Stored]]:
        """Return the rows whose answers fall short least."""
        if not rows:
            return []
        short = self.wanted.shortfall(self.answers(changed(self.row, rows)))
        return [rows[place] for place in np.argsort(short, kind="stable")[:_CLIMBS].tolist()]

    @cached_property
    def _stops(self) -> dict[int, list[Stored]]:
        """Values of each column that are moved to, one per cell between cuts, nearest first."""
        return {
            index: sorted(axis.stops(self.cuts.get(index, ())), key=axis.cost)
            for index, axis in self.axes.items()
            if not axis.is_fixed
        }

    @cached_property
    def _few_stops(self) -> dict[int, list[Stored]]:
        return {index: _some(stops, at_end=False) for index, stops in self._stops.items()}

    def _climbed(self, moves: dict[int, Stored]) -> dict[int, Stored] | None:
        """Return further moves that reach the answer, each of them the most for its cost."""
        short = float(self.wanted.shortfall(self.answers(changed(self.row, [moves])))[0])
        for _ in range(_MOST_STEPS):
            tried = [
                self.moves({**moves, index: stop})
                for index, stops in self._few_stops.items()
                for stop in stops
                if moves.get(index) != stop
            ]
            if not tried:
                return None
            costs = np.array([self.cost(each) for each in tried])
            order = np.argsort(costs, kind="stable").tolist()
            tried, added = [tried[place] for place in order], costs[order] - self.cost(moves)
            there = self.first_met(tried)
            if there is not None:
                return there
            gains = short - self.wanted.shortfall(self.answers(changed(self.row, tried)))
            worth = gains / np.maximum(added, 1e-9)
            worth[gains <= 0.0] = 0.0
            best = int(np.argmax(worth))
            if not worth[best] > 0.0:
                return None
            moves, short = tried[best], short - float(gains[best])
        return None

    def _descended(self, moves: dict[int, Stored]) -> dict[int, Stored]:
        """Return the moves of a row that no move back brings nearer."""
        while True:
            limit = self.cost(moves)
            priced = [(self.cost(each), each) for each in self._beside(moves)]
            nearer = sorted((pair for pair in priced if pair[0] < limit), key=itemgetter(0))
            better = self.first_met([each for _, each in nearer])
            if better is None:
                return moves
            moves = better

    def _beside(self, moves: dict[int, Stored]) -> Iterable[dict[int, Stored]]:
        """Yield rows with one column moved back, and with another moved instead."""
        for index, value in moves.items():
            axis = self.axes[index]
            back = {other: v for other, v in moves.items() if other != index}
            yield back
            paid = axis.cost(value)
            nearer = bisect_left(self._stops[index], paid, key=axis.cost)
            yield from ({**back, index: stop} for stop in _some(self._stops[index][:nearer]))
            for other, stops in self._few_stops.items():
                if other == index:
                    continue
                beside = self.axes[other]
                saved = paid + beside.cost(moves.get(other, beside.value))
                yield from ({**back, other: stop} for stop in stops if beside.cost(stop) < saved)


def _some(stops: list[Stored], *, at_end: bool = True) -> list[Stored]:
    """Return the first stops, and every so many of the others; all of few.

    Parameters
    ----------
    stops
        Values, nearest first.
    at_end
        Whether the last ones are among them, so that repeated moves back miss none beside.
    """
    if len(stops) <= _MOST_STOPS:
        return stops
    last = _NEAR_STOPS if at_end else 0
    rest = stops[_NEAR_STOPS : len(stops) - last]
    spaced = -(-len(rest) // (_MOST_STOPS - _NEAR_STOPS - last))
    return [*stops[:_NEAR_STOPS], *rest[::spaced], *stops[len(stops) - last :]]
