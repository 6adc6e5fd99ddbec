"""Out-of-bag figures the slow way: row by row and tree by tree, from what single trees predict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Said = dict[tuple[int, int], Any]
"""What tree t says of row i it has not seen, by (t, i)."""


@dataclass(frozen=True)
class Figures:
    answers: list[list[float] | None]  # of each row
    tree_errors: list[float]
    curve: list[float]


def unseen(copies: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Tree and row of all that were not drawn."""
    return [(t, i) for t, drawn in enumerate(copies) for i, n in enumerate(drawn) if n == 0]


def class_figures(
    y: Sequence[int], shares: Said, n_trees: int, *, hard: bool, weight: Sequence[float]
) -> Figures:
    """`shares` are lists of class probabilities."""

    def chosen(probabilities: Sequence[float]) -> int:
        return max(range(len(probabilities)), key=lambda k: (probabilities[k], -k))

    def vote(probabilities: Sequence[float]) -> list[float]:
        if not hard:
            return list(probabilities)
        return [float(k == chosen(probabilities)) for k in range(len(probabilities))]

    def loss(answer: Sequence[float], row: int) -> float:
        return float(chosen(answer) != y[row])

    return _figures(len(y), {key: vote(p) for key, p in shares.items()}, n_trees, loss, weight)


def value_figures(
    y: Sequence[float], values: Said, n_trees: int, *, weight: Sequence[float]
) -> Figures:
    return _figures(
        len(y),
        {key: [value] for key, value in values.items()},
        n_trees,
        lambda answer, row: (answer[0] - y[row]) ** 2,
        weight,
    )


def _figures(n_rows: int, said: Said, n_trees: int, loss: Any, weight: Sequence[float]) -> Figures:
    def mean_answer(row: int, up_to: int) -> list[float] | None:
        spoken = [said[t, row] for t in range(up_to) if (t, row) in said]
        if not spoken:
            return None
        return [sum(column) / len(spoken) for column in zip(*spoken, strict=True)]

    def error(pairs: list[tuple[list[float], int]]) -> float:
        total = sum(weight[row] for _, row in pairs)
        if total == 0:
            return math.nan
        return sum(weight[row] * loss(answer, row) for answer, row in pairs) / total

    curve = []
    for t in range(1, n_trees + 1):
        answers = [(mean_answer(row, t), row) for row in range(n_rows)]
        curve.append(error([(answer, row) for answer, row in answers if answer is not None]))
    return Figures(
        answers=[mean_answer(row, n_trees) for row in range(n_rows)],
        tree_errors=[
            error([(answer, row) for (tree, row), answer in said.items() if tree == t])
            for t in range(n_trees)
        ],
        curve=curve,
    )


def strength(y: Sequence[int], said: Said, n_trees: int) -> tuple[float, float]:
    """Strength and correlation of classes (Breiman 2001), pair by pair of trees.

    The correlation is not taken from var(mr) but from its meaning: raw margins of a tree, whose
    mean over trees is the margin.
    """
    votes: dict[int, Counter[int]] = {}
    for (_, row), label in said.items():
        votes.setdefault(row, Counter())[label] += 1
    labels = sorted(set(y) | set(said.values()))
    rival = {
        row: max((k for k in labels if k != y[row]), key=lambda k: (counts[k], -k))
        for row, counts in votes.items()
    }
    margin = {
        row: (counts[y[row]] - counts[rival[row]]) / sum(counts.values())
        for row, counts in votes.items()
    }
    mean = sum(margin.values()) / len(margin)
    variance = sum((m - mean) ** 2 for m in margin.values()) / len(margin)
    sds = []
    for t in range(n_trees):
        raw = [
            (label == y[row]) - (label == rival[row])
            for (tree, row), label in said.items()
            if tree == t
        ]
        centre = sum(raw) / len(raw)
        sds.append(math.sqrt(sum((r - centre) ** 2 for r in raw) / len(raw)))
    return mean, variance / (sum(sds) / len(sds)) ** 2
