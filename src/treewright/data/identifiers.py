"""Columns that look like identifiers: they fit the training rows and do not generalize."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from treewright.data.match_columns import TypedColumn
from treewright.errors import IdentifierWarning, warn

# Fewer numbers than this may all differ by chance; names that all differ say nothing at any size.
_ROWS_TO_SEE_AN_IDENTIFIER = 50
_FEW_ROWS = 8
_NUMBERS = ("float", "int", "uint")
_IDENTIFIER_NAME = re.compile(r"(?i:(?:^|[^a-z])(?:id|uuid|guid|key|index)$)|[a-z]I[dD]$")


def warn_of_identifiers(typed: Sequence[TypedColumn], n_rows: int) -> None:
    """Warn of each column whose values are all distinct and which is text or named like a key."""
    if n_rows < _FEW_ROWS:
        return
    for column in typed:
        if _looks_like_identifier(column, n_rows):
            name = column.spec.name
            warn(
                f"column {name!r} looks like an identifier: all {n_rows} values are distinct, so"
                " what it says about these rows says nothing about others.\n"
                f"  Hint: leave it out, by dropping it or with Schema(ignore=[{name!r}]).",
                IdentifierWarning,
            )


def _looks_like_identifier(column: TypedColumn, n_rows: int) -> bool:
    spec, data = column.spec, column.data
    if spec.storage == "value":
        is_text = len(spec.values) >= n_rows and isinstance(spec.values[0], str)
        return is_text and bool(data.min() >= 0) and int(np.bincount(data).max()) == 1
    if spec.storage not in _NUMBERS or column.mask is not None:
        return False
    if n_rows < _ROWS_TO_SEE_AN_IDENTIFIER or not _IDENTIFIER_NAME.search(spec.name):
        return False
    is_whole = spec.storage != "float" or bool((data == np.floor(data)).all())
    return is_whole and len(np.unique(data)) == n_rows
