"""How little impurity the best question of any other column can leave over: a bound that holds on.

Let H(S) be the weight of a set of rows times its impurity, by Gini W - sum(w_k^2) / W, by entropy
W log W - sum(w_k log w_k). H is concave and homogeneous, so that H(S + T) >= H(S) + H(T) >= H(S): a
set with more rows has no less. A question divides the rows S into L and R and leaves over
H(L) + H(R). Divide S + T by any question instead: it divides S as well, by a question that S offers
or into S and nothing, and leaves over at least what that leaves of S. Hence

    **the least that the questions of a column leave over never falls when rows are added.**

So what the best question of each other column left over once is a lower bound for all later rows.
While the node's own column leaves over less, no other column can win, and only the own column has
to be searched again: exactly as long as it takes. (Utgoff, Berkman and Clouse 1997 keep counts of
every value of every column in every node instead, and compare all columns at every update.)

Rows that move elsewhere, because a cut above has moved, lower H by at most their share of its
derivative: by Gini dH/dw_k = 1 - 2 p_k + sum(p^2) <= 2; by entropy dH/dw_k = log2(W / w_k), whose
integral over the last row of a class is at most log2(W) + 1 / ln 2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from treewright.array_types import Int64Array
from treewright.data.read.target import ClassTarget
from treewright.data.table import Table
from treewright.grow.fit import fit_tree
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.tree.arrays import TreeArrays

ROUNDING = 1e-9
"""Gains nearer than this are compared by the core, which tells the last bit."""


def asked_of(
    problem: Problem, rows: Int64Array, columns: list[int], *, lifts_limits: bool = False
) -> TreeArrays:
    """Return the tree of the best question about some columns; a leaf where there is none.

    Parameters
    ----------
    lifts_limits
        Take questions that leave branches of any size.
    """
    options = problem.options.replace(max_depth=1)
    if lifts_limits:
        options = options.replace(
            min_samples_leaf=1, min_samples_split=2, min_impurity=0.0, max_class_share=1.0
        )
    return fit_tree(_part(problem, rows, columns, options)).arrays


def left_over(problem: Problem, rows: Int64Array, columns: list[int]) -> float:
    """Return the least impurity (times weight) that a question about some columns leaves over."""
    arrays = asked_of(problem, rows, columns, lifts_limits=True)
    return float(len(rows) * (arrays.impurity[0] - arrays.gain[0]))


def most_lost_by_row(options: GrowthOptions, n_rows: int) -> float:
    """Return by how much less is left over, at most, when one row goes."""
    return 2.0 if options.criterion == "gini" else math.log2(n_rows) + 1.0 / math.log(2.0)


def part_of(problem: Problem, rows: Int64Array, max_depth: int | None) -> Problem:
    """Return the problem of some rows, to be grown to some depth."""
    n_columns = len(problem.table.schema.columns)
    options = problem.options.replace(max_depth=max_depth)
    return _part(problem, rows, list(range(n_columns)), options)


def _part(
    problem: Problem, rows: Int64Array, columns: list[int], options: GrowthOptions
) -> Problem:
    table, target = problem.table, problem.target
    assert isinstance(target, ClassTarget)
    schema = table.schema
    if len(columns) < len(schema.columns):
        specs = tuple(schema.columns[c] for c in columns)
        schema = replace(schema, columns=specs, input_names=(), derived=(), operands=())
    masks = [table.masks[c] for c in columns]
    part = Table(
        schema=schema,
        n_rows=len(rows),
        columns=[np.asarray(table.columns[c])[rows] for c in columns],
        masks=[None if mask is None else mask[rows] for mask in masks],
    )
    return replace(
        problem, table=part, target=replace(target, codes=target.codes[rows]), options=options
    )
