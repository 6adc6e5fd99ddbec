"""Discretization: cuts of the numeric columns of a table before a tree is grown.

The supervised methods are the split searches of the trees, run once on the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.core import bin_cuts, inspect
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.grow import recipes
from treewright.grow.problem import Problem
from treewright.parameters import check_choice, check_count, check_share
from treewright.tree.arrays import CUT, INTERVALS

SUPERVISED = ("mdlp", "cal5")
METHODS = (*SUPERVISED, "quantile", "uniform")
_MOST_BINS = 100_000


@dataclass(frozen=True, kw_only=True)
class Discretization:
    """Options of a discretization; the estimator documents them."""

    method: str = "mdlp"
    n_bins: int = 10
    cal5_threshold: float = 0.8
    cal5_alpha: float = 0.3
    n_threads: int = 1

    def check(self) -> None:
        """Refuse values outside their range."""
        check_choice("method", self.method, METHODS)
        check_count("n_bins", self.n_bins, least=2)
        if self.n_bins > _MOST_BINS:
            raise ParameterError(f"n_bins={self.n_bins!r} must be at most {_MOST_BINS}.")
        check_share("cal5_threshold", self.cal5_threshold)
        check_share("cal5_alpha", self.cal5_alpha)

    @property
    def needs_classes(self) -> bool:
        """Whether the method is supervised: its cuts depend on a target."""
        return self.method in SUPERVISED

    def cuts(
        self, table: Table, target: ClassTarget | None, weights: RowWeights
    ) -> tuple[Array | None, ...]:
        """Return the cuts of each column, ascending and in stored form; None if it is not numeric.

        As in a tree, values up to the first cut are the first interval, and so on.
        """
        numeric = [i for i, spec in enumerate(table.schema.columns) if spec.kind == "numeric"]
        if target is not None and self.needs_classes:
            found = self._between_classes(table, target, weights, numeric)
        elif self.method == "quantile":
            found = self._by_rank(table, weights, numeric)
        else:
            found = {i: even_cuts(_known(table, weights, i), int(self.n_bins)) for i in numeric}
        return tuple(found.get(i) for i in range(len(table.schema.columns)))

    def _between_classes(
        self, table: Table, target: ClassTarget, weights: RowWeights, numeric: list[int]
    ) -> dict[int, Array]:
        problem = Problem(
            table=table,
            target=target,
            weights=weights,
            options=recipes.GENERAL_CLASSIFIER.replace(
                criterion="entropy",
                numeric=self.method,
                cal5_threshold=self.cal5_threshold,
                cal5_alpha=self.cal5_alpha,
                missing="majority",
                n_threads=self.n_threads,
            ),
            seed=0,
        )
        options = problem.core_options()
        options.columns = numeric
        if not numeric:
            return {}
        seen: Any = inspect(lend(table), problem.core_target(), options, [])
        found = {}
        for item in seen["candidates"]:
            is_float = table.schema.columns[item["column"]].storage == "float"
            cuts = np.array([], dtype=np.float64 if is_float else np.int64)
            if item["kind"] == CUT:
                cuts = np.array([item["threshold"] if is_float else item["threshold_int"]])
            elif item["kind"] == INTERVALS:
                cuts = np.asarray(item["cut"] if is_float else item["cut_int"])
            found[item["column"]] = cuts
        return found

    def _by_rank(self, table: Table, weights: RowWeights, numeric: list[int]) -> dict[int, Array]:
        copies = weights.copies
        if copies is None and weights.weight is not None:
            copies = (weights.weight > 0).astype(np.float64)
        columns = lend(table)
        found = {}
        for i in numeric:
            cut, cut_int = bin_cuts(columns, i, copies, int(self.n_bins))
            found[i] = cut if table.schema.columns[i].storage == "float" else cut_int
        return found


def _known(table: Table, weights: RowWeights, index: int) -> Array:
    """Return the known values of a column in rows of positive weight."""
    known = ~table.is_missing(index)
    if weights.weight is not None:
        known &= weights.weight > 0
    return table.columns[index][known]


def even_cuts(values: Array, n_bins: int) -> Array:
    """Return the cuts of `n_bins` intervals of equal width from the least to the largest value.

    Infinities belong to the outer intervals; cuts that coincide count once.

    >>> even_cuts(np.array([0.0, 10.0, np.inf]), 4)
    array([2.5, 5. , 7.5])
    >>> even_cuts(np.array([0, 3]), 8)
    array([0, 1, 2])
    """
    if values.dtype.kind == "f":
        finite = values[np.isfinite(values)].astype(np.float64)
        if not len(finite):
            return np.array([], dtype=np.float64)
        share = np.arange(1, n_bins) / n_bins
        low, high = finite.min(), finite.max()
        cuts = np.unique(low * (1 - share) + high * share)  # neither overflows
        return np.asarray(cuts[(cuts >= low) & (cuts < high)])
    if not len(values):
        return np.array([], dtype=np.int64)
    least, largest = int(values.min()), int(values.max())
    whole = [least + (largest - least) * i // n_bins for i in range(1, n_bins)]
    return np.unique(np.array([cut for cut in whole if cut < largest], dtype=np.int64))
