"""Charts of a forest: the columns it asks, and its out-of-bag error by the number of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, DotChart, DotRow, Line
from treewright.chart.words import clean, percent

if TYPE_CHECKING:
    from treewright.forest.out_of_bag import OutOfBag
    from treewright.forest.summary import ForestSummary

_MOST_ROWS = 15
_MOST_POINTS = 400


def use_chart(summary: ForestSummary) -> DotChart:
    """Return each column's share of all questions, the most asked first."""
    shown, rest = summary.columns[:_MOST_ROWS], summary.columns[_MOST_ROWS:]
    together = percent(sum(share for _, share in rest), decimals=1)
    title = "No tree asks anything"
    if shown:
        title = f"{clean(shown[0][0])} is asked most"
    return DotChart(
        title=title,
        subtitle=f"Share of all questions of {summary.n_trees:,} trees",
        rows=[DotRow(name, share) for name, share in shown],
        x=Axis(form="percent"),
        stems=True,
        more=f"{len(rest):,} more, together {together}" if rest else "",
    )


def out_of_bag_chart(told: OutOfBag) -> Chart:
    """Return the out-of-bag error after each tree."""
    n_trees = np.arange(1, len(told.curve) + 1, dtype=np.float64)
    places = np.linspace(0, len(n_trees) - 1, min(_MOST_POINTS, len(n_trees)))
    chosen = np.unique(places.round().astype(int))
    is_rate = told.classes is not None
    last = percent(told.error, decimals=1) if is_rate else f"{told.error:.4g}"
    return Chart(
        title=f"Out of bag {len(n_trees):,} trees err by {last}",
        subtitle=f"{'Error' if is_rate else 'Mean squared error'} out of bag by number of trees",
        x=Axis("trees", unit=("tree", "trees")),
        y=Axis("error", limits=(0, None), form="percent" if is_rate else "number"),
        marks=[Line(n_trees[chosen], told.curve[chosen], name="out of bag")],
    )
