"""Rows read by a fitted schema: columns matched by name, values in stored form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.read.table import match_table
from treewright.errors import ColumnMismatchError, DataError
from treewright.parameters import is_list
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table


def read_rows(
    rows: Any,
    schema: FittedSchema,
    *,
    owner: str = "Tree",
    unseen: str = "missing",
    optional: Sequence[str] = (),
) -> Table:
    """Return any table in fitted form; columns may be in any order, further ones are ignored.

    The `optional` columns, and those that only optional ones are derived from, may be absent.
    """
    may_be_absent: list[str] = []
    if optional:
        asked = set(schema.names).difference(optional)
        needed = {name for each in asked for name in schema.inputs_of(each)}
        may_be_absent = [name for name in schema.source_names if name not in needed]
    return match_table(
        rows, schema, owner=owner, by_name=True, unseen=unseen, optional=may_be_absent
    )


def read_row(
    row: Any, schema: FittedSchema, *, optional: Sequence[str] = (), unseen: str = "missing"
) -> Table:
    """Return a table of one row from a mapping, a sequence in column order, or such a table.

    Parameters
    ----------
    row
        The row. A mapping may leave out the ``optional`` columns and those that only optional
        ones are derived from; further keys are ignored. Its values may be lists of one value.
    schema
        The columns to read.
    optional
        Names of columns whose value does not matter.
    unseen
        ``"error"`` refuses a category unseen in training.
    """
    table = read_rows(row_as_table(row, schema), schema, unseen=unseen, optional=optional)
    if table.n_rows != 1:
        raise DataError(
            f"One row is due, but the table has {table.n_rows}.\n"
            "  Hint: cut out one row, or give a dict of its values."
        )
    return table


def row_as_table(row: Any, schema: FittedSchema) -> Any:
    """Return a row that :func:`read_row` takes in a form that is a table, not yet read."""
    is_flat = getattr(row, "ndim", None) == 1
    if is_flat and hasattr(row, "to_dict"):  # a row cut out of a data frame
        row = row.to_dict()
    elif is_flat and isinstance(row, np.ndarray):
        row = row.tolist()
    if isinstance(row, Mapping):
        # Lists, one for each column, are a table; anything else is the value of the row itself.
        is_table = len(row) > 0 and all(is_list(value) for value in row.values())
        return row if is_table else [row]
    if isinstance(row, list | tuple) and not any(isinstance(v, Mapping | list) for v in row):
        return [_with_names(row, schema)]
    return row


def _with_names(values: Sequence[object], schema: FittedSchema) -> dict[str, object]:
    # The values of all columns of the training table, or only of those that are read.
    is_read = len(values) == len(schema.source_names)
    names = schema.source_names if is_read else schema.input_names
    if len(values) != len(names):
        raise ColumnMismatchError(
            f"The row has {len(values)} values, but there are {len(names)} columns.\n"
            f"  Columns: {list_names(names)}"
        )
    return dict(zip(names, values, strict=True))
