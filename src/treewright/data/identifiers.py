"""Columns that fit the training rows and do not generalize: identifiers, and dates as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from treewright.data.match_columns import TypedColumn
from treewright.errors import IdentifierWarning, OtherTypeWarning, warn

# Fewer numbers than this may all differ by chance; names that all differ say nothing at any size.
_ROWS_TO_SEE_AN_IDENTIFIER = 50
_FEW_ROWS = 8
_NUMBERS = ("float", "int", "uint")
_IDENTIFIER_NAME = re.compile(r"(?i:(?:^|[^a-z])(?:id|uuid|guid|key|index)$)|[a-z]I[dD]$")


# 2024-03-01, 2024/3/1 12:30 or 01.03.2024
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( .*)?")
_VALUES_TO_SEE_DATES = 20


def warn_of_dates(typed: Sequence[TypedColumn]) -> None:
    """Warn of each column of text that holds dates: every date is a category of its own."""
    for column in typed:
        if _holds_dates(column):
            name, value = column.spec.name, column.spec.values[0]
            warn(
                f"column {name!r} holds dates as text ({value!r}): every date is a category of its"
                " own, and new dates are unknown.\n"
                f"  Hint: pd.to_datetime(X[{name!r}]), or Schema(kinds={{{name!r}: 'nominal'}}) if"
                " that is meant.",
                OtherTypeWarning,
            )


def _holds_dates(column: TypedColumn) -> bool:
    values = column.spec.values
    if len(values) < _FEW_ROWS:
        return False
    some = values[:: max(1, len(values) // _VALUES_TO_SEE_DATES)]
    return all(isinstance(value, str) and _DATE.fullmatch(value) for value in some)


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
        if not is_text or data.min() < 0 or _holds_dates(column):
            return False
        return int(np.bincount(data).max()) == 1
    if spec.storage not in _NUMBERS or column.mask is not None:
        return False
    if n_rows < _ROWS_TO_SEE_AN_IDENTIFIER or not _IDENTIFIER_NAME.search(spec.name):
        return False
    is_whole = spec.storage != "float" or bool((data == np.floor(data)).all())
    return is_whole and len(np.unique(data)) == n_rows
