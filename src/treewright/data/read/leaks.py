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
    """Warn, once, of the columns of a table with names that equal the target in every row.

    A derived column may: rows to predict have what it is made of.
    """
    if table.n_rows < _ROWS_TO_SEE_A_LEAK or not table.schema.named:
        return
    outputs = [_Output(target, number) for number in range(target.n_outputs)]
    if all(output.is_constant() for output in outputs):
        return
    found = [
        spec.name
        for index, (spec, data) in enumerate(zip(table.schema.columns, table.columns, strict=True))
        if spec.name in table.schema.input_names
        and any(output.equals(data, spec) for output in outputs)
        and not table.is_missing(index).any()
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
        self._first = self._of(slice(0, _FIRST_ROWS))
        self._first_label = self._first[:1].tolist()[0]
        self._is_number = self._first.dtype.kind in "biuf"

    def is_constant(self) -> bool:
        return bool((self._data == self._data[0]).all())

    def _of(self, rows: slice) -> Array:
        data = self._data[rows]
        return data if self._classes is None else self._classes[data]

    def equals(self, data: Array, spec: ColumnSpec) -> bool:
        """Return whether a column, as it is stored, equals the target in every row."""
        if spec.storage in ("datetime", "duration"):
            return False
        if spec.storage != "value" and not self._is_number:
            return False
        if spec.storage == "value":  # the first row tells most columns apart, and costs no array
            code = data[0]
            if code < 0 or spec.values[code] != self._first_label:
                return False
        few = slice(0, _FIRST_ROWS)
        return _are_equal(data[few], spec, self._first) and _are_equal(
            data, spec, self._of(slice(None))
        )


def _are_equal(data: Array, spec: ColumnSpec, due: Array) -> bool:
    if spec.storage == "value":
        codes = data.tolist()
        return all(
            code >= 0 and spec.values[code] == label
            for code, label in zip(codes, due.tolist(), strict=True)
        )
    if spec.storage == "uint":
        data = data.astype(np.float64) + UINT_OFFSET
    # The first row tells most columns apart, and costs no array.
    return bool(data[0] == due[0]) and bool((data == due).all())
