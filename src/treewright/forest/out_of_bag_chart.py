"""The out-of-bag error of a forest as a chart: by the number of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, Line
from treewright.chart.words import percent

if TYPE_CHECKING:
    from treewright.forest.out_of_bag import OutOfBag

_MOST_POINTS = 400


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
        x=Axis("trees"),
        y=Axis("error", limits=(0, None), form="percent" if is_rate else "number"),
        marks=[Line(n_trees[chosen], told.curve[chosen], name="out of bag")],
    )
