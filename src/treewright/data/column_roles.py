"""What a column may be: a target of classes or of numbers, or an identifier."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.data.column import Column
    from treewright.data.frame import Frame

Task = Literal["classes", "numbers"]

FEW_ROWS = 8
"""In fewer rows values may all differ by chance."""
_MOST_WHOLE_CLASSES = 10
"""Whole numbers of at most so many values are classes."""


def task_of(column: Column) -> Task:
    """Return what a column is as a target: text and few whole numbers are classes."""
    if column.storage == "value":
        return "classes"
    few = column.storage in ("int", "uint") and n_distinct(column) <= _MOST_WHOLE_CLASSES
    return "classes" if few else "numbers"


def target_values(column: Column, task: Task) -> Array:
    """Return the target as an array: classes as they are, numbers as floats."""
    import numpy as np

    from treewright.data.column import whole_as_floats

    if column.storage in ("int", "uint") and column.present is not None:
        column = whole_as_floats(column)
    values = np.asarray(column.to_numpy())
    return values if task == "classes" else values.astype(np.float64)


def n_distinct(column: Column) -> int:
    """Return how many different values a column has, missing ones not counted."""
    import numpy as np

    return len(np.unique(column.numbers()[~column.missing]))


def all_differ(column: Column) -> bool:
    """Return whether a column has another value in each row."""
    return not column.missing.any() and n_distinct(column) == len(column)


def is_identifier(name: str, column: Column) -> bool:
    """Return whether a column names rows: differing texts, 1, 2, 3 ..., or a differing ``id``."""
    import numpy as np

    if len(column) < FEW_ROWS or column.fixed or not all_differ(column):
        return False
    if column.storage == "value":
        return all(isinstance(value, str) for value in column.values)
    if column.storage not in ("int", "uint", "float"):
        return False
    if re.fullmatch(r"(?i)id|.*_id", name):
        return True
    numbers = column.numbers()
    return column.storage != "float" and bool(
        np.array_equal(numbers, np.arange(1, len(numbers) + 1))
    )


def kinds_to_say(kinds: Mapping[str, str], frame: Frame) -> dict[str, str]:
    """Return the columns of text that might be read as numbers or dates, were it not said."""
    return {
        name: "text"
        for name, kind in kinds.items()
        if kind == "text"
        and name in frame.columns
        and all(any(map(str.isdigit, str(value))) for value in frame.column(name).values)
    }
