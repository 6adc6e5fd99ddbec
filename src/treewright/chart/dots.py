"""A chart of dots, one line per thing: comparison of learners, importances of columns.

Examples
--------
>>> from treewright.chart import DotChart, DotRow
>>> chart = DotChart(
...     title="amount matters most",
...     rows=[DotRow("amount", 0.041, 0.039, 0.043), DotRow("region", -0.0002, hollow=True)],
...     stems=True,
... )
>>> print(chart.numbers())
          value   from     to
amount   0.0410  0.039  0.043
region  −0.0002
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from treewright.chart.axes import draw_top_axis, ticks_across
from treewright.chart.marks import Axis, as_numbers
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale, limits_of
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_apart, shorten_end, shorten_labels
from treewright.chart.words import clean, clean_sentence, numbers
from treewright.errors import ParameterError
from treewright.parameters import check_choice

_NAME_SIZE, _COLUMN_SIZE, _HEAD_SIZE = 12.5, 12.0, 11.5
_GAP = 14.0
_LEAST_PLOT = 120.0
_CAP = 4.0


@dataclass(frozen=True)
class DotRow:
    """One line of a dot chart.

    Parameters
    ----------
    name
        What the line is about.
    value, low, high
        The dot and its interval.
    small
        Small dots under it: the folds.
    hollow
        Whether it cannot be told from chance: a ring, and grey.
    strong
        Whether it is the one that matters: bold, and in the colour that says so.
    columns
        Texts at the right, one for each head of the chart.
    strong_columns
        Whether these texts are bold.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    small: Sequence[float] = ()
    hollow: bool = False
    strong: bool = False
    columns: tuple[str, ...] = ()
    strong_columns: bool = False

    @property
    def has_value(self) -> bool:
        """Whether there is a number to draw."""
        return math.isfinite(self.value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval, where both ends are known."""
        if self.low is None or self.high is None:
            return None
        return (self.low, self.high) if math.isfinite(self.low + self.high) else None


@dataclass(frozen=True, kw_only=True, eq=False)
class DotChart(Picture):
    """One dot per line with its interval, sorted as given, and texts at the right.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    rows
        The lines, in the order in which they are drawn.
    heads
        Heads of the columns at the right. In a narrow picture as many are shown as fit.
    x
        The axis; dots need not start at 0, stems do.
    stems
        Whether a line leads from 0 to each dot.
    more
        A last line for what was left out: ``31 more, together 0.004``.
    shorten
        Where names are cut: in the "middle" (columns) or at the "end" (learners, categories).
    """

    rows: Sequence[DotRow] = ()
    heads: tuple[str, ...] = ()
    x: Axis = field(default_factory=Axis)
    stems: bool = False
    more: str = ""
    shorten: Literal["middle", "end"] = "middle"

    def __post_init__(self) -> None:
        check_choice("shorten", self.shorten, ("middle", "end"))
        object.__setattr__(self, "rows", tuple(self.rows))
        for row in self.rows:
            as_numbers("small", row.small)
            if row.columns and len(row.columns) != len(self.heads):
                raise ParameterError(
                    f"DotRow {row.name!r} has {len(row.columns)} columns, "
                    f"but the chart has {len(self.heads)} heads."
                )

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis."""
        values: list[float] = [0.0] if self.stems else []
        for row in self.rows:
            values += [row.value, *row.small, *(row.interval or ())]
        known = np.array(values, dtype=np.float64)
        return limits_of(known, self.x.limits or (None, None), log=self.x.is_log, padded=True)

    def shows(self, value: float) -> bool:
        """Return whether a number has a place on the axis."""
        return bool(self.x.shows(np.array(float(value))))

    def numbers(self) -> Numbers:
        """Return a line per row: its name, value, interval and columns."""
        values = [[row.value if row.has_value else None for row in self.rows]]
        intervals = [row.interval for row in self.rows]
        heads: tuple[str, ...] = ("", clean(self.x.label or "value"))
        if any(intervals):
            heads += ("from", "to")
            values += [[None if each is None else each[i] for each in intervals] for i in (0, 1)]
        texts = [numbers(column, self.x.form) for column in values]
        blank = ("",) * len(self.heads)
        rows = [
            (clean(row.name), *cells, *map(clean_sentence, row.columns or blank))
            for row, cells in zip(self.rows, zip(*texts, strict=True), strict=True)
        ]
        return Numbers((*heads, *map(clean_sentence, self.heads)), tuple(rows))

    def _n_left_out(self) -> int:
        return sum(
            (not self.shows(row.value)) + sum(not self.shows(value) for value in row.small)
            for row in self.rows
        )

    def _draw(self, drawing: Drawing, area: Area) -> float:
        layout = _Layout.of(self, area)
        self._draw_heads(drawing, layout)
        for i, (row, name) in enumerate(zip(self.rows, layout.names, strict=True)):
            self._draw_row(drawing, row, name, layout, layout.centre_of(i))
        bottom = layout.plot.bottom
        if self.more:
            text = shorten_end(clean(self.more), area.width, _NAME_SIZE)
            drawing.text((area.left, bottom + 18), text, _NAME_SIZE, "ink3", title=self.more)
            bottom += 26
        return bottom

    def _draw_heads(self, drawing: Drawing, layout: _Layout) -> None:
        ticks = ticks_across(
            layout.scale, self.x, within=(layout.plot.left - 20, layout.plot.right + 12)
        )
        draw_top_axis(drawing, layout.plot, ticks, layout.scale)
        for i, end in layout.ends:
            at = end, layout.plot.top - 6
            drawing.text(at, clean_sentence(self.heads[i]), _HEAD_SIZE, "ink2", anchor="end")

    def _draw_row(
        self, drawing: Drawing, row: DotRow, name: str, layout: _Layout, y: float
    ) -> None:
        dim = "ink3" if row.hollow else "ink"
        at = layout.plot.left - _GAP, y + 4
        full = clean(row.name)
        drawing.text(at, name, _NAME_SIZE, dim, bold=row.strong, anchor="end", title=full)
        for i, end in layout.ends:
            if row.columns and row.columns[i]:
                bold, text = row.strong_columns, clean(row.columns[i])
                drawing.text((end, y + 4), text, _COLUMN_SIZE, dim, bold=bold, anchor="end")
        for value in row.small:
            if self.shows(value) and layout.scale.holds(value):
                drawing.circle((layout.scale.at(value), y + 9), 2.0, "axis")
        if not self.shows(row.value) or not layout.scale.holds(row.value):
            return
        x = layout.scale.at(row.value)
        colour = "ink3" if row.hollow else "accent" if row.strong or self.stems else "ink"
        if self.stems and not row.hollow:
            drawing.line((layout.scale.at(0.0), y), (x, y), colour, width=2)
        if row.interval is not None and all(map(self.shows, row.interval)):
            ends = [layout.scale.at(_within(end, layout.scale)) for end in row.interval]
            line = "ink" if self.stems and not row.hollow else colour
            drawing.line((ends[0], y), (ends[1], y), line, width=2)
            for end in ends:
                drawing.line((end, y - _CAP), (end, y + _CAP), line, width=2)
        title = f"{full} {numbers([row.value], self.x.form)[0]}"
        if row.hollow:
            drawing.circle((x, y), 4.0, "paper", stroke=colour, width=1.5, title=title)
        else:
            drawing.circle(
                (x, y), 5.0 if self.stems else 5.5, colour, stroke="paper", width=1.5, title=title
            )

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.rows import plot_dots

        plot_dots(self, ax)


def _within(value: float, scale: Scale) -> float:
    return min(max(value, scale.low), scale.high)


@dataclass(frozen=True)
class _Layout:
    """Where a dot chart has its plot, its names, and the columns that fit."""

    plot: Box
    scale: Scale
    names: list[str]
    ends: list[tuple[int, float]]  # which column, and its right end
    height: float

    @classmethod
    def of(cls, chart: DotChart, area: Area) -> _Layout:
        names = [clean(row.name) for row in chart.rows]
        bold = any(row.strong for row in chart.rows)  # measured as what is cut: one bold, all
        widest = max((measure(name, _NAME_SIZE, bold=bold) for name in names), default=0.0)
        name_width = min(widest, (0.34 if area.is_narrow else 0.28) * area.width)
        cut = shorten_apart if chart.shorten == "middle" else shorten_labels
        shown = cut(names, name_width, _NAME_SIZE, bold=bold)
        widths = [
            max(
                measure(clean_sentence(head), _HEAD_SIZE),
                max((_cell_width(row, i) for row in chart.rows), default=0.0),
            )
            for i, head in enumerate(chart.heads)
        ]
        left = area.left + name_width + _GAP
        right, ends = area.right - 12, []
        room = area.right - left - _LEAST_PLOT
        kept = 0
        while kept < len(widths) and sum(w + 2 * _GAP for w in widths[: kept + 1]) <= room:
            kept += 1
        if kept:
            at = area.right - sum(w + _GAP for w in widths[:kept]) + _GAP
            right = at - 2 * _GAP
            for i, width in enumerate(widths[:kept]):
                at += width
                ends.append((i, at))
                at += _GAP
        height = 36.0 if any(len(row.small) for row in chart.rows) else 24.0
        top = area.top + 14
        plot = Box(left, top, right, top + height * max(len(names), 1))
        low, high = chart.limits()
        scale = Scale(low, high, plot.left, plot.right, log=chart.x.is_log)
        return cls(plot, scale, shown, ends, height)

    def centre_of(self, i: int) -> float:
        """Return the middle of a line."""
        return self.plot.top + self.height * (i + 0.5)


def _cell_width(row: DotRow, i: int) -> float:
    if not row.columns:
        return 0.0
    return measure(clean(row.columns[i]), _COLUMN_SIZE, bold=row.strong_columns)
