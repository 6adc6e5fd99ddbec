"""Checks that given rows are those that a forest was grown from."""

from __future__ import annotations

import numpy as np

from treewright.data.read.target import ClassTarget
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import DataError
from treewright.forest.packed import PackedTrees
from treewright.forest.problem import ForestProblem

_HINT = "give X, y (and sample_weight, groups) as they were given to fit."


def refuse_other_columns(ensemble: Ensemble, forest: ForestProblem, *, hint: str) -> None:
    """Raise unless the columns (their kinds and categories) and classes are the forest's own."""
    problem = forest.problem
    for column, known in zip(problem.table.schema.columns, ensemble.schema.columns, strict=False):
        if column != known:
            raise DataError(
                f"column {column.name!r} is not what it was when the forest was grown: its name,"
                f" type or categories differ.\n  Hint: {hint}"
            )
    if problem.table.schema != ensemble.schema:
        raise DataError(
            f"the columns are not those that the forest was grown from.\n  Hint: {hint}"
        )
    given = problem.target.classes if isinstance(problem.target, ClassTarget) else ()
    if [list(names) for names in given] != [list(names) for names in ensemble.classes or ()]:
        raise DataError(
            f"the classes are not those that the forest was grown from.\n  Hint: {hint}"
        )


def refuse_other_draws(before: ForestProblem | None, forest: ForestProblem, *, hint: str) -> None:
    """Raise for more trees that draw whole groups beside trees that drew rows, or the reverse."""
    if before is not None and (before.problem.groups is None) != (forest.problem.groups is None):
        drawn = ["groups", "rows one by one"][before.problem.groups is None]
        raise DataError(
            f"the trees grown so far have drawn {drawn}, others would not.\n"
            f"  Hint: groups as before, or {hint}"
        )


def refuse_other_rows(ensemble: Ensemble, forest: ForestProblem) -> None:
    """Raise for rows that the forest cannot have been grown from.

    The rows that a tree has drawn are recomputed from the table; for another table the result would
    be meaningless. Columns and classes must be the same, and the rows that the first tree draws
    must add up to the weights of its leaves (not checked in compacted forests, nor where trees were
    pruned or rows divided).
    """
    refuse_other_columns(ensemble, forest, hint=_HINT)
    problem, draws, trees = forest.problem, forest.draws, ensemble.trees
    is_compact = isinstance(trees, PackedTrees) and trees.core.is_compact
    is_pruned = forest.pruner is not None or forest.grower is not None
    if draws is None or draws.factor is not None or draws.balances or is_compact or is_pruned:
        return
    tree, sampling = ensemble[0], forest.sampling
    assert sampling is not None
    start, leaves, _ = tree.plan.parts(problem.table)
    if len(leaves) != len(start) - 1:
        return
    drawn = np.bincount(leaves, weights=sampling.draw(0), minlength=tree.n_nodes)
    is_leaf = tree.arrays.n_branches == 0
    if not np.array_equal(drawn[is_leaf], tree.arrays.weight[is_leaf]):
        raise DataError(f"the rows are not those that the forest was grown from.\n  Hint: {_HINT}")
