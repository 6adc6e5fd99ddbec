"""Scales: from the numbers of an axis to pixels, with ticks at round numbers.

Examples
--------
>>> scale = Scale(0.0, 0.17, 392.0, 100.0)
>>> scale.ticks(5)
[0.0, 0.05, 0.1, 0.15]
>>> Scale(1.0, 200.0, 0.0, 532.0, log=True).ticks(8)
[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.array_types import BoolArray, FloatArray

_LEADS = (1, 2, 5)
_TOLERANCE = 1e-9
"""Of a step: how far beyond the end of an axis a tick may be by rounding."""

_LARGEST = 1e300
"""Numbers beyond it have no place on an axis, as infinity: their differences would be infinite."""

_SAME = 1e-10
"""Numbers that differ by so little of themselves count as one: no label could tell them apart."""

_PADDING = 0.04
"""Share of the range that is added at an end which is not fixed."""


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic scale from `low` and `high` to pixels `start` and `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the pixel of one number."""
        low, high = self._place(self.low), self._place(self.high)
        share = (self._place(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def place(self, values: FloatArray) -> FloatArray:
        """Return the pixels of numbers."""
        return np.array([self.at(value) for value in values.tolist()], dtype=np.float64)

    def holds(self, value: float) -> bool:
        """Return whether a number lies on the axis, its ends included."""
        slack = _TOLERANCE * (self.high - self.low)
        return self.low - slack <= value <= self.high + slack

    def ticks(self, most: int) -> list[float]:
        """Return at most `most` round numbers on the axis, ascending."""
        if self.log:
            found = self._log_ticks(most)
            if len(found) >= 2:
                return found
        return self._linear_ticks(most)

    def _place(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def _linear_ticks(self, most: int) -> list[float]:
        for step in _steps_from((self.high - self.low) / most):
            first = math.ceil(self.low / step - _TOLERANCE)
            last = math.floor(self.high / step + _TOLERANCE)
            if last - first < most:
                break
        # A multiple of a step is not the float nearest to it: 3 * 0.1.
        decimals = max(0, 1 - math.floor(math.log10(step)))
        return [round(i * step, decimals) + 0.0 for i in range(first, last + 1)]

    def _log_ticks(self, most: int) -> list[float]:
        first = math.floor(math.log10(self.low) + _TOLERANCE)
        last = math.ceil(math.log10(self.high) - _TOLERANCE)
        for leads in (_LEADS, (1, 3), (1,)):
            found = self._with_leads(leads, range(first, last + 1))
            if len(found) <= most:
                return found
        every = math.ceil((last - first + 1) / most)
        return self._with_leads((1,), range(first, last + 1, every))

    def _with_leads(self, leads: Sequence[int], powers: range) -> list[float]:
        every = (float(f"{lead}e{power}") for power in powers for lead in leads)
        return [value for value in every if self._holds_nearly(value)]

    def _holds_nearly(self, value: float) -> bool:
        return self.low * (1 - _TOLERANCE) <= value <= self.high * (1 + _TOLERANCE)


def has_place(values: FloatArray, *, log: bool) -> BoolArray:
    """Return which numbers can be drawn: finite ones, on a logarithmic axis those above 0."""
    with np.errstate(invalid="ignore"):
        low = 1 / _LARGEST if log else -_LARGEST
        return (values >= low) & (values <= _LARGEST)


def _steps_from(least: float) -> Iterator[float]:
    """Yield 1, 2 and 5 times powers of ten, ascending, from the last below `least`."""
    power = math.floor(math.log10(least))
    while True:
        yield from (float(f"{lead}e{power}") for lead in _LEADS)
        power += 1


def limits_of(
    values: FloatArray,
    fixed: tuple[float | None, float | None],
    *,
    log: bool,
    padded: bool,
) -> tuple[float, float]:
    """Return the ends of an axis that shows all finite values, wherever an end is not fixed.

    >>> limits_of(np.array([0.2, 0.1]), (0.0, None), log=False, padded=True)
    (0.0, 0.20800000000000002)
    >>> limits_of(np.array([]), (None, None), log=False, padded=True)
    (0.0, 1.0)
    """
    known = values[has_place(values, log=log)]
    fixed = tuple(None if log and end is not None and end <= 0 else end for end in fixed)  # type: ignore[assignment]
    padded = padded and len(known) > 0
    low, high = (float(known.min()), float(known.max())) if len(known) else _NOTHING[log]
    low, high = low if fixed[0] is None else fixed[0], high if fixed[1] is None else fixed[1]
    least = max(_SAME * max(abs(low), abs(high)), 1 / _LARGEST)
    if high - low <= least:
        low, high = _widened(low, fixed, log=log)
    if log or not padded:
        return low, high
    extra = _PADDING * (high - low)
    return (
        low - (extra if fixed[0] is None else 0.0),
        high + (extra if fixed[1] is None else 0.0),
    )


_NOTHING = {False: (0.0, 1.0), True: (1.0, 10.0)}


def _widened(
    value: float, fixed: tuple[float | None, float | None], *, log: bool
) -> tuple[float, float]:
    """Return ends around a single value, or beyond an end that is fixed."""
    if log:
        return (value, value * 10) if fixed[1] is None else (fixed[1] / 10, fixed[1])
    half = abs(value) / 2 if abs(value) > 1 / _LARGEST else 0.5
    if fixed[0] is not None:
        return fixed[0], fixed[0] + 2 * half
    if fixed[1] is not None:
        return fixed[1] - 2 * half, fixed[1]
    return value - half, value + half
