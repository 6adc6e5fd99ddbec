"""Importances of the columns of a forest, measured on the out-of-bag rows of its trees.

Packed trees are measured by the core. This file measures trees of any other kind and holds what
both share: the out-of-bag rows, their weights, and the errors for forests that have no such rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.array_types import FloatArray, Int64Array, IntegerArray
from treewright.core import Sampling, canonical_order, shuffled
from treewright.core import debiased_importances as core_debiased_importances
from treewright.core import permutation_importances as core_permutation_importances
from treewright.data.read.class_weights import class_factors
from treewright.data.read.target import ClassTarget
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import UnsupportedError
from treewright.explain.importances import Importances
from treewright.forest.packed import PackedTrees
from treewright.forest.problem import ForestProblem
from treewright.tree.impurity import by_column
from treewright.tree.leaf import by_output
from treewright.tree.tree import Tree


def impurity_importances(ensemble: Ensemble) -> Importances:
    """Return each column's share of the decrease of impurity, tree by tree."""
    found = ensemble.importances()
    return _importances(found.kind, found.measure, found.by_tree, ensemble)


def permutation_importances(
    ensemble: Ensemble, forest: ForestProblem, *, n_repeats: int = 1, n_threads: int = 1
) -> Importances:
    """Return the rise of the out-of-bag error when the values of a column are permuted.

    The error is that of :class:`~treewright.forest.out_of_bag.OutOfBag`, tree by tree: the share of
    the rows misclassified (in any output), or the mean squared error (over all outputs); class
    weights do not enter (Breiman 2001, "Random forests", section 10).
    """
    unseen = _OutOfBagRows.of("permutation", ensemble, forest, n_threads)
    seed = forest.problem.seed
    if isinstance(ensemble.trees, PackedTrees) and forest.problem.leaf.cost_matrix is None:
        by_tree = core_permutation_importances(
            ensemble.trees.core,
            forest.columns,
            forest.target,
            unseen.sampling,
            unseen.weight,
            seed,
            n_repeats,
            n_threads,
        )
    else:

        def rises(tree: Tree, number: int, rows: IntegerArray) -> FloatArray:
            return _rises(tree, number, rows, unseen, seed=seed, n_repeats=n_repeats)

        by_tree = unseen.by_tree(rises)
    error = "misclassified share" if ensemble.classes is not None else _squared_error(forest)
    measure = f"rise of the {error} of out-of-bag rows when a column is shuffled"
    return _importances("permutation", measure, by_tree, ensemble)


def debiased_importances(
    ensemble: Ensemble, forest: ForestProblem, *, n_threads: int = 1
) -> Importances:
    """Return the decrease of impurity on out-of-bag rows: MDI-oob of Li et al. (2019, section 4).

    For a column, the sum over the nodes t that ask it and over a tree's out-of-bag rows i in t of
    (mean of the child that i goes to - mean of t) (y_i - y_t), divided by the number of out-of-bag
    rows. Means are those of the rows that the tree was grown on, y_t is that of the out-of-bag rows
    in t, and classes are 0/1 vectors. On the tree's own rows this is the decrease of Gini impurity
    or squared error (their proposition 1), with or without y_t. They have no y_t; with it the
    result does not depend on the level of y, and a column that is unrelated to the y of a node's
    out-of-bag rows gets exactly 0 on average.
    """
    unseen = _OutOfBagRows.of("debiased", ensemble, forest, n_threads)
    if isinstance(ensemble.trees, PackedTrees):
        by_tree = core_debiased_importances(
            ensemble.trees.core,
            forest.columns,
            forest.target,
            unseen.sampling,
            unseen.weight,
            n_threads,
        )
    else:
        by_tree = unseen.by_tree(lambda tree, _, rows: _decreases(tree, rows, unseen))
    impurity = "Gini impurity" if ensemble.classes is not None else _squared_error(forest)
    return _importances("debiased", f"decrease of {impurity} on out-of-bag rows", by_tree, ensemble)


