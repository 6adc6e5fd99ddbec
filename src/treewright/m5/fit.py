"""M5' and M5: a tree grown by spread, linear models at its nodes, pruned and smoothed.

``variant="weka"`` follows Weka's M5P (Wang and Witten 1997, and the program), ``"paper"``
follows Quinlan 1992; docs/decisions/008-m5.md lists where the two differ, and
where this package differs from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import BoolArray, FloatArray, Int64Array
from treewright.grow.fit import Report, fit_tree
from treewright.grow.problem import Problem
from treewright.grow.training_record import TrainingRecord, recall_of
from treewright.m5.node_models import NodeModels, fit_nodes
from treewright.m5.prepare_table import Ranked, rank_table
from treewright.m5.prune import M5Pruning
from treewright.m5.rows_by_leaf import RowsByLeaf
from treewright.prune.record import Pruning
from treewright.tree.arrays import TreeArrays
from treewright.tree.edit import has_marked_ancestor, with_leaves
from treewright.tree.linear_leaves import LinearLeaves
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.tree.record import Recall


@dataclass(frozen=True, kw_only=True)
class M5Settings:
    """Options of an M5 tree; the estimator documents them."""

    variant: str
    linear: bool
    prune: bool
    smoothing: float
    min_deviation: float
    extrapolate: bool

    @property
    def is_weka(self) -> bool:
        """Whether the program is followed, not the paper."""
        return self.variant == "weka"


def fit_m5(problem: Problem, settings: M5Settings, *, report: Report | None = None) -> Tree:
    """Return the tree of a problem with checked options: grown, fitted, pruned and smoothed."""
    counted = _rows_that_count(problem)
    ranked = rank_table(counted.table, counted.learned_values(), counted.weights.weight)
    grown_from = _ranked_problem(counted, ranked, settings)
    grown = fit_tree(grown_from, report=report)
    rows = RowsByLeaf.of(grown, grown_from)
    grown = ranked.with_lowest_cuts(grown, rows)
    nodes = fit_nodes(grown, rows, ranked, is_weka=settings.is_weka, is_linear=settings.linear)
    marked, pruning = np.zeros(grown.n_nodes, dtype=bool), None
    if settings.prune:
        marked, pruning = _prune(grown, nodes, settings)
    pruned = with_leaves(grown, marked)
    kept = np.flatnonzero(~has_marked_ancestor(grown, marked))
    value, linear = _leaves(pruned, kept, nodes, ranked, settings, shift=counted.shift)
    questions = ranked.questions_of(pruned.arrays, unseen=problem.options.unseen)
    return Tree(
        arrays=TreeArrays(**{**pruned.arrays.to_dict(), **questions, "value": value}),
        schema=problem.table.schema,
        classes=None,
        criterion=problem.options.criterion,
        combine=problem.options.combine,
        unseen=problem.options.unseen,
        linear=linear,
        record=TrainingRecord.keep(grown_from),
        recall=_M5Recall(recall=recall_of(problem), settings=settings),
        pruning=pruning,
    )


@dataclass(frozen=True)
class _M5Recall:
    """Makes the record of an M5 tree again: the table is ranked first."""

    recall: Recall
    settings: M5Settings

    def __call__(
        self, tree: Tree, X: object, y: object, sample_weight: object, *, owner: str
    ) -> TrainingRecord:
        record = self.recall(tree, X, y, sample_weight, owner=owner)
        assert isinstance(record, TrainingRecord)
        counted = _rows_that_count(record.problem)
        ranked = rank_table(counted.table, counted.learned_values(), counted.weights.weight)
        return TrainingRecord(_ranked_problem(counted, ranked, self.settings))

    def reason_for_one_leaf(self, tree: Tree) -> str | None:
        """Return None: one linear model for all rows is what M5 aims at."""
        return None


def _rows_that_count(problem: Problem) -> Problem:
    """Return a problem in canonical order, without rows of weight 0.

    Those must not affect means and orders, and the order of the table not the last bit of a mean.
    """
    order, weight = problem.canonical_order(), problem.weights.weight
    return problem.take(order if weight is None else order[weight[order] > 0])


def _ranked_problem(problem: Problem, ranked: Ranked, settings: M5Settings) -> Problem:
    """Return the problem that the tree is grown from.

    A node is not split if its standard deviation is below a share of the whole table's; this is
    passed to growing as a limit on impurity.
    """
    values = problem.learned_values()
    weight = problem.weights.weight
    mean = np.average(values, weights=weight)
    variance = float(np.average((values - mean) ** 2, weights=weight))
    power = problem.options.criterion_traits.power_of_variance
    # The core takes the limit in units of the target as it was given.
    enough = (settings.min_deviation**2 * variance) ** power * 2.0 ** (2 * power * problem.shift)
    options = problem.options.replace(min_impurity=float(enough))
    return replace(problem, table=ranked.table, options=options)


def _prune(tree: Tree, nodes: NodeModels, settings: M5Settings) -> tuple[BoolArray, Pruning]:
    cuts = M5Pruning(variant=settings.variant).cuts(
        tree,
        n_cases=nodes.rows.n_cases,
        weight=tree.arrays.weight,
        loss=nodes.loss,
        n_parameters=nodes.n_parameters,
        deviation=nodes.rows.deviation,
    )
    marked = np.zeros(tree.n_nodes, dtype=bool)
    marked[cuts.node] = True
    return marked, Pruning(
        method="m5",
        compared=cuts.compared,
        node=cuts.node,
        before=cuts.before,
        after=cuts.after,
        tree=tree,
        risks={"train": nodes.loss},
        totals={"train": float(tree.arrays.weight[0])},
    )


def _leaves(
    pruned: Tree,
    kept: Int64Array,
    nodes: NodeModels,
    ranked: Ranked,
    settings: M5Settings,
    *,
    shift: int,
) -> tuple[FloatArray, LinearLeaves]:
    """Return the values of the pruned tree's nodes, and the smoothed models of its leaves."""
    fill = np.array([ranked.fill_of(term) for term in nodes.terms])
    value = pruned.arrays.value.copy()
    intercept = np.zeros(pruned.n_nodes)
    count = np.zeros(pruned.n_nodes, dtype=np.int64)
    terms: list[int] = []
    coefficients: list[float] = []
    for leaf, constant, weights in _smoothed(pruned, kept, nodes, settings.smoothing):
        chosen = sorted(i for i, size in weights.items() if size != 0.0)
        if not chosen:
            value[leaf, 0] = np.ldexp(constant, shift)
            continue
        terms += chosen
        coefficients += [weights[i] for i in chosen]
        count[leaf], intercept[leaf] = len(chosen), constant
    used, place = np.unique(np.array(terms, dtype=np.int64), return_inverse=True)
    limits = None
    if not settings.extrapolate:
        low, high = nodes.rows.target_range(kept)
        limits = np.ldexp(np.column_stack([low, high]), shift)
    return value, LinearLeaves(
        terms=tuple(nodes.terms[i] for i in used.tolist()),
        start=np.concatenate([[0], np.cumsum(count)]),
        term=place.ravel().astype(np.int32),
        coefficient=np.ldexp(np.array(coefficients), shift),
        fill=fill[np.array(terms, dtype=np.int64)],
        intercept=np.ldexp(intercept, shift),
        limits=limits,
    )


