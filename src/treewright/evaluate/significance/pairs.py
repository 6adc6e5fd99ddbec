"""Pairs of figures: those of two learners on the same folds, rows or tables."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.measures.checks import as_values


def paired(
    first: ArrayLike, second: ArrayLike, *, name: str, pairs: str, least: int = 2
) -> FloatArray:
    """Return the differences of two lists, first less second, checked.

    Parameters
    ----------
    first, second
        One figure per fold, row or table.
    name, pairs
        The test, and what the pairs are, for messages.
    least
        The fewest pairs that the test can do with.

    Examples
    --------
    >>> paired([3, 5], [1, 2], name="t-test", pairs="folds").tolist()
    [2.0, 3.0]
    """
    one, two = as_values(first, name="first"), as_values(second, name="second")
    if len(one) != len(two):
        raise DataError(
            f"The {name} compares pairs, but first has {len(one)} {pairs} and second {len(two)}."
        )
    if len(one) < least:
        raise DataError(
            f"The {name} needs at least {least} {pairs}, but has {len(one)}.\n"
            f"  Hint: evaluate both learners on more {pairs}."
        )
    differences: FloatArray = one - two
    rounding = 4 * np.finfo(np.float64).eps * max(np.abs(one).max(), np.abs(two).max())
    if np.ptp(differences) <= rounding:
        # 0.85 - 0.80 and 0.80 - 0.75 are the same difference, and its spread is none.
        differences[:] = differences[0]
    return differences


def ranked_alike(differences: FloatArray, *figures: ArrayLike) -> FloatArray:
    """Return differences without the last digits that only rounding has, so that ties are ties.

    Rounded to the twelfth decimal of the largest figure that they come from.

    >>> ranked_alike(np.array([0.85 - 0.8, 0.8 - 0.75]), [0.85, 0.8]).tolist()
    [0.05, 0.05]
    """
    largest = max(float(np.abs(as_values(each)).max()) for each in figures)
    if largest == 0:
        return differences
    decimals = 12 - math.ceil(math.log10(largest))
    # Beyond, the powers of ten that NumPy rounds by are no floats.
    return np.round(differences, decimals) if abs(decimals) < 300 else differences
