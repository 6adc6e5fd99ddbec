"""Estimates of the error rate on new rows: C4.5's pessimistic estimate, and an interval.

A leaf (or a rule) that covers ``n`` training rows and is wrong on ``e`` of them will do worse on
new rows. C4.5 takes ``e`` for the outcome of ``n`` trials and estimates the error rate by its
upper confidence limit: so high that ``e`` or fewer errors have only the probability
``confidence``. Pruning and rules compare these estimates.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.measures.checks import as_floats
from treewright.parameters import check_choice, check_number, check_share

ErrorVariant: TypeAlias = Literal["release8", "j48", "c5"]
ERROR_VARIANTS: tuple[ErrorVariant, ...] = ("release8", "j48", "c5")

# One-sided normal deviates as C4.5 (stats.c) and C5.0 (prune.c) tabulate them, after Documenta
# Geigy, Scientific Tables, 6th edition, p. 185; between them the programs interpolate.
_TAIL = np.array([0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00])
_DEVIATE = np.array([4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00])

_NO_ERROR = 1e-6
_ALMOST_ONE = 0.9999
"""C4.5 counts cases in single precision; sums of parts this near to 0 or 1 count as 0 or 1."""

_ROUNDING = 1e-9


def added_errors(
    n: ArrayLike, e: ArrayLike, confidence: float = 0.25, *, variant: ErrorVariant = "release8"
) -> FloatArray:
    """Return the errors to add to those counted (Quinlan 1993, section 4.2; ``AddErrs``).

    With ``z`` the normal deviate of `confidence`, the upper limit of the errors is

    * no error: ``n (1 - CF^(1/n))``, exact for the binomial distribution;
    * from 1 to n - 1/2: Wilson's limit with a continuity correction of 1/2;
    * between 0 and 1 (cases can be divided): interpolated;
    * above n - 1/2: a share of the rows that are still right.

    Parameters
    ----------
    n, e
        Weight of the rows covered, and of those that are wrong; arrays of any shape that broadcast.
    confidence
        C4.5's CF: a lower one is more pessimistic.
    variant
        ``"release8"`` interpolates ``z`` in a table and adds 0.67 (n - e) above n - 1/2.
        ``"c5"`` is the same, but interpolates between 0 and 1 only for n > 1. ``"j48"`` takes
        ``z`` exactly, adds n - e above n - 1/2, and nothing at all where `confidence` > 0.5.

    Examples
    --------
    Quinlan's example: three leaves with 6, 9 and 1 rows, none of them wrong, against one leaf.

    >>> from treewright.measures import added_errors
    >>> added_errors([6, 9, 1], 0).round(3).tolist()
    [1.238, 1.285, 0.75]
    >>> round(1 + float(added_errors(16, 1)), 3)
    2.507
    """
    check_choice("variant", variant, ERROR_VARIANTS)
    check_number("confidence", confidence, low=0.0, high=1.0, open_low=True)
    rows, errors = np.broadcast_arrays(as_floats(n, name="n"), as_floats(e, name="e"))
    _check_counts(rows, errors)
    return raw_added_errors(rows, errors, float(confidence), variant)


def wilson_interval(
    successes: ArrayLike, n: ArrayLike, *, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the confidence interval of a proportion, `successes` of `n` (Wilson 1927).

    Parameters
    ----------
    successes, n
        Counts or weights; arrays of any shape that broadcast. For n = 0 it is 0 to 1.
    level
        Confidence level: the probability with which such intervals hold the true proportion.

    Examples
    --------
    >>> from treewright.measures import wilson_interval
    >>> low, high = wilson_interval(9, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.596, 0.982)
    """
    check_share("level", level)
    seen, total = np.broadcast_arrays(
        as_floats(successes, name="successes"), as_floats(n, name="n")
    )
    _check_counts(total, seen, names=("n", "successes"))
    z = float(ndtri(0.5 + level / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = seen / total
        centre = share + z**2 / (2 * total)
        reach = z * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
        low, high = (centre - reach) / (1 + z**2 / total), (centre + reach) / (1 + z**2 / total)
    known = total > 0
    return np.where(known, np.maximum(low, 0.0), 0.0), np.where(known, np.minimum(high, 1.0), 1.0)


def raw_added_errors(
    rows: FloatArray, errors: FloatArray, confidence: float, variant: ErrorVariant
) -> FloatArray:
    """Return :func:`added_errors` of arguments that the caller has checked."""
    if variant == "j48" and confidence > 0.5:  # where its deviate would be negative
        return np.zeros(np.shape(rows))
    with np.errstate(divide="ignore", invalid="ignore"):
        base = -rows * np.expm1(np.log(confidence) / rows)
        interpolated = base + errors * (_from_one(rows, 1.0, confidence, variant) - base)
        is_part = errors < (1.0 if variant == "j48" else _ALMOST_ONE)
        if variant == "c5":
            is_part = is_part & (rows > 1)
        none = errors <= 0.0 if variant == "j48" else errors < _NO_ERROR
        some = np.where(is_part, interpolated, _from_one(rows, errors, confidence, variant))
    return np.where(rows > 0, np.where(none, base, some), 0.0)


def _from_one(
    rows: FloatArray, errors: FloatArray | float, confidence: float, variant: ErrorVariant
) -> FloatArray:
    """Return the errors to add where at least one was counted."""
    squared = normal_deviate(confidence, variant) ** 2
    corrected = errors + 0.5
    inner = squared * (corrected * (1 - corrected / rows) + squared / 4)
    rate = (corrected + squared / 2 + np.sqrt(np.maximum(inner, 0))) / (rows + squared)
    right = rows - errors
    high = np.maximum(right, 0) if variant == "j48" else 0.67 * right
    return np.where(corrected >= rows, high, rows * rate - errors)


def normal_deviate(confidence: float, variant: ErrorVariant) -> float:
    """Return the normal deviate exceeded with probability `confidence`, as the programs do."""
    if variant == "j48":
        return float(-ndtri(confidence))
    return float(np.interp(confidence, _TAIL, _DEVIATE))


def _check_counts(total: FloatArray, part: FloatArray, names: tuple[str, str] = ("n", "e")) -> None:
    for name, counts in zip(names, (total, part), strict=True):
        bad = ~np.isfinite(counts) | (counts < 0)
        if bad.any():
            value = float(counts[bad].flat[0])
            raise DataError(f"{name} holds {value!r}, but counts are finite and at least 0.")
    beyond = part > total * (1 + _ROUNDING) + _ROUNDING
    if beyond.any():
        more, whole = float(part[beyond].flat[0]), float(total[beyond].flat[0])
        raise DataError(f"{names[1]} holds {more!r}, which is more than {names[0]}, {whole!r}.")
