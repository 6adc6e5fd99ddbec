"""The work behind a report: grow, judge, compare, and look closer."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Int64Array
from treewright.data.fingerprint import fingerprint_of
from treewright.data.read.table import read_table
from treewright.errors import DataError, TreewrightError, TreewrightWarning
from treewright.evaluate.compare import compare
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.cross_validate import CrossValidation, cross_validate
from treewright.evaluate.metrics import Metric
from treewright.evaluate.trial.learners import Learner, learners_of
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.explain.importances import Importances, importances_of_tree
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.reporting.examples import find_examples
from treewright.reporting.findings import Findings
from treewright.reporting.given import Given
from treewright.reporting.importance import importances_held_out
from treewright.reporting.learners import (
    USUAL_FOLDS,
    VERY_FEW,
    n_groups_of,
    noun_of,
    tree_of,
    with_costs,
)
from treewright.reporting.made_at import now
from treewright.reporting.size import SizeCurve, size_curve
from treewright.reporting.table.suspicion import table_profile

if TYPE_CHECKING:
    from treewright.dependence.dependence import PartialDependence

_MOST_DEPENDENCES = 3
_NUMBER = re.compile(r"\d[\d,.]*")

FEW_ROWS = 50
"""Fewer are judged one by one."""
_FOLDS = 10

FEW_CELLS, MOST_CELLS = 250_000, 2_000_000
"""Cells (rows x columns) up to which there are 10 folds, and up to which all rows are judged."""


def find(
    given: Given,
    model: Any,
    rivals: dict[str, Any],
    *,
    folds: int | None,
    max_cells: int,
    seed: int,
) -> Findings:
    """Return what there is to say about a table and a learner."""
    began = time.perf_counter()
    told: list[tuple[str, str]] = []
    with _kept_warnings(told):
        data = read_task_data(
            given.X,
            given.y,
            task=given.task,
            owner="report",
            sample_weight=given.weights,
            groups=given.groups,
            cost_matrix=given.costs,
        )
        (learner,) = learners_of([with_costs(model, given.costs)])
        learner = Learner(name=_own_name(model, rivals), model=learner.model)
        fitted = learner.fit(data, data.all_rows, seed=seed, n_threads=None)
        data_hash = given.file_hash or _hash(given, data)
        profile = table_profile(given, data)
        rows = judged_rows(data, given.X.shape[1], max_cells, seed)
        part = data if len(rows) == data.n_rows else data.part(rows)
        comparison, judged = _judged(learner, rivals, part, folds, given.X.shape[1], seed)
        size = size_curve(fitted, data, part, seed)
        importances = _importances(learner, fitted, part, judged.metric, seed)
        dependences = _dependences(fitted, part, importances)
        examples = find_examples(fitted, data, given.X)
    return Findings(
        given=given,
        data=data,
        name=learner.name,
        noun=noun_of(fitted),
        model=fitted,
        judged=judged,
        comparison=comparison,
        n_judged_rows=len(rows),
        profile=profile,
        size=size,
        importances=importances,
        dependences=dependences,
        examples=examples,
        not_done=_not_done(fitted, size, data, rivals),
        data_hash=data_hash,
        warnings=tuple(told),
        seed=seed,
        seconds=time.perf_counter() - began,
        made_at=now(),
    )


def judged_rows(data: TaskData, n_columns: int, max_cells: int, seed: int) -> Int64Array:
    """Return the rows that judge: all of them, or of a large table as many as are allowed."""
    most = max(max_cells // max(n_columns, 1), 2 * FEW_ROWS)
    if data.n_rows <= most:
        return data.all_rows
    drawn = np.random.default_rng(seed).choice(data.n_rows, size=most, replace=False)
    return np.sort(drawn).astype(np.int64)


def folds_of(n_rows: int, n_columns: int, folds: int | None, *, n_groups: int | None = None) -> Any:
    """Return how rows are divided; the rule counts cells, so that every machine does alike."""
    if folds is not None:
        return folds
    if (n_rows if n_groups is None else n_groups) < (FEW_ROWS if n_groups is None else _FOLDS):
        return "leave_one_out"
    return _FOLDS if n_rows * n_columns <= FEW_CELLS else 5


def _judged(
    learner: Learner,
    rivals: dict[str, Any],
    part: TaskData,
    folds: int | None,
    n_columns: int,
    seed: int,
) -> tuple[Comparison | None, CrossValidation]:
    """Return the learner beside its rivals on the same folds, and its own figures."""
    common: dict[str, Any] = {
        "cv": folds_of(part.n_rows, n_columns, folds, n_groups=n_groups_of(part)),
        "sample_weight": part.weights,
        "groups": part.groups,
        "cost_matrix": part.cost_matrix,
        "random_state": seed,
    }
    y = part.y_as_given
    if not rivals:
        found = cross_validate(learner.model, part.X, y, refit=False, **common)
        return None, found
    learners = {learner.name: learner.model}
    for name, each in rivals.items():
        learners[name] = with_costs(each, part.cost_matrix)
    comparison = compare(learners, part.X, y, **common)
    if comparison.was_stopped:
        raise KeyboardInterrupt
    own = comparison.results[comparison.names.index(learner.name)]
    if own is None:
        raise DataError(f"no fold could be judged: {comparison.failures[learner.name]}")
    return comparison, own


def _own_name(model: Any, rivals: dict[str, Any]) -> str:
    """Return what the learner is called beside its rivals."""
    name = type(model).__name__
    short = "tree" if name.startswith("DecisionTree") else name
    return short if short not in rivals else f"{short}, this one"


def _importances(
    learner: Learner, model: Any, judged: TaskData, metric: Metric, seed: int
) -> Importances | None:
    """Return how much each column matters, on rows held out where there are enough."""
    tree = tree_of(model)
    if tree is not None and tree.n_leaves == 1:
        return None
    found = importances_held_out(learner, judged, metric, seed)
    if found is None and tree is not None:
        return importances_of_tree(tree, normalize=True)
    return found


def _dependences(
    model: Any, judged: TaskData, importances: Importances | None
) -> list[PartialDependence]:
    """Return the mean answer by the value of the columns that matter most."""
    if importances is None or not hasattr(model, "partial_dependence"):
        return []
    most = [each.name for each in importances if each.mean > 0][:_MOST_DEPENDENCES]
    found = []
    for name in most:
        try:
            made = model.partial_dependence(judged.X, name, sample_weight=judged.weights)
        except TreewrightError:  # of a column that the model on all rows does not ask about
            continue
        if np.ptp(made.mean, axis=0).max(initial=0.0) > 0:
            found.append(made)
    return found


def _not_done(
    model: Any, size: SizeCurve | None, data: TaskData, rivals: dict[str, Any]
) -> list[str]:
    """Return what the report leaves out, and why."""
    n_units = n_groups_of(data) or data.n_rows
    told = []
    tree = tree_of(model)
    if tree is None and not hasattr(model, "ruleset_"):
        told.append("No single tree is drawn, and no rules are read from it: the learner is none.")
    elif tree is not None and size is None and tree.n_leaves > 1:
        told.append("Sizes were not compared: no parameter of the learner is the size of its tree.")
    pruner = getattr(model, "prune", "")
    units = f"{n_units:,} {'rows' if data.groups is None else 'groups'}"
    if pruner is None and n_units < VERY_FEW:
        told.append(f"The tree is not pruned: {units} are too few for folds to choose a size.")
    if isinstance(pruner, CostComplexity) and pruner.cv < USUAL_FOLDS:
        told.append(f"The size was chosen by {pruner.cv} folds, not 10: there are {units}.")
    if not rivals:
        told.append("No other learner was asked for.")
    told.append("No parameter was searched for: learners have their defaults, or what was given.")
    return told


def _hash(given: Given, data: TaskData) -> str | None:
    """Return the fingerprint of the table as it was read; None where it is large."""
    known = data.codes if data.classes else data.y
    return fingerprint_of(read_table(given.X), known)


@contextmanager
def _kept_warnings(told: list[tuple[str, str]]) -> Iterator[None]:
    """Keep what the library warns of, each once, for the report; others are warned of as ever."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TreewrightWarning)
        yield
    for each in caught:
        if not issubclass(each.category, TreewrightWarning):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
            continue
        kind = each.category.__name__.removesuffix("Warning")
        words = str(each.message).partition("\n")[0]
        alike = _NUMBER.sub("#", words)  # folds say the same of fewer rows
        if all(alike != _NUMBER.sub("#", each) for _, each in told):
            told.append((kind, words))
