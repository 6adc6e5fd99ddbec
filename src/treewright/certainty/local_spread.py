"""How far off a model tends to be, row by row: a small forest of its absolute errors.

Papadopoulos, Gammerman and Vovk, *Normalized Nonconformity Measures for Regression Conformal
Prediction*, 2008; Lei et al. 2018, section 5.2: errors divided by the error to be expected make
intervals narrow where a model is sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.groups import RowGroups
from treewright.data.read.table import match_table
from treewright.data.read.target import ValueTarget
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.forest.out_of_bag import out_of_bag
from treewright.forest.problem import ForestProblem
from treewright.forest.sampling import draws_of
from treewright.grow.problem import Problem
from treewright.grow.recipes import GENERAL_REGRESSOR
from treewright.threads import n_threads

_N_TREES = 60
_LEAST_ROWS = 50
"""Rows below which errors are too few to tell where a model is sure."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalSpread:
    """The absolute error to be expected of a row, for each output."""

    forest: Ensemble

    def __call__(self, X: Any, n_jobs: int | None) -> FloatArray:
        """Return the expected absolute errors of rows, rows x outputs."""
        table = match_table(X, self.forest.schema, owner="predict_interval", unseen="missing")
        return self.forest.answers(table, n_threads=n_threads(n_jobs, table.n_rows * _N_TREES))


def learn_spread(
    table: Table, errors: FloatArray, groups: RowGroups | None, n_jobs: int | None
) -> tuple[LocalSpread, FloatArray] | None:
    """Return a model of absolute errors, and what it tells of each row without having seen it.

    None where rows (or groups, of which whole ones are left out) are few, or all errors are 0.
    """
    n_rows, n_outputs = errors.shape
    n_units = n_rows if groups is None else groups.n_groups
    if n_units < _LEAST_ROWS or not errors.any():
        return None
    values = errors[:, 0] if n_outputs == 1 else errors
    target = ValueTarget(values=np.ascontiguousarray(values))
    n_columns = len(table.schema.columns)
    options = GENERAL_REGRESSOR.replace(
        min_samples_leaf=max(5, round(np.sqrt(n_rows) / 2)),
        max_features=max(1, -(-n_columns // 3)),
        n_threads=n_threads(n_jobs, n_rows * n_columns * _N_TREES),
    )
    problem = Problem(table=table, target=target, weights=RowWeights(), options=options, seed=0)
    draws = draws_of(
        target,
        None,
        n_rows=n_rows,
        max_samples=None,
        sampling="all",
        with_replacement=True,
        factor=None,
        balances=False,
        groups=groups,
    )
    forest = ForestProblem(problem=problem, draws=draws)
    ensemble = forest.grow(0, _N_TREES)
    unseen = out_of_bag(forest, ensemble).answers.reshape(n_rows, -1)
    means = errors.mean(axis=0)
    return LocalSpread(forest=ensemble), np.where(np.isnan(unseen), means, unseen)
