"""The random numbers that C4.5rules draws: those of the C library, which it never seeds.

With them the greedy search of release 8 starts from the same subsets of rules, and ends with the
same rules.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from treewright.array_types import FloatArray

_RANGE = 2**31
_WORD = 0xFFFFFFFF


class RandomNumbers(Protocol):
    """What the searches draw from: NumPy's generator, or the C library's."""

    def random(self, size: int) -> FloatArray:
        """Return numbers from 0 up to, not including, 1."""
        ...


class LibraryRandom:
    """``random() / 2**31`` of the GNU C library before any ``srandom``: an additive feedback.

    Each word is the sum of those drawn 3 and 31 words before; the first 31 come from the minimal
    standard generator (Park and Miller 1988) started with 1, and 310 words are thrown away.
    """

    def __init__(self) -> None:
        words = [1]
        for _ in range(30):
            words.append(16807 * words[-1] % (_RANGE - 1))
        # The first three words of the feedback are the first three of the start.
        self._words = deque(words[3:] + words[:3], maxlen=31)
        for _ in range(310):
            self._next()

    def random(self, size: int) -> FloatArray:
        """Return the next numbers, from 0 up to, not including, 1."""
        return np.array([(self._next() >> 1) / _RANGE for _ in range(size)], dtype=np.float64)

    def _next(self) -> int:
        self._words.append((self._words[0] + self._words[-3]) & _WORD)
        return self._words[-1]
