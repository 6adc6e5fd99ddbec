"""A histogram by class: bins of numbers as stacked columns, or a line of shares for each name.

Examples
--------
>>> from treewright.chart.effects import ColumnsChart
>>> chart = ColumnsChart(
...     title="yes is 80 % above 2 and 25 % below",
...     name="age",
...     classes=("no", "yes"),
...     labels=("0 to 2", "2 to 4"),
...     counts=[[3, 1], [1, 4]],
...     edges=[0, 2, 4],
...     cut=2.0,
... )
>>> print(chart.numbers())
age     no  yes  rows
0 to 2   3    1     4
2 to 4   1    4     5
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.axes import draw_x_axis, draw_y_axis, ticks_across, ticks_down
from treewright.chart.colours import class_fill
from treewright.chart.marks import Axis
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_end, shorten_labels
from treewright.chart.words import clean, count, number, percent
from treewright.errors import ParameterError

_SIZE, _SMALL = 12.0, 11.5
_MISSING, _MISSING_GAP = 26.0, 16.0
_LEAST_HEIGHT = 90.0
_LINE, _BAR = 26.0, 14.0
_MOST_LINES, _SHOWN = 8, 7
_KEY_GAP = 18.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsChart(Picture):
    """Rows by the value of a column and by class, the most frequent class lowest.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    name
        The column.
    classes
        The classes, in the order of ``classes_``; empty where all rows count alike.
    labels
        The bins, or the values.
    counts
        Rows (or their weight), bins x classes (or x 1).
    missing
        Those without a value, by class.
    edges
        Ends of the bins of numbers; None of values one by one.
    cut
        Where a question parts the numbers: a line, with the number below it.
    cut_text
        How the cut is written; by default with four digits.
    """

    name: str = ""
    classes: Sequence[str] = ()
    labels: Sequence[str] = ()
    counts: FloatArray
    missing: Sequence[float] | FloatArray = ()
    edges: Sequence[float] | FloatArray | None = None
    cut: float | None = None
    cut_text: str = ""

    def __post_init__(self) -> None:
        width = max(len(self.classes), 1)
        counts = np.array(self.counts, dtype=np.float64).reshape(-1, width)
        missing = np.array(self.missing, dtype=np.float64)
        missing = np.zeros(width) if not missing.size else missing
        if len(counts) != len(self.labels) or missing.shape != (width,):
            raise ParameterError(
                f"counts is {counts.shape}, but {len(self.labels)} labels and {width} classes need"
                f" {(len(self.labels), width)}, and missing one number a class."
            )
        if self.edges is not None and len(self.edges) != len(counts) + 1:
            raise ParameterError(
                f"edges has {len(self.edges)} values, but {len(counts)} bins need one more."
            )
        object.__setattr__(self, "counts", np.where(np.isfinite(counts), counts, 0.0))
        object.__setattr__(self, "missing", np.where(np.isfinite(missing), missing, 0.0))

    def numbers(self) -> Numbers:
        """Return a line per bin: its rows by class, and together."""
        names = [*map(clean, self.labels), *(["missing"] if np.any(self.missing) else [])]
        table = (
            np.vstack([self.counts, np.asarray(self.missing)])
            if np.any(self.missing)
            else self.counts
        )
        classes = tuple(map(clean, self.classes))
        rows = []
        for name, line in zip(names, table, strict=True):
            cells = [count(value, exact=True) for value in line.tolist()] if classes else []
            rows.append((name, *cells, count(float(line.sum()), exact=True)))
        return Numbers((clean(self.name), *classes, "rows"), tuple(rows))

    def order(self) -> list[int]:
        """Return the classes from the most frequent one on."""
        total = self.counts.sum(axis=0) + np.asarray(self.missing)
        order: list[int] = np.argsort(-total, kind="stable").tolist()
        return order

    def fill(self, k: int) -> str:
        """Return the token of a class."""
        return class_fill(k, len(self.classes)) if self.classes else "seq-3"

    def _usual_height(self, is_narrow: bool, frame: Any, words: float) -> float | None:
        if self.edges is None:
            return None
        return 300.0 if is_narrow else 360.0

    def _draw(self, drawing: Drawing, area: Area) -> float:
        top = self._draw_key(drawing, area)
        if self.edges is None:
            return self._draw_lines(drawing, area, top)
        return self._draw_bins(drawing, area, top)

    def _draw_key(self, drawing: Drawing, area: Area) -> float:
        """Write the classes with their colours and counts; return where the plot begins."""
        if not self.classes:
            return area.top
        x, baseline = area.left, area.top
        total = self.counts.sum(axis=0) + np.asarray(self.missing)
        names = shorten_labels(
            [clean(each) for each in self.classes], 0.5 * area.width, _SIZE, bold=True
        )
        for k, name in enumerate(names):
            rows = count(float(total[k]))
            wide = measure(name, _SIZE, bold=True)
            width = 15 + wide + 5 + measure(rows, _SIZE)
            if x > area.left and x + width > area.right:
                x, baseline = area.left, baseline + 19
            drawing.rectangle((x, baseline - 9), (10, 10), self.fill(k))
            full = clean(self.classes[k])
            drawing.text((x + 15, baseline), name, _SIZE, "ink", bold=True, title=full)
            drawing.text((x + 20 + wide, baseline), rows, _SIZE, "ink2")
            x += width + _KEY_GAP
        return baseline + 22

    def _draw_bins(self, drawing: Drawing, area: Area, top: float) -> float:
        edges = np.asarray(self.edges, dtype=np.float64)
        has_gaps = bool(np.any(self.missing))
        under = 46.0 + (18.0 if self.cut is not None else 0.0)
        bottom = max((area.bottom or 0.0) - under, top + _LEAST_HEIGHT)
        highest = float(np.vstack([self.counts, np.asarray(self.missing)]).sum(axis=1).max())
        upward = Scale(0.0, highest or 1.0, bottom, top)
        labels = ticks_down(upward, Axis())
        left = area.left + max(measure(text, _SIZE) for _, text in labels) + 12
        right = area.right - 8 - (_MISSING + _MISSING_GAP if has_gaps else 0.0)
        plot = Box(left, top, right, bottom)
        draw_y_axis(drawing, plot, labels, upward)
        across = Scale(float(edges[0]), float(edges[-1]), left, right)
        names = [clean(each) for each in self.labels]
        for i, line in enumerate(self.counts):
            x1, x2 = across.at(float(edges[i])), across.at(float(edges[i + 1]))
            self._draw_column(drawing, line, (x1, max(x2 - 1, x1 + 0.5)), upward, names[i])
        draw_x_axis(drawing, plot, ticks_across(across, Axis(), within=(area.left, right)), across)
        if has_gaps:
            x1 = right + _MISSING_GAP
            line = np.asarray(self.missing)
            self._draw_column(drawing, line, (x1, x1 + _MISSING), upward, "missing")
            text = f"? {count(float(line.sum()))}"
            end = min(x1 + _MISSING / 2 + measure(text, _SIZE) / 2, area.right)
            drawing.text((end, bottom + 19), text, _SIZE, "ink2", anchor="end")
        below = bottom + 19
        if self.cut is not None and across.holds(self.cut):
            below = self._draw_cut(drawing, plot, across.at(self.cut))
        label = shorten_end(clean(self.name), area.width, _SIZE)
        half = measure(label, _SIZE) / 2
        centre = max(area.left + half, min((left + right) / 2, area.right - half))
        at = centre, below + 18
        drawing.text(at, label, _SIZE, "ink2", anchor="middle", title=clean(self.name))
        return below + 22

    def _draw_column(
        self,
        drawing: Drawing,
        line: FloatArray,
        ends: tuple[float, float],
        upward: Scale,
        name: str,
    ) -> None:
        base = 0.0
        for k in self.order():
            if line[k] <= 0:
                continue
            low, high = upward.at(base), upward.at(base + float(line[k]))
            who = f", {clean(self.classes[k])}" if self.classes else ""
            title = f"{name}{who}: {count(float(line[k]), exact=True)}"
            size = ends[1] - ends[0], low - high
            drawing.rectangle((ends[0], high), size, self.fill(k), title=title)
            base += float(line[k])

    def _draw_cut(self, drawing: Drawing, plot: Box, x: float) -> float:
        bottom = plot.bottom
        drawing.line((x, plot.top - 4), (x, bottom), "ink", width=1.5)
        y = bottom + 24
        drawing.area([(x - 5, y + 8), (x + 5, y + 8), (x, y)], "ink")
        text = clean(self.cut_text or number(self.cut or 0.0))
        width = measure(text, _SIZE, bold=True)
        start = x + 9 if x + 9 + width <= plot.right else x - 9 - width
        drawing.text((start, y + 9), text, _SIZE, "ink", bold=True)
        return y + 11

    def _draw_lines(self, drawing: Drawing, area: Area, top: float) -> float:
        """Draw a line per value: shares within the value, its rows at the right."""
        lines = self.lines()
        names = [name for name, _ in lines]
        most = (0.4 if area.is_narrow else 0.28) * area.width
        room = min(max((measure(name, 12.5) for name in names), default=0.0), most)
        amounts = [count(float(line.sum())) for _, line in lines]
        right = area.right - max((measure(text, _SIZE) for text in amounts), default=0.0) - 12
        left = area.left + room + 14
        y = top
        for (full, line), name, amount in zip(
            lines, shorten_labels(names, room, 12.5), amounts, strict=True
        ):
            centre = y + _LINE / 2
            drawing.text((left - 14, centre + 4), name, 12.5, "ink", anchor="end", title=full)
            total = float(line.sum())
            x = left
            for k, value in enumerate(line.tolist()):
                if value <= 0:
                    continue
                width = (right - left) * value / total
                who = f"{clean(self.classes[k])} " if self.classes else ""
                title = f"{full}: {who}{percent(value / total)}"
                size = max(width - 1, 0.5), _BAR
                drawing.rectangle((x, centre - _BAR / 2), size, self.fill(k), title=title)
                x += width
            drawing.text((area.right, centre + 4), amount, _SIZE, "ink2", anchor="end")
            y += _LINE
        return y

    def lines(self) -> list[tuple[str, FloatArray]]:
        """Return the values with most rows, the rest together, and those without a value."""
        order = np.argsort(-self.counts.sum(axis=1), kind="stable").tolist()
        shown = order if len(order) <= _MOST_LINES else order[:_SHOWN]
        told = [(clean(self.labels[i]), self.counts[i]) for i in shown]
        rest = order[len(shown) :]
        if rest:
            told.append((f"{len(rest):,} more values", self.counts[rest].sum(axis=0)))
        if np.any(self.missing):
            told.append(("missing", np.asarray(self.missing)))
        return [(name, line) for name, line in told if math.isfinite(line.sum())]

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.effects import plot_columns

        plot_columns(self, ax)
