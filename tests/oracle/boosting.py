"""Gradient boosting the slow way: rows in lists, every split of every leaf tried.

Shares nothing with the engine. Columns of numbers only (NaN is missing), every value a bin of its
own; splits as Friedman 2001 and Chen & Guestrin 2016 judge them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Leaf:
    rows: list[int]
    gain: float = 0.0
    split: tuple[list[int], list[int]] | None = None
    column: int = -1
    asked: list[int] = field(default_factory=list)


def boost(
    X: Any,
    y: Any,
    *,
    derivatives: Any,
    start: float,
    n_rounds: int,
    rate: float,
    max_leaves: int,
    min_leaf: int,
    l2: float,
    line_l2: float | None = None,
) -> list[float]:
    """Return the scores of the training rows; `derivatives(score, y)` gives gradient and hessian.

    With `line_l2` every leaf answers by a line in the columns on its path.
    """
    scores = [start] * len(y)
    for _ in range(n_rounds):
        told = [derivatives(score, value) for score, value in zip(scores, y, strict=True)]
        leaves = [best_split(Leaf(list(range(len(y)))), X, told, min_leaf, l2)]
        while len(leaves) < max_leaves:
            leaf = max(leaves, key=lambda one: one.gain)
            if leaf.split is None:
                break
            leaves.remove(leaf)
            asked = list(dict.fromkeys([*leaf.asked, leaf.column]))
            leaves += [
                best_split(Leaf(rows, asked=asked), X, told, min_leaf, l2) for rows in leaf.split
            ]
        for leaf in leaves:
            answer = -sum(told[row][0] for row in leaf.rows) / (
                sum(told[row][1] for row in leaf.rows) + l2
            )
            more = [0.0] * len(leaf.rows)
            if line_l2 is not None and leaf.asked:
                more = line(leaf, X, told, line_l2)
            for row, part in zip(leaf.rows, more, strict=True):
                scores[row] += rate * (answer + part)
    return scores


def line(leaf: Leaf, X: Any, told: Any, l2: float) -> list[float]:
    """Return what the line of a leaf adds for its rows: ridge regression, solved in one go."""
    whole, rows = np.array(X, dtype=float), leaf.rows
    asked = leaf.asked[: len(rows) // 2]
    hessian = np.array([told[row][1] for row in rows])
    wanted = np.array([-told[row][0] for row in rows]) / hessian
    columns, penalties = [], []
    for column in asked:
        values = whole[rows, column]
        known = np.isfinite(values)
        if not known.any():
            continue
        mean = np.average(values[known], weights=hessian[known])
        columns.append(np.where(known, values - mean, 0.0))
        penalties.append(np.nanstd(np.where(np.isinf(whole[:, column]), np.nan, whole[:, column])))
    if not columns:
        return [0.0] * len(rows)
    numbers, root = np.column_stack(columns), np.sqrt(hessian)[:, np.newaxis]
    # A penalty is a row that asks for slope 0.
    left = np.vstack([root * numbers, math.sqrt(l2) * np.diag(penalties)])
    right = np.concatenate([root[:, 0] * wanted, np.zeros(len(columns))])
    found = numbers @ np.linalg.lstsq(left, right, rcond=None)[0]
    return [float(part) for part in found]


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
                leaf.gain, leaf.split, leaf.column = gain, (first, second), column
    return leaf
