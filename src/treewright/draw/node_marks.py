"""What every layout draws of a node: the bar of its classes, its place on the scale, the key."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.colours import class_fill, mixed, shade
from treewright.chart.widths import measure, shorten_end, shorten_labels
from treewright.chart.words import count

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.chart.svg import Drawing
    from treewright.draw.sketch import Sketch

_LEAST_PART = 1.5
"""The least width of a part of a bar, so that a rare class is seen."""

_LARGEST = ("seq-5", "seq-3", "seq-2")
"""Colours of the three largest classes of a node where classes have no hues of their own."""

_N_BINS = 30
_KEY_GAP = 18.0


def bar_parts(sketch: Sketch, node: int) -> list[tuple[str, float]]:
    """Return the parts of a node's bar: a colour and a share each."""
    shares = sketch.shares[node] if sketch.shares else []
    if sketch.has_hues:
        n_classes = len(shares)
        return [(class_fill(k, n_classes), share) for k, share in enumerate(shares) if share > 0]
    largest = sorted(shares, reverse=True)[: len(_LARGEST)]
    parts = [(token, share) for token, share in zip(_LARGEST, largest, strict=False) if share > 0]
    rest = 1.0 - sum(share for _, share in parts)
    return [*parts, ("rule", rest)] if parts and rest > 1e-9 else parts


def draw_bar(
    drawing: Drawing,
    sketch: Sketch,
    node: int,
    corner: tuple[float, float],
    width: float,
    *,
    height: float = 9.0,
) -> None:
    """Draw the shares of the classes side by side, 1 apart, in the order of the classes."""
    draw_parts(drawing, bar_parts(sketch, node), corner, width, height)


def draw_parts(
    drawing: Drawing,
    parts: Sequence[tuple[str, float]],
    corner: tuple[float, float],
    width: float,
    height: float,
) -> None:
    """Draw shares of a whole side by side, each at least 1.5 wide, scaled to fit."""
    x, y = corner
    for (token, _), part in zip(
        parts, part_widths([share for _, share in parts], width), strict=True
    ):
        drawing.rectangle((x, y), (part, height), token)
        x += part + 1


def part_widths(shares: Sequence[float], width: float) -> list[float]:
    """Return how wide the parts of a bar are.

    >>> [round(part, 1) for part in part_widths([0.001, 0.25, 0.749], 102)]
    [1.5, 24.6, 73.9]
    """
    room = width - (len(shares) - 1)
    is_small = [share * room < _LEAST_PART for share in shares]
    left = room - _LEAST_PART * sum(is_small)
    large = sum(share for share, small in zip(shares, is_small, strict=True) if not small)
    if left <= 0 or large <= 0:
        return [max(room, 0.0) / len(shares)] * len(shares)
    pairs = zip(shares, is_small, strict=True)
    return [_LEAST_PART if small else share / large * left for share, small in pairs]


def strip_colour(sketch: Sketch, node: int) -> str:
    """Return the colour that says what a node predicts, at the left of a leaf."""
    if sketch.is_numeric:
        return sketch_scale(sketch).step(sketch.means[node])
    if sketch.has_hues:
        return class_fill(sketch.main_classes[node], len(sketch.class_names))
    if sketch.shares:
        return shade(sketch.main_share(node))
    return "axis"


def cell_colour(sketch: Sketch, node: int) -> str:
    """Return the colour of an icicle's cell: the main class, paler the more mixed the node is."""
    if not sketch.has_hues or not sketch.shares:
        return strip_colour(sketch, node)
    chance = 1 / len(sketch.class_names) if len(sketch.class_names) > 1 else 0.0
    purity = (sketch.main_share(node) - chance) / (1 - chance)
    return mixed(strip_colour(sketch, node), 0.15 + 0.85 * max(purity, 0.0))


@dataclass(frozen=True)
class TargetScale:
    """The one scale of a predicted number in all nodes, with round ends."""

    low: float
    high: float
    mean_low: float
    mean_high: float

    def at(self, value: float, left: float, width: float) -> float:
        """Return where a number lies between two places."""
        share = (value - self.low) / (self.high - self.low)
        return left + width * min(max(share, 0.0), 1.0)

    def step(self, mean: float) -> str:
        """Return the colour of a mean: six steps from the lowest to the highest of a leaf."""
        spread = self.mean_high - self.mean_low
        share = (mean - self.mean_low) / spread if spread > 0 else 0.5
        return f"seq-{1 + min(int(6 * min(max(share, 0.0), 1.0)), 5)}"


def sketch_scale(sketch: Sketch) -> TargetScale:
    """Return the scale of a sketch of numbers; made once."""
    kept = sketch.__dict__.get("_scale")
    if kept is None:
        kept = sketch.__dict__["_scale"] = _made_scale(sketch)
    assert isinstance(kept, TargetScale)
    return kept


