"""Counts of rules on rows whose classes are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import Array
from treewright.data.read.rows import read_rows
from treewright.data.read.target import read_classes
from treewright.data.read.weights import read_weights
from treewright.errors import TargetError, UnsupportedError
from treewright.rules.matching import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.rules.rule import Rule


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledRows:
    """Rows with their classes and weights.

    Parameters
    ----------
    table
        The rows.
    codes
        The class of each row, as a position in `classes`.
    weight
        Weight of each row.
    classes
        The classes.
    """

    table: Table
    codes: Int64Array
    weight: FloatArray
    classes: Array

    @classmethod
    def read(
        cls,
        X: object,
        y: object,
        sample_weight: object = None,
        *,
        schema: FittedSchema,
        classes: tuple[Array, ...] | None,
        owner: str,
    ) -> LabelledRows:
        """Return rows with their classes and weights, to evaluate rules on."""
        if classes is None or len(classes) > 1:
            what = "numbers" if classes is None else "several classes at once"
            raise UnsupportedError(f"{owner} is for one class per row; these rules give {what}.")
        table = read_rows(X, schema, owner=owner)
        target = read_classes(y, owner=owner, n_rows=table.n_rows)
        if not target.single:
            raise TargetError(f"{owner} takes one class per row, but y has several columns.")
        code_of_label = {label: code for code, label in enumerate(classes[0].tolist())}
        given = target.classes[0].tolist()
        # A class unknown to training is always predicted wrongly: no code of a rule is -1.
        code_of_given = np.array([code_of_label.get(label, -1) for label in given], dtype=np.int64)
        weight = read_weights(sample_weight, table.n_rows)
        return cls(
            table=table,
            codes=code_of_given[target.codes],
            weight=np.ones(table.n_rows) if weight is None else weight,
            classes=classes[0],
        )

    @cached_property
    def class_weights(self) -> FloatArray:
        """Weight of each class."""
        known = self.codes >= 0
        weights = np.bincount(
            self.codes[known], weights=self.weight[known], minlength=len(self.classes)
        )
        return weights.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class RuleCounts:
    """Counts of the rows that meet one rule.

    Parameters
    ----------
    n_rows, covers
        The rows that meet it, and their weight.
    weights
        The weight of each class among them.
    """

    n_rows: int
    covers: float
    weights: FloatArray


def count(rules: Sequence[Rule], rows: LabelledRows) -> list[RuleCounts]:
    """Return counts of the rows that meet each rule, on its own; last, of those that meet none.

    A divided row counts for each rule that it may meet.
    """
    n_rows = np.zeros(len(rules) + 1, dtype=np.int64)
    weights = np.zeros((len(rules) + 1, len(rows.classes) + 1))  # code -1 is the last
    is_open = np.ones(rows.table.n_rows, dtype=bool)
    for some in Matcher(rules).matches(rows.table):
        np.add.at(n_rows, some.rules, 1)
        np.add.at(weights, (some.rules, rows.codes[some.rows]), rows.weight[some.rows])
        is_open[some.rows] = False
    n_rows[-1] = is_open.sum()
    np.add.at(weights[-1], rows.codes[is_open], rows.weight[is_open])
    return [
        RuleCounts(n_rows=int(n), covers=float(line.sum()), weights=line[:-1])
        for n, line in zip(n_rows, weights, strict=True)
    ]


def count_by_rule(numbers: Int64Array, n_rules: int, rows: LabelledRows) -> FloatArray:
    """Return the weight of each class among the rows of each rule, -1 counted last.

    Parameters
    ----------
    numbers
        The rule of each row, -1 for none.
    n_rules
        Number of rules.
    rows
        The rows.
    """
    weights = np.zeros((n_rules + 1, len(rows.classes) + 1))
    np.add.at(weights, (numbers, rows.codes), rows.weight)
    return weights[:, :-1]


def with_figures(
    rule: Rule, tally: RuleCounts, rows: LabelledRows, *, confidence: float | None = None
) -> Rule:
    """Return the rule with its figures counted on some rows."""
    code = rows.classes.tolist().index(rule.label)
    return replace(
        rule,
        n_rows=tally.n_rows,
        covers=tally.covers,
        errors=max(tally.covers - float(tally.weights[code]), 0.0),
        weights=tally.weights,
        confidence=confidence,
    )
