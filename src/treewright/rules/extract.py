"""One rule per leaf, with the conditions of its path merged per column.

The rules of a tree are a lazy sequence: written out, they can be quadratic in the size of the tree.
Going through them in order costs one merge per node; taking a single one walks its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from treewright.data.schema import list_names, nearest_name_hint
from treewright.errors import ParameterError, UnsupportedError
from treewright.model.condition import (
    COMPLETE,
    Condition,
    Conjunction,
    Wording,
    rows_that_meet,
)
from treewright.model.figures import figure
from treewright.model.ledger import label_in_words
from treewright.model.reading import read_row

if TYPE_CHECKING:
    from treewright.data.schema import FittedSchema
    from treewright.model.arrays import FloatArray, Int32Array
    from treewright.model.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """``IF`` the conditions hold ``THEN`` the label.

    Parameters
    ----------
    conditions
        At most one per column, in the order the path first asks about it.
    label
        The class or number predicted.
    leaf
        The leaf it was read from.
    n_rows, covers
        Training rows in the leaf, and their weight.
    errors
        The weight of those whose class is another; None for regression and several outputs.
    distribution
        Class probabilities (outputs side by side), or the prediction(s).
    schema
        The columns the conditions are about.
    """

    conditions: Conjunction
    label: Any
    leaf: int
    n_rows: int
    covers: float
    errors: float | None
    distribution: FloatArray = field(repr=False)
    schema: FittedSchema = field(repr=False)

    def __str__(self) -> str:
        return self.text()

    def text(self, wording: Wording = COMPLETE) -> str:
        """Say it in one line, with all values of long lists."""
        premise = " AND ".join(each.text(wording) for each in self.conditions) or "true"
        covered = f"{figure(self.covers)} covered"
        if self.errors is not None:
            covered += f", {figure(self.errors)} wrong"
        return f"IF {premise} THEN {label_in_words(self.label)}  ({covered})"

    def matches(self, row: object) -> bool:
        """Tell whether a row (as for ``Tree.explain``) meets every condition.

        A value that the tree would divide among branches meets none of their conditions, and
        surrogates are no part of a rule.
        """
        asked = {each.column.name for each in self.conditions}
        optional = [name for name in self.schema.names if name not in asked]
        table = read_row(row, self.schema, optional=optional)
        return bool(rows_that_meet(self.conditions, table)[0])


class RuleSequence(Sequence[Rule]):
    """The rules of a tree from left to right, each made when asked for."""

    def __init__(self, tree: Tree, leaves: Int32Array) -> None:
        self._tree = tree
        self._leaves = leaves

    def __len__(self) -> int:
        return len(self._leaves)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> RuleSequence: ...

    def __getitem__(self, index: int | slice) -> Rule | RuleSequence:
        if isinstance(index, slice):
            return RuleSequence(self._tree, self._leaves[index])
        leaf = int(self._leaves[index])
        return make_rule(self._tree, leaf, conditions_of(self._tree, leaf))

    def __iter__(self) -> Iterator[Rule]:
        for leaf, conditions in walk_leaves(self._tree, self._leaves):
            yield make_rule(self._tree, leaf, conditions)

    def __repr__(self) -> str:
        return f"<{len(self)} rules of {self._tree!r}>"

    def __str__(self) -> str:
        return self.text()

    def for_label(self, label: object) -> RuleSequence:
        """Keep the rules that predict one class."""
        return RuleSequence(self._tree, leaves_of(self._tree, label, among=self._leaves))

    def text(self, wording: Wording = COMPLETE) -> str:
        """Say all of them, one per line."""
        return "\n".join(rule.text(wording) for rule in self)


def rules(tree: Tree) -> RuleSequence:
    """Read a tree as rules, one per leaf, from left to right."""
    order = tree.reading_order
    return RuleSequence(tree, order[tree.arrays.n_branches[order] == 0])


def leaves_of(tree: Tree, label: object, *, among: Int32Array) -> Int32Array:
    """Keep the leaves that predict a class."""
    if tree.classes is None or tree.n_outputs > 1:
        what = "numbers" if tree.classes is None else "several classes at once"
        raise UnsupportedError(
            f"This tree predicts {what}, so its rules cannot be chosen by class.\n"
            "  Hint: tree.rules() gives the rules of all leaves."
        )
    names = tree.classes[0].tolist()
    if label not in names:
        known = list_names(map(str, names))
        raise ParameterError(
            f"label={label!r} is none of the classes.\n"
            f"  Classes: {known}{nearest_name_hint(label, map(str, names))}"
        )
    keep = np.array([tree.label(leaf) == label for leaf in among.tolist()], dtype=bool)
    kept: Int32Array = among[keep]
    return kept


def make_rule(tree: Tree, leaf: int, conditions: Conjunction) -> Rule:
    """Put together what a leaf says."""
    arrays = tree.arrays
    errors = None
    if tree.classes is not None and tree.n_outputs == 1:
        predicted = int(tree.answers[leaf].argmax())
        errors = float(np.delete(arrays.value[leaf], predicted).sum())
    return Rule(
        conditions=conditions,
        label=tree.label(leaf),
        leaf=leaf,
        n_rows=int(arrays.n_rows[leaf]),
        covers=float(arrays.weight[leaf]),
        errors=errors,
        distribution=tree.answers[leaf],
        schema=tree.schema,
    )


def conditions_of(tree: Tree, node: int) -> Conjunction:
    """Merge the conditions on the path to one node."""
    merged: dict[object, Condition] = {}
    path = tree.path(node)
    for parent, child in pairwise(path):
        _merge(merged, _condition_at(tree, parent, child))
    return tuple(merged.values())


def walk_leaves(tree: Tree, leaves: Int32Array) -> Iterator[tuple[int, Conjunction]]:
    """Visit the leaves asked for (in reading order), carrying merged conditions down the tree."""
    wanted = np.zeros(tree.n_nodes, dtype=bool)
    wanted[leaves] = True
    pending: list[tuple[int, dict[object, Condition]]] = [(0, {})]
    while pending:
        node, merged = pending.pop()
        question = tree.question(node)
        if question is None:
            if wanted[node]:
                yield node, tuple(merged.values())
            continue
        children = tree.children(node)
        for branch in range(len(children) - 1, -1, -1):
            below = dict(merged)
            _merge(below, question.condition(branch))
            pending.append((children[branch], below))


def _condition_at(tree: Tree, parent: int, child: int) -> Condition:
    question = tree.question(parent)
    assert question is not None  # it has a child
    return question.condition(child - tree.children(parent).start)


def _merge(merged: dict[object, Condition], condition: Condition) -> None:
    earlier = merged.get(condition.key)
    merged[condition.key] = condition if earlier is None else earlier.intersect(condition)
