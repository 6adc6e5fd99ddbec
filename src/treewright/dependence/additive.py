"""A model as a sum of trees, which the core walks once for all values of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from treewright.core import BoostForest, ShapTrees
from treewright.data.table import UNSEEN
from treewright.explain.shap import Share
from treewright.tree.arrays import LEAF

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class Additive:
    """A sum of trees, and what becomes of it.

    Attributes
    ----------
    core
        The trees.
    base
        What the sum starts from, by output.
    link
        What makes answers (rows x outputs) of sums; None where the sums are the answers.
    unless_divided
        Why the sum is not the answer about a row that is divided at a missing value; None where it
        always is.
    linked
        The link, where the core knows it.
    """

    core: ShapTrees | BoostForest
    base: FloatArray
    link: Callable[[FloatArray], FloatArray] | None = None
    unless_divided: str | None = None
    linked: Linked | None = None


@dataclass(frozen=True, kw_only=True)
class Linked:
    """A link that the core knows; :meth:`Additive.link` does the same of single rows.

    Attributes
    ----------
    name
        "log", "logistic" (of the second of two classes) or "softmax".
    factor
        Of the sums, before the link.
    """

    name: Literal["log", "logistic", "softmax"]
    factor: float = 1.0

    def means(self, sums: FloatArray, total: float) -> FloatArray:
        """Return mean answers, points x answers.

        Parameters
        ----------
        sums
            What the core found, outputs x points.
        total
            The weight of all rows.
        """
        means: FloatArray = sums.T / total
        return np.column_stack([1.0 - means, means]) if self.name == "logistic" else means


LINEAR_LEAVES = "leaves have linear models"
LEAF_COUNTS = "rows that are divided count the rows of leaves"
VOTES = "rows that are divided have one vote in a tree"


def additive_trees(shares: Iterable[Share], schema: FittedSchema) -> Additive | str:
    """Return a sum of trees; or why there is none that the core can walk.

    Parameters
    ----------
    shares
        The trees with what their nodes add to the answer.
    schema
        The columns.
    """
    core: ShapTrees | None = None
    unless_divided: str | None = None
    width = 0
    for share in shares:
        tree = share.tree
        if tree.linear is not None and len(tree.linear.term):
            return LINEAR_LEAVES
        if tree.combine == "leaf_counts" and divides(tree):
            unless_divided = LEAF_COUNTS
        if core is None:
            width = share.answers.shape[1]
            core = ShapTrees(len(schema), width, 0)
        core.add(tree.plan.core, np.ascontiguousarray(share.answers))
    assert core is not None
    return Additive(core=core, base=np.zeros(width), unless_divided=unless_divided)


def additive_tree(tree: Tree) -> Additive | str:
    """Return a single tree as a sum; or why the core cannot walk it."""
    return additive_trees([Share(tree=tree, answers=tree.answers)], tree.schema)


def divides(tree: Tree) -> bool:
    """Return whether a tree divides rows whose value is missing, or was not seen, anywhere."""
    arrays = tree.arrays
    inner = arrays.kind != LEAF
    branches = (arrays.missing_branch[inner], arrays.unseen_branch[inner])
    return any(bool((branch < 0).any()) for branch in branches)


def has_gaps(table: Table) -> bool:
    """Return whether any value is missing, or a category that was not seen at fit."""
    if table.matrix is not None:
        return bool(np.isnan(table.matrix).any())
    return any(
        bool(table.is_missing(i).any())
        or (spec.storage == "value" and bool((np.asarray(table.columns[i]) == UNSEEN).any()))
        for i, spec in enumerate(table.schema.columns)
    )
