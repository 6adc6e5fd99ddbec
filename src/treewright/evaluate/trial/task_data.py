"""The rows that learners are judged on: a table of any kind, its target, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.read.dataframes import target_array
from treewright.data.read.table import open_table
from treewright.data.read.take_rows import take_rows
from treewright.data.read.target import read_classes
from treewright.errors import DataError, UnsupportedError
from treewright.evaluate.metrics import Task
from treewright.evaluate.trial.answers import (
    Answers,
    as_target,
    check_probabilities,
    code_classes,
    find_positive,
)
from treewright.grow.costs import read_costs
from treewright.parameters import check_choice


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskData:
    """A table with a target, checked once.

    Parameters
    ----------
    X, y_as_given
        The table, in the type it was given in, and the target as an array of the type that
        learners are to see.
    y
        The target: objects for classes, floats for numbers.
    task
        What is predicted.
    classes, positive, cost_matrix
        Of a target of classes; see :class:`Answers`.
    weights, groups
        One entry per row, or None.
    """

    X: Any
    y_as_given: Array
    y: Array
    task: Task
    classes: tuple[Any, ...] = ()
    positive: Any = None
    cost_matrix: FloatArray | None = None
    weights: FloatArray | None = None
    groups: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @cached_property
    def codes(self) -> Int64Array:
        """Position of each row's class among the classes."""
        return code_classes(self.y, self.classes)

    def class_weights(self, rows: Array) -> FloatArray:
        """Return the weight of each class among some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return np.bincount(self.codes[rows], weights, len(self.classes)).astype(np.float64)

    @cached_property
    def _last_taken(self) -> list[tuple[Array, Any]]:
        """The tables of the rows that were asked for last, newest first."""
        return []

    @cached_property
    def _last_target(self) -> list[tuple[Array, Array]]:
        """The target of the rows that were asked for last."""
        return []

    def table_of(self, rows: Array, *, may_share: bool = False) -> Any:
        """Return the table of some rows, in the type that it was given in.

        With `may_share` learners that leave tables as they are get the same one: the rows of a
        fold, to learn from and to judge on, are taken once for all of them.
        """
        if not may_share:
            return take_rows(self.X, rows)
        for known, table in self._last_taken[:2]:
            if known is rows:
                return table
        table = take_rows(self.X, rows)
        self._last_taken[:] = [(rows, table), *self._last_taken[:1]]
        return table

    def target_of(self, rows: Array, *, may_share: bool = False) -> Array:
        """Return the target of some rows as learners are to see it, as `table_of` does."""
        for known, target in self._last_target[:1] if may_share else ():
            if known is rows:
                return target
        target = self.y_as_given.take(rows)
        if may_share:
            self._last_target[:] = [(rows, target)]
        return target

    @property
    def all_rows(self) -> Int64Array:
        """Positions of all rows."""
        return np.arange(self.n_rows)

    def part(self, rows: Int64Array) -> TaskData:
        """Return some of the rows as data of their own; classes stay those of all."""
        return replace(
            self,
            X=take_rows(self.X, rows),
            y_as_given=self.y_as_given[rows],
            y=self.y[rows],
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
        )

    def as_answers(self, predicted: Array) -> Array:
        """Return predictions as the classes themselves (1.0 as 1, for one), or as floats.

        A class that there is none of is refused.
        """
        if self.task == "numbers":
            return predicted.astype(np.float64)
        return self._class_of_code[code_classes(predicted, self.classes)]

    @cached_property
    def _class_of_code(self) -> Array:
        listed = np.empty(len(self.classes), dtype=object)
        listed[:] = self.classes
        return listed

    def judged(self, rows: Array, predicted: Array, probabilities: FloatArray | None) -> Answers:
        """Return answers about some rows beside the truth; refuse a class that there is none of."""
        if self.task == "numbers":
            return self._beside_truth(rows, self.as_answers(predicted), probabilities)
        return self.judged_codes(rows, code_classes(predicted, self.classes), probabilities)

    def judged_codes(
        self, rows: Array, predicted: Int64Array, probabilities: FloatArray | None
    ) -> Answers:
        """Return the same of answers given as positions among the classes."""
        answers = self._beside_truth(rows, self._class_of_code[predicted], probabilities)
        return answers.with_codes(self.codes[rows], predicted)

    def _beside_truth(
        self, rows: Array, predicted: Array, probabilities: FloatArray | None
    ) -> Answers:
        return Answers(
            actual=self.y[rows],
            predicted=predicted,
            probabilities=probabilities,
            classes=self.classes,
            positive=self.positive,
            cost_matrix=self.cost_matrix,
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
        )


def read_task_data(
    X: Any,
    y: Any,
    *,
    task: Task,
    owner: str,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
) -> TaskData:
    """Check a table with its target, weights and groups.

    Classes that are given, in their order, may be more than the rows have.
    """
    given = as_target(y)
    n_rows = open_table(X).n_rows
    if n_rows != len(given):
        raise DataError(f"X has {n_rows} rows and y has {len(given)}; they must be equally many.")
    names: tuple[Any, ...] = ()
    if task == "classes":
        known = read_classes(y, owner=owner)
        target = np.empty(len(given), dtype=object)
        target[:] = known.classes[0][known.codes.ravel()].tolist()
        if classes is not None:
            listed = np.empty(len(classes), dtype=object)
            listed[:] = list(classes)
            known = replace(known, classes=(listed,))
            code_classes(target, list(classes))
        names = tuple(known.classes[0].tolist())
        positive = find_positive(positive, names)
        costs = read_costs(cost_matrix, known)
    else:
        target, costs = _numbers(given), None
        if cost_matrix is not None:
            raise UnsupportedError("cost_matrix is for classes; numbers are predicted here.")
    return TaskData(
        X=X,
        y_as_given=given,
        y=target,
        task=task,
        classes=names,
        positive=positive,
        cost_matrix=costs,
        weights=read_weights(sample_weight, len(given)),
        groups=read_groups(groups, len(given)),
    )


def read_answers(
    y: Any,
    predicted: Any,
    *,
    task: Task | None = None,
    probabilities: Any = None,
    classes: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
) -> Answers:
    """Check answers that are there already, beside the truth; parameters as for ``scores``."""
    actual, given = as_target(y), as_target(predicted, name="predicted")
    if len(given) != len(actual):
        raise DataError(f"y has {len(actual)} rows and predicted has {len(given)}.")
    if task is None:
        task = "numbers" if actual.dtype.kind == "f" else "classes"
    check_choice("task", task, get_args(Task))
    if task == "classes" and classes is None:
        both = np.concatenate([actual.astype(object), given.astype(object)])
        classes = read_classes(both, owner="scores").classes[0].tolist()
    data = read_task_data(
        {"row": np.arange(len(actual))},
        actual,
        task=task,
        owner="scores",
        classes=classes,
        positive=positive,
        cost_matrix=cost_matrix,
        sample_weight=sample_weight,
        groups=groups,
    )
    found = _read_probabilities(probabilities, data)
    return data.judged(data.all_rows, given, found)


def _numbers(y: Array) -> FloatArray:
    try:
        values = y.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("the target is no number in every row.") from None
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise DataError(
            f"the target is {values[wrong[0]]} in row {wrong[0]}.\n  Hint: leave such rows out."
        )
    return values


def read_weights(given: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of rows, checked; None where they are not given."""
    if given is None:
        return None
    try:
        weights = np.asarray(target_array(given), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight is no number in every row.") from None
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape}; {n_rows} rows need {n_rows} weights."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise DataError(
            f"sample_weight is {weights[wrong[0]]} in row {wrong[0]}; it must be finite, 0 or more."
        )
    if weights.sum() == 0:
        raise DataError("sample_weight is zero in every row.")
    return weights


