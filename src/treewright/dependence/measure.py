"""Partial dependence measured: by one walk of the trees, or by predicting every point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.core import BoostForest
from treewright.data.core_columns import lend
from treewright.dependence.additive import Additive, has_gaps
from treewright.dependence.points import with_columns

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.table import Table

_MOST_ROWS = 1 << 14
"""Rows of which the core keeps the answers to questions at a time."""

_MOST_NUMBERS = 1 << 22
"""Of single rows, points and outputs at a time: 32 MiB."""

_OfPart = Callable[[Sequence["Set"], "Table", "FloatArray | None"], "list[FloatArray | None]"]

BY_WALK = "by one walk of the trees"


@dataclass(frozen=True, kw_only=True, eq=False)
class Set:
    """Columns that are set together.

    Attributes
    ----------
    used
        Their positions among the used columns, those derived from them included.
    points
        The values, a row for each.
    because
        Why the points must be predicted one by one; None where they need not.
    predicted
        Function that returns the rows with the columns as at one point; None where only the
        columns in `used` change.
    """

    used: tuple[int, ...]
    points: Table
    because: str | None = None
    predicted: Callable[[int], Table] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """What was found of columns that are set together.

    Attributes
    ----------
    mean
        Mean answer of all rows, points x outputs.
    rows
        Answers of the single rows that were asked for, rows x points x outputs.
    method
        How it was found.
    """

    mean: FloatArray
    rows: FloatArray
    method: str


def measured(
    sets: Sequence[Set],
    table: Table,
    *,
    weight: FloatArray | None,
    kept: Int64Array,
    additive: Additive | str,
    answers: Callable[[Table], FloatArray],
    n_threads: int,
) -> list[Measured]:
    """Return the partial dependence on each set of columns, and the curves of some rows.

    Parameters
    ----------
    sets
        The columns.
    table
        The rows over which answers are averaged.
    weight
        Their weights; None: all alike.
    kept
        Positions of the rows whose own curves are returned.
    additive
        The model as a sum of trees, or why it is none.
    answers
        The answers about rows.
    n_threads
        Threads to use; the numbers are the same for any number.
    """
    refused = [each.because or _why_not(additive, table, each) for each in sets]
    found: list[Measured | None] = [None] * len(sets)
    walked = [i for i, reason in enumerate(refused) if reason is None]
    if walked:
        assert isinstance(additive, Additive)
        walk = _Walk(additive, table, weight, n_threads)
        for i, done in zip(walked, walk.found([sets[i] for i in walked], kept), strict=True):
            found[i] = done
            if done is None:
                refused[i] = "questions are about several columns together"
    return [
        _predicted(each, table, weight, kept, answers, str(reason)) if done is None else done
        for each, done, reason in zip(sets, found, refused, strict=True)
    ]


def _why_not(additive: Additive | str, table: Table, asked: Set) -> str | None:
    """Return why the trees cannot be walked once for all points; None where they can."""
    if isinstance(additive, str):
        return additive
    if additive.unless_divided is None or not (has_gaps(table) or has_gaps(asked.points)):
        return None
    return additive.unless_divided


@dataclass(frozen=True, eq=False)
class _Walk:
    """The trees of a model, with the rows that walk them."""

    model: Additive
    table: Table
    weight: FloatArray | None
    n_threads: int

    def found(self, sets: Sequence[Set], kept: Int64Array) -> list[Measured | None]:
        """Return what is found of each set; None where set columns are asked with others."""
        link = self.model.link
        own = self._curves(sets, self.table.take(kept))
        total = float(self.table.n_rows if self.weight is None else self.weight.sum())
        if link is None:
            means = self._sums(sets, self._core_sums)
        elif self.model.linked is None:
            means = self._linked(sets, own)
        else:
            means = self._sums(sets, self._core_linked)
        result: list[Measured | None] = []
        for curves, sums in zip(own, means, strict=True):
            if curves is None or sums is None:
                result.append(None)
                continue
            if link is None:
                mean = sums.T / total + self.model.base
            elif self.model.linked is None:
                mean = sums / total
            else:
                mean = self.model.linked.means(sums, total)
            result.append(Measured(mean=mean, rows=self._answered(curves), method=BY_WALK))
        return result

    def _answered(self, curves: FloatArray) -> FloatArray:
        sums = curves + self.model.base
        if self.model.link is None:
            return sums
        answered = self.model.link(sums.reshape(-1, sums.shape[-1]))
        return answered.reshape(*sums.shape[:2], answered.shape[-1])

    def _sums(self, sets: Sequence[Set], of_part: _OfPart) -> list[FloatArray | None]:
        """Return the weighted sums over the rows, outputs x points."""
        total: list[FloatArray | None] = []
        for part, weight in self._parts(_MOST_ROWS):
            own = of_part(sets, part, weight)
            if not total:
                total = own
                continue
            total = [
                None if a is None or b is None else a + b for a, b in zip(total, own, strict=True)
            ]
        return total

    def _core_sums(
        self, sets: Sequence[Set], part: Table, weight: FloatArray | None
    ) -> list[FloatArray | None]:
        return self._core(sets, part, weight, by_row=False)

    def _core_linked(
        self, sets: Sequence[Set], part: Table, weight: FloatArray | None
    ) -> list[FloatArray | None]:
        linked, core = self.model.linked, self.model.core
        assert linked is not None
        assert isinstance(core, BoostForest)
        return core.linked_dependence(
            lend(part),
            weight,
            [list(each.used) for each in sets],
            [lend(each.points) for each in sets],
            linked.name,
            linked.factor,
            np.ascontiguousarray(self.model.base),
            self.n_threads,
        )

    def _linked(
        self, sets: Sequence[Set], own: Sequence[FloatArray | None]
    ) -> list[FloatArray | None]:
        """Return the same of what the link makes of the sums of each row."""
        total: list[FloatArray | None] = [None] * len(sets)
        served = [i for i, curves in enumerate(own) if curves is not None]
        if not served:
            return total
        n_numbers = sum(sets[i].points.n_rows for i in served) * len(self.model.base)
        for part, weight in self._parts(max(64, _MOST_NUMBERS // max(n_numbers, 1))):
            for i, curves in zip(
                served, self._curves([sets[i] for i in served], part), strict=True
            ):
                assert curves is not None
                answers = self._answered(curves)
                sums = (
                    answers if weight is None else weight[:, np.newaxis, np.newaxis] * answers
                ).sum(axis=0)
                before = total[i]
                total[i] = sums if before is None else before + sums
        return total

    def _curves(self, sets: Sequence[Set], part: Table) -> list[FloatArray | None]:
        """Return the sums of each row, rows x points x outputs."""
        if part.n_rows == 0:
            width = len(self.model.base)
            return [np.zeros((0, each.points.n_rows, width)) for each in sets]
        found = self._core(sets, part, None, by_row=True)
        return [None if each is None else each.transpose(0, 2, 1) for each in found]

    def _core(
        self, sets: Sequence[Set], part: Table, weight: FloatArray | None, *, by_row: bool
    ) -> list[FloatArray | None]:
        return self.model.core.dependence(
            lend(part),
            weight,
            [list(each.used) for each in sets],
            [lend(each.points) for each in sets],
            by_row,
            self.n_threads,
        )

    def _parts(self, most: int) -> list[tuple[Table, FloatArray | None]]:
        n = self.table.n_rows
        if n <= most:
            return [(self.table, self.weight)]
        parts = [np.arange(begin, min(n, begin + most)) for begin in range(0, n, most)]
        return [
            (self.table.take(rows), None if self.weight is None else self.weight[rows])
            for rows in parts
        ]


def _predicted(
    each: Set,
    table: Table,
    weight: FloatArray | None,
    kept: Int64Array,
    answers: Callable[[Table], FloatArray],
    reason: str,
) -> Measured:
    """Return what is found by predicting all rows at every point."""
    means, rows = [], []
    for point in range(each.points.n_rows):
        if each.predicted is None:
            at = np.full(table.n_rows, point, dtype=np.int64)
            found = answers(with_columns(table, each.points, each.used, at))
        else:
            found = answers(each.predicted(point))
        means.append(np.average(found, axis=0, weights=weight))
        rows.append(found[kept])
    return Measured(
        mean=np.array(means),
        rows=np.stack(rows, axis=1),
        method=f"by predicting all rows at every value, as {reason}",
    )
