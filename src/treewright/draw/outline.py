"""A tree as indented lines, for narrow columns: condition, bar, rows, and the answers of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.chart.widths import measure, shorten_end, shorten_middle
from treewright.draw.node_marks import bar_parts, draw_bar, draw_spread, strip_colour

if TYPE_CHECKING:
    from treewright.chart.picture import Area
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch

MOST_LEAVES = 40
"""Ends of a tree that is written as an outline; of larger ones the largest are."""

_INDENT = 11.0
_INNER, _LEAF = 20.0, 33.0
_BAR = 72.0
_SIZE = 11.5
_LEAST_TEXT = 130.0


def draw_outline(drawing: Drawing, sketch: Sketch, area: Area) -> float:
    """Write every node on a line of its own; return the lowest pixel taken."""
    counts = {node: sketch.count_text(node, unit=False) for node in sketch.shown}
    count_width = max(measure(text, 11) for text in counts.values())
    has_bar = sketch.has_rows and (bool(sketch.shares) or sketch.is_numeric)
    bar_left = area.right - count_width - 8 - (_BAR if has_bar else 0)
    deepest = max(sketch.depth, 1)
    indent = min(_INDENT, max(1.5, (bar_left - area.left - _LEAST_TEXT) / deepest))
    y = area.top
    drawing.line((area.left, y), (area.right, y), "rule")
    for node in sketch.shown:
        is_end = not sketch.children[node]
        height = _LEAF if is_end else _INNER
        x = area.left + min(indent * sketch.levels[node], bar_left - area.left - 100)
        with drawing.group(sketch.tooltip(node)):
            if is_end:
                drawing.rectangle((x, y + 0.5), (area.right - x, height - 1), "panel")
                drawing.rectangle((x, y + 0.5), (3, height - 1), strip_colour(sketch, node))
            _draw_words(drawing, sketch, node, x + (7 if is_end else 0), y, bar_left - 8)
            if has_bar and sketch.is_numeric:
                draw_spread(drawing, sketch, node, bar_left, y + 9, _BAR)
            elif has_bar and bar_parts(sketch, node):
                draw_bar(drawing, sketch, node, (bar_left, y + 6), _BAR, height=8)
            drawing.text((area.right - 3, y + 14), counts[node], 11, "ink2", anchor="end")
        y += height
    drawing.line((area.left, y), (area.right, y), "rule")
    return y


def _draw_words(
    drawing: Drawing, sketch: Sketch, node: int, left: float, y: float, right: float
) -> None:
    """Write the condition of a node, the column bold, and what a leaf predicts."""
    strong = sketch.path is not None and node in sketch.path.share_of_node
    if node:
        answer = sketch.answer(node)
        column = sketch.asked(int(sketch.tree.arrays.parent[node]))
        gap = " ?" if answer.takes_missing else ""
        lead = "" if answer.lead else "= "
        short = shorten_middle(column, 0.6 * (right - left), _SIZE, bold=True)
        drawing.text((left, y + 14), short, _SIZE, "ink", bold=True, title=column)
        at = left + measure(f"{short} ", _SIZE, bold=True)
        room = right - at - measure(lead + gap, _SIZE)
        if answer.is_set or answer.lead:
            text = f"{lead}{answer.fitted(room, _SIZE, bold=strong)}{gap}"
        else:
            text = answer.fitted(room, _SIZE, bold=strong)
        drawing.text((at, y + 14), text, _SIZE, "ink", bold=strong, title=answer.full)
    else:
        drawing.text((left, y + 14), f"all {sketch.unit}", _SIZE, "ink", bold=True)
    if not sketch.children[node]:
        arrow = "→ " if sketch.is_leaf(node) else ""
        told = f"{arrow}{sketch.headline(node)}"
        share = sketch.share_text(node)
        room = right - left - measure(f" {share}", 11)
        told = shorten_end(told, room, 11, bold=True)
        drawing.text((left, y + 27), told, 11, "ink", bold=True, title=sketch.label(node))
        at = left + measure(f"{told} ", 11, bold=True)
        drawing.text((at, y + 27), share, 11, "ink2")
