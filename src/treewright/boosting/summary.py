"""The summary of boosted trees: how many, how large, how they were chosen, what they ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.rounds import GradientRounds, RoundsChoice
from treewright.chart import DotChart
from treewright.ensemble.shares_chart import shares_chart
from treewright.explain.importances import Importances
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure
from treewright.text.table import TextColumn, lay_out

_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BoostingSummary(ShownInNotebooks):
    """The summary of a boosted model; ``print`` it.

    Attributes
    ----------
    name : str
        The name of the estimator.
    loss : str
    n_rounds, n_trees : int
        Rounds, and trees of all rounds: one per round, or one per class.
    learning_rate : float
    leaves : tuple of float
        Leaves of the smallest round, of the median one and of the largest.
    validation_loss : float
        Loss of the held-out rows after the last round; NaN where none were held out.
    choice : RoundsChoice or None
        How the number of rounds was chosen; None where it was given.
    columns : tuple of (str, float)
        Columns that are asked, with their share of the gain, descending.
    n_columns : int
        Columns of the table.
    """

    name: str
    loss: str
    n_rounds: int
    n_trees: int
    learning_rate: float
    leaves: tuple[float, float, float]
    validation_loss: float
    choice: RoundsChoice | None
    columns: tuple[tuple[str, float], ...]
    n_columns: int

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, *, ascii: bool = False) -> str:
        """Return all figures as text."""
        least, median, most = map(figure, self.leaves)
        rows = [
            ("rounds", f"{self.n_rounds:,} of learning rate {self.learning_rate:g}"),
            ("trees", f"{self.n_trees:,}"),
            ("leaves of a round", f"{least} to {most}, median {median}"),
        ]
        if self.validation_loss == self.validation_loss:
            rows.append(("loss of held-out rows", figure(self.validation_loss)))
        width = max(len(words) for words, _ in rows)
        parts = [
            f"{self.name}: {len(self.columns):,} of {self.n_columns:,} columns asked,"
            f" by {self.loss}",
            "\n".join(f"{words.ljust(width)}  {value}" for words, value in rows),
        ]
        if self.choice is not None:
            parts.append(str(self.choice))
        if self.columns:
            parts.append(self._uses(ascii))
        return parts[0] + "\n" + "\n\n".join(parts[1:])

    def draw(self) -> DotChart:
        """Return a picture: each column's share of the gain."""
        what = f"Share of the gain of {self.n_trees:,} trees"
        return shares_chart(self.columns, verb="gains most", subtitle=what)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain lists, strings and numbers."""
        told = {**vars(self), "leaves": list(self.leaves), "columns": dict(self.columns)}
        told["choice"] = None if self.choice is None else self.choice.to_dicts()
        if told["validation_loss"] != told["validation_loss"]:
            told["validation_loss"] = None
        return told

    def _uses(self, ascii: bool) -> str:
        shown = self.columns[:_MOST_NAMED]
        table = lay_out(
            [
                TextColumn("column", [name for name, _ in shown]),
                TextColumn("share of gain", [f"{share:.3f}" for _, share in shown], right=True),
            ]
        )
        n_more = len(self.columns) - len(shown)
        return f"{table}\n{'...' if ascii else '…'} {n_more} more" if n_more else table


def summarise(
    model: BoostedEnsemble,
    *,
    name: str,
    loss: str,
    learning_rate: float,
    rounds: GradientRounds,
    choice: RoundsChoice | None,
    importances: Importances,
) -> BoostingSummary:
    """Return the summary of a boosted model."""
    leaves = np.array([each.n_leaves for each in rounds] or [0])
    return BoostingSummary(
        name=name,
        loss=loss,
        n_rounds=model.n_rounds,
        n_trees=len(model),
        learning_rate=learning_rate,
        leaves=(float(leaves.min()), float(np.median(leaves)), float(leaves.max())),
        validation_loss=rounds[-1].validation_loss if len(rounds) else np.nan,
        choice=choice,
        columns=tuple((each.name, each.mean) for each in importances if each.mean > 0.0),
        n_columns=len(model.schema),
    )
