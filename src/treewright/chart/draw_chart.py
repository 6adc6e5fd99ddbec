"""A chart drawn as SVG: where the plot is, then bands, lines, dots and marks, then names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import BoolArray, FloatArray
from treewright.chart.axes import (
    TICK_SIZE,
    draw_x_axis,
    draw_y_axis,
    ticks_across,
    ticks_down,
)
from treewright.chart.labels import (
    LineTable,
    name_beside,
    name_lines,
    name_mark,
)
from treewright.chart.marks import STROKES, Dots, Line, Mark, Rule, Strip
from treewright.chart.picture import Area
from treewright.chart.placement import Box, Occupied
from treewright.chart.scale import Scale
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_end
from treewright.chart.words import clean, clean_sentence, count

if TYPE_CHECKING:
    from treewright.chart.chart import Chart

_END_LABELS = 128.0
_LEAST_PLOT = 120.0
_STRIP, _STRIP_GAP = 40.0, 28.0
_LABEL_LINE = 20.0
_CAP = 4.0
_RUG = 7.0
_SMALL = 3.0
"""Radius of dots of which there are many."""


@dataclass(frozen=True)
class Plot:
    """The plot of a chart: its box, its scales, and the right end of what may be written."""

    box: Box
    x: Scale
    y: Scale
    right: float

    def points(
        self, x: FloatArray, y: FloatArray, shown: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the pixels of the points that are shown."""
        return self.x.place(x[shown]), self.y.place(y[shown])


def draw_chart(chart: Chart, drawing: Drawing, area: Area) -> float:
    """Draw a chart into an area; return the lowest pixel that it takes."""
    table = LineTable.of(chart) if chart.has_table else None
    plot = _place(chart, area)
    bottom = _draw_axes(chart, drawing, area, plot)
    occupied = Occupied()
    for role in STROKES:
        for line in chart.lines:
            if line.role == role:
                _draw_line(chart, line, drawing, plot, occupied)
    for mark in chart.marks:
        if isinstance(mark, Dots):
            _draw_dots(chart, mark, drawing, plot, occupied)
        elif isinstance(mark, Rule):
            _draw_rule(mark, drawing, plot, occupied)
    marks = [mark for mark in chart.marks if isinstance(mark, Mark)]
    marks = [mark for mark in marks if chart.shows_point(mark.x, mark.y)]
    for mark in marks:
        _occupy_dot(occupied, plot.x.at(mark.x), plot.y.at(mark.y), 6.0)
    for mark in sorted(marks, key=lambda mark: mark.kind != "chosen"):
        name_mark(mark, drawing, plot, occupied)
    for mark in sorted(marks, key=lambda mark: mark.kind == "chosen"):
        _draw_mark(mark, drawing, plot)
    if table is not None:
        bottom = max(bottom, table.draw(drawing, plot, occupied, bottom))
    name_lines(chart, drawing, plot, occupied, is_narrow=area.is_narrow)
    return bottom


def _place(chart: Chart, area: Area) -> Plot:
    """Return the plot: as large as labels and ticks leave it."""
    (x_low, x_high), (y_low, y_high) = chart.limits()
    top = area.top + (_LABEL_LINE if chart.y.label else 0)
    under = 24 + (_LABEL_LINE if chart.x.label else 0)
    under += _STRIP + _STRIP_GAP if chart.strip is not None else 0
    bottom = max((area.bottom or 0) - under, top + _LEAST_PLOT)
    trial = Scale(y_low, y_high, bottom, top, log=chart.y.is_log)
    widest = max((measure(text, TICK_SIZE) for _, text in ticks_down(trial, chart.y)), default=0)
    left = area.left + max(36.0, widest + 8)
    right = area.right - (_END_LABELS if chart.named_at_ends and not area.is_narrow else 8)
    if chart.square:
        side = min(right - left, bottom - top)
        right, bottom = left + side, top + side
    box = Box(left, top, right, bottom)
    return Plot(
        box,
        Scale(x_low, x_high, left, right, log=chart.x.is_log),
        Scale(y_low, y_high, bottom, top, log=chart.y.is_log),
        area.right,
    )


def _draw_axes(chart: Chart, drawing: Drawing, area: Area, plot: Plot) -> float:
    box, bottom = plot.box, plot.box.bottom
    width = area.right - area.left
    if chart.y.label:
        label = clean_sentence(chart.y.label)
        text = shorten_end(label, width, TICK_SIZE)
        drawing.text((area.left, area.top), text, TICK_SIZE, "ink2", title=label)
    draw_y_axis(drawing, box, ticks_down(plot.y, chart.y), plot.y)
    if chart.strip is not None:
        bottom += _STRIP + _STRIP_GAP
        _draw_strip(chart.strip, drawing, plot, bottom)
    ticks = ticks_across(plot.x, chart.x, within=(area.left, plot.right))
    draw_x_axis(drawing, Box(box.left, box.top, box.right, bottom), ticks, plot.x)
    for value in np.asarray(chart.rug).tolist():
        if plot.x.holds(value):
            foot = plot.x.at(value)
            drawing.line((foot, box.bottom), (foot, box.bottom - _RUG), "ink2")
    if chart.strip is not None:
        drawing.line((box.left, box.bottom), (box.right, box.bottom), "axis")
    bottom += 24
    if chart.x.label:
        label = clean_sentence(chart.x.label)
        text = shorten_end(label, width, TICK_SIZE)
        half = measure(text, TICK_SIZE) / 2
        centre = max(area.left + half, min((box.left + box.right) / 2, plot.right - half))
        at = (centre, bottom + 13)
        drawing.text(at, text, TICK_SIZE, "ink2", anchor="middle", title=label)
        bottom += _LABEL_LINE
    return bottom


