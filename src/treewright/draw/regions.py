"""The regions of a tree in the plane of two columns: exact boxes, and the training rows in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.chart.axes import (
    TICK_SIZE,
    draw_x_axis,
    draw_y_axis,
    ticks_across,
    ticks_down,
)
from treewright.chart.colours import class_line, mixed
from treewright.chart.marks import Axis
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale, limits_of
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_middle
from treewright.chart.words import clean, percent
from treewright.data.read.rows import read_row
from treewright.draw.node_marks import draw_class_key, sketch_scale, strip_colour
from treewright.draw.sketch import Sketch, sketch_of
from treewright.draw.training_rows import TrainingRows, cuts_of
from treewright.draw.values import number_text
from treewright.errors import UnsupportedError
from treewright.tree.question import Categories, LinearCut, columns_of
from treewright.tree.routing import branch_taken, branches_followed

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

_MOST_DOTS = 1_000
"""Rows that are drawn; of more so many, evenly along the table."""

_HEIGHT = 380.0
_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@dataclass(frozen=True)
class Region:
    """A box in which all rows reach one leaf; an end that is not cut is infinite."""

    leaf: int
    left: float
    right: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class RegionsPicture(Picture):
    """Boxes in the plane of two columns, coloured by what the tree predicts in them.

    Parameters
    ----------
    sketch
        The tree.
    columns
        The two columns: across and upwards.
    regions
        The boxes.
    points
        The rows that are drawn: value of either column, and class or number.
    wrong
        Which of them the tree predicts wrongly.
    """

    sketch: Sketch
    columns: tuple[str, str]
    regions: tuple[Region, ...]
    points: FloatArray
    wrong: tuple[bool, ...]

    def numbers(self) -> Numbers:
        """Return a line per box: its ends, and what is predicted in it."""
        rows = [
            (
                self.sketch.label(each.leaf),
                *(number_text(end) for end in (each.left, each.right, each.low, each.high)),
            )
            for each in self.regions
        ]
        x, y = map(clean, self.columns)
        return Numbers(("predicted", f"{x} above", "up to", f"{y} above", "up to "), tuple(rows))

    def _draw(self, drawing: Drawing, area: Area) -> float:
        _, baseline = draw_class_key(drawing, self.sketch, (area.left, area.top), area.right)
        names = [shorten_middle(clean(name), area.width, TICK_SIZE) for name in self.columns]
        top = baseline + 24
        drawing.text((area.left, top), names[1], TICK_SIZE, "ink2", title=clean(self.columns[1]))
        x_ends, y_ends = self._limits()
        upward = Scale(*y_ends, top + 12 + _HEIGHT, top + 12)
        labels = ticks_down(upward, Axis())
        widest = max((measure(text, TICK_SIZE) for _, text in labels), default=0.0)
        plot = Box(area.left + widest + 12, top + 12, area.right, top + 12 + _HEIGHT)
        across = Scale(*x_ends, plot.left, plot.right)
        draw_y_axis(drawing, plot, labels, upward)
        for region in self.regions:
            self._draw_region(drawing, region, plot, across, upward)
        ticks = ticks_across(across, Axis(), within=(area.left, area.right))
        draw_x_axis(drawing, plot, ticks, across)
        self._draw_points(drawing, across, upward)
        half = measure(names[0], TICK_SIZE) / 2
        centre = max(area.left + half, min((plot.left + plot.right) / 2, area.right - half))
        at = centre, plot.bottom + 37
        title = clean(self.columns[0])
        drawing.text(at, names[0], TICK_SIZE, "ink2", anchor="middle", title=title)
        return plot.bottom + 41

    def _limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of both axes: all rows and all cuts are between them."""
        found = []
        for i, ends in enumerate((("left", "right"), ("low", "high"))):
            cuts = [getattr(each, end) for each in self.regions for end in ends]
            known = np.array([*self.points[:, i].tolist(), *cuts])
            known = known[np.isfinite(known)]
            found.append(limits_of(known, (None, None), log=False, padded=True))
        return found[0], found[1]

    def _draw_region(
        self, drawing: Drawing, region: Region, plot: Box, across: Scale, upward: Scale
    ) -> None:
        left, right = _place(across, region.left), _place(across, region.right)
        bottom, top = _place(upward, region.low), _place(upward, region.high)
        colour = strip_colour(self.sketch, region.leaf)
        fill = mixed(colour, 0.25 if self.sketch.class_names else 0.4)
        drawing.rectangle(
            (left, top),
            (max(right - left, 0.0), max(bottom - top, 0.0)),
            fill,
            stroke="paper",
            width=1.0,
            title=self.sketch.tooltip(region.leaf),
        )

    def _draw_points(self, drawing: Drawing, across: Scale, upward: Scale) -> None:
        pairs = zip(self.points.tolist(), self.wrong, strict=True)
        for (x, y, target), wrong in sorted(pairs, key=lambda pair: pair[1]):  # wrong ones on top
            if self.sketch.has_hues:
                colour = class_line(int(target))
            elif self.sketch.is_numeric:
                colour = sketch_scale(self.sketch).step(target)
            else:
                colour = "axis"
            # A number's dot may have the shade of the box that it lies in.
            stroke = "ink" if wrong else "axis" if self.sketch.is_numeric else "paper"
            width = 1.25 if wrong else 0.5
            at = across.at(x), upward.at(y)
            drawing.circle(at, 2.5, colour, stroke=stroke, width=width)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.convert import show_on_axes

        show_on_axes(self.svg(theme="light"), ax)


