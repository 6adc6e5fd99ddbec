"""One column of a row: the values it may move to, the nearest of them, and what a move costs.

What is open to a column is a *part*: a set of codes, or an interval of numbers ``(low, high]`` and
whether the value may stay missing. A question splits a part into smaller ones, one per outcome, and
no two values of one part are told apart by it.

A known value never becomes missing or unseen. A value that is missing stays so for nothing; made
known it counts as a change of name, since there is nothing to measure from.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.table import MISSING, UNSEEN
from treewright.tree.condition import Condition, Interval, Members
from treewright.tree.question import Question, Stored

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec

IS_MISSING = -1
IS_UNSEEN = -2
"""Outcomes of a question besides its branches: no value, and one that it does not know."""

_UNKNOWN_TO_KNOWN = 1.0
_MOST_COST = 1e300
"""What is further apart counts this, so that sums and differences of costs stay finite."""


class Numbers(NamedTuple):
    """The numbers above `low` and up to `high`, and whether *missing* is open too."""

    low: float | int | None = None
    high: float | int | None = None
    is_known: bool = True
    may_be_missing: bool = False


Part: TypeAlias = Numbers | frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Axis(ABC):
    """One column, as it may change.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    value
        The value of the row in stored form.
    spread
        The change of an ordered value that counts 1.
    factor
        What a change costs, as a multiple.
    is_fixed
        Whether the value must stay as it is.
    """

    index: int
    column: ColumnSpec
    value: Stored
    spread: float = 1.0
    factor: float = 1.0
    is_fixed: bool = False

    @property
    def has_whole_numbers(self) -> bool:
        """Whether the column holds whole numbers only, though it is stored as decimal ones."""
        return False

    @abstractmethod
    def start(self) -> Part:
        """Return all that is open to the column."""

    @abstractmethod
    def split(self, part: Part, question: Question) -> list[tuple[int, Part]]:
        """Return the parts that a question tells apart, each with its outcome."""

    @abstractmethod
    def nearest(self, part: Part) -> tuple[float, Stored] | None:
        """Return the least cost of a value of a part, and that value; None for an empty part."""

    @abstractmethod
    def meeting(self, condition: Condition) -> Part:
        """Return the part that meets a condition."""

    @abstractmethod
    def stops(self, cuts: Sequence[float | int]) -> list[Stored]:
        """Return the nearest value in each cell between cuts, other than the value itself."""

    @abstractmethod
    def beside(self, other: Stored, cuts: Sequence[float | int]) -> Stored:
        """Return the nearest value that no cut tells from another row's; None for none."""

    def cost(self, value: Stored) -> float:
        """Return what it costs to change to a value."""
        if value == self.value:
            return 0.0
        return min(self.factor * self._distance(value), _MOST_COST)

    @abstractmethod
    def _distance(self, value: Stored) -> float:
        """Return the distance of another value."""

    def _priced(self, value: Stored) -> tuple[float, Stored]:
        return self.cost(value), value


