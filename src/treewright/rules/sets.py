"""The sets of many rules along one axis, compared all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treewright.rules.regions import Axis, CodeAxis, CutAxis
from treewright.tree.condition import Condition, Interval

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, Int64Array


class _Listed:
    """Rules that restrict an axis, by their numbers; all others allow every cell."""

    def __init__(self, axis: Axis, rules: Int64Array) -> None:
        self.axis = axis
        self.rules = rules  # ascending

    def place(self, number: int) -> int:
        """Return the position of a rule that is listed."""
        return int(np.searchsorted(self.rules, number))

    def lists(self, number: int) -> bool:
        """Return whether a rule restricts the axis."""
        place = self.place(number)
        return place < len(self.rules) and int(self.rules[place]) == number


class CutSets(_Listed):
    """Ranges of cells on an axis of numbers, with or without *missing*."""

    axis: CutAxis

    def __init__(self, axis: CutAxis, rules: Int64Array, conditions: Sequence[Condition]) -> None:
        super().__init__(axis, rules)
        self._low = np.zeros(len(rules), dtype=np.int64)
        self._high = np.zeros(len(rules), dtype=np.int64)
        self._missing = np.zeros(len(rules), dtype=bool)
        for number, condition in zip(rules.tolist(), conditions, strict=True):
            self.put(number, condition)

    def put(self, number: int, condition: Condition) -> None:
        """Set the cells that a rule allows."""
        assert isinstance(condition, Interval)
        place = self.place(number)
        self._low[place], self._high[place] = self.axis.range_of(condition)
        self._missing[place] = condition.missing

    def forget(self, number: int) -> None:
        """Remove the restriction of a rule: it allows every cell."""
        kept = self.rules != number
        self.rules = self.rules[kept]
        self._low, self._high = self._low[kept], self._high[kept]
        self._missing = self._missing[kept]

    def hold(self, number: int) -> BoolArray:
        """Return whether each rule allows every cell that rule `number` allows."""
        own = self.place(number)
        low, high = self._low[own], self._high[own]
        numbers = ((self._low <= low) & (high <= self._high)) | (low > high)
        return np.asarray(numbers & (self._missing | ~self._missing[own]))

    def meet(self, number: int) -> BoolArray:
        """Return whether each rule allows some cell that rule `number` allows."""
        own = self.place(number)
        low = np.maximum(self._low, self._low[own])
        numbers = low <= np.minimum(self._high, self._high[own])
        return np.asarray(numbers | (self._missing & self._missing[own]))

    def union(self, numbers: Int64Array) -> BoolArray:
        """Return the cells that at least one of the given rules allows."""
        places = np.searchsorted(self.rules, numbers)
        places_known = places[self._low[places] <= self._high[places]]
        depth = np.zeros(self.axis.n_cells, dtype=np.int64)
        np.add.at(depth, self._low[places_known], 1)
        np.add.at(depth, self._high[places_known] + 1, -1)
        cells = np.cumsum(depth) > 0
        cells[-1] = self._missing[places].any()
        return cells


class CodeSets(_Listed):
    """Sets of categories, as bit sets."""

    axis: CodeAxis

    def __init__(self, axis: CodeAxis, rules: Int64Array, conditions: Sequence[Condition]) -> None:
        super().__init__(axis, rules)
        tables = [np.packbits(axis.cells_of(each)) for each in conditions]
        self._bits = np.array(tables, dtype=np.uint8)

    def put(self, number: int, condition: Condition) -> None:
        """Set the cells that a rule allows."""
        self._bits[self.place(number)] = np.packbits(self.axis.cells_of(condition))

    def forget(self, number: int) -> None:
        """Remove the restriction of a rule: it allows every cell."""
        kept = self.rules != number
        self.rules, self._bits = self.rules[kept], self._bits[kept]

    def hold(self, number: int) -> BoolArray:
        """Return whether each rule allows every cell that rule `number` allows."""
        own = self._bits[self.place(number)]
        return np.asarray(~(own & ~self._bits).any(axis=1))

    def meet(self, number: int) -> BoolArray:
        """Return whether each rule allows some cell that rule `number` allows."""
        return np.asarray((self._bits & self._bits[self.place(number)]).any(axis=1))

    def union(self, numbers: Int64Array) -> BoolArray:
        """Return the cells that at least one of the given rules allows."""
        together = np.bitwise_or.reduce(self._bits[np.searchsorted(self.rules, numbers)], axis=0)
        return np.unpackbits(together, count=self.axis.n_cells).astype(bool)


Sets: TypeAlias = CutSets | CodeSets


def sets_along(axis: Axis, said: Sequence[tuple[int, Condition]]) -> Sets:
    """Return the sets of rules, by ascending numbers, along one axis."""
    rules = np.array([number for number, _ in said], dtype=np.int64)
    conditions = [each for _, each in said]
    if isinstance(axis, CutAxis):
        return CutSets(axis, rules, conditions)
    return CodeSets(axis, rules, conditions)
