"""The rounds of AdaBoost as a chart: error of the votes, of each learner, and the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.chart import Axis, Chart, Line
from treewright.chart.words import percent
from treewright.ensemble.rounds import drawn_rounds

if TYPE_CHECKING:
    from treewright.adaboost.rounds import Rounds
    from treewright.array_types import FloatArray


def rounds_chart(rounds: Rounds) -> Chart:
    """Return the error of the votes so far by round, beside that of the learner of each round."""
    every = list(rounds)
    number = np.array([each.number for each in every], dtype=np.float64)
    votes, bound, single = (
        np.array([getattr(each, name) for each in every], dtype=np.float64)
        for name in ("training_error", "bound", "error")
    )
    chosen = drawn_rounds(len(every))
    is_classes = bool(np.isfinite(votes).any())
    marks = []
    if np.isfinite(bound).any():
        shown = np.where(bound <= 1.0, bound, np.nan)
        marks.append(Line(number[chosen], shown[chosen], role="reference", name="bound"))
    marks.append(
        Line(
            number[chosen],
            single[chosen],
            role="other" if is_classes else "validated",
            name="one learner" if is_classes else "mean loss",
        )
    )
    if is_classes:
        marks.append(Line(number[chosen], votes[chosen], name="votes so far"))
    return Chart(
        title=_title(votes),
        subtitle="Share of the weight that is answered wrongly, on the rows learned from"
        if is_classes
        else "Mean loss of the learner of each round, by the weights of that round",
        caption="One learner: by the weights of its round. Bound: Freund and Schapire 1997."
        if np.isfinite(bound).any()
        else "One learner: by the weights of its round."
        if is_classes
        else "",
        x=Axis("round"),
        y=Axis(form="percent", limits=(0, None)) if is_classes else Axis("loss", limits=(0, None)),
        marks=marks,
    )


def _title(votes: FloatArray) -> str:
    if not np.isfinite(votes).any():
        return "Loss by round"
    last, first = float(votes[-1]), float(votes[0])
    if last < first:
        return (
            f"{len(votes):,} learners together err by {percent(last, decimals=1)} of the rows "
            f"learned from, the first alone by {percent(first, decimals=1)}"
        )
    return f"{len(votes):,} learners err by {percent(last, decimals=1)} of the rows learned from"
