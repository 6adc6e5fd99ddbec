"""A tree from left to right, one line for each leaf, its figures aligned like a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treewright.chart.widths import measure, shorten_apart, shorten_end, shorten_labels
from treewright.draw.cards import edge_colour, edge_width, value_before
from treewright.draw.node_marks import bar_parts, draw_bar, draw_spread, strip_colour

if TYPE_CHECKING:
    from treewright.chart.picture import Area
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch

MOST_LEAVES = 100
"""Ends of a tree that is drawn as a ledger."""

_LINE = 20.0
_BAR = 100.0
_LEAST_LABEL, _MOST_LABEL = 52.0, 96.0
_LEAST_SHARE = 38.0
_LEAST_LEVEL, _MOST_LEVEL = 64.0, 118.0
_STEM = 76.0
_SIZE = 11.0


@dataclass(frozen=True)
class _Table:
    """The figures of the ends, and how wide their columns are: no number is cut."""

    counts: list[str]
    shares: list[str]
    label_room: float
    count_right: float
    width: float

    @classmethod
    def of(cls, sketch: Sketch) -> _Table:
        counts = [sketch.count_text(node, unit=False) for node in sketch.ends]
        shares = [_share_text(sketch, node) for node in sketch.ends]
        head = "weight" if sketch.is_weighted else sketch.unit
        count = max([measure(text, 11.5) for text in counts] + [min(measure(head, _SIZE), 60.0)])
        if not sketch.has_rows:
            return cls(counts, shares, 246.0, 260.0, 260.0)
        share = max([measure(text, 11.5) for text in shares] + [_LEAST_SHARE])
        wanted = max(measure(sketch.headline(node), 11.5, bold=True) for node in sketch.ends)
        label = min(max(wanted, _LEAST_LABEL), _MOST_LABEL)
        right = 14 + label + 10 + count
        return cls(counts, shares, label, right, right + 10 + _BAR + 6 + share)


def _share_text(sketch: Sketch, node: int) -> str:
    share = sketch.share_text(node)
    if sketch.is_closed(node) and sketch.is_numeric and sketch.spreads is not None:
        return f"± {share.partition('± ')[2]}"
    return share


@dataclass(frozen=True, eq=False)
class Ledger:
    """The places of all nodes of a sketch, closed where levels would be too narrow."""

    sketch: Sketch
    width: float

    @cached_property
    def table(self) -> _Table:
        """The figures at the right."""
        return _Table.of(self.sketch)

    @cached_property
    def level_width(self) -> float:
        """The width of a level: of its lines, answers and columns."""
        room = self.width - self.table.width - 24 - _STEM
        return min(room / max(self.sketch.depth, 1), _MOST_LEVEL)

    @cached_property
    def heights(self) -> dict[int, float]:
        """Where the line of each node is: leaves 20 apart, parents amid their children."""
        sketch = self.sketch
        place = {node: _LINE * (i + 0.5) for i, node in enumerate(sketch.ends)}
        for node in reversed(sketch.shown):
            children = sketch.children[node]
            if children:
                place[node] = (place[children[0]] + place[children[-1]]) / 2
        return place

    def start(self, node: int) -> float:
        """Return where the line of a node begins."""
        level = self.sketch.levels[node]
        return 0.0 if level == 0 else _STEM + self.level_width * (level - 1)

    def end(self, node: int) -> float:
        """Return where the line of a node ends."""
        return _STEM + self.level_width * self.sketch.levels[node]


def ledger_of(sketch: Sketch, width: float) -> Ledger:
    """Return the ledger of a sketch, closed from the deepest level up until levels are wide."""
    fits = sketch.until(lambda each: Ledger(each, width).level_width >= _LEAST_LEVEL)
    return Ledger(fits, width)


def draw_ledger(drawing: Drawing, ledger: Ledger, area: Area) -> float:
    """Draw the table, the lines and their texts; return the lowest pixel taken."""
    sketch = ledger.sketch
    top = area.top + 18
    _draw_table(drawing, ledger, area, top)
    asked = sorted({sketch.asked(node) for node in sketch.shown if not sketch.is_leaf(node)})
    cut = shorten_apart(asked, ledger.level_width - 12, _SIZE, bold=True)
    names = dict(zip(asked, cut, strict=True))
    for is_strong in (False, True):
        for node in sketch.shown:
            _draw_lines(drawing, ledger, node, area, top, is_strong)
    for node in sketch.shown:
        _draw_texts(drawing, ledger, node, area, top, names)
    return top + _LINE * len(sketch.ends)


def _draw_lines(
    drawing: Drawing, ledger: Ledger, node: int, area: Area, top: float, is_strong: bool
) -> None:
    sketch = ledger.sketch
    path, children = sketch.path, sketch.children[node]
    left, right = area.left + ledger.start(node), area.left + ledger.end(node)
    if children and not is_strong:
        ends = [(right, top + ledger.heights[child]) for child in (children[0], children[-1])]
        drawing.line(ends[0], ends[1], "axis" if path is None else "edge")
    if (path is not None and node in path.share_of_node) != is_strong:
        return
    y = top + ledger.heights[node]
    colour = edge_colour(sketch, node)
    if is_strong and node:
        parent_y = top + ledger.heights[int(sketch.tree.arrays.parent[node])]
        drawing.line((left, parent_y), (left, y), colour, width=2.0)
    if not sketch.children[node]:
        drawing.line((right, y), (area.right - ledger.table.width - 8, y), "rule")
    width = edge_width(sketch, node, most=6.0)
    drawing.line((left, y), (right, y), colour, width=width)


def _draw_texts(
    drawing: Drawing, ledger: Ledger, node: int, area: Area, top: float, names: dict[str, str]
) -> None:
    """Write the answer above the line of a node, and below it the column it asks."""
    sketch = ledger.sketch
    y = top + ledger.heights[node]
    half = edge_width(sketch, node, most=6.0) / 2
    left, right = area.left + ledger.start(node), area.left + ledger.end(node)
    asks = bool(sketch.children[node])
    strong = sketch.path is not None and node in sketch.path.share_of_node
    with drawing.group(sketch.tooltip(node)):
        if asks:
            drawing.circle((right, y), 2.6, "paper", stroke="ink", width=1.25)
        room = (right if asks else area.right - ledger.table.width - 12) - left - 9
        if node:
            answer = sketch.answer(node)
            gap = " ?" if answer.takes_missing else ""
            if measure(answer.text + gap, _SIZE, bold=strong) > room and not answer.is_set:
                gap = ""  # rather than a number that is cut
            before = value_before(sketch, node)
            text = answer.fitted(room - measure(gap, _SIZE), _SIZE, bold=strong, before=before)
            text += gap
        else:
            text = sketch.count_text(0) or f"all {sketch.unit}"
            if measure(text, _SIZE) > room:
                text = shorten_end(sketch.count_text(0, unit=False) or text, room, _SIZE)
        drawing.text(
            (left + (5 if node else 0), y - 2.5 - half),
            text,
            _SIZE,
            "ink",
            bold=strong and node > 0,
        )
        if asks:
            full = sketch.asked(node)
            shown = names[full]
            if not node:  # the stem is narrower than the levels
                shown = shorten_end(shown, right - left - 6, _SIZE, bold=True)
            at = right - 6, y + 10.5 + half
            drawing.text(at, shown, _SIZE, "ink", bold=True, anchor="end", title=full)


def _draw_table(drawing: Drawing, ledger: Ledger, area: Area, top: float) -> None:
    """Write label, rows, bar and share of every leaf."""
    sketch, table = ledger.sketch, ledger.table
    left, right = area.right - table.width, area.right
    counts_end = left + table.count_right
    unit = "weight" if sketch.is_weighted else sketch.unit
    unit = shorten_end(unit, counts_end - left - 14 - measure("leaf", _SIZE), _SIZE)
    drawing.text((left, top - 8), "leaf", _SIZE, "ink3")
    if sketch.has_rows:
        head = "mean" if sketch.is_numeric else "share"
        drawing.text((counts_end, top - 8), unit, _SIZE, "ink3", anchor="end", title=sketch.unit)
        drawing.text((counts_end + 10, top - 8), head, _SIZE, "ink3")
    drawing.line((left, top - 3), (right, top - 3), "axis")
    labels = [sketch.label(node) if sketch.is_leaf(node) else "" for node in sketch.ends]
    room = table.label_room
    distinct = sorted(set(labels))
    cut = shorten_labels(distinct, room, 11.5, bold=True)
    short = dict(zip(distinct, cut, strict=True))

    def named(i: int, node: int) -> str:
        if not sketch.is_closed(node):
            return short[labels[i]]
        whole = sketch.headline(node)
        fits = measure(whole, 11.5, bold=True) <= room
        return whole if fits else shorten_end(whole.rpartition(" ")[0], room, 11.5, bold=True)

    for i, node in enumerate(sketch.ends):
        y = top + _LINE * i
        if i % 2 == 0:
            drawing.rectangle((left - 4, y), (right - left + 8, _LINE), "panel")
        drawing.rectangle((left, y + 5.5), (9, 9), strip_colour(sketch, node))
        drawing.text(
            (left + 14, y + 14), named(i, node), 11.5, "ink", bold=True, title=sketch.label(node)
        )
        drawing.text((counts_end, y + 14), table.counts[i], 11.5, "ink2", anchor="end")
        _draw_measure(drawing, sketch, node, counts_end + 10, y)
        drawing.text((right, y + 14), table.shares[i], 11.5, "ink2", anchor="end")


def _draw_measure(drawing: Drawing, sketch: Sketch, node: int, left: float, y: float) -> None:
    """Draw the bar of a leaf's classes, or where its mean lies."""
    if not sketch.has_rows:
        return
    if sketch.is_numeric:
        drawing.line((left, y + 10), (left + _BAR, y + 10), "rule")
        draw_spread(drawing, sketch, node, left, y + 10, _BAR)
    elif bar_parts(sketch, node):
        draw_bar(drawing, sketch, node, (left, y + 6), _BAR, height=8)
