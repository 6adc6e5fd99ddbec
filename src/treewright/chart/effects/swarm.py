"""A chart of dots, a line of many for each column: what the column adds to the answer of each row.

Examples
--------
>>> from treewright.chart.effects import SwarmChart, SwarmRow
>>> chart = SwarmChart(
...     title="amount matters most",
...     rows=[SwarmRow("amount", [0.9, -0.4, 0.1], [1.0, 0.0, 0.5])],
... )
>>> print(chart.numbers())
        lowest  median  highest  mean size
amount    −0.4     0.1      0.9      0.467
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.axes import draw_top_axis, ticks_across
from treewright.chart.colours import shade
from treewright.chart.marks import Axis, as_numbers
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale, limits_of
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_apart, shorten_end
from treewright.chart.words import clean, numbers
from treewright.errors import ParameterError

_SIZE, _SMALL = 12.5, 11.0
_LINE, _DOT, _JITTER = 28.0, 2.5, 8.0
_GAP = 14.0
_MOST_DOTS = 300
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class SwarmRow:
    """One line of dots.

    Parameters
    ----------
    name
        What the line is about.
    values
        Where the dots are, one for each row.
    levels
        The column's own values from 0 (low) to 1 (high); NaN where it has no order, or no value.
    """

    name: str
    values: FloatArray
    levels: FloatArray

    def __post_init__(self) -> None:
        for name in ("values", "levels"):
            object.__setattr__(self, name, as_numbers(name, getattr(self, name)))
        if len(self.values) != len(self.levels):
            raise ParameterError(
                f"levels has {len(self.levels)} values, but {len(self.values)} are needed."
            )

    @property
    def shown(self) -> tuple[FloatArray, FloatArray]:
        """At most 300 dots with their levels: of more so many, evenly along the rows."""
        places = np.flatnonzero(np.isfinite(self.values))
        if len(places) > _MOST_DOTS:
            places = places[np.linspace(0, len(places) - 1, _MOST_DOTS).round().astype(int)]
        return self.values[places], self.levels[places]


@dataclass(frozen=True, kw_only=True, eq=False)
class SwarmChart(Picture):
    """A line of dots per column; shades tell low from high values of the column.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    rows
        The lines, in the order in which they are drawn.
    x
        The axis.
    more
        A last line for what was left out.
    """

    rows: Sequence[SwarmRow] = ()
    x: Axis = field(default_factory=Axis)
    more: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis; 0 is on it."""
        values = [np.zeros(1), *(row.values for row in self.rows)]
        ends = self.x.limits or (None, None)
        return limits_of(np.concatenate(values), ends, log=False, padded=True)

    def numbers(self) -> Numbers:
        """Return a line per column: where its dots are."""
        figures: list[list[float | None]] = [[], [], [], []]
        for row in self.rows:
            known = row.values[np.isfinite(row.values)]
            if len(known):
                told = known.min(), np.median(known), known.max(), np.abs(known).mean()
                cells: list[float | None] = [float(each) for each in told]
            else:
                cells = [None] * 4
            for column, cell in zip(figures, cells, strict=True):
                column.append(cell)
        texts = [numbers(column, self.x.form) for column in figures]
        names = [clean(row.name) for row in self.rows]
        heads = ("", "lowest", "median", "highest", "mean size")
        return Numbers(heads, tuple(zip(names, *texts, strict=True)))

    def _n_left_out(self) -> int:
        return sum(int((~np.isfinite(row.values)).sum()) for row in self.rows)

    def _draw(self, drawing: Drawing, area: Area) -> float:
        names = [clean(row.name) for row in self.rows]
        widest = max((measure(name, _SIZE) for name in names), default=0.0)
        room = min(widest, (0.34 if area.is_narrow else 0.28) * area.width)
        top = area.top + 22
        left = area.left + room + _GAP
        plot = Box(left, top, area.right - 12, top + _LINE * max(len(names), 1))
        low, high = self.limits()
        scale = Scale(low, high, plot.left, plot.right)
        ticks = ticks_across(scale, self.x, within=(plot.left - 20, area.right))
        draw_top_axis(drawing, Box(plot.left, top - 8, plot.right, plot.bottom), ticks, scale)
        for i, name in enumerate(shorten_apart(names, room, _SIZE)):
            y = top + _LINE * (i + 0.5)
            at = plot.left - _GAP, y + 4
            drawing.text(at, name, _SIZE, "ink", anchor="end", title=names[i])
            self._draw_dots(drawing, self.rows[i], scale, y)
        self._draw_ends(drawing, scale, plot)
        bottom = plot.bottom
        if self.more:
            text = shorten_end(clean(self.more), area.width, _SIZE)
            drawing.text((area.left, bottom + 18), text, _SIZE, "ink3", title=self.more)
            bottom += 26
        return bottom

    def _draw_dots(self, drawing: Drawing, row: SwarmRow, scale: Scale, y: float) -> None:
        values, levels = row.shown
        lifts = jitter(len(values))
        places: dict[str, list[tuple[float, float]]] = {}
        for value, level, lift in zip(
            values.tolist(), levels.tolist(), lifts.tolist(), strict=True
        ):
            places.setdefault(dot_shade(level), []).append((scale.at(value), y + lift))
        for token, centres in sorted(places.items()):
            drawing.dots(centres, _DOT, token)

    def _draw_ends(self, drawing: Drawing, scale: Scale, plot: Box) -> None:
        """Write "low" and "high" at the dots of the first line that has an order."""
        for i, row in enumerate(self.rows):
            ends = ends_of(row)
            if ends is None:
                continue
            y = plot.top + _LINE * (i + 0.5) - _JITTER - 3
            places = {word: scale.at(value) for word, value in ends.items()}
            if abs(places["low"] - places["high"]) < 60:
                continue
            for word, at in places.items():
                half = measure(word, _SMALL) / 2
                x = min(max(at, plot.left + half), plot.right - half)
                drawing.text((x, y), word, _SMALL, "ink3", anchor="middle", halo=True)
            return

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.effects import plot_swarm

        plot_swarm(self, ax)


def jitter(n: int) -> FloatArray:
    """Return how far dots are lifted, within 8 pixels, the same each time.

    >>> jitter(3).round(1).tolist()
    [-8.0, 1.9, -4.2]
    """
    places = np.arange(n) * _GOLDEN
    lifts: FloatArray = (2 * (places - np.floor(places)) - 1) * _JITTER
    return lifts


def dot_shade(level: float) -> str:
    """Return the token of a dot: the paler, the lower the value of its column.

    >>> dot_shade(0.0), dot_shade(1.0), dot_shade(float("nan"))
    ('seq-1', 'seq-6', 'axis')
    """
    return "axis" if level != level else shade((1.0 + 6.0 * level) / 7.0)


def ends_of(row: SwarmRow) -> dict[str, float] | None:
    """Return where the dots of low and high values lie; None where values have no order."""
    values, levels = row.shown
    low, high = values[levels <= 0.1], values[levels >= 0.9]
    if not len(low) or not len(high):
        return None
    return {"low": float(np.median(low)), "high": float(np.median(high))}
