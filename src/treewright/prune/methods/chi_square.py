"""Chi-square pruning: nodes whose split is not significant become leaves."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import chdtrc

from treewright.array_types import FloatArray
from treewright.parameters import check_flag, check_number
from treewright.prune.base import Cuts, Pruner, bottom_up
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class ChiSquare(Pruner):
    """Chi-square pruning (Quinlan 1986; Posik's lecture), from the bottom up.

    A node whose children are all leaves becomes a leaf if Pearson's test of its branches x classes
    does not reject independence. A node that is kept keeps those above it.

    Parameters
    ----------
    alpha : float
        Level of the test: a split with p > alpha is cut.
    yates : bool
        Yates's continuity correction for 2 x 2 tables; it changes results and is off by default.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> from treewright.prune import ChiSquare
    >>> play = load_example("play_tennis_d15")
    >>> tree = ID3Classifier().fit(play.X, play.y).tree_
    >>> tree.n_leaves, ChiSquare().prune(tree).n_leaves
    (7, 4)
    """

    name: ClassVar[str] = "chi_square"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    alpha: float = 0.05
    yates: bool = False

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("alpha", self.alpha, low=0.0, high=1.0)
        check_flag("yates", self.yates)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        p_value = split_p_values(tree, yates=self.yates)
        compared = "p-value of the split, and the level of the test"
        nothing = np.zeros(tree.n_nodes)
        is_chance = np.where(p_value > self.alpha, -np.inf, np.inf)
        cuts = bottom_up(tree, nothing, is_chance, compared, only_leaf_parents=True)
        return dataclasses.replace(
            cuts, before=p_value[cuts.node], after=np.full(len(cuts.node), self.alpha)
        )


def split_p_values(tree: Tree, *, yates: bool = False) -> FloatArray:
    """Return the p-value of Pearson's test of every node's branches x classes; 1 at leaves.

    Degrees of freedom are (branches - 1) (classes - 1), of branches and classes that have rows.
    """
    value, parent = tree.arrays.value, tree.arrays.parent
    asks = tree.arrays.n_branches > 0
    total = value.sum(axis=1)
    above = value[np.maximum(parent, 0)]
    above_total = np.maximum(total[np.maximum(parent, 0)], 1e-300)
    expected = total[:, np.newaxis] * above / above_total[:, np.newaxis]
    gap = np.abs(value - expected)
    counted = (expected > 0) & (parent >= 0)[:, np.newaxis]
    n_branches = np.bincount(parent[1:], weights=total[1:] > 0, minlength=tree.n_nodes)
    n_classes = np.count_nonzero(value > 0, axis=1)
    freedom = np.maximum((n_branches - 1) * (n_classes - 1), 0)
    if yates:
        small = (freedom == 1)[np.maximum(parent, 0)]
        gap = np.where(small[:, np.newaxis], np.maximum(gap - 0.5, 0.0), gap)
    cells = np.divide(gap**2, expected, out=np.zeros_like(gap), where=counted).sum(axis=1)
    statistic = np.bincount(parent[1:], weights=cells[1:], minlength=tree.n_nodes)
    # What scipy.stats.chi2.sf calls, without the half second that importing scipy.stats takes.
    return np.where(asks & (freedom > 0), chdtrc(np.maximum(freedom, 1), statistic), 1.0)
