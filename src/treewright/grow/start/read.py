"""Reading the questions that a tree starts with: a tree, nested questions, or a column's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.errors import DataError, ParameterError
from treewright.grow.by_hand import question_arrays
from treewright.grow.written import read_nested
from treewright.parameters import nearest_hint
from treewright.text.names import list_names
from treewright.tree.arrays import CATEGORIES, INTERVALS, LEAF, LINEAR, TreeArrays
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class Start:
    """The questions that a tree starts with.

    Parameters
    ----------
    arrays
        The questions, about the columns of the table.
    free
        For each node the column that is asked there by a question still to be found, or -1.
    says_missing
        Whether the questions say where missing values go; if not, the policy does.
    """

    arrays: TreeArrays
    free: tuple[int, ...]
    says_missing: bool


def read_start(given: Any, schema: FittedSchema, *, n_values: int, labels: Sequence[Any]) -> Start:
    """Return the questions given, checked against the columns of a table.

    Parameters
    ----------
    given
        A tree; nested questions as for :meth:`Tree.build`, in which a leaf may be None or the name
        of a column to ask; or such a name alone.
    schema
        The columns of the table.
    n_values
        Numbers that describe a node: one per class, or the means.
    labels
        The classes, which leaves may name.
    """
    if isinstance(given, Tree):
        arrays = _translated(given, schema)
        value = np.zeros((arrays.n_nodes, n_values))
        return Start(
            arrays=replace(arrays, value=value), free=(-1,) * arrays.n_nodes, says_missing=True
        )
    if not isinstance(given, str | Mapping):
        raise ParameterError(
            f"start={given!r} must be a Tree, nested questions as for Tree.build, or the name of"
            " a column."
        )
    try:
        nodes = read_nested(given, schema.names, open_leaves=True)
        arrays, placed = question_arrays(nodes, schema, n_values=n_values)
    except DataError as error:
        raise ParameterError(f"start, {error}") from None
    known = {str(label) for label in labels}
    free = []
    for node in placed:
        named = node.leaf if node.column is None and isinstance(node.leaf, str) else None
        if named in schema.names:  # before a class of the same name
            free.append(schema.index(str(named)))
            continue
        if named is not None and named not in known:
            raise ParameterError(
                f"start, {node.place}: {named!r} is no column of the table.\n"
                f"  Columns: {list_names(schema.names)}{nearest_hint(named, schema.names)}"
            )
        free.append(-1)
    return Start(arrays=arrays, free=tuple(free), says_missing=False)


def _translated(tree: Tree, schema: FittedSchema) -> TreeArrays:
    """Return the nodes of a tree with the columns and categories of another table."""
    arrays = tree.arrays
    if tree.linear is not None or np.any(arrays.kind == LINEAR):
        raise ParameterError(
            "start: the tree asks about sums of columns, or has linear models in its leaves.\n"
            "  Hint: a tree that asks about one column at a time."
        )
    index_of = {name: index for index, name in enumerate(schema.names)}
    used = set(arrays.column[arrays.kind != LEAF].tolist()) | set(arrays.surrogate_column.tolist())
    place = np.full(len(tree.schema.columns) + 1, -1, dtype=np.int32)  # the last is of no column
    for old in sorted(used - {-1}):
        theirs = tree.schema.columns[old]
        if theirs.name not in index_of:
            raise ParameterError(
                f"start asks column {theirs.name!r}, which the table does not have.\n"
                f"  Columns: {list_names(schema.names)}{nearest_hint(theirs.name, schema.names)}"
            )
        place[old] = index_of[theirs.name]
        in_intervals = bool(np.any((arrays.column == old) & (arrays.kind == INTERVALS)))
        _check_same_kind(theirs, schema.columns[place[old]], exactly=in_intervals)
    changes: dict[str, Array] = {
        "column": place[arrays.column],
        "surrogate_column": place[arrays.surrogate_column],
        **_codes(tree, schema, place),
    }
    for prefix in ("", "surrogate_"):
        column = getattr(arrays, f"{prefix}column")
        whole = getattr(arrays, f"{prefix}threshold_int").copy()
        real = getattr(arrays, f"{prefix}threshold").copy()
        for position, old in enumerate(column.tolist()):
            if old < 0:
                continue
            theirs, ours = tree.schema.columns[old], schema.columns[place[old]]
            if theirs.storage == "value" and ours.storage == "value" and theirs != ours:
                whole[position] = _ordinal_cut(theirs, ours, int(whole[position]))
            elif theirs.storage != ours.storage and ours.storage == "float":
                real[position] = float(whole[position])
            elif theirs.storage != ours.storage and np.isfinite(real[position]):
                whole[position], real[position] = int(np.floor(real[position])), np.nan
        changes |= {f"{prefix}threshold_int": whole, f"{prefix}threshold": real}
    return replace(arrays, **changes)


def _check_same_kind(theirs: ColumnSpec, ours: ColumnSpec, *, exactly: bool) -> None:
    numbers = ("float", "int")
    both_numbers = not exactly and theirs.storage in numbers and ours.storage in numbers
    if theirs.kind != ours.kind or not (theirs.storage == ours.storage or both_numbers):
        raise ParameterError(
            f"start asks column {ours.name!r} as {theirs.kind} ({theirs.storage}), but the table"
            f" has it as {ours.kind} ({ours.storage}).\n"
            "  Hint: declare it alike, Schema(kinds={...})."
        )


def _codes(tree: Tree, schema: FittedSchema, place: Array) -> dict[str, Array]:
    """Return the codes of all categories asked, in the table's own numbering, and their branches.

    Those of a question ascend, as everywhere.
    """
    arrays = tree.arrays
    codes, branches = arrays.code.copy(), arrays.branch_of_code.copy()
    asks = zip(arrays.kind, arrays.column, arrays.code_offset, arrays.code_count, strict=True)
    instead = zip(
        arrays.surrogate_kind,
        arrays.surrogate_column,
        arrays.surrogate_code_offset,
        arrays.surrogate_code_count,
        strict=True,
    )
    for kind, old, first, count in (*asks, *instead):
        if kind != CATEGORIES:
            continue
        theirs, ours = tree.schema.columns[old], schema.columns[place[old]]
        code_of = _code_of(theirs, ours)
        own = slice(int(first), int(first + count))
        translated = np.array([code_of(code) for code in codes[own].tolist()], dtype=codes.dtype)
        order = np.argsort(translated)
        codes[own], branches[own] = translated[order], branches[own][order]
    return {"code": codes, "branch_of_code": branches}


def _code_of(theirs: ColumnSpec, ours: ColumnSpec) -> Callable[[int], int]:
    def code_of(code: int) -> int:
        value = theirs.values[code]
        found = ours.code_of_value.get(value)
        if found is None:
            raise ParameterError(
                f"start asks for the value {value!r} of column {ours.name!r}, which the table has"
                f" not.\n  Values: {list_names(map(str, ours.values))}"
            )
        return found

    return code_of


def _ordinal_cut(theirs: ColumnSpec, ours: ColumnSpec, cut: int) -> int:
    return _code_of(theirs, ours)(cut) if theirs.kind == "ordinal" else cut
