"""Labels of rows by one column of their table, whether or not the model asks it."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.read.table import open_table
from treewright.errors import ParameterError
from treewright.parameters import is_whole, nearest_hint
from treewright.text.names import list_names


def labels_by(X: Any, by: Any) -> Array:
    """Return the value of each row in a column, given by name or number; None where it is missing.

    >>> labels_by({"size": [1, 2], "shop": ["north", None]}, "shop").tolist()
    ['north', None]
    """
    source = open_table(X)
    names = source.names
    if names is not None and by in names:
        number = names.index(by)
    elif is_whole(by) and 0 <= by < source.n_columns:
        number = int(by)
    else:
        known = [] if names is None else list(names)
        has = f"; it has {list_names(map(repr, known))}" if known else ""
        raise ParameterError(
            f"by={by!r} is no column of X{has}.{nearest_hint(by, known) if known else ''}"
        )
    column = source.read(number, str(by))
    labels = np.empty(len(column), dtype=object)
    if column.storage == "value":
        labels[:] = [None if code < 0 else column.values[code] for code in column.data.tolist()]
    else:
        gaps = column.missing.tolist()
        values = column.data.tolist()
        labels[:] = [None if gap else value for value, gap in zip(values, gaps, strict=True)]
    return labels
