"""A tree from the top down, a card for each node: up to some 16 leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treewright.chart.widths import (
    measure,
    shorten_apart,
    shorten_end,
    shorten_labels,
    shorten_middle,
)
from treewright.draw.distributions import draw_distribution, is_on_log_scale
from treewright.draw.node_marks import (
    bar_parts,
    draw_bar,
    draw_spread,
    draw_target_histogram,
    has_target,
    strip_colour,
)
from treewright.draw.tidy import tidy

if TYPE_CHECKING:
    from treewright.chart.picture import Area
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch

MOST_LEAVES = 16
"""Ends of a tree that is drawn as cards."""

_LEAST_WIDTH, _MOST_WIDTH, _WITH_DISTRIBUTION = 128.0, 176.0, 184.0
_GAP, _LEVEL_GAP = 16.0, 56.0
_PADDING = 12.0
_CLOSED_HEIGHT = 7.0
"""Of the two lines under a card that stand for what is closed below it."""


@dataclass(frozen=True, eq=False)
class Cards:
    """The places of all cards of a sketch.

    Parameters
    ----------
    sketch
        What is drawn.
    width
        Of a card.
    distributions
        Whether inner nodes show the values that they ask about.
    """

    sketch: Sketch
    width: float
    distributions: bool = False

    @cached_property
    def centres(self) -> list[float]:
        """Where each card's middle is, the leftmost at half its width."""
        half = self.width / 2
        places = tidy(self.sketch.children, step=self.width + _GAP)
        return [place + half for place in places]

    @cached_property
    def total_width(self) -> float:
        """From the first card's left to the last one's right."""
        return max(self.centres[node] for node in self.sketch.shown) + self.width / 2

    @cached_property
    def tops(self) -> list[float]:
        """The top of the cards of each level, the root's at 0."""
        highest = [0.0] * (self.sketch.depth + 1)
        for node in self.sketch.shown:
            level = self.sketch.levels[node]
            extra = _CLOSED_HEIGHT if self.sketch.is_closed(node) else 0.0
            highest[level] = max(highest[level], self.height(node) + extra)
        tops = [0.0]
        for high in highest:
            tops.append(tops[-1] + high + _LEVEL_GAP)
        return tops

    @property
    def total_height(self) -> float:
        """From the top of the root to the lowest card's bottom."""
        return self.tops[-1] - _LEVEL_GAP

    def height(self, node: int) -> float:
        """Return how high the card of a node is."""
        sketch = self.sketch
        if not sketch.has_rows:
            return 36.0
        if self.shows_distribution(node):
            return 132.0
        if sketch.is_numeric:
            return 94.0 if has_target(sketch) else 72.0
        return 62.0 if sketch.shares else 48.0

    def shows_distribution(self, node: int) -> bool:
        """Return whether the values that a node asks about are drawn in it."""
        sketch = self.sketch
        has_any = self.distributions and sketch.rows is not None and bool(sketch.children[node])
        return has_any and (sketch.has_hues or sketch.is_numeric)


def cards_of(sketch: Sketch, *, distributions: bool = False, narrow: bool = False) -> Cards:
    """Return the cards of a sketch, as wide as their texts need; or as narrow as can be."""
    if distributions and sketch.rows is not None:
        return Cards(sketch, _WITH_DISTRIBUTION, distributions=True)
    if narrow:
        return Cards(sketch, _LEAST_WIDTH)
    need = 2 * _PADDING + max(
        max(measure(sketch.headline(node), 13, bold=True), _foot_width(sketch, node))
        for node in sketch.shown
    )
    edges = max((_edge_width(sketch, node) for node in sketch.shown[1:]), default=0.0)
    return Cards(sketch, min(max(need, edges, _LEAST_WIDTH), _MOST_WIDTH))


def _foot_width(sketch: Sketch, node: int) -> float:
    left, right = sketch.count_text(node), _right_text(sketch, node)
    return measure(left, 11.5) + 8 + measure(right, 11.5)


def _edge_width(sketch: Sketch, node: int) -> float:
    answer = sketch.answer(node)
    text = f"{answer.text} or missing" if answer.takes_missing else answer.text
    return measure(text, 12, bold=sketch.path is not None)


def _right_text(sketch: Sketch, node: int) -> str:
    share = sketch.share_text(node)
    if sketch.is_leaf(node) or not sketch.shares or not share:
        return share
    return f"{share} {sketch.class_names[sketch.main_classes[node]]}"


