"""Partial dependence of a regression tree on some of its columns, without a table.

A row of which only these columns are known follows both branches of a question about another
column, in proportion to the training weight in each (Friedman 2001, section 8.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array
from treewright.data.read.table import match_table
from treewright.tree.arrays import LEAF, LINEAR
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import FloatArray


def partial_dependence(tree: Tree, known: Sequence[int], points: Array) -> FloatArray:
    """Return the mean prediction at each point, points x outputs.

    Parameters
    ----------
    tree
        A tree that predicts numbers. Where a leaf holds a linear model, the unknown columns have
        their mean in the leaf.
    known
        Positions in the training table of the columns that are known.
    points
        Their values, points x columns.
    """
    table: Any = np.full((len(points), len(tree.schema.input_names)), None, dtype=object)
    table[:, list(known)] = points
    schema = tree.schema
    rows = match_table(table, schema, owner="Tree", by_name=True, unseen=tree.unseen)
    names = {schema.input_names[i] for i in known}
    is_known = np.array([names.issuperset(schema.inputs_of(name)) for name in schema.names])
    return _that_divides_unknown(tree, is_known).plan.answers(rows)


def _that_divides_unknown(tree: Tree, is_known: Array) -> Tree:
    """Return the tree with every question about an unknown column left open."""
    arrays = tree.arrays
    asks_known = (arrays.kind != LEAF) & is_known[arrays.column]
    sums = np.flatnonzero(arrays.kind == LINEAR)
    for node in sums:
        first = arrays.term_offset[node]
        terms = arrays.term_column[first : first + arrays.term_count[node]]
        asks_known[node] = is_known[terms].all()
    without = {name: () for name in arrays.to_dict() if name.startswith("surrogate_")}
    branch = np.where(asks_known, arrays.missing_branch, -1).astype(np.int32)
    opened: Any = replace(arrays, missing_branch=branch, **without)  # type: ignore[arg-type]
    divided = tree.with_arrays(opened, linear=tree.linear)
    divided.combine = "branch_fractions"
    return divided
