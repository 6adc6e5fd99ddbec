"""A histogram as a chart: rows by range or value, and by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.effects import ColumnsChart
from treewright.chart.words import clean, count, percent, value_words

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.measures.histogram import Histogram


def histogram_chart(found: Histogram, *, name: str, unit: str) -> ColumnsChart:
    """Return stacked columns of the ranges, or a line of shares for each value."""
    shown = name or "value"
    table = np.vstack([found.counts, found.missing])
    plain = f"{unit} by {clean(shown)}" + (" and class" if found.classes else "")
    if found.edges is None:
        subtitle = f"Shares within a value; at the right its {clean(unit)}"
    else:
        subtitle = f"{_capital(clean(unit))} by {clean(shown)}"
        subtitle += ", the most frequent class lowest" if found.classes else ""
    title = _title(found) or _capital(plain)
    return ColumnsChart(
        title=title,
        subtitle="" if subtitle == title else subtitle,
        caption=f"{count(float(table.sum()))} {clean(unit)}"
        + (
            f", {count(float(found.missing.sum()))} without a value."
            if found.missing.any()
            else "."
        ),
        name=shown,
        classes=tuple(map(str, found.classes)),
        labels=found.labels,
        counts=found.counts,
        missing=found.missing,
        edges=found.edges,
        cut=found.cut,
        cut_text="" if found.cut is None else value_words(found.cut),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _title(found: Histogram) -> str:
    """Return the shares on both sides of a cut, of the class where they differ most."""
    if found.cut is None or found.edges is None or not found.classes:
        return ""
    above = found.edges[:-1] >= found.cut
    sides: list[FloatArray] = [found.counts[above].sum(axis=0), found.counts[~above].sum(axis=0)]
    if any(side.sum() <= 0 for side in sides):
        return ""
    high, low = (side / side.sum() for side in sides)
    k = 1 if len(found.classes) == 2 else int(np.argmax(np.abs(high - low)))
    cut = value_words(found.cut)
    label = clean(str(found.classes[k]))
    return f"{label} is {percent(float(high[k]))} above {cut} and {percent(float(low[k]))} below"
