"""Upper limits of error rates, found by halving an interval rather than by formula."""

import math
from collections.abc import Callable
from itertools import pairwise

TABLE = [(0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.10, 1.28),
         (0.20, 0.84), (0.40, 0.25), (1.00, 0.0)]  # fmt: skip


def root_of(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function passes 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def table_deviate(confidence: float) -> float:
    for (left, above), (right, below) in pairwise(TABLE):
        if left <= confidence <= right:
            return above + (below - above) * (confidence - left) / (right - left)
    raise AssertionError("a confidence lies between 0 and 1")


def exact_deviate(confidence: float) -> float:
    """The value that a standard normal variable exceeds with this probability."""
    return root_of(lambda z: 0.5 * math.erf(z / math.sqrt(2)) + 0.5 - (1 - confidence), -40, 40)


def upper_errors(n: float, e: float, confidence: float, *, program: str = "release8") -> float:
    """The errors to reckon with, those counted included."""
    none = n * root_of(lambda p: confidence - (1 - p) ** n, 0.0, 1.0)
    if e < 1e-6:
        return none
    if e < 1 and not (program == "c5" and n <= 1):
        return none + e * (upper_errors(n, 1.0, confidence, program=program) - none)
    if e + 0.5 >= n:
        if program == "j48":
            return max(n, e)
        return e + 0.67 * (n - e)
    z = exact_deviate(confidence) if program == "j48" else table_deviate(confidence)
    seen = (e + 0.5) / n
    # The rate at which what was seen is z standard deviations below what is expected.
    return n * root_of(lambda p: (p - seen) - z * math.sqrt(p * (1 - p) / n), seen, 1.0)


def wilson(successes: float, n: float, z: float) -> tuple[float, float]:
    """The rates from which what was seen is no more than z standard deviations away."""
    share = successes / n

    def away(p: float) -> float:
        return abs(p - share) - z * math.sqrt(p * (1 - p) / n)

    low = 0.0 if share == 0 else root_of(lambda p: -away(p), 0.0, share)
    return low, 1.0 if share == 1 else root_of(away, share, 1.0)
