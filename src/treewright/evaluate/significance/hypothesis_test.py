"""The frame of every test: a null hypothesis, a statistic, and how likely one as extreme is.

H0 is rejected at the significance level S if p <= S: if H0 were true, a statistic at least as
extreme as the one found would have the probability p (Fisher 1925, *Statistical Methods*).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from scipy.special import ndtr, stdtr

from treewright.errors import UnsupportedError
from treewright.evaluate.intervals.interval import ALTERNATIVES, Alternative, Interval, around
from treewright.parameters import check_choice, check_share
from treewright.text.numbers import figure, p_values

NO_SPREAD = "the differences are all alike, no spread to measure chance by: p = 1 by convention"
"""The note of a difference other than 0 that has no standard error."""


@dataclass(frozen=True, kw_only=True)
class HypothesisTest:
    """The result of a test; ``print`` it.

    Differences are those of the first learner less the second.

    Parameters
    ----------
    name
        The test.
    null
        H0, the hypothesis that it may reject.
    statistic, symbol
        What was computed, and what the literature calls it.
    df
        Degrees of freedom: a number, two for F, None where the distribution has none.
    p_value
        The probability of a statistic at least as extreme if H0 is true.
    alternative
        What speaks against H0: a difference on either side, only ``"greater"`` than 0, or only
        ``"less"``.
    n, pairs
        How many pairs of figures were compared, and what they are: folds, rows, tables.
    difference
        The estimate of the difference; None where more than two are compared.
    effect_size, effect
        The size of the difference in a unit of its own, and the name of that unit.
    note
        The convention that was needed; empty where none was.
    ends
        The interval of the difference for a level; :meth:`interval` calls it.
    """

    name: str
    null: str
    statistic: float
    symbol: str
    df: float | tuple[float, float] | None
    p_value: float
    alternative: Alternative
    n: int
    pairs: str
    difference: float | None = None
    effect_size: float | None = None
    effect: str = ""
    note: str = ""
    ends: Callable[[float], Interval] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.text()

    def rejects(self, level: float = 0.05) -> bool:
        """Return whether H0 is rejected at a significance level: whether p is at most `level`."""
        check_share("level", level)
        return self.p_value <= level

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval of the difference.

        At the confidence level 1 - S it holds 0 exactly if the test does not reject H0 at S; where
        p is S itself, 0 is its end.
        """
        if self.ends is None:
            raise UnsupportedError(
                f"The {self.name} compares more than two, which have no single difference.\n"
                "  Hint: nemenyi(...) has a difference for every two."
            )
        return self.ends(level)

    def text(self, *, level: float = 0.95) -> str:
        """Return the test on one line: statistic, degrees of freedom, p, difference.

        A convention that was needed is told on a second line.
        """
        (p_value,) = p_values([self.p_value])
        parts = [f"{self.symbol} = {_shown(self.statistic)}"]
        if self.df is not None:
            both = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append(f"{' and '.join(f'{each:g}' for each in both)} df")
        parts.append(f"p = {p_value}")
        line = f"{self.name}: {', '.join(parts)}"
        if self.ends is not None:
            line += f"; difference {self.interval(level)}"
        return f"{line}\n  note: {self.note}" if self.note else line

    def sentence(
        self,
        *,
        level: float = 0.05,
        first: str = "the first learner",
        second: str = "the second",
        figure: str = "score",
    ) -> str:
        """Return what may be concluded, and what not, in one sentence.

        Parameters
        ----------
        level
            Significance level.
        first, second
            The names of the two learners.
        figure
            What was compared, such as ``"error"``.

        Examples
        --------
        >>> from treewright.evaluate.significance import paired_t
        >>> test = paired_t([0.80, 0.85, 0.90, 0.75, 0.80], [0.75, 0.80, 0.85, 0.80, 0.75])
        >>> print(test.sentence(first="forest", second="tree", figure="accuracy"))
        These 5 folds do not decide it: the difference of forest and tree in accuracy,
        +0.0300, -0.0255 to +0.0855 (95 %), may be chance (p = 0.208).
        """
        rejects = self.rejects(level)
        (p_value,) = p_values([self.p_value])
        if self.difference is None:
            verdict = "differ" if rejects else "may differ by chance alone"
            where = f"these {self.n} {self.pairs}"
            return f"In {figure}, the learners {verdict} on {where} (p = {p_value})."
        shown = self.interval(1 - level)
        if rejects:
            side = "higher" if self.difference > 0 else "lower"
            return (
                f"On data like these, {first} has a {side} {figure} than {second}:\n"
                f"{shown}, p = {p_value}."
            )
        return (
            f"These {self.n} {self.pairs} do not decide it: the difference of {first} and {second}"
            f" in {figure},\n{shown}, may be chance (p = {p_value})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and text, with the interval of 95 %."""
        shown = {name: value for name, value in vars(self).items() if name != "ends"}
        return shown if self.ends is None else {**shown, "interval": self.interval().to_dict()}


def by_standard_errors(
    difference: float,
    standard_error: float,
    *,
    df: float = math.inf,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-math.inf, math.inf),
    note: str = "",
    **fields: Any,
) -> HypothesisTest:
    """Return the test of a difference by its number of standard errors, as Student's t or z.

    Chance is measured by the spread. Where there is none, p is 1 by convention, the statistic of a
    difference other than 0 is infinite, its interval has no bounds, and the note says so: two folds
    with the same difference are no proof.

    Examples
    --------
    >>> test = by_standard_errors(
    ...     1.0, 0.5, df=9, name="t-test", null="the mean difference is 0", n=10, pairs="folds")
    >>> round(test.p_value, 4)
    0.0766
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    if standard_error > 0:
        statistic = difference / standard_error
    else:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
        note = note or (NO_SPREAD if difference else "all differences are 0: p = 1 by convention")
    has_spread = standard_error > 0
    return HypothesisTest(
        statistic=statistic,
        symbol="z" if math.isinf(df) else "t",
        df=None if math.isinf(df) else df,
        p_value=p_of_deviate(statistic, df=df, alternative=alternative) if has_spread else 1.0,
        alternative=alternative,
        difference=difference,
        note=note,
        ends=partial(
            interval_of,
            difference,
            standard_error if has_spread or not difference else math.inf,
            df=df,
            alternative=alternative,
            bounds=bounds,
            method=fields["name"],
        ),
        **fields,
    )


def interval_of(difference: float, standard_error: float, level: float, **options: Any) -> Interval:
    """Return the interval of a difference at a level, as :func:`around` makes it."""
    return around(difference, standard_error, level=level, is_difference=True, **options)


def p_of_deviate(statistic: float, *, df: float, alternative: Alternative) -> float:
    """Return the p-value of Student's t; of the normal distribution where `df` is infinite.

    Examples
    --------
    >>> round(p_of_deviate(1.5, df=4, alternative="two-sided"), 3)
    0.208
    """
    sign = {"two-sided": math.copysign(1.0, statistic), "greater": 1.0, "less": -1.0}[alternative]
    below = -sign * statistic
    tail = float(ndtr(below) if math.isinf(df) else stdtr(df, below))
    return min(2 * tail, 1.0) if alternative == "two-sided" else tail


def _shown(statistic: float) -> str:
    return figure(statistic)
