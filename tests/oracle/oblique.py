"""The best split of points in the plane by any straight line, by trying them all.

Turning a line changes which points it can separate only when it becomes parallel to the line
through two of them. So all partitions are met by sorting the points across every such direction,
once as seen just before and once as seen just after it, and cutting between neighbours.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from oracle import criteria

Point = tuple[int, int]  # whole numbers: nothing is rounded


def partitions(points: Sequence[Point]) -> Iterator[tuple[list[int], list[int]]]:
    """Every way a line parts the points, as lists of indices; most are met more than once."""
    for one, other in combinations(sorted(set(points)), 2):
        along = (other[0] - one[0], other[1] - one[1])
        across = (-along[1], along[0])
        for sense in (1, -1):
            place = [
                (x * across[0] + y * across[1], sense * (x * along[0] + y * along[1]))
                for x, y in points
            ]
            for last in sorted(set(place))[:-1]:
                below = [i for i, each in enumerate(place) if each <= last]
                above = [i for i, each in enumerate(place) if each > last]
                yield below, above


def best_line_score(
    points: Sequence[Point],
    target: Sequence[Any],
    *,
    criterion: str,
    weights: Sequence[float] | None = None,
    min_samples_leaf: int = 1,
) -> float | None:
    """The best score that any line reaches; None where no line has enough rows on both sides."""
    best = None
    for parts in partitions(points):
        if min(map(len, parts)) < min_samples_leaf:
            continue
        branches = [[(target[i], weights[i] if weights else 1.0) for i in part] for part in parts]
        score = criteria.raw_score(branches, criterion, sorted(set(target)))
        if best is None or score > best:
            best = score
    return best
