"""The small pictures of a table: a histogram per column, and the bar of the target."""

from __future__ import annotations

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.colours import MOST_CLASS_HUES, class_fill
from treewright.chart.svg import Drawing
from treewright.chart.words import percent
from treewright.reporting.page.markup import Markup
from treewright.reporting.page.style import without_style

WIDTH, HEIGHT = 120, 26
_GAP = 2.0


def histogram(
    bars: FloatArray,
    *,
    title: str,
    prefix: str,
    has_gaps: bool,
    rest: bool,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> Markup:
    """Return bars, stacked by class, the first class lowest.

    Parameters
    ----------
    bars
        Rows by bar and class.
    has_gaps
        Whether bars stand apart: texts do, numbers do not.
    rest
        Whether the last bar is of all other values.
    size
        Width and height.
    """
    drawing = Drawing("auto")
    wide, high = size
    n_bars, n_classes = bars.shape
    drawing.line((0, high - 0.5), (wide, high - 0.5), "axis")
    if n_bars:
        step = wide / n_bars if not has_gaps else min(wide / n_bars, 16.0)
        width = step - (_GAP if has_gaps else min(0.5, step / 4))
        hues = 1 < n_classes <= MOST_CLASS_HUES
        heights = bars if hues else bars.sum(axis=1, keepdims=True)
        top = heights.sum(axis=1).max() or 1.0
        tops = (high - 2) * np.cumsum(heights, axis=1) / top
        for i in range(n_bars):
            below = 0.0
            for k in range(heights.shape[1]):
                height = float(tops[i, k]) - below
                if height < 0.05:
                    continue
                token = class_fill(k, n_classes) if hues else "seq-3"
                if rest and i == n_bars - 1 and not hues:
                    token = "other"
                corner = (i * step, high - 1 - float(tops[i, k]))
                drawing.rectangle(corner, (width, height), token)
                below = float(tops[i, k])
    svg = drawing.finish(wide, high, title=title, description="", prefix=prefix)
    return Markup(without_style(svg))


def share_bar(
    shares: FloatArray, *, width: int, title: str, prefix: str, height: int = 18
) -> Markup:
    """Return one bar of shares that add up to 1, each at least as wide as can be seen."""
    drawing = Drawing("auto")
    shown = [(k, float(share)) for k, share in enumerate(shares) if share > 0]
    n_classes, gaps = len(shares), len(shown) - 1
    room = width - gaps
    widths = np.maximum(np.array([share for _, share in shown]) * room, 1.5)
    widths *= room / widths.sum()
    x = 0.0
    for i, ((k, share), wide) in enumerate(zip(shown, widths.tolist(), strict=True)):
        token = class_fill(k, n_classes)
        if n_classes > MOST_CLASS_HUES:
            token = ("seq-5", "seq-3", "seq-2")[i] if i < 3 else "rule"
        drawing.rectangle((x, 0), (wide, height), token, title=percent(share))
        x += wide + 1
    svg = drawing.finish(width, height, title=title, description="", prefix=prefix)
    return Markup(without_style(svg))
