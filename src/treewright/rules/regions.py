"""Regions: the rows that rules cover, as sets that can be compared.

What is proved of regions holds for every possible row, not only for those of a table.

Along one column the bounds that occur cut the numbers into cells, and no rule distinguishes two
numbers of one cell; a category is a cell of its own, and so are *missing* and *unseen*. A condition
is a set of cells, and a conjunction a box: one set per column. A linear combination of columns
(oblique) counts as a column of its own: what is proved is true, but not all that is true is proved.

Examples
--------
>>> from treewright.data.fitted_schema import ColumnSpec
>>> from treewright.tree.condition import Interval
>>> size = ColumnSpec(name="size", kind="numeric", storage="float")
>>> small, medium = (Interval(index=0, column=size, low=a, high=b) for a, b in ((None, 2), (2, 5)))
>>> axis = axis_of([small, medium])
>>> axis.cells_of(medium).tolist()  # up to 2, up to 5, above, missing
[False, True, False, False]
>>> [each.text() for each in axis.conditions_of(~axis.cells_of(medium))]
['size <= 2', 'size > 5', 'size is missing']
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treewright.tree.condition import Condition, Conjunction, Interval, Members

if TYPE_CHECKING:
    from treewright.array_types import BoolArray

Box: TypeAlias = "dict[object, BoolArray]"
"""The cells that qualify on each axis; an axis that is absent is not restricted."""


@dataclass(frozen=True, eq=False)
class CutAxis:
    """Axis of numbers: cell i is above cut i - 1 and up to cut i; the last cell is *missing*."""

    pattern: Interval
    cuts: list[float | int]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.cuts) + 2

    def cells_of(self, condition: Condition) -> BoolArray:
        """Return the cells that qualify."""
        assert isinstance(condition, Interval)
        low, high = self.range_of(condition)
        cells = np.zeros(self.n_cells, dtype=bool)
        cells[low : high + 1] = True
        cells[-1] = condition.missing
        return cells

    def range_of(self, condition: Interval) -> tuple[int, int]:
        """Return the first and the last cell that qualify; the first above the last for none."""
        if not condition.known:
            return 1, 0
        low = 0 if condition.low is None else bisect_left(self.cuts, condition.low) + 1
        high = len(self.cuts)
        return low, high if condition.high is None else bisect_left(self.cuts, condition.high)

    def conditions_of(self, cells: BoolArray) -> list[Condition]:
        """Return conditions that together hold for these cells: one per run of adjacent cells."""
        known, missing = cells[:-1], bool(cells[-1])
        steps = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]])))
        runs = [
            replace(
                self.pattern,
                low=None if first == 0 else self.cuts[first - 1],
                high=None if stop == len(known) else self.cuts[stop - 1],
                known=True,
                missing=False,
            )
            for first, stop in steps.reshape(-1, 2).tolist()
        ]
        if missing and len(runs) == 1:  # one condition covers both
            return [replace(runs[0], missing=True)]
        if missing:
            runs.append(replace(self.pattern, low=None, high=None, known=False, missing=True))
        return list(runs)


@dataclass(frozen=True, eq=False)
class CodeAxis:
    """Axis of categories: one cell per code, then *unseen* and *missing* (indices -2 and -1)."""

    pattern: Members

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.pattern.column.values) + 2

    def cells_of(self, condition: Condition) -> BoolArray:
        """Return the cells that qualify."""
        members = condition.as_members() if isinstance(condition, Interval) else condition
        return members.code_table()

    def conditions_of(self, cells: BoolArray) -> list[Condition]:
        """Return the condition that holds for these cells; none for no cell."""
        if not cells.any():
            return []
        codes = frozenset(np.flatnonzero(cells[:-2]).tolist())
        unseen, missing = bool(cells[-2]), bool(cells[-1])
        return [
            replace(
                self.pattern,
                codes=codes,
                strays=frozenset(),
                barred=None,
                missing=missing,
                unseen=unseen,
            )
        ]


Axis: TypeAlias = CutAxis | CodeAxis


def axis_of(conditions: Sequence[Condition]) -> Axis:
    """Return the axis of conditions with one key."""
    first = conditions[0]
    if first.column.storage == "value":
        return CodeAxis(first if isinstance(first, Members) else first.as_members())
    bounds = {
        bound
        for each in conditions
        if isinstance(each, Interval)
        for bound in (each.low, each.high)
        if bound is not None
    }
    assert isinstance(first, Interval)
    return CutAxis(first, sorted(bounds))


class Space:
    """The axes of some rules, and their boxes.

    Parameters
    ----------
    conjunctions
        The conditions of each rule.
    """

    def __init__(self, conjunctions: Iterable[Conjunction]) -> None:
        self.said: dict[object, list[tuple[int, Condition]]] = {}
        for number, conjunction in enumerate(conjunctions):
            for each in conjunction:
                self.said.setdefault(each.key, []).append((number, each))
        self.axes: Mapping[object, Axis] = {
            key: axis_of([each for _, each in said]) for key, said in self.said.items()
        }

    def box(self, conjunction: Conjunction) -> Box:
        """Return the cells that a conjunction allows, without axes that it does not restrict."""
        cells = {each.key: self.axes[each.key].cells_of(each) for each in conjunction}
        return {key: allowed for key, allowed in cells.items() if not allowed.all()}

    def conjunctions(self, box: Box) -> list[Conjunction]:
        """Return a box as conjunctions: several where allowed cells are not adjacent."""
        terms: list[Conjunction] = [()]
        for key, cells in box.items():
            choices = self.axes[key].conditions_of(cells)
            terms = [(*term, choice) for term in terms for choice in choices]
        return terms