def read_groups(given: Any, n_rows: int) -> Array | None:
    """Return what belongs together, an entry per row, checked; None where it is not given."""
    if given is None:
        return None
    if isinstance(given, str):
        raise DataError(
            f"groups={given!r} must have an entry per row.\n  Hint: groups=X[{given!r}]."
        )
    groups = target_array(given)
    if groups.shape != (n_rows,):
        raise DataError(f"groups has shape {groups.shape}; {n_rows} rows need {n_rows} entries.")
    if groups.dtype.kind in "biuSU":
        return groups
    # Numbers in the place of objects, which may have no order.
    number: dict[Any, int] = {}
    codes = np.empty(n_rows, dtype=np.int64)
    for row, label in enumerate(groups.tolist()):
        if label is None or label != label:
            raise DataError(
                f"groups[{row}] is {label!r}, but every row needs a group.\n"
                "  Hint: give a row that belongs to no other a group of its own."
            )
        codes[row] = number.setdefault(label, len(number))
    return codes


def _read_probabilities(given: Any, data: TaskData) -> FloatArray | None:
    if given is None or data.task == "numbers":
        return None
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("probabilities holds what is no number.") from None
    n_classes = len(data.classes)
    if found.ndim == 1 and n_classes == 2:
        beside = 1 - found
        is_second = data.positive == data.classes[1]
        found = np.stack([beside, found] if is_second else [found, beside], axis=1)
    if found.shape != (data.n_rows, n_classes):
        raise DataError(
            f"probabilities has shape {found.shape}; {data.n_rows} rows and {n_classes} classes"
            f" need {(data.n_rows, n_classes)}."
        )
    check_probabilities(found, "probabilities")
    return found
