"""scikit-learn's names for the nodes of a tree: ``children_left``, ``threshold``, ``value`` ...

Code written for scikit-learn's ``tree_`` reads trees by these names. A tree has them if it is one
that scikit-learn could have grown: every question cuts a column of numbers in two, or tells True
from False (a cut at 0.5: scikit-learn reads them as 1 and 0), and every leaf predicts a constant.
Any other tree raises an :class:`~treewright.errors.UnsupportedNameError` that says what stands in
the way; ``hasattr`` is then False. Nodes keep their numbers.
"""

# SklearnNames annotates self as Tree; mypy expects a mixin's methods to accept the mixin.
# mypy: disable-error-code="misc"

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.fitted_schema import UINT_OFFSET
from treewright.errors import UnsupportedNameError
from treewright.tree.arrays import CATEGORIES, LEAF, LINEAR, read_only
from treewright.tree.impurity import impurity_decrease
from treewright.tree.leaf import by_output

if TYPE_CHECKING:
    from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
    from treewright.data.fitted_schema import ColumnSpec
    from treewright.tree.tree import Tree

TREE_LEAF = -1
"""What scikit-learn has for the children of a leaf."""
TREE_UNDEFINED = -2
"""What scikit-learn has for the column and the threshold of a leaf."""

_WHAT_IS_STORED = {
    "datetime": "whose values are dates",
    "duration": "whose values are durations",
    "value": "whose values have an order but are no numbers",
}


_BOOLEAN_CUT = 0.5
"""Where False and True, as scikit-learn's 0 and 1, are told apart."""


def branches_of_booleans(tree: Tree) -> Int64Array:
    """Return the branches of False and of True, nodes x 2, at questions about booleans.

    -1 where a node asks something else, and where it divides the rows of a value.
    """
    arrays, columns = tree.arrays, tree.schema.columns
    is_boolean = np.array([_tells_booleans(spec) for spec in columns], dtype=np.bool_)
    true_first = np.array([spec.values[:1] == (True,) for spec in columns], dtype=np.int64)
    asks = (arrays.kind == CATEGORIES) & is_boolean[arrays.column]
    other = np.where(arrays.rest_branch >= 0, arrays.rest_branch, arrays.unseen_branch)
    branches = np.tile(np.where(asks, other, -1)[:, np.newaxis], 2).astype(np.int64)
    for place in range(2):
        node = np.flatnonzero(asks & (arrays.code_count > place))
        entry = arrays.code_offset[node] + place
        value = arrays.code[entry] ^ true_first[arrays.column[node]]
        branches[node, value] = arrays.branch_of_code[entry]
    return branches


def _tells_booleans(spec: ColumnSpec) -> bool:
    return len(spec.values) == 2 and all(isinstance(value, bool) for value in spec.values)


def what_sklearn_lacks(tree: Tree) -> str | None:
    """Return the part of a tree that scikit-learn's trees do not have; None if they have all.

    Ways to treat missing values that scikit-learn lacks count only if training rows were divided
    among branches: else every row without missing values meets the same tree in both.
    """
    arrays, schema = tree.arrays, tree.schema
    if tree.linear is not None:
        return "its leaves hold linear models"
    asks = arrays.n_branches > 0
    below = np.bincount(arrays.parent[1:], weights=arrays.n_rows[1:], minlength=tree.n_nodes)
    is_number = np.array([spec.storage not in _WHAT_IS_STORED for spec in schema.columns])
    is_boolean = (branches_of_booleans(tree) >= 0).all(axis=1)
    is_own = np.arange(len(schema.columns)) < len(schema.positions)
    column = arrays.column
    reasons: tuple[tuple[BoolArray, str], ...] = (
        (
            (arrays.kind == CATEGORIES) & ~is_boolean,
            "node {node} asks for the category of column {column!r}",
        ),
        (arrays.kind == LINEAR, "node {node} asks about a linear combination of columns"),
        (arrays.n_branches > 2, "node {node} has {n_branches} branches"),
        (
            asks & ~is_number[column] & ~is_boolean,
            "node {node} cuts column {column!r}, {stored}",
        ),
        (asks & ~is_own[column], "node {node} asks about {column!r}, a derived column"),
        (
            asks & (below != arrays.n_rows),
            "node {node} divides rows among its branches where {column!r} is missing",
        ),
    )
    for is_there, text in reasons:
        if is_there.any():
            node = int(np.argmax(is_there))
            spec = schema.columns[column[node]]
            return text.format(
                node=node,
                column=spec.name,
                n_branches=int(arrays.n_branches[node]),
                stored=_WHAT_IS_STORED.get(spec.storage, ""),
            )
    return None


