"""Importances as a chart: a dot for each column, with an interval where it is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treewright.chart import DotChart, DotRow
from treewright.chart.words import NARROW_SPACE, clean, number

if TYPE_CHECKING:
    from treewright.explain.importances import Importances

_MOST_ROWS = 20
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: an interval of 95 %."""


def importance_chart(found: Importances) -> DotChart:
    """Return the columns, the most important first; hollow where the interval reaches 0."""
    rows = []
    for column in list(found)[:_MOST_ROWS]:
        reach = _Z * column.standard_error
        known = math.isfinite(reach)
        rows.append(
            DotRow(
                column.name,
                column.mean,
                column.mean - reach if known else None,
                column.mean + reach if known else None,
                hollow=column.mean <= 0 or (known and column.mean - reach <= 0),
            )
        )
    rest = list(found)[_MOST_ROWS:]
    together = number(sum(column.mean for column in rest))
    has_interval = any(row.low is not None for row in rows)
    trees = f"{found.n_trees:,} {found.measured_on}s"
    return DotChart(
        title=_title(found),
        subtitle=found.measure[:1].upper() + found.measure[1:],
        caption=f"Line: 95{NARROW_SPACE}% interval of the mean over {trees}."
        if has_interval
        else "",
        rows=rows,
        stems=True,
        more=f"{len(rest):,} more, together {together}" if rest else "",
    )


def _title(found: Importances) -> str:
    columns = list(found)
    if not columns or columns[0].mean <= 0:
        return "No column matters"
    said = f"{clean(columns[0].name)} matters most"
    known = [column for column in columns if math.isfinite(column.standard_error)]
    noise = sum(column.mean - _Z * column.standard_error <= 0 for column in known)
    if known and noise:
        told = "columns" if len(columns) > 1 else "column"
        said += f"; {noise:,} of {len(columns):,} {told} cannot be told from noise"
    return said
