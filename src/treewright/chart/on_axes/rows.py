"""Charts with one line per thing on matplotlib axes: dots with intervals, and stacked bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.bars import PART_COLOURS
from treewright.chart.on_axes.frame import POINTS, paint, set_rows, set_scale, text_style
from treewright.chart.words import clean, clean_sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.bars import StackedBars
    from treewright.chart.dots import DotChart, DotRow

_COLUMN = 0.16
"""Width of a column of texts at the right, as a share of the plot."""


def plot_dots(chart: DotChart, ax: Axes) -> None:
    """Draw a dot, its interval and its small dots for each line, and texts at the right."""
    set_scale(ax, "x", chart.x, chart.limits())
    tokens = ["ink3" if row.hollow else "ink" for row in chart.rows]
    set_rows(ax, [clean(row.name) for row in chart.rows], tokens=tokens)
    for label, row in zip(ax.get_yticklabels(), chart.rows, strict=True):
        label.set_fontweight("bold" if row.strong else "normal")
    for i, row in enumerate(chart.rows):
        _plot_row(chart, row, ax, i)
    for k, head in enumerate(chart.heads):
        _write_columns(ax, k, clean_sentence(head), chart.rows)


def _plot_row(chart: DotChart, row: DotRow, ax: Axes, i: int) -> None:
    token = "ink3" if row.hollow else "accent" if row.strong or chart.stems else "ink"
    width = 2 * POINTS
    small = [value for value in row.small if chart.shows(value)]
    below = np.full(len(small), i + 0.25)
    ax.scatter(small, below, s=(4 * POINTS) ** 2, c=[paint("axis")], zorder=2)
    if not chart.shows(row.value):
        return
    if chart.stems and not row.hollow:
        ax.plot([0.0, row.value], [i, i], color=paint(token), linewidth=width, zorder=2)
    if row.interval is not None and all(map(chart.shows, row.interval)):
        ends = np.abs(np.array(row.interval) - row.value).reshape(2, 1)
        bar = paint("ink" if chart.stems and not row.hollow else token)
        ax.errorbar(
            [row.value],
            [i],
            xerr=ends,
            fmt="none",
            ecolor=bar,
            elinewidth=width,
            capsize=4 * POINTS,
            capthick=width,
            zorder=2.5,
        )
    ax.plot(
        [row.value],
        [i],
        marker="o",
        markersize=(8 if row.hollow else 11) * POINTS,
        markerfacecolor=paint("paper" if row.hollow else token),
        markeredgecolor=paint(token if row.hollow else "paper"),
        markeredgewidth=1.5 * POINTS,
        zorder=3,
    )


def _write_columns(ax: Axes, k: int, head: str, rows: Sequence[DotRow]) -> None:
    right = 1.02 + _COLUMN * (k + 1)
    transform = ax.get_yaxis_transform()
    ax.annotate(
        head,
        (right, 1.0),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        annotation_clip=False,
        **text_style(11.5, "ink2"),
    )
    for i, row in enumerate(rows):
        if row.columns:
            token = "ink3" if row.hollow else "ink"
            style = text_style(12, token, bold=row.strong_columns)
            text = clean_sentence(row.columns[k])
            ax.text(right, i, text, transform=transform, ha="right", va="center", **style)


def plot_bars(chart: StackedBars, ax: Axes) -> None:
    """Draw the parts of each bar one after the other, with the total at the end."""
    set_scale(ax, "x", chart.x, chart.limits())
    set_rows(ax, [clean(row.name) for row in chart.rows], tokens=["ink"] * len(chart.rows))
    lengths = np.array([chart.known(row) for row in chart.rows]).reshape(-1, len(chart.parts))
    places = np.arange(len(lengths))
    start = np.zeros(len(lengths))
    for part, token, values in zip(chart.parts, PART_COLOURS, lengths.T, strict=False):
        ax.barh(
            places,
            values,
            left=start,
            height=0.62,
            color=paint(token),
            edgecolor=paint("paper"),
            linewidth=POINTS,
            label=part,
            zorder=2,
        )
        start = start + values
    for i, row in enumerate(chart.numbers().rows):
        style = text_style(12.5, "ink", bold=True)
        at = (float(start[i]), i)
        ax.annotate(row[-1], at, xytext=(5, 0), textcoords="offset points", va="center", **style)
    legend = ax.legend(
        frameon=False,
        ncols=len(chart.parts),
        loc="upper left",
        bbox_to_anchor=(0, 0),
        labelcolor=paint("ink"),
    )
    for text in legend.get_texts():
        text.set(fontsize=12.5 * POINTS, parse_math=False)
