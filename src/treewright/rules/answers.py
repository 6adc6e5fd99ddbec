"""From the rules that rows meet to one prediction per row: votes, or shares of a divided row.

Sums run over the rules of a row in their order, so that a prediction does not depend on the batch
that the row is in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.tree.leaf import by_output
from treewright.tree.linear_leaves import LinearModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.table import Table
    from treewright.rules.matching import Matches
    from treewright.rules.rule import Rule


def by_votes(
    matches: Iterable[Matches],
    codes: Int64Array,
    confidences: FloatArray,
    *,
    n_rows: int,
    n_classes: int,
) -> FloatArray:
    """Return the votes of each class for each row: sums of the vote weights of the rules it meets.

    Parameters
    ----------
    matches
        Which rows meet which rules.
    codes, confidences
        The class of each rule, and its vote weight (confidence).
    n_rows, n_classes
        Shape of the result.
    """
    votes = np.zeros((n_rows, n_classes))
    for some in matches:
        np.add.at(votes, (some.rows, codes[some.rules]), confidences[some.rules])
    return votes


class Answers:
    """Predictions of rules: constant, or by a linear model.

    Parameters
    ----------
    rules
        The rules; index -1 is the last of them.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.lines = np.array([rule.distribution for rule in rules])
        self._models: dict[int, LinearModel] = {
            number: rule.label
            for number, rule in enumerate(rules)
            if isinstance(rule.label, LinearModel)
        }

    def numbered(self) -> Int64Array:
        """Return a number for each rule, equal for equal predictions; linear models all differ."""
        numbers = np.unique(self.lines, axis=0, return_inverse=True)[1].ravel()
        for place, number in enumerate(self._models, start=len(numbers)):
            numbers[number] = place
        return numbers

    def at(self, table: Table, rows: Int64Array, rules: Int64Array) -> FloatArray:
        """Return the prediction of each rule for its row, one row of the result each."""
        said: FloatArray = self.lines[rules]
        for number in np.unique(rules).tolist():
            if number in self._models:
                pairs = np.flatnonzero(rules == number)
                said[pairs, 0] = self._models[number].predict(table.take(rows[pairs]))
        return said


@dataclass(frozen=True, kw_only=True)
class Shared:
    """Predictions of the leaves of a tree, for rows that may reach several of them.

    Parameters
    ----------
    answers
        Prediction of each leaf: class probabilities (outputs side by side), or a number.
    weights
        The class weights behind them; the training weight of each leaf where it predicts numbers.
    is_empty
        Leaves that no training row reached.
    classes
        The classes of each output; None for numbers.
    combine
        ``"branch_fractions"`` weights leaves by the share of the row, ``"leaf_counts"`` by their
        training rows.
    """

    answers: Answers
    weights: FloatArray
    is_empty: BoolArray
    classes: tuple[Array, ...] | None
    combine: str

    @classmethod
    def of(
        cls, rules: Sequence[Rule], *, classes: tuple[Array, ...] | None, combine: str
    ) -> Shared:
        """Return the predictions of rules that were read from the leaves of a tree."""
        covers = np.array([rule.covers for rule in rules])
        weights = covers[:, np.newaxis]
        if classes is not None:
            weights = np.array([rule.weights for rule in rules])
        return cls(
            answers=Answers(rules),
            weights=weights,
            is_empty=covers <= 0,
            classes=classes,
            combine=combine,
        )

    def combined(self, matches: Iterable[Matches], table: Table) -> FloatArray:
        """Return the prediction of each row, combined from the leaves it reaches as in the tree."""
        out = np.zeros((table.n_rows, self.answers.lines.shape[1]))
        found = [(some.rows, some.rules, some.degrees) for some in matches]
        if not found:
            return out
        rows, leaves, shares = (np.concatenate(part) for part in zip(*found, strict=True))
        reached = shares > 0
        rows, leaves, shares = rows[reached], leaves[reached], shares[reached]
        said = self.answers.at(table, rows, leaves)
        alone = np.bincount(rows, minlength=table.n_rows)[rows] == 1
        out[rows[alone]] = said[alone]
        rows, leaves, shares, said = rows[~alone], leaves[~alone], shares[~alone], said[~alone]
        if len(rows) == 0:
            return out
        divided, place = np.unique(rows, return_inverse=True)
        mixed = self._added(place, said * shares[:, np.newaxis], len(divided))
        total = self._added(place, shares[:, np.newaxis], len(divided))
        if self.combine == "leaf_counts":
            counts, n_counted = self._counted(place, leaves, said, len(divided))
            known = n_counted > 0  # else only leaves without training rows are reached
            mixed[known], total[known] = counts[known], n_counted[known, np.newaxis]
        out[divided] = self._normalised(mixed, total)
        return out

    def _counted(
        self, place: Int64Array, leaves: Int64Array, said: FloatArray, n_rows: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return sums of the class weights of leaves; leaves without training rows are left out."""
        if self.classes is None:
            part = self.weights[leaves]
            total = self._added(place, part, n_rows)[:, 0]
            return self._added(place, part * said, n_rows), total
        speaks = ~self.is_empty[leaves]
        counts = self._added(place[speaks], self.weights[leaves[speaks]], n_rows)
        return counts, np.bincount(place[speaks], minlength=n_rows).astype(np.float64)

    def _normalised(self, mixed: FloatArray, total: FloatArray) -> FloatArray:
        if self.classes is None:
            return mixed / total
        parts = by_output(mixed, self.classes)
        return np.hstack([part / part.sum(axis=1, keepdims=True) for part in parts])

    @staticmethod
    def _added(place: Int64Array, lines: FloatArray, n_rows: int) -> FloatArray:
        """Return the sums of rows by position, added in their order."""
        columns = [np.bincount(place, weights=column, minlength=n_rows) for column in lines.T]
        return np.column_stack(columns)
