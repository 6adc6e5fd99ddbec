"""Names of the columns that trees give, which say when a column is high."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treewright.ensemble.tree_outputs import leaves_in_order
from treewright.rules.extract import walk_leaves
from treewright.text.names import list_names
from treewright.tree.condition import Conjunction, Wording
from treewright.tree.leaf import by_output
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec
    from treewright.ensemble.ensemble import Ensemble
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class RenamedWording(Wording):
    """The wording of conditions whose columns have other names than in the model."""

    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, column: ColumnSpec) -> str:
        """Return the column's other name, if it has one."""
        other = self.names.get(column.name)
        return super().name(column) if other is None else self._short(other)


def output_names(
    ensemble: Ensemble, output: str, *, renamed: Mapping[str, str] | None = None
) -> list[str]:
    """Return the names of the columns of :class:`~treewright.ensemble.tree_outputs.TreeOutputs`.

    Leaves are named by their conditions, decisions by the conditions that lead to them where these
    are those of one leaf, and everything else by the question (or the columns) that a tree asks.
    All begin with the number of the tree, so no two are equal.

    Parameters
    ----------
    ensemble, output
        The trees, and what is told of each.
    renamed
        Other names of some columns of the table.
    """
    wording = RenamedWording(max_values=6, max_length=60, rounded=True, names=renamed or {})
    names: list[str] = []
    for number, tree in enumerate(ensemble):
        leaves = list(walk_leaves(tree, leaves_in_order(tree)))
        if output == "leaf":
            said = _unlike(_leaf_names(leaves, wording), [node for node, _ in leaves])
        elif tree.classes is None:
            said = _of_numbers(tree, wording)
        else:
            said = list(_of_classes(tree, ensemble, output, leaves, wording))
        names += [f"tree {number}: {each}" for each in said]
    return names


def _leaf_names(leaves: Sequence[tuple[int, Conjunction]], wording: Wording) -> list[str]:
    return [_in_words(conditions, wording) for _, conditions in leaves]


def _in_words(conditions: Conjunction, wording: Wording) -> str:
    return " and ".join(each.text(wording) for each in conditions) or "every row"


def _unlike(names: list[str], nodes: list[int]) -> list[str]:
    """Return names that all differ: what is shortened alike gets the number of its node."""
    n_alike = Counter(names)
    return [
        f"{name} (node {node})" if n_alike[name] > 1 else name
        for name, node in zip(names, nodes, strict=True)
    ]


def _of_numbers(tree: Tree, wording: Wording) -> list[str]:
    asked = _asked(tree, wording)
    if tree.n_outputs == 1:
        return [f"number{asked}"]
    return [f"number {output}{asked}" for output in range(tree.n_outputs)]


def _of_classes(
    tree: Tree,
    ensemble: Ensemble,
    output: str,
    leaves: Sequence[tuple[int, Conjunction]],
    wording: Wording,
) -> Iterator[str]:
    assert ensemble.classes is not None
    for place, (classes, shares) in enumerate(
        zip(ensemble.classes, by_output(tree.answers, ensemble.classes), strict=True)
    ):
        of_output = f" (output {place})" if len(ensemble.classes) > 1 else ""
        decided = ensemble.leaf.choose(shares[[node for node, _ in leaves]])
        first = 1 if len(classes) == 2 else 0
        for code, label in enumerate(classes.tolist()[first:], start=first):
            called = f"{label_in_words(label)}{of_output}"
            if output == "proba":
                yield f"share of {called}{_asked(tree, wording)}"
            else:
                where = [each for each, own in zip(leaves, decided, strict=True) if own == code]
                yield _decision(called, tree, where, len(leaves), wording)


def _decision(
    called: str,
    tree: Tree,
    where: Sequence[tuple[int, Conjunction]],
    n_leaves: int,
    wording: Wording,
) -> str:
    if not where:
        return f"never {called}"
    if len(where) == n_leaves:
        return f"always {called}"
    if len(where) == 1:
        return f"{called} if {_in_words(where[0][1], wording)}"
    return f"{called}{_asked(tree, wording)}"


def _asked(tree: Tree, wording: Wording) -> str:
    """Return the only question of a tree, or the columns that it asks, those at the top first."""
    questions = [tree.question(node) for node in np.flatnonzero(tree.arrays.n_branches).tolist()]
    if not questions:
        return " of every row"
    if len(questions) == 1:
        assert questions[0] is not None
        return f" by {questions[0].text(0, wording)}"
    columns = dict.fromkeys(wording.name(each.column) for each in questions if each is not None)
    return f" by {list_names(columns)}"
