"""A confusion matrix on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.colours import shade
from treewright.chart.matrix import MOST_WRITTEN
from treewright.chart.on_axes.frame import MOST_NAME, POINTS, paint, text_style
from treewright.chart.widths import shorten_labels
from treewright.chart.words import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.matrix import MatrixChart


def plot_matrix(chart: MatrixChart, ax: Axes) -> None:
    """Draw the cells with counts and shares, recall at the right and precision below."""
    from matplotlib.patches import Rectangle

    n = len(chart.classes)
    is_written = n <= MOST_WRITTEN
    shares = chart.shares
    for i, j in np.ndindex(n, n):
        token = shade(float(shares[i, j]))
        is_right = bool(i == j)
        cell = Rectangle(
            (j - 0.48, i - 0.48),
            0.96,
            0.96,
            facecolor=paint(token),
            edgecolor=paint("ink") if is_right else "none",
            linewidth=1.5 * POINTS if is_right else 0,
        )
        ax.add_patch(cell)
        if is_written:
            style = text_style(16 if is_right else 14, f"on-{token}", bold=is_right)
            text = count(float(chart.counts[i, j]))
            ax.text(j, i - 0.08, text, ha="center", va="center", **style)
            below = text_style(11, f"on-{token}")
            ax.text(j, i + 0.24, percent(float(shares[i, j])), ha="center", va="center", **below)
    cut = shorten_labels(chart.classes, MOST_NAME, 12, bold=True)
    over = shorten_labels(chart.classes, 480 / max(n, 1), 12, bold=True)
    names = over if is_written else [str(i + 1) for i in range(n)]
    rows = cut if is_written else [f"{name} {i + 1}" for i, name in enumerate(cut)]
    ax.set_xticks(range(n), names, **text_style(12, "ink", bold=True))
    ax.set_yticks(range(n), rows, **text_style(12, "ink", bold=True))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, max(n, 1) + 0.4)
    line = max(1.0, n / 7)  # of text, as cells
    ax.set_ylim(max(n, 1) - 0.5 + 0.7 * line, -0.5)
    foot = n - 0.5 + 0.25 * line
    if n:
        plain = text_style(11.5, "ink2")
        ax.text(n - 0.4, -0.5 - 0.1 * line, "recall", va="bottom", **plain)
        ax.text(n - 0.4, foot + 0.25 * line, "accuracy", va="center", **plain)
        if is_written:
            ax.text(-0.6, foot, "precision", ha="right", va="center", **plain)
    bold = text_style(12, "ink", bold=True)
    for i, text in enumerate(chart.recall()):
        ax.text(n - 0.4, i, text, va="center", **bold)
    if is_written:
        for j, text in enumerate(chart.precision()):
            ax.text(j, foot, text, ha="center", va="center", **bold)
    if n:
        ax.text(n - 0.4, foot, chart.accuracy(), va="center", **bold)
