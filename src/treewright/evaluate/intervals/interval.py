"""A figure with its confidence interval, and how it prints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scipy.special import ndtri, stdtrit

from treewright.parameters import check_choice, check_share
from treewright.text.numbers import figures, percent, separated

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A figure and the interval that holds the true one with a given confidence; ``print`` it.

    Parameters
    ----------
    value
        The figure found; NaN where there are no rows to find it from.
    low, high
        The ends of the interval; infinite where nothing bounds the figure on that side.
    level
        The share of such intervals that hold the true figure, over repeated samples.
    method
        How it was made, by the name that the literature has for it.
    is_share
        Whether the figure is a share, which prints as a percentage.
    is_difference
        Whether the figure is a difference, which prints with its sign.

    Examples
    --------
    >>> interval = Interval(
    ...     value=0.131, low=0.117, high=0.146, level=0.95, method="Wilson", is_share=True)
    >>> print(interval)
    13.1 %, 11.7 to 14.6 % (95 %)
    >>> 0.12 in interval
    True
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    is_share: bool = False
    is_difference: bool = False

    def __post_init__(self) -> None:
        check_share("level", self.level)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return figure, interval and level: ``13.1 %, 11.7 to 14.6 % (95 %)``."""
        found, ends = self.value_text(), self.ends_text()
        return f"{found}, {ends} ({100 * self.level:.6g} %)"

    def value_text(self) -> str:
        """Return the figure alone; ``not known`` where there were no rows."""
        return self._texts()[0]

    def ends_text(self) -> str:
        """Return the ends alone, with the unit once: ``11.7 to 14.6 %``.

        A side without a bound is told in words: ``at least 11.7 %``.
        """
        _, low, high = self._texts()
        has_low, has_high = math.isfinite(self.low), math.isfinite(self.high)
        if has_low and has_high:
            return f"{low.removesuffix(' %')} to {high}"
        if has_low or has_high:
            return f"at least {low}" if has_low else f"at most {high}"
        return "no bounds"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers and text; what is not known or unbounded is None."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        known = {name: end if math.isfinite(end) else None for name, end in ends.items()}
        return {**known, "level": self.level, "method": self.method}

    def _texts(self) -> list[str]:
        numbers = [self.value, self.low, self.high]
        if self.is_share:
            texts = list(map(percent, numbers))
        else:
            texts = list(map(separated, figures(numbers)))
        if self.is_difference:
            texts = [
                f"+{text}" if number > 0 else text
                for number, text in zip(numbers, texts, strict=True)
            ]
        return ["not known" if math.isnan(self.value) else texts[0], *texts[1:]]


def deviate(level: float, *, df: float = math.inf, alternative: Alternative = "two-sided") -> float:
    """Return how many standard errors an interval reaches: a deviate of Student's t.

    Examples
    --------
    >>> round(deviate(0.95), 3), round(deviate(0.95, df=4), 3)
    (1.96, 2.776)
    >>> round(deviate(0.95, alternative="greater"), 3)
    1.645
    """
    check_share("level", level)
    check_choice("alternative", alternative, ALTERNATIVES)
    below = 0.5 + level / 2 if alternative == "two-sided" else level
    return float(ndtri(below) if math.isinf(df) else stdtrit(df, below))


def around(
    value: float,
    standard_error: float,
    *,
    level: float,
    method: str,
    df: float = math.inf,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-math.inf, math.inf),
    is_share: bool = False,
    is_difference: bool = False,
) -> Interval:
    """Return the interval a number of standard errors around a value, cut at its bounds.

    Parameters
    ----------
    value, standard_error
        The figure and its standard error; an infinite one leaves the bounds.
    level, method
        As of :class:`Interval`.
    df
        Degrees of freedom of Student's t; infinite for the normal distribution.
    alternative
        ``"greater"`` has no upper end, ``"less"`` no lower one, as their tests have one side.
    bounds
        The least and the greatest value that the figure can have.
    is_share, is_difference
        As of :class:`Interval`.

    Examples
    --------
    >>> print(around(5.0, 1.0, level=0.9, method="normal"))
    5.000, 3.355 to 6.645 (90 %)
    """
    spread = standard_error
    if math.isfinite(standard_error):
        spread *= deviate(level, df=df, alternative=alternative)
    return Interval(
        value=value,
        low=bounds[0] if alternative == "less" else max(bounds[0], value - spread),
        high=bounds[1] if alternative == "greater" else min(bounds[1], value + spread),
        level=level,
        method=method,
        is_share=is_share,
        is_difference=is_difference,
    )
