"""Where labels go: into free space, apart from each other, never over a line if that can be.

Examples
--------
>>> spread([10.0, 12.0, 50.0], [15.0, 15.0], low=0.0, high=100.0)
[3.5, 18.5, 50.0]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.svg import Anchor
from treewright.chart.widths import measure

ASCENT, DESCENT = 0.74, 0.22
"""Share of the font size that letters reach above and below the baseline."""

_SAMPLE = 3.0
"""Distance in pixels between the points that stand for a line."""

_GAP = 3.0


@dataclass(frozen=True)
class Box:
    """A rectangle on the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box, gap: float = 0.0) -> bool:
        """Return whether two boxes are less than `gap` apart."""
        beside = self.right + gap <= other.left or other.right + gap <= self.left
        return not (beside or self.bottom + gap <= other.top or other.bottom + gap <= self.top)

    def inside(self, other: Box) -> bool:
        """Return whether the box lies within another."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom


def text_box(
    at: tuple[float, float],
    text: str,
    size: float,
    *,
    bold: bool = False,
    anchor: Anchor = "start",
) -> Box:
    """Return the box of a line of text whose baseline is at a point."""
    width = measure(text, size, bold=bold)
    left = at[0] - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    return Box(left, at[1] - ASCENT * size, left + width, at[1] + DESCENT * size)


class Candidate(Protocol):
    """A place that a label could take."""

    @property
    def boxes(self) -> Sequence[Box]:
        """The boxes that it would cover with text."""

    @property
    def leader(self) -> Box | None:
        """The box of the line that leads to it, if it has one."""


_Candidate = TypeVar("_Candidate", bound=Candidate)


@dataclass
class Occupied:
    """What stands in a plot already: texts, lines, and areas that are better left free."""

    boxes: list[Box] = field(default_factory=list)
    lines: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    areas: FloatArray = field(default_factory=lambda: np.empty((0, 2)))

    def add_line(self, x: FloatArray, y: FloatArray, *, is_area: bool = False) -> None:
        """Take the place of a line through points, or of the edge of an area."""
        if not len(x):
            return
        points = _sampled(x, y)
        if is_area:
            self.areas = np.concatenate([self.areas, points])
        else:
            self.lines = np.concatenate([self.lines, points])

    def is_free(self, box: Box) -> bool:
        """Return whether a box covers no text and no line."""
        return self._cost([box], None) == (0, 0)

    def best(self, candidates: Iterable[_Candidate], within: Box) -> _Candidate | None:
        """Return the first candidate that covers nothing, else the one over the least lines.

        None covers text or leaves `within`; where every candidate does, the answer is None.
        """
        found: _Candidate | None = None
        least = (math.inf, math.inf)
        for candidate in candidates:
            if not all(box.inside(within) for box in candidate.boxes):
                continue
            cost = self._cost(candidate.boxes, candidate.leader)
            if cost is not None and cost < least:
                found, least = candidate, cost
                if cost == (0, 0):
                    break
        return found

    def _cost(self, boxes: Sequence[Box], leader: Box | None) -> tuple[int, int] | None:
        if any(box.overlaps(other, _GAP) for box in boxes for other in self.boxes):
            return None
        if leader is not None and any(leader.overlaps(other, _GAP) for other in self.boxes):
            return None
        return _points_in(self.lines, boxes), _points_in(self.areas, boxes)


def _points_in(points: FloatArray, boxes: Sequence[Box]) -> int:
    x, y = points[:, 0], points[:, 1]
    return sum(
        int(
            np.count_nonzero(
                (x > box.left - _GAP)
                & (x < box.right + _GAP)
                & (y > box.top - _GAP)
                & (y < box.bottom + _GAP)
            )
        )
        for box in boxes
    )


def _sampled(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return points along a line, so close that no letter fits between two of them."""
    lengths = np.hypot(np.diff(x), np.diff(y))
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    n_points = 2 + int(along[-1] / _SAMPLE)
    places = np.linspace(0.0, along[-1], n_points)
    return np.column_stack([np.interp(places, along, x), np.interp(places, along, y)])


def spread(
    wished: Sequence[float], gaps: Sequence[float], *, low: float, high: float
) -> list[float]:
    """Return ascending places, each `gaps[i]` from the next, as near as can be to those wished.

    With the gaps taken away that is isotonic regression, solved by pooling adjacent violators
    (Ayer et al. 1955). What cannot be within `low` and `high` goes beyond `high`.
    """
    before = np.concatenate([[0.0], np.cumsum(gaps)])[: len(wished)]
    pools: list[tuple[float, int]] = []  # mean, number
    for place in (np.asarray(wished, dtype=np.float64) - before).tolist():
        mean, n = place, 1
        while pools and pools[-1][0] >= mean:
            other, m = pools.pop()
            mean, n = (other * m + mean * n) / (m + n), m + n
        pools.append((mean, n))
    last = before[-1] if len(before) else 0.0
    flat = [max(min(mean, high - last), low) for mean, n in pools for _ in range(n)]
    return [float(place + offset) for place, offset in zip(flat, before, strict=True)]
