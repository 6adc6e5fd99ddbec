"""Charts with one line per thing on matplotlib axes: dots with intervals, and stacked bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.bars import PART_COLOURS
from treewright.chart.on_axes.frame import (
    MOST_NAME,
    POINTS,
    key_below,
    paint,
    set_rows,
    set_scale,
    text_style,
)
from treewright.chart.widths import measure, shorten_end
from treewright.chart.words import clean, clean_sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.bars import StackedBars
    from treewright.chart.dots import DotChart, DotRow

_ROOM = 1.15
"""matplotlib's own font, which stands in where none of ours is installed, is so much wider."""


def plot_dots(chart: DotChart, ax: Axes) -> None:
    """Draw a dot, its interval and its small dots for each line, and texts at the right."""
    set_scale(ax, "x", chart.x, chart.limits())
    tokens = ["ink3" if row.hollow else "ink" for row in chart.rows]
    set_rows(ax, [clean(row.name) for row in chart.rows], tokens=tokens)
    for label, row in zip(ax.get_yticklabels(), chart.rows, strict=True):
        label.set_fontweight("bold" if row.strong else "normal")
    for i, row in enumerate(chart.rows):
        _plot_row(chart, row, ax, i)
    right = 8.0
    for k, head in enumerate(chart.heads):
        right += _ROOM * POINTS * _width(chart, k) + 10
        _write_column(ax, k, right, _cell(head), chart.rows)


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


def _width(chart: DotChart, k: int) -> float:
    cells = [_cell(row.columns[k]) for row in chart.rows if row.columns]
    widest = max((measure(cell, 12, bold=True) for cell in cells), default=0.0)
    return max(widest, measure(_cell(chart.heads[k]), 11.5))


def _cell(text: str) -> str:
    return shorten_end(clean_sentence(text), MOST_NAME / 2, 12, bold=True)


def _write_column(ax: Axes, k: int, right: float, head: str, rows: Sequence[DotRow]) -> None:
    """Write a column of texts; `right` is its end, in points beyond the plot."""
    at = {"textcoords": "offset points", "ha": "right", "annotation_clip": False}
    style = text_style(11.5, "ink2")
    ax.annotate(head, (1.0, 1.0), xycoords="axes fraction", xytext=(right, 4), **at, **style)
    for i, row in enumerate(rows):
        if row.columns:
            token = "ink3" if row.hollow else "ink"
            ax.annotate(
                _cell(row.columns[k]),
                (1.0, i),
                xycoords=("axes fraction", "data"),
                xytext=(right, 0),
                va="center",
                **at,
                **text_style(12, token, bold=row.strong_columns),
            )


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
            label=shorten_end(part, MOST_NAME, 12.5),
            zorder=2,
        )
        start = start + values
    texts = chart.numbers().rows
    longest = float(lengths.max(initial=0.0))
    for i, j in np.ndindex(lengths.shape):
        if lengths[i, j] > longest / 6:  # wide enough for its number
            at = float(lengths[i, :j].sum() + lengths[i, j] / 2), i
            style = text_style(12, f"on-{PART_COLOURS[j]}")
            ax.text(*at, texts[i][j + 1], ha="center", va="center", **style)
    for i, row in enumerate(texts):
        style = text_style(12.5, "ink", bold=True)
        at = (float(start[i]), i)
        ax.annotate(row[-1], at, xytext=(5, 0), textcoords="offset points", va="center", **style)
    key_below(ax, most=len(chart.parts))
