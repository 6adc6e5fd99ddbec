"""A critical-difference diagram on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.chart.marks import Axis
from treewright.chart.on_axes.frame import MOST_NAME, POINTS, paint, set_scale, text_style
from treewright.chart.widths import shorten_labels
from treewright.chart.words import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.ranks import RankChart


def plot_ranks(chart: RankChart, ax: Axes) -> None:
    """Draw ranks on one axis, names on leaders, and bars over what cannot be told apart."""
    order = chart.order()
    low, high = chart.limits()
    set_scale(ax, "x", Axis(), (low, high))
    ax.xaxis.tick_top()
    ax.spines["top"].set_visible(True)
    ax.spines["top"].set_color(paint("axis"))
    ax.set_yticks([])
    groups, half = chart.joined(), (len(order) + 1) // 2
    first = 0.45 * len(groups) + 1
    ax.set_ylim(first + max(half, 1) + 0.5, 0)
    for k, group in enumerate(groups):
        ends = [float(chart.ranks[group[0]]), float(chart.ranks[group[-1]])]
        y = 0.45 * (k + 1)
        ax.plot(ends, [y, y], color=paint("ink"), linewidth=4 * POINTS, zorder=2)
    cut = shorten_labels([chart.names[i] for i in order], MOST_NAME, 12.5)
    for k, (i, row) in enumerate(zip(order, chart.numbers().rows, strict=True)):
        is_left = k < half
        y = first + (k if is_left else len(order) - 1 - k)
        x, end = float(chart.ranks[i]), low if is_left else high
        ax.plot([x, x, end], [0, y, y], color=paint("ink2"), linewidth=POINTS, zorder=1)
        ax.annotate(
            f"{cut[k]}  {row[1]}" if is_left else f"{row[1]}  {cut[k]}",
            (end, y),
            xytext=(-6 if is_left else 6, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            annotation_clip=False,
            **text_style(12.5, "ink"),
        )
    if chart.critical_difference is not None and order:
        end = min(low + chart.critical_difference, high)
        y = first + max(half, 1)
        ax.plot([low, end], [y, y], color=paint("ink2"), linewidth=2 * POINTS, zorder=2)
        text = f"  critical difference {number(chart.critical_difference)}"
        ax.text(end, y, text, va="center", **text_style(12, "ink2"))
