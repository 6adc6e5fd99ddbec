"""Differences of two trees: where they diverge, and the rows that they predict differently.

Examples
--------
One noisy day changes the tree of the lectures below ``Outlook = Sunny``:

>>> from treewright import ID3Classifier, load_example
>>> play, noisy = load_example("play_tennis"), load_example("play_tennis_d15")
>>> before = ID3Classifier().fit(play.X, play.y).tree_
>>> after = ID3Classifier().fit(noisy.X, noisy.y).tree_
>>> print(before.diff(after, noisy.X))
The trees part at 1 place.
<BLANKLINE>
        nodes  leaves  depth
first       8       5      2
second     11       7      3
2 tests in common, similarity 57.1 %.
<BLANKLINE>
change          rows  nodes  first            second       where
other question     5  3 → 6  Humidity = High  Temperature  Outlook = Sunny
<BLANKLINE>
of 15 rows           rows   share  which
other path              6  40.0 %  0, 1, 7, 8, 10, 14
other class             1   6.7 %  14
other probabilities     1   6.7 %  14
Yes → No 1
Change of the probability: mean 0.0667, largest 1.
>>> print(before.diff(before))
The same tree: 8 nodes, 5 leaves, depth 2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from treewright.compare.alignment import Change, align
from treewright.compare.changed_rows import ChangedRows, compare_rows
from treewright.compare.common_schema import Joint, in_same_terms
from treewright.compare.difference import Difference
from treewright.compare.same_answers import differs, models_differ
from treewright.parameters import check_number
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, Int64Array
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.tree import Tree

Relation: TypeAlias = Literal["same", "smaller", "larger", "different"]

_WORDS: dict[Change, str] = {
    "question": "other question",
    "pruned": "pruned",
    "grown": "grown",
    "branches": "other branches",
    "threshold": "moved cut",
    "missing": "missing values",
    "label": "other class",
    "value": "other number",
}
_PARTINGS = ("question", "pruned", "grown", "branches")
"""Changes after which one tree has nodes without a counterpart in the other."""

_MOST_SHOWN = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeDiff(ShownInNotebooks):
    """The differences of two trees; ``print`` it.

    Parameters
    ----------
    first, second
        The trees.
    relation
        ``"same"``: the same questions, and the same classes (or numbers) at the leaves;
        ``"smaller"``: the second is the first, pruned; ``"larger"``: the reverse;
        ``"different"``: anything else.
    differences
        Every place where they differ, in reading order.
    n_common
        Number of tests in common: corresponding nodes that ask about the same thing, even with
        other cuts.
    n_reweighed
        Number of corresponding leaves of one class whose probabilities differ.
    rows
        The rows of a table that differ; None where no table was given.
    """

    first: Tree = field(repr=False)
    second: Tree = field(repr=False)
    relation: Relation
    differences: tuple[Difference, ...] = field(repr=False)
    n_common: int
    n_reweighed: int
    rows: ChangedRows | None = field(repr=False)

    @property
    def similarity(self) -> float:
        """Share of tests in common: 2 common / (first + second), 1 for two single leaves.

        Shannon and Banks (1999, Statistics in Medicine 18) count the nodes, from the roots on,
        at which two trees differ; this counts those that agree and scales them to 0 .. 1 as Dice
        (1945, Ecology 26) does.
        """
        n_tests = self.first.n_tests + self.second.n_tests
        return 2 * self.n_common / n_tests if n_tests else 1.0

    def __str__(self) -> str:
        return self.text()

    def text(self, *, ascii: bool = False) -> str:
        """Return the text of the differences, the heaviest first, and of the rows concerned."""
        text = "\n\n".join(self._parts(ascii))
        return text.replace("…", "...") if ascii else text

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, strings and numbers, ready for JSON."""
        sizes = {
            name: {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth}
            for name, tree in (("first", self.first), ("second", self.second))
        }
        return {
            "relation": self.relation,
            **sizes,
            "common_tests": self.n_common,
            "similarity": self.similarity,
            "reweighed_leaves": self.n_reweighed,
            "differences": [each.to_dict() for each in self.differences],
            "rows": None if self.rows is None else self.rows.to_dict(),
        }

    def _parts(self, ascii: bool) -> list[str]:
        heading = self._heading()
        is_same = self.relation == "same" and not self.n_reweighed
        if is_same and (self.rows is None or not self.rows.is_any):
            rows = "" if self.rows is None else f" It treats all {self.rows.n_rows} rows alike."
            return [heading + rows]
        parts = [heading, self._sizes()]
        if self.differences:
            parts.append(self._table(ascii))
        if self.n_reweighed:
            leaves = _count(self.n_reweighed, "leaf", "leaves")
            parts.append(f"The same class, but other probabilities: {leaves}.")
        if self.rows is not None:
            parts.append(self.rows.text(ascii=ascii))
        return parts

    def _heading(self) -> str:
        n_partings = sum(each.change in _PARTINGS for each in self.differences)
        places = _count(n_partings, "place", "places")
        if self.relation == "same":
            tree = self.first
            nodes = _count(tree.n_nodes, "node", "nodes")
            leaves = _count(tree.n_leaves, "leaf", "leaves")
            sizes = f"{nodes}, {leaves}, depth {tree.depth}"
            what = "questions and classes" if self.n_reweighed else "tree"
            return f"The same {what}: {sizes}."
        if self.relation == "smaller":
            return f"The second tree is the first, pruned at {places}."
        if self.relation == "larger":
            return f"The first tree is the second, pruned at {places}."
        if n_partings:
            return f"The trees part at {places}."
        return "The trees have the same shape."

    def _sizes(self) -> str:
        trees = (self.first, self.second)
        table = lay_out(
            [
                TextColumn("", ["first", "second"]),
                TextColumn("nodes", [str(tree.n_nodes) for tree in trees], right=True),
                TextColumn("leaves", [str(tree.n_leaves) for tree in trees], right=True),
                TextColumn("depth", [str(tree.depth) for tree in trees], right=True),
            ]
        )
        tests = _count(self.n_common, "test", "tests")
        return f"{table}\n{tests} in common, similarity {percent(self.similarity)}."

    def _table(self, ascii: bool) -> str:
        wording = replace(SHORT, ascii=ascii)
        by_weight = sorted(self.differences, key=lambda d: (d.change == "missing", -d.share))
        shown = by_weight[:_MOST_SHOWN]
        words = [each.in_words(wording) for each in shown]
        paths = [each.path_in_words(wording) for each in shown]
        arrow = "->" if ascii else "→"
        # Paths come last: they are long, and would push other columns aside.
        table = lay_out(
            [
                TextColumn("change", [_WORDS[each.change] for each in shown]),
                TextColumn("rows", [str(each.n_rows) for each in shown], right=True),
                TextColumn("nodes", [f"{d.first_size} {arrow} {d.second_size}" for d in shown]),
                TextColumn("first", [first for first, _ in words]),
                TextColumn("second", [second for _, second in words]),
                TextColumn("where", [" and ".join(path) or "(all rows)" for path in paths]),
            ],
            max_width=40,
        )
        n_left_out = len(self.differences) - len(shown)
        if not n_left_out:
            return table
        counts = Counter(_WORDS[each.change] for each in self.differences)
        told = ", ".join(f"{word} {count}" for word, count in counts.most_common())
        return f"{table}\n… {n_left_out} more; in all: {told}."


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def diff(first: Tree, second: Tree, X: object = None, *, tolerance: float = 1e-9) -> TreeDiff:
    """Return the differences of two trees; see :meth:`treewright.tree.tree.Tree.diff`."""
    from treewright.tree.tree import check_is_tree

    check_is_tree("other", second)
    check_number("tolerance", tolerance, low=0.0)
    joint = in_same_terms(first, second)
    alignment = align(joint)
    trees = (first, second)
    changed_leaves, n_reweighed = _compare_leaves(trees, joint, alignment.leaves, tolerance)
    differences = _describe(trees, [*alignment.places, *changed_leaves])
    rows = None
    if X is not None:
        rows = compare_rows(
            trees,
            X,
            leaves=alignment.leaves,
            class_order=joint.class_order,
            tolerance=tolerance,
        )
    return TreeDiff(
        first=first,
        second=second,
        relation=_relation({each.change for each in differences}),
        differences=differences,
        n_common=alignment.n_common,
        n_reweighed=n_reweighed,
        rows=rows,
    )


