"""Explanation of one prediction: the questions on the row's path, its values and branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.read.rows import read_row
from treewright.data.table import UNSEEN
from treewright.errors import ColumnMismatchError
from treewright.text.names import list_names
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT
from treewright.tree.node_text import answer_in_words, model_numbers, node_columns, way_in_words
from treewright.tree.question import Question, Stored, columns_of
from treewright.tree.routing import branch_taken, branches_followed

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

_MAX_INDENT = 40


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One branch followed.

    Parameters
    ----------
    branch, node
        The branch, and the node it leads to.
    condition
        Text of the condition of the branch.
    fraction
        The share of the row that takes it; 1 unless the row was divided on its path.
    """

    branch: int
    node: int
    condition: str
    fraction: float


@dataclass(frozen=True, kw_only=True)
class Step:
    """One question on the path.

    Parameters
    ----------
    node, column
        The node, and the name of the column it asks about.
    value
        Text of the row's value; ``missing`` or ``unseen`` where it cannot be compared.
    stand_in
        Text of the surrogate that was used instead, or None.
    turns
        The branches followed: one, or several where the row is divided.
    n_divisions
        How often the row had been divided before this node.
    """

    node: int
    column: str
    value: str
    stand_in: str | None
    turns: tuple[Turn, ...]
    n_divisions: int


@dataclass(frozen=True, kw_only=True)
class Addend:
    """Contribution of one term of a leaf's linear model to the prediction.

    Parameters
    ----------
    leaf
        The leaf.
    term
        Text of the term; None for the intercept.
    number, coefficient
        The number of the row, and the coefficient it is multiplied by; the number of the intercept
        is 1.
    """

    leaf: int
    term: str | None
    number: float
    coefficient: float

    @property
    def adds(self) -> float:
        """Contribution of the term: number times coefficient."""
        return self.number * self.coefficient


@dataclass(frozen=True, kw_only=True)
class Explanation(ShownInNotebooks):
    """The path of one row and its prediction; ``print`` it.

    Parameters
    ----------
    steps
        The questions on the path, each before those below it.
    leaves, fractions
        The leaves reached, and the share of the row that reached each.
    answer
        Class probabilities (outputs side by side), or the prediction(s).
    label
        The predicted class or number; a tuple of them where the tree has several outputs.
    addends
        Contributions of the terms of the leaves' linear models, where they have any.
    way
        How the answer comes about where the leaves alone do not tell: ``calibrated``, ``by expected
        cost``.
    """

    steps: tuple[Step, ...]
    leaves: tuple[int, ...]
    fractions: tuple[float, ...]
    answer: FloatArray
    label: object
    tree: Tree = field(repr=False)
    addends: tuple[Addend, ...] = ()
    way: str = ""

    def __str__(self) -> str:
        return self.text()

    def text(self, *, ascii: bool = False) -> str:
        """Return the text of the prediction and the path to it."""
        heading = answer_in_words(self.label, self.answer, self.tree.classes, self.way)
        sums = self._sums_in_words()
        if not self.steps:
            reason = self.tree.reason_for_one_leaf()
            why = "" if reason is None else f" One leaf: {reason}."
            return "\n\n".join([heading, f"The tree asks nothing.{why}", *sums])
        turns = self._turns_in_reading_order()
        because = [
            f"{'  ' * min(step.n_divisions, _MAX_INDENT)}{turn.condition}" for step, turn in turns
        ]
        columns = [
            TextColumn("because", because),
            TextColumn("value", [_value_in_words(step) for step, _ in turns]),
        ]
        if len(self.leaves) > 1:
            shares = [percent(turn.fraction) for _, turn in turns]
            columns.append(TextColumn("share", shares, right=True))
        columns += node_columns(self.tree, [turn.node for _, turn in turns], ascii=ascii)
        text = "\n\n".join([heading, lay_out(columns), *sums])
        return text.replace("…", "...") if ascii else text

    def calibrated(self, answer: FloatArray) -> Explanation:
        """Return the same path to calibrated probabilities, and the class that they decide."""
        tree = self.tree
        way = way_in_words(answer, tree.classes, tree.leaf, calibrated=True)
        return replace(self, answer=answer, label=tree.label_of(answer), way=way)

    def _sums_in_words(self) -> Iterator[str]:
        """Yield the lines that show how each linear model computes its prediction."""
        number_of_leaf = model_numbers(self.tree)
        for leaf, addends in groupby(self.addends, key=lambda each: each.leaf):
            own = list(addends)
            numbers = [None if each.term is None else each.number for each in own]
            yield lay_out(
                [
                    TextColumn(
                        f"LM{number_of_leaf[leaf]}", [each.term or "intercept" for each in own]
                    ),
                    TextColumn(
                        "value", [f"{n:.5g}" if n is not None else "" for n in numbers], right=True
                    ),
                    TextColumn(
                        "coefficient",
                        [f"{each.coefficient:.4g}" if each.term else "" for each in own],
                        right=True,
                    ),
                    TextColumn("adds", figures([each.adds for each in own]), right=True),
                ]
            )

    def _turns_in_reading_order(self) -> list[tuple[Step, Turn]]:
        """Return the branches followed, each before those below it."""
        step_of_node = {step.node: step for step in self.steps}
        first = self.steps[0]
        pending = [(first, turn) for turn in reversed(first.turns)]
        found = []
        while pending:
            step, turn = pending.pop()
            found.append((step, turn))
            below = step_of_node.get(turn.node)
            if below is not None:
                pending += [(below, each) for each in reversed(below.turns)]
        return found


