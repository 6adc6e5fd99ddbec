"""Critical value pruning: a subtree is kept only if some split in it reached the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.parameters import check_choice, check_number
from treewright.prune.base import Cuts, Pruner
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.edit import has_marked_ancestor
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class CriticalValue(Pruner):
    """Critical value pruning (Mingers 1987): judged by the criterion that chose the splits.

    A node becomes a leaf if neither its own split nor any split below it reached the critical
    value: a weak split stays where it leads to a strong one.

    Parameters
    ----------
    value : float
        The critical value.
    of : {"gain", "score"}
        The figure compared with it: the gain, or the score of the criterion (the gain ratio, where
        the tree was grown by it).

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import CriticalValue
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier().fit(iris.X, iris.y).tree_
    >>> tree.n_leaves, CriticalValue(value=0.1).prune(tree).n_leaves
    (9, 8)
    """

    name: ClassVar[str] = "critical_value"
    value: float = 0.0
    of: str = "gain"

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("value", self.value, low=0.0)
        check_choice("of", self.of, ("gain", "score"))

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        asks = tree.arrays.n_branches > 0
        own = tree.arrays.gain if self.of == "gain" else tree.arrays.score
        strongest = np.where(asks, own, -np.inf).tolist()
        parent = tree.arrays.parent.tolist()
        for node in range(tree.n_nodes - 1, 0, -1):
            if strongest[node] > strongest[parent[node]]:
                strongest[parent[node]] = strongest[node]
        best = np.array(strongest)
        marked = asks & (best < self.value)
        topmost = np.flatnonzero(marked & ~has_marked_ancestor(tree, marked))
        return Cuts(
            node=topmost,
            before=best[topmost],
            after=np.full(len(topmost), self.value),
            compared=f"largest {self.of} in the subtree, and the critical value",
        )