def has_one_side(tree: Tree) -> bool:
    """Return whether every node sends missing values to one branch, and knows no surrogates."""
    arrays = tree.arrays
    return bool(
        arrays.n_surrogates == 0 and (arrays.missing_branch[arrays.kind != LEAF] >= 0).all()
    )


class SklearnView:
    """A tree in scikit-learn's arrays, each made when it is first asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._asks = tree.arrays.n_branches > 0
        of_false, of_true = branches_of_booleans(tree).T
        self._is_boolean = (of_false >= 0) & (of_true >= 0)
        self._is_open = self._is_boolean & (of_false == of_true)  # only missing values go elsewhere
        self.left_branch = np.where(self._is_boolean, of_false, 0)

    def _at_questions(self, values: Array, elsewhere: float, dtype: Any) -> Array:
        return read_only(np.where(self._asks, values, elsewhere).astype(dtype), "", dtype)

    @cached_property
    def node_count(self) -> int:
        """Number of nodes."""
        return self._tree.n_nodes

    @cached_property
    def capacity(self) -> int:
        """Number of nodes that the arrays have room for: as many as there are."""
        return self._tree.n_nodes

    @cached_property
    def max_depth(self) -> int:
        """Number of questions on the longest path."""
        return self._tree.depth

    @cached_property
    def n_features(self) -> int:
        """Number of columns of the training table."""
        return len(self._tree.schema.input_names)

    @cached_property
    def n_classes(self) -> Int64Array:
        """Number of classes of each output; 1 for numbers."""
        classes = self._tree.classes
        counts = [1] * self._tree.n_outputs if classes is None else list(map(len, classes))
        return np.array(counts, dtype=np.int64)

    @cached_property
    def max_n_classes(self) -> int:
        """Largest number of classes of an output; 1 for numbers."""
        return int(self.n_classes.max())

    @cached_property
    def children_left(self) -> Int64Array:
        """The node that each node's rows up to the threshold go to; -1 at leaves."""
        left = self._tree.arrays.first_child + self.left_branch
        return self._at_questions(left, TREE_LEAF, np.dtype(np.int64))

    @cached_property
    def children_right(self) -> Int64Array:
        """The node that each node's rows above the threshold go to; -1 at leaves."""
        right = self._tree.arrays.first_child + 1 - self.left_branch
        return self._at_questions(right, TREE_LEAF, np.dtype(np.int64))

    @cached_property
    def feature(self) -> Int64Array:
        """Position in the training table of the column that each node cuts; -2 at leaves."""
        position = np.array([*self._tree.schema.positions, TREE_UNDEFINED], dtype=np.int64)
        column = np.where(self._asks, self._tree.arrays.column, -1)
        return self._at_questions(position[column], TREE_UNDEFINED, np.dtype(np.int64))

    @cached_property
    def threshold(self) -> FloatArray:
        """Where each node cuts; -2 at leaves."""
        arrays, columns = self._tree.arrays, self._tree.schema.columns
        is_unsigned = np.array([spec.storage == "uint" for spec in columns])[arrays.column]
        # Added as whole numbers: 2^63 as a float would swallow the lower digits.
        unsigned = arrays.threshold_int.astype(np.uint64) + np.uint64(UINT_OFFSET)
        whole = np.where(is_unsigned, unsigned.astype(np.float64), arrays.threshold_int)
        threshold = np.where(np.isnan(arrays.threshold), whole, arrays.threshold)
        threshold = np.where(self._is_boolean, _BOOLEAN_CUT, threshold)
        threshold = np.where(self._is_open, np.inf, threshold)
        return self._at_questions(threshold, TREE_UNDEFINED, np.dtype(np.float64))

    @cached_property
    def missing_go_to_left(self) -> Array:
        """1 at the nodes that send missing values left, as bytes."""
        if not has_one_side(self._tree):
            raise UnsupportedNameError(
                "this tree has no missing_go_to_left: its nodes divide rows with a missing"
                " value, or ask surrogates.\n"
                "  Hint: question(node).missing_branch and surrogates(node) of tree_."
            )
        goes_left = self._tree.arrays.missing_branch == self.left_branch
        return self._at_questions(goes_left, 0, np.dtype(np.uint8))

    @cached_property
    def impurity(self) -> FloatArray:
        """Impurity of each node, by the criterion of growing."""
        return self._tree.arrays.impurity

    @cached_property
    def n_node_samples(self) -> Int64Array:
        """Number of training rows in each node."""
        return self._tree.arrays.n_rows

    @cached_property
    def weighted_n_node_samples(self) -> FloatArray:
        """Weight of the training rows in each node."""
        return self._tree.arrays.weight

    @cached_property
    def value(self) -> FloatArray:
        """Prediction of each node, nodes x outputs x classes: class probabilities, or numbers.

        Outputs of fewer classes than the others are filled up with 0.
        """
        tree = self._tree
        value = np.zeros((tree.n_nodes, tree.n_outputs, self.max_n_classes))
        if tree.classes is None:
            value[:, :, 0] = tree.answers
        else:
            for output, shares in enumerate(by_output(tree.answers, tree.classes)):
                value[:, output, : shares.shape[1]] = shares
        return read_only(value, "value", np.dtype(np.float64))

    def compute_node_depths(self) -> Int64Array:
        """Return the level of each node, from 1 for the root."""
        return self._tree.levels + 1

    def compute_feature_importances(self, normalize: bool = True) -> FloatArray:
        """Return what each column of the training table takes off the impurity.

        Parameters
        ----------
        normalize
            Normalize the importances to a sum of 1; else they are per unit of training weight.
        """
        decrease = self._tree.schema.by_input(impurity_decrease(self._tree))
        total = decrease.sum()
        return decrease / total if normalize and total > 0 else decrease


