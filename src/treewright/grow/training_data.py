"""Training data: a table, a target and the weights of rows, read by one specification.

Trees, forests and boosting read their data by the one function here; what reads a target or weights
beside a table of its own (external learners, a record made again) uses the same :class:`Reading`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.data.identifiers import warn_of_groups
from treewright.data.read.groups import RowGroups
from treewright.data.read.leaks import warn_of_leaks
from treewright.data.read.table import read_table, typed_by_weight
from treewright.data.read.target import ClassTarget, ValueTarget, read_classes, read_values
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.errors import SmallDataWarning, TargetError, warn
from treewright.grow.target_scaling import shift_of

if TYPE_CHECKING:
    from treewright.data.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read training data: the task, and what the user has declared about them.

    Parameters
    ----------
    owner
        The learner, for messages.
    learns
        The task: a target of classes or of numbers.
    several_outputs
        Whether the target may have several columns.
    schema, categorical_features
        Declarations about the columns.
    class_weight, priors
        Weights of the classes.
    relative_weights
        Whether only the ratios of weights matter, not their scale (what draws rows or penalizes).
    """

    owner: str
    learns: Literal["classes", "numbers"]
    several_outputs: bool = False
    schema: Schema | None = None
    categorical_features: Any = None
    class_weight: Any = None
    priors: Any = None
    relative_weights: bool = False

    def read_target(self, y: Any, n_rows: int) -> ClassTarget | ValueTarget:
        """Return the target; refuse one of another task."""
        target: ClassTarget | ValueTarget
        if self.learns == "classes":
            order = () if self.schema is None else self.schema.class_order
            target = read_classes(y, owner=self.owner, n_rows=n_rows, class_order=order)
        else:
            target = read_values(y, owner=self.owner, n_rows=n_rows)
        if not target.single and not self.several_outputs:
            raise TargetError(
                f"{self.owner} learns one target, but y has {target.n_outputs} columns."
                "\n  Hint: DecisionTreeClassifier and DecisionTreeRegressor take several."
            )
        return target

    def read_weights(
        self, sample_weight: Any, target: ClassTarget | ValueTarget, n_rows: int
    ) -> RowWeights:
        """Return the weights of the rows, with the factors of their classes."""
        weights = RowWeights.read(
            sample_weight, n_rows, target, class_weight=self.class_weight, priors=self.priors
        )
        return weights.relative() if self.relative_weights else weights


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """A table, its target, the weights of its rows, and the groups they belong to, if any."""

    table: Table
    target: ClassTarget | ValueTarget
    weights: RowWeights
    groups: RowGroups | None = None

    def take(self, rows: Int64Array) -> Self:
        """Return the training data of the given rows."""
        return replace(
            self,
            table=self.table.take(rows),
            target=self.target.take(rows),
            weights=self.weights.take(rows),
            groups=None if self.groups is None else self.groups.take(rows),
        )

    def warn_of_groups(self, figures: str) -> None:
        """Warn if rows seem to belong to groups that were not given; `figures` mislead then."""
        if self.groups is not None:
            return
        target = self.target
        known = target.codes if isinstance(target, ClassTarget) else self.learned_values()
        first = known.reshape(len(known), -1)[:, 0]
        warn_of_groups(self.table, first, of_classes=self.is_classification, figures=figures)

    @property
    def is_classification(self) -> bool:
        """Whether the target has classes."""
        return isinstance(self.target, ClassTarget)

    @property
    def n_outputs(self) -> int:
        """Number of targets trained on together."""
        return self.target.n_outputs

    @cached_property
    def shift(self) -> int:
        """Power of two by which the target is divided for training; 0 but for extreme sizes."""
        if isinstance(self.target, ClassTarget):
            return 0
        values = self.target.values
        if self.weights.weight is not None:  # rows of weight 0 have no influence
            values = values[self.weights.weight > 0]
        return shift_of(values, self.total_weight)

    def learned_values(self) -> FloatArray:
        """Return a target of numbers, divided by the power of two of `shift` for training."""
        assert isinstance(self.target, ValueTarget)
        values: FloatArray = np.ldexp(self.target.values, -self.shift)
        return values

    @property
    def n_copies(self) -> float:
        """Number of rows of positive weight, copies counted."""
        if self.weights.copies is not None:
            return float(self.weights.copies.sum())
        weight = self.weights.weight
        return float(self.table.n_rows if weight is None else np.count_nonzero(weight))

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        weight = self.weights.weight
        return self.n_copies if weight is None else float(weight.sum())


def read_training_data(
    X: Any, y: Any, sample_weight: Any, reading: Reading, *, groups: Any = None
) -> TrainingData:
    """Return a table, its target, the weights and the groups of its rows as training data.

    Examples
    --------
    >>> reading = Reading(owner="Tree", learns="classes", class_weight="balanced")
    >>> data = read_training_data([[1], [2], [3]], ["a", "b", "b"], None, reading)
    >>> data.weights.weight.tolist()
    [1.5, 0.75, 0.75]
    """
    table = read_table(X, schema=reading.schema, categorical_features=reading.categorical_features)
    target = reading.read_target(y, table.n_rows)
    weights = reading.read_weights(sample_weight, target, table.n_rows)
    table = typed_by_weight(table, weights.weight)
    warn_of_leaks(table, target)
    if table.n_rows == 1:
        warn("the table has a single row (n_samples = 1): the tree is one leaf.", SmallDataWarning)
    together = RowGroups.read(groups, table.n_rows)
    return TrainingData(table=table, target=target, weights=weights, groups=together)
