"""The path of one row through a tree, as it is drawn: its nodes, values and answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.words import clean, percent
from treewright.data.read.rows import read_row
from treewright.draw.values import label_text, value_text
from treewright.errors import ParameterError, TreewrightError
from treewright.explain.path import Explanation, explain, follow
from treewright.parameters import is_whole

if TYPE_CHECKING:
    from treewright.draw.training_rows import TrainingRows
    from treewright.tree.tree import Tree

_MOST_VALUES = 4
"""Values that a title tells."""


@dataclass(frozen=True, kw_only=True)
class RowPath:
    """One row on its way.

    Parameters
    ----------
    name
        What it is called: ``Row 72``, or ``This row``.
    share_of_node
        The nodes it reaches, and the share of it that does so: 1 unless a missing value divides it.
    value_of_node
        Its value of what each inner node on its way asks, as text.
    values
        The columns asked on its way, each once, with its values.
    label
        What is predicted.
    told
        The answer in more words, and the truth where it is known.
    """

    name: str
    share_of_node: Mapping[int, float]
    value_of_node: Mapping[int, str]
    values: tuple[tuple[str, str], ...]
    label: str
    told: str

    @property
    def nodes(self) -> set[int]:
        """The nodes it reaches."""
        return set(self.share_of_node)

    @property
    def title(self) -> str:
        """The sentence that heads the picture."""
        said = [f"{column} {value}" for column, value in self.values[:_MOST_VALUES]]
        because = f": {', '.join(said)}" if said else ""
        return f"{self.name} is predicted {self.label}{because}"


def row_path(tree: Tree, row: object, rows: TrainingRows | None) -> RowPath:
    """Return the path of a row.

    Parameters
    ----------
    tree
        The tree.
    row
        As for :meth:`Tree.explain`, or the position of a training row.
    rows
        The training rows, where the tree has them.
    """
    name, truth = "This row", ""
    if is_whole(row):
        kept = _checked(int(row), rows)
        table = kept.table.take(np.array([row]))
        name, truth = f"Row {row}", _truth(tree, kept, int(row))
        found = follow(tree, table)
    else:
        found = explain(tree, row)  # which checks that it has what is asked
        table = read_row(row, tree.schema, optional=tree.schema.names, unseen=tree.unseen)
    value_of_node, values = {}, dict[str, str]()
    for step in found.steps:
        question = tree.question(step.node)
        assert question is not None
        text = value_text(question, question.value_in(table))
        value_of_node[step.node] = text
        values.setdefault(clean(step.column), text)
    shares = {0: 1.0} | {turn.node: turn.fraction for step in found.steps for turn in step.turns}
    return RowPath(
        name=name,
        share_of_node=shares,
        value_of_node=value_of_node,
        values=tuple(values.items()),
        label=label_text(found.label),
        told=f"{name}: {_told(tree, found)}{truth}",
    )


def _checked(position: int, rows: TrainingRows | None) -> TrainingRows:
    """Return the training rows, or refuse a position that they do not have."""
    if rows is None:
        raise TreewrightError(
            f"row={position} is the position of a training row, but this tree has no training data."
            "\n  Hint: pass the row itself, such as a dict of its values."
        )
    if not 0 <= position < rows.table.n_rows:
        raise ParameterError(
            f"row={position} must be from 0 to {rows.table.n_rows - 1}: "
            f"the tree has {rows.table.n_rows} training rows."
        )
    return rows


def _truth(tree: Tree, rows: TrainingRows, position: int) -> str:
    target = rows.target[position]
    if getattr(target, "ndim", 0):  # several targets
        return ""
    if tree.classes is None:
        return f" It was in fact {label_text(float(target))}."
    return f" It was in fact {label_text(tree.classes[0].tolist()[int(target)])}."


def _told(tree: Tree, found: Explanation) -> str:
    n_rows = sum(int(tree.arrays.n_rows[leaf]) for leaf in found.leaves)
    where = "the leaf" if len(found.leaves) == 1 else f"{len(found.leaves)} leaves"
    counted = f" ({n_rows:,} training rows in {where})" if tree.has_rows else ""
    if tree.classes is None or len(tree.classes) > 1:
        return f"{label_text(found.label)}{counted}."
    names = map(label_text, tree.classes[0].tolist())
    pairs = sorted(zip(-found.answer, names, strict=True), key=lambda pair: pair[0])
    told = [f"{name} {percent(-share, decimals=1)}" for share, name in pairs if share < 0]
    more = f" and {len(told) - 5} more" if len(told) > 5 else ""
    return f"{', '.join(told[:5])}{more}{counted}."
