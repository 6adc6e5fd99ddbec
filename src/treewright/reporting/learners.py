"""The learners of a report: the tree that it is about, and those that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from treewright.data.column_roles import Task
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.boosting.gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from treewright.estimators.classical import C45Classifier
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.forest.random_forest import (
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.estimators.m5 import M5Regressor
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.task_data import TaskData
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.tree.tree import Tree

FEW, VERY_FEW = 12, 6
"""Fewer rows (or groups) are dealt to fewer folds that choose a size, and to none."""
USUAL_FOLDS = 10


def default_model(task: Task, n_units: int) -> Any:
    """Return the tree of the command line: 5 rows a leaf, pruned by 10-fold cost complexity, 1-SE.

    Few rows, or groups of rows, are dealt to fewer folds; of very few the tree is not pruned.
    """
    prune = None
    if n_units >= VERY_FEW:
        cv = USUAL_FOLDS if n_units >= FEW else n_units // 3
        prune = CostComplexity(rule="1-SE", cv=cv)
    kind = DecisionTreeClassifier if task == "classes" else DecisionTreeRegressor
    return kind(min_samples_leaf=5, prune=prune)


def default_rivals(task: Task) -> dict[str, Any]:
    """Return what a tree is compared with unless others are asked for."""
    if task == "classes":
        return {
            "C4.5": C45Classifier(),
            "random forest": RandomForestClassifier(random_state=0),
            "gradient boosting": GradientBoostingClassifier(random_state=0),
        }
    return {
        "M5": M5Regressor(),
        "random forest": RandomForestRegressor(random_state=0),
        "gradient boosting": GradientBoostingRegressor(random_state=0),
    }


def check_model(model: Any, task: Task) -> None:
    """Refuse a model that a report cannot be about."""
    if isinstance(model, type):
        raise ParameterError(
            f"{model.__name__} is a class; a model is an instance.\n  Hint: {model.__name__}()."
        )
    is_ours = type(model).__module__.startswith("treewright.")
    if not is_ours or not hasattr(model, "get_params") or not hasattr(model, "predict"):
        raise UnsupportedError(
            f"a report is about an estimator of treewright, not {type(model).__name__}.\n"
            "  Hint: report(X, y, rivals=[...]) compares any other learner with it."
        )
    needs = task_of(learners_of([model]), np.empty(0))
    if needs != task:
        raise UnsupportedError(
            f"{type(model).__name__} predicts {needs}, but the target has {task}.\n"
            f"  Hint: task={needs!r}, or a model of {task}."
        )


def n_groups_of(data: TaskData) -> int | None:
    """Return how many groups the rows belong to; None where they belong to none."""
    return None if data.groups is None else len(set(data.groups.tolist()))


def with_costs(model: Any, costs: Any) -> Any:
    """Return a learner that knows what its answers cost, where it can; else as it is."""
    if costs is None or not hasattr(model, "get_params"):
        return model
    known = model.get_params(deep=False)
    if "cost_matrix" not in known or known["cost_matrix"] is not None:
        return model
    return deepcopy(model).set_params(cost_matrix=costs)


def tree_of(model: Any) -> Tree | None:
    """Return the tree that answers; None of ensembles, and of rules, which answer without it."""
    found: Tree | None = getattr(model, "tree_", None)
    return None if hasattr(model, "ruleset_") else found


def noun_of(model: Any) -> str:
    """Return what a fitted model is called in a sentence."""
    if tree_of(model) is not None:
        return "tree"
    name = type(model).__name__
    if "Forest" in name or "ExtraTrees" in name:
        return "forest"
    return "rule set" if hasattr(model, "ruleset_") else "model"


def named_rivals(rivals: Any, task: Task) -> Mapping[str, Any]:
    """Return the learners to compare with, by name; None: the usual ones."""
    if rivals is None:
        return default_rivals(task)
    if hasattr(rivals, "fit"):
        rivals = [rivals]
    if not len(rivals):
        return {}
    return {
        each.name: each.model if hasattr(each.model, "predict") else each.model.answer
        for each in learners_of(rivals)
    }