def _place(scale: Scale, value: float) -> float:
    if math.isfinite(value) and scale.low <= value <= scale.high:
        return scale.at(value)
    return scale.start if value < scale.low else scale.end


def draw_regions(tree: Tree, x: str, y: str, *, at: object = None) -> RegionsPicture:
    """Return the regions of a tree; see :meth:`treewright.tree.tree.Tree.draw_regions`."""
    index = tuple(_index(tree, name) for name in (x, y))
    row = None if at is None else _held(tree, at)
    regions, n_cuts = _regions(tree, (index[0], index[1]), (x, y), row)
    rows = TrainingRows.kept_by(tree)
    sketch = sketch_of(tree, rows)
    points, wrong, right_share = _points(tree, rows, index, {each.leaf for each in regions})
    told = [f"{x} and {y}: {len(regions)} boxes."]
    if sketch.is_numeric:
        told.append("Shade: the mean.")
    if len(points):
        told.append("Dots: training rows" + (", wrong ones ringed." if any(wrong) else "."))
    held = ""
    if row is not None:
        held = "Other columns are held at the values of the row given; rows that these lead "
        held += "elsewhere are left out."
    return RegionsPicture(
        title=_title(n_cuts, right_share, len(regions), is_part=row is not None),
        subtitle=" ".join(map(clean, told)),
        caption=held,
        sketch=sketch,
        columns=(x, y),
        regions=tuple(regions),
        points=points,
        wrong=tuple(wrong),
    )


def _title(n_cuts: int, right: float | None, n_regions: int, *, is_part: bool) -> str:
    many = (_NUMBERS[n_cuts] if n_cuts < len(_NUMBERS) else f"{n_cuts:,}").capitalize()
    cuts = f"{many} {'cut' if n_cuts == 1 else 'cuts'}"
    if right is None:
        return f"{cuts} make{'s' if n_cuts == 1 else ''} {n_regions:,} boxes"
    rows = "these rows" if is_part else "the rows"
    return f"{cuts} separate{'s' if n_cuts == 1 else ''} {percent(right)} of {rows}"


