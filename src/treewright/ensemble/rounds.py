"""The rounds of boosting as a printed table, and which of them are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from treewright.array_types import Int64Array
from treewright.text.table import TextColumn, lay_out

_Any = TypeVar("_Any")
MAX_LINES = 60
"""Rounds that print() shows: one or two screens."""

_MOST_POINTS = 400
"""Points of a line; of more rounds so many, evenly along it."""


def rounds_text(
    rounds: Sequence[_Any],
    columns_of: Callable[[Sequence[_Any]], list[TextColumn]],
    *,
    max_rounds: int | None,
    end: str | None = None,
) -> str:
    """Return a table of the rounds; the first and the last of them if there are too many."""
    shown = list(rounds)
    left_out = 0
    if max_rounds is not None and len(shown) > max_rounds:
        left_out = len(shown) - max_rounds
        n_last = max_rounds // 2
        shown = shown[: max_rounds - n_last] + (shown[-n_last:] if n_last else [])
    lines = lay_out([column for column in columns_of(shown) if any(column.cells)]).split("\n")
    if left_out:
        n_first = len(shown) - max_rounds // 2 if max_rounds else 0
        lines.insert(1 + n_first, f"  ...  {left_out:,} rounds more")
    return "\n".join(lines if end is None else [*lines, end])


def number_column(header: str, numbers: list[float], *, decimals: int = 4) -> TextColumn:
    """Return a column of numbers; an empty cell where there is none (NaN)."""
    cells = ["" if number != number else f"{number:.{decimals}f}" for number in numbers]
    return TextColumn(header, cells, right=True)


def drawn_rounds(n_rounds: int) -> Int64Array:
    """Return which rounds a chart draws, counted from 0.

    >>> drawn_rounds(3).tolist(), len(drawn_rounds(5000))
    ([0, 1, 2], 400)
    """
    places = np.linspace(0, max(n_rounds - 1, 0), _MOST_POINTS).round().astype(np.int64)
    return np.unique(places)[:n_rounds]
