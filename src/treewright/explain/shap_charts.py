"""SHAP values as charts: of one row arrows, of many rows dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis
from treewright.chart.colours import MOST_CLASS_HUES, class_fill
from treewright.chart.effects import Arrow, ArrowChart, SwarmChart, SwarmRow
from treewright.chart.words import clean, count, number, percent, value_words
from treewright.errors import UnsupportedError

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.chart.words import Form
    from treewright.explain.shap_values import ShapValues

_MOST_ARROWS = 7
_MOST_ROWS = 20
_LEAST_SHARE = 1e-12
"""Of the largest value: less is rounding."""


def shap_chart(found: ShapValues, output: int) -> ArrowChart | SwarmChart:
    """Return the values of one row as arrows, of several as a line of dots for each column."""
    if not len(found):
        raise UnsupportedError("draw: there are no rows.\n  Hint: shap_values of some rows.")
    return _waterfall(found, output) if len(found) == 1 else _summary(found, output)


def _form(found: ShapValues) -> Form:
    return "percent" if found.scale in ("probability", "share of the votes") else "number"


def _of(found: ShapValues, output: int) -> str:
    """Return what is explained, as it stands in a title: ``the score of late``."""
    name = clean(found.output_names[output])
    if found.scale in ("prediction", name):
        return f"the {name}"
    return f"the {clean(found.scale)} of {name}"


def _waterfall(found: ShapValues, output: int) -> ArrowChart:
    values = found.by_output()[0, :, output]
    base = float(np.atleast_1d(found.base_values)[output])
    order = np.argsort(-np.abs(values), kind="stable")
    asked = [i for i in order.tolist() if values[i] != 0.0]
    shown = asked if len(asked) <= _MOST_ARROWS + 1 else asked[:_MOST_ARROWS]
    rest = asked[len(shown) :]
    arrows = [
        Arrow(found.feature_names[i], value_words(found.data[0, i]), float(values[i]))
        for i in shown
    ]
    if rest:
        arrows.append(Arrow(f"{len(rest):,} other columns", "", float(values[rest].sum())))
    name = "this row" if found.row_names is None else found.row_names[0]
    of = _of(found, output)
    still = len(found.feature_names) - len(asked)
    unused = (
        f" {still:,} {'column adds' if still == 1 else 'columns add'} nothing." if still else ""
    )
    has_hue = len(found.output_names) > 1 and len(found.output_names) <= MOST_CLASS_HUES
    return ArrowChart(
        title=_row_title(found, values, of),
        subtitle=f"{name[:1].upper()}{name[1:]}: what each column adds to {of}",
        caption="Pointing right: adds; grey, pointing left: takes away. Exact SHAP values;"
        f" the arrows add up to {of}.{unused}",
        start=("all rows on average", base),
        arrows=arrows,
        end=name,
        colour=class_fill(output, len(found.output_names)) if has_hue else "accent",
        x=Axis(form=_form(found)),
    )


def _row_title(found: ShapValues, values: FloatArray, of: str) -> str:
    """Return which column raises and which lowers most, where any does."""
    names = [clean(name) for name in found.feature_names]
    least = _LEAST_SHARE * float(np.abs(values).max(initial=0.0))
    up, down = int(values.argmax()), int(values.argmin())
    raises, lowers = values[up] > least, values[down] < -least
    if raises and lowers:
        return f"{names[up]} raises {of} most, {names[down]} lowers it most"
    if raises:
        return f"{names[up]} raises {of} most; no column lowers it"
    if lowers:
        return f"{names[down]} lowers {of} most; no column raises it"
    return f"No column changes {of}"


def _summary(found: ShapValues, output: int) -> SwarmChart:
    values = found.by_output()[:, :, output]
    sizes = np.abs(values).mean(axis=0)
    order = np.argsort(-sizes, kind="stable")
    asked = [i for i in order.tolist() if sizes[i] > 0.0]
    shown = asked[:_MOST_ROWS]
    rest = asked[len(shown) :]
    of = _of(found, output)
    more = ""
    if rest:
        together = float(sizes[rest].sum())
        text = percent(together, decimals=1) if _form(found) == "percent" else number(together)
        more = f"{len(rest):,} more, together {text}"
    still = len(found.feature_names) - len(asked)
    unused = (
        f" {still:,} {'column adds' if still == 1 else 'columns add'} nothing." if still else ""
    )
    first = f"{clean(found.feature_names[shown[0]])} matters most" if shown else "No column matters"
    return SwarmChart(
        title=first,
        subtitle=f"What each column adds to {of}: a dot is a row, its shade the column's value",
        caption=f"{count(len(found))} rows, at most 300 drawn; exact SHAP values, columns sorted by"
        f" their mean size. Grey: no order, or no value.{unused}",
        rows=[
            SwarmRow(
                found.feature_names[i],
                values[:, i],
                levels_of(found.data[:, i], found.orders.get(found.feature_names[i])),
            )
            for i in shown
        ],
        x=Axis(form=_form(found)),
        more=more,
    )


def levels_of(column: Array, order: Sequence[object] | None = None) -> FloatArray:
    """Return values as their ranks from 0 to 1; NaN for what has no order.

    Parameters
    ----------
    column
        The values.
    order
        Values in their order, where they are no numbers; those that are not listed have none.

    Examples
    --------
    >>> levels_of(np.array([3.0, 1.0, 2.0])).tolist()
    [1.0, 0.0, 0.5]
    >>> levels_of(np.array(["red", None, 2.0], dtype=object)).tolist()
    [nan, nan, nan]
    >>> levels_of(np.array(["b", "a"], dtype=object), ["a", "b"]).tolist()
    [1.0, 0.0]
    """
    numbers = np.full(len(column), np.nan)
    place_of = None if order is None else {value: i for i, value in enumerate(order)}
    for i, value in enumerate(column.tolist()):
        if place_of is not None:
            numbers[i] = place_of.get(value, np.nan)
        elif isinstance(value, bool | np.bool_ | int | float):
            numbers[i] = float(value)
    known = np.isfinite(numbers)
    levels = np.full(len(column), np.nan)
    distinct, places = np.unique(numbers[known], return_inverse=True)
    if len(distinct) < 2:
        return levels
    counts = np.bincount(places)
    ranks = np.cumsum(counts) - counts / 2  # the middle of equal values
    ranks = (ranks - ranks[0]) / (ranks[-1] - ranks[0])
    levels[known] = ranks[places]
    return levels