def _smoothed(
    pruned: Tree, kept: Int64Array, nodes: NodeModels, constant: float
) -> Iterator[tuple[int, float, dict[int, float]]]:
    """Return each leaf's model, smoothed by those above it, as intercept and coefficients.

    On its way up a prediction p becomes ``(n p + k q) / (n + k)``, n the cases of the node it comes
    from, q the prediction of the next node's model, k the smoothing constant (Quinlan 1992, section
    2). That is linear in the models: a leaf's own is weighted by the product of the ``n / (n + k)``
    on its path, and the contribution of the nodes above is the same for all leaves below them.
    """
    n_cases = nodes.rows.n_cases[kept].tolist()
    own_share = [1.0] * pruned.n_nodes
    added: list[tuple[float, dict[int, float]] | None] = [None] * pruned.n_nodes
    added[0] = (0.0, {})
    for node in range(pruned.n_nodes):
        fit, above = nodes.fits[kept[node]], added[node]
        assert above is not None  # nodes come after their parents
        own = list(zip(fit.chosen.tolist(), fit.coefficients.tolist(), strict=True))
        if pruned.is_leaf(node):
            share = own_share[node]
            yield node, above[0] + share * fit.intercept, _plus(above[1], own, share)
        for child in pruned.children(node):
            n = n_cases[child]
            own_share[child] = own_share[node] * n / (n + constant)
            share = own_share[node] * constant / (n + constant)
            added[child] = (above[0] + share * fit.intercept, _plus(above[1], own, share))
        added[node] = None


def _plus(
    weights: dict[int, float], own: list[tuple[int, float]], share: float
) -> dict[int, float]:
    total = dict(weights)
    for i, coefficient in own:
        total[i] = total.get(i, 0.0) + share * coefficient
    return total