def _named(name: str) -> Any:
    return property(
        lambda tree: getattr(tree._sklearn, name), doc=getattr(SklearnView, name).__doc__
    )


class SklearnNames:
    """scikit-learn's names on a tree; see the module for the trees that have them."""

    node_count = _named("node_count")
    capacity = _named("capacity")
    max_depth = _named("max_depth")
    n_features = _named("n_features")
    n_classes = _named("n_classes")
    max_n_classes = _named("max_n_classes")
    children_left = _named("children_left")
    children_right = _named("children_right")
    feature = _named("feature")
    threshold = _named("threshold")
    missing_go_to_left = _named("missing_go_to_left")
    impurity = _named("impurity")
    n_node_samples = _named("n_node_samples")
    weighted_n_node_samples = _named("weighted_n_node_samples")
    value = _named("value")
    compute_node_depths = _named("compute_node_depths")
    compute_feature_importances = _named("compute_feature_importances")

    @cached_property
    def _sklearn(self: Tree) -> SklearnView:
        lacking = what_sklearn_lacks(self)
        if lacking is not None:
            raise UnsupportedNameError(
                "this tree has none of scikit-learn's names, such as children_left: scikit-learn's"
                f" trees cut numbers in two, and {lacking}.\n"
                "  Hint: question(node), children(node), text(), rules() and to_dict() show any"
                " tree."
            )
        return SklearnView(self)
