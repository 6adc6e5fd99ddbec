"""The ways of training rows: which branch of one node each of them takes."""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.data.table import Table
from treewright.tree.arrays import CUT, TreeArrays

_FIRST_ROWS = 64
"""Rows in which almost every column varies already."""


def branch_of_rows(nodes: TreeArrays, node: int, table: Table, rows: Int64Array) -> Array:
    """Return the branch that each of some training rows takes at a node of two branches."""
    column = int(nodes.column[node])
    spec = table.schema.columns[column]
    stored = np.asarray(table.columns[column])[rows]
    if nodes.kind[node] == CUT:
        is_float = spec.storage == "float"
        threshold = nodes.threshold[node] if is_float else nodes.threshold_int[node]
        is_second = stored > threshold
    else:
        offset, count = int(nodes.code_offset[node]), int(nodes.code_count[node])
        branch_of_code = np.full(len(spec.values) + 1, max(int(nodes.rest_branch[node]), 0))
        branch_of_code[nodes.code[offset : offset + count]] = nodes.branch_of_code[
            offset : offset + count
        ]
        is_second = branch_of_code[stored] == 1  # code -1 is the last
    missing = _is_missing(table, column, stored, rows)
    if missing is not None:
        is_second = np.where(missing, nodes.missing_branch[node] == 1, is_second)
    return np.asarray(is_second)


def _is_missing(table: Table, column: int, stored: Array, rows: Int64Array) -> Array | None:
    if table.schema.columns[column].storage == "value":
        return stored < 0
    if stored.dtype.kind == "f":
        return np.isnan(stored)
    mask = table.masks[column]
    return None if mask is None else ~mask[rows]


def is_constant(table: Table, column: int, rows: Int64Array) -> bool:
    """Return whether some rows all have the same value of a column, or all none."""
    stored = np.asarray(table.columns[column])
    if not len(rows):
        return True
    for part in (rows[:_FIRST_ROWS], rows):
        values = stored[part]
        missing = _is_missing(table, column, values, part)
        if missing is not None and missing.any():
            if not missing.all():
                return False
        elif not bool((values == values[0]).all()):
            return False
    return True
