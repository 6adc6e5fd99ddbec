"""The tables of why that a single tree is saved with, in the place of its training rows."""

from __future__ import annotations

from typing import Any

from treewright.errors import TreewrightError
from treewright.explain.kept_whys import KeptWhys
from treewright.tree.tree import Tree

_SECONDS = 1.0
_SECONDS_OF_COLUMN, _SECONDS_OF_CELL = 4e-4, 1.1e-7
"""What a table takes for each column, and for each of its rows: measured on 1,000 to 20,000 rows
of 10 and 100 columns."""


def whys_of(model: Any) -> dict[int, KeptWhys]:
    """Return the tables to save with a tree, or with the tree of an estimator, by the tree's id.

    Nodes are taken from the root on, so many as take about a second.
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree) or not tree.has_record:
        return {}
    n_columns, n_rows = len(tree.schema), int(tree.arrays.n_rows[0])
    each = n_columns * (_SECONDS_OF_COLUMN + n_rows * _SECONDS_OF_CELL)
    n_nodes = min(tree.n_nodes, int(_SECONDS / each) + 1)
    tables = []
    for node in range(n_nodes):
        try:
            tables.append(tree.why(node))
        except TreewrightError:  # pruning has put it in another's place: there is no table
            continue
    return {id(tree): KeptWhys.keep(tables)}
