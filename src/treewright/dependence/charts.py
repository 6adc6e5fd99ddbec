"""Partial dependence as charts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, DotChart, DotRow, Line, Rule
from treewright.chart.effects import HeatAxis, HeatChart
from treewright.chart.words import clean, count, number, percent, value_words

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.chart import Picture
    from treewright.chart.words import Form
    from treewright.dependence.dependence import (
        PairDependence,
        PartialDependence,
        PartialDependences,
    )

_MOST_CURVES = 50
_MOST_CATEGORIES = 30
_MOST_MOVES = 20
_LONG = 10.0
"""The largest number over the median: from here on an axis is logarithmic."""
_LEAST_MOVE = 1e-9
"""Of the size of the answers: less is rounding."""


def dependence_chart(found: PartialDependence, output: int, *, with_rows: bool) -> Picture:
    """Return the mean answer by value: a line over lines of single rows; of categories, dots."""
    if found.is_numeric and np.isfinite(found.at).any():
        return _line_chart(found, output, with_rows=with_rows)
    return _dot_chart(found, output, with_rows=with_rows)


def _line_chart(found: PartialDependence, output: int, *, with_rows: bool) -> Chart:
    places = np.flatnonzero(np.isfinite(found.at))
    x = _x_of(found, found.at[places])
    curves = found.rows[:_MOST_CURVES, places, output] if with_rows else np.empty((0, len(places)))
    marks: list[Line | Rule] = [Line(x, curve, role="ice") for curve in curves]
    marks.append(Line(x, found.mean[places, output], name="mean of all rows"))
    missing = [i for i, value in enumerate(found.values) if value is None]
    for i in missing:
        level = float(found.mean[i, output])
        form = _form(found.scale)
        text = percent(level, decimals=1) if form == "percent" else number(level)
        marks.append(Rule(y=level, name=f"missing: {text}"))
    is_duration = found.unit_per_day is not None and not _is_date(found)
    limits = (0.0, 1.0) if _form(found.scale) == "percent" and len(curves) else None
    return Chart(
        title=title_of(found, output),
        subtitle=_subtitle(found, output, len(curves)),
        caption=_caption(found, bool(len(found.deciles))),
        x=Axis(
            f"{clean(found.column)}{': days' if is_duration else ''}",
            scale="log" if _is_long(found, x) else "linear",
            form="date" if _is_date(found) else "number",
        ),
        y=Axis(_of(found, output), form=_form(found.scale), limits=limits),
        marks=marks,
        rug=_x_of(found, found.deciles),
    )


def _is_long(found: PartialDependence, x: FloatArray) -> bool:
    """Return whether few large numbers would leave the others no room."""
    if found.unit_per_day is not None or not len(found.deciles):
        return False
    return bool(x.min() > 0 and x.max() > _LONG * found.deciles[4])


def _is_date(found: PartialDependence) -> bool:
    known = next((value for value in found.values if value is not None), None)
    return found.unit_per_day is not None and not isinstance(known, timedelta | np.timedelta64)


def _x_of(found: PartialDependence, at: FloatArray) -> FloatArray:
    """Return where values are on the axis: numbers as they are, dates as days."""
    return at if found.unit_per_day is None else at / found.unit_per_day


def _dot_chart(found: PartialDependence, output: int, *, with_rows: bool) -> DotChart:
    texts = [value_words(value) for value in found.values]
    order = list(range(len(found)))
    if found.kind == "nominal":
        order.sort(key=lambda i: (found.values[i] is None, -found.mean[i, output]))
    shown = order[:_MOST_CATEGORIES]
    curves = found.rows[:_MOST_CURVES, :, output] if with_rows else np.empty((0, len(found)))
    rest = len(order) - len(shown)
    return DotChart(
        title=title_of(found, output),
        subtitle=_subtitle(found, output, len(curves)),
        caption=_caption(found, False),
        rows=[
            DotRow(
                texts[i],
                float(found.mean[i, output]),
                small=curves[:, i].tolist(),
                strong=True,
                columns=(percent(float(found.share[i])),),
            )
            for i in shown
        ],
        heads=("share of rows",),
        x=Axis(_of(found, output), form=_form(found.scale)),
        more=f"{rest:,} more values" if rest else "",
        shorten="end",
    )


def title_of(found: PartialDependence, output: int) -> str:
    """Return what was found: whether the mean answer rises or falls over the deciles."""
    answer = _of(found, output)
    column = clean(found.column)
    known = np.array([value is not None for value in found.values])
    means = found.mean[known, output]
    size = float(np.abs(found.mean[:, output]).max(initial=0.0))
    if len(means) > 1 and float(np.ptp(found.mean[:, output])) <= _LEAST_MOVE * size:
        return f"{answer} does not depend on {column}"
    if len(means) > 1 and found.kind != "nominal":
        slack = _LEAST_MOVE * size
        way = _way(np.diff(_at_deciles(found, means)), slack)
        if way:
            part = "" if way == _way(np.diff(_to_the_ends(found, means)), slack) else _part(found)
            return f"{answer} {way} with {column}{part}"
    return f"Partial dependence of {answer} on {column}"


def _way(steps: FloatArray, slack: float) -> str:
    """Return whether steps only rise or only fall; empty where they do neither."""
    if len(steps) and (steps >= -slack).all() and (steps > slack).any():
        return "rises"
    return "falls" if len(steps) and (steps <= slack).all() and (steps < -slack).any() else ""


def _to_the_ends(found: PartialDependence, means: FloatArray) -> FloatArray:
    """Return the same with the means at the lowest and the highest value."""
    if not len(found.deciles):
        return means
    order = np.argsort(found.at[np.isfinite(found.at)], kind="stable")
    return np.concatenate([means[order[:1]], _at_deciles(found, means), means[order[-1:]]])


def _part(found: PartialDependence) -> str:
    """Return between which values the title holds: eight tenths of the rows."""
    if not len(found.deciles) or found.unit_per_day is not None:
        return " over most rows"
    low, high = (value_words(float(found.deciles[i])) for i in (0, -1))
    return f" from {low} to {high}"


def _at_deciles(found: PartialDependence, means: FloatArray) -> FloatArray:
    """Return the mean answers at the deciles of the column; at all values of ordered categories."""
    if not len(found.deciles):
        return means
    at = found.at[np.isfinite(found.at)]
    order = np.argsort(at, kind="stable")
    places = np.searchsorted(at[order], found.deciles, side="right") - 1
    picked: FloatArray = means[order][np.clip(places, 0, len(order) - 1)]
    return picked


def _of(found: PartialDependence | PairDependence, output: int) -> str:
    if len(found.output_names) == 1:
        return clean(found.output_names[0])
    return clean(found.output_names[output])


def _subtitle(found: PartialDependence, output: int, n_curves: int) -> str:
    scale = {"probability": "Mean probability", "score": "Mean score"}.get(
        found.scale, f"Mean {found.scale}"
    )
    of = "" if len(found.output_names) == 1 else f" of {clean(found.output_names[output])}"
    told = f"{scale}{of} if every row had this {clean(found.column)}"
    if n_curves:
        told += "; thin: single rows" if found.is_numeric else "; small dots: single rows"
    return told


def _caption(found: PartialDependence | PairDependence, has_rug: bool) -> str:
    rows = "1 row" if found.n_rows == 1 else f"{count(found.n_rows)} rows"
    told = f"Over {rows}; exact, {found.method}."
    return f"{told} Ticks at the foot: deciles of the rows." if has_rug else told


def _form(scale: str) -> Form:
    return "percent" if scale in ("probability", "share of the votes") else "number"


def pair_chart(found: PairDependence, output: int) -> Picture:
    """Return the mean answer by pair of values: cells with a shade each."""
    first, second = (_heat_axis(found, which) for which in (0, 1))
    columns = [clean(name) for name in found.columns]
    scale = "score" if found.scale == "score" else found.scale
    of = "" if len(found.output_names) == 1 else f" of {clean(found.output_names[output])}"
    return HeatChart(
        title=f"Partial dependence of {_of(found, output)} on {columns[0]} and {columns[1]}",
        subtitle=f"Mean {scale}{of} if every row had these values",
        caption=_caption(found, False),
        x=first,
        y=second,
        values=found.mean[:, :, output].T,
        form=_form(found.scale),
    )


def _heat_axis(found: PairDependence, which: int) -> HeatAxis:
    return HeatAxis(found.columns[which], tuple(map(value_words, found.values[which])))


def moves_chart(found: PartialDependences) -> DotChart:
    """Return how far the mean answer moves with each column."""
    told = found.moves()
    rest = len(told) - _MOST_MOVES
    scale = found.found[0].scale if found.found else "prediction"
    first = (
        f"{clean(told[0][0])} moves the mean {scale} most" if told else "No column was asked for"
    )
    is_still = bool(told) and told[0][2] - told[0][1] <= 0.0
    return DotChart(
        title="No column moves the mean answer" if is_still else first,
        subtitle=f"Highest less lowest mean {scale} over the values of a column",
        caption=_caption(found.found[0], False) if found.found else "",
        rows=[DotRow(name, high - low) for name, low, high in told[:_MOST_MOVES]],
        x=Axis(form=_form(scale)),
        stems=True,
        more=f"{rest:,} more move less" if rest > 0 else "",
    )
