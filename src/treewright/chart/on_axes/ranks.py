"""A critical-difference diagram on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.chart.marks import Axis
from treewright.chart.on_axes.frame import POINTS, paint, set_rows, set_scale, text_style
from treewright.chart.words import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.ranks import RankChart


def plot_ranks(chart: RankChart, ax: Axes) -> None:
    """Draw a line per learner, best on top, and bars over those that cannot be told apart."""
    order = chart.order()
    low, high = chart.limits()
    set_scale(ax, "x", Axis(), (low - 0.1, high + 0.1), most=9)
    texts = [row[1] for row in chart.numbers().rows]
    names = [f"{chart.names[i]}  {text}" for i, text in zip(order, texts, strict=True)]
    set_rows(ax, names, tokens=["ink"] * len(names))
    for k, i in enumerate(order):
        x = float(chart.ranks[i])
        ax.plot([low - 0.1, x], [k, k], color=paint("rule"), linewidth=POINTS, zorder=1)
        ax.plot([x], [k], marker="o", markersize=11 * POINTS, color=paint("ink"), zorder=3)
    place = {i: k for k, i in enumerate(order)}
    for group in chart.joined():
        ranks = [float(chart.ranks[i]) for i in group]
        # A bar that joins the dots of its learners, from the best to the worst.
        ends = [place[group[0]], place[group[-1]]]
        ax.plot([ranks[0], ranks[-1]], ends, color=paint("ink"), linewidth=4 * POINTS, zorder=2)
    if chart.critical_difference is not None and order:
        end = min(low + chart.critical_difference, high)
        y = len(order) - 0.25
        ax.set_ylim(len(order) + 0.25, -0.5)
        ax.plot([low, end], [y, y], color=paint("ink2"), linewidth=2 * POINTS, zorder=2)
        text = f" critical difference {number(chart.critical_difference)}"
        ax.text(end, y, text, va="center", **text_style(12, "ink2"))
