"""Pruning to a maximum depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.parameters import check_count
from treewright.prune.base import Cuts, Pruner
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class ToDepth(Pruner):
    """Pruning to a maximum depth: all nodes at that depth become leaves.

    Parameters
    ----------
    depth : int
        Number of tests on the longest remaining path; 0 leaves the root alone.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import ToDepth
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    >>> tree.depth, ToDepth(depth=2).prune(tree).depth
    (5, 2)
    """

    name: ClassVar[str] = "to_depth"
    depth: int = 3

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_count("depth", self.depth, least=0)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        marked = np.flatnonzero((tree.levels == self.depth) & (tree.arrays.n_branches > 0))
        return Cuts(
            node=marked,
            before=np.full(len(marked), float(tree.depth)),
            after=np.full(len(marked), float(min(self.depth, tree.depth))),
            compared="depth of the tree, and the depth allowed",
        )
