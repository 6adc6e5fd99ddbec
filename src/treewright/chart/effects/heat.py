"""A chart of cells: one value for each pair of two columns' values, as a shade.

Examples
--------
>>> from treewright.chart.effects import HeatAxis, HeatChart
>>> chart = HeatChart(
...     title="Partial dependence on age and kind",
...     x=HeatAxis("age", ("20", "40")),
...     y=HeatAxis("kind", ("new", "old")),
...     values=[[0.1, 0.4], [0.2, 0.8]],
... )
>>> print(chart.numbers())
kind  age = 20  age = 40
new        0.1       0.4
old        0.2       0.8
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.colours import shade
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_end, shorten_labels
from treewright.chart.words import Form, clean, numbers
from treewright.errors import ParameterError

_SIZE, _CELL_SIZE, _KEY = 12.0, 11.0, 12.0
_HEIGHT = 24.0
_MOST_HEIGHT = 340.0
_GAP = 2.0
_STEPS = 7


@dataclass(frozen=True)
class HeatAxis:
    """A column and its values as texts."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class HeatChart(Picture):
    """Cells in lines and columns; the darker, the larger the value.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    x, y
        What stands across, from left to right, and upwards, from below.
    values
        The numbers, values of `y` x values of `x`.
    form
        How they are written.
    """

    x: HeatAxis
    y: HeatAxis
    values: FloatArray
    form: Form = "number"

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        expected = (len(self.y.values), len(self.x.values))
        if values.shape != expected:
            raise ParameterError(f"values is {values.shape}, but the axes need {expected}.")
        object.__setattr__(self, "values", values)

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        known = self.values[np.isfinite(self.values)]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)

    def token(self, value: float) -> str:
        """Return the shade of a value."""
        low, high = self.ends
        if not math.isfinite(value):
            return "paper"
        return shade((value - low) / (high - low)) if high > low else "seq-2"

    def texts(self) -> list[list[str]]:
        """Return the values as texts, all with the same decimals."""
        flat = [value if math.isfinite(value) else None for value in self.values.ravel().tolist()]
        written = iter(numbers(flat, self.form))
        return [[next(written) for _ in self.x.values] for _ in self.y.values]

    def numbers(self) -> Numbers:
        """Return a line for each value of `y`."""
        name = clean(self.x.name)
        heads = (clean(self.y.name), *(f"{name} = {clean(each)}" for each in self.x.values))
        lines = zip(self.y.values, self.texts(), strict=True)
        return Numbers(heads, tuple((clean(name), *cells) for name, cells in lines))

    def _n_left_out(self) -> int:
        return int((~np.isfinite(self.values)).sum())

    def _draw(self, drawing: Drawing, area: Area) -> float:
        if not self.values.size:
            return area.top
        top = self._draw_key(drawing, area)
        name = shorten_end(clean(self.y.name), area.width, _SIZE)
        drawing.text((area.left, top), name, _SIZE, "ink2", title=clean(self.y.name))
        most = (0.3 if area.is_narrow else 0.2) * area.width
        names = [clean(each) for each in self.y.values]
        beside = min(max(measure(each, _SIZE) for each in names), most)
        n_lines = len(names)
        height = min(_HEIGHT, _MOST_HEIGHT / n_lines) if n_lines > 6 else 40.0
        left = area.left + beside + 10
        plot = Box(left, top + 10, area.right, top + 10 + height * n_lines)
        self._draw_cells(drawing, plot)
        return self._draw_names(drawing, area, plot, shorten_labels(names, beside, _SIZE))

    def _draw_key(self, drawing: Drawing, area: Area) -> float:
        """Draw the seven shades with the numbers at both ends."""
        low, high = numbers(list(self.ends), self.form)
        x = area.left
        drawing.text((x, area.top), low, _SIZE, "ink2")
        x += measure(low, _SIZE) + 8
        for step in range(_STEPS):
            drawing.rectangle((x, area.top - 10), (_KEY, _KEY), f"seq-{step}")
            x += _KEY
        drawing.text((x + 8, area.top), high, _SIZE, "ink2")
        return area.top + 28

    def _draw_cells(self, drawing: Drawing, plot: Box) -> None:
        n_lines, n_columns = self.values.shape
        width = (plot.right - plot.left) / n_columns
        height = (plot.bottom - plot.top) / n_lines
        texts = self.texts()
        widest = max(measure(text, _CELL_SIZE) for line in texts for text in line)
        is_written = widest <= width - 6 and height >= 16
        gap = _GAP if min(width, height) >= 8 else 0.0
        for i in range(n_lines):
            for j in range(n_columns):
                corner = plot.left + j * width, plot.bottom - (i + 1) * height
                token = self.token(float(self.values[i, j]))
                y, x = clean(self.y.values[i]), clean(self.x.values[j])
                title = f"{clean(self.x.name)} {x}, {clean(self.y.name)} {y}: {texts[i][j]}"
                size = width - gap, height - gap
                drawing.rectangle(corner, size, token, radius=gap, title=title)
                if is_written:
                    at = corner[0] + size[0] / 2, corner[1] + size[1] / 2 + 4
                    drawing.text(at, texts[i][j], _CELL_SIZE, f"on-{token}", anchor="middle")

    def _draw_names(self, drawing: Drawing, area: Area, plot: Box, names: list[str]) -> float:
        height = (plot.bottom - plot.top) / len(names)
        every = math.ceil(16 / height)
        for i, name in enumerate(names):
            if i % every == 0:
                at = plot.left - 10, plot.bottom - (i + 0.5) * height + 4
                full = clean(self.y.values[i])
                drawing.text(at, name, _SIZE, "ink2", anchor="end", title=full)
        width = (plot.right - plot.left) / len(self.x.values)
        texts = [clean(each) for each in self.x.values]
        room = max(width, 56.0) - 8
        shown = shorten_labels(texts, room, _SIZE)
        every = math.ceil((max(measure(text, _SIZE) for text in shown) + 8) / width)
        for j, text in enumerate(shown):
            if j % every == 0:
                half = measure(text, _SIZE) / 2
                centre = min(plot.left + (j + 0.5) * width, area.right - half)
                at = centre, plot.bottom + 16
                drawing.text(at, text, _SIZE, "ink2", anchor="middle", title=texts[j])
        label = shorten_end(clean(self.x.name), area.width, _SIZE)
        half = measure(label, _SIZE) / 2
        centre = max(area.left + half, min((plot.left + plot.right) / 2, area.right - half))
        at = centre, plot.bottom + 38
        drawing.text(at, label, _SIZE, "ink2", anchor="middle", title=clean(self.x.name))
        return plot.bottom + 42

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.effects import plot_heat

        plot_heat(self, ax)
