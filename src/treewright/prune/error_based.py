"""Error-based pruning, C4.5's own: upper limits of the error, and branches that are raised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from treewright.data.table import Table
from treewright.errors import DataError, UnsupportedError
from treewright.measures.errors import ERROR_VARIANTS, ErrorVariant
from treewright.model.arrays import BoolArray, FloatArray
from treewright.model.figures import figures
from treewright.model.pruning import Curve, Pruning, curve_of
from treewright.model.raising import Raised, prune_by_error
from treewright.model.surgery import has_marked_ancestor, with_leaves
from treewright.model.tree import Tree
from treewright.model.why import Record
from treewright.parameters import check_choice, check_flag, check_share
from treewright.prune.base import Cuts, Needs, Pruner, bottom_up, cut
from treewright.prune.sample import Sample
from treewright.prune.sums import training_risk

_COLLAPSE = 1e-3
"""A subtree must save more errors than this to be kept at all (C4.5 build.c, J48)."""


@dataclass(frozen=True, kw_only=True)
class ErrorBased(Pruner):
    """C4.5's pruning (Quinlan 1993, section 4.2), on the training rows.

    The errors of a leaf are estimated at the upper limit of their confidence interval. From the
    bottom up, a subtree becomes a leaf, or its largest branch takes its place and gets all of its
    rows, where that raises the estimate by no more than 0.1. The training rows are given to
    :meth:`prune` only where the tree no longer has its own record of them (very large tables,
    after unpickling).

    Parameters
    ----------
    confidence : float or None
        C4.5's CF, between 0 and 1: less prunes more. None only collapses.
    raising : bool
        Whether branches may take the place of the node above.
    collapse : bool
        First cut subtrees that do not even classify the training rows better than a leaf.
    variant : {"release8", "j48", "c5"}
        Whose estimate of errors is taken; see :func:`treewright.measures.added_errors`.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> from treewright.prune import ErrorBased
    >>> cancer = load_example("breast_cancer")
    >>> tree = C45Classifier(confidence=None).fit(cancer.X, cancer.y).tree_
    >>> tree.n_leaves, ErrorBased(confidence=0.1).prune(tree).n_leaves
    (15, 9)
    """

    name: ClassVar[str] = "error_based"
    needs: ClassVar[Needs] = "training"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    confidence: float | None = 0.25
    raising: bool = True
    collapse: bool = True
    variant: ErrorVariant = "release8"

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_share("confidence", self.confidence, optional=True)
        check_flag("raising", self.raising)
        check_flag("collapse", self.collapse)
        check_choice("variant", self.variant, ERROR_VARIANTS)

    def check_tree(self, tree: Tree) -> None:
        """Refuse trees that the method says nothing about."""
        super().check_tree(tree)
        if tree.leaf.cost_matrix is not None:
            raise UnsupportedError(
                "ErrorBased estimates how many rows are misclassified and knows no cost matrix.\n"
                "  Hint: MinimumError, CostComplexity and ReducedError weigh errors by their cost."
            )

    def _read(
        self, tree: Tree, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Record | None, Sample | None]:
        owner = type(self).__name__
        hint = f"{owner}().prune(tree, X, y)"
        training = tree.record(X, y, sample_weight, owner=owner, hint=hint)
        if X is not None:
            _check_rows(tree, training)
        return training, None

    def run(
        self,
        tree: Tree,
        *,
        training: Record | None = None,
        validation: Sample | None = None,
        tested: Sample | None = None,
    ) -> Tree:
        """Prune by training rows that have been read."""
        assert training is not None
        risk, total = training_risk(tree), float(tree.arrays.weight[0]) or 1.0
        collapsing = Cuts.of(self._collapse(tree, risk), "errors of the subtree, and of a leaf")
        if self.confidence is None:
            return cut(self.name, tree, collapsing, test=tested)
        marked = np.zeros(tree.n_nodes, dtype=bool)
        marked[collapsing.node] = True
        collapsed = with_leaves(tree, marked)
        number = np.flatnonzero(
            ~has_marked_ancestor(tree, marked)
        )  # of its nodes in the whole tree
        table, codes, weight = training.rows()
        done = prune_by_error(
            collapsed,
            table,
            codes,
            weight,
            confidence=self.confidence,
            variant=self.variant,
            raising=self.raising,
        )
        before, after = done.figures[:, :2].T
        followed = _curve(
            curve_of(tree, collapsing.node, {"train": risk}, {"train": total}), done, total
        )
        if tested is not None:
            ends = np.full(len(followed.n_leaves), np.nan)
            ends[[0, -1]] = tested.cost(tree), tested.cost(done.tree)
            followed = replace(followed, errors={**followed.errors, "test": ends / tested.scale})
        pruning = Pruning(
            method=self.name,
            compared="errors, counted (collapsing) or estimated: of the subtree, and instead",
            node=np.append(collapsing.node, number[done.node]),
            raised=[False] * len(collapsing.node) + done.raised.tolist(),
            before=np.append(collapsing.before, before),
            after=np.append(collapsing.after, after),
            tree=tree,
            risks={"train": risk},
            totals={"train": total},
            followed=followed,
            source=number[done.source],
        )
        return done.tree.with_arrays(done.tree.arrays, pruning=pruning)

    def _collapse(self, tree: Tree, risk: FloatArray) -> list[tuple[int, float, float]]:
        if not self.collapse:
            return []
        return bottom_up(tree, risk, lambda _, subtree, leaf: subtree >= leaf - _COLLAPSE)


def _check_rows(tree: Tree, training: Record) -> None:
    """Refuse rows that are not the training rows: nodes would count strangers."""
    hint = "\n  Hint: pass the very table, target and weights the tree was fitted on."
    table, codes, weight = training.rows()
    given = np.bincount(codes, weights=weight, minlength=tree.arrays.width)
    known = tree.arrays.value[0]
    if not np.allclose(given, known, rtol=1e-6, atol=0.0):
        raise DataError(
            f"ErrorBased: the rows given have class weights {', '.join(figures(given))}; the tree"
            f" was grown on {', '.join(figures(known))}.{hint}"
        )
    # Training may have sent rows with gaps elsewhere than prediction does, but no others.
    complete = np.flatnonzero(_is_complete(table))
    leaf = tree.plan.apply(table.take(complete))
    counts = np.zeros_like(tree.arrays.value)
    np.add.at(counts, (leaf, codes[complete]), 1.0 if weight is None else weight[complete])
    strange = (counts > tree.arrays.value * (1 + 1e-6)).any(axis=1)
    if strange.any():
        raise DataError(
            f"ErrorBased: more rows of a class reach node {int(np.argmax(strange))} than in"
            f" training.{hint}"
        )


def _is_complete(table: Table) -> BoolArray:
    """Tell which rows have a value in every column."""
    complete: BoolArray = np.ones(table.n_rows, dtype=bool)
    for index in range(len(table.schema)):
        complete &= ~table.is_missing(index)
    return complete


def _curve(collapsing: Curve, done: Raised, total: float) -> Curve:
    """Follow size and training errors through both stages."""
    leaves, wrong = np.cumsum(done.figures[:, 2:], axis=0).T
    n_leaves, errors = collapsing.n_leaves, collapsing.errors["train"]
    sizes = n_leaves[-1] + leaves.astype(np.int64)
    wrong = errors[-1] + wrong / total
    return Curve(n_leaves=np.append(n_leaves, sizes), errors={"train": np.append(errors, wrong)})
