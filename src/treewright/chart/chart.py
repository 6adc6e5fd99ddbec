"""A chart of lines and points on two axes.

Examples
--------
>>> import numpy as np
>>> from treewright.chart import Axis, Chart, Line, Mark
>>> leaves = np.array([1, 2, 5, 10, 20, 50])
>>> error = np.array([0.16, 0.16, 0.15, 0.135, 0.131, 0.142])
>>> chart = Chart(
...     title="Beyond about 20 leaves the tree learns noise",
...     subtitle="Error against the number of leaves (log scale)",
...     x=Axis("leaves", scale="log", unit=("leaf", "leaves")),
...     y=Axis("error", limits=(0, None), form="percent"),
...     marks=[
...         Line(leaves, error, name="cross-validated", low=error - 0.01, high=error + 0.01),
...         Mark(20, 0.131, name="chosen: 20 leaves"),
...     ],
... )
>>> chart.svg().startswith("<svg")
True
>>> print(chart.numbers())
series             leaves   error    from      to
cross-validated         1  16.0 %  15.0 %  17.0 %
cross-validated         2  16.0 %  15.0 %  17.0 %
cross-validated         5  15.0 %  14.0 %  16.0 %
cross-validated        10  13.5 %  12.5 %  14.5 %
cross-validated        20  13.1 %  12.1 %  14.1 %
cross-validated        50  14.2 %  13.2 %  15.2 %
chosen: 20 leaves      20  13.1 %
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import BoolArray, FloatArray
from treewright.chart.colours import MOST_CLASS_LINES
from treewright.chart.draw_chart import draw_chart
from treewright.chart.marks import (
    STROKES,
    AnyMark,
    Axis,
    Dots,
    Line,
    Mark,
    Rule,
    Strip,
    Stroke,
    as_numbers,
)
from treewright.chart.picture import Area, Frame, Numbers, Picture
from treewright.chart.scale import limits_of
from treewright.chart.svg import Drawing
from treewright.chart.words import clean, numbers
from treewright.errors import ParameterError
from treewright.text.numbers import distinct_figures

_MOST_SERIES_POINTS = 20
"""Points of one line in the table of numbers; of longer lines so many, evenly along it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart(Picture):
    """Lines, dots, marks and rules on two axes, each named on the spot.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    x, y
        The axes.
    marks
        `Line`, `Dots`, `Mark` and `Rule`, in the order in which they are named.
    heads
        Heads of a small table inside the plot, for lines that have `columns`: it names the lines
        instead of labels at their ends.
    square
        Whether both axes are equally long (ROC, precision and recall, calibration).
    strip
        A histogram under the plot.
    rug
        Where short ticks stand at the foot of the plot: deciles of the rows.
    """

    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    marks: Sequence[AnyMark] = ()
    heads: tuple[str, ...] = ()
    square: bool = False
    strip: Strip | None = None
    rug: Sequence[float] | FloatArray = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", tuple(self.marks))
        object.__setattr__(self, "rug", as_numbers("rug", self.rug))
        for line in self.lines:
            if line.columns and len(line.columns) != len(self.heads):
                raise ParameterError(
                    f"Line {line.name!r} has {len(line.columns)} columns, "
                    f"but the chart has {len(self.heads)} heads."
                )

    @property
    def lines(self) -> list[Line]:
        """The lines among the marks."""
        return [mark for mark in self.marks if isinstance(mark, Line)]

    @property
    def has_table(self) -> bool:
        """Whether lines are named in a table instead of at their ends."""
        return any(line.columns for line in self.lines)

    @property
    def named_at_ends(self) -> list[Line]:
        """The lines that have their name at their end."""
        if self.has_table:
            return []
        return [line for line in self.lines if line.name and line.role != "reference"]

    def stroke_of(self, line: Line) -> Stroke:
        """Return how a line is drawn here: the fifth class and later ones are grey."""
        classes = [each for each in self.lines if each.role == "class"]
        if line.role == "class" and line in classes[MOST_CLASS_LINES:]:
            return STROKES["other"]
        return line.stroke

    def shown(self, mark: Line | Dots) -> BoolArray:
        """Return which points of a mark have a place on both axes."""
        return self.x.shows(mark.x) & self.y.shows(mark.y)

    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of both axes."""
        x: list[FloatArray] = [np.empty(0)]
        y: list[FloatArray] = [np.empty(0)]
        for mark in self.marks:
            if isinstance(mark, Line | Dots):
                shown = self.shown(mark)
                x.append(mark.x[shown])
                y.append(mark.y[shown])
                y += [end[shown] for end in (mark.low, mark.high) if end is not None]
            elif isinstance(mark, Mark):
                x.append(np.array([mark.x], dtype=np.float64))
                y.append(np.array([mark.y], dtype=np.float64))
            elif mark.x is not None:
                x.append(np.array([mark.x], dtype=np.float64))
            else:
                y.append(np.array([mark.y], dtype=np.float64))
        if self.strip is not None:
            x.append(self.strip.edges)
        has_dots = any(isinstance(mark, Dots) for mark in self.marks)
        return (
            _limits(self.x, np.concatenate(x), padded=has_dots),
            _limits(self.y, np.concatenate(y), padded=True),
        )

    def numbers(self) -> Numbers:
        """Return the points of all lines and dots, and the marks."""
        has_range = any(
            isinstance(mark, Line | Dots) and mark.low is not None for mark in self.marks
        )
        heads = ("series", clean(self.x.label or "x"), clean(self.y.label or "y"))
        rows = [row for mark in self.marks for row in self._rows_of(mark, has_range)]
        return Numbers((*heads, *(("from", "to") if has_range else ())), tuple(rows))

    def _rows_of(self, mark: AnyMark, has_range: bool) -> list[tuple[str, ...]]:
        name = clean(mark.name) if mark.name else ""
        if isinstance(mark, Rule):
            x = "" if mark.x is None else numbers([mark.x], self.x.form)[0]
            y = "" if mark.y is None else numbers([mark.y], self.y.form)[0]
            return [(name, x, y, *(("", "") if has_range else ()))]
        if isinstance(mark, Mark):
            x, y = _written([mark.x], self.x)[0], numbers([mark.y], self.y.form)[0]
            return [(name, x, y, *(("", "") if has_range else ()))]
        if isinstance(mark, Line) and mark.role == "ice":
            return []
        points = np.flatnonzero(self.shown(mark))
        if len(points) > _MOST_SERIES_POINTS:
            points = points[np.linspace(0, len(points) - 1, _MOST_SERIES_POINTS).astype(int)]
        columns = [_written(mark.x[points].tolist(), self.x)]
        ends = (mark.y, mark.low, mark.high) if has_range else (mark.y,)
        for values in ends:
            known = [None] * len(points) if values is None else values[points].tolist()
            columns.append(numbers(known, self.y.form))
        return [(name, *cells) for cells in zip(*columns, strict=True)]

    def _n_left_out(self) -> int:
        series = [mark for mark in self.marks if isinstance(mark, Line | Dots)]
        single = [mark for mark in self.marks if isinstance(mark, Mark)]
        return sum(int((~self.shown(mark)).sum()) for mark in series) + sum(
            not self.shows_point(mark.x, mark.y) for mark in single
        )

    def shows_point(self, x: float, y: float) -> bool:
        """Return whether one point has a place on both axes."""
        return bool(self.x.shows(np.array(float(x))) & self.y.shows(np.array(float(y))))

    def _usual_width(self) -> int:
        if not self.square:
            return 760
        return 560 if self.named_at_ends else 464

    def _usual_height(self, is_narrow: bool, frame: Frame, words: float) -> float:
        strip = 0 if self.strip is None else 68
        if self.square:
            return (350 if is_narrow else 410) + strip + words
        if is_narrow:
            return 300 + strip + (0 if frame == "report" else words)
        return {"alone": 470.0, "notebook": 430.0, "report": 360.0}[frame]

    def _draw(self, drawing: Drawing, area: Area) -> float:
        return draw_chart(self, drawing, area)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.chart import plot_chart

        plot_chart(self, ax)


def _limits(axis: Axis, values: FloatArray, *, padded: bool) -> tuple[float, float]:
    return limits_of(values, axis.limits or (None, None), log=axis.is_log, padded=padded)


def _written(values: list[float], axis: Axis) -> list[str]:
    if axis.form != "number":
        return numbers(values, axis.form)
    return [text.replace("-", "−") for text in distinct_figures(values)]
