"""A chart of lines and points on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.marks import STROKES, Dots, Line, Mark, Rule, Strip, Stroke
from treewright.chart.on_axes.frame import (
    MOST_NAME,
    POINTS,
    STRIP_BOTTOM,
    halo,
    line_style,
    paint,
    set_scale,
    text_style,
)
from treewright.chart.placement import spread
from treewright.chart.widths import shorten_end
from treewright.chart.words import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

    from treewright.chart.chart import Chart

_ON_TOP = 10  # above every line
_OFFSETS = (40, 70, 20, 110, -40, -90, -20, -130)
"""Heights, in points above a mark, at which its name may stand; tried in turn."""
_STEPS = 50
"""Places of a line's segment that a name may lie over."""
_LABEL_SHARE = 15 / 300
"""Least distance of two labels, as a share of the height of a usual plot."""


def plot_chart(chart: Chart, ax: Axes) -> None:
    """Draw axes, lines, dots, rules and marks, each with its name."""
    x_limits, y_limits = chart.limits()
    set_scale(ax, "x", chart.x, x_limits)
    set_scale(ax, "y", chart.y, y_limits)
    ax.spines["bottom"].set_visible(True)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", color=paint("axis"))
    ax.grid(axis="y", color=paint("rule"), linewidth=POINTS)
    if chart.square:
        ax.set_box_aspect(1)
        ax.set_anchor("NW")
    for order, role in enumerate(STROKES):
        for line in chart.lines:
            if line.role == role:
                _plot_line(chart, line, ax, 2 + order / len(STROKES))
    for mark in chart.marks:
        if isinstance(mark, Dots):
            _plot_dots(chart, mark, ax)
        elif isinstance(mark, Rule):
            _plot_rule(mark, ax)
        elif isinstance(mark, Mark) and chart.shows_point(mark.x, mark.y):
            _plot_mark(mark, ax)
    rug = [value for value in np.asarray(chart.rug).tolist() if x_limits[0] <= value <= x_limits[1]]
    foot = np.tile([[0.0], [0.02]], (1, len(rug)))
    transform = ax.get_xaxis_transform()
    ax.plot(np.tile(rug, (2, 1)), foot, transform=transform, color=paint("ink2"), linewidth=POINTS)
    _name_lines(chart, ax)
    if chart.strip is not None:
        _plot_strip(chart.strip, ax)


def _plot_line(chart: Chart, line: Line, ax: Axes, order: float) -> None:
    shown = chart.shown(line)
    if line.low is not None and line.high is not None:
        band = shown & chart.y.shows(line.low) & chart.y.shows(line.high)
        x, low, high = line.x[band], line.low[band], line.high[band]
        ax.fill_between(x, low, high, color=paint("band"), linewidth=0, zorder=1.5)
    style = line_style(chart.stroke_of(line))
    alone = {"marker": "o", "markersize": 4.5} if shown.sum() == 1 else {}
    is_listed = line.name and (line.columns or not chart.has_table)
    label = (
        "  ".join([shorten_end(clean(line.name), MOST_NAME, 12.5), *map(clean, line.columns)])
        if is_listed
        else "_unnamed"
    )
    ax.plot(line.x[shown], line.y[shown], label=label, zorder=order, **style, **alone)


def _plot_dots(chart: Chart, dots: Dots, ax: Axes) -> None:
    shown = chart.shown(dots)
    hollow = dots.is_hollow[shown]
    x, y = dots.x[shown], dots.y[shown]
    if dots.low is not None and dots.high is not None:
        low, high = dots.low[shown], dots.high[shown]
        known = np.isfinite(low) & np.isfinite(high)
        sizes = np.abs(np.vstack([y - low, high - y]))[:, known]
        width = 2 * POINTS
        ax.errorbar(
            x[known],
            y[known],
            yerr=sizes,
            fmt="none",
            ecolor=paint("ink2"),
            elinewidth=width,
            capsize=4 * POINTS,
            capthick=width,
            zorder=3,
        )
    fills = [paint("paper") if each else paint("accent") for each in hollow]
    edges = [paint("ink3") if each else paint("paper") for each in hollow]
    areas = (2 * dots.radii[shown] * POINTS) ** 2
    label = clean(dots.name) if dots.name else "_unnamed"
    ax.scatter(x, y, s=areas, c=fills, edgecolors=edges, zorder=3.5, label=label)
    if dots.name and len(x):
        _write(ax, clean(dots.name), (x[-1], y[-1]), (8, 0), "accent", bold=True)


def _plot_rule(rule: Rule, ax: Axes) -> None:
    style = line_style(Stroke("ink2", 1.0, "2 3"))
    if rule.y is not None:
        ends = rule.span or ax.get_xlim()
        ax.plot(ends, [rule.y, rule.y], label="_rule", zorder=2.5, **style)
        place = (ends[0], rule.y)
    else:
        ends = rule.span or ax.get_ylim()
        ax.plot([rule.x, rule.x], ends, label="_rule", zorder=2.5, **style)
        place = (float(rule.x or 0.0), ends[1])
    if rule.name:
        _write(
            ax,
            shorten_end(clean(rule.name), 2 * MOST_NAME, 11.5),
            place,
            (4, 4),
            "ink3",
            vertical="bottom",
        )