def explain(tree: Tree, row: object) -> Explanation:
    """Return the path of one row through a tree.

    Where a value is missing or unseen, the node's surrogates are tried, then the row takes the
    node's branch for such values or, where there is none, every branch in proportion to its weight.
    A dict needs the values only that are asked on the way.
    """
    given = set(row) if isinstance(row, Mapping) else None
    return follow(tree, row_of(tree, row), given=given)


def row_of(tree: Tree, row: object) -> Table:
    """Return the row that is explained as a table; what a dict leaves out is missing in it."""
    is_open = isinstance(row, Mapping) and not tree.linear
    optional = tree.schema.names if is_open else tree.unused_columns
    return read_row(row, tree.schema, optional=optional, unseen=tree.unseen)


def follow(tree: Tree, table: Table, *, given: set[Any] | None = None) -> Explanation:
    """Return the path of the first row of a typed table.

    Parameters
    ----------
    tree, table
        The tree, and a table of its schema.
    given
        The columns of which the row has values; those asked on the way must be among them.
    """
    steps: list[Step] = []
    leaves: list[int] = []
    fractions: list[float] = []
    pending = [(0, 1.0, 0)]
    while pending:
        node, fraction, n_divisions = pending.pop()
        question = tree.question(node)
        if question is None:
            leaves.append(node)
            fractions.append(fraction)
            continue
        if given is not None:
            _check_given(tree, node, question, given)
        step = _take_step(tree, table, node, question, fraction, n_divisions)
        steps.append(step)
        below = n_divisions + (len(step.turns) > 1)
        pending += [(turn.node, turn.fraction, below) for turn in reversed(step.turns)]
    addends = _addends(tree, table, leaves)
    answer = _combine(tree, np.array(leaves, dtype=np.int64), np.array(fractions), table)
    return Explanation(
        steps=tuple(steps),
        leaves=tuple(leaves),
        fractions=tuple(fractions),
        answer=answer,
        label=tree.label_of(answer),
        tree=tree,
        addends=addends,
        way=way_in_words(answer, tree.classes, tree.leaf),
    )


def _check_given(tree: Tree, node: int, question: Question, given: set[Any]) -> None:
    """Refuse a row that has no entry for a column that the node asks about."""
    for index in columns_of(question):
        for name in tree.schema.inputs_of(tree.schema.names[index]):
            if name not in given:
                raise ColumnMismatchError(
                    f"the row has no value of {name!r}, which node {node} asks about.\n"
                    f"  Given: {list_names(map(str, given))}\n"
                    f"  Hint: give it, or {{{name!r}: None}} if it is not known."
                )


def _addends(tree: Tree, table: Table, leaves: list[int]) -> tuple[Addend, ...]:
    found = []
    for leaf in leaves:
        model = None if tree.linear is None else tree.linear.model(leaf)
        if model is None:
            continue
        found.append(Addend(leaf=leaf, term=None, number=1.0, coefficient=model.intercept))
        found += [
            Addend(leaf=leaf, term=term.text(SHORT), number=number, coefficient=coefficient)
            for term, number, coefficient in zip(
                model.terms, model.numbers(table)[0].tolist(), model.coefficients, strict=True
            )
        ]
    return tuple(found)


def _take_step(
    tree: Tree, table: Table, node: int, question: Question, fraction: float, n_divisions: int
) -> Step:
    branch, surrogate = branch_taken(tree, node, question, lambda each: each.value_in(table))
    children = tree.children(node)
    followed = branches_followed(tree, node, branch)
    turns = tuple(
        Turn(
            branch=each,
            node=children[each],
            condition=question.text(each),
            fraction=fraction * share,
        )
        for each, share in followed
    )
    return Step(
        node=node,
        column=question.column.name,
        value=_shown(question, question.value_in(table)),
        stand_in=None if surrogate is None else surrogate.text(branch),
        turns=turns,
        n_divisions=n_divisions,
    )


def _shown(question: Question, value: Stored) -> str:
    if value is None:
        return "missing"
    if question.column.storage != "value":
        return SHORT.value(question.column, value)
    if value == UNSEEN:
        return "unseen"
    return SHORT.value(question.column, question.column.values[int(value)])


def _value_in_words(step: Step) -> str:
    return step.value if step.stand_in is None else f"{step.value}, but {step.stand_in}"


def _combine(tree: Tree, leaves: Int64Array, fractions: FloatArray, table: Table) -> FloatArray:
    """Return the average prediction of the leaves; empty leaves are left out under leaf_counts."""
    weights = fractions
    if tree.combine == "leaf_counts" and len(leaves) > 1:
        leaf_weights = tree.arrays.weight[leaves]
        if leaf_weights.sum() > 0:
            weights = leaf_weights / leaf_weights.sum()
    said = tree.answers[leaves]
    for place, leaf in enumerate(leaves.tolist()):
        model = None if tree.linear is None else tree.linear.model(leaf)
        if model is not None:
            said[place, 0] = model.predict(table)[0]
    answer: FloatArray = weights @ said
    return answer
