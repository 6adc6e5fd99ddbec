"""Rows with weights that may belong together in groups, and the variance of what they add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray, Int64Array
from treewright.errors import DataError
from treewright.measures.checks import as_weights


@dataclass(frozen=True, kw_only=True, eq=False)
class Clusters:
    """Weights and groups of rows; without groups each row is a group of its own.

    Parameters
    ----------
    weight
        The weight of each row. Only ratios matter: a weight is a share, not a count.
    group_of_row
        The number of each row's group; None where rows are independent.
    """

    weight: FloatArray
    group_of_row: Int64Array | None = None

    @classmethod
    def read(
        cls, n_rows: int, weights: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Clusters:
        """Return weights and groups, checked.

        >>> Clusters.read(3, [1, 1, 2], ["a", "a", "b"]).n_groups
        2
        """
        weight = as_weights(weights, n_rows)
        largest = weight.max(initial=0.0)
        if largest > 0:
            weight = weight / largest  # squares stay finite
        if groups is None:
            return cls(weight=weight)
        given = np.asarray(groups)
        if given.shape != (n_rows,):
            raise DataError(
                f"groups must hold one group for each of the {n_rows} rows,"
                f" but its shape is {given.shape}."
            )
        if given.dtype.kind in "biu":
            _, codes = np.unique(given, return_inverse=True)
            return cls(weight=weight, group_of_row=codes)
        number_of: dict[object, int] = {}
        numbers = []
        for row, group in enumerate(given.tolist()):
            if group is None or group != group:
                raise DataError(
                    f"groups[{row}] is {group!r}, but every row needs a group.\n"
                    "  Hint: give a row that belongs to no other a group of its own."
                )
            numbers.append(number_of.setdefault(group, len(number_of)))
        return cls(weight=weight, group_of_row=np.array(numbers, dtype=np.int64))

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @property
    def effective_rows(self) -> float:
        """(sum w)² / sum w²: rows of equal weight that tell as much (Kish 1965, section 8.2)."""
        squares = float(np.sum(self.weight**2))
        return self.total**2 / squares if squares else 0.0

    @property
    def n_groups(self) -> int:
        """Groups (or rows, where there are none) with a positive weight."""
        has_weight = self.weight > 0
        if self.group_of_row is None:
            return int(np.count_nonzero(has_weight))
        return len(np.unique(self.group_of_row[has_weight]))

    @property
    def words(self) -> str:
        """What a method's name says of weights and groups: empty where there are none."""
        equal = bool((self.weight == self.weight.max(initial=0.0)).all())
        return ("" if equal else ", weighted") + (
            "" if self.group_of_row is None else f", {self.n_groups} groups"
        )

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean of one value per row; NaN where no row has a weight."""
        return float(np.sum(self.weight * values)) / self.total if self.total else math.nan

    def standard_error(self, parts: FloatArray) -> float:
        """Return the standard error of a sum of parts, one per row, whose expectation is 0.

        Parts of one group are added first: sqrt(G / (G - 1) sum of squares over G groups), the
        cluster-robust variance (Liang and Zeger 1986, Biometrika 73). It is infinite where there
        are fewer than two groups: one says nothing about the variation between them.
        """
        if self.n_groups < 2:
            return math.inf
        of_group = parts if self.group_of_row is None else np.bincount(self.group_of_row, parts)
        return math.sqrt(self.n_groups / (self.n_groups - 1) * float(np.sum(of_group**2)))

    def mean_error(self, values: FloatArray) -> float:
        """Return the standard error of the weighted mean (a ratio, linearised).

        Cochran 1977, *Sampling Techniques*, section 6.3; s / sqrt(n) for equal weights and
        independent rows.
        """
        if not self.total:
            return math.inf
        return self.standard_error(self.weight * (values - self.mean(values)) / self.total)