def _made_scale(sketch: Sketch) -> TargetScale:
    means = np.array(sketch.means)
    leaves = sketch.tree.arrays.n_branches == 0
    known: FloatArray = means
    if has_target(sketch):
        assert sketch.rows is not None
        known = np.append(sketch.rows.target.astype(np.float64), means)
    elif sketch.spreads is not None:
        spread = np.array(sketch.spreads)
        known = np.concatenate([means - spread, means + spread])
    known = known[np.isfinite(known)]
    at_leaves = means[leaves & np.isfinite(means)]
    ends = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    seen = (at_leaves.min(), at_leaves.max()) if len(at_leaves) else (0.0, 0.0)
    return TargetScale(*_round_ends(float(ends[0]), float(ends[1])), float(seen[0]), float(seen[1]))


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return round numbers around a range.

    >>> _round_ends(9.0, 46.6)
    (5.0, 50.0)
    """
    if not high > low:
        room = abs(low) * 0.1 or 1.0
        low, high = low - room, high + room
    size = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(m * size for m in (1, 2, 5, 10) if m * size >= (high - low) / 9.99)
    ends = math.floor(low / step) * step, math.ceil(high / step) * step
    return ends if ends[1] > ends[0] and all(map(math.isfinite, ends)) else (low, high)


def has_target(sketch: Sketch) -> bool:
    """Return whether the target of the training rows is known, and is one number."""
    return sketch.rows is not None and sketch.rows.target.ndim == 1


def draw_spread(
    drawing: Drawing, sketch: Sketch, node: int, left: float, y: float, width: float
) -> None:
    """Draw the mean of a node as a triangle under an axis, with a line of one sd on either side."""
    scale, mean = sketch_scale(sketch), sketch.means[node]
    if not math.isfinite(mean):
        return
    x = scale.at(mean, left, width)
    if sketch.spreads is not None and math.isfinite(sketch.spreads[node]):
        ends = [scale.at(mean + side * sketch.spreads[node], left, width) for side in (-1, 1)]
        drawing.line((ends[0], y), (ends[1], y), "ink", width=2)
    drawing.area([(x - 4.5, y + 6.5), (x + 4.5, y + 6.5), (x, y - 1)], "ink")


def draw_target_histogram(
    drawing: Drawing,
    sketch: Sketch,
    node: int,
    corner: tuple[float, float],
    size: tuple[float, float],
) -> None:
    """Draw how the target of a node's rows is distributed, on the scale of all nodes."""
    (left, top), (width, height) = corner, size
    bottom = top + height
    if has_target(sketch):
        assert sketch.rows is not None
        scale = sketch_scale(sketch)
        rows = sketch.rows.at(node)
        numbers = sketch.rows.target[rows].astype(np.float64)
        weights = None if sketch.rows.weight is None else sketch.rows.weight[rows]
        bins, _ = np.histogram(numbers, _N_BINS, (scale.low, scale.high), weights=weights)
        pitch, highest = width / _N_BINS, float(bins.max(initial=0.0))
        for i, amount in enumerate(bins.tolist()):
            if amount > 0:
                high = max(height * amount / highest, 1.0)
                at = left + i * pitch, bottom - high
                drawing.rectangle(at, (pitch - 0.8, high), "seq-3")
    drawing.line((left, bottom), (left + width, bottom), "axis")


def draw_class_key(
    drawing: Drawing, sketch: Sketch, corner: tuple[float, float], right: float
) -> tuple[float, float]:
    """Write the classes with their colours and counts; return where the last line ends.

    Models of more classes than there are hues have no key.
    """
    left, baseline = corner
    if not sketch.has_hues:
        return left, baseline - 24
    x = left
    names = shorten_labels(sketch.class_names, min(right - left - 90, 320), 12, bold=True)
    for k, name in enumerate(names):
        amount = "" if sketch.counts is None else count(float(sketch.counts[0, k]))
        name = shorten_end(name, right - left - 24 - measure(amount, 12), 12, bold=True)
        name_width = measure(name, 12, bold=True)
        width = 15 + name_width + (5 + measure(amount, 12) if amount else 0)
        if x > left and x + width > right:
            x, baseline = left, baseline + 19
        drawing.rectangle((x, baseline - 9), (10, 10), class_fill(k, len(names)))
        full = sketch.class_names[k]
        drawing.text((x + 15, baseline), name, 12, "ink", bold=True, title=full)
        drawing.text((x + 15 + name_width + 5, baseline), amount, 12, "ink2")
        x += width + _KEY_GAP
    return x, baseline
