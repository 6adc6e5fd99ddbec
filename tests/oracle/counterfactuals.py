"""The nearest row with another answer, by trying every row of a grid.

For every column the grid has the row's own value, and the two neighbours of every cut: the largest
value up to it and the smallest above it. Between two cuts all values get the same answer, and the
one nearest to the row is its own or beside a cut, so no row that is left out can be nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from statistics import median
from typing import Any

import numpy as np


def spread(values: Iterable[Any]) -> float:
    """The median absolute deviation; else the mean one; else 1."""
    known = [float(v) for v in values if v is not None and math.isfinite(v)]
    if not known:
        return 1.0
    middle = median(known)
    apart = [abs(v - middle) for v in known]
    mean = sum(apart) / len(apart)
    return next((each for each in (median(apart), mean) if 0 < each < math.inf), 1.0)


def moves_of_number(
    value: Any, cuts: Sequence[Any], known: Sequence[Any], *, kind: str, middle: float
) -> list[Any]:
    """Every value of a column that may be nearest; `kind` is float, float32 or int."""
    seen = [v for v in (*known, value) if v is not None]
    finite = [v for v in seen if math.isfinite(v)]
    is_whole = kind == "int" or (bool(finite) and all(v == math.floor(v) for v in finite))
    found = [value]
    for cut in cuts:
        if kind == "int" or (is_whole and abs(cut) < 2**53):
            found += [math.floor(cut), math.floor(cut) + 1]
        elif kind == "float32":
            rounded = np.float32(cut)
            steps = [np.nextafter(rounded, np.float32(end)) for end in (-np.inf, np.inf)]
            found += [float(each) for each in (*steps, rounded)]
        elif kind == "float":
            found += [cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf)]
    if value is None or not math.isfinite(value):
        found += [v for v in (middle,) if v is not None]
    return list(dict.fromkeys(v for v in found if v is value or v is None or math.isfinite(v)))


def distance(value: Any, other: Any, scale: float | None) -> float:
    """What a change counts; without a scale it is one of names."""
    if value == other or (value is None and other is None):
        return 0.0
    if value is None or scale is None or not math.isfinite(value):
        return 1.0
    return abs(other - value) / scale


def nearest(
    row: Sequence[Any],
    moves: Sequence[Sequence[Any]],
    scales: Sequence[float | None],
    is_wanted: Callable[[list[tuple[Any, ...]]], Sequence[bool]],
) -> float | None:
    """The distance of the nearest row of the grid that is wanted; None where none is."""
    grid = list(product(*moves))
    wanted = is_wanted(grid)
    return min(
        (
            math.fsum(distance(a, b, s) for a, b, s in zip(row, each, scales, strict=True))
            for each, good in zip(grid, wanted, strict=True)
            if good
        ),
        default=None,
    )
