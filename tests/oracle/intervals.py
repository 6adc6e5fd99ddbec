"""Several cuts of one column at once, from their definitions: MDLP and CAL5.

Cuts are told by the value below and the value above. Each function also gives its margin: how far
its closest decision was from going the other way, exact ties left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Point:
    """A row with a known value."""

    value: Any
    label: Any
    weight: float


@dataclass(frozen=True, kw_only=True)
class Cuts:
    between: list[tuple[Any, Any]]  # ascending
    margin: float


def counts(points: Sequence[Point]) -> dict[Any, float]:
    labels = sorted({point.label for point in points})
    return {k: math.fsum(p.weight for p in points if p.label == k) for k in labels}


def weight(points: Sequence[Point]) -> float:
    return math.fsum(point.weight for point in points)


def entropy(points: Sequence[Point]) -> float:
    total = weight(points)
    return -math.fsum(w / total * math.log2(w / total) for w in counts(points).values())


def mdlp(points: Sequence[Point], *, unit: float, min_rows: int) -> Cuts:
    """Fayyad and Irani 1993; ``unit`` is the number of rows that a weight of 1 stands for."""
    values = sorted({point.value for point in points})
    tried = []
    for below, above in pairwise(values):
        left = [point for point in points if point.value <= below]
        right = [point for point in points if point.value >= above]
        neighbours = [point.label for point in points if point.value in (below, above)]
        if len(set(neighbours)) < 2 or min(len(left), len(right)) < min_rows:
            continue
        remaining = (weight(left) * entropy(left) + weight(right) * entropy(right)) / weight(points)
        tried.append((remaining, (below, above), left, right))
    if not tried:
        return Cuts(between=[], margin=math.inf)
    least = min(remaining for remaining, *_ in tried)
    rivals = [abs(r - least) for r, *_ in tried if abs(r - least) > TIE]
    remaining, cut, left, right = next(t for t in tried if abs(t[0] - least) <= TIE)
    n = weight(points) * unit
    if n < 2 - 1e-9:
        return Cuts(between=[], margin=math.inf)
    k, k1, k2 = (len(counts(part)) for part in (points, left, right))
    delta = math.log2(3**k - 2) - (k * entropy(points) - k1 * entropy(left) - k2 * entropy(right))
    surplus = entropy(points) - remaining - (math.log2(n - 1) + delta) / n
    margin = min([abs(surplus), *rivals])
    if surplus <= 0:
        return Cuts(between=[], margin=margin)
    below = mdlp(left, unit=unit, min_rows=min_rows)
    above = mdlp(right, unit=unit, min_rows=min_rows)
    return Cuts(
        between=[*below.between, cut, *above.between],
        margin=min(margin, below.margin, above.margin),
    )


def bounds(n_i: float, n: float, alpha: float) -> tuple[float, float]:
    """The shares p with (n_i / n - p)^2 = p (1 - p) / (n alpha): Chebyshev's interval.

    Solved as a quadratic equation in p, not by the formula that follows from it.
    """
    share, c = n_i / n, 1 / (n * alpha)
    a, b, constant = 1 + c, -(2 * share + c), share**2
    root = math.sqrt(max(0.0, b * b - 4 * a * constant))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def cal5(
    points: Sequence[Point], *, threshold: float, alpha: float, unit: float, min_rows: int
) -> Cuts:
    """Mueller and Wysotzki: an interval grows until a class dominates it, or none can."""
    intervals: list[tuple[list[Point], Any]] = []  # with the class, or the classes that remain
    current: list[Point] = []
    margin = math.inf
    for value in sorted({point.value for point in points}):
        current = current + [point for point in points if point.value == value]
        if len(current) < min_rows:
            continue
        n = weight(current) * unit
        of_class = {k: bounds(w * unit, n, alpha) for k, w in counts(current).items()}
        for low, high in of_class.values():
            margin = min(margin, abs(low - threshold), abs(high - threshold))
        dominant = [k for k, (low, _) in of_class.items() if low >= threshold]
        if dominant:
            intervals.append((current, ("class", dominant[0])))
            current = []
        elif all(high < threshold for _, high in of_class.values()):
            even = 1 / len(of_class)
            margin = min([margin, *(abs(high - even) for _, high in of_class.values())])
            left = tuple(k for k, (_, high) in of_class.items() if high >= even)
            intervals.append((current, ("classes", left)))
            current = []
    if current and len(current) >= min_rows:
        most = max(counts(current).values())
        first = next(k for k, w in counts(current).items() if math.isclose(w, most))
        intervals.append((current, ("class", first)))
    between = []
    for (before, label), (after, other) in pairwise(intervals):
        if label != other:
            between.append((max(p.value for p in before), min(p.value for p in after)))
    return Cuts(between=between, margin=margin)
