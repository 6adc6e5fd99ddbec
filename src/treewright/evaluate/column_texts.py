"""Figures of learners as a column of text, in which printed differences add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from treewright.evaluate.intervals import Interval
from treewright.evaluate.metrics import Metric
from treewright.text.numbers import figures, percent, separated


@dataclass(frozen=True, kw_only=True)
class ColumnTexts:
    """One figure of several learners, all with the same decimals.

    Shares have one decimal of a percentage, rounded half up; other figures as many as the largest
    needs. A difference of two learners is that of their printed figures, so that a reader who
    subtracts them finds it; it is at most one unit of the last decimal from the exact one.

    Parameters
    ----------
    values, ends
        The figures and their intervals; empty of a learner that failed.
    decimals
        Of the figures; None where they are so large, or small, that they have none in common.
    is_share
        Whether they are percentages.
    """

    values: list[str]
    ends: list[str]
    decimals: int | None
    is_share: bool

    @classmethod
    def of(cls, metric: Metric, found: Sequence[Interval | None]) -> ColumnTexts:
        """Return the texts of a metric's figures; None is a learner that failed."""
        known = [each for each in found if each is not None]
        if metric.is_share or any(math.isnan(each.value) for each in known):
            return cls(
                values=["" if each is None else each.value_text() for each in found],
                ends=["" if each is None else each.ends_text() for each in found],
                decimals=1 if metric.is_share else None,
                is_share=metric.is_share,
            )
        numbers = [end for each in known for end in (each.value, each.low, each.high)]
        texts = figures([end for end in numbers if math.isfinite(end)])
        has_powers = any("e" in text for text in texts)
        decimals = None if has_powers else max((_n_decimals(text) for text in texts), default=0)
        made = cls(values=[], ends=[], decimals=decimals, is_share=False)
        return cls(
            values=["" if each is None else made.plain(each.value) for each in found],
            ends=["" if each is None else made.between(each) for each in found],
            decimals=decimals,
            is_share=False,
        )

    def plain(self, number: float) -> str:
        """Return a number with the decimals of the column."""
        if self.is_share:
            return percent(number, unit=False)
        text = f"{number:.4g}" if self.decimals is None else f"{number:.{self.decimals}f}"
        return separated(text if text.strip("-0.") else text.removeprefix("-"))

    def between(self, interval: Interval) -> str:
        """Return the ends of an interval with the decimals of the column."""
        low, high = self.plain(interval.low), self.plain(interval.high)
        if math.isfinite(interval.low) and math.isfinite(interval.high):
            return f"{low} to {high}"
        return interval.ends_text()

    def signed(self, difference: float) -> str:
        """Return a difference with its sign."""
        return _with_sign(self.plain(difference))

    def less(self, one: int, other: int) -> str:
        """Return the printed figure of one learner less that of another, with its sign."""
        texts = [self.values[each].removesuffix(" %").replace(",", "") for each in (one, other)]
        difference = Decimal(texts[0]) - Decimal(texts[1])
        if self.decimals is None:
            return _with_sign(f"{float(difference):.4g}")
        return _with_sign(separated(f"{difference:.{self.decimals}f}"))


def _with_sign(text: str) -> str:
    if not text.strip("-0."):
        return text.removeprefix("-")
    return text if text.startswith("-") else f"+{text}"


def _n_decimals(text: str) -> int:
    return len(text.partition(".")[2])
