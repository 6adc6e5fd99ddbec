"""Cells, arrows and swarms of dots on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.effects.swarm import dot_shade, ends_of, jitter
from treewright.chart.marks import Axis
from treewright.chart.on_axes.frame import (
    MOST_NAME,
    POINTS,
    halo,
    key_below,
    paint,
    set_rows,
    set_scale,
    text_style,
)
from treewright.chart.widths import measure, shorten_end, shorten_labels
from treewright.chart.words import clean, clean_sentence, count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.effects.arrows import ArrowChart
    from treewright.chart.effects.columns import ColumnsChart
    from treewright.chart.effects.heat import HeatChart
    from treewright.chart.effects.swarm import SwarmChart

_PLOT = 560.0
"""Pixels that the plot of usual axes is wide."""


def plot_heat(chart: HeatChart, ax: Axes) -> None:
    """Draw the cells, with their numbers where these fit."""
    from matplotlib.patches import Rectangle

    n_lines, n_columns = chart.values.shape
    texts = chart.texts()
    widest = max((measure(text, 11) for line in texts for text in line), default=0.0)
    is_written = widest <= _PLOT / max(n_columns, 1) - 6 and n_lines <= 16
    for i in range(n_lines):
        for j in range(n_columns):
            token = chart.token(float(chart.values[i, j]))
            ax.add_patch(Rectangle((j - 0.49, i - 0.49), 0.98, 0.98, facecolor=paint(token)))
            if is_written:
                style = text_style(11, f"on-{token}")
                ax.text(j, i, texts[i][j], ha="center", va="center", **style)
    across = shorten_labels([clean(each) for each in chart.x.values], 90, 12)
    down = shorten_labels([clean(each) for each in chart.y.values], MOST_NAME, 12)
    every = max(1, -(-n_columns // 8))
    ax.set_xticks(range(0, n_columns, every), across[::every], **text_style(12, "ink2"))
    every = max(1, -(-n_lines // 16))
    ax.set_yticks(range(0, n_lines, every), down[::every], **text_style(12, "ink2"))
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, max(n_columns, 1) - 0.5)
    ax.set_ylim(-0.5, max(n_lines, 1) - 0.5)
    style = text_style(12, "ink2")
    ax.set_xlabel(shorten_end(clean(chart.x.name), 400, 12), **style)
    name = shorten_end(clean(chart.y.name), 400, 12)
    ax.set_ylabel(name, rotation=0, ha="left", va="bottom", **style)
    ax.yaxis.set_label_coords(0.0, 1.02)


def plot_arrows(chart: ArrowChart, ax: Axes) -> None:
    """Draw the arrows, each from where the last one ended."""
    from matplotlib.patches import Polygon

    limits = chart.limits()
    set_scale(ax, "x", chart.x, limits)
    names = [clean(chart.start[0])]
    for arrow in chart.arrows:
        names.append(
            f"{clean(arrow.name)} = {clean(arrow.value)}" if arrow.value else clean(arrow.name)
        )
    names.append(clean(chart.end))
    set_rows(ax, names, tokens=["ink2", *["ink"] * len(chart.arrows), "ink"])
    ax.get_yticklabels()[-1].set_fontweight("bold")
    stops, texts = chart.stops, chart.stop_texts()
    tip = 6 * (limits[1] - limits[0]) / _PLOT
    pairs = zip(chart.arrows, chart.adds_texts(), strict=True)
    for i, (arrow, adds) in enumerate(pairs):
        start, end = stops[i], stops[i + 1]
        neck = (
            end - min(tip, abs(end - start))
            if arrow.adds >= 0
            else end + min(tip, abs(end - start))
        )
        low, high = i + 1 - 0.27, i + 1 + 0.27
        shape = [(start, low), (neck, low), (end, i + 1), (neck, high), (start, high)]
        token = chart.colour if arrow.adds >= 0 else "axis"
        ax.add_patch(Polygon(shape, closed=True, facecolor=paint(token), zorder=2))
        ax.plot(
            [start, start],
            [i + (0.0 if i == 0 else 0.27), low],
            color=paint("axis"),
            linewidth=POINTS,
        )
        _beside(ax, adds, (max(start, end), i + 1), bold=i < 3)
    last = len(chart.arrows) + 1
    ax.plot([stops[-1], stops[-1]], [last - 0.73, last], color=paint("axis"), linewidth=POINTS)
    ax.scatter([stops[0], stops[-1]], [0, last], s=(11 * POINTS) ** 2, c=[paint("ink")], zorder=3)
    _beside(ax, texts[0], (stops[0], 0))
    told = shorten_end(clean_sentence(chart.end_note), MOST_NAME, 12.5, bold=True)
    note = f"; {told}" if told else ""
    _beside(ax, f"{texts[-1]}{note}", (stops[-1], last), bold=True)


def _beside(ax: Axes, text: str, at: tuple[float, float], *, bold: bool = False) -> None:
    ax.annotate(
        text,
        at,
        xytext=(7, 0),
        textcoords="offset points",
        va="center",
        annotation_clip=False,
        path_effects=halo(),
        zorder=4,
        **text_style(12.5, "ink", bold=bold),
    )


def plot_columns(chart: ColumnsChart, ax: Axes) -> None:
    """Draw stacked columns of bins, or a bar of shares for each value."""
    names = [clean(each) for each in chart.classes]
    if chart.edges is None:
        _plot_shares(chart, ax)
        return
    edges = np.asarray(chart.edges, dtype=np.float64)
    table, missing = chart.counts, np.asarray(chart.missing)
    limits = (float(edges[0]), float(edges[-1]))
    highest = float(np.vstack([table, missing]).sum(axis=1).max()) or 1.0
    wide = limits[1] - limits[0]
    has_gaps = bool(missing.any())
    set_scale(ax, "x", Axis(chart.name), limits)
    set_scale(ax, "y", Axis(), (0.0, 1.02 * highest))
    if has_gaps:
        ax.set_xlim(limits[0], limits[1] + 0.08 * wide)
        middle = limits[1] + 0.055 * wide
        ax.text(middle, -0.03 * highest, "?", ha="center", va="top", **text_style(12, "ink2"))
    ax.spines["bottom"].set_visible(True)
    ax.tick_params(axis="y", length=0)
    base, lost = np.zeros(len(table)), 0.0
    for k in chart.order():
        label = shorten_end(names[k], MOST_NAME / 2, 12.5) if names else "_rows"
        style = {"color": paint(chart.fill(k)), "linewidth": 0, "zorder": 2}
        ax.bar(
            edges[:-1], table[:, k], np.diff(edges) * 0.97, base, align="edge", label=label, **style
        )
        if has_gaps:
            ax.bar([middle], [missing[k]], 0.045 * wide, [lost], **style)
        base, lost = base + table[:, k], lost + float(missing[k])
    if chart.cut is not None and limits[0] <= chart.cut <= limits[1]:
        ax.plot(
            [chart.cut] * 2,
            [0, 1.02 * highest],
            color=paint("ink"),
            linewidth=1.5 * POINTS,
            zorder=3,
        )
        text = clean(chart.cut_text or number(chart.cut))
        ax.annotate(
            text,
            (chart.cut, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -10),
            textcoords="offset points",
            path_effects=halo(),
            **text_style(12, "ink", bold=True),
        )
    if names:
        drawn = list(chart.order())
        key_below(ax, [drawn.index(k) for k in range(len(names))])


def _plot_shares(chart: ColumnsChart, ax: Axes) -> None:
    lines = chart.lines()
    set_rows(ax, [name for name, _ in lines], tokens=["ink"] * len(lines))
    ax.set_xlim(0, 1)
    ax.set_xticks([])
    for k, name in enumerate(map(clean, chart.classes or ("rows",))):
        shares = [line / line.sum() if line.sum() > 0 else line for _, line in lines]
        left = [float(share[:k].sum()) for share in shares]
        width = [float(share[k]) for share in shares]
        label = shorten_end(name, MOST_NAME / 2, 12.5) if chart.classes else "_rows"
        ax.barh(range(len(lines)), width, 0.55, left, color=paint(chart.fill(k)), label=label)
    for i, (_, line) in enumerate(lines):
        at = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(
            count(float(line.sum())),
            (1.0, i),
            annotation_clip=False,
            **at,
            **text_style(12, "ink2"),
        )
    if chart.classes:
        key_below(ax)


def plot_swarm(chart: SwarmChart, ax: Axes) -> None:
    """Draw a line of dots for each column."""
    set_scale(ax, "x", chart.x, chart.limits())
    set_rows(ax, [clean(row.name) for row in chart.rows], tokens=["ink"] * len(chart.rows))
    is_told = False
    for i, row in enumerate(chart.rows):
        values, levels = row.shown
        colours = [paint(dot_shade(level)) for level in levels.tolist()]
        lifts = i + jitter(len(values)) / 28
        ax.scatter(values, lifts, s=(5 * POINTS) ** 2, c=colours, linewidths=0, zorder=3)
        ends = None if is_told else ends_of(row)
        if ends is not None:
            is_told = True
            for word, at in ends.items():
                style = text_style(11, "ink3")
                ax.text(at, i - 0.36, word, ha="center", va="bottom", path_effects=halo(), **style)
