"""The cost matrix: cost of each misclassification, checked and turned into weights for growing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError, UnsupportedError
from treewright.grow.problem import Problem
from treewright.parameters import check_choice, check_number
from treewright.text.names import list_names
from treewright.tree.leaf import BY_MAJORITY, LEAF_ESTIMATES, LeafRule
from treewright.tree.tree import Tree


def read_costs(cost_matrix: Any, target: ClassTarget) -> FloatArray | None:
    """Return a cost matrix, checked: rows are the actual class, columns the predicted one.

    Parameters
    ----------
    cost_matrix : array-like, dict of dicts or None
        One row and one column for each class in the order of ``classes_``; or
        ``{actual: {predicted: cost}}``, where entries left out are 0 on the diagonal and 1 else.
    target : ClassTarget
        The classes.

    Examples
    --------
    >>> from treewright.data.read.target import read_classes
    >>> target = read_classes(["good", "bad"], owner="Tree")
    >>> read_costs({"bad": {"good": 5}}, target).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    if cost_matrix is None:
        return None
    if not target.single:
        raise UnsupportedError(
            f"cost_matrix is for one target of classes, but y has {len(target.classes)} columns."
        )
    names = target.classes[0].tolist()
    if isinstance(cost_matrix, Mapping):
        costs = _named_costs(cost_matrix, names)
    else:
        try:
            costs = np.array(cost_matrix, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            costs = np.empty(0)
    shape = (len(names), len(names))
    if costs.shape != shape:
        raise ParameterError(
            f"cost_matrix must have {shape[0]} rows (actual) and {shape[1]} columns (predicted),"
            f" one for each of the classes {list_names(map(str, names))}.\n"
            "  Hint: a dict {actual: {predicted: cost}} names only what is not 1."
        )
    if not np.all(np.isfinite(costs)) or np.any(costs < 0):
        raise ParameterError("cost_matrix must hold finite numbers of 0 or more.")
    if not np.any(costs > 0):
        raise ParameterError("cost_matrix is all 0: then no decision is better than another.")
    return costs


def _named_costs(given: Mapping[Any, Any], names: list[Any]) -> FloatArray:
    place = {name: i for i, name in enumerate(names)}
    costs = 1.0 - np.eye(len(names))
    for actual, row in given.items():
        if not isinstance(row, Mapping):
            raise ParameterError(
                f"cost_matrix[{actual!r}]={row!r} must be a dict of predicted class to cost."
            )
        for predicted, cost in row.items():
            for label in (actual, predicted):
                if label not in place:
                    raise ParameterError(
                        f"cost_matrix names class {label!r}, which is not in y.\n"
                        f"  Classes: {list_names(map(str, names))}"
                    )
            try:
                costs[place[actual], place[predicted]] = float(cost)
            except (TypeError, ValueError, OverflowError):
                raise ParameterError(
                    f"cost_matrix[{actual!r}][{predicted!r}]={cost!r} must be a number."
                ) from None
    return costs


@dataclass(frozen=True, kw_only=True)
class LeafSettings:
    """Options for the leaves of a classifier: how probabilities are estimated, what errors cost.

    `grows_by_cost` says whether costs matter in growing and pruning, or decide only.
    """

    leaf: str = "majority"
    leaf_m: float = 2.0
    cost_matrix: Any = None
    grows_by_cost: bool = False

    def rule(self, target: ClassTarget) -> LeafRule:
        """Return the leaf rule for the classes of a target; refuse options outside their range."""
        check_choice("leaf", self.leaf, LEAF_ESTIMATES)
        check_number("leaf_m", self.leaf_m, low=0.0)
        costs = read_costs(self.cost_matrix, target)
        if costs is None and self.leaf == BY_MAJORITY.estimate and self.leaf_m == BY_MAJORITY.m:
            return BY_MAJORITY
        return LeafRule(
            estimate=self.leaf,
            m=float(self.leaf_m),
            cost_matrix=costs,
            grows_by_cost=costs is None or self.grows_by_cost,
        )


def with_costs(problem: Problem, leaf: LeafRule) -> Problem:
    """Return the problem with a leaf rule, and rows weighted by the costs of its errors, if so."""
    costs, weight = leaf.cost_matrix, problem.weights.weight
    if leaf is problem.leaf:
        return problem
    if costs is None or not leaf.grows_by_cost:
        return replace(problem, leaf=leaf)
    assert isinstance(problem.target, ClassTarget)
    codes = problem.target.codes
    totals = np.bincount(codes, weights=weight, minlength=len(costs)).astype(np.float64)
    factor = leaf.growing_factors(totals)
    weights = problem.weights.times(factor[codes])
    return replace(problem, leaf=leaf, weights=weights, cost_factor=factor)


def for_growing(problem: Problem) -> Problem:
    """Return the problem as trees are grown and pruned by it: without costs that only decide."""
    leaf = problem.leaf.for_growing()
    return problem if leaf is problem.leaf else replace(problem, leaf=leaf)


def deciding(tree: Tree, rule: LeafRule) -> Tree:
    """Return a tree that was grown without the costs of a rule, if so, deciding by them."""
    if rule.cost_matrix is None or rule.grows_by_cost:
        return tree
    leaf = replace(rule, preferred=tree.leaf.preferred)
    return tree.with_arrays(tree.arrays, linear=tree.linear, leaf=leaf)
