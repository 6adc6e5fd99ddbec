"""One rule: its conditions, its prediction, and its figures on the rows counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.fitted_schema import FittedSchema
from treewright.data.read.rows import read_row
from treewright.errors import ParameterError
from treewright.measures.error_estimates import wilson_interval
from treewright.parameters import is_list
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure
from treewright.tree.condition import (
    COMPLETE,
    Condition,
    Conjunction,
    LinearInterval,
    Members,
    Wording,
    condition,
    merge,
    rows_that_meet,
)
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.rules.routing import Passage


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule(ShownInNotebooks):
    """``IF`` the conditions hold ``THEN`` the label.

    Parameters
    ----------
    conditions
        At most one per column, in the order the path first asks about it.
    label
        The class or number predicted.
    schema
        The columns of the conditions.
    leaf
        The leaf it was read from; None for a rule that has been changed since, or has no tree.
    n_rows, covers
        Rows that meet it, and their weight: training rows (of a tree's rule, those in
        its leaf) unless the learner of the rule documents others.
    errors
        The weight of those whose class is another; None for regression and several outputs.
    distribution
        Class probabilities (outputs side by side), or the prediction(s).
    weights
        The class weights behind the probabilities; empty for numbers.
    confidence
        Estimated accuracy. Unless given, (n - m + 1) / (n + 2) of n rows covered and m of them
        wrong, as in C5.0; None where there are no errors to count.
    passages
        The path to the leaf node by node, where rows with missing values are divided or routed by
        surrogates, which conditions cannot express. Empty where conditions suffice.
    """

    conditions: Conjunction
    label: Any
    schema: FittedSchema = field(repr=False)
    leaf: int | None = None
    n_rows: int = 0
    covers: float = 0.0
    errors: float | None = 0.0
    distribution: FloatArray = field(repr=False, default_factory=lambda: np.empty(0))
    weights: FloatArray = field(repr=False, default_factory=lambda: np.empty(0))
    confidence: float | None = None
    passages: tuple[Passage, ...] = field(repr=False, default=())

    def __post_init__(self) -> None:
        if self.confidence is None and self.errors is not None:
            confidence = (self.covers - self.errors + 1) / (self.covers + 2)
            object.__setattr__(self, "confidence", confidence)

    @classmethod
    def of(
        cls, schema: FittedSchema, conditions: Sequence[tuple[str, str, object]], label: object
    ) -> Rule:
        """Return one built from ``(column, test, value)``, e.g. ``("neck", "!=", "tie")``."""
        if not isinstance(schema, FittedSchema):
            raise ParameterError(
                f"schema={schema!r} does not describe a table that was read.\n  Hint: tree.schema."
            )
        for each in conditions if is_list(conditions) else [conditions]:
            if not is_list(each) or len(each) != 3:
                raise ParameterError(
                    f"{each!r} is no condition.\n"
                    "  Hint: a list of (column, test, value), such as [('neck', '!=', 'tie')]."
                )
        built = merge(condition(schema, *each) for each in conditions)
        return cls(conditions=built, label=label, schema=schema)

    @property
    def accuracy(self) -> float | None:
        """Share of the weight covered that is predicted correctly; None if it covers nothing."""
        if self.errors is None or self.covers <= 0:
            return None
        return 1 - self.errors / self.covers

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the accuracy (Wilson 1927); 0 to 1 if it is unknown."""
        if self.errors is None:
            return 0.0, 1.0
        low, high = wilson_interval(self.covers - self.errors, self.covers, level=level)
        return float(low), float(high)

    def __str__(self) -> str:
        return self.text()

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return its text on one line, with long lists in full."""
        covered = f"{figure(self.covers)} covered"
        if self.errors is not None:
            covered += f", {figure(self.errors)} wrong"
        return f"IF {self.premise(wording)} THEN {label_in_words(self.label)}  ({covered})"

    def premise(self, wording: Wording = COMPLETE) -> str:
        """Return the text of the conditions; ``true`` where there are none."""
        return " AND ".join(each.text(wording) for each in self.conditions) or "true"

    def matches(self, row: object) -> bool:
        """Return whether a row (as for ``Tree.explain``) meets every condition.

        A value that the tree would divide among branches meets none of their conditions, and
        surrogates are not part of a rule; :class:`~treewright.RuleSet` handles both.
        """
        asked = {each.column.name for each in self.conditions}
        optional = [name for name in self.schema.names if name not in asked]
        table = read_row(row, self.schema, optional=optional)
        return bool(rows_that_meet(self.conditions, table)[0])

    def column_indices(self) -> set[int]:
        """Return the positions of the columns needed to test whether a row meets the rule."""
        used: set[int] = set()
        for each in self.conditions:
            if isinstance(each, LinearInterval):
                used.update(index for index, _ in each.terms)
            else:
                used.add(each.index)
        return used.union(*(passage.crossing.column_indices for passage in self.passages))

    def shortened(self, conditions: Conjunction) -> Rule:
        """Return the rule with other conditions; it no longer belongs to a leaf."""
        return replace(self, conditions=conditions, leaf=None, passages=())


def identity(given: Condition) -> object:
    """Return a key that is equal for two conditions of the same rules exactly if they are equal.

    Conditions can be compared directly, but that compares their whole column descriptions.
    """
    if isinstance(given, Members):
        asked: object = (given.codes, given.strays, given.barred)
    else:
        asked = (given.low, given.high, given.known)
    return (given.key, asked, given.missing, given.unseen)
