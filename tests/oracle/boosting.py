"""Gradient boosting the slow way: rows in lists, every split of every leaf tried.

Shares nothing with the engine. Columns of numbers only (NaN is missing), every value a bin of its
own; splits as Friedman 2001 and Chen & Guestrin 2016 judge them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass
class Leaf:
    rows: list[int]
    gain: float = 0.0
    split: tuple[list[int], list[int]] | None = None


def boost(
    X: Any,
    y: Any,
    *,
    slopes: Any,
    start: float,
    n_rounds: int,
    rate: float,
    max_leaves: int,
    min_leaf: int,
    l2: float,
) -> list[float]:
    """Give the scores of the training rows; `slopes(score, y)` gives gradient and hessian."""
    scores = [start] * len(y)
    for _ in range(n_rounds):
        told = [slopes(score, value) for score, value in zip(scores, y, strict=True)]
        leaves = [best_split(Leaf(list(range(len(y)))), X, told, min_leaf, l2)]
        while len(leaves) < max_leaves:
            leaf = max(leaves, key=lambda one: one.gain)
            if leaf.split is None:
                break
            leaves.remove(leaf)
            leaves += [best_split(Leaf(rows), X, told, min_leaf, l2) for rows in leaf.split]
        for leaf in leaves:
            answer = -sum(told[row][0] for row in leaf.rows) / (
                sum(told[row][1] for row in leaf.rows) + l2
            )
            for row in leaf.rows:
                scores[row] += rate * answer
    return scores


def best_split(leaf: Leaf, X: Any, told: Any, min_leaf: int, l2: float) -> Leaf:
    def worth(rows: list[int]) -> float:
        gradient = sum(told[row][0] for row in rows)
        return float(gradient**2 / (sum(told[row][1] for row in rows) + l2))

    for column in range(len(X[0])):
        missing = [row for row in leaf.rows if math.isnan(X[row][column])]
        known = [row for row in leaf.rows if not math.isnan(X[row][column])]
        values = sorted({X[row][column] for row in known})
        parts = [(known, missing)]
        for value in values[:-1]:
            low = [row for row in known if X[row][column] <= value]
            high = [row for row in known if X[row][column] > value]
            parts += [(low + missing, high), (low, high + missing)]
        for first, second in parts:
            if min(len(first), len(second)) < min_leaf:
                continue
            gain = worth(first) + worth(second) - worth(leaf.rows)
            if gain > leaf.gain + 1e-9:
                leaf.gain, leaf.split = gain, (first, second)
    return leaf
