"""A row with some of its values changed: as a table for the model, and as a dict for people."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from treewright.data.fitted_schema import UINT_OFFSET
from treewright.data.read.rows import row_as_table
from treewright.data.read.table import read_frame
from treewright.data.table import UNSEEN, Table
from treewright.tree.question import Stored, stored_value

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema

Moves = Mapping[int, Stored]
"""New values by position of the column; columns that are absent keep theirs."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def changed(row: Table, rows: Sequence[Moves]) -> Table:
    """Return a table of copies of a row, each with some of its values changed."""
    columns = [np.repeat(np.asarray(column), len(rows)) for column in row.columns]
    masks = [None if mask is None else np.repeat(mask, len(rows)) for mask in row.masks]
    for place, moves in enumerate(rows):
        for index, value in moves.items():
            columns[index][place] = value
            mask = masks[index]
            if mask is not None:
                mask[place] = True
    return Table(schema=row.schema, n_rows=len(rows), columns=columns, masks=masks)


def as_values(row: Table, given: object, *, whole: Collection[int]) -> dict[str, object]:
    """Return a table of one row as Python values by column, as ``predict`` takes them in a list.

    Parameters
    ----------
    row
        The row.
    given
        The row as the user gave it, in which categories stand that training has not seen.
    whole
        Positions of the columns of whole numbers that are stored as decimal ones.
    """
    derived = {each.spec.name for each in row.schema.derived}
    values: dict[str, object] = {}
    for index, spec in enumerate(row.schema.columns):
        if spec.name not in derived:
            value = stored_value(row, index)
            if is_unseen_code(spec, value):
                values[spec.name] = _given_value(given, row.schema, index)
            else:
                values[spec.name] = python_value(spec, value, is_whole=index in whole)
    return values


def is_unseen_code(spec: ColumnSpec, value: Stored) -> bool:
    """Return whether a stored value stands for a category that training has not seen."""
    return spec.storage == "value" and value == UNSEEN


def _given_value(given: object, schema: FittedSchema, index: int) -> object:
    frame = read_frame(row_as_table(given, schema))
    name = schema.names[index]
    if name not in frame.columns:
        name = frame.columns[schema.positions[index]]
    value = np.asarray(frame[name])[0]
    return value.item() if isinstance(value, np.generic) else value


def python_value(spec: ColumnSpec, value: Stored, *, is_whole: bool = False) -> object:
    """Return a stored value as Python has it; None for a missing one."""
    if value is None:
        return None
    if spec.storage == "value":
        return spec.values[int(value)]
    if spec.storage == "float":
        return int(value) if is_whole and math.isfinite(value) else value
    if spec.storage == "uint":
        return int(value) + UINT_OFFSET
    if spec.storage == "int":
        return int(value)
    unit: Any = spec.unit or "ns"
    if spec.storage == "duration":
        return np.timedelta64(int(value), unit)
    if spec.time_zone is None:
        return np.datetime64(int(value), unit)
    microseconds = int(value) // (1_000 if unit == "ns" else 1)
    try:
        zone: Any = ZoneInfo(spec.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        zone = UTC  # the same instant, under another name
    return (_EPOCH + timedelta(microseconds=microseconds)).astimezone(zone)
