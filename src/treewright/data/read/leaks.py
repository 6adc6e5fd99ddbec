"""Columns that are the target itself: a model that has them learns nothing else."""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array
from treewright.data.fitted_schema import UINT_OFFSET, ColumnSpec
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.data.table import Table
from treewright.errors import LeakWarning, warn
from treewright.text.names import list_names

_ROWS_TO_SEE_A_LEAK = 50
"""Fewer rows may be equal by chance."""
_FIRST_ROWS = 16
"""Rows in which almost every column differs from the target already."""


def warn_of_leaks(table: Table, target: ClassTarget | ValueTarget) -> None:
    """Warn, once, of the columns of a table with names that equal the target in every row."""
    if table.n_rows < _ROWS_TO_SEE_A_LEAK or not table.schema.named:
        return
    outputs = [_Output(target, number) for number in range(target.n_outputs)]
    if all(output.is_constant() for output in outputs):
        return
    found = [
        spec.name
        for index, spec in enumerate(table.schema.columns)
        if any(_is_output(table, index, spec, output) for output in outputs)
    ]
    if found:
        what = "columns" if len(found) > 1 else "column"
        equal = "equal" if len(found) > 1 else "equals"
        warn(
            f"{what} {list_names(map(repr, found))} {equal} the target in all"
            f" {table.n_rows:,} rows: the answer is among the questions, and rows to predict will"
            f" not have it.\n  Hint: fit(X.drop(columns={found[:5]!r}), y).",
            LeakWarning,
        )


class _Output:
    """One target: the labels or numbers of any rows."""

    def __init__(self, target: ClassTarget | ValueTarget, number: int) -> None:
        self._classes = target.classes[number] if isinstance(target, ClassTarget) else None
        data = target.codes if isinstance(target, ClassTarget) else target.values
        self._data: Array = data if data.ndim == 1 else data[:, number]

    def is_constant(self) -> bool:
        return bool((self._data == self._data[0]).all())

    def of(self, rows: slice) -> Array:
        data = self._data[rows]
        return data if self._classes is None else self._classes[data]


def _is_output(table: Table, index: int, spec: ColumnSpec, output: _Output) -> bool:
    for rows in (slice(0, _FIRST_ROWS), slice(None)):
        due, given = output.of(rows), np.asarray(table.columns[index][rows])
        if spec.storage == "value":
            if given.min() < 0:  # missing somewhere
                return False
            given = np.array([spec.values[code] for code in given.tolist()], dtype=object)
            due = due.astype(object)
        elif due.dtype.kind not in "biuf" or spec.storage in ("datetime", "duration"):
            return False
        elif spec.storage == "uint":
            given = given.astype(np.float64) + UINT_OFFSET
        if not bool((given == due).all()):
            return False
    return not bool(table.is_missing(index).any())
