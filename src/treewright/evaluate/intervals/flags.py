"""A yes or no per row: right or wrong, positive or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import BoolArray
from treewright.errors import DataError
from treewright.measures.checks import as_values


def as_flags(flags: ArrayLike, *, name: str, example: str) -> BoolArray:
    """Return a column of 0 and 1, or False and True, as booleans.

    Parameters
    ----------
    flags
        One per row.
    name
        The argument, for messages.
    example
        An expression that makes such a column, and when it is True: for the hint.

    Examples
    --------
    >>> as_flags([0, 1, 1], name="hits", example="y == predicted").tolist()
    [False, True, True]
    """
    values = as_values(flags, name=name)
    bad = np.flatnonzero((values != 0) & (values != 1))
    if len(bad):
        raise DataError(
            f"{name}[{bad[0]}] is {float(values[bad[0]])!r}, but must be 0 or 1.\n"
            f"  Hint: {example}."
        )
    return np.asarray(values == 1)
