"""Nodes of a finished tree filled with rows: counts, means and impurities, questions unchanged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.core import sums_below
from treewright.criteria import CRITERIA
from treewright.data.read.rows import read_rows
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import read_weights
from treewright.errors import TargetError, UnsupportedError
from treewright.grow.given_impurity import GIVEN, GIVEN_OF_NUMBERS
from treewright.measures.impurity import Measure, impurity_of
from treewright.text.names import list_names
from treewright.tree.arrays import TreeArrays
from treewright.tree.tree import Tree


def refit(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Tree:
    """Return the tree with the counts, means and impurities of these rows; see ``Tree.refit``."""
    owner = "Tree.refit"
    _check(tree)
    table = read_rows(X, tree.schema, unseen=tree.unseen)
    weight = read_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if weight is None else weight
    start, leaf, share = tree.plan.parts(table)
    row = np.repeat(np.arange(table.n_rows), np.diff(start))
    part = weight[row] * share
    if tree.classes is None:
        values = read_values(y, owner=owner, n_rows=table.n_rows).values
        if values.ndim > 1:
            raise TargetError(f"{owner}: y has {values.shape[1]} columns, the tree predicts one.")
        centre = float(np.average(values, weights=weight)) if weight.sum() > 0 else 0.0
        about = values[row] - centre  # squares about the mean cancel little
        sums = np.column_stack([_at_leaves(tree, leaf, part * about**p) for p in range(3)])
        sums = _added_up(tree.arrays, sums)
        arrays = with_moments(tree.arrays, sums, centre=centre, criterion=tree.criterion)
    else:
        codes = _codes(tree, y, table.n_rows, owner)
        counts = np.zeros((tree.n_nodes, len(tree.classes[0])))
        np.add.at(counts, (leaf, codes[row]), part)
        arrays = with_class_counts(tree, _added_up(tree.arrays, counts))
    begin, visited = tree.plan.decision_path(table)
    counted = np.repeat(weight > 0, np.diff(begin))
    n_rows = np.bincount(visited[counted], minlength=tree.n_nodes)
    return tree.with_arrays(replace(arrays, n_rows=n_rows)).without_record()


def with_class_counts(tree: Tree, counts: FloatArray) -> TreeArrays:
    """Return the nodes with these class weights; a leaf without any keeps its label."""
    arrays, traits = tree.arrays, CRITERIA[tree.criterion]
    weight = counts.sum(axis=1)
    measure: Measure = traits.impurity  # type: ignore[assignment]  # of a criterion for classes
    judged = counts * tree.leaf.growing_factors(counts[0])
    impurity = impurity_of(judged, measure=measure)
    if traits.sums_over_rows:
        impurity = impurity * judged.sum(axis=1)
    is_empty = weight <= 0
    kept = is_empty[:, np.newaxis] & (arrays.n_branches == 0)[:, np.newaxis]
    value = np.where(kept, arrays.value, counts)
    return _filled(arrays, value=value, weight=weight, impurity=impurity)


def with_moments(
    arrays: TreeArrays, sums: FloatArray, *, centre: float, criterion: str
) -> TreeArrays:
    """Return the nodes with the mean and spread of the weight, sum and sum of squares of each.

    The sums are about `centre`. A node without weight keeps the number that it had.
    """
    traits = CRITERIA[criterion]
    weight, first, second = sums.T
    at_least = np.where(weight > 0, weight, 1.0)
    mean = first / at_least
    variance = np.maximum(second / at_least - mean**2, 0.0)
    impurity = variance**traits.power_of_variance
    if traits.sums_over_rows:
        impurity = impurity * weight
    value = np.where(weight > 0, centre + mean, arrays.value[:, 0])[:, np.newaxis]
    return _filled(arrays, value=value, weight=weight, impurity=impurity)


def _check(tree: Tree) -> None:
    if tree.linear is not None:
        raise UnsupportedError(
            "The leaves of this tree are linear models, which rows do not fill.\n"
            "  Hint: fit the estimator again on the new rows."
        )
    if tree.n_outputs > 1:
        raise UnsupportedError(
            f"A tree of one target can be filled with rows; this one predicts {tree.n_outputs}.\n"
            "  Hint: fit the estimator again on the new rows."
        )
    if tree.criterion in (GIVEN, GIVEN_OF_NUMBERS):
        raise UnsupportedError(
            "A tree grown by a criterion of your own cannot be filled with rows.\n"
            "  Hint: fit the estimator again on the new rows."
        )
    traits = CRITERIA.get(tree.criterion)
    if traits is None or traits.is_deviance or not traits.is_additive:
        raise UnsupportedError(
            f"A tree grown by criterion {tree.criterion!r} cannot be filled with rows.\n"
            "  Hint: fit the estimator again on the new rows."
        )


def _codes(tree: Tree, y: Any, n_rows: int, owner: str) -> Int64Array:
    assert tree.classes is not None
    target = read_classes(y, owner=owner, n_rows=n_rows)
    if not target.single:
        raise TargetError(f"{owner}: y has {target.n_outputs} columns, the tree predicts one.")
    place = {name: code for code, name in enumerate(tree.classes[0].tolist())}
    names = target.classes[0].tolist()
    for name in names:
        if name not in place:
            raise TargetError(
                f"{owner}: y has class {name!r}, which the tree does not know.\n"
                f"  Classes: {list_names(map(str, place))}"
            )
    codes: Int64Array = np.array([place[name] for name in names], dtype=np.int64)[target.codes]
    return codes


def _at_leaves(tree: Tree, leaf: Int64Array, amounts: FloatArray) -> FloatArray:
    sums: FloatArray = np.bincount(leaf, amounts, minlength=tree.n_nodes).astype(np.float64)
    return sums


def _added_up(arrays: TreeArrays, at_leaves: FloatArray) -> FloatArray:
    """Return, for each node, the sums over the leaves below it."""
    below = [sums_below(arrays, np.ascontiguousarray(each), None) for each in at_leaves.T]
    return at_leaves + np.column_stack(below)


def _filled(
    arrays: TreeArrays,
    *,
    value: FloatArray,
    weight: FloatArray,
    impurity: FloatArray,
) -> TreeArrays:
    gain = _gains(arrays, weight, impurity)
    return replace(
        arrays, value=value, weight=weight, impurity=impurity, gain=gain, score=gain.copy()
    )


def _gains(arrays: TreeArrays, weight: FloatArray, impurity: FloatArray) -> FloatArray:
    """Return the decrease of impurity of each question."""
    parent = arrays.parent[1:]
    total = weight[parent]
    share = np.divide(weight[1:], total, out=np.zeros_like(total), where=total > 0)
    after = np.bincount(parent, share * impurity[1:], minlength=arrays.n_nodes)
    return np.where(arrays.n_branches > 0, np.maximum(impurity - after, 0.0), 0.0)