def _importances(kind: str, measure: str, by_tree: FloatArray, ensemble: Ensemble) -> Importances:
    """Credit derived columns to their source columns; leave out trees without out-of-bag rows."""
    schema = ensemble.schema
    told = by_tree[~np.isnan(by_tree).all(axis=1)]
    if kind != "impurity" and not len(told):
        raise UnsupportedError(_no_out_of_bag_rows(kind))
    lines = [schema.by_input(line) for line in told]
    return Importances(
        kind=kind,  # type: ignore[arg-type]
        measure=measure,
        names=tuple(schema.input_names),
        by_tree=np.array(lines).reshape(len(lines), len(schema.input_names)),
    )


def _squared_error(forest: ForestProblem) -> str:
    shift = forest.problem.shift
    return f"squared error of y / 2^{shift}" if shift else "squared error"


def _no_out_of_bag_rows(kind: str) -> str:
    return (
        f"importances(kind={kind!r}) are measured on rows that a tree has not seen, but every tree"
        " has seen all rows.\n  Hint: bootstrap=True (or max_samples below 1.0) leaves rows out;"
        " kind='impurity' needs none."
    )


@dataclass(frozen=True, kw_only=True)
class _OutOfBagRows:
    """The out-of-bag rows of each tree, and their weights.

    A row counts by its weight. Impurities also include the class weights, as growing does; where
    each tree balances the classes it has drawn, the weights are those of the whole table.
    """

    ensemble: Ensemble
    forest: ForestProblem
    sampling: Sampling
    weight: FloatArray | None
    n_threads: int

    @classmethod
    def of(
        cls, kind: str, ensemble: Ensemble, forest: ForestProblem, n_threads: int
    ) -> _OutOfBagRows:
        draws, sampling, target = forest.draws, forest.sampling, forest.problem.target
        if draws is None or sampling is None:
            raise UnsupportedError(_no_out_of_bag_rows(kind))
        if isinstance(ensemble.trees, PackedTrees):
            ensemble.trees.refuse_if_compact("importances")
        weight = draws.weight
        if kind == "debiased" and draws.factor is not None:
            weight = draws.factor
        if draws.balances and kind == "debiased":
            assert isinstance(target, ClassTarget)
            factor = class_factors(target, draws.weight, class_weight="balanced")
            weight = factor if weight is None or factor is None else weight * factor
        return cls(
            ensemble=ensemble,
            forest=forest,
            sampling=sampling,
            weight=None if weight is None else np.ascontiguousarray(weight),
            n_threads=n_threads,
        )

    @property
    def table(self) -> Table:
        return self.forest.problem.table

    @cached_property
    def wanted(self) -> FloatArray:
        """The true target of every row: 0/1 by class, outputs side by side, or numbers.

        Numbers so large that their squares overflow are scaled as for growing.
        """
        target, n_rows = self.forest.problem.target, self.table.n_rows
        if not isinstance(target, ClassTarget):
            return self.forest.problem.learned_values().reshape(n_rows, -1)
        codes = target.codes.reshape(n_rows, -1)
        outputs = enumerate(target.classes)
        return np.hstack([np.eye(len(names))[codes[:, output]] for output, names in outputs])

    def scaled(self, answers: FloatArray) -> FloatArray:
        """Return the predictions of a tree in the unit of `wanted`."""
        shift = self.forest.problem.shift
        scaled: FloatArray = np.ldexp(answers, -shift) if shift else answers
        return scaled

    def by_tree(self, measure: Callable[[Tree, int, IntegerArray], FloatArray]) -> FloatArray:
        """Return a measure of each tree on its out-of-bag rows in canonical order; NaN for none."""
        order = canonical_order(self.forest.columns, self.forest.target, self.n_threads)
        counts = np.ones(len(order), dtype=bool) if self.weight is None else self.weight > 0
        nothing = np.full(len(self.table.schema.columns), np.nan)
        lines = []
        for number, tree in enumerate(self.ensemble):
            is_out = self.sampling.left_out(number)[order] > 0
            rows = order[is_out & counts[order]]
            lines.append(measure(tree, number, rows) if len(rows) else nothing)
        return np.array(lines)

    def mean(self, values: FloatArray, rows: IntegerArray) -> float:
        """Return the weighted mean of values, one for each of the rows."""
        if self.weight is None:
            return float(values.mean())
        weight = self.weight[rows]
        return float((values * weight).sum() / weight.sum())


