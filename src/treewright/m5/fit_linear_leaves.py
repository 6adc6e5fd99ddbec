"""Linear models in the leaves of any regression tree: ``leaf_model="linear"``.

Every leaf gets a least-squares fit of its rows on numeric columns; terms are dropped as long as the
estimated error, root mean square times ``(n + v) / (n - v)``, falls (M5's rule, Quinlan 1992): a
leaf of few rows, or without a trend, stays a constant. All numeric columns are considered, not only
those on the leaf's path, which vary least within it; but at most one per ten rows, and at most 50:
those that correlate most with the target in the leaf. With more terms, chosen among many columns,
lines were worse than constants on three of eight tables (nycflights by 5 %). Fewer than ten rows
get a line only if it is plain to see: one term that takes away nine tenths of the squares.

A line answers no less and no more than it does for the rows of its leaf: beyond them it would
extrapolate without bound, and a leaf is where rows end up that are like none of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.errors import UnsupportedError
from treewright.grow.problem import Problem
from treewright.m5.least_squares import Choice, LeastSquares, choose_by_estimate
from treewright.tree.linear_leaves import LinearLeaves, NumberTerm
from treewright.tree.tree import Tree

_MOST_TERMS = 50
_LEAST_ROWS = 4
_PLAIN_TO_SEE = 0.1
"""Share of the squares that a line of few rows may leave."""
_ROWS_PER_TERM = 10
_SQUARED = ("squared_error", "weighted_squared_error", "standard_deviation", "fifth_root")


def check_linear_leaves(problem: Problem) -> None:
    """Refuse options that cannot be combined with linear models in leaves."""
    options = problem.options
    if problem.n_outputs > 1:
        raise UnsupportedError(
            f"leaf_model='linear' fits one target, but y has {problem.n_outputs} columns.\n"
            "  Hint: fit one tree per target."
        )
    if options.criterion not in _SQUARED:
        raise UnsupportedError(
            f"leaf_model='linear' fits least squares and cannot be used with criterion"
            f" {options.criterion!r}.\n  Hint: criterion='squared_error'."
        )
    if problem.fills is not None:
        raise UnsupportedError(
            f"leaf_model='linear' fills missing values with the mean of the leaf and cannot be used"
            f" with missing={options.missing!r}.\n  Hint: missing='most_likely'."
        )
    if options.monotonic_cst is not None:
        raise UnsupportedError(
            "leaf_model='linear' cannot be used with monotonic_cst: a line may run against the"
            " constraint.\n  Hint: leaf_model='constant'."
        )


def with_linear_leaves(tree: Tree, problem: Problem) -> Tree:
    """Return the tree with a linear model in every leaf where its estimated error is lower."""
    terms = _number_terms(problem)
    start, leaves, shares = tree.plan.parts(problem.table)
    rows = np.repeat(np.arange(problem.table.n_rows), np.diff(start))
    weight = problem.weights.weight
    counted = shares if weight is None else shares * weight[rows]
    copies = problem.weights.copies
    cases = shares if copies is None else shares * copies[rows]
    kept = counted > 0
    place = np.empty(problem.table.n_rows, dtype=np.int64)
    place[problem.canonical_order()] = np.arange(problem.table.n_rows)
    order = np.lexsort([place[rows[kept]], leaves[kept]])
    rows, leaves = rows[kept][order], leaves[kept][order]
    counted, cases = counted[kept][order], cases[kept][order]
    target = problem.learned_values()
    columns = [term.values(problem.table) for term in terms]
    models = []
    for own in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(leaves)) + 1):
        if not len(own) or not terms:
            continue
        numbers = np.column_stack([column[rows[own]] for column in columns])
        found = _model(numbers, target[rows[own]], counted[own], float(cases[own].sum()))
        if found is not None:
            models.append((int(leaves[own[0]]), found))
    return tree.with_arrays(tree.arrays, linear=_table(tree, terms, models, problem.shift))


def _number_terms(problem: Problem) -> list[NumberTerm]:
    found = []
    for index in problem.drawn_columns:
        spec = problem.table.schema.columns[index]
        if spec.kind != "numeric":
            continue
        term = NumberTerm(index=index, column=spec, low=-np.inf, high=np.inf)
        numbers = term.values(problem.table)
        finite = numbers[np.isfinite(numbers)]
        if len(finite):
            low, high = float(finite.min()), float(finite.max())
            found.append(NumberTerm(index=index, column=spec, low=low, high=high))
    return found


@dataclass(frozen=True, kw_only=True)
class _Model:
    """The terms of a model, their coefficients, the intercept, fills for missing values, limits."""

    terms: Int64Array
    coefficients: FloatArray
    intercept: float
    fills: FloatArray
    limits: tuple[float, float]


def _model(
    numbers: FloatArray, target: FloatArray, weight: FloatArray, n_cases: float
) -> _Model | None:
    """Return the model of one leaf; None where a constant is expected to do as well."""
    is_small = n_cases < _ROWS_PER_TERM
    if n_cases < _LEAST_ROWS or (target == target[0]).all():
        return None
    most = 1 if is_small else min(int(n_cases) // _ROWS_PER_TERM, _MOST_TERMS)
    known = ~np.isnan(numbers)
    total = (known * weight[:, np.newaxis]).sum(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # means of extreme numbers overflow
        mean = (np.where(known, numbers, 0.0).T @ weight) / np.where(total > 0, total, 1.0)
    fill = np.where(np.isfinite(mean), mean, 0.0)
    numbers = np.where(known, numbers, fill)
    considered = _strongest(numbers, target, weight, most)
    numbers = numbers[:, considered]
    squares = LeastSquares(lambda: iter((numbers,)), target, weight)

    def root_mean_square(choice: Choice) -> float:
        return math.sqrt(squares.squared_error(choice))

    fit = squares.fit(choose_by_estimate(squares, n_cases, root_mean_square))
    if not len(fit.chosen):
        return None
    if is_small:
        left = target - fit.intercept - numbers[:, fit.chosen] @ fit.coefficients
        off = target - np.average(target, weights=weight)
        if weight @ left**2 > _PLAIN_TO_SEE * (weight @ off**2):
            return None
    terms = considered[fit.chosen]
    answers = fit.intercept + numbers[:, fit.chosen] @ fit.coefficients
    return _Model(
        terms=terms,
        coefficients=fit.coefficients,
        intercept=fit.intercept,
        fills=fill[terms],
        limits=(float(answers.min()), float(answers.max())),
    )


def _strongest(
    numbers: FloatArray, target: FloatArray, weight: FloatArray, most: int
) -> Int64Array:
    """Return the columns that correlate most with the target, in column order."""
    if numbers.shape[1] <= most:
        return np.arange(numbers.shape[1])
    share = weight / weight.sum()
    with np.errstate(all="ignore"):  # correlations of numbers near the largest overflow
        off = numbers - share @ numbers
        strength = np.abs((off.T * share) @ (target - share @ target)) / np.sqrt(share @ off**2)
    strength = np.nan_to_num(strength, nan=0.0, posinf=0.0)
    return np.sort(np.argsort(-strength, kind="stable")[:most])


def _table(
    tree: Tree, terms: list[NumberTerm], found: list[tuple[int, _Model]], shift: int
) -> LinearLeaves:
    count = np.zeros(tree.n_nodes, dtype=np.int64)
    intercept = np.zeros(tree.n_nodes)
    limits = np.zeros((tree.n_nodes, 2))
    found = sorted(found, key=lambda pair: pair[0])
    for leaf, model in found:
        count[leaf], intercept[leaf] = len(model.terms), model.intercept
        limits[leaf] = model.limits
    models, empty = [model for _, model in found], np.empty(0)
    return LinearLeaves(
        terms=tuple(terms),
        start=np.concatenate([[0], np.cumsum(count)]),
        term=np.concatenate([empty, *(each.terms for each in models)]).astype(np.int32),
        coefficient=np.ldexp(
            np.concatenate([empty, *(each.coefficients for each in models)]), shift
        ),
        fill=np.concatenate([empty, *(each.fills for each in models)]),
        intercept=np.ldexp(intercept, shift),
        limits=np.ldexp(limits, shift),
    )
