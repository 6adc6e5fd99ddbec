"""Shapley values of a boosted tree by their definition: every set of columns that could be known.

A tree is read from the arrays of ``BoostForest.tree``; a row is a list of numbers (``nan`` where
there is none) and, for nominal columns, of codes (-1 where there is none).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

Row = list[float]
Cuts = list[list[float] | None]  # by column; None for a nominal one


def goes_second(tree: dict[str, Any], node: int, row: Row, cuts: Cuts, n_codes: list[int]) -> bool:
    column = int(tree["column"][node])
    value = row[column]
    values = cuts[column]
    if values is None:
        if not 0 <= value < n_codes[column]:
            return not tree["missing_first"][node]
        word, bit = divmod(int(value), 64)
        return not int(tree["subset_bits"][int(tree["subset"][node]) + word]) >> bit & 1
    if math.isnan(value):
        return not tree["missing_first"][node]
    cut = int(tree["cut"][node])
    return cut < len(values) and value > values[cut]


def shares(tree: dict[str, Any], node: int, cover: str) -> tuple[float, float]:
    first = int(tree["first_child"][node])
    here, there = float(tree[cover][first]), float(tree[cover][first + 1])
    if here + there == 0:
        return 0.5, 0.5
    return here / (here + there), there / (here + there)


def expected(
    tree: dict[str, Any],
    known: frozenset[int],
    second: Callable[[int], bool],
    cover: str,
    node: int = 0,
) -> float:
    """What the tree answers if only some columns are known (Lundberg et al. 2018, algorithm 1)."""
    first = int(tree["first_child"][node])
    if first < 0:
        return float(tree["value"][node])
    if int(tree["column"][node]) in known:
        return expected(tree, known, second, cover, first + second(node))
    here, there = shares(tree, node, cover)
    return here * expected(tree, known, second, cover, first) + there * expected(
        tree, known, second, cover, first + 1
    )


def values(
    tree: dict[str, Any], row: Row, cuts: Cuts, n_codes: list[int], cover: str = "n_rows"
) -> list[float]:
    """The Shapley value of each column, and what is expected if nothing is known (Shapley 1953)."""

    def second(node: int) -> bool:
        return goes_second(tree, node, row, cuts, n_codes)

    n = len(row)
    answer = {
        frozenset(known): expected(tree, frozenset(known), second, cover)
        for size in range(n + 1)
        for known in combinations(range(n), size)
    }
    found = []
    for column in range(n):
        total = 0.0
        for known in answer:
            if column not in known:
                before = math.factorial(len(known)) * math.factorial(n - len(known) - 1)
                gain = answer[known | {column}] - answer[known]
                total += before / math.factorial(n) * gain
        found.append(total)
    return [*found, answer[frozenset()]]
