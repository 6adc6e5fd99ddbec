"""The rounds of boosting as a chart: loss by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, Line, Mark
from treewright.chart.marks import AnyMark
from treewright.ensemble.rounds import drawn_rounds

if TYPE_CHECKING:
    from treewright.boosting.rounds import GradientRounds


def rounds_chart(rounds: GradientRounds) -> Chart:
    """Return the losses of training and of held-out rows after each round."""
    number = np.array([each.number for each in rounds], dtype=np.float64)
    train = np.array([_known(each.train_loss) for each in rounds])
    held_out = np.array([_known(each.validation_loss) for each in rounds])
    title, marks = "Loss by round", list[AnyMark]()
    chosen = drawn_rounds(len(number))
    if np.isfinite(held_out).any():
        lowest = int(np.nanargmin(held_out))
        chosen = np.union1d(chosen, [lowest])
        title = f"Validation loss is lowest at round {number[lowest]:,.0f}"
        marks.append(Line(number[chosen], held_out[chosen], name="validation"))
        name = f"lowest: round {number[lowest]:,.0f}"
        marks.append(Mark(float(number[lowest]), float(held_out[lowest]), name=name))
    if np.isfinite(train).any() and len(number):
        role = "training" if marks else "validated"
        marks.append(
            Line(number[chosen], train[chosen], role=role, name="training")  # type: ignore[arg-type]
        )
    if not marks:  # no loss was measured
        leaves = np.array([each.n_leaves for each in rounds], dtype=np.float64)
        return Chart(
            title=f"{len(number):,} rounds of {leaves.min():,.0f} to {leaves.max():,.0f} leaves"
            if len(number)
            else "No rounds",
            subtitle="Leaves of each round",
            x=Axis("round"),
            y=Axis("leaves", limits=(0, None)),
            marks=[Line(number[chosen], leaves[chosen])] if len(number) else [],
        )
    return Chart(
        title=title,
        subtitle="Mean loss of the rows after each round",
        x=Axis("round"),
        y=Axis("loss"),
        marks=marks,
    )


def _known(loss: float | None) -> float:
    return float("nan") if loss is None else float(loss)
