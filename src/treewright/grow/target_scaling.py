"""Targets of extreme size, scaled by a power of two so that their squares stay finite.

A power of two changes no digit, so the tree is that of the unscaled target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.criteria import criterion_named

# The core squares (weight x value) summed over all rows: 2^1000 at most, if the sum is below 2^500.
_ROOM = 480
_ASIDE = 400


def shift_of(values: FloatArray, total_weight: float) -> int:
    """Return the power of two by which a target is divided for training; 0 for nearly all.

    >>> shift_of(np.array([1.0, -250.0]), 2.0)
    0
    >>> shift_of(np.array([1e300]), 1.0)
    598
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0
    size = math.frexp(largest)[1] + math.frexp(total_weight)[1]
    if abs(size) <= _ROOM:
        return 0
    return size - _ASIDE if size > 0 else size + _ASIDE


def in_units_of_shift(limit: float, criterion: str, shift: int) -> float:
    """Return a limit on impurity in the unit of the scaled target."""
    exponent = -criterion_named(criterion).power_of_unit * shift
    # A limit that overflows is never reached; ldexp of a float would raise.
    return float(_times_power_of_two(limit, exponent)) if shift else limit


def restore(
    arrays: dict[str, Any],
    criterion: str,
    shift: int,
    scaled: Sequence[str] = ("impurity", "gain", "score"),
) -> None:
    """Rescale the arrays of a tree grown from a scaled target to the unit of the target.

    If some impurities or gains would overflow, none of them is rescaled, so
    that they can be compared with each other.
    """
    arrays["value"] = np.ldexp(arrays["value"], shift)
    power = criterion_named(criterion).power_of_unit * shift
    with np.errstate(over="ignore", under="ignore"):
        moved = {name: _times_power_of_two(arrays[name], power) for name in scaled}
        mass = moved["impurity"] * arrays["weight"]  # importances are sums of it
    whole = all(np.isfinite(array).all() for array in (mass, *moved.values()))
    kept = all(np.array_equal(array > 0, arrays[name] > 0) for name, array in moved.items())
    if whole and kept:
        arrays.update(moved)


def _times_power_of_two(values: Any, exponent: float) -> Any:
    """Return values times 2**exponent, which itself may overflow; exact if it is whole."""
    whole = math.floor(exponent)
    return np.ldexp(values, whole) * 2.0 ** (exponent - whole)
