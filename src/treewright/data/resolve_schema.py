"""The schema declared by the user, resolved against the columns that a table has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.array_types import Array
from treewright.data.definitions import Definition
from treewright.data.schema import Schema
from treewright.errors import DataError, ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

ColumnList = Sequence[int] | Sequence[str] | Sequence[bool] | Array | str


def _position(key: object, names: tuple[str, ...]) -> int | None:
    """Return the position of a column given by name or, counted from either end, by number."""
    if isinstance(key, str):
        return names.index(key) if key in names else None
    if isinstance(key, int | np.integer) and -len(names) <= key < len(names):
        return int(key) % len(names)
    return None


def resolve_schema(schema: Schema, names: tuple[str, ...]) -> Schema:
    """Return the schema with its columns called by name; an unknown column is an error."""
    _check_derived(schema.definitions, names)
    if not schema.keys:
        return schema
    name_of_key: dict[str | int, str] = {each.name: each.name for each in schema.definitions}
    for key in schema.keys:
        if key in name_of_key:
            continue
        position = _position(key, names)
        if position is None:
            raise DataError(
                f"the schema declares column {key!r}, which the table does not have.\n"
                f"  Columns: {list_names(names)}{nearest_hint(key, names)}"
            )
        name_of_key[key] = names[position]
    return schema.renamed(name_of_key)


def _check_derived(definitions: Sequence[Definition], names: tuple[str, ...]) -> None:
    known = set(names)
    for definition in definitions:
        if definition.name in known:
            raise DataError(
                f"derived column {definition.name!r} has the name of a column of the table.\n"
                f"  Definition: {definition}\n  Hint: give it another name."
            )
        for name in definition.columns:
            if name not in known:
                raise DataError(
                    f"derived column {definition.name!r} is made of column {name!r}, which the"
                    f" table does not have.\n  Definition: {definition}\n"
                    f"  Columns: {list_names(names)}{nearest_hint(name, names)}"
                )
        known.add(definition.name)


def resolve_list(columns: ColumnList | None, names: tuple[str, ...]) -> frozenset[int]:
    """Return the positions of the columns listed in categorical_features."""
    if columns is None or (isinstance(columns, str) and columns == "from_dtype"):
        return frozenset()
    if isinstance(columns, str):
        raise ParameterError(
            f"categorical_features={columns!r} must be a list of columns.\n"
            f"  Hint: categorical_features=[{columns!r}]."
        )
    if isinstance(columns, bytes) or not np.iterable(columns):
        raise ParameterError(
            f"categorical_features={columns!r} must be a list of columns, by name or by number."
        )
    keys = list(columns)
    if keys and all(isinstance(key, bool | np.bool_) for key in keys):
        if len(keys) != len(names):
            raise ParameterError(
                f"categorical_features has {len(keys)} booleans, the table {len(names)} columns."
            )
        return frozenset(i for i, key in enumerate(keys) if key)
    positions: set[int] = set()
    for key in keys:
        position = _position(key, names)
        if position is None:
            raise ParameterError(
                f"categorical_features lists {key!r}, but the table has no such column.\n"
                f"  Columns: {list_names(names)}{nearest_hint(key, names)}"
            )
        positions.add(position)
    return frozenset(positions)