def draw_cards(drawing: Drawing, cards: Cards, area: Area) -> float:
    """Draw all edges, then all cards; return the lowest pixel taken."""
    sketch = cards.sketch
    left = area.left + max(0.0, (area.width - cards.total_width) / 2)
    if cards.total_width < 0.75 * area.width:  # a small tree under a long title: not in mid-air
        left = area.left
    names = _short_names(sketch, cards.width - 2 * _PADDING)
    for is_strong in (False, True):
        for node in sketch.shown:
            _draw_edges(drawing, cards, node, left, area.top, is_strong)
    for node in sketch.shown:
        corner = (
            left + cards.centres[node] - cards.width / 2,
            area.top + cards.tops[sketch.levels[node]],
        )
        if node:
            _draw_answer(drawing, cards, node, corner)
        with drawing.group(sketch.tooltip(node)):
            _draw_card(drawing, cards, node, corner, names)
    return area.top + cards.total_height


def _short_names(sketch: Sketch, width: float) -> dict[str, str]:
    """Return the columns asked and the classes, cut so that no two look alike."""
    asked = sorted({sketch.asked(node) for node in sketch.shown if not sketch.is_leaf(node)})
    cut = dict(zip(asked, shorten_apart(asked, width, 13, bold=True), strict=True))
    labels = sorted({sketch.label(node) for node in sketch.shown if sketch.is_leaf(node)})
    cut_labels = shorten_labels(labels, width - 2, 13, bold=True)
    return {f"label {full}": short for full, short in zip(labels, cut_labels, strict=True)} | {
        f"column {full}": short for full, short in cut.items()
    }


def _draw_edges(
    drawing: Drawing, cards: Cards, node: int, left: float, top: float, is_strong: bool
) -> None:
    """Draw the edges from a node to its children, side by side under its middle."""
    sketch = cards.sketch
    children = sketch.children[node]
    widths = [edge_width(sketch, child) for child in children]
    x = left + cards.centres[node] - (sum(widths) + 2 * (len(widths) - 1)) / 2
    level = sketch.levels[node]
    extra = 1.0 if _is_on_path(sketch, node) else 0.5
    y1 = top + cards.tops[level] + cards.height(node) + extra
    for child, width in zip(children, widths, strict=True):
        if _is_on_path(sketch, child) == is_strong:
            end = left + cards.centres[child], top + cards.tops[level + 1] - 24
            drawing.curve((x + width / 2, y1), end, edge_colour(sketch, child), width=width)
        x += width + 2


def _is_on_path(sketch: Sketch, node: int) -> bool:
    return sketch.path is not None and node in sketch.path.share_of_node


def edge_colour(sketch: Sketch, node: int) -> str:
    """Return the colour of the edge that leads to a node."""
    if sketch.path is None:
        return "axis"
    return "ink" if _is_on_path(sketch, node) else "edge"


def edge_width(sketch: Sketch, node: int, *, most: float = 8.0) -> float:
    """Return how wide the edge to a node is: its share of the rows, or of a divided row."""
    if _is_on_path(sketch, node):
        assert sketch.path is not None
        share = sketch.path.share_of_node[node]
        return max(2.0, most * (share if share < 1 else sketch.share_of_rows(node)))
    return max(1.25, most * sketch.share_of_rows(node))


def _draw_answer(drawing: Drawing, cards: Cards, node: int, corner: tuple[float, float]) -> None:
    """Write the answer that leads to a node, over the middle of its card."""
    sketch, answer = cards.sketch, cards.sketch.answer(node)
    bold = _is_on_path(sketch, node)
    before = value_before(sketch, node)
    baseline = corner[1] - 8
    aside = " or missing" if answer.takes_missing else ""
    text = answer.fitted(cards.width - measure(aside, 12), 12, bold=bold, before=before)
    if aside and text != answer.text and not text.endswith(answer.text):
        aside = " ?"
        text = answer.fitted(cards.width - measure(aside, 12), 12, bold=bold, before=before)
    width = measure(text, 12, bold=bold)
    x = corner[0] + (cards.width - width - measure(aside, 12)) / 2
    title = answer.full
    drawing.text((x, baseline), text, 12, "ink", bold=bold, title=title)
    drawing.text((x + width + measure(" ", 12), baseline), aside.strip(), 12, "ink3")


