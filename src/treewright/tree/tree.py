"""Tree: a read-only view of the arrays of a tree.

It has labels, questions and predictions, and by its :class:`Shape` sizes and traversals; it does
not know how it was grown. Nothing here recurses, and no result but that of :meth:`Tree.rules`
(which is lazy) is larger than the number of nodes, so a chain of 100,000 nodes is an ordinary tree.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, Probabilities
from treewright.data.read.rows import read_rows
from treewright.errors import (
    ModelFormatError,
    ParameterError,
    TreewrightError,
    UnsupportedError,
)
from treewright.parameters import is_whole
from treewright.state.pickled_whole import PickledWhole
from treewright.tree.impurity import column_shares
from treewright.tree.leaf import BY_MAJORITY, LeafRule, by_output, decide, label_of
from treewright.tree.linear_plan import LinearPlan
from treewright.tree.methods import TreeMethods
from treewright.tree.node_counts import NodeCounts, node_counts
from treewright.tree.plan import COMBINE, UNSEEN_CATEGORIES, Plan, compile_plan
from treewright.tree.question import Question, question_at
from treewright.tree.shape import Shape
from treewright.tree.sklearn_names import SklearnNames
from treewright.tree.surrogate import Surrogate, surrogates_at
from treewright.tree.to_dict import tree_to_dict

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.linear_leaves import LinearLeaves
    from treewright.tree.methods import KeptWhys, Pruning
    from treewright.tree.record import Recall, Record


_MAX_LINES = 200


class Tree(PickledWhole, Shape, TreeMethods, SklearnNames):
    """A decision tree: predictions at its leaves, questions at its inner nodes.

    Nodes are numbered from the root, 0, and every node before its children. A tree whose questions
    all cut a column of numbers in two, and whose leaves predict constants, also has the attributes
    of scikit-learn's ``tree_``: ``children_left``, ``threshold``, ``value`` and the others.

    Parameters
    ----------
    arrays
        The nodes.
    schema
        The columns the questions are about.
    classes
        The classes of each output in the order of their weights in ``arrays.value``; None for a
        tree that predicts numbers.
    criterion
        The name of the criterion it was grown by.
    combine
        How the leaves reached by a row with missing values are combined: ``"branch_fractions"``
        or ``"leaf_counts"``.
    unseen
        How a category unseen in training is treated: ``"missing"``, ``"majority"`` or
        ``"error"``.
    leaf
        How class weights become probabilities and a decision.
    linear
        The linear models of its leaves; None where every leaf predicts its value.
    pruning
        The record of pruning; None for a tree that was not pruned.
    record
        The training data for :meth:`why`; not pickled.
    recall
        Makes a record from the training data; pickled, so :meth:`why` works on a loaded tree.
    engine
        Name of the core's grower that grew it (``grow/engines.hpp`` has the table).
    """

    def __init__(
        self,
        *,
        arrays: TreeArrays,
        schema: FittedSchema,
        classes: tuple[Array, ...] | None,
        criterion: str,
        combine: str = "branch_fractions",
        unseen: str = "missing",
        leaf: LeafRule = BY_MAJORITY,
        linear: LinearLeaves | None = None,
        record: Record | None = None,
        recall: Recall | None = None,
        pruning: Pruning | None = None,
        engine: str = "general",
    ) -> None:
        n_classes = sum(map(len, classes)) if classes is not None else arrays.width
        if n_classes != arrays.width:
            raise ModelFormatError(
                f"value has {arrays.width} entries per node, but there are {n_classes} classes."
            )
        self.arrays = arrays
        self.schema = schema
        self.classes = classes
        self.criterion = criterion
        self.combine = combine
        self.unseen = unseen
        self.leaf = leaf
        self.linear = linear
        self.pruning = pruning
        self.engine = engine
        self.kept_whys: KeptWhys | None = None  # that it was saved with
        self._record = record
        self._recall = recall

    def with_arrays(
        self,
        arrays: TreeArrays,
        *,
        linear: LinearLeaves | None = None,
        pruning: Pruning | None = None,
        leaf: LeafRule | None = None,
    ) -> Tree:
        """Return the same tree with other nodes, linear models or leaf rule."""
        return Tree(
            arrays=arrays,
            schema=self.schema,
            classes=self.classes,
            criterion=self.criterion,
            combine=self.combine,
            unseen=self.unseen,
            leaf=self.leaf if leaf is None else leaf,
            linear=linear,
            record=self._record,
            recall=self._recall,
            pruning=self.pruning if pruning is None else pruning,
            engine=self.engine,
        )

    def without_record(self) -> Tree:
        """Return the same tree without what is known of its training and pruning."""
        return Tree(
            arrays=self.arrays,
            schema=self.schema,
            classes=self.classes,
            criterion=self.criterion,
            combine=self.combine,
            unseen=self.unseen,
            leaf=self.leaf,
            linear=self.linear,
            engine=self.engine,
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = (
            "arrays",
            "schema",
            "classes",
            "criterion",
            "combine",
            "unseen",
            "leaf",
            "linear",
            "pruning",
            "engine",
            "kept_whys",
            "_recall",
        )
        return {name: self.__dict__[name] for name in kept} | {"_record": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state, and refuse one that leads astray: code that follows links trusts them."""
        self.__dict__.update({"kept_whys": None, **state})
        try:
            self.arrays.validate(self.schema)
            if self.linear is not None:
                self.linear.validate(self.arrays, self.schema)
            for name, known in (("combine", COMBINE), ("unseen", UNSEEN_CATEGORIES)):
                if getattr(self, name) not in known:
                    raise ModelFormatError(f"{name} is {getattr(self, name)!r}, which is unknown.")
        except ModelFormatError:
            raise
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise ModelFormatError(f"the state of a tree is damaged: {error}.") from error

    def __repr__(self) -> str:
        return (
            f"Tree(n_nodes={self.n_nodes}, n_leaves={self.n_leaves}, depth={self.depth}, "
            f"criterion={self.criterion!r})"
        )

    def __str__(self) -> str:
        # As many whole levels as fit on a few screens; text() shows all.
        n_lines = np.cumsum(np.bincount(self.levels))
        fits = int(np.count_nonzero(n_lines <= _MAX_LINES))
        models = self.linear is not None and len(self.linear.term) <= _MAX_LINES
        return self.text(max_depth=max(fits - 1, 1), models=models)

    @property
    def n_outputs(self) -> int:
        """Number of targets predicted together."""
        return self.arrays.width if self.classes is None else len(self.classes)

    @property
    def has_record(self) -> bool:
        """Whether it still has its training data."""
        return self._record is not None

    @property
    def has_rows(self) -> bool:
        """Whether its nodes have counts; a tree written by hand has none before rows fill it."""
        return bool(self.arrays.n_rows[0] > 0)

    # Nodes

    def question(self, node: int) -> Question | None:
        """Return the question of a node; None at a leaf."""
        return question_at(self.arrays, self.schema, node)

    def surrogates(self, node: int) -> tuple[Surrogate, ...]:
        """Return the surrogates of a node, used where its value is missing, best first."""
        return surrogates_at(self.arrays, self.schema, node)

    def branch_shares(self, node: int) -> FloatArray:
        """Return each branch's share of a node's weight, by which a row is divided."""
        children = self.children(node)
        weight = self.arrays.weight[children.start : children.stop]
        total = weight.sum()
        return weight / total if total > 0 else np.full(len(weight), 1 / len(weight))

    @cached_property
    def answers(self) -> FloatArray:
        """Prediction of each node: class probabilities (outputs side by side) or numbers.

        A node that no training row reached predicts as its nearest ancestor that was reached,
        unless it was given a class.
        """
        value: FloatArray = self._weights[self.speakers]
        value.flags.writeable = False
        if self.classes is None:
            return value
        parts = by_output(value, self.classes)
        totals = [part.sum(axis=1, keepdims=True) for part in parts]
        shares = [
            np.divide(part, total, out=np.full_like(part, 1 / part.shape[1]), where=total > 0)
            for part, total in zip(parts, totals, strict=True)
        ]
        answers = shares[0] if len(shares) == 1 else np.hstack(shares)
        answers.flags.writeable = False
        return answers

    @cached_property
    def speakers(self) -> Int64Array:
        """The node whose value each node predicts: itself, or its nearest ancestor with one."""
        speaker = np.arange(self.n_nodes)
        silent = self.arrays.weight <= 0
        if self.classes is not None:
            silent &= ~self.arrays.value.any(axis=1)
        silent[0] = False
        speaker[silent] = self.arrays.parent[silent]
        while silent[speaker].any():
            speaker = speaker[speaker]
        return speaker

    @cached_property
    def _weights(self) -> FloatArray:
        """Values of each node: class weights smoothed by the leaf rule, or numbers."""
        value = self.arrays.value
        if self.classes is None or self.leaf.estimate == "majority":
            return value
        parts = by_output(value, self.classes)
        return np.hstack([self.leaf.smoothed(part, part[0]) for part in parts])

    def label(self, node: int) -> Any:
        """Return the class (the first of equally frequent ones) or number that a node predicts.

        A tree of several outputs gives a tuple; a leaf with a linear model gives the model.
        """
        if self.linear is not None and self.linear.has_model(node):
            return self.linear.model(node)
        labels = tuple(names[node] for names in self._labels)
        return labels[0] if len(labels) == 1 else labels

    def label_of(self, answer: FloatArray) -> Any:
        """Return the label of one row of :attr:`answers`, as :meth:`label` does for a node."""
        return label_of(answer, self.classes, self.leaf)

    def counts(self, node: int, *, output: int = 0) -> NodeCounts:
        """Return the training rows of a node in figures: class counts, or mean and spread.

        Parameters
        ----------
        node
            The node.
        output
            Which target, of several.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> print(ID3Classifier().fit(play.X, play.y).tree_.counts(1))
        node 1: 5 rows
          No   3  60.0 %
          Yes  2  40.0 %
        """
        self.check_node(node)
        if not is_whole(output) or not 0 <= output < self.n_outputs:
            raise ParameterError(f"output={output!r} must be from 0 to {self.n_outputs - 1}.")
        return node_counts(self, node, output=output)

    def distribution(self, node: int, *, output: int = 0) -> FloatArray:
        """Return the probability of each class in a node; an empty leaf has its parent's."""
        if self.classes is None:
            raise UnsupportedError(
                "This tree predicts numbers and has no classes.\n"
                "  Hint: tree.label(node) gives the number a node predicts."
            )
        line: FloatArray = by_output(self.answers[[node]], self.classes)[output][0]
        return line

    @cached_property
    def _labels(self) -> list[list[Any]]:
        """Label of every node, one list per output."""
        decided = decide(self.answers, self.classes, self.leaf)
        columns = [decided] if decided.ndim == 1 else list(decided.T)
        return [column.tolist() for column in columns]

    # The tree as a whole

    @property
    def used_columns(self) -> tuple[int, ...]:
        """Positions of the columns used by questions, surrogates or linear models in leaves."""
        asked = self.arrays.column[self.arrays.column >= 0]
        used = set(asked.tolist()) | set(self.arrays.surrogate_column.tolist())
        used |= set(self.arrays.term_column.tolist())
        used |= set() if self.linear is None else self.linear.columns
        return tuple(sorted(used))

    @property
    def unused_columns(self) -> tuple[str, ...]:
        """Names of the columns used by no question, surrogate or linear model in a leaf.

        A column that one of these uses through a derived column is used.
        """
        return self.schema.unused_by(self.used_columns)

    def expected_tests(self) -> float:
        """Return the weighted mean number of tests on the path of a training row."""
        # A test is on the path of the weight of its node: no need to follow paths.
        asks = self.arrays.n_branches > 0
        total = self.arrays.weight[0]
        return float(self.arrays.weight[asks].sum() / total) if total > 0 else 0.0

    def column_shares(self) -> FloatArray:
        """Return each column's share of the decrease of impurity, as an array.

        A node adds its weight x impurity, less that of its children, to the column it asks about.
        """
        return column_shares(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole tree as plain lists, strings and numbers, ready for JSON.

        Nodes are a flat list that refers to children by number: nesting would make JSON recurse.
        """
        return tree_to_dict(self)

    def record(
        self, X: object, y: object, sample_weight: object, *, owner: str, hint: str
    ) -> Record:
        """Return the training data: those kept, or those given again to the method `owner`."""
        if X is None and self._record is not None:
            return self._record
        if self._recall is None:
            raise TreewrightError("This tree keeps no record of how it was grown.")
        if X is None or y is None:
            raise TreewrightError(
                f"This tree no longer has its training data.\n  Hint: pass them, {hint}."
            )
        return self._recall(self, X, y, sample_weight, owner=owner)

    # Prediction

    def predict(self, X: object) -> Array:
        """Return the predicted class or number of each row; columns are matched by name.

        Parameters
        ----------
        X : table
            As for ``fit``; columns may be in any order, further ones are ignored.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
        """
        return decide(self.plan.answers(self._read(X)), self.classes, self.leaf)

    def predict_proba(self, X: object) -> Probabilities:
        """Return the class probabilities of each row; a list of arrays for several outputs.

        Parameters
        ----------
        X : table
            As for ``fit``; columns may be in any order, further ones are ignored.

        Returns
        -------
        array of shape (n_rows, n_classes), or a list of them, one per output
        """
        if self.classes is None:
            raise UnsupportedError("This tree predicts numbers and has no class probabilities.")
        parts = by_output(self.plan.answers(self._read(X)), self.classes)
        return parts[0] if len(parts) == 1 else parts

    def apply(self, X: object) -> Int64Array:
        """Return the leaf of each row; of a divided row, the leaf with its largest share."""
        return self.plan.apply(self._read(X))

    def decision_path(self, X: object) -> csr_array:
        """Return the nodes each row visits, as a sparse indicator of rows x nodes."""
        indptr, indices = self.plan.decision_path(self._read(X))
        visited = np.ones(len(indices), dtype=np.int8)
        from scipy.sparse import csr_array  # a quarter of a second that predictions need not wait

        return csr_array((visited, indices, indptr), shape=(len(indptr) - 1, self.n_nodes))

    def rows(self, node: int, X: object) -> Int64Array:
        """Return the positions of the rows of a table that reach a node, the first row being 0.

        A row that is divided at a missing value reaches every branch that gets a part of it.

        Parameters
        ----------
        node
            The node.
        X : table
            As for :meth:`predict`.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> tree.rows(2, play.X)  # the overcast days
        array([ 2,  6, 11, 12])
        """
        self.check_node(node)
        start, visited = self.plan.decision_path(self._read(X))
        row = np.repeat(np.arange(len(start) - 1), np.diff(start))
        return np.unique(row[visited == node])

    @cached_property
    def plan(self) -> Plan:
        """The tree packed for prediction, made on first use."""
        return self._packed(n_threads=1)

    def plan_by(self, n_threads: int) -> Plan:
        """Return :attr:`plan`; if it is not made yet, so many threads make it."""
        if "plan" not in self.__dict__:
            self.__dict__["plan"] = self._packed(n_threads=n_threads)
        return self.plan

    def _packed(self, *, n_threads: int) -> Plan:
        n_classes = tuple(map(len, self.classes or ()))
        plan = compile_plan(
            self.arrays,
            self.schema,
            n_classes=n_classes,
            combine=self.combine,
            value=self._weights,
            n_threads=n_threads,
        )
        if self.linear is None:
            return plan
        self.linear.validate(self.arrays, self.schema)
        return LinearPlan(plan, self.linear, self.arrays)

    def _read(self, X: object) -> Table:
        # Only columns with names can be absent; finding out which may be takes longer than one row.
        optional = () if isinstance(X, np.ndarray) else self.unused_columns
        return read_rows(X, self.schema, unseen=self.unseen, optional=optional)


def check_is_tree(name: str, value: object) -> None:
    """Refuse an argument that is not a tree; the message names the tree of an estimator."""
    if isinstance(value, Tree):
        return
    is_fitted = isinstance(getattr(value, "tree_", None), Tree)
    hint = "\n  Hint: pass its tree_." if is_fitted else ""
    raise ParameterError(f"{name}={value!r} is no Tree.{hint}")
