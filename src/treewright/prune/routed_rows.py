"""Rows with a known target, routed through a tree, and the risk of every node on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import BoolArray, FloatArray, Int64Array
from treewright.data.read.rows import read_rows
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import read_weights
from treewright.data.table import Table
from treewright.errors import ParameterError, TargetError
from treewright.prune.bottom_up import add_up
from treewright.tree.leaf import by_output
from treewright.tree.tree import Tree

_ORDINARY = 400
"""Up to 2 to this power, and down to its inverse, squares and their sums stay finite."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RoutedRows:
    """Rows with a known target, routed through a tree.

    Parameters
    ----------
    tree, table
        The tree before pruning, and the rows as it reads them.
    classes, values, weight
        The class codes (a column per output) or numbers, and the weight of each row.
    start, leaf, share
        The leaves each row reaches, and its share in each.
    shift
        Numbers are compared in units of this power of two; 0, unless their squares would overflow.
    """

    tree: Tree
    table: Table
    weight: FloatArray
    classes: Int64Array | None
    values: FloatArray | None
    start: Int64Array
    leaf: Int64Array
    share: FloatArray
    shift: int = 0

    @classmethod
    def read(
        cls, tree: Tree, X: Any, y: Any, sample_weight: Any = None, *, owner: str
    ) -> RoutedRows:
        """Return the rows of a table and its target, routed."""
        table = read_rows(X, tree.schema, unseen=tree.unseen)
        weight = read_weights(sample_weight, table.n_rows)
        weight = np.ones(table.n_rows) if weight is None else weight
        if tree.classes is None:
            values = read_values(y, owner=owner, n_rows=table.n_rows).values
            values = values.reshape(table.n_rows, -1)
            if values.shape[1] != tree.n_outputs:
                raise TargetError(
                    f"{owner}: y has {values.shape[1]} columns, the tree predicts {tree.n_outputs}."
                )
            return cls.of(tree, table, weight=weight, values=values, shift=_shift(tree, values))
        return cls.of(tree, table, weight=weight, classes=_codes(tree, y, table.n_rows, owner))

    @classmethod
    def read_pair(cls, tree: Tree, name: str, given: Any, *, owner: str) -> RoutedRows | None:
        """Return the routed rows of a pair (table, target); None stays None."""
        if given is None:
            return None
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ParameterError(
                f"{owner}: {name} must be a pair, a table and its answers: (X, y)."
            )
        return cls.read(tree, *given, owner=owner)

    @classmethod
    def of(
        cls,
        tree: Tree,
        table: Table,
        *,
        weight: FloatArray,
        classes: Int64Array | None = None,
        values: FloatArray | None = None,
        shift: int = 0,
    ) -> RoutedRows:
        """Return rows whose target has been read, routed."""
        start, leaf, share = tree.plan.parts(table)
        return cls(
            tree=tree,
            table=table,
            weight=weight,
            classes=classes,
            values=values,
            start=start,
            leaf=leaf,
            share=share,
            shift=shift,
        )

    def class_rows(self) -> tuple[Table, Int64Array, FloatArray]:
        """Return the rows with their classes and weights, where there is one target of classes."""
        assert self.classes is not None
        return self.table, self.classes[:, 0], self.weight

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weight.sum())

    @property
    def scale(self) -> float:
        """Divisor that turns total costs into means in the units of the target."""
        with np.errstate(over="ignore", under="ignore"):
            scaled = float(np.ldexp(self.total or 1.0, -2 * self.shift))
        return max(scaled, 5e-324)

    @cached_property
    def is_divided(self) -> BoolArray:
        """Whether each row reaches several leaves."""
        return np.asarray(np.diff(self.start) > 1)

    @cached_property
    def risk(self) -> FloatArray:
        """Risk of each node as a leaf on these rows; parts of rows cost their share."""
        tree, n_nodes = self.tree, self.tree.n_nodes
        row = np.repeat(np.arange(len(self.weight)), np.diff(self.start))
        weight = self.weight[row] * self.share
        if self.values is not None:
            total: FloatArray = np.zeros(n_nodes)
            for output in range(tree.n_outputs):
                centre = tree.answers[0, output]  # squares about it cancel little
                guess = np.ldexp(tree.answers[:, output] - centre, -self.shift)
                y = np.ldexp(self.values[row, output] - centre, -self.shift)
                parts = [np.bincount(self.leaf, weight * y**p, minlength=n_nodes) for p in range(3)]
                n, first, second = (add_up(tree, part) for part in parts)
                total += np.maximum(second - 2 * guess * first + guess**2 * n, 0.0)
            return total
        assert self.classes is not None
        assert tree.classes is not None
        total = np.zeros(n_nodes)
        answers = by_output(tree.answers, tree.classes)
        for output, (names, answer) in enumerate(zip(tree.classes, answers, strict=True)):
            counts = np.zeros((n_nodes, len(names)))
            np.add.at(counts, (self.leaf, self.classes[row, output]), weight)
            counts = np.column_stack([add_up(tree, counts[:, k]) for k in range(len(names))])
            total += tree.leaf.cost_of(counts, tree.leaf.choose(answer))
        return total

    def losses(self, pruned: Tree) -> FloatArray:
        """Return the cost of each row as a pruned tree predicts it."""
        answers = pruned.plan.answers(self.table)
        if self.values is not None:
            return np.asarray((np.ldexp(answers - self.values, -self.shift) ** 2).sum(axis=1))
        assert self.classes is not None
        assert pruned.classes is not None
        total: FloatArray = np.zeros(len(answers))
        for output, part in enumerate(by_output(answers, pruned.classes)):
            chosen = pruned.leaf.choose(part)
            actual = self.classes[:, output]
            matrix = pruned.leaf.cost_matrix
            total += matrix[actual, chosen] if matrix is not None else (actual != chosen)
        return total

    def cost(self, pruned: Tree) -> float:
        """Return the total cost of the rows as a pruned tree predicts them."""
        return float(self.weight @ self.losses(pruned))


def _shift(tree: Tree, values: FloatArray) -> int:
    """Return the power of two by which numbers are divided so that their squares stay finite."""
    largest = float(max(np.abs(values).max(initial=0.0), np.abs(tree.answers).max()))
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > _ORDINARY else 0


def _codes(tree: Tree, y: Any, n_rows: int, owner: str) -> Int64Array:
    """Return the positions of labels among the tree's classes; refuse a class it does not have."""
    assert tree.classes is not None
    target = read_classes(y, owner=owner, n_rows=n_rows)
    if len(target.classes) != len(tree.classes):
        raise TargetError(
            f"{owner}: y has {len(target.classes)} columns, the tree predicts {len(tree.classes)}."
        )
    codes = target.codes.reshape(n_rows, -1).astype(np.int64)
    for output, (given, known) in enumerate(zip(target.classes, tree.classes, strict=True)):
        place = {name: k for k, name in enumerate(known.tolist())}
        new = [place.get(name, -1) for name in given.tolist()]
        if -1 in new:
            unknown = given.tolist()[new.index(-1)]
            row = int(np.argmax(codes[:, output] == new.index(-1)))
            raise TargetError(
                f"{owner}: row {row} has class {unknown!r}, which the tree does not know.\n"
                f"  Classes: {', '.join(map(str, known.tolist()[:10]))}"
            )
        codes[:, output] = np.array(new, dtype=np.int64)[codes[:, output]]
    return codes