@dataclass(frozen=True, kw_only=True)
class NumberAxis(Axis):
    """A column of numbers, dates or durations.

    Parameters
    ----------
    step
        Values are multiples of it: 1 for whole numbers, a day for dates; None for any number.
    is_single
        Whether the table holds numbers of single precision.
    anchor
        Where a missing value is best made known: the median.
    """

    step: int | None = None
    is_single: bool = False
    anchor: float | int = 0

    @property
    def has_whole_numbers(self) -> bool:
        """Whether the column holds whole numbers only, though it is stored as decimal ones."""
        return self.column.storage == "float" and self.step == 1

    def start(self) -> Numbers:
        """Return all that is open to the column."""
        return Numbers(may_be_missing=self.value is None)

    def split(self, part: Part, question: Question) -> list[tuple[int, Part]]:
        """Return the parts that a question tells apart, each with its outcome."""
        assert isinstance(part, Numbers)
        if self.is_fixed:
            outcome = IS_MISSING if self.value is None else question.branch_of(self.value)
            return [(outcome, part)]
        found: list[tuple[int, Part]] = []
        for branch in range(question.n_branches if part.is_known else 0):
            condition = question.condition(branch)
            assert isinstance(condition, Interval)
            within = _both(part, condition)
            if within is not None and condition.known:
                found.append((branch, within))
        if part.may_be_missing:
            found.append((IS_MISSING, Numbers(is_known=False, may_be_missing=True)))
        return found

    def meeting(self, condition: Condition) -> Part:
        """Return the part that meets a condition."""
        assert isinstance(condition, Interval)
        stays = self.value is None and condition.missing
        return Numbers(condition.low, condition.high, condition.known, stays)

    def nearest(self, part: Part) -> tuple[float, Stored] | None:
        """Return the least cost of a value of a part, and that value; None for an empty part."""
        assert isinstance(part, Numbers)
        if self.value is None and part.may_be_missing:
            return 0.0, None
        if not part.is_known:
            return None
        aim = self.anchor if self.value is None else self.value
        is_above = part.low is None or aim > part.low
        is_below = part.high is None or aim <= part.high
        if is_above and is_below:
            return self._priced(aim)
        if self.is_fixed:
            return None
        value = self._last_up_to(part.high) if is_above else self.first_above(part.low)
        if value is None:
            return None
        if (part.low is not None and value <= part.low) or (
            part.high is not None and value > part.high
        ):
            return None  # no value of the column's type lies between the cuts
        return self._priced(value)

    def stops(self, cuts: Sequence[float | int]) -> list[Stored]:
        """Return the nearest value in each cell between cuts, other than the value itself."""
        if self.is_fixed:
            return []
        lows = [None, *cuts]
        found = (
            self.nearest(Numbers(low, high))
            for low, high in zip(lows, [*lows[1:], None], strict=True)
        )
        return [each[1] for each in found if each is not None and each[1] != self.value]

    def beside(self, other: Stored, cuts: Sequence[float | int]) -> Stored:
        """Return the nearest value that no cut tells from another row's; None for none."""
        if other is None:
            return None
        place = bisect_left(cuts, other)
        low = cuts[place - 1] if place > 0 else None
        near = self.nearest(Numbers(low, cuts[place] if place < len(cuts) else None))
        return None if near is None else near[1]

    def _distance(self, value: Stored) -> float:
        if value is None or self.value is None or not math.isfinite(self.value):
            return _UNKNOWN_TO_KNOWN
        return float(abs(value - self.value)) / self.spread

    def first_above(self, low: Any) -> Stored:
        """Return the smallest value above a bound that the column can hold."""
        if self.column.storage != "float":
            step = self.step or 1
            value = (low // step + 1) * step
            return value if value <= INT64_MAX else None
        if self.step is not None and math.isfinite(low):
            whole = self._held(float(math.floor(low) + 1))
            if whole > low:
                return whole
        return self._finite(self._beside(low, math.inf))

    def _last_up_to(self, high: Any) -> Stored:
        """Return the largest value up to a bound that the column can hold."""
        if self.column.storage != "float":
            step = self.step or 1
            value = high // step * step
            return value if value >= INT64_MIN else None
        if self.step is not None and math.isfinite(high):
            whole = self._held(float(math.floor(high)))
            if whole <= high:
                return whole
        held = self._held(high)
        return self._finite(held if held <= high else self._beside(high, -math.inf))

    def _held(self, value: float) -> float:
        with np.errstate(over="ignore"):
            return float(np.float32(value)) if self.is_single else value

    def _beside(self, value: float, towards: float) -> float:
        """Return the next number of the column's precision, which may be just the rounded one."""
        if not self.is_single:
            return math.nextafter(value, towards)
        with np.errstate(over="ignore"):
            near = np.float32(value)
            is_beyond = near > value if towards > 0 else near < value
            return float(near if is_beyond else np.nextafter(near, np.float32(towards)))

    @staticmethod
    def _finite(value: float) -> float | None:
        return value if math.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class CodeAxis(Axis):
    """A column of categories, or of ranks in a declared order."""

    def start(self) -> frozenset[int]:
        """Return all that is open to the column."""
        current = self._code
        return frozenset([current] if self.is_fixed else [*range(len(self.column.values)), current])

    def split(self, part: Part, question: Question) -> list[tuple[int, Part]]:
        """Return the parts that a question tells apart, each with its outcome."""
        assert isinstance(part, frozenset)
        codes_of_outcome: dict[int, list[int]] = {}
        for code in part:
            if code == MISSING:
                outcome = IS_MISSING
            else:
                outcome = question.branch_of(code) if question.knows(code) else IS_UNSEEN
            codes_of_outcome.setdefault(outcome, []).append(code)
        return [(outcome, frozenset(codes)) for outcome, codes in sorted(codes_of_outcome.items())]

    def meeting(self, condition: Condition) -> Part:
        """Return the part that meets a condition."""
        members = condition if isinstance(condition, Members) else condition.as_members()
        qualifies = members.code_table()
        return frozenset(code for code in self.start() if qualifies[code])

    def nearest(self, part: Part) -> tuple[float, Stored] | None:
        """Return the least cost of a value of a part, and that value; None for an empty part."""
        assert isinstance(part, frozenset)
        if self._code in part:
            return 0.0, self.value
        best = min(((self.cost(code), code) for code in part if code >= 0), default=None)
        return best

    def stops(self, cuts: Sequence[float | int]) -> list[Stored]:
        """Return every other category: each is a cell of its own."""
        return [code for code in sorted(self.start()) if code >= 0 and code != self.value]

    def beside(self, other: Stored, cuts: Sequence[float | int]) -> Stored:
        """Return the nearest value that no cut tells from another row's; None for none."""
        return other if other is not None and other >= 0 else None

    @property
    def _code(self) -> int:
        return MISSING if self.value is None else int(self.value)

    def _distance(self, value: Stored) -> float:
        is_ranked = self.column.kind == "ordinal" and self._code not in (MISSING, UNSEEN)
        if not is_ranked or value is None:
            return _UNKNOWN_TO_KNOWN
        return abs(int(value) - self._code) / self.spread


def _both(part: Numbers, condition: Interval) -> Numbers | None:
    """Return the known numbers that are in a part and meet a condition; None for none."""
    low = condition.low if part.low is None else part.low
    if part.low is not None and condition.low is not None:
        low = max(part.low, condition.low)
    high = condition.high if part.high is None else part.high
    if part.high is not None and condition.high is not None:
        high = min(part.high, condition.high)
    if low is not None and high is not None and low >= high:
        return None
    return Numbers(low, high)
