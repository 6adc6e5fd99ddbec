"""The base of every pruner: its interface, and the record of what it did.

A pruner takes a grown tree and returns a smaller one. A method decides which nodes become leaves,
in which order and by which figures; the rest is done here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.errors import ParameterError, UnsupportedError
from treewright.prune.bottom_up import cut_from_below
from treewright.prune.record import Pruning
from treewright.prune.risk import training_risk
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.edit import with_leaves
from treewright.tree.record import Record
from treewright.tree.tree import Tree, check_is_tree

Needs = Literal["nothing", "training", "validation", "folds"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cuts:
    """The nodes that became leaves, in order, and the figures that were compared."""

    node: Int64Array
    before: FloatArray
    after: FloatArray
    compared: str

    @classmethod
    def of(cls, cuts: Iterable[tuple[int, float, float]], compared: str) -> Cuts:
        """Return cuts from triples: a node, the figure of its subtree, and its figure as a leaf."""
        table = np.array([*cuts], dtype=np.float64).reshape(-1, 3)
        return cls(
            node=table[:, 0].astype(np.int64),
            before=table[:, 1],
            after=table[:, 2],
            compared=compared,
        )

    def first(self, n_cuts: int) -> Cuts:
        """Return the first `n_cuts` cuts."""
        return Cuts(
            node=self.node[:n_cuts],
            before=self.before[:n_cuts],
            after=self.after[:n_cuts],
            compared=self.compared,
        )


@dataclass(frozen=True, kw_only=True)
class Pruner:
    """A pruning method with its parameters."""

    name: ClassVar[str]
    needs: ClassVar[Needs] = "nothing"
    for_numbers: ClassVar[bool] = True
    several_outputs: ClassVar[bool] = True

    def prune(
        self,
        tree: Tree,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        validation: tuple[Any, Any] | None = None,
        test: tuple[Any, Any] | None = None,
    ) -> Tree:
        """Return the pruned tree; the one given is not changed.

        Parameters
        ----------
        tree
            A grown tree.
        X, y, sample_weight
            The rows that the method decides by: validation rows, where it needs some
            (:class:`ErrorBased` decides by the training rows). A method that needs none uses them
            for the curve.
        validation
            The same as the pair ``X, y``; for :class:`ErrorBased`, whose `X` and `y` are the
            training rows, a table and its target for the curve.
        test
            A table and its target that take no part in any decision: they only appear in the
            curve ``tree.pruning.curve``.

        Returns
        -------
        Tree
            With ``tree.pruning``, the record of what was cut and why.
        """
        self.check()
        self.check_tree(tree)
        owner = type(self).__name__
        if (X is None) != (y is None) or (X is None and sample_weight is not None):
            raise ParameterError(
                f"{owner}: X, y and sample_weight belong to one table.\n"
                "  Hint: give X and y, with sample_weight if the rows have any, or none of them."
            )
        training, given = self._read(tree, X, y, sample_weight, validation)
        tested = RoutedRows.read_pair(tree, "test", test, owner=owner)
        return self.run(tree, training=training, validation=given, tested=tested)

    def _read(
        self, tree: Tree, X: Any, y: Any, sample_weight: Any, validation: Any
    ) -> tuple[Record | None, RoutedRows | None]:
        """Return the rows given: training rows or validation rows, depending on the method."""
        owner = type(self).__name__
        if X is not None and validation is not None:
            raise ParameterError(
                f"{owner}: X, y and validation are two names of the same rows.\n"
                "  Hint: give one of them."
            )
        if validation is not None:
            return None, RoutedRows.read_pair(tree, "validation", validation, owner=owner)
        if X is not None:
            return None, RoutedRows.read(tree, X, y, sample_weight, owner=owner)
        if self.needs == "validation":
            raise ParameterError(
                f"{owner} judges by rows that did not take part in growing.\n"
                f"  Hint: {owner}().prune(tree, X_valid, y_valid), or prune={self.name!r} in an"
                " estimator, which keeps some rows back."
            )
        return None, None

    def run(
        self,
        tree: Tree,
        *,
        training: Record | None = None,
        validation: RoutedRows | None = None,
        tested: RoutedRows | None = None,
    ) -> Tree:
        """Return the pruned tree, given rows that have been read."""
        cuts = self._cuts(tree, validation)
        return cut(self.name, tree, cuts, validation=validation, test=tested)

    def check(self) -> None:
        """Refuse parameters outside their range."""

    def check_tree(self, tree: Tree) -> None:
        """Refuse trees that the method cannot prune."""
        check_is_tree("tree", tree)
        if tree.linear is not None:
            raise UnsupportedError(
                f"{type(self).__name__} judges leaves by their constants; this tree's answer by"
                " linear models.\n  Hint: DecisionTreeRegressor(prune=..., leaf_model='linear')"
                " prunes"
                " first and fits them afterwards; M5Regressor prunes by its models."
            )
        if tree.classes is None and not self.for_numbers:
            raise UnsupportedError(
                f"{type(self).__name__} judges classes; this tree predicts numbers.\n"
                "  Hint: CostComplexity(on='impurity') and ReducedError prune such trees."
            )
        if tree.n_outputs > 1 and not self.several_outputs:
            raise UnsupportedError(
                f"{type(self).__name__} judges one target; this tree predicts {tree.n_outputs}.\n"
                "  Hint: CostComplexity and ReducedError prune such trees."
            )

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        raise AssertionError("a pruner has a method")


def cut(
    method: str,
    tree: Tree,
    cuts: Cuts,
    *,
    validation: RoutedRows | None = None,
    test: RoutedRows | None = None,
) -> Tree:
    """Return the tree with nodes cut, and the record of it."""
    marked = np.zeros(tree.n_nodes, dtype=bool)
    marked[cuts.node] = True
    risks = {"train": training_risk(tree)}
    totals = {"train": float(tree.arrays.weight[0]) or 1.0}
    for name, sample in (("validation", validation), ("test", test)):
        if sample is not None:
            risks[name], totals[name] = sample.risk, sample.scale
    pruned = with_leaves(tree, marked)
    return pruned.with_arrays(
        pruned.arrays,
        linear=pruned.linear,
        pruning=Pruning(
            method=method,
            compared=cuts.compared,
            node=cuts.node,
            before=cuts.before,
            after=cuts.after,
            tree=tree,
            risks=risks,
            totals=totals,
        ),
    )


def bottom_up(
    tree: Tree,
    figure: FloatArray,
    bound: FloatArray,
    compared: str,
    *,
    slack: float = 0.0,
    only_leaf_parents: bool = False,
    questions: FloatArray | None = None,
) -> Cuts:
    """Return the nodes, bottom up, whose subtrees are no better than leaves.

    Parameters
    ----------
    tree
        The tree.
    figure
        Figure of each node as a leaf. The figure of a subtree is the sum over its leaves.
    bound
        A node is cut if the figure of its subtree, pruned so far, is at least this, less `slack`.
    compared
        Text of what is compared.
    slack
        Added to the figures of subtrees.
    only_leaf_parents
        Consider a node only if all its children are leaves by then: a node that is kept keeps all
        nodes above it.
    questions
        Figure that each question adds to its subtree.

    Returns
    -------
    Cuts
        In the order they were made, with the figures of the subtree and of the leaf.
    """
    node, subtree = cut_from_below(
        tree.arrays,
        figure,
        bound,
        slack=slack,
        questions=questions,
        only_leaf_parents=only_leaf_parents,
    )
    return Cuts(node=node, before=subtree, after=figure[node], compared=compared)