def _draw_line(chart: Chart, line: Line, drawing: Drawing, plot: Plot, occupied: Occupied) -> None:
    shown = chart.shown(line)
    x, y = plot.points(line.x, line.y, shown)
    if not len(x):
        return
    if line.low is not None and line.high is not None:
        banded = shown & chart.y.shows(line.low) & chart.y.shows(line.high)
        bx, low = plot.points(line.x, line.low, banded)
        _, high = plot.points(line.x, line.high, banded)
        if len(bx):
            around = [*zip(bx, high, strict=True), *zip(bx[::-1], low[::-1], strict=True)]
            drawing.area(around, "band")
            occupied.add_line(
                np.concatenate([bx, bx[::-1]]), np.concatenate([high, low[::-1]]), is_area=True
            )
    stroke = chart.stroke_of(line)
    name = clean(line.name) if line.name else ""
    if len(x) == 1:
        drawing.circle((x[0], y[0]), max(stroke.width, 3.0), stroke.colour, title=name)
        _occupy_dot(occupied, x[0], y[0], 3.0)
    else:
        points = zip(x, y, strict=True)
        drawing.path(points, stroke.colour, width=stroke.width, dash=stroke.dash, title=name)
        occupied.add_line(x, y)


def _draw_dots(chart: Chart, dots: Dots, drawing: Drawing, plot: Plot, occupied: Occupied) -> None:
    shown = chart.shown(dots)
    x, y = plot.points(dots.x, dots.y, shown)
    radii, hollow = dots.radii[shown], dots.is_hollow[shown]
    if dots.low is not None and dots.high is not None:
        lows, highs = dots.low[shown], dots.high[shown]
        known = chart.y.shows(lows) & chart.y.shows(highs)
        for i in np.flatnonzero(known).tolist():
            ends = plot.y.at(lows[i]), plot.y.at(highs[i])
            stroke = "ink3" if hollow[i] else "ink2"
            drawing.line((x[i], ends[0]), (x[i], ends[1]), stroke, width=2)
            for end in ends:
                drawing.line((x[i] - _CAP, end), (x[i] + _CAP, end), stroke, width=2)
            occupied.add_line(np.array([x[i], x[i]]), np.array(ends))
    if dots.radius < _SMALL:  # many: in one path, and names may stand over them
        drawing.dots(zip(x.tolist(), y.tolist(), strict=True), dots.radius, "seq-3")
        return
    for i in range(len(x)):
        fill, stroke = ("paper", "ink3") if hollow[i] else ("accent", "paper")
        width = 1.5 if hollow[i] else 1.0
        drawing.circle((x[i], y[i]), radii[i], fill, stroke=stroke, width=width)
        _occupy_dot(occupied, x[i], y[i], radii[i])
    if dots.name and len(x):
        name_beside(clean(dots.name), x, y, drawing, plot, occupied, fill="accent", bold=True)


def _draw_rule(rule: Rule, drawing: Drawing, plot: Plot, occupied: Occupied) -> None:
    across, along = (plot.x, plot.y) if rule.y is not None else (plot.y, plot.x)
    value = rule.y if rule.y is not None else rule.x
    if value is None or not along.holds(value):
        return
    span = rule.span or (across.low, across.high)
    ends = np.array([across.at(min(max(end, across.low), across.high)) for end in span])
    at = np.full(2, along.at(value))
    x, y = (ends, at) if rule.y is not None else (at, ends)
    drawing.line((x[0], y[0]), (x[1], y[1]), "ink2", dash="2 3")
    occupied.add_line(x, y)
    if rule.name:
        name_beside(clean(rule.name), x, y, drawing, plot, occupied)


def _draw_mark(mark: Mark, drawing: Drawing, plot: Plot) -> None:
    centre = plot.x.at(mark.x), plot.y.at(mark.y)
    name = clean(mark.name) if mark.name else ""
    if mark.kind == "chosen":
        drawing.circle(centre, 5.5, "ink", stroke="paper", width=1.5, title=name)
    else:
        stroke = "ink" if mark.kind == "best" else "ink3"
        drawing.circle(centre, 4.5, "paper", stroke=stroke, width=1.75, title=name)


def _draw_strip(strip: Strip, drawing: Drawing, plot: Plot, bottom: float) -> None:
    counts = np.where(np.isfinite(strip.counts), strip.counts, 0.0)
    largest = float(counts.max(initial=0.0)) or 1.0
    for i, value in enumerate(counts.tolist()):
        ends = strip.edges[i], strip.edges[i + 1]
        if value <= 0 or not (plot.x.holds(ends[0]) and plot.x.holds(ends[1])):
            continue
        left, right = sorted(plot.x.at(float(end)) for end in ends)
        height = _STRIP * value / largest
        size = max(right - left - 1, 0.5), height
        drawing.rectangle((left, bottom - height), size, "seq-3", title=count(value, exact=True))
    if strip.name:
        name = clean(strip.name)
        text = shorten_end(name, plot.box.right - plot.box.left, 11.5)
        at = plot.box.left, bottom - _STRIP - 8
        drawing.text(at, text, 11.5, "ink3", title=name)


def _occupy_dot(occupied: Occupied, x: float, y: float, radius: float) -> None:
    around = np.linspace(0, 2 * np.pi, 9)
    occupied.add_line(x + radius * np.cos(around), y + radius * np.sin(around))
