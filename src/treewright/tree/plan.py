"""From the arrays of a tree to its compiled plan: the one place where both meet.

:func:`compile_plan` checks the arrays and packs them for prediction; :func:`decide` and
:func:`by_output` bring the predictions of the plan into the shape the caller expects. Only the
plan routes rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.core import Plan as CorePlan
from treewright.core import add_up, apply_all
from treewright.data.core_columns import lend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import FloatArray, Int32Array, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.tree.arrays import TreeArrays


COMBINE = ("branch_fractions", "leaf_counts")
"""How the leaves that a divided row reaches are weighted."""

UNSEEN_CATEGORIES = ("missing", "majority", "error")
"""How an unseen category is treated."""


class Plan:
    """A tree packed for prediction; lock-free, with predictions independent of the batch."""

    def __init__(self, core: CorePlan, combine: str) -> None:
        self._core = core
        self._combine = combine

    @property
    def core(self) -> CorePlan:
        """The compiled plan, which only finds leaves where they have linear models."""
        return self._core

    def answers(self, table: Table, *, n_threads: int = 1) -> FloatArray:
        """Return class probabilities (outputs side by side) or predicted numbers, row by row."""
        answers: FloatArray = self._core.predict(lend(table), self._combine, n_threads)
        return answers

    def apply(self, table: Table, *, n_threads: int = 1) -> Int64Array:
        """Return the leaf of each row; of a divided row, the leaf with its largest share."""
        leaves: Int64Array = self._core.apply(lend(table), n_threads)
        return leaves

    def parts(self, table: Table) -> tuple[Int64Array, Int64Array, FloatArray]:
        """Return the leaves of each row, as ``indptr`` and ``indices``, and its share in each."""
        start, leaves, shares = self._core.parts(lend(table))
        return start, leaves, shares

    def decision_path(self, table: Table) -> tuple[Int64Array, Int32Array]:
        """Return the nodes each row visits, ascending, as ``indptr`` and ``indices``."""
        start, visited = self._core.paths(lend(table))
        return start, visited


def added_up(plans: Sequence[Plan], table: Table, *, n_threads: int = 1) -> FloatArray:
    """Return the sum of what plans answer, as if added up plan by plan.

    The table is read once for all of them, in one call of the core; where leaves have linear models
    or rows are combined in several ways each plan answers on its own.
    """
    combine = plans[0]._combine
    if all(type(plan) is Plan and plan._combine == combine for plan in plans):
        return add_up([plan._core for plan in plans], lend(table), combine, n_threads)
    sums = plans[0].answers(table, n_threads=n_threads)
    for plan in plans[1:]:
        sums = np.add(sums, plan.answers(table, n_threads=n_threads), out=sums)
    return sums


def leaves_of(plans: Sequence[Plan], table: Table, *, n_threads: int = 1) -> Int32Array:
    """Return the leaf of each row by each plan, as :meth:`Plan.apply` does: rows x plans."""
    return apply_all([plan._core for plan in plans], lend(table), n_threads)


def compile_plan(
    arrays: TreeArrays,
    schema: FittedSchema,
    *,
    n_classes: tuple[int, ...],
    combine: str,
    value: FloatArray | None = None,
    n_threads: int = 1,
) -> Plan:
    """Return a tree packed for prediction.

    Parameters
    ----------
    arrays, schema
        The tree; refused with a ``ModelFormatError`` unless it keeps every invariant, so that
        compiled code never follows a bad index.
    n_classes
        The number of classes of each output; empty for a tree that predicts numbers.
    combine
        How the leaves reached by a divided row are combined: ``"branch_fractions"`` averages their
        predictions by the share of the row that reached them, ``"leaf_counts"`` by the weight of
        the leaves.
    value
        Values of the nodes that replace ``arrays.value``. The plan reads them where they are.
    n_threads
        How many threads pack the nodes.
    """
    arrays.validate(schema)
    replaced = None if value is None else np.ascontiguousarray(value)
    return Plan(CorePlan(arrays, list(n_classes), replaced, n_threads), combine)