def _rises(
    tree: Tree, number: int, rows: IntegerArray, unseen: _OutOfBagRows, *, seed: int, n_repeats: int
) -> FloatArray:
    table, wanted = unseen.table.take(rows), unseen.wanted[rows]
    before = _errors(tree, table, wanted, unseen)
    rises = np.zeros(len(table.schema.columns))
    for column in tree.used_columns:
        for repeat in range(n_repeats):
            places = shuffled(len(rows), seed, number, column, repeat)
            after = _errors(tree, _with_shuffled(table, column, places), wanted, unseen)
            rises[column] += unseen.mean(after - before, rows) / n_repeats
    return rises


def _with_shuffled(table: Table, column: int, places: Int64Array) -> Table:
    columns, masks = list(table.columns), list(table.masks)
    mask = masks[column]
    columns[column] = columns[column][places]
    masks[column] = None if mask is None else mask[places]
    return Table(schema=table.schema, n_rows=table.n_rows, columns=columns, masks=masks)


def _errors(tree: Tree, table: Table, wanted: FloatArray, unseen: _OutOfBagRows) -> FloatArray:
    """Return the error of a tree for each row: 1 for a wrong class, or the squared error."""
    answers = tree.plan.answers(table, n_threads=unseen.n_threads)
    if tree.classes is None:
        squares: FloatArray = ((unseen.scaled(answers) - wanted) ** 2).mean(axis=1)
        return squares
    decides = unseen.forest.problem.leaf
    is_wrong = np.zeros(len(answers), dtype=bool)
    parts = zip(by_output(answers, tree.classes), by_output(wanted, tree.classes), strict=True)
    for said, actual in parts:
        is_wrong |= decides.choose(said) != actual.argmax(axis=1)
    return is_wrong.astype(np.float64)


def _decreases(tree: Tree, rows: IntegerArray, unseen: _OutOfBagRows) -> FloatArray:
    if tree.linear is not None:
        raise UnsupportedError(
            "importances(kind='debiased') follow the means of nodes, but leaves of this forest"
            " answer by linear models.\n  Hint: kind='permutation' takes any tree."
        )
    arrays, means = tree.arrays, unseen.scaled(tree.answers)
    start, leaves, shares = tree.plan.parts(unseen.table.take(rows))
    row = np.repeat(np.arange(len(rows)), np.diff(start))
    weight = np.ones(len(rows)) if unseen.weight is None else unseen.weight[rows]
    known = np.column_stack([np.ones(len(rows)), unseen.wanted[rows] - means[0]])
    parts = known[row] * (weight[row] * shares)[:, np.newaxis]
    sums = np.stack(
        [np.bincount(leaves, weights=part, minlength=tree.n_nodes) for part in parts.T], axis=1
    )
    by_level = np.split(np.argsort(tree.levels, kind="stable"), np.cumsum(np.bincount(tree.levels)))
    for nodes in reversed(by_level[1:-1]):  # from the deepest level to the children of the root
        np.add.at(sums, arrays.parent[nodes], sums[nodes])
    n_unseen, totals = sums[:, :1], sums[:, 1:]
    average = np.divide(totals, n_unseen, out=np.zeros_like(totals), where=n_unseen > 0)
    above = arrays.parent[1:]
    apart = totals[1:] - n_unseen[1:] * average[above]
    by_child = ((means[1:] - means[above]) * apart).sum(axis=1)
    brought: FloatArray = np.zeros(tree.n_nodes)
    np.add.at(brought, above, by_child)
    return by_column(tree, brought / (tree.n_outputs * weight.sum()))
