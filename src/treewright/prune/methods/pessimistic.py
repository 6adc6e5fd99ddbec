"""Pessimistic error pruning: training errors with a continuity correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.parameters import check_number
from treewright.prune.base import Cuts, Pruner
from treewright.prune.bottom_up import add_up
from treewright.prune.error_costs import error_costs
from treewright.prune.risk import leaves_below, training_risk
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.edit import has_marked_ancestor
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Pessimistic(Pruner):
    """Pessimistic pruning (Quinlan 1987): no validation rows, one visit to each node.

    A leaf's errors count half an error more. A subtree is kept only if its corrected errors are
    more than a standard error below those of a leaf in its place: a node becomes a leaf if
    E + 1/2 <= E' + SE with E' = errors + leaves / 2 and SE = sqrt(E' (N - E') / N). Nodes are
    judged from the top, on their unpruned subtrees. Under a cost matrix errors are counted by what
    they cost, in errors of average cost.

    Parameters
    ----------
    n_standard_errors : float
        Number of standard errors by which a subtree must be better.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import Pessimistic
    >>> cancer = load_example("breast_cancer")
    >>> tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    >>> tree.n_leaves, Pessimistic().prune(tree).n_leaves
    (22, 9)
    """

    name: ClassVar[str] = "pessimistic"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    n_standard_errors: float = 1.0

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("n_standard_errors", self.n_standard_errors, low=0.0)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        unit = error_costs(tree).unit
        risk = training_risk(tree) / unit
        asks = tree.arrays.n_branches > 0
        below = add_up(tree, np.where(asks, 0.0, risk)) + leaves_below(tree) / 2
        weight = np.maximum(tree.arrays.weight, 1e-300)
        error = np.sqrt(np.maximum(below * (weight - below), 0.0) / weight)
        with np.errstate(over="ignore"):  # then no subtree is better
            bound = below + self.n_standard_errors * error
        # Weights that are no whole numbers do not add up exactly.
        marked = asks & (risk + 0.5 <= bound + 1e-12 * weight[0])
        topmost = np.flatnonzero(marked & ~has_marked_ancestor(tree, marked))
        return Cuts(
            node=topmost,
            before=bound[topmost] * unit,
            after=(risk[topmost] + 0.5) * unit,
            compared="corrected errors of the subtree plus a standard error, and of a leaf",
        )
