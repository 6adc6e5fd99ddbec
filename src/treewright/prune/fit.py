"""Growing and pruning in one: with held-out validation rows, or cross-validation, if needed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.read.groups import RowGroups
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.errors import DataError
from treewright.grow.fit import Report, fit_tree
from treewright.grow.problem import Problem
from treewright.grow.training_record import TrainingRecord
from treewright.prune.base import Pruner
from treewright.prune.base import cut as cut_nodes
from treewright.prune.methods.cost_complexity import (
    CostComplexity,
    CostComplexityPath,
    standard_error,
)
from treewright.prune.methods.reduced_error import ReducedError
from treewright.prune.routed_rows import RoutedRows
from treewright.tree.tree import Tree


def fit_pruned(problem: Problem, pruner: Pruner | None, *, report: Report | None = None) -> Tree:
    """Return the tree grown from a problem, pruned.

    A pruner that needs validation rows gets some of the training rows, which then take no part
    in growing; one that chooses among sizes does so by cross-validation. Rows of one group are
    held out together.
    """
    if isinstance(pruner, ReducedError):
        pruner.check()
        return _fit_held_out(problem, pruner, report)
    if pruner is not None:
        pruner.check()
    return pruned(problem, fit_tree(problem, report=report), pruner)


def pruned(problem: Problem, tree: Tree, pruner: Pruner | None) -> Tree:
    """Return the tree of a problem, pruned by a pruner that holds no rows out of growing."""
    if pruner is None:
        return tree
    pruner.check()
    if isinstance(pruner, CostComplexity) and not pruner.has_penalty:
        return _choose_by_folds(problem, tree, pruner)
    if pruner.needs == "training":
        pruner.check_tree(tree)
        return pruner.run(tree, training=TrainingRecord(problem))
    return pruner.prune(tree)


def holds_out(pruner: Pruner | None) -> bool:
    """Return whether a pruner judges by rows that are held out of growing."""
    chooses = isinstance(pruner, CostComplexity) and not pruner.has_penalty
    return chooses or isinstance(pruner, ReducedError)


def judges_by_tree(pruner: Pruner) -> bool:
    """Return whether a pruner needs no rows, only the grown tree."""
    if isinstance(pruner, CostComplexity):
        return pruner.has_penalty
    return pruner.needs == "nothing"


def _fit_held_out(problem: Problem, pruner: ReducedError, report: Report | None) -> Tree:
    order = _in_order(problem, pruner.random_state)
    # Evenly spread over the rows in order of their class: a stratified sample.
    held = np.diff(np.floor(np.arange(len(order) + 1) * pruner.fraction)) > 0
    if held.sum() in (0, len(order)):
        raise DataError(
            f"too few {_dealt_are(problem)} (n_samples = {len(order)}, of positive weight) to keep"
            f" {pruner.fraction:.0%} of them back for pruning.\n"
            "  Hint: another fraction, or a pruner that needs no validation rows."
        )
    is_held = np.zeros(problem.table.n_rows, dtype=bool)
    if problem.groups is None:
        is_held[order[held]] = True
    else:
        rows = _counted(problem)
        is_held[rows] = problem.groups.take(rows).dealt(order, held)
    tree = fit_tree(problem.take(np.flatnonzero(~is_held)), report=report)
    pruner.check_tree(tree)
    return pruner.run(tree, validation=_sample(problem, tree, np.flatnonzero(is_held)))


def _choose_by_folds(problem: Problem, tree: Tree, pruner: CostComplexity) -> Tree:
    """Return the tree of the sequence that cross-validation chooses."""
    pruner.check_tree(tree)
    path = pruner.path(tree)
    if len(path) == 1:
        return cut_nodes(pruner.name, tree, pruner.cuts_at(path, 0.0))
    best = pruner.choose(*cross_validate(problem, path, pruner))
    return cut_nodes(pruner.name, tree, pruner.cuts_at(path, float(path.alphas[best])))


def cross_validate(
    problem: Problem, path: CostComplexityPath, pruner: CostComplexity
) -> tuple[FloatArray, Callable[[int], float]]:
    """Return the cross-validated mean cost of each tree of a sequence, and its standard error.

    Each fold's tree is pruned at the geometric means of the whole tree's penalties, which represent
    the intervals between them (Breiman et al. 1984, 3.4; rpart).
    """
    order = _in_order(problem, pruner.random_state)
    if len(order) < pruner.cv:
        raise DataError(
            f"{len(order)} {_dealt_are(problem)} (of positive weight) cannot be dealt to"
            f" cv={pruner.cv} folds.\n"
            "  Hint: fewer folds, or CostComplexity(alpha=...)."
        )
    fold = _folds(problem, order, pruner.cv)
    held: list[tuple[CostComplexityPath, RoutedRows]] = []
    judged = [np.flatnonzero(fold == k) for k in range(pruner.cv)]
    for k, rows in enumerate(judged):
        grown = fit_tree(problem.take(np.flatnonzero(fold != k)))
        held.append((pruner.path(grown), _sample(problem, grown, rows)))
    total = sum(sample.total for _, sample in held) or 1.0
    alphas = path.typical_alphas
    costs = sum(each.costs(sample.risk, alphas) for each, sample in held) / total
    together = None if problem.groups is None else problem.groups.take(np.concatenate(judged))
    return np.asarray(costs), _spread(held, alphas, together)


def _spread(
    held: list[tuple[CostComplexityPath, RoutedRows]],
    alphas: FloatArray,
    groups: RowGroups | None,
) -> Callable[[int], float]:
    def spread(best: int) -> float:
        losses = [sample.losses(each.at(float(alphas[best]))) for each, sample in held]
        weight = [sample.weight for _, sample in held]
        return standard_error(np.concatenate(losses), np.concatenate(weight), groups)

    return spread


def _in_order(problem: Problem, seed: int) -> Int64Array:
    """Return the rows of positive weight by class (or number), in random order within each.

    Where rows belong to groups, these are ordered, by the commonest class (or mean) of their rows.
    """
    weight, first = problem.weights.weight, _first_target(problem)
    key = np.random.default_rng(seed).random(len(first))
    if problem.groups is not None:
        rows = _counted(problem)
        by = "classes" if problem.is_classification else "values"
        return problem.groups.take(rows).in_order(key[rows], **{by: first[rows]})
    order = np.lexsort((key, first))
    return order if weight is None else order[weight[order] > 0]


def _first_target(problem: Problem) -> Array:
    target = problem.target
    known = target.codes if isinstance(target, ClassTarget) else target.values
    return known.reshape(len(known), -1)[:, 0]


def _counted(problem: Problem) -> Int64Array:
    """Return the rows of positive weight."""
    weight = problem.weights.weight
    return np.arange(problem.table.n_rows) if weight is None else np.flatnonzero(weight > 0)


def _folds(problem: Problem, order: Int64Array, n_folds: int) -> Int64Array:
    """Return the fold of each row, -1 for rows of weight 0, dealt out in this order."""
    folds = np.full(problem.table.n_rows, -1, dtype=np.int64)
    if problem.groups is None:
        folds[order] = np.arange(len(order)) % n_folds
        return folds
    rows = _counted(problem)
    classes = _first_target(problem)[rows] if problem.is_classification else None
    folds[rows] = problem.groups.take(rows).folds(order, n_folds, classes=classes)
    return folds


def _dealt_are(problem: Problem) -> str:
    return "rows" if problem.groups is None else "groups"


def _sample(problem: Problem, tree: Tree, rows: Int64Array) -> RoutedRows:
    part = problem.take(rows)
    weight = part.counted_weight
    weight = np.ones(len(rows)) if weight is None else weight
    target = part.target
    if isinstance(target, ClassTarget):
        codes = target.codes.reshape(len(rows), -1).astype(np.int64)
        return RoutedRows.of(tree, part.table, weight=weight, classes=codes)
    assert isinstance(target, ValueTarget)
    values = target.values.reshape(len(rows), -1)
    return RoutedRows.of(tree, part.table, weight=weight, values=values, shift=problem.shift)
