"""Why one row got its answer: the questions it met, its values, and the branches it followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.table import UNSEEN
from treewright.model.condition import SHORT
from treewright.model.figures import TextColumn, lay_out, percent
from treewright.model.ledger import label_in_words, node_columns
from treewright.model.predict import refuse_unseen
from treewright.model.reading import read_row
from treewright.model.split import EVERY_BRANCH, Question, Stored

if TYPE_CHECKING:
    from treewright.data.table import Table
    from treewright.model.arrays import FloatArray, Int64Array
    from treewright.model.tree import Tree

_MAX_INDENT = 40


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One branch followed.

    Parameters
    ----------
    branch, node
        The branch, and the node it leads to.
    condition
        What the branch requires, in words.
    fraction
        The share of the row that goes there; 1 unless the row was divided on the way.
    """

    branch: int
    node: int
    condition: str
    fraction: float


@dataclass(frozen=True, kw_only=True)
class Step:
    """One question met.

    Parameters
    ----------
    node, column
        The node that asks, and the name of the column it asks about.
    value
        The row's value in words; ``missing`` or ``unseen`` where there is none to compare.
    stand_in
        The surrogate that answered instead, in words, or None.
    turns
        The branches followed: one, or several where the row is divided.
    n_divisions
        How often the row had been divided before it came here.
    """

    node: int
    column: str
    value: str
    stand_in: str | None
    turns: tuple[Turn, ...]
    n_divisions: int


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The path of one row and the answer at its end; ``print`` it.

    Parameters
    ----------
    steps
        The questions met, each before those below it.
    leaves, fractions
        The leaves reached, and the share of the row that reached each.
    answer
        Class probabilities (outputs side by side), or the prediction(s).
    label
        The predicted class or number; a tuple of them where the tree has several outputs.
    """

    steps: tuple[Step, ...]
    leaves: tuple[int, ...]
    fractions: tuple[float, ...]
    answer: FloatArray
    label: object
    tree: Tree = field(repr=False)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, ascii: bool = False) -> str:
        """Print the answer and what led to it."""
        heading = self._answer_in_words()
        if not self.steps:
            return f"{heading}\n\nThe tree asks nothing."
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
        text = f"{heading}\n\n{lay_out(columns)}"
        return text.replace("…", "...") if ascii else text

    def _turns_in_reading_order(self) -> list[tuple[Step, Turn]]:
        """Give each branch followed before what lies below it."""
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

    def _answer_in_words(self) -> str:
        label = label_in_words(self.label)
        if self.tree.classes is None or len(self.tree.classes) > 1:
            return label
        names = map(str, self.tree.classes[0].tolist())
        shares = sorted(zip(-self.answer, names, strict=True), key=lambda pair: pair[0])
        shown = [f"{name} {percent(-share)}" for share, name in shares if share < 0]
        return f"{label}  ({', '.join(shown[:5])}{', …' if len(shown) > 5 else ''})"


def explain(tree: Tree, row: object) -> Explanation:
    """Follow one row through a tree.

    A value that is missing or unseen is looked for in the node's surrogates, then goes to the
    node's branch for such values or, where there is none, to every branch in proportion to its
    weight.
    """
    table = read_row(row, tree.schema, optional=tree.unused_columns)
    if tree.unseen == "error":
        refuse_unseen(table, [row] if isinstance(row, Mapping) else row)
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
        step = _take_step(tree, table, node, question, fraction, n_divisions)
        steps.append(step)
        below = n_divisions + (len(step.turns) > 1)
        pending += [(turn.node, turn.fraction, below) for turn in reversed(step.turns)]
    answer = _combine(tree, np.array(leaves, dtype=np.int64), np.array(fractions))
    return Explanation(
        steps=tuple(steps),
        leaves=tuple(leaves),
        fractions=tuple(fractions),
        answer=answer,
        label=tree.label_of(answer),
        tree=tree,
    )


def _take_step(
    tree: Tree, table: Table, node: int, question: Question, fraction: float, n_divisions: int
) -> Step:
    value = question.value_in(table)
    branch = question.branch_of(value)
    stand_in = None
    if not question.knows(value):
        for surrogate in tree.surrogates(node):
            instead = surrogate.branch_of(surrogate.question.value_in(table))
            if instead != EVERY_BRANCH:
                branch, stand_in = instead, surrogate.text(instead)
                break
    children = tree.children(node)
    if branch == EVERY_BRANCH:
        shares = tree.branch_shares(node)
        followed = [(each, share) for each, share in enumerate(shares.tolist()) if share > 0]
    else:
        followed = [(branch, 1.0)]
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
        value=_shown(question, value),
        stand_in=stand_in,
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


def _combine(tree: Tree, leaves: Int64Array, fractions: FloatArray) -> FloatArray:
    """Average the answers of the leaves; an empty leaf has no say where leaves count by weight."""
    weights = fractions
    if tree.combine == "leaf_counts" and len(leaves) > 1:
        leaf_weights = tree.arrays.weight[leaves]
        if leaf_weights.sum() > 0:
            weights = leaf_weights / leaf_weights.sum()
    answer: FloatArray = weights @ tree.answers[leaves]
    return answer