def _plot_mark(mark: Mark, ax: Axes) -> None:
    is_chosen = mark.kind == "chosen"
    token = "ink3" if mark.kind == "chance" else "ink"
    ax.plot(
        [mark.x],
        [mark.y],
        marker="o",
        markersize=(11 if is_chosen else 9) * POINTS,
        markerfacecolor=paint("ink" if is_chosen else "paper"),
        markeredgecolor=paint("paper" if is_chosen else token),
        markeredgewidth=(1.5 if is_chosen else 1.75) * POINTS,
        label="_mark",
        zorder=_ON_TOP,
    )
    if not mark.name:
        return
    text = _lines(mark.name, mark.note, 2 * MOST_NAME)
    # What was chosen is named below on a leader, what was not above; else wherever no line is.
    is_low = mark.y <= sum(ax.get_ylim()) / 2
    offsets = _OFFSETS if is_low or not is_chosen else _OFFSETS[::-1]
    found: list[tuple[int, Annotation]] = []
    for offset in offsets:
        for side in ("left", "right"):
            label = _annotate(ax, mark, text, offset, side, bold=is_chosen)
            found.append((_n_crossed(ax, label), label))
            if found[-1][0] == 0:
                break
        if found[-1][0] == 0:
            break
    best = min(found, key=lambda each: each[0])[1]
    for _, label in found:
        if label is not best:
            label.remove()


def _annotate(ax: Axes, mark: Mark, text: str, offset: int, side: str, *, bold: bool) -> Annotation:
    token = "ink3" if mark.kind == "chance" else "ink"
    is_below = offset < 0
    return ax.annotate(
        text,
        (mark.x, mark.y),
        xytext=(0, offset),
        textcoords="offset points",
        ha=side,
        va="top" if is_below else "bottom",
        arrowprops={
            "arrowstyle": "-",
            "color": paint(token),
            "linewidth": POINTS,
            "relpos": (0 if side == "left" else 1, 1 if is_below else 0),
        },
        zorder=_ON_TOP,
        path_effects=halo(),
        **text_style(12.5, token, bold=bold),
    )


def _n_crossed(ax: Axes, label: Annotation) -> int:
    """Return what a label lies over: points of lines, other labels, and all outside the plot."""
    from matplotlib.text import Text  # of the text alone: an annotation's own includes its leader

    box = Text.get_window_extent(label).padded(2)
    n_crossed = 0
    for line in ax.get_lines():
        points = ax.transData.transform(np.column_stack(line.get_data()).astype(float))
        points = points[np.isfinite(points).all(axis=1)]
        steps = np.linspace(0, 1, _STEPS)[:, np.newaxis, np.newaxis]
        between = points[:-1] + steps * (points[1:] - points[:-1])
        x, y = np.concatenate([between.reshape(-1, 2), points]).T
        inside = (x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)
        n_crossed += int(inside.sum())
    for other in ax.texts:
        if other is not label and box.overlaps(Text.get_window_extent(other)):
            n_crossed += _STEPS
    plot = ax.get_window_extent()
    is_outside = box.x0 < plot.x0 or box.x1 > plot.x1 or box.y0 < plot.y0 or box.y1 > plot.y1
    return n_crossed + (2 * _STEPS if is_outside else 0)


def _lines(name: str, note: str, width: float) -> str:
    """Return a name and the note under it, each cut to a width."""
    parts = [clean(part) for part in (name, note) if part]
    return "\n".join(shorten_end(part, width, 12.5, bold=True) for part in parts)


def _plot_strip(strip: Strip, ax: Axes) -> None:
    """Draw a histogram on axes of its own under the plot."""
    below = ax.inset_axes((0.0, STRIP_BOTTOM, 1.0, 0.14), sharex=ax)
    counts = np.where(np.isfinite(strip.counts), strip.counts, 0.0)
    widths = np.diff(strip.edges)
    below.bar(strip.edges[:-1], counts, width=0.94 * widths, align="edge", color=paint("seq-3"))
    below.set_yticks([])
    below.tick_params(labelbottom=False, length=0)
    for side in ("left", "top", "right"):
        below.spines[side].set_visible(False)
    below.spines["bottom"].set_color(paint("axis"))
    if strip.name:
        below.set_title(clean(strip.name), loc="left", pad=2, **text_style(11.5, "ink3"))


def _name_lines(chart: Chart, ax: Axes) -> None:
    """Write names at the ends of lines, moved apart; a table of lines is a legend."""
    if chart.has_table:
        title = "  ".join(clean(head) for head in chart.heads if head)
        legend = ax.legend(frameon=False, title=title, labelcolor=paint("ink"))
        for text in legend.get_texts():
            text.set(path_effects=halo(), **text_style(12.5, "ink"))
        legend.get_title().set(path_effects=halo(), **text_style(11.5, "ink3"))
        return
    named = [line for line in chart.lines if line.name and chart.shown(line).any()]
    ends = [np.flatnonzero(chart.shown(line))[-1] for line in named]
    to_axes = ax.transData + ax.transAxes.inverted()
    heights = [
        float(to_axes.transform((line.x[end], line.y[end]))[1])
        for line, end in zip(named, ends, strict=True)
    ]
    order = np.argsort(heights, kind="stable").tolist()
    order = order[-round(1 / _LABEL_SHARE) :]  # as many as there is room for
    gaps = [_LABEL_SHARE] * max(len(order) - 1, 0)
    places = spread([heights[i] for i in order], gaps, low=0.0, high=1.0)
    for i, place in zip(order, places, strict=True):
        line = named[i]
        token = "accent" if line.role == "validated" else "ink2"
        text = _lines(line.name, line.note, 150)
        ax.annotate(
            text,
            (1, place),
            xycoords="axes fraction",
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
            **text_style(12.5, token, bold=line.role not in ("reference", "other")),
        )


def _write(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    token: str,
    *,
    bold: bool = False,
    vertical: str = "center",
) -> None:
    style = text_style(12.5 if bold else 11.5, token, bold=bold)
    ax.annotate(text, at, xytext=offset, textcoords="offset points", va=vertical, **style)
