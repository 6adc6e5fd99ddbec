"""Weights of rows: read once, checked once, passed to the core without a copy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.core import Target
from treewright.data.read.class_weights import class_factors
from treewright.data.read.dataframes import target_array
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.errors import DataError, ParameterError

# Largest weights outside 2^-200 .. 2^200 are scaled: their squares and sums stay finite.
_SAFE_EXPONENT = 200
# Weights of less than 2^-300 of the largest weigh nothing: squares of them, and products of three,
# would vanish, and what is divided by those is no number.
_LEAST_SHARE = 2.0**-300
_RELATIVE_BITS = 24


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of the rows; None (all 1) stays None.

    Weights of extreme size (the largest beyond 2**200 or below 2**-200) are multiplied by a power
    of two, which changes no tree, so that their sums neither overflow nor vanish. What is less than
    2**-300 of the largest is 0.

    >>> read_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    given = target_array(sample_weight)
    if given.dtype.kind == "c":  # which NumPy would convert, with a warning
        raise DataError(f"sample_weight must be numbers, not {given.dtype}.")
    try:
        weights = given.astype(np.float64)  # a None among objects becomes NaN
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"sample_weight must be numbers, not {given.dtype}.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, weights.item())
    if weights.ndim != 1:
        raise DataError(
            f"sample_weight has shape {weights.shape}; Sample weights must be 1D array or scalar."
        )
    if len(weights) != n_rows:
        raise DataError(f"sample_weight has {len(weights)} values, the table has {n_rows} rows.")
    _check_weights(weights)
    return of_ordinary_size(weights)


def of_ordinary_size(weights: FloatArray) -> FloatArray:
    """Return weights scaled by a power of two where their size is extreme; no tree changes.

    >>> of_ordinary_size(np.array([1.0, 1e-80, 1e-100])).tolist()
    [1.0, 1e-80, 0.0]
    """
    largest = float(weights.max())
    vanishes = weights < _LEAST_SHARE * largest
    if vanishes.any():
        weights = np.where(vanishes, 0.0, weights)
    exponent = math.frexp(largest)[1]
    return weights if abs(exponent) <= _SAFE_EXPONENT else np.ldexp(weights, -exponent)


def _check_weights(weights: FloatArray) -> None:
    if not np.isfinite(weights).all():
        row = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise DataError(
            f"sample_weight of row {row} is {weights[row]}; a weight is a finite number."
        )
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise DataError(
            f"Negative values in data passed to `sample_weight`: row {row} has {weights[row]:g}.\n"
            "  Hint: leave a row out by weight 0."
        )
    if not weights.any():
        raise DataError("sample_weight is zero for every row; there is nothing to learn from.")


@dataclass(frozen=True, kw_only=True)
class RowWeights:
    """The weight of each row, and the number of copies it counts as in limits on rows.

    Whole-number sample weights are copies: weight k is the row written k times, limits included.
    Other weights scale a row's influence, and limits count rows. None means all 1.

    That is a promise about single trees. What draws rows or penalizes takes the weights as
    :meth:`relative`: there their scale, which is arbitrary, has no effect.
    """

    weight: FloatArray | None = None
    copies: FloatArray | None = None
    case_weight: FloatArray | None = None  # as given, where `weight` has factors of classes

    @classmethod
    def read(
        cls,
        sample_weight: Any,
        n_rows: int,
        target: ClassTarget | ValueTarget | None = None,
        *,
        class_weight: Any = None,
        priors: Any = None,
    ) -> RowWeights:
        """Return the user's weights multiplied by the factors of the rows' classes.

        >>> RowWeights.read([2, 1, 3], 3).copies.tolist()
        [2.0, 1.0, 3.0]
        """
        weight = read_weights(sample_weight, n_rows)
        if not isinstance(target, ClassTarget):
            return cls.of(weight)
        factor = class_factors(target, weight, class_weight=class_weight, priors=priors)
        return cls.of(weight, factor)

    @classmethod
    def of(
        cls, sample_weight: FloatArray | None, class_factor: FloatArray | None = None
    ) -> RowWeights:
        """Return checked weights multiplied by factors for the rows' classes."""
        weight, copies, case_weight = sample_weight, None, None
        if sample_weight is not None:
            if np.all(sample_weight == 1.0):
                weight = None
            elif np.all(sample_weight == np.floor(sample_weight)):
                copies = sample_weight
        if class_factor is not None and not np.all(class_factor == 1.0):
            factor = of_ordinary_size(class_factor)
            case_weight = np.ones(len(factor)) if weight is None else weight
            weight = of_ordinary_size(factor if weight is None else weight * factor)
            if not weight.any():
                raise ParameterError(
                    "class_weight or priors leave every row without weight; there is nothing to"
                    " learn from."
                )
        return cls(weight=weight, copies=copies, case_weight=case_weight)

    def times(self, factor: FloatArray) -> RowWeights:
        """Return the weights multiplied by a factor for each row's class."""
        given = np.ones(len(factor)) if self.weight is None else self.weight
        case_weight = given if self.case_weight is None else self.case_weight
        return replace(self, weight=given * factor, case_weight=case_weight)

    def ratios(self) -> RowWeights:
        """Return the weights without copies, and without a size if all that count are equal.

        >>> RowWeights.read([0.1, 0.1, 0.1], 3).ratios().weight is None
        True
        """
        if self.weight is None:
            return RowWeights()
        counts = self.weight > 0
        known = self.weight[counts]
        if known.min() < known.max():
            return RowWeights(weight=self.weight)
        return RowWeights(weight=None if counts.all() else counts.astype(np.float64))

    def relative(self) -> RowWeights:
        """Return the weights without their scale: of mean 1 over the rows that count, no copies.

        They are rounded to 24 bits, so that a constant factor, whose products are rounded, changes
        no weight at all but by rare accident.

        >>> RowWeights.read([20, 0, 60], 3).relative().weight.tolist()
        [0.5, 0.0, 1.5]
        """
        weight = self.ratios().weight
        if weight is None:
            return RowWeights()
        mantissa, exponent = np.frexp(weight * (np.count_nonzero(weight) / weight.sum()))
        rounded = np.rint(np.ldexp(mantissa, _RELATIVE_BITS))
        return RowWeights(weight=np.ldexp(rounded, exponent - _RELATIVE_BITS))

    def take(self, rows: Int64Array) -> RowWeights:
        """Return the weights of the given rows."""
        return RowWeights(
            weight=None if self.weight is None else self.weight[rows],
            copies=None if self.copies is None else self.copies[rows],
            case_weight=None if self.case_weight is None else self.case_weight[rows],
        )

    def lend(self, target: Target) -> None:
        """Pass the weights to the core's target, without a copy."""
        if self.weight is not None:
            target.set_weight(np.ascontiguousarray(self.weight))
        if self.case_weight is not None:
            target.set_case_weight(np.ascontiguousarray(self.case_weight))
        if self.copies is not None:
            target.set_copies(np.ascontiguousarray(self.copies))


MOST_DRAWS = 2**30
"""Most rows that a tree can be grown from."""


def check_draws(n_draws: int, way_out: str) -> None:
    """Refuse to draw more rows than a tree can be grown from."""
    if n_draws > MOST_DRAWS:
        raise ParameterError(
            f"each tree would draw {n_draws:,} rows; at most {MOST_DRAWS:,} can be drawn.\n"
            f"  Hint: {way_out}."
        )
