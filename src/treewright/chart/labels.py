"""The names of lines, marks and rules in a plot, each on the spot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.marks import Line, Mark, Stroke
from treewright.chart.placement import Box, Occupied, spread, text_box
from treewright.chart.svg import Anchor, Drawing
from treewright.chart.widths import measure, shorten_end, shorten_labels
from treewright.chart.words import clean

if TYPE_CHECKING:
    from treewright.chart.chart import Chart
    from treewright.chart.draw_chart import Plot

NAME_SIZE, NOTE_SIZE = 12.5, 11.5
_LINE = 15.0
"""Least distance of two labels, and the height of one line."""

_ROW = 20.0
_KEY = 26.0


@dataclass(frozen=True)
class _Text:
    """One line of a label, at its place."""

    at: tuple[float, float]
    text: str
    size: float
    fill: str
    bold: bool = False
    anchor: Anchor = "start"
    full: str = ""

    @property
    def box(self) -> Box:
        return text_box(self.at, self.text, self.size, bold=self.bold, anchor=self.anchor)

    def draw(self, drawing: Drawing, *, halo: bool) -> None:
        drawing.text(
            self.at,
            self.text,
            self.size,
            self.fill,
            bold=self.bold,
            anchor=self.anchor,
            halo=halo,
            title=self.full,
        )


@dataclass(frozen=True)
class _Place:
    """A place for a label: its lines, and how they are led to."""

    texts: Sequence[_Text]
    start: tuple[float, float] | None = None
    end: tuple[float, float] | None = None

    @property
    def boxes(self) -> list[Box]:
        return [text.box for text in self.texts]

    @property
    def leader(self) -> Box | None:
        if self.start is None or self.end is None:
            return None
        (x1, y1), (x2, y2) = self.start, self.end
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def name_lines(
    chart: Chart, drawing: Drawing, plot: Plot, occupied: Occupied, *, is_narrow: bool
) -> None:
    """Name every line that the table does not: at its end in the margin, or else beside it."""
    named = [
        line for line in chart.lines if line.name and not line.columns and chart.shown(line).any()
    ]
    beside = [line for line in named if is_narrow or line not in chart.named_at_ends]
    for line in beside:
        x, y = plot.points(line.x, line.y, chart.shown(line))
        fill, bold = _look(line)
        name_beside(clean(line.name), x, y, drawing, plot, occupied, fill=fill, bold=bold)
    at_end = [line for line in named if line not in beside]
    wished = [plot.y.at(float(line.y[chart.shown(line)][-1])) + 4 for line in at_end]
    order = np.argsort(wished, kind="stable").tolist()
    room = plot.box.bottom - plot.box.top + _LINE
    shown, used = [], 0.0
    for i in sorted(order, key=lambda i: at_end[i].role == "other"):  # the rest goes first
        height = _LINE * (2 if at_end[i].note else 1)
        if used + height <= room:
            shown.append(i)
            used += height
    order = [i for i in order if i in shown]
    gaps = [_LINE * (2 if at_end[i].note else 1) for i in order]
    places = spread(
        [wished[i] for i in order], gaps[:-1], low=plot.box.top, high=plot.box.bottom + 4
    )
    left = plot.box.right + 10
    for i, place in zip(order, places, strict=True):
        line = at_end[i]
        fill, bold = _look(line)
        for text in _lines(line.name, line.note, (left, place), plot.right - left, fill, bold):
            text.draw(drawing, halo=False)


def _look(line: Line) -> tuple[str, bool]:
    fills = {"validated": "accent", "test": "ink", "class": "ink", "training": "ink2"}
    return fills.get(line.role, "ink3"), line.role not in ("reference", "other", "ice")


def _lines(
    name: str,
    note: str,
    at: tuple[float, float],
    width: float,
    fill: str,
    bold: bool,
    anchor: Anchor = "start",
) -> list[_Text]:
    """Return the name and the note under it, each cut to a width."""
    full = clean(name)
    texts = [
        _Text(
            at,
            shorten_end(full, width, NAME_SIZE, bold=bold),
            NAME_SIZE,
            fill,
            bold=bold,
            anchor=anchor,
            full=full,
        )
    ]
    if note:
        full = clean(note)
        cut = shorten_end(full, width, NOTE_SIZE)
        below = at[0], at[1] + _LINE
        texts.append(_Text(below, cut, NOTE_SIZE, "ink2", anchor=anchor, full=full))
    return texts


def name_beside(
    name: str,
    x: FloatArray,
    y: FloatArray,
    drawing: Drawing,
    plot: Plot,
    occupied: Occupied,
    *,
    fill: str = "ink3",
    bold: bool = False,
) -> None:
    """Write a name close to a line where nothing is, as near to its end as can be."""
    size = NAME_SIZE if bold else NOTE_SIZE
    most = 0.6 * (plot.box.right - plot.box.left)
    text = shorten_end(name, most, size, bold=bold)
    within = Box(plot.box.left + 2, _top_of(plot), plot.right, plot.box.bottom - 2)
    place = occupied.best(_beside(text, x, y, size, fill, bold, name, plot), within)
    if place is not None:
        for each in place.texts:
            each.draw(drawing, halo=True)
        occupied.boxes += place.boxes


def _beside(
    text: str,
    x: FloatArray,
    y: FloatArray,
    size: float,
    fill: str,
    bold: bool,
    full: str,
    plot: Plot,
) -> Iterator[_Place]:
    along = np.linspace(1.0, 0.0, 41)
    index = np.arange(len(x)) / max(len(x) - 1, 1)
    xs, ys = np.interp(along, index, x), np.interp(along, index, y)
    width = measure(text, size, bold=bold)
    for distance in (7.0, 14.0, 24.0, 40.0):
        for px, py in zip(xs.tolist(), ys.tolist(), strict=True):
            left = min(px - width, plot.box.right - width - 2)
            for at in (
                (left, py - distance),
                (left, py + distance + 0.74 * size),
                (px + distance, py + 0.3 * size),
                (px - distance - width, py + 0.3 * size),
            ):
                yield _Place([_Text(at, text, size, fill, bold=bold, full=full)])


def name_mark(mark: Mark, drawing: Drawing, plot: Plot, occupied: Occupied) -> None:
    """Write the name of a mark on a leader into free space, and draw the leader."""
    if not mark.name:
        return
    centre = plot.x.at(mark.x), plot.y.at(mark.y)
    # A leader may cross the plot, but not its labels.
    place = occupied.best(_on_leaders(mark, centre, plot), _room_of(plot))
    if place is None or place.start is None or place.end is None:
        return
    width = 1.25 if mark.kind == "chosen" else 1.0
    colour = "ink" if mark.kind == "chosen" else "ink2"
    drawing.line(place.start, place.end, colour, width=width)
    for text in place.texts:
        text.draw(drawing, halo=True)
    occupied.boxes += place.boxes
    occupied.add_line(
        np.array([place.start[0], place.end[0]]), np.array([place.start[1], place.end[1]])
    )


def _top_of(plot: Plot) -> float:
    """Return how far up a label may reach: a little above the plot, within the picture."""
    return max(plot.box.top - 12, 2.0)


def _room_of(plot: Plot) -> Box:
    return Box(plot.box.left + 2, _top_of(plot), plot.box.right - 2, plot.box.bottom - 4)


def _on_leaders(mark: Mark, centre: tuple[float, float], plot: Plot) -> Iterator[_Place]:
    bold = mark.kind == "chosen"
    fill = "ink3" if mark.kind == "chance" else "ink"
    width = plot.box.right - plot.box.left
    first = 1 if bold else -1  # what was chosen is named below, what was not above
    lengths = np.arange(24.0, plot.box.bottom - plot.box.top, 6.0).tolist()
    for is_cut, length in [(is_cut, length) for is_cut in (False, True) for length in lengths]:
        for direction in (first, -first):
            start = centre[0], centre[1] + direction * 8
            end = centre[0], centre[1] + direction * length
            last = end[1] + (4 if direction < 0 else -2) - (_LINE if mark.note else 0)
            sides: tuple[Anchor, ...] = ("end", "start") if bold else ("start", "end")
            for anchor in sides:
                room = (
                    plot.box.right - centre[0] if anchor == "start" else centre[0] - plot.box.left
                )
                if is_cut and room < min(60.0, width / 3):
                    continue
                at = centre[0] + (6 if anchor == "start" else -6), last
                most = room - 10 if is_cut else width
                texts = _lines(mark.name, mark.note, at, most, fill, bold, anchor)
                yield _Place(texts, start, end)


@dataclass(frozen=True)
class LineTable:
    """A small table that names lines: a piece of each, its name, and its columns."""

    heads: tuple[str, ...]
    names: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    cells: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, chart: Chart) -> LineTable:
        """Return the table of the lines that have columns."""
        lines = [line for line in chart.lines if line.columns]
        return cls(
            tuple(clean(head) if head else "" for head in chart.heads),
            tuple(clean(line.name) for line in lines),
            tuple(chart.stroke_of(line) for line in lines),
            tuple(tuple(clean(cell) for cell in line.columns) for line in lines),
        )

    @property
    def _column_widths(self) -> list[float]:
        return [
            max(
                measure(head, NOTE_SIZE),
                max(measure(cell, NAME_SIZE) for cell in (row[i] for row in self.cells)),
            )
            for i, head in enumerate(self.heads)
        ]

    def draw(self, drawing: Drawing, plot: Plot, occupied: Occupied, bottom: float) -> float:
        """Draw the table where nothing is: in the plot, else beside it, else under it."""
        rest = sum(width + 12 for width in self._column_widths)
        widest = max(measure(name, NAME_SIZE, bold=True) for name in self.names)
        name_width = min(widest, plot.right - plot.box.left - _KEY - 8 - rest)
        width, height = _KEY + 8 + name_width + rest, _ROW * len(self.names) + 16
        corner = self._corner(width, height, plot, occupied, bottom)
        left, top = corner
        occupied.boxes.append(Box(left, top, left + width, top + height))
        self._write(drawing, corner, name_width)
        return top + height

    def _corner(
        self, width: float, height: float, plot: Plot, occupied: Occupied, bottom: float
    ) -> tuple[float, float]:
        box = plot.box
        for top in np.arange(box.bottom - 12 - height, box.top, -12).tolist():
            for left in np.arange(box.right - 8 - width, box.left + 8, -12).tolist():
                if occupied.is_free(Box(left, top, left + width, top + height)):
                    return left, top
        if box.right + 32 + width <= plot.right:
            return box.right + 32, box.top
        return box.left, bottom + 12

    def _write(self, drawing: Drawing, corner: tuple[float, float], name_width: float) -> None:
        left, baseline = corner[0], corner[1] + 10
        ends = left + _KEY + 8 + name_width + np.cumsum([w + 12 for w in self._column_widths])
        for head, end in zip(self.heads, ends.tolist(), strict=True):
            drawing.text((end, baseline), head, NOTE_SIZE, "ink3", anchor="end", halo=True)
        shown = shorten_labels(self.names, name_width, NAME_SIZE, bold=True)
        for i, (stroke, cells) in enumerate(zip(self.strokes, self.cells, strict=True)):
            baseline += _ROW
            ends_of_key = (left, baseline - 4), (left + _KEY, baseline - 4)
            drawing.line(*ends_of_key, stroke.colour, width=stroke.width, dash=stroke.dash)
            at = left + _KEY + 8, baseline
            full = self.names[i]
            drawing.text(at, shown[i], NAME_SIZE, "ink", bold=True, halo=True, title=full)
            for cell, end in zip(cells, ends.tolist(), strict=True):
                drawing.text((end, baseline), cell, NAME_SIZE, "ink2", anchor="end", halo=True)