def _relation(changes: set[Change]) -> Relation:
    if not changes:
        return "same"
    if changes == {"pruned"}:
        return "smaller"
    return "larger" if changes == {"grown"} else "different"


def _compare_leaves(
    trees: tuple[Tree, Tree], joint: Joint, leaves: Int64Array, tolerance: float
) -> tuple[list[tuple[Change, int, int]], int]:
    """Return corresponding leaves of different labels; count equal ones of other probabilities."""
    first, second = trees
    one = first.answers[leaves[:, 0]]
    two = second.answers[leaves[:, 1]][:, joint.class_order]
    is_other = differs(one, two, tolerance=tolerance)
    if first.classes is None:
        # A leaf with a linear model predicts by it, not by its value.
        for place in np.flatnonzero(_has_model(first, second, leaves)).tolist():
            models = [tree.label(leaf) for tree, leaf in zip(trees, leaves[place], strict=True)]
            is_other[place] = models_differ(*models, tolerance=tolerance)
        return [("value", a, b) for a, b in leaves[is_other].tolist()], 0
    # Under different cost matrices equal probabilities may give different classes: compare classes.
    relabelled: list[tuple[Change, int, int]] = [
        ("label", a, b) for a, b in leaves.tolist() if first.label(a) != second.label(b)
    ]
    nodes = {a for _, a, _ in relabelled}
    return relabelled, sum(a not in nodes for a, _ in leaves[is_other].tolist())


def _has_model(first: Tree, second: Tree, leaves: Int64Array) -> BoolArray:
    """Return whether one leaf of each pair has a linear model."""
    found = np.zeros(len(leaves), dtype=bool)
    for tree, own in ((first, leaves[:, 0]), (second, leaves[:, 1])):
        if tree.linear is not None:
            found |= np.diff(tree.linear.start)[own] > 0
    return found


def _describe(
    trees: tuple[Tree, Tree], places: list[tuple[Change, int, int]]
) -> tuple[Difference, ...]:
    first, second = trees
    if not places:
        return ()
    sizes = _subtree_sizes(first.arrays), _subtree_sizes(second.arrays)
    place_of_node = np.empty(first.n_nodes, dtype=np.int64)
    place_of_node[first.reading_order] = np.arange(first.n_nodes)
    place = place_of_node.tolist()
    n_rows = first.arrays.n_rows.tolist()
    share = (first.arrays.weight / (first.arrays.weight[0] or 1.0)).tolist()
    return tuple(
        Difference(
            change=change,
            first_node=one,
            second_node=two,
            n_rows=n_rows[one],
            share=share[one],
            first_size=sizes[0][one],
            second_size=sizes[1][two],
            trees=trees,
        )
        for change, one, two in sorted(places, key=lambda each: place[each[1]])
    )


def _subtree_sizes(arrays: TreeArrays) -> list[int]:
    parent = arrays.parent.tolist()
    sizes = [1] * arrays.n_nodes
    for node in range(arrays.n_nodes - 1, 0, -1):
        sizes[parent[node]] += sizes[node]
    return sizes
