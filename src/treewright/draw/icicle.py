"""A large tree as an icicle: a row of cells per level, as wide as the share of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.colours import mixed
from treewright.chart.widths import measure
from treewright.chart.words import NARROW_SPACE, percent
from treewright.draw.node_marks import cell_colour, sketch_scale, strip_colour

if TYPE_CHECKING:
    from treewright.chart.picture import Area
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch

LEDGER_LEAVES = 24
"""Ends of the ledger beneath an icicle."""

_LINE = 24.0
_LEAST_CELL = 0.35
_MOST_LEVELS = 40
_SIZE = 11.0
_FEW_ROWS = 10


def draw_icicle(
    drawing: Drawing, sketch: Sketch, area: Area, *, line: float = _LINE, small: bool = False
) -> float:
    """Draw the cells and the axis below them; return the lowest pixel taken.

    Parameters
    ----------
    drawing, sketch, area
        Where, and what.
    line
        Height of a level.
    small
        Without texts, axis and sentence: one of several.
    """
    lowest = area.top + line
    for node, level, left, width in _cells(sketch, area.left, area.width):
        y = area.top + line * level
        colour = cell_colour(sketch, node)
        on_path = sketch.path is not None and node in sketch.path.share_of_node
        title = "" if small or width < 1 else sketch.tooltip(node)
        drawing.rectangle(
            (left, y),
            (max(width - (0.8 if width > 2.5 else 0), _LEAST_CELL), line - 1),
            colour,
            stroke="ink" if on_path else "",
            width=1.5 if on_path else 0.0,
            title=title,
        )
        lowest = max(lowest, y + line)
        text = "" if small else _cell_text(sketch, node, width - 8)
        drawing.text((left + 4, y + 15.5), text, _SIZE, f"on-{colour}")
    if small:
        return lowest
    return _draw_axis(drawing, sketch, area, lowest + 20)


def _cells(sketch: Sketch, left: float, width: float) -> Iterator[tuple[int, int, float, float]]:
    """Yield each cell that is wide enough to be seen: node, level, left and width."""
    amounts = sketch.amounts
    pending = [(0, 0, left, width)]
    while pending:
        node, level, x, wide = pending.pop()
        yield node, level, x, wide
        if level + 1 >= _MOST_LEVELS:
            continue
        children = sketch.children[node]
        total = sum(amounts[child] for child in children)
        for child in children:
            part = wide * amounts[child] / total if total > 0 else wide / len(children)
            if part >= _LEAST_CELL:
                pending.append((child, level + 1, x, part))
            x += part


def _cell_text(sketch: Sketch, node: int, width: float) -> str:
    """Return the whole condition of a cell where it fits, else its column, else nothing."""
    if width < 12:
        return ""
    if not node:
        text = sketch.count_text(0) or f"all {sketch.unit}"
        return text if measure(text, _SIZE) <= width else ""
    column = sketch.asked(int(sketch.tree.arrays.parent[node]))
    answer = sketch.answer(node)
    lead = f"{column} " if answer.lead or not answer.is_set else f"{column} = "
    room = width - measure(lead, _SIZE)
    if room >= 30:
        fitted = answer.fitted(room, _SIZE)
        if "…" not in fitted:
            return f"{lead}{fitted}"
    short = f"{column}…"
    return short if measure(short, _SIZE) <= width else ""


def _draw_axis(drawing: Drawing, sketch: Sketch, area: Area, y: float) -> float:
    drawing.line((area.left, y), (area.right, y), "axis")
    shares = (0.0, 0.25, 0.5, 0.75, 1.0) if area.width > 420 else (0.0, 0.5, 1.0)
    for share in shares:
        x = area.left + share * area.width
        drawing.line((x, y), (x, y + 5), "axis")
        of = f" of the {sketch.unit if sketch.has_rows else 'leaves'}" if share == 0 else ""
        text = f"{percent(share)}{of}"
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        drawing.text((x, y + 18), text, _SIZE, "ink2", anchor=anchor)  # type: ignore[arg-type]
    sentence = where_rows_are(sketch)
    if sentence:
        drawing.text((area.left, y + 44), sentence, 12.5, "ink")
        return y + 48
    return y + 22


def draw_shade_key(drawing: Drawing, sketch: Sketch, left: float, right: float, y: float) -> None:
    """Say what pale and full cells mean, where there is room beside the key of the classes."""
    if sketch.has_hues:
        colours = [strip_colour(sketch, node) for node in _an_end_of_each_class(sketch)[:2]]
        steps = [[mixed(colour, (i + 1) / 6) for i in range(6)] for colour in colours]
        low, high = "pale: mixed", "full: one class only"
    else:
        steps = [[f"seq-{i}" for i in range(0 if sketch.shares else 1, 7)]]
        low, high = _shade_ends(sketch)
    width = measure(f"{low}{high}", 12) + 14 * len(steps[0] if steps else []) + 16
    if not low or right - left < width:
        return
    drawing.text((left, y), low, 12, "ink2")
    x, height = left + measure(low, 12) + 8, 10 / len(steps) if steps else 0.0
    for row, tokens in enumerate(steps):
        for i, token in enumerate(tokens):
            drawing.rectangle((x + 14 * i, y - 9 + height * row), (13, height - 1), token)
    drawing.text((x + 14 * len(steps[0]) + 6, y), high, 12, "ink2")


def _shade_ends(sketch: Sketch) -> tuple[str, str]:
    """Return what the palest and the fullest shade stand for; nothing where there are none."""
    if sketch.is_numeric:
        scale = sketch_scale(sketch)
        low, high = map(sketch.measure_text, (scale.mean_low, scale.mean_high))
        return (f"mean {low}", high) if scale.mean_high > scale.mean_low else ("", "")
    return ("share of the main class 0", f"100{NARROW_SPACE}%") if sketch.shares else ("", "")


def _an_end_of_each_class(sketch: Sketch) -> list[int]:
    found: dict[int, int] = {}
    for node in sketch.shown:
        found.setdefault(sketch.main_classes[node], node)
    return [found[k] for k in sorted(found)]


def where_rows_are(sketch: Sketch) -> str:
    """Return a sentence on where the rows are; nothing for a tree without rows."""
    if not sketch.has_rows:
        return ""
    arrays = sketch.tree.arrays
    at_leaves = np.sort(np.array(sketch.amounts)[arrays.n_branches == 0])[::-1]
    total, n_leaves = float(at_leaves.sum()), len(at_leaves)
    if total <= 0 or n_leaves <= 10:
        return ""
    largest = percent(float(at_leaves[:10].sum()) / total)
    few = at_leaves <= _FEW_ROWS
    held = percent(float(at_leaves[few].sum()) / total, decimals=1)
    unit = "weight" if sketch.is_weighted else sketch.unit
    said = f"The 10 largest leaves hold {largest} of the {unit}"
    if sketch.is_weighted or not few.any():
        return f"{said}."
    of = f"{int(few.sum()):,} of {n_leaves:,} leaves have {_FEW_ROWS} {sketch.unit} or fewer"
    return f"{said}; {of} and hold {held}."
