"""Rows of a table that differ between two trees in their path or prediction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.compare.same_answers import differs, distance
from treewright.text.numbers import figure, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.leaf import decide
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import Int64Array
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

_MOST_NAMED = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangedRows:
    """Rows of a table that differ between two trees, by position.

    Parameters
    ----------
    n_rows
        Number of rows of the table.
    path
        Rows that do not follow corresponding branches to corresponding leaves. A row divided among
        branches is among them unless all its leaves correspond.
    label
        Rows with another class or number (in any output).
    probabilities
        Rows with other class probabilities; None where the trees predict numbers.
    moves
        Changes of class with their counts, most frequent first; empty for numbers.
    mean_change, largest_change
        Change of the probability (of the class that changes most) or the number, over all rows.
    """

    n_rows: int
    path: Int64Array
    label: Int64Array
    probabilities: Int64Array | None
    moves: tuple[tuple[Any, Any, int], ...]
    mean_change: float
    largest_change: float

    @property
    def is_any(self) -> bool:
        """Whether any row differs."""
        kinds = (self.path, self.label, self.probabilities)
        return any(rows is not None and len(rows) > 0 for rows in kinds)

    def share(self, rows: Int64Array) -> float:
        """Return the given rows' share of all rows."""
        return len(rows) / self.n_rows

    def text(self, *, ascii: bool = False) -> str:
        """Return the text of counts, shares and positions."""
        answer = "number" if self.probabilities is None else "class"
        kinds = {"other path": self.path, f"other {answer}": self.label}
        if self.probabilities is not None:
            kinds["other probabilities"] = self.probabilities
        columns = [
            TextColumn(f"of {self.n_rows} rows", list(kinds)),
            TextColumn("rows", [str(len(rows)) for rows in kinds.values()], right=True),
            TextColumn("share", [percent(self.share(rows)) for rows in kinds.values()], right=True),
            TextColumn("which", [_positions(rows, ascii) for rows in kinds.values()]),
        ]
        lines = [lay_out(columns)]
        if self.moves:
            arrow = "->" if ascii else "→"
            told = [
                f"{label_in_words(old)} {arrow} {label_in_words(new)} {count}"
                for old, new, count in self.moves
            ]
            lines.append(_shortened(told, len(told) - _MOST_NAMED, ascii))
        if self.largest_change > 0:
            what = "number" if self.probabilities is None else "probability"
            change = f"mean {figure(self.mean_change)}, largest {figure(self.largest_change)}"
            lines.append(f"Change of the {what}: {change}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, strings and numbers."""
        chances = self.probabilities
        return {
            "n_rows": self.n_rows,
            "path": self.path.tolist(),
            "label": self.label.tolist(),
            "probabilities": None if chances is None else chances.tolist(),
            "moves": [
                {"from": label_in_words(old), "to": label_in_words(new), "rows": count}
                for old, new, count in self.moves
            ],
            "mean_change": self.mean_change,
            "largest_change": self.largest_change,
        }


def compare_rows(
    trees: tuple[Tree, Tree],
    X: object,
    *,
    leaves: Int64Array,
    class_order: Int64Array,
    tolerance: float,
) -> ChangedRows:
    """Return the rows of a table that differ between two trees.

    Parameters
    ----------
    trees, X
        Two trees, and rows for both.
    leaves, class_order
        Corresponding leaves, and the positions of the first tree's classes in the second.
    tolerance
        Numbers and probabilities this close are equal, as in ``same_answers.differs``.
    """
    tables = [tree._read(X) for tree in trees]
    answers = [tree.plan.answers(table) for tree, table in zip(trees, tables, strict=True)]
    labels = [
        decide(each, tree.classes, tree.leaf).astype(object)
        for tree, each in zip(trees, answers, strict=True)
    ]
    one, two = answers[0], answers[1][:, class_order]
    is_other = differs(one, two, tolerance=tolerance)
    if trees[0].classes is None:
        is_relabelled, chances = is_other, None
    else:
        unequal = np.asarray(labels[0] != labels[1], dtype=bool)
        is_relabelled = np.logical_or.reduce(unequal.reshape(len(unequal), -1), axis=1)
        chances = np.flatnonzero(is_other)
    relabelled = np.flatnonzero(is_relabelled)
    change = distance(one, two).max(axis=1)
    return ChangedRows(
        n_rows=len(one),
        path=_rows_with_other_paths(trees, tables, leaves),
        label=relabelled,
        probabilities=chances,
        moves=() if chances is None else _moves(labels[0][relabelled], labels[1][relabelled]),
        mean_change=float(change.mean()),
        largest_change=float(change.max()),
    )


def _moves(before: Any, after: Any) -> tuple[tuple[Any, Any, int], ...]:
    def plain(labels: Any) -> Sequence[Any]:
        return [tuple(each) if isinstance(each, list) else each for each in labels.tolist()]

    counts = Counter(zip(plain(before), plain(after), strict=True))
    return tuple((old, new, count) for (old, new), count in counts.most_common())


def _rows_with_other_paths(
    trees: tuple[Tree, Tree], tables: list[Table], leaves: Int64Array
) -> Int64Array:
    first, second = trees
    # Every leaf by its number in the first tree; -1 for those without a counterpart.
    name_of_leaf = np.full(second.n_nodes, -1)
    name_of_leaf[leaves[:, 1]] = leaves[:, 0]
    one = _leaves_reached(first, tables[0], np.arange(first.n_nodes))
    two = _leaves_reached(second, tables[1], name_of_leaf)
    n_leaves = [np.bincount(row, minlength=tables[0].n_rows) for row, _ in (one, two)]
    is_other = n_leaves[0] != n_leaves[1]
    # Rows with as many leaves in both trees have them at the same positions of both lists.
    row, name = (part[~is_other[one[0]]] for part in one)
    is_other[row[name != two[1][~is_other[two[0]]]]] = True
    return np.flatnonzero(is_other)


def _leaves_reached(tree: Tree, table: Table, names: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return pairs of a row and the name of a leaf it reaches, sorted by both."""
    start, reached, _ = tree.plan.parts(table)
    row = np.repeat(np.arange(table.n_rows), np.diff(start))
    name = names[reached]
    order = np.lexsort((name, row))
    return row[order], name[order]


def _positions(rows: Int64Array, ascii: bool) -> str:
    return _shortened(list(map(str, rows[:_MOST_NAMED].tolist())), len(rows) - _MOST_NAMED, ascii)


def _shortened(words: list[str], n_left_out: int, ascii: bool) -> str:
    told = words[:_MOST_NAMED]
    if n_left_out > 0:
        told.append(f"{'...' if ascii else '…'} {n_left_out} more")
    return ", ".join(told)
