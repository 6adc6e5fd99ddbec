"""Minimum-fraction pruning: splits that leave a leaf with too few rows are cut."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.parameters import check_number
from treewright.prune.base import Cuts, Pruner, bottom_up
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class MinimumFraction(Pruner):
    """Cut splits that leave a leaf with less than a fraction of all rows (textbook, section 3.4).

    A node whose children are all leaves becomes one if a child holds less; repeated from the
    bottom, because the new leaf may be too small itself.

    Parameters
    ----------
    fraction : float
        Share of the training weight that a leaf must hold.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import MinimumFraction
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    >>> tree.n_leaves, MinimumFraction().prune(tree).n_leaves
    (9, 4)
    """

    name: ClassVar[str] = "minimum_fraction"
    fraction: float = 0.03

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("fraction", self.fraction, low=0.0, high=1.0)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        weight, parent = tree.arrays.weight, tree.arrays.parent
        smallest = np.full(tree.n_nodes, np.inf)  # child of each node
        np.minimum.at(smallest, parent[1:], weight[1:])
        least = self.fraction * weight[0]
        # Weights of rows that were divided do not add up exactly.
        too_small = np.where(smallest < least * (1 - 1e-9), -np.inf, np.inf)
        compared = "weight of the smallest child, and the least a leaf must hold"
        nothing = np.zeros(tree.n_nodes)
        cuts = bottom_up(tree, nothing, too_small, compared, only_leaf_parents=True)
        return dataclasses.replace(
            cuts, before=smallest[cuts.node], after=np.full(len(cuts.node), least)
        )
