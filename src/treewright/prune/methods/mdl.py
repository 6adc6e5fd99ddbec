"""MDL pruning: the shortest description of the tree and of the classes given the tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from treewright.array_types import FloatArray
from treewright.parameters import check_number
from treewright.prune.base import Cuts, Pruner, bottom_up
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.arrays import CATEGORIES, LINEAR
from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class MDL(Pruner):
    """Minimum description length pruning (Mehta, Rissanen & Agrawal 1995).

    The classes of n rows in a leaf take
    sum n_k log2(n / n_k) + (K - 1) / 2 log2(n / 2) + log2(pi^(K/2) / Gamma(K/2)) bits; a node takes
    one bit to say whether it asks, and a question log2(columns) bits and those of its cut or
    groups. A node becomes a leaf if that describes its rows in no more bits.

    Parameters
    ----------
    question_weight : float
        Weight of a bit of a question relative to a bit of classes: more prunes more.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.prune import MDL
    >>> cancer = load_example("breast_cancer")
    >>> tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    >>> tree.n_leaves, MDL().prune(tree).n_leaves
    (22, 6)
    """

    name: ClassVar[str] = "mdl"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    question_weight: float = 1.0

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("question_weight", self.question_weight, low=0.0)

    def _cuts(self, tree: Tree, validation: RoutedRows | None) -> Cuts:
        leaf_bits = 1.0 + _class_bits(tree.arrays.value)
        with np.errstate(over="ignore"):  # then no question is worth its bits
            questions = self.question_weight * (1.0 + _question_bits(tree))
        compared = "bits for the subtree, and for a leaf"
        return bottom_up(tree, leaf_bits, leaf_bits, compared, questions=questions)


def _class_bits(value: FloatArray) -> FloatArray:
    """Return the bits that encode the classes of the rows of each node (stochastic complexity)."""
    n = value.sum(axis=1)
    n_classes = value.shape[1]
    shares = np.divide(value, n[:, np.newaxis], out=np.ones_like(value), where=value > 0)
    data = -(value * np.log2(shares)).sum(axis=1)
    model = (n_classes - 1) / 2 * np.log2(np.maximum(n, 2.0) / 2)
    constant = (n_classes / 2 * math.log(math.pi) - float(gammaln(n_classes / 2))) / math.log(2)
    return np.where(n > 0, data + model + constant, 0.0)


def _question_bits(tree: Tree) -> FloatArray:
    """Return the bits that encode each node's question: its column, and its cut or groups.

    A cut is one of at most n - 1 places; one value against the rest is one of all v of the column;
    two groups of v values are one of 2^(v-1) - 1; a branch for every value needs no more than the
    column.
    """
    arrays = tree.arrays
    column = math.log2(max(len(tree.schema.columns), 1))
    n = np.maximum(arrays.weight - 1, 1.0)  # a weight of 2 is the row written twice
    bits = np.full(tree.n_nodes, column) + np.log2(n) * np.maximum(arrays.cut_count, 1)
    groups = arrays.kind == CATEGORIES
    n_values = arrays.code_count.astype(np.float64)
    of_groups = np.maximum(n_values - 1, 0) * np.log2(np.maximum(arrays.n_branches, 1))
    is_multiway = n_values <= arrays.n_branches
    values_of_column = np.array([max(len(spec.values), 1) for spec in tree.schema.columns])
    single = np.log2(values_of_column[arrays.column])  # -1 at a leaf: any column, not used
    of_groups = np.where(is_multiway, 0.0, of_groups)
    of_groups = np.where(arrays.rest_branch >= 0, single, of_groups)
    bits = np.where(groups, column + of_groups, bits)
    # Each coefficient of a linear combination (oblique) has a precision of 1 / sqrt(n): log2(n) / 2
    # bits.
    sums = arrays.kind == LINEAR
    return np.where(sums, bits + (column + np.log2(n) / 2) * arrays.term_count, bits)
