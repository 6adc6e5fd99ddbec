"""The summary of one tree: its size, how well it answers its own rows, the columns it asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.leaf import BY_MAJORITY

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TreeSummary(ShownInNotebooks):
    """The summary of a tree; ``print`` it.

    Attributes
    ----------
    name : str
        What the tree is.
    criterion : str
    n_rows, n_columns : int
        Training rows that reach the root, and columns of the table.
    n_leaves, n_nodes, depth : int
    expected_tests : float
        Questions that a training row answers on average.
    n_leaves_before : int or None
        Leaves before pruning; None for a tree of which nothing was pruned.
    error : float or None
        Share of the training weight that the leaves answer wrongly; of numbers the root of the mean
        squared error. None for several outputs, for leaves that are linear, and for criteria whose
        impurity is no variance. Rows that the tree has not seen show more errors.
    columns : tuple of (str, float)
        Columns that are asked, with their share of the decrease of impurity, descending.
    """

    name: str
    criterion: str
    n_rows: int
    n_columns: int
    n_leaves: int
    n_nodes: int
    depth: int
    expected_tests: float
    n_leaves_before: int | None
    error: float | None
    is_classifier: bool
    columns: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, *, ascii: bool = False) -> str:
        """Return all figures as text."""
        leaves = f"{self.n_leaves:,}"
        if self.n_leaves_before is not None:
            leaves += f", {self.n_leaves_before:,} before pruning"
        rows = [
            ("leaves", leaves),
            ("depth", str(self.depth)),
            ("questions a row answers", f"{self.expected_tests:.1f} on average"),
        ]
        if self.error is not None:
            told = percent(self.error) if self.is_classifier else figure(self.error)
            words = "error" if self.is_classifier else "root mean squared error"
            rows.append((f"{words} on its own rows", told))
        width = max(len(words) for words, _ in rows)
        lines = [f"{words.ljust(width)}  {value}" for words, value in rows]
        lines.insert(0, f"{self.name}: {self.n_rows:,} rows, {self._columns_in_words()}")
        return "\n".join(lines) + (f"\n\n{self._uses(ascii)}" if self.columns else "")

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain lists, strings and numbers."""
        return {**vars(self), "columns": dict(self.columns)}

    def _columns_in_words(self) -> str:
        asked = f"{len(self.columns):,} of {self.n_columns:,} columns asked"
        return f"{asked}, by {self.criterion}"

    def _uses(self, ascii: bool) -> str:
        shown = self.columns[:_MOST_NAMED]
        table = lay_out(
            [
                TextColumn("column", [name for name, _ in shown]),
                TextColumn("importance", [f"{share:.3f}" for _, share in shown], right=True),
            ]
        )
        n_more = len(self.columns) - len(shown)
        return f"{table}\n{'...' if ascii else '…'} {n_more} more" if n_more else table


def summarise(tree: Tree, name: str) -> TreeSummary:
    """Return the summary of a tree."""
    importances = tree.importances()
    return TreeSummary(
        name=name,
        criterion=tree.criterion,
        n_rows=int(tree.arrays.n_rows[0]),
        n_columns=len(tree.schema),
        n_leaves=tree.n_leaves,
        n_nodes=tree.n_nodes,
        depth=tree.depth,
        expected_tests=tree.expected_tests(),
        n_leaves_before=_leaves_before(tree),
        error=_training_error(tree),
        is_classifier=tree.classes is not None,
        columns=tuple((each.name, each.mean) for each in importances if each.mean > 0.0),
    )


def _leaves_before(tree: Tree) -> int | None:
    if tree.pruning is None or tree.pruning.tree.n_leaves == tree.n_leaves:
        return None
    return tree.pruning.tree.n_leaves


def _training_error(tree: Tree) -> float | None:
    """Return the error of the leaves on the rows they hold; None where leaves do not say it."""
    arrays = tree.arrays
    leaves = arrays.n_branches == 0
    weight = arrays.weight[leaves]
    total = float(weight.sum())
    if total <= 0.0 or tree.linear is not None:
        return None
    if tree.classes is not None:
        if len(tree.classes) > 1:
            return None
        value = arrays.value[leaves]
        chosen = (tree.leaf or BY_MAJORITY).choose(tree.answers[leaves])
        right = float(value[np.arange(len(value)), chosen].sum())
        return max(0.0, 1.0 - right / total)
    if tree.criterion != "squared_error" or arrays.value.shape[1] > 1:
        return None
    return float(np.sqrt(max(0.0, float(weight @ arrays.impurity[leaves]) / total)))
