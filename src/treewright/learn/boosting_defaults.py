"""What gradient boosting does where it is not told: rules by the number of rows.

Where the numbers come from: decision 17 (docs/decisions).
"""

from __future__ import annotations

import math
from typing import Any

from treewright.errors import ParameterError
from treewright.parameters import check_number

MOST_ROWS_TO_DRAW_COLUMNS = 10_000


def is_auto(given: object) -> bool:
    """Tell whether a parameter is left to the rules."""
    return isinstance(given, str) and given == "auto"


def check_auto(name: str, given: object, **limits: Any) -> None:
    """Refuse what is neither a number within limits nor left to the rules."""
    if is_auto(given):
        return
    if isinstance(given, str):
        raise ParameterError(f"{name}={given!r} must be a number or 'auto'.")
    check_number(name, given, **limits)


def learning_rate(given: float | str, *, n_rows: int, of_classes: bool) -> float:
    """Give the factor for what each tree adds.

    ``"auto"`` is 0.1 for numbers. The loss of classes punishes what is too sure of itself, the more
    so the fewer the rows: 0.05 up to 10,000 of them, growing as the square root of their number up
    to 0.1.

    >>> [learning_rate("auto", n_rows=n, of_classes=True) for n in (100, 10_000, 40_000, 10**6)]
    [0.05, 0.05, 0.1, 0.1]
    >>> learning_rate("auto", n_rows=100, of_classes=False)
    0.1
    """
    if not is_auto(given):
        return float(given)
    if not of_classes:
        return 0.1
    return min(max(0.05 * math.sqrt(n_rows / 10_000), 0.05), 0.1)


def column_share(given: float | str, n_rows: int) -> float:
    """Give the share of the columns that are drawn for each node.

    ``"auto"`` is half of them, which makes the trees of a small table differ; all where there are
    more than 10,000 rows, which say well enough which column is best.

    >>> column_share("auto", 1_000), column_share("auto", 100_000)
    (0.5, 1.0)
    """
    if not is_auto(given):
        return float(given)
    return 0.5 if n_rows <= MOST_ROWS_TO_DRAW_COLUMNS else 1.0


def category_rows(given: int | None, n_rows: int) -> int:
    """Give the rows that a category needs in a node to be put in order among others.

    Where nothing is asked for, one in 500 rows of the table, from 5 to 50: on 200,000 rows of ten
    columns with up to 1,000 categories 50 was better than any of 1, 10, 20, 100 and 200.

    >>> [category_rows(None, n_rows) for n_rows in (100, 10_000, 1_000_000)]
    [5, 20, 50]
    """
    if given is not None:
        return given
    return min(max(n_rows // 500, 5), 50)
