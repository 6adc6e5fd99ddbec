"""Error-based pruning of C4.5: upper confidence limits of the error, and subtree raising."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treewright.array_types import BoolArray, FloatArray
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.measures.error_estimates import ERROR_VARIANTS, ErrorVariant
from treewright.parameters import check_choice, check_flag, check_share
from treewright.prune.base import Cuts, Needs, Pruner, bottom_up, cut
from treewright.prune.error_costs import error_costs
from treewright.prune.record import Curve, Pruning, curve_of
from treewright.prune.risk import training_risk
from treewright.prune.routed_rows import RoutedRows
from treewright.prune.subtree_raising import Raised, prune_by_error
from treewright.text.numbers import figures
from treewright.tree.edit import has_marked_ancestor, with_leaves
from treewright.tree.record import Record
from treewright.tree.tree import Tree

_COLLAPSE = 1e-3
"""A subtree must save more errors than this to be kept at all (C4.5 build.c, J48)."""

_NEARLY_ALL = 0.999
"""Or have fewer than this share of a leaf's errors (C5.0 GPL edition, formtree.c)."""


@dataclass(frozen=True, kw_only=True)
class ErrorBased(Pruner):
    """C4.5's pruning (Quinlan 1993, section 4.2), on the training rows.

    The errors of a leaf are estimated at the upper limit of their confidence interval. From the
    bottom up, a subtree becomes a leaf, or its largest branch takes its place and gets all of its
    rows, where that raises the estimate by no more than 0.1. The training rows are given to
    :meth:`treewright.Tree.prune` only where the tree no longer has its own record of them (very
    large tables, after unpickling).

    Under a cost matrix costs are estimated instead, as in C5.0 (``ExtraErrs`` in prune.c, for
    two classes): a leaf costs what its training rows cost, and each error that is added, by the
    same limit, costs as much as one of the other classes, mixed as in the whole training table.
    Then 0.1 is a tenth of an error of average cost. With equal costs this is the
    estimate above.

    Parameters
    ----------
    confidence : float or None
        C4.5's CF, between 0 and 1: a lower one prunes more. None only collapses.
    raising : bool
        Whether a branch may replace its parent (subtree raising).
    collapse : bool
        First cut subtrees that do not classify the training rows better than a leaf.
    variant : {"release8", "j48", "c5"}
        Program whose estimate of errors is used; see :func:`treewright.measures.added_errors`. C5.0
        also estimates branches below the minimum of rows together, as one leaf, and raises only
        branches that ask, hold a tenth of the rows and do not cut the same column.
    regrowing : bool
        Whether branches are regrown below a raised node that had less than 95 % of the
        rows it gets, as only C5.0 does.

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
    regrowing: bool = True

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_share("confidence", self.confidence, optional=True)
        check_flag("raising", self.raising)
        check_flag("collapse", self.collapse)
        check_choice("variant", self.variant, ERROR_VARIANTS)
        check_flag("regrowing", self.regrowing)

    def _read(
        self, tree: Tree, X: Any, y: Any, sample_weight: Any, validation: Any
    ) -> tuple[Record | None, RoutedRows | None]:
        owner = type(self).__name__
        hint = f"{owner}().prune(tree, X, y)"
        training = tree.record(X, y, sample_weight, owner=owner, hint=hint)
        if X is not None:
            _check_rows(tree, training)
        return training, RoutedRows.read_pair(tree, "validation", validation, owner=owner)

    def run(
        self,
        tree: Tree,
        *,
        training: Record | None = None,
        validation: RoutedRows | None = None,
        tested: RoutedRows | None = None,
    ) -> Tree:
        """Return the pruned tree, given training rows that have been read."""
        assert training is not None
        risk = training_risk(tree)
        collapsing = self._collapse(tree, risk)
        if self.confidence is None:
            return cut(self.name, tree, collapsing, validation=validation, test=tested)
        marked = np.zeros(tree.n_nodes, dtype=bool)
        marked[collapsing.node] = True
        collapsed = with_leaves(tree, marked)
        number = np.flatnonzero(
            ~has_marked_ancestor(tree, marked)
        )  # of its nodes in the whole tree
        samples = {"validation": validation, "test": tested}
        followers = {name: sample for name, sample in samples.items() if sample is not None}
        done = prune_by_error(
            collapsed,
            training.rows(),
            followers=[sample.class_rows() for sample in followers.values()],
            confidence=self.confidence,
            variant=self.variant,
            raising=self.raising,
            collapse=self.collapse,
            regrowing=self.regrowing,
            growth=training.growth(),
        )
        risks = {"train": risk} | {name: each.risk for name, each in followers.items()}
        totals = {"train": float(tree.arrays.weight[0]) or 1.0}
        totals |= {name: each.scale for name, each in followers.items()}
        pruning = Pruning(
            method=self.name,
            compared="errors, counted (collapsing) or estimated: of the subtree, and instead",
            node=np.append(collapsing.node, number[done.node]),
            raised=[False] * len(collapsing.node) + done.raised.tolist(),
            before=np.append(collapsing.before, done.figures[:, 0]),
            after=np.append(collapsing.after, done.figures[:, 1]),
            tree=tree,
            risks=risks,
            totals=totals,
            followed=_curve(curve_of(tree, collapsing.node, risks, totals), done, totals),
            source=number[done.source],
        )
        return done.tree.with_arrays(done.tree.arrays, pruning=pruning)

    def _collapse(self, tree: Tree, risk: FloatArray) -> Cuts:
        compared = "errors of the subtree, and of a leaf"
        if not self.collapse:
            return Cuts.of([], compared)
        if self.variant == "c5":
            return bottom_up(tree, risk, _NEARLY_ALL * risk, compared)
        return bottom_up(tree, risk, risk - _COLLAPSE * error_costs(tree).unit, compared)


def _check_rows(tree: Tree, training: Record) -> None:
    """Refuse rows that are not the training rows: the errors of nodes would be wrong."""
    hint = "\n  Hint: pass the very table, target and weights the tree was fitted on."
    table, codes, weight = training.rows()
    given = np.bincount(codes, weights=weight, minlength=tree.arrays.width)
    known = tree.arrays.value[0]
    if not np.allclose(given, known, rtol=1e-6, atol=0.0):
        raise DataError(
            f"ErrorBased: the rows given have class weights {', '.join(figures(given))}; the tree"
            f" was grown on {', '.join(figures(known))}.{hint}"
        )
    # Training may have routed rows with missing values otherwise than prediction, but no others.
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
    """Return whether each row has a value in every column."""
    complete: BoolArray = np.ones(table.n_rows, dtype=bool)
    for index in range(len(table.schema)):
        complete &= ~table.is_missing(index)
    return complete


def _curve(collapsing: Curve, done: Raised, totals: Mapping[str, float]) -> Curve:
    """Return the curve of size against error through both stages."""
    leaves, wrong = np.cumsum(done.figures[:, 2:], axis=0).T
    start = collapsing.errors["train"]
    errors = {"train": np.append(start, start[-1] + wrong / totals["train"])}
    # The final cost of followers is known, and the change by each step before.
    at_steps = done.left - done.followed.sum(axis=0) + np.cumsum(done.followed, axis=0)
    for name, costs in zip(list(totals)[1:], at_steps.T, strict=True):
        errors[name] = np.append(collapsing.errors[name], costs / totals[name])
    sizes = collapsing.n_leaves[-1] + leaves.astype(np.int64)
    return Curve(n_leaves=np.append(collapsing.n_leaves, sizes), errors=errors)
