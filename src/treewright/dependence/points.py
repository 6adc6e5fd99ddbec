"""The values that columns are set to: a few rows of a table, of which only those columns count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.fitted_schema import UINT_OFFSET
from treewright.data.read.table import match_table
from treewright.data.table import UNSEEN, Table
from treewright.errors import ColumnMismatchError, DataError, ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray, Int64Array
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """Values of one column, ascending; the missing one, if there is one, is the last.

    Attributes
    ----------
    name
        The column of the table.
    spec
        How it is stored.
    table
        A row for each value.
    values
        The values as people read them; None is missing.
    at
        Where numbers and dates are on an axis; NaN for what is none.
    """

    name: str
    spec: ColumnSpec
    table: Table
    values: tuple[Any, ...]
    at: FloatArray

    def __len__(self) -> int:
        return len(self.values)


def input_of(schema: FittedSchema, column: object) -> str:
    """Return the name of a column of the table, given by its name or position."""
    names = schema.input_names
    if isinstance(column, int | np.integer) and not isinstance(column, bool):
        if not -len(names) <= column < len(names):
            raise ParameterError(f"there is no column {int(column)}: the table has {len(names)}.")
        return str(names[int(column)])
    if column in names:
        return str(column)
    hint = nearest_hint(column, names) if isinstance(column, str) else ""
    raise ColumnMismatchError(
        f"there is no column {column!r}.\n  Columns: {list_names(names)}{hint}"
    )


def used_of(schema: FittedSchema, names: Sequence[str]) -> tuple[list[int], bool]:
    """Return the used columns that some columns of the table decide, and whether they do so alone.

    Derived columns are among them; one that is derived from others too is not decided alone.
    """
    positions, alone = [], True
    for position, used in enumerate(schema.names):
        inputs = set(schema.inputs_of(used))
        if inputs & set(names):
            positions.append(position)
            alone = alone and inputs <= set(names)
    return positions, alone


def points_of_rows(
    table: Table, name: str, *, most: int, weight: FloatArray | None
) -> Points | None:
    """Return values of a column that rows have: of many numbers some, each with as many rows.

    Parameters
    ----------
    table
        The rows.
    name
        The column.
    most
        Number of values, beside the missing one; categories are all taken.
    weight
        Weights of the rows; those without any are left out.

    Returns
    -------
    Points
        None of a column that is not used itself.
    """
    schema = table.schema
    if name not in schema.names:
        return None
    index = schema.index(name)
    stored = np.asarray(table.columns[index])
    known = ~table.is_missing(index)
    if schema.columns[index].storage == "value":
        known &= stored != UNSEEN
    counts = np.ones(table.n_rows, dtype=bool) if weight is None else weight > 0
    rows = np.flatnonzero(known & counts)
    rows = rows[np.argsort(stored[rows], kind="stable")]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = stored[rows[1:]] != stored[rows[:-1]]
    if schema.columns[index].storage != "value" and is_first.sum() > most:
        places = np.linspace(0, len(rows) - 1, most).round().astype(np.int64)
        chosen = rows[places]
        is_new = np.ones(len(chosen), dtype=bool)
        is_new[1:] = stored[chosen[1:]] != stored[chosen[:-1]]
        rows = chosen[is_new]
    else:
        rows = rows[is_first]
    gaps = np.flatnonzero(table.is_missing(index) & counts)[:1]
    return points_of(table.take(np.concatenate([rows, gaps])), name)


def points_given(rows: Table, name: str, values: Any, *, unseen: str) -> Points:
    """Return the values of a column that somebody asks for, in the order given.

    Parameters
    ----------
    rows
        Rows as the model reads them.
    name, values
        The column and its values.
    unseen
        How the model treats categories that were not there at fit.
    """
    schema = rows.schema
    given = list(values)
    if not given:
        raise ParameterError(f"grid of column {name!r} has no values.")
    numbers = _plain_numbers(rows, name, given)
    if numbers is not None:
        return points_of(numbers, name)
    matrix: Any = np.full((len(given), len(schema.input_names)), None, dtype=object)
    matrix[:, schema.input_names.index(name)] = given
    table = match_table(matrix, schema, owner="grid", by_name=True, unseen=unseen)
    if name in schema.names:
        index = schema.index(name)
        if schema.columns[index].storage == "value":
            strange = np.flatnonzero(np.asarray(table.columns[index]) == UNSEEN)
            if len(strange):
                raise DataError(
                    f"grid of column {name!r} has {given[int(strange[0])]!r}, which was not there"
                    " at fit."
                )
        return points_of(table, name)
    raise ParameterError(f"column {name!r} is not used itself: no grid of it can be given.")


def _plain_numbers(rows: Table, name: str, given: list[Any]) -> Table | None:
    """Return a row for each value where all are numbers of a matrix, as most often."""
    if rows.matrix is None or not all(type(each) in (int, float) for each in given):
        return None
    matrix = np.repeat(rows.matrix[:1].astype(np.float64), len(given), axis=0)
    matrix[:, rows.schema.index(name)] = given
    return Table(schema=rows.schema, n_rows=len(given), matrix=matrix)


def points_of(table: Table, name: str) -> Points:
    """Return the rows of a table as the values of a column."""
    index = table.schema.index(name)
    spec = table.schema.columns[index]
    stored = np.asarray(table.columns[index])
    missing = table.is_missing(index)
    at = np.full(table.n_rows, np.nan)
    if spec.storage != "value":
        at[~missing] = stored[~missing].astype(np.float64)
        if spec.storage == "uint":
            at += float(UINT_OFFSET)
    return Points(
        name=name,
        spec=spec,
        table=table,
        values=tuple(
            None if gap else _value(spec, each)
            for each, gap in zip(stored.tolist(), missing.tolist(), strict=True)
        ),
        at=at,
    )


def _value(spec: ColumnSpec, stored: Any) -> Any:
    if spec.storage == "value":
        return spec.values[stored] if stored >= 0 else None
    if spec.storage == "uint":
        return stored + UINT_OFFSET
    return spec.format(stored) if spec.storage in ("datetime", "duration") else stored


def crossed(first: Points, second: Points, used: Sequence[int]) -> Table:
    """Return a row for each pair of values, those of the second column changing fastest.

    Parameters
    ----------
    first, second
        The values of either column.
    used
        Positions of the used columns that the second column decides.
    """
    across = first.table.take(np.repeat(np.arange(len(first)), len(second)))
    beside = second.table.take(np.tile(np.arange(len(second)), len(first)))
    return with_columns(across, beside, used, np.arange(beside.n_rows))


def with_columns(table: Table, points: Table, used: Sequence[int], at: Int64Array) -> Table:
    """Return a table in which some columns have the values of other rows.

    Parameters
    ----------
    table
        The table.
    points
        The other rows.
    used
        Positions of the columns.
    at
        Which of the other rows, for each row.
    """
    if table.matrix is not None and points.matrix is not None:
        kind = np.result_type(table.matrix, points.matrix)
        matrix = np.array(table.matrix, dtype=kind)
        places = np.array(used, dtype=np.int64)
        matrix[:, places] = points.matrix[np.ix_(at, places)]
        return Table(schema=table.schema, n_rows=table.n_rows, matrix=matrix)
    columns: list[Array] = list(table.columns)
    masks = list(table.masks)
    for index in used:
        columns[index] = np.asarray(points.columns[index])[at]
        mask = points.masks[index]
        masks[index] = None if mask is None else mask[at]
    return Table(schema=table.schema, n_rows=table.n_rows, columns=columns, masks=masks)
