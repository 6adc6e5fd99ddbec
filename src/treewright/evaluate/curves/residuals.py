"""Residuals: how far predicted numbers are from the truth, and where.

Examples
--------
>>> print(residuals([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.5, 2.0, 2.5, 4.0, 4.5, 5.0], bins=2))
residuals: 6 rows; half of the answers are within 0.5 of the truth
   answers  rows  mean residual    95 % interval
1.5 to 2.5     3            0.0  -1.242 to 1.242
4.0 to 5.0     3            0.5  -0.742 to 1.742
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import t as student

from treewright.array_types import FloatArray, Int64Array
from treewright.chart import Axis, Chart, Dots, Line, Picture, Rule
from treewright.chart.words import NARROW_SPACE, number
from treewright.data.frame import Frame
from treewright.errors import DataError
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.trial.answers import Answers
from treewright.evaluate.trial.task_data import read_answers
from treewright.parameters import check_count, check_share
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out

_MOST_DOTS = 1_000


@dataclass(frozen=True, kw_only=True, eq=False)
class ResidualBin:
    """Rows of similar answers; a residual is the truth less the answer.

    Parameters
    ----------
    low, high
        The smallest and the largest answer.
    n_rows
        Rows.
    mean
        Mean residual; above 0 the answers are too low.
    from_, to
        Its interval (Student's t); infinite of a single row.
    """

    low: float
    high: float
    n_rows: int
    mean: float
    from_: float
    to: float

    @property
    def is_off(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.from_ > 0 or self.to < 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Residuals(Result):
    """Predicted numbers beside the truth; print it, draw it.

    ``draw()`` shows the answers against the truth, ``draw_residuals()`` what is left of the truth
    by answer.

    Parameters
    ----------
    answers
        What was answered, beside the truth.
    bins
        Rows of similar answers, ascending.
    level
        Confidence of the intervals.
    """

    answers: Answers = field(repr=False)
    bins: tuple[ResidualBin, ...] = field(repr=False)
    level: float = 0.95

    @property
    def actual(self) -> FloatArray:
        """The truth."""
        return np.asarray(self.answers.actual, dtype=np.float64)

    @property
    def predicted(self) -> FloatArray:
        """The answers."""
        return np.asarray(self.answers.predicted, dtype=np.float64)

    @property
    def values(self) -> FloatArray:
        """The truth less the answer, row by row."""
        return self.actual - self.predicted

    @property
    def median_error(self) -> float:
        """Half of the answers (by weight) are at most so far from the truth."""
        sizes = np.abs(self.values)
        order = np.argsort(sizes, kind="stable")
        weights = self.answers.weights
        reached = np.cumsum(np.ones(len(sizes)) if weights is None else weights[order])
        return float(sizes[order[np.searchsorted(reached, reached[-1] / 2)]])

    def text(self) -> str:
        """Return how far answers are off, by their size."""
        means = figures([each.mean for each in self.bins])
        ends = figures([end for each in self.bins for end in (each.low, each.high)])
        limits = figures(
            [end if math.isfinite(end) else None for b in self.bins for end in (b.from_, b.to)]
        )
        intervals = [
            f"{low} to {high}" if low else ""
            for low, high in zip(limits[::2], limits[1::2], strict=True)
        ]
        columns = [
            TextColumn(
                "answers",
                [f"{low} to {high}" for low, high in zip(ends[::2], ends[1::2], strict=True)],
                right=True,
            ),
            TextColumn("rows", [f"{each.n_rows:,}" for each in self.bins], right=True),
            TextColumn("mean residual", means, right=True),
            TextColumn(f"{100 * self.level:g} % interval", intervals, right=True),
        ]
        n = len(self.answers)
        within = figures([self.median_error])[0]
        head = f"residuals: {n:,} rows; half of the answers are within {within} of the truth"
        return f"{head}\n{lay_out(columns)}"

    def to_frame(self) -> Frame:
        """Return a line per row: truth, answer, residual."""
        columns = {"actual": self.actual, "predicted": self.predicted, "residual": self.values}
        return frame_of({name: values.tolist() for name, values in columns.items()})

    def _shown(self) -> Int64Array:
        n = len(self.answers)
        if n <= _MOST_DOTS:
            return np.arange(n)
        return np.linspace(0, n - 1, _MOST_DOTS).round().astype(np.int64)

    def _caption(self) -> str:
        n = len(self.answers)
        drawn = f", {_MOST_DOTS:,} of them drawn" if n > _MOST_DOTS else ""
        return f"{n:,} rows{drawn}."

    def draw(self) -> Picture:
        """Return the answers against the truth, with the diagonal where both are equal."""
        shown = self._shown()
        ends = np.concatenate([self.actual[shown], self.predicted[shown]])
        known = ends[np.isfinite(ends)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        if not high > low:
            low, high = low - 0.5, high + 0.5
        edge = np.array([low, high])
        pad = 0.03 * (high - low)
        limits = (low - pad, high + pad)
        return Chart(
            title=f"Half of the answers are within {number(self.median_error)} of the truth",
            subtitle="Predicted numbers against the truth; on the line they are equal",
            caption=self._caption(),
            x=Axis("predicted", limits=limits),
            y=Axis("actual", limits=limits),
            marks=[
                Line(edge, edge, role="reference", name="equal"),
                Dots(self.predicted[shown], self.actual[shown], radius=2.0),
            ],
            square=True,
        )

    def draw_residuals(self) -> Picture:
        """Return what is left of the truth by answer, with the mean of rows of similar answers."""
        shown = self._shown()
        centres = np.array([(each.low + each.high) / 2 for each in self.bins])
        known = [math.isfinite(each.from_) for each in self.bins]
        ends = [
            np.array(
                [
                    (getattr(each, end) if ok else each.mean)
                    for each, ok in zip(self.bins, known, strict=True)
                ]
            )
            for end in ("from_", "to")
        ]
        return Chart(
            title=self._finding(),
            subtitle="Residuals, the truth less the answer, by answer; above 0 answers are too low",
            caption=f"{self._caption()} Line: mean of {len(self.bins)} groups of similar answers,"
            f" band: {100 * self.level:g}{NARROW_SPACE}% interval.",
            x=Axis("predicted"),
            y=Axis("actual less predicted"),
            marks=[
                Dots(self.predicted[shown], self.values[shown], radius=2.0),
                Rule(y=0.0),
                Line(
                    centres,
                    np.array([each.mean for each in self.bins]),
                    low=ends[0],
                    high=ends[1],
                    name="mean",
                ),
            ],
        )

    def _finding(self) -> str:
        """Return which end of the answers is off, where an interval says so."""
        for which, place in (("largest", -1), ("smallest", 0)):
            each = self.bins[place]
            if len(self.bins) > 1 and each.is_off:
                side = "low" if each.mean > 0 else "high"
                return f"The {which} answers are too {side}, by {number(abs(each.mean))} on average"
        return "Residuals by answer"


def residuals(
    y: Any, predicted: Any, *, bins: int = 10, sample_weight: Any = None, level: float = 0.95
) -> Residuals:
    """Return how far predicted numbers are from the truth; print or draw it.

    Parameters
    ----------
    y, predicted
        The truth and the answer, an entry per row.
    bins
        Groups of similar answers, of about as many rows each.
    sample_weight
        Weights of the rows.
    level
        Confidence of the intervals.

    Examples
    --------
    >>> found = residuals([1.0, 2.0, 3.0, 4.0], [1.5, 2.1, 2.5, 4.2])
    >>> found.draw().title
    'Half of the answers are within 0.2 of the truth'
    """
    check_count("bins", bins, least=1)
    check_share("level", level)
    answers = read_answers(y, predicted, task="numbers", sample_weight=sample_weight)
    return residuals_of(answers, bins=bins, level=level)


def residuals_of(answers: Answers, *, bins: int, level: float) -> Residuals:
    """Return the residuals of answers that have been read."""
    if answers.classes:
        raise DataError(
            "residuals are differences of numbers, and classes were answered.\n"
            "  Hint: confusion(y, predicted)."
        )
    predicted = np.asarray(answers.predicted, dtype=np.float64)
    left = np.asarray(answers.actual, dtype=np.float64) - predicted
    weights = np.ones(len(left)) if answers.weights is None else answers.weights
    order = np.argsort(predicted, kind="stable")
    order = order[weights[order] > 0]
    group = np.minimum((np.arange(len(order)) * bins) // max(len(order), 1), bins - 1)
    # Equal answers belong to one group, that of the first of them.
    first = np.searchsorted(predicted[order], predicted[order], side="left")
    group = group[first]
    found = []
    for each in np.unique(group).tolist():
        rows = order[group == each]
        found.append(_bin(predicted[rows], left[rows], weights[rows], level))
    return Residuals(answers=answers, bins=tuple(found), level=level)


def _bin(predicted: FloatArray, left: FloatArray, weights: FloatArray, level: float) -> ResidualBin:
    mean = float(np.average(left, weights=weights))
    n = len(left)
    reach = math.inf
    if n > 1:
        share = weights / weights.sum()
        # Of the weighted mean: independent rows, weights that are no copies.
        error = math.sqrt(float(np.sum(share**2 * (left - mean) ** 2)) * n / (n - 1))
        reach = float(student.ppf((1 + level) / 2, n - 1)) * error
    return ResidualBin(
        low=float(predicted.min()),
        high=float(predicted.max()),
        n_rows=n,
        mean=mean,
        from_=mean - reach,
        to=mean + reach,
    )
