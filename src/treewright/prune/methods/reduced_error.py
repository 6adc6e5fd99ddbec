"""Reduced error pruning: nodes become leaves while validation rows are predicted no worse."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.parameters import check_choice, check_count, check_share
from treewright.prune.base import Cuts, Needs, Pruner, bottom_up, cut
from treewright.prune.bottom_up import add_up
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.record import Record
from treewright.tree.tree import Tree

_COMPARED = "what the validation rows cost below the node, and in a leaf instead"
_ROUNDING = 2.0**-30
"""Relative rounding error of sums of parts of rows; a power of two keeps ratios of whole
numbers away from the middle between two steps."""


@dataclass(frozen=True, kw_only=True)
class ReducedError(Pruner):
    """Reduced error pruning (Quinlan 1987) with rows that took no part in growing.

    A leaf's class is that of its training rows. The pruned tree is never worse than the unpruned
    one on the validation rows.

    Parameters
    ----------
    candidates : {"any", "bottom_up", "leaf_parents"}
        ``"any"``: of all nodes the one whose removal helps most is cut first, then the next (as in
        the Bamberg lecture). ``"bottom_up"``: every node once, children before parents (Quinlan,
        Weka). ``"leaf_parents"``: only nodes whose children are all leaves (Posik, Penn): a node
        that is kept keeps those above it.
    accept : {"not_worse", "better"}
        Whether a cut that changes no error is made; nodes that no validation row reaches are then
        cut.
    fraction : float
        The share of the training rows that an estimator holds out as validation rows.
    random_state : int
        Seed of the choice of these rows.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import ReducedError
    >>> cancer = load_example("breast_cancer")
    >>> tree = DecisionTreeClassifier().fit(cancer.X[:400], cancer.y[:400]).tree_
    >>> pruned = ReducedError().prune(tree, cancer.X[400:], cancer.y[400:])
    >>> print(pruned.pruning.curve)
    leaves   train  validation
        18  0.0000      0.0947
         9  0.0350      0.0592
         8  0.0450      0.0592
         7  0.0475      0.0592
    """

    name: ClassVar[str] = "reduced_error"
    needs: ClassVar[Needs] = "validation"
    candidates: str = "any"
    accept: str = "not_worse"
    fraction: float = 1 / 3
    random_state: int = 0

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_choice("candidates", self.candidates, ("any", "bottom_up", "leaf_parents"))
        check_choice("accept", self.accept, ("not_worse", "better"))
        check_share("fraction", self.fraction)
        check_count("random_state", self.random_state, least=0)

    def run(
        self,
        tree: Tree,
        *,
        training: Record | None = None,
        validation: RoutedRows | None = None,
        tested: RoutedRows | None = None,
    ) -> Tree:
        """Return the pruned tree, given validation rows that have been read."""
        assert validation is not None
        cuts = self._cuts(tree, validation)
        pruned = cut(self.name, tree, cuts, validation=validation, test=tested)
        if not validation.is_divided.any():
            return pruned
        # Parts of divided rows were judged one by one; what matters is the prediction of the
        # whole row. Where that is worse, the last cuts are undone.
        allowed = validation.cost(tree) + _slack(validation)
        n_kept, taken_back = len(cuts.node), 1
        while n_kept and validation.cost(pruned) > allowed:
            n_kept = max(n_kept - taken_back, 0)
            taken_back *= 2
            kept = cuts.first(n_kept)
            pruned = cut(self.name, tree, kept, validation=validation, test=tested)
        return pruned

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        assert validation is not None
        slack = _slack(validation)
        if self.candidates == "any":
            return Cuts.of(self._best_first(tree, validation, slack), _COMPARED)
        risk = validation.risk
        takes_ties = self.accept == "not_worse"
        bound = risk - slack if takes_ties else np.nextafter(risk + slack, np.inf)
        only_leaf_parents = self.candidates == "leaf_parents"
        return bottom_up(tree, risk, bound, _COMPARED, only_leaf_parents=only_leaf_parents)

    def _best_first(
        self, tree: Tree, validation: RoutedRows, slack: float
    ) -> list[tuple[int, float, float]]:
        """Return cuts, the most helpful node first; then those that change nothing.

        The benefit of cutting a node falls as nodes below it are cut. Nodes are kept in a queue by
        their last known benefit, which is recomputed when a node is taken from it, so that a cut
        need not update all its ancestors.
        """
        asks = np.flatnonzero(tree.arrays.n_branches > 0)
        risk = validation.risk
        leaf = risk.tolist()
        subtrees = add_up(tree, np.where(tree.arrays.n_branches > 0, 0.0, risk))
        whole = subtrees.tolist()
        helped = _SumsBelow(tree)
        cuts = []

        # A node's rank in the queue: its benefit, in steps of the rounding error, and its
        # number, so that of equally good nodes the lowest is first.
        def turns(nodes: Int64Array, below: FloatArray) -> FloatArray:
            turn: FloatArray = -np.rint((below[nodes] - risk[nodes]) / (slack or 1.0))
            return turn

        def subtree(node: int) -> float:
            return float(whole[node] - helped.below(node))

        def make_leaf(node: int, before: float) -> None:
            cuts.append((node, before, leaf[node]))
            helped.add(node, before - leaf[node])

        first = turns(asks, subtrees)
        heap = list(zip(first[first < -1].tolist(), asks[first < -1].tolist(), strict=True))
        heapq.heapify(heap)
        while heap:
            before, node = heapq.heappop(heap)
            if helped.is_gone(node):
                continue
            figure = subtree(node)
            now = -round((figure - leaf[node]) / (slack or 1.0))
            if now == before:
                make_leaf(node, figure)
            elif now < -1:
                heapq.heappush(heap, (now, node))
        if self.accept == "not_worse":
            # From the top; a cut here does not change the benefit of the nodes that follow.
            left = subtrees - helped.all_below()
            for node in asks[turns(asks, left) <= 1].tolist():
                if not helped.is_gone(node):
                    make_leaf(node, float(left[node]))
        return cuts


def _slack(validation: RoutedRows) -> float:
    """Return the rounding error of sums of parts of rows, by which equal costs may differ."""
    return _ROUNDING * float(validation.risk.max())


class _SumsBelow:
    """Sums over subtrees while entries are added: a Fenwick tree over the nodes in pre-order.

    A node that has an entry is a leaf from then on, and its descendants are removed.
    """

    def __init__(self, tree: Tree) -> None:
        n_nodes = tree.n_nodes
        place = np.empty(n_nodes, dtype=np.int64)
        place[tree.reading_order] = np.arange(n_nodes)
        self._tree = tree
        self._first: list[int] = place.tolist()
        sizes = add_up(tree, np.ones(n_nodes)).astype(np.int64)
        self._stop: list[int] = (place + sizes).tolist()
        self._sums = [0.0] * (n_nodes + 1)
        self._amounts = np.zeros(n_nodes)
        # From each position to the next that is not known to be removed.
        self._gone_until = list(range(n_nodes + 1))

    def add(self, node: int, amount: float) -> None:
        """Add an amount at a node."""
        self._amounts[node] += amount
        at = self._first[node] + 1
        while at < len(self._sums):
            self._sums[at] += amount
            at += at & -at
        place, stop, gone_until = self._first[node], self._stop[node], self._gone_until
        while place < stop:  # skips removed nodes in one step: each node is visited once
            beyond = gone_until[place]
            gone_until[place] = stop
            place = max(beyond, place + 1)

    def below(self, node: int) -> float:
        """Return the sum over a node and all below it."""
        return self._before(self._stop[node]) - self._before(self._first[node])

    def all_below(self) -> FloatArray:
        """Return the sum over each node and all below it."""
        return add_up(self._tree, self._amounts)

    def is_gone(self, node: int) -> bool:
        """Return whether a node, or an ancestor of it, has an entry."""
        return self._gone_until[self._first[node]] > self._first[node]

    def _before(self, place: int) -> float:
        total = 0.0
        while place > 0:
            total += self._sums[place]
            place &= place - 1
        return total
