"""A confusion matrix: which classes are taken for which.

Examples
--------
>>> from treewright.chart import MatrixChart
>>> chart = MatrixChart(title="Confusion matrix", classes=["no", "yes"], counts=[[4, 1], [2, 7]])
>>> print(chart.numbers())
actual  no  yes  recall
no       4    1    80 %
yes      2    7    78 %
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.colours import shade
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_apart, shorten_labels
from treewright.chart.words import clean, count, percent
from treewright.errors import ParameterError

MOST_WRITTEN = 12
"""Classes up to which cells have their counts written in them."""

_SMALL_CELL = 22.0
_LEAST_PRECISION_WIDTH = 40.0
_SMALLEST = 11.0
_N_WORST = 10
_GAP = 2.0


@dataclass(frozen=True, kw_only=True, eq=False)
class MatrixChart(Picture):
    """Rows are actual classes, columns predicted ones; shade is the share of the row.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    classes
        Names of the classes, in the order of ``classes_``.
    counts
        Rows (or their weight) by actual and predicted class.
    """

    classes: Sequence[str]
    counts: FloatArray

    def __post_init__(self) -> None:
        n = len(self.classes)
        try:
            counts = np.array(self.counts, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError("counts must be a square table of numbers.") from error
        if counts.shape != (n, n):
            raise ParameterError(f"counts is {counts.shape}, but {n} classes need {(n, n)}.")
        object.__setattr__(self, "classes", tuple(clean(str(each)) for each in self.classes))
        object.__setattr__(self, "counts", np.where(np.isfinite(counts), counts, 0.0))
        object.__setattr__(self, "_unknown", int((~np.isfinite(counts)).sum()))

    @property
    def shares(self) -> FloatArray:
        """Share of each actual class that is predicted as each; 0 of classes without rows."""
        return _divided(self.counts, self.counts.sum(axis=1, keepdims=True))

    def recall(self) -> list[str]:
        """Return the share of each class that is recognised, as text."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=1))

    def precision(self) -> list[str]:
        """Return the share of each prediction that is right, as text."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=0))

    def accuracy(self) -> str:
        """Return the share of all rows that are right, as text."""
        total = float(self.counts.sum())
        return percent(float(np.trace(self.counts)) / total, decimals=1) if total else "–"

    def worst(self) -> list[tuple[str, str, str, str]]:
        """Return the ten confusions with most rows: actual, predicted, rows, share."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0.0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:_N_WORST]
        cells = [divmod(int(at), len(self.classes)) for at in order]
        return [
            (self.classes[i], self.classes[j], count(wrong[i, j]), percent(self.shares[i, j]))
            for i, j in cells
            if wrong[i, j] > 0
        ]

    def numbers(self) -> Numbers:
        """Return the matrix with the recall of each class; of many classes a line per cell.

        A table of so many columns is for nobody to read.
        """
        if len(self.classes) > MOST_WRITTEN:
            return Numbers(("actual", "predicted", "rows", "share"), self._cells())
        rows = [
            (name, *(count(value, exact=True) for value in values), recall)
            for name, values, recall in zip(
                self.classes, self.counts.tolist(), self.recall(), strict=True
            )
        ]
        return Numbers(("actual", *self.classes, "recall"), tuple(rows))

    def _cells(self) -> tuple[tuple[str, str, str, str], ...]:
        """Return the cells that have rows, class by class, the largest of each first."""
        order = np.argsort(-self.counts, axis=1, kind="stable")
        return tuple(
            (
                self.classes[i],
                self.classes[j],
                count(self.counts[i, j], exact=True),
                percent(self.shares[i, j]),
            )
            for i, line in enumerate(order.tolist())
            for j in line
            if self.counts[i, j] > 0
        )

    def _n_left_out(self) -> int:
        return int(getattr(self, "_unknown", 0))

    def _draw(self, drawing: Drawing, area: Area) -> float:
        n = len(self.classes)
        if n == 0:
            return area.top
        grid = _Grid.of(self, area)
        for i, name in enumerate(grid.row_names):
            self._draw_row_name(drawing, grid, i, name)
            for j in range(n):
                self._draw_cell(drawing, grid, i, j)
        for j, name in enumerate(grid.column_names):
            at = grid.left + (j + 0.5) * grid.width, grid.top - 8
            drawing.text(at, name, 12.0, "ink", bold=True, anchor="middle", title=self.classes[j])
        bottom = self._draw_margins(drawing, grid)
        if not grid.is_written:
            bottom = self._draw_worst(drawing, area, bottom + 24)
        return bottom

    def _draw_row_name(self, drawing: Drawing, grid: _Grid, i: int, name: str) -> None:
        y = grid.top + (i + 0.5) * grid.height
        right = grid.left - 12
        if grid.number_width:
            drawing.text((right, y + 4), str(i + 1), 12.0, "ink2", anchor="end")
            right -= grid.number_width
        full = self.classes[i]
        if grid.has_totals:
            drawing.text((right, y - 2), name, 12.5, "ink", bold=True, anchor="end", title=full)
            total = count(float(self.counts[i].sum()))
            drawing.text((right, y + 14), total, 11.5, "ink2", anchor="end")
        else:
            drawing.text((right, y + 4), name, 12.0, "ink", bold=True, anchor="end", title=full)

    def _draw_cell(self, drawing: Drawing, grid: _Grid, i: int, j: int) -> None:
        value, share = float(self.counts[i, j]), float(self.shares[i, j])
        fill = shade(share)
        corner = grid.left + j * grid.width, grid.top + i * grid.height
        size = grid.width - _GAP, grid.height - _GAP
        actual, predicted = self.classes[i], self.classes[j]
        title = f"{actual}, predicted {predicted}: {count(value, exact=True)}, {percent(share)}"
        if i == j:
            inner = corner[0] + 0.75, corner[1] + 0.75
            framed = size[0] - 1.5, size[1] - 1.5
            drawing.rectangle(inner, framed, fill, stroke="ink", width=1.5, radius=2, title=title)
        else:
            drawing.rectangle(corner, size, fill, radius=2, title=title)
        if not grid.is_written:
            return
        x, y = corner[0] + size[0] / 2, corner[1] + size[1] / 2
        text, ink = count(value), f"on-{fill}"
        large = 16.0 if i == j else 14.0
        number = large if grid.height >= 48 else 12.0
        if measure(text, number, bold=i == j) > size[0] - 6:
            number = _SMALLEST
        has_share = grid.height >= 36 and measure(percent(share), _SMALLEST) <= size[0] - 6
        lifted = y + (0.0 if has_share else 5.0)
        drawing.text((x, lifted), text, number, ink, bold=i == j, anchor="middle")
        if has_share:
            drawing.text((x, y + 16), percent(share), _SMALLEST, ink, anchor="middle")

    def _draw_margins(self, drawing: Drawing, grid: _Grid) -> float:
        n = len(self.classes)
        right, bottom = grid.left + n * grid.width + 12, grid.top + n * grid.height
        drawing.text((right, grid.top - 8), "recall", 11.5, "ink2")
        for i, text in enumerate(self.recall()):
            at = right, grid.top + (i + 0.5) * grid.height + 4
            drawing.text(at, text, 12.0, "ink", bold=True)
        drawing.text((right, bottom + 20), self.accuracy(), 12.0, "ink", bold=True)
        drawing.text((right, bottom + 35), "accuracy", 11.5, "ink2")
        if grid.width >= _LEAST_PRECISION_WIDTH:
            drawing.text((grid.left - 12, bottom + 20), "precision", 11.5, "ink2", anchor="end")
            for j, text in enumerate(self.precision()):
                at = grid.left + (j + 0.5) * grid.width, bottom + 20
                drawing.text(at, text, 12.0, "ink", bold=True, anchor="middle")
        return bottom + 40

    def _draw_worst(self, drawing: Drawing, area: Area, top: float) -> float:
        """Write the confusions with most rows as a table."""
        worst = self.worst()
        if not worst:
            return top
        name = min(160.0, (area.width - 120) / 2 - 12)
        ends = area.left + 2 * (name + 12) + 50, area.left + 2 * (name + 12) + 106
        heads = (("actual", area.left), ("predicted", area.left + name + 12))
        for head, at in heads:
            drawing.text((at, top), head, 12.0, "ink2", bold=True)
        for head, at in (("rows", ends[0]), ("share", ends[1])):
            drawing.text((at, top), head, 12.0, "ink2", bold=True, anchor="end")
        drawing.line((area.left, top + 6), (ends[1], top + 6), "axis")
        shown = dict(zip(self.classes, shorten_apart(self.classes, name, 12.0), strict=True))
        for actual, predicted, rows, share in worst:
            top += 20
            for full, (_, at) in zip((actual, predicted), heads, strict=True):
                drawing.text((at, top), shown[full], 12.0, "ink", title=full)
            for text, at in ((rows, ends[0]), (share, ends[1])):
                drawing.text((at, top), text, 12.0, "ink", anchor="end")
        return top + 8

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.matrix import plot_matrix

        plot_matrix(self, ax)


