"""Typed tables on loan to the compiled core; the only place where columns cross the boundary."""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.data.table import Table


def lend(table: Table) -> _core.Columns:
    """Describe the columns of a table to the core, without a copy; the core keeps them alive."""
    columns = _core.Columns()
    if table.matrix is not None:
        columns.add_matrix(table.matrix)
        return columns
    for spec, array, mask in zip(table.schema.columns, table.columns, table.masks, strict=True):
        if spec.storage == "value":
            columns.add_codes(array, len(spec.values), spec.kind == "ordinal")
        elif spec.storage == "float":
            columns.add_float(array)
        else:
            columns.add_int(array, None if mask is None else mask.view(np.uint8))
    return columns
