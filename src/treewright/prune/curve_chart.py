"""The curve of pruning as a chart: error by the number of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, Line, Mark
from treewright.chart.marks import AnyMark, Role

if TYPE_CHECKING:
    from treewright.prune.record import Curve, Pruning

_ROLES: dict[str, Role] = {"validation": "validated", "train": "training", "test": "test"}
_NAMES = {"train": "training", "validation": "validation", "test": "test"}


def curve_chart(curve: Curve, *, title: str, subtitle: str, is_rate: bool) -> Chart:
    """Return the error of each set of rows against the number of leaves, with the size chosen."""
    sizes = curve.n_leaves.astype(np.float64)
    marks: list[AnyMark] = []
    judged = "validation" if "validation" in curve.errors else next(iter(curve.errors), None)
    for name, errors in curve.errors.items():
        role = "validated" if name == judged else _ROLES.get(name, "other")
        marks.append(Line(sizes, errors, role=role, name=_NAMES.get(name, name)))
    if judged is not None and len(sizes) and np.isfinite(curve.errors[judged][-1]):
        n_leaves = int(curve.n_leaves[-1])
        name = f"chosen: {n_leaves:,} {'leaf' if n_leaves == 1 else 'leaves'}"
        marks.append(Mark(float(sizes[-1]), float(curve.errors[judged][-1]), name=name))
    return Chart(
        title=title,
        subtitle=subtitle,
        x=Axis("leaves", scale="log", unit=("leaf", "leaves")),
        y=Axis("error", limits=(0, None), form="percent" if is_rate else "number"),
        marks=marks,
    )


def pruning_chart(pruning: Pruning) -> Chart:
    """Return the curve of a pruning, from the grown tree to the pruned one."""
    before, after = pruning.tree.n_leaves, int(pruning.curve.n_leaves[-1])
    leaves = "leaf" if after == 1 else "leaves"
    title = f"Pruned from {before:,} to {after:,} {leaves}"
    if not len(pruning):
        title = f"Nothing was cut: {before:,} {leaves}"
    # Under a cost matrix errors are mean costs, which may exceed 1.
    is_rate = pruning.tree.classes is not None and pruning.tree.leaf.cost_matrix is None
    what = "error" if is_rate else "cost" if pruning.tree.classes is not None else "squared error"
    return curve_chart(
        pruning.curve,
        title=title,
        subtitle=f"Mean {what} by the number of leaves (log scale), {pruning.method}".replace(
            "Mean error", "Error"
        ),
        is_rate=is_rate,
    )
