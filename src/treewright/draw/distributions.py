"""What a node saw when it chose its question: the values it asks about, with the cut marked.

Numbers are counted by class in bins that begin at the cut, so that none straddles it; a target of
numbers is drawn as dots. Of names every value is a line, in the order of the branches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.colours import class_fill
from treewright.chart.widths import measure, shorten_labels
from treewright.draw.node_marks import draw_parts, sketch_scale
from treewright.draw.training_rows import cuts_of
from treewright.draw.values import bound_text, category_text
from treewright.tree.question import Categories

if TYPE_CHECKING:
    from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch
    from treewright.tree.question import Question

_PLOT_HEIGHT = 58.0
_N_BINS = 24
_MOST_DOTS = 60
_MOST_VALUES = 5
_SEVERAL = -2
"""Instead of a branch: values of several branches stand in one line."""
_LINE = 14.0
_SKEWED = 10.0
"""Beyond this ratio of the largest value to the median an axis is logarithmic."""

_FAR = 1e300
"""Numbers beyond it are not drawn, as infinity: their differences would be infinite."""


def is_on_log_scale(sketch: Sketch, node: int) -> bool:
    """Return whether the values that a node asks about are drawn on a logarithmic scale."""
    question = sketch.tree.question(node)
    if question is None or isinstance(question, Categories) or question.column.storage != "float":
        return False
    known, _, _, cuts = _known(sketch, node, question)
    known = known[np.isfinite(known)]
    if not len(known) or known.min() <= 0 or min(cuts) <= 0:
        return False
    return float(known.max()) / float(np.median(known)) > _SKEWED


def draw_distribution(
    drawing: Drawing, sketch: Sketch, node: int, corner: tuple[float, float], width: float
) -> None:
    """Draw the values that a node asks about into its card."""
    question = sketch.tree.question(node)
    assert question is not None  # an inner node
    if isinstance(question, Categories):
        _draw_categories(drawing, sketch, node, question, corner, width)
    else:
        _draw_numbers(drawing, sketch, node, question, corner, width)


def _known(
    sketch: Sketch, node: int, question: Question
) -> tuple[FloatArray, Int64Array, BoolArray, list[float]]:
    """Return the values of the node's rows that have one, those rows, who has none, and the cuts.

    Whole numbers are counted from the first cut: large ones would be equal as floats.
    """
    assert sketch.rows is not None
    values, missing = sketch.rows.values(node, question)
    rows, values, cuts = sketch.rows.at(node), values[~missing], cuts_of(question)
    if values.dtype.kind == "i":
        start = int(cuts[0])
        values, cuts = values - start, tuple(int(cut) - start for cut in cuts)
    return values.astype(np.float64), rows[~missing], missing, list(map(float, cuts))


def _draw_numbers(
    drawing: Drawing,
    sketch: Sketch,
    node: int,
    question: Question,
    corner: tuple[float, float],
    width: float,
) -> None:
    assert sketch.rows is not None
    known, rows, missing, cuts = _known(sketch, node, question)
    is_finite = np.abs(known) < _FAR
    known, rows = known[is_finite], rows[is_finite]
    log = is_on_log_scale(sketch, node)
    (left, top), bottom = corner, corner[1] + _PLOT_HEIGHT
    gaps = sketch.rows.at(node)[missing]
    plot_width = width - 22 if len(gaps) else width
    if len(known) and all(abs(cut) < _FAR for cut in cuts):
        axis = _Axis(known, cuts, left, plot_width, log=log)
        if sketch.has_hues:
            _draw_stacks(drawing, sketch, axis, known, rows, gaps, bottom)
        else:
            _draw_dots(drawing, sketch, axis, known, rows, top, bottom)
        drawing.line((left, bottom), (left + plot_width, bottom), "axis")
        near = sketch.rows.neighbours(node, question)
        texts = [
            bound_text(question.column, cut, *ends)
            for cut, ends in zip(cuts_of(question), near, strict=True)
        ]
        _draw_cuts(drawing, axis, cuts, texts, top, bottom)
    if len(gaps):
        drawing.text((left + width - 7, bottom + 13), "?", 11, "ink2", anchor="middle")


class _Axis:
    """Where values lie; bins are counted from the first cut outwards."""

    def __init__(
        self, known: FloatArray, cuts: list[float], left: float, width: float, *, log: bool
    ) -> None:
        self.log, self.left, self.width = log, left, width
        low, high = float(known.min()), float(known.max())
        low, high = min([low, *cuts]), max([high, *cuts])
        self.low, self.high = float(self._scaled(low)), float(self._scaled(high))
        if not self.high > self.low:
            self.high = self.low + 1.0
        self.start = float(self._scaled(cuts[0]))

    def _scaled(self, values: FloatArray | float) -> FloatArray | float:
        return np.log10(values) if self.log else values

    def at(self, value: FloatArray | float) -> FloatArray | float:
        """Return where a value lies."""
        share = (self._scaled(value) - self.low) / (self.high - self.low)
        return self.left + self.width * np.clip(share, 0.0, 1.0)

    def edges(self) -> FloatArray:
        """Return the edges of the bins, as places."""
        pitch = self.width / _N_BINS
        cut = self.left + self.width * (self.start - self.low) / (self.high - self.low)
        n_left = math.ceil((cut - self.left) / pitch - 1e-9)
        n_right = math.ceil((self.left + self.width - cut) / pitch - 1e-9)
        edges: FloatArray = cut + pitch * np.arange(-n_left, n_right + 1, dtype=np.float64)
        return edges


def _draw_stacks(
    drawing: Drawing,
    sketch: Sketch,
    axis: _Axis,
    known: FloatArray,
    rows: Int64Array,
    gaps: Int64Array,
    bottom: float,
) -> None:
    """Draw counts by class, the most frequent class lowest, and the rows without a value."""
    assert sketch.rows is not None
    edges = axis.edges()
    # Values at the cut belong below it: bins are open at the left.
    cut = np.searchsorted(edges, np.asarray(axis.at(known)) - 1e-9, side="right") - 1
    n_bins, n_classes = len(edges) - 1, len(sketch.class_names)
    classes = sketch.rows.target
    table = np.zeros((n_bins + 1, n_classes))
    weight = sketch.rows.weight
    np.add.at(
        table,
        (np.clip(cut, 0, n_bins - 1), classes[rows]),
        1.0 if weight is None else weight[rows],
    )
    last = np.full(len(gaps), n_bins)
    np.add.at(table, (last, classes[gaps]), 1.0 if weight is None else weight[gaps])
    order = np.argsort(-table.sum(axis=0), kind="stable").tolist()
    highest = table.sum(axis=1).max()
    if highest <= 0:
        return
    right = axis.left + axis.width
    for i in range(n_bins + 1):
        if i == n_bins:
            x1, x2 = right + 8, right + 22
        else:
            x1, x2 = max(edges[i], axis.left), min(edges[i + 1], right) - 0.6
        base = bottom
        for k in order:
            high = _PLOT_HEIGHT * table[i, k] / highest
            if high > 0 and x2 > x1:
                base -= high
                drawing.rectangle((x1, base), (x2 - x1, high), class_fill(k, n_classes))


def _draw_dots(
    drawing: Drawing,
    sketch: Sketch,
    axis: _Axis,
    known: FloatArray,
    rows: Int64Array,
    top: float,
    bottom: float,
) -> None:
    """Draw the target of some rows over their values; a target of numbers."""
    assert sketch.rows is not None
    scale = sketch_scale(sketch)
    chosen = np.unique(np.linspace(0, len(rows) - 1, _MOST_DOTS).round().astype(int))
    for place in chosen.tolist():
        y = scale.at(float(sketch.rows.target[rows[place]]), bottom - 2, top + 2 - (bottom - 2))
        drawing.circle((float(axis.at(known[place])), y), 1.4, "seq-4")


def _draw_cuts(
    drawing: Drawing, axis: _Axis, cuts: list[float], texts: list[str], top: float, bottom: float
) -> None:
    """Mark the cuts by lines and triangles, and write those that there is room for."""
    taken = axis.left - 6
    right = axis.left + axis.width
    for cut, text in zip(cuts, texts, strict=True):
        x = float(axis.at(cut))
        drawing.line((x, top - 2), (x, bottom), "ink", width=1.5)
        drawing.area([(x - 4.5, bottom + 8), (x + 4.5, bottom + 8), (x, bottom + 1)], "ink")
        width = measure(text, 11.5, bold=True)
        start = x + 8 if x + 8 + width <= right else x - 8 - width
        if start >= taken + 6 and start + width <= right:
            drawing.text((start, bottom + 13), text, 11.5, "ink", bold=True)
            taken = max(start + width, x + 5)
        else:
            taken = max(taken, x + 5)


def _draw_categories(
    drawing: Drawing,
    sketch: Sketch,
    node: int,
    question: Categories,
    corner: tuple[float, float],
    width: float,
) -> None:
    """Draw a line per value, by branch and then by rows, with a rule between branches."""
    assert sketch.rows is not None
    codes, missing = sketch.rows.values(node, question)
    rows = sketch.rows.at(node)
    lines = _lines(question, codes[~missing])
    names = shorten_labels([name for name, _, _ in lines], 0.48 * width, 11)
    x, y = corner
    bar_left = x + 0.5 * width
    before: int | None = None
    for (full, branch, chosen), name in zip(lines, names, strict=True):
        if before is not None and branch not in (before, _SEVERAL):
            drawing.line((x, y + 1.5), (x + width, y + 1.5), "ink", width=1.5)
            drawing.area([(x - 7, y - 2.5), (x - 7, y + 5.5), (x - 1, y + 1.5)], "ink")
            y += 3
        before = branch
        drawing.text((x, y + 11), name, 11, "ink2" if branch == _SEVERAL else "ink", title=full)
        own = rows[~missing][np.isin(codes[~missing], chosen)]
        _draw_value(drawing, sketch, own, (bar_left, y + 3), x + width - bar_left)
        y += _LINE


def _lines(question: Categories, codes: Array) -> list[tuple[str, int, Int64Array]]:
    """Return name, branch and codes of each line; rare values stand together in the last."""
    present, n_rows = np.unique(codes[codes >= 0], return_counts=True)
    order = present[np.argsort(-n_rows, kind="stable")]
    shown = order if len(order) <= _MOST_VALUES else order[: _MOST_VALUES - 1]
    lines = [
        (category_text(question.column, code), question.branch_of(code), np.array([code]))
        for code in shown.tolist()
    ]
    lines.sort(key=lambda line: line[1])
    rest = order[len(shown) :]
    if len(rest):
        lines.append((f"{len(rest):,} more values", _SEVERAL, rest))
    return lines


def _draw_value(
    drawing: Drawing, sketch: Sketch, rows: Int64Array, corner: tuple[float, float], width: float
) -> None:
    """Draw the classes of the rows with one value, or the mean of their numbers."""
    assert sketch.rows is not None
    target = sketch.rows.target[rows]
    if not sketch.has_hues:
        scale = sketch_scale(sketch)
        y = corner[1] + 4.5
        drawing.line((corner[0], y), (corner[0] + width, y), "rule")
        x = scale.at(float(target.mean()), corner[0], width) if len(target) else corner[0]
        drawing.circle((x, y), 3.5, "seq-4")
        return
    weight = None if sketch.rows.weight is None else sketch.rows.weight[rows]
    n_classes = len(sketch.class_names)
    counts = np.bincount(target, weights=weight, minlength=n_classes)
    if counts.sum() > 0:
        shares = (counts / counts.sum()).tolist()
        parts = [(class_fill(k, n_classes), share) for k, share in enumerate(shares) if share > 0]
        draw_parts(drawing, parts, corner, width, 9)
