"""Small made-up tables, the same on every machine, for which the trees of R's rpart are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Values = list[Any]


@dataclass(frozen=True, kw_only=True)
class MadeTable:
    """Columns of numbers (float) and names (letters), None where a value is missing."""

    columns: dict[str, Values]
    y: Values


def _draws(seed: int) -> Iterator[int]:
    """Yield whole numbers below 2**15 (a linear congruential generator, as in ANSI C)."""
    state = seed
    while True:
        state = (1103515245 * state + 12345) % 2**31
        yield state >> 16


def made_table(
    seed: int, n_rows: int, *, kinds: str, n_classes: int, gaps: int, noise: int
) -> MadeTable:
    """Return a table of small whole numbers and of letters, so that ties abound.

    Parameters
    ----------
    seed, n_rows
        Which table, and its size.
    kinds
        One letter per column: "n" numbers, "c" letters, "b" two letters.
    n_classes
        Classes of the target; 0 makes it a number.
    gaps
        Values of 100 that are missing, in every column but the last.
    noise
        Spread of what the target does not share with the columns.
    """
    draw = _draws(seed)
    hidden = [next(draw) % 12 for _ in range(n_rows)]
    columns: dict[str, Values] = {}
    for place, kind in enumerate(kinds):
        values: Values = []
        for level in hidden:
            value = level + next(draw) % 9
            lacks = next(draw) % 100 < gaps and place < len(kinds) - 1
            if kind == "n":
                made: Any = float(value // 2)
            else:
                made = "dbeac"[value // 4] if kind == "c" else "vu"[value > 9]
            values.append(None if lacks else made)
        columns[f"x{place + 1}"] = values
    scores = [level * 2 + next(draw) % noise for level in hidden]
    if n_classes == 0:
        return MadeTable(columns=columns, y=[float(score) for score in scores])
    width = (22 + noise) // n_classes + 1
    return MadeTable(columns=columns, y=["pqrs"[score // width] for score in scores])