def _index(tree: Tree, name: str) -> int:
    index = tree.schema.index(name)
    spec = tree.schema.columns[index]
    if spec.storage not in ("float", "int"):
        raise UnsupportedError(
            f"Regions are drawn in the plane of two columns of numbers, but {name!r} is "
            f"{spec.kind if spec.storage == 'value' else spec.storage}.\n"
            "  Hint: tree.draw() draws every column."
        )
    return index


def _held(tree: Tree, at: object) -> Table:
    given = dict(at) if isinstance(at, Mapping) else at
    return read_row(given, tree.schema, optional=tree.schema.names, unseen=tree.unseen)


def _regions(
    tree: Tree, index: tuple[int, int], names: tuple[str, str], row: Table | None
) -> tuple[list[Region], int]:
    """Return the boxes of the leaves that are reached, and how many cuts make them."""
    found: list[Region] = []
    n_cuts = 0
    everything = (-math.inf, math.inf)
    pending = [(0, everything, everything)]
    while pending:
        node, across, upward = pending.pop()
        question = tree.question(node)
        if question is None:
            found.append(Region(node, *across, *upward))
            continue
        asked = columns_of(question)
        children = tree.children(node)
        if len(asked) == 1 and asked[0] in index and not isinstance(question, Categories):
            is_x = asked[0] == index[0]
            cuts = [float(cut) for cut in cuts_of(question)]
            n_cuts += len(cuts)
            for branch, (low, high) in enumerate(_between(cuts)):
                inner = across if is_x else upward
                part = max(inner[0], low), min(inner[1], high)
                if part[0] < part[1]:
                    placed = (part, upward) if is_x else (across, part)
                    pending.append((children[branch], *placed))
            continue
        if isinstance(question, LinearCut) and set(asked) & set(index):
            raise UnsupportedError(
                f"Node {node} asks a linear combination of columns: its regions are no boxes."
                "\n  Hint: tree.draw() draws such trees."
            )
        if row is None:
            raise UnsupportedError(
                f"Node {node} asks about {question.column.name!r}, which is neither {names[0]!r} "
                f"nor {names[1]!r}.\n  Hint: hold other columns at the values of a row, "
                "at={...}, or fit a tree on the two columns."
            )
        branch, _ = branch_taken(tree, node, question, lambda each: each.value_in(row))
        followed = branches_followed(tree, node, branch)
        largest = max(followed, key=lambda each: each[1])[0]
        pending.append((children[largest], across, upward))
    return found, n_cuts


def _between(cuts: list[float]) -> list[tuple[float, float]]:
    ends = [-math.inf, *cuts, math.inf]
    return list(pairwise(ends))


def _points(
    tree: Tree, rows: TrainingRows | None, index: tuple[int, ...], leaves: set[int]
) -> tuple[FloatArray, list[bool], float | None]:
    """Return the training rows in the regions, which are wrong, and the share that is right."""
    nothing: FloatArray = np.empty((0, 3))
    if rows is None or rows.target.ndim > 1:
        return nothing, [], None
    values = [rows.table.columns[i].astype(np.float64) for i in index]
    missing = rows.table.is_missing(index[0]) | rows.table.is_missing(index[1])
    reached = tree.plan.apply(rows.table)
    shown = np.flatnonzero(~missing & np.isin(reached, list(leaves)))
    if not len(shown):
        return nothing, [], None
    target = rows.target[shown].astype(np.float64)
    wrong = np.zeros(len(shown), dtype=bool)
    right: float | None = None
    if tree.classes is not None:
        predicted = tree.leaf.choose(tree.answers)[reached[shown]]
        wrong = predicted != target
        right = 1.0 - float(wrong.mean())
    points = np.column_stack([values[0][shown], values[1][shown], target])
    finite = np.isfinite(points).all(axis=1)
    points, wrong = points[finite], wrong[finite]
    places = np.linspace(0, len(points) - 1, min(len(points), _MOST_DOTS))
    chosen = np.unique(places.round().astype(int))
    return points[chosen], wrong[chosen].tolist(), right
