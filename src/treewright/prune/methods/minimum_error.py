"""Minimum error pruning: the expected error rate by the m-estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.parameters import check_number
from treewright.prune.base import Cuts, Pruner, bottom_up
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class MinimumError(Pruner):
    """Minimum error pruning (Niblett & Bratko 1986; with the m-estimate, Cestnik & Bratko 1991).

    The probability of class k in a node is (n_k + m p_k) / (n + m), with p_k its share of all rows.
    A node becomes a leaf if its expected error (or cost) is not above that of its children,
    weighted by their rows.

    Parameters
    ----------
    m : float or None
        Weight of the prior shares: more prunes more. None is Laplace's estimate,
        (n_k + 1) / (n + K), as Niblett and Bratko used.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import MinimumError
    >>> cancer = load_example("breast_cancer")
    >>> tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    >>> tree.n_leaves, MinimumError(m=2).prune(tree).n_leaves
    (22, 18)
    """

    name: ClassVar[str] = "minimum_error"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    m: float | None = 2.0

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("m", self.m, low=0.0, optional=True)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        value = tree.arrays.value
        whole = value[0] / max(value[0].sum(), 1e-300)
        added = np.ones(len(whole)) if self.m is None else self.m * whole
        smoothed = value + added
        shares = smoothed / np.maximum(smoothed.sum(axis=1, keepdims=True), 1e-300)
        # Weight x expected cost, so that children simply add up.
        weight = value.sum(axis=1)
        expected = weight * tree.leaf.cost_of(shares, tree.leaf.choose(shares))
        costs = tree.leaf.cost_matrix
        slack = 1e-12 * float(weight[0]) * (1.0 if costs is None else float(costs.max()))
        compared = "expected errors of the children, and of the node as a leaf"
        return bottom_up(tree, expected, expected, compared, slack=slack)