@dataclass(frozen=True)
class _Grid:
    """Where the cells of a matrix are, and what is written at them."""

    left: float
    top: float
    width: float
    height: float
    row_names: list[str]
    column_names: list[str]
    is_written: bool
    has_totals: bool
    number_width: float

    @classmethod
    def of(cls, chart: MatrixChart, area: Area) -> _Grid:
        classes = list(chart.classes)
        n = len(classes)
        is_written = n <= MOST_WRITTEN
        # Names of columns stand over cells that are wide enough, else numbers do.
        most = (0.3 if area.is_narrow else 0.2) * area.width
        room = area.width - 70
        widest = max(measure(name, 12.5, bold=True) for name in classes)
        names = min(max(widest, measure("precision", 11.5)), most) + 12
        width = min(118.0, (room - names) / n) if is_written else _SMALL_CELL
        number_width = 0.0
        if width < 48:
            number_width = measure(f"{n}", 12.0) + 8
            names = min(max(widest + number_width, measure("precision", 11.5)), most) + 12
            width = min(width, (room - names) / n)
            rows = shorten_apart(classes, names - 12 - number_width, 12.5, bold=True)
            needed = (measure(str(n), 12.0, bold=True) + 6) / width
            every = next((step for step in (1, 2, 5, 10, 20, 50) if step >= needed), n)
            columns = [str(i + 1) if (i + 1) % every == 0 else "" for i in range(n)]
        else:
            rows = shorten_labels(classes, names - 12, 12.5, bold=True)
            columns = shorten_labels(classes, width - 8, 12.0, bold=True)
        widest_count = max(
            measure(count(value), _SMALLEST, bold=True) for value in chart.counts.ravel().tolist()
        )
        height = min(74.0, max(width, 28.0)) if is_written else max(width, 15.0)
        return cls(
            left=area.left + names,
            top=area.top + 12,
            width=width,
            height=height,
            row_names=rows,
            column_names=columns,
            is_written=is_written and widest_count <= width - _GAP - 4,
            has_totals=height >= 36 and not number_width,
            number_width=number_width,
        )


def _divided(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _shares(part: FloatArray, whole: FloatArray) -> list[str]:
    return [
        percent(right / total) if total > 0 else "–"
        for right, total in zip(part.tolist(), whole.tolist(), strict=True)
    ]
