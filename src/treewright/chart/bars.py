"""Horizontal bars from 0, each a sum of parts: bias, variance and noise.

Examples
--------
>>> from treewright.chart import BarRow, StackedBars
>>> chart = StackedBars(
...     title="Bagging removes a third of the variance",
...     parts=("bias", "variance", "noise"),
...     rows=[BarRow("one tree", (0.05, 0.09, 0.02)), BarRow("bagging", (0.05, 0.06, 0.02))],
... )
>>> print(chart.numbers())
          bias  variance  noise  total
one tree  0.05      0.09   0.02   0.16
bagging   0.05      0.06   0.02   0.13
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.chart.axes import draw_top_axis, ticks_across
from treewright.chart.marks import Axis, as_numbers
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale, limits_of
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_apart, shorten_end
from treewright.chart.words import clean, numbers
from treewright.errors import ParameterError

PART_COLOURS = ("seq-4", "seq-2", "other", "seq-5", "seq-1")
_HEIGHT, _BAR = 32.0, 20.0
_GAP = 14.0


@dataclass(frozen=True)
class BarRow:
    """One bar: its name and the lengths of its parts, none below 0."""

    name: str
    values: Sequence[float]


@dataclass(frozen=True, kw_only=True, eq=False)
class StackedBars(Picture):
    """Bars made of parts that add up, with the total at the end.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    parts
        Names of the parts, five at most.
    rows
        The bars, in the order in which they are drawn.
    x
        The axis; it starts at 0.
    """

    parts: Sequence[str]
    rows: Sequence[BarRow] = ()
    x: Axis = field(default_factory=Axis)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(map(clean, self.parts)))
        object.__setattr__(self, "rows", tuple(self.rows))
        if not 1 <= len(self.parts) <= len(PART_COLOURS):
            raise ParameterError(
                f"A bar has 1 to {len(PART_COLOURS)} parts, not {len(self.parts)}."
            )
        if self.x.is_log:
            raise ParameterError("Bars start at 0, so their axis cannot be scale='log'.")
        for row in self.rows:
            values = as_numbers("values", row.values)
            if len(values) != len(self.parts):
                raise ParameterError(
                    f"Bar {row.name!r} has {len(values)} values for {len(self.parts)} parts."
                )
            if np.any(values < 0):
                raise ParameterError(f"Bar {row.name!r} has a part below 0: {values.min():g}.")

    def known(self, row: BarRow) -> list[float]:
        """Return the lengths of a bar; what is no number has none."""
        return [float(value) if math.isfinite(value) else 0.0 for value in row.values]

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis, the first of which is 0."""
        totals = np.array([0.0, *(sum(self.known(row)) for row in self.rows)])
        high = None if self.x.limits is None else self.x.limits[1]
        return limits_of(totals, (0.0, high), log=False, padded=True)

    def numbers(self) -> Numbers:
        """Return a line per bar: its parts and their total."""
        lengths = [self.known(row) for row in self.rows]
        with_total = [[*values, sum(values)] for values in lengths]
        flat = numbers([value for values in with_total for value in values], self.x.form)
        n = len(self.parts) + 1
        rows = [(clean(row.name), *flat[i * n : (i + 1) * n]) for i, row in enumerate(self.rows)]
        return Numbers(("", *self.parts, "total"), tuple(rows))

    def _n_left_out(self) -> int:
        return sum(not math.isfinite(value) for row in self.rows for value in row.values)

    def _draw(self, drawing: Drawing, area: Area) -> float:
        names = [clean(row.name) for row in self.rows]
        widest = max((measure(name, 12.5) for name in names), default=0.0)
        name_width = min(widest, (0.34 if area.is_narrow else 0.28) * area.width)
        texts = [row[1:] for row in self.numbers().rows]
        total_width = max((measure(row[-1], 12.5, bold=True) for row in texts), default=0.0)
        left = area.left + name_width + _GAP
        top = self._draw_key(drawing, area) + 26
        plot = Box(left, top, area.right - total_width - 10, top + _HEIGHT * max(len(names), 1))
        scale = Scale(*self.limits(), plot.left, plot.right)
        within = plot.left - 20, area.right
        draw_top_axis(drawing, plot, ticks_across(scale, self.x, within=within), scale)
        shown = shorten_apart(names, name_width, 12.5)
        for i, (row, name) in enumerate(zip(self.rows, shown, strict=True)):
            y = top + _HEIGHT * (i + 0.5)
            at = plot.left - _GAP, y + 4
            drawing.text(at, name, 12.5, "ink", anchor="end", title=names[i])
            end = self._draw_bar(drawing, self.known(row), texts[i], scale, y)
            drawing.text((end + 8, y + 4), texts[i][-1], 12.5, "ink", bold=True, halo=True)
        return plot.bottom + 4

    def _draw_key(self, drawing: Drawing, area: Area) -> float:
        """Name the parts in the order in which they lie; return the last baseline."""
        x, baseline = area.left, area.top
        for part, colour in zip(self.parts, PART_COLOURS, strict=False):
            text = shorten_end(part, area.width - 16, 12.5, bold=True)
            width = 16 + measure(text, 12.5, bold=True)
            if x > area.left and x + width > area.right:
                x, baseline = area.left, baseline + 20
            drawing.rectangle((x, baseline - 10), (10, 10), colour)
            drawing.text((x + 16, baseline), text, 12.5, "ink", bold=True, title=part)
            x += width + 18
        return baseline

    def _draw_bar(
        self,
        drawing: Drawing,
        values: list[float],
        texts: tuple[str, ...],
        scale: Scale,
        y: float,
    ) -> float:
        """Draw the parts of a bar, with their numbers where they fit; return its end."""
        start = 0.0
        for part, colour, value, text in zip(self.parts, PART_COLOURS, values, texts, strict=False):
            ends = scale.at(start), min(scale.at(start + value), scale.end)
            start += value
            width = ends[1] - ends[0] - 1
            if value <= 0 or width <= 0:
                continue
            corner = ends[0], y - _BAR / 2
            drawing.rectangle(corner, (width, _BAR), colour, title=f"{part} {text}")
            if measure(text, 12.0) + 8 <= width:
                at = ends[0] + width / 2, y + 4
                drawing.text(at, text, 12.0, f"on-{colour}", anchor="middle")
        return min(scale.at(start), scale.end)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.rows import plot_bars

        plot_bars(self, ax)
