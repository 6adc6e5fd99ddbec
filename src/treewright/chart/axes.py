"""The axes of a plot, drawn: ticks that fit beside each other, and a grid."""

from __future__ import annotations

from itertools import pairwise

from treewright.chart.dates import date_ticks
from treewright.chart.marks import Axis
from treewright.chart.placement import Box
from treewright.chart.scale import Scale
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure
from treewright.chart.words import clean_sentence, tick_labels

TICK_SIZE = 12.0
_MOST_TICKS, _MOST_LOG_TICKS = 8, 9
_BETWEEN = 10.0
"""Pixels between the labels of two ticks beside each other."""


def ticks_down(scale: Scale, axis: Axis) -> list[tuple[float, str]]:
    """Return ticks and labels of a vertical axis."""
    most = max(2, min(_MOST_TICKS, int(abs(scale.end - scale.start) / 32)))
    values = round_ticks(scale, axis, most)
    return list(zip(values, tick_labels(values, axis.form), strict=True))


def ticks_across(
    scale: Scale, axis: Axis, *, within: tuple[float, float]
) -> list[tuple[float, str, float]]:
    """Return ticks, labels and centres of the labels of a horizontal axis: as many as fit."""
    most = _MOST_LOG_TICKS if scale.log else _MOST_TICKS
    for n in range(most, 1, -1):
        values = round_ticks(scale, axis, n)
        placed = _placed(scale, values, _labels(values, axis), within)
        ends = [(at - _half(text), at + _half(text)) for _, text, at in placed]
        pairs = pairwise(ends)
        if all(this[1] + _BETWEEN <= following[0] for this, following in pairs):
            return placed
    return placed[:1]


def round_ticks(scale: Scale, axis: Axis, most: int) -> list[float]:
    """Return at most `most` round numbers on an axis; of dates, where years or months begin."""
    if axis.form == "date":
        return date_ticks(min(scale.low, scale.high), max(scale.low, scale.high), most)
    return scale.ticks(most)


def _labels(values: list[float], axis: Axis) -> list[str]:
    labels = tick_labels(values, axis.form)
    if axis.unit is not None and labels:
        one, several = map(clean_sentence, axis.unit)
        labels[0] = f"{labels[0]} {one if values[0] == 1 else several}".rstrip()
    return labels


def _placed(
    scale: Scale, values: list[float], labels: list[str], within: tuple[float, float]
) -> list[tuple[float, str, float]]:
    """Return ticks with labels that are moved inwards where they would leave the picture."""
    return [
        (value, text, max(within[0] + _half(text), min(scale.at(value), within[1] - _half(text))))
        for value, text in zip(values, labels, strict=True)
    ]


def _half(text: str) -> float:
    return measure(text, TICK_SIZE) / 2


def draw_x_axis(
    drawing: Drawing, plot: Box, ticks: list[tuple[float, str, float]], scale: Scale
) -> None:
    """Draw the line under a plot, with its ticks outside."""
    drawing.line((plot.left, plot.bottom), (plot.right, plot.bottom), "axis")
    for value, text, centre in ticks:
        at = scale.at(value)
        drawing.line((at, plot.bottom), (at, plot.bottom + 5), "axis")
        drawing.text((centre, plot.bottom + 19), text, TICK_SIZE, "ink2", anchor="middle")


def draw_y_axis(drawing: Drawing, plot: Box, ticks: list[tuple[float, str]], scale: Scale) -> None:
    """Draw the horizontal grid of a plot, with its labels at the left and no line."""
    for value, text in ticks:
        at = scale.at(value)
        drawing.line((plot.left, at), (plot.right, at), "rule")
        drawing.text((plot.left - 8, at + 4), text, TICK_SIZE, "ink2", anchor="end")


def draw_top_axis(
    drawing: Drawing, plot: Box, ticks: list[tuple[float, str, float]], scale: Scale
) -> None:
    """Draw the vertical grid of a dot chart, with its labels on top; zero is a line."""
    for value, text, centre in ticks:
        at = scale.at(value)
        drawing.line((at, plot.top), (at, plot.bottom), "axis" if value == 0 else "rule")
        drawing.text((centre, plot.top - 6), text, TICK_SIZE, "ink2", anchor="middle")
