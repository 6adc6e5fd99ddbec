"""The target taken out of a frame: X, y, and whether y is classes or numbers."""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column, whole_as_floats
from treewright.data.frame import Frame
from treewright.data.labelled_table import LabelledTable, Task

_MOST_WHOLE_CLASSES = 10
"""Whole numbers of at most so many values are classes."""


def labelled(frame: Frame, target: str) -> LabelledTable:
    """Return a frame divided into X and y.

    Text, true/false and whole numbers of at most ten values are classes, other numbers are numbers.

    >>> from treewright.data.examples.load import load_example
    >>> labelled(load_example("play_tennis").X, "Wind").classes
    ('Weak', 'Strong')
    """
    column = frame.column(target)
    task, classes = task_of(column)
    name = "table" if frame.reading is None else frame.reading.source
    return LabelledTable(
        name=name,
        title=name,
        source=name,
        task=task,
        X=frame.drop(target),
        y=target_values(column),
        target=target,
        classes=classes,
        weights=frame.weights,
    )


def task_of(column: Column) -> tuple[Task, tuple[object, ...]]:
    """Return whether a column is classes or numbers, and the classes."""
    if column.storage == "value":
        if column.fixed:
            return "classification", column.values
        present = np.bincount(column.data[column.data >= 0], minlength=len(column.values))
        values = [v for v, n in zip(column.values, present.tolist(), strict=True) if n]
        return "classification", tuple(values)
    if column.storage in ("int", "uint"):
        distinct = np.unique(column.numbers()[~column.missing])
        if len(distinct) <= _MOST_WHOLE_CLASSES:
            return "classification", tuple(distinct.tolist())
    return "regression", ()


def target_values(column: Column) -> Array:
    """Return the target as an array; a missing number is NaN, a missing class None."""
    if column.storage in ("int", "uint") and column.present is not None:
        column = whole_as_floats(column)
    return np.asarray(column.to_numpy())
