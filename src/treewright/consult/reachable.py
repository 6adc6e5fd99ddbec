"""Open nodes and reachable leaves of a tree once some values of a row are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.question import Question, Stored, columns_of, stored_value
from treewright.tree.routing import branch_taken, branches_followed

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.data.table import Table
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class OpenNode:
    """A node that waits for values.

    Parameters
    ----------
    node, share
        The node, and the share of the row that waits there.
    question
        The open question: the node's own, or that of a surrogate; None at a leaf
        whose linear model needs values.
    needs
        The columns of the table that it needs and that have not been asked about.
    """

    node: int
    share: float
    question: Question | None
    needs: tuple[str, ...]


class _NotAsked(Exception):
    """Raised for a question about values that have not been asked for."""

    def __init__(self, question: Question, needs: tuple[str, ...]) -> None:
        self.question = question
        self.needs = needs


class PartialRow:
    """A row of which some values are known, some known to be missing, and the others open.

    Parameters
    ----------
    tree
        The tree it goes through.
    table
        The row as a table of one; open values are missing there.
    given
        Names of the columns of the table that are not open.
    """

    def __init__(self, tree: Tree, table: Table, given: Collection[str]) -> None:
        self._tree = tree
        self._table = table
        self._given = given

    def open_nodes(self) -> list[OpenNode]:
        """Return the first nodes on the row's paths that need open values, from left to right."""
        found = []
        pending = [(0, 1.0)]
        while pending:
            node, share = pending.pop()
            question = self._tree.question(node)
            if question is None:
                needs = self._needs_of_model(node)
                if needs:
                    found.append(OpenNode(node=node, share=share, question=None, needs=needs))
                continue
            try:
                followed = self._followed(node, question)
            except _NotAsked as gap:
                found.append(
                    OpenNode(node=node, share=share, question=gap.question, needs=gap.needs)
                )
                continue
            first = self._tree.children(node).start
            pending += [(first + branch, share * part) for branch, part in reversed(followed)]
        return found

    def is_settled(self, answers: AnswersBelow, *, tolerance: float) -> bool:
        """Return whether all leaves that the row can still reach give the same prediction."""
        low = [math.inf] * answers.width
        high = [-math.inf] * answers.width
        pending = [0]
        while pending:
            node = pending.pop()
            question = None if answers.is_one(node) else self._tree.question(node)
            if question is None:
                reached = answers.at(node) if answers.is_one(node) else [self._model_range(node)]
                for output, (least, most) in enumerate(reached):
                    low[output] = min(low[output], least)
                    high[output] = max(high[output], most)
                    if high[output] - low[output] > tolerance:
                        return False
                continue
            children = self._tree.children(node)
            try:
                pending += [children[branch] for branch, _ in self._followed(node, question)]
            except _NotAsked:
                pending += children
        return True

    def _model_range(self, leaf: int) -> tuple[float, float]:
        """Return the least and greatest prediction that a leaf's linear model can still give."""
        assert self._tree.linear is not None
        model = self._tree.linear.model(leaf)
        assert model is not None
        if self._needs_of_model(leaf):
            return model.limits or (-math.inf, math.inf)
        value = float(model.predict(self._table)[0])
        return value, value

    def _needs_of_model(self, leaf: int) -> tuple[str, ...]:
        linear = self._tree.linear
        model = None if linear is None else linear.model(leaf)
        if model is None:
            return ()
        needs = [name for term in model.terms for name in self._open_inputs(term.index)]
        return tuple(dict.fromkeys(needs))

    def _followed(self, node: int, question: Question) -> list[tuple[int, float]]:
        branch, _ = branch_taken(self._tree, node, question, self._value_of)
        return branches_followed(self._tree, node, branch)

    def _value_of(self, question: Question) -> Stored:
        needs: dict[str, None] = {}
        for index in columns_of(question):
            open_inputs = self._open_inputs(index)
            if not open_inputs and stored_value(self._table, index) is None:
                return None  # a linear combination (oblique) with a missing value is missing
            needs.update(dict.fromkeys(open_inputs))
        if needs:
            raise _NotAsked(question, tuple(needs))
        return question.value_in(self._table)

    def _open_inputs(self, index: int) -> list[str]:
        """Return the columns of the table that a column needs and that are still open."""
        schema = self._tree.schema
        inputs = schema.inputs_of(schema.columns[index].name)
        return [name for name in inputs if name not in self._given]


class AnswersBelow:
    """The range of the predictions of the leaves below every node.

    Classes are numbered, so that a range of one class has no width. The prediction of a linear
    model depends on the row: its range is unbounded.
    """

    def __init__(self, tree: Tree) -> None:
        is_leaf = tree.arrays.n_branches == 0
        answers = tree.answers if tree.classes is None else _numbered_labels(tree)
        lowest = np.where(is_leaf[:, np.newaxis], answers, np.inf)
        highest = np.where(is_leaf[:, np.newaxis], answers, -np.inf)
        if tree.linear is not None:
            has_model = np.diff(tree.linear.start) > 0
            lowest[has_model], highest[has_model] = -np.inf, np.inf
        parent = tree.arrays.parent.tolist()
        self._low = [_below(column.tolist(), parent, min) for column in lowest.T]
        self._high = [_below(column.tolist(), parent, max) for column in highest.T]

    @property
    def width(self) -> int:
        """Number of ranges per node."""
        return len(self._low)

    def at(self, node: int) -> list[tuple[float, float]]:
        """Return the least and the greatest prediction below a node, one pair per output."""
        return [(low[node], high[node]) for low, high in zip(self._low, self._high, strict=True)]

    def is_one(self, node: int) -> bool:
        """Return whether all leaves below a node give the same prediction, whatever the row."""
        return all(low[node] == high[node] for low, high in zip(self._low, self._high, strict=True))


def _numbered_labels(tree: Tree) -> FloatArray:
    number_of_label: dict[object, int] = {}
    labels = (tree.label(node) for node in range(tree.n_nodes))
    numbers = [number_of_label.setdefault(label, len(number_of_label)) for label in labels]
    return np.array(numbers, dtype=np.float64)[:, np.newaxis]


def _below(
    values: list[float], parent: list[int], choose: Callable[[float, float], float]
) -> list[float]:
    """Return, for each node, the extreme of its own value and those below it."""
    for node in range(len(values) - 1, 0, -1):
        above = parent[node]
        values[above] = choose(values[above], values[node])
    return values