def value_before(sketch: Sketch, node: int) -> str:
    """Return the row's value to write before the answer to a node; nothing off its path."""
    if not _is_on_path(sketch, node):
        return ""
    assert sketch.path is not None
    answer = sketch.answer(node)
    value = sketch.path.value_of_node.get(int(sketch.tree.arrays.parent[node]), "")
    # Of a set it is one of the names; before a comparison it makes a true statement.
    return value if answer.lead in ("≤ ", "> ", "≠ ") else ""


def _draw_card(
    drawing: Drawing, cards: Cards, node: int, corner: tuple[float, float], names: dict[str, str]
) -> None:
    sketch, (x, y) = cards.sketch, corner
    width, height = cards.width, cards.height(node)
    is_end, strong = not sketch.children[node], _is_on_path(sketch, node)
    stroke = "ink" if strong else "panel-border" if is_end else "axis"
    line = 2.0 if strong else 1.0
    ground = "panel" if is_end else "paper"
    if sketch.is_closed(node):
        for i in (1, 2):
            bottom = y + height + 3 * i - 0.5
            drawing.line((x + 4 + 3 * i, bottom), (x + width - 4 - 3 * i, bottom), "axis")
    drawing.rectangle((x, y), (width, height), ground, stroke=stroke, width=line, radius=4)
    inner = x + _PADDING
    if is_end:
        rim = 1.0 if strong else 0.0  # the strip does not cover the border of the path
        drawing.rectangle(
            (x + rim, y + rim), (6, height - 2 * rim), strip_colour(sketch, node), radius=rim
        )
        inner = x + 14
    room = x + width - _PADDING - inner
    headline = sketch.headline(node)
    if sketch.is_closed(node):
        short = shorten_end(headline, room, 13, bold=True)
    else:
        kind = "label" if is_end else "column"
        short = names.get(f"{kind} {headline}") or shorten_middle(headline, room, 13, bold=True)
    drawing.text((inner, y + 20), short, 13, "ink", bold=True, title=headline)
    if cards.shows_distribution(node) and is_on_log_scale(sketch, node):
        at = inner + measure(short, 13, bold=True) + 8
        if at + measure("log scale", 11) <= inner + room:
            drawing.text((at, y + 20), "log scale", 11, "ink3")
    if not sketch.has_rows:
        return
    if cards.shows_distribution(node):
        draw_distribution(drawing, sketch, node, (inner, y + 27), room)
    elif sketch.is_numeric:
        high = height - 62
        draw_target_histogram(drawing, sketch, node, (inner, y + 31), (room, high))
        draw_spread(drawing, sketch, node, inner, y + 35 + high, room)
    elif sketch.shares and bar_parts(sketch, node):
        draw_bar(drawing, sketch, node, (inner, y + 28), room)
    _draw_foot(drawing, sketch, node, inner, inner + room, y + height - 10)


def _draw_foot(
    drawing: Drawing, sketch: Sketch, node: int, left: float, right: float, y: float
) -> None:
    """Write the rows at the left and the main share at the right, at least 8 apart."""
    begun, ended = fitted_pair(sketch, node, right - left)
    drawing.text((left, y), begun, 11.5, "ink2", title=sketch.count_text(node))
    drawing.text((right, y), ended, 11.5, "ink2", anchor="end", title=_right_text(sketch, node))


def fitted_pair(sketch: Sketch, node: int, width: float) -> tuple[str, str]:
    """Return the texts at the foot of a card: the unit goes first, then the class."""
    full, right = sketch.count_text(node), _right_text(sketch, node)
    short, share = sketch.count_text(node, unit=False), sketch.share_text(node)
    for left in (full, short):
        if measure(left, 11.5) + 8 + measure(right, 11.5) <= width:
            return left, right
    room = width - 8 - measure(short, 11.5)
    if sketch.shares and room - measure(f"{share} ", 11.5) >= 24:
        name = right.removeprefix(f"{share} ")
        cut = shorten_end(name, room - measure(f"{share} ", 11.5), 11.5)
        return short, f"{share} {cut}"
    if measure(share, 11.5) <= room:
        left = full if measure(full, 11.5) + 8 + measure(share, 11.5) <= width else short
        return left, share
    return shorten_end(short, width, 11.5), ""
