"""The curve of complexity: error against leaves, depth, penalty, or any parameter.

Examples
--------
The overfitting picture of the lectures: a larger tree errs less on rows it has seen, and more on
others.

>>> from treewright import DecisionTreeClassifier, load_example
>>> loans = load_example("loans")
>>> found = complexity_curve(DecisionTreeClassifier(), loans.X, loans.y,
...     parameter="max_leaf_nodes", values=[2, 5, 10, 20, 50, 100, 200], cv=5)
>>> print(found)
DecisionTreeClassifier: error by max_leaf_nodes; 5 folds, stratified; seed 0
<BLANKLINE>
max_leaf_nodes  training  validated     SE  leaves
             2    16.0 %     16.4 %  0.4 %       2
             5    14.0 %     16.1 %  0.9 %       5
            10    11.1 %     13.8 %  0.7 %      10  1-SE
            20     8.6 %     13.4 %  0.8 %      20  least
            50     4.9 %     14.7 %  0.7 %      50
           100     1.5 %     14.9 %  0.7 %     100
           200     0.0 %     15.9 %  0.7 %     140
max_leaf_nodes=200 overfits: max_leaf_nodes=20 is worse on the rows learned from
(8.6 % against 0.0 %) and better on others (13.4 % against 15.9 %).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.array_types import Int64Array
from treewright.errors import DataError, ParameterError
from treewright.evaluate.curves.complexity import ComplexityCurve, ComplexityPoint
from treewright.evaluate.curves.measured import failure_notes, measure
from treewright.evaluate.curves.usual_values import usual_values
from treewright.evaluate.metrics import metrics_of
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import Learner, learners_of, task_of
from treewright.evaluate.trial.run import Run, run_all
from treewright.evaluate.trial.splits import Folds, Split, hold_out, make_folds
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import check_share, is_list, is_number, nearest_hint


def complexity_curve(
    learner: Any,
    X: Any,
    y: Any,
    *,
    parameter: str = "max_leaf_nodes",
    values: Any = None,
    test: Any = None,
    cv: Any = 10,
    repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ComplexityCurve:
    """Return training, cross-validated and test error of a learner against one of its parameters.

    Parameters
    ----------
    learner
        An estimator of ours or of scikit-learn's kind, or a pipeline; it stays as it is.
    X, y
        Table and target.
    parameter
        What is varied: "max_leaf_nodes", "max_depth", "ccp_alpha" or any other; of a step of a
        pipeline ``step__parameter``.
    values
        Its values, the simplest model first (which of two equals is chosen depends on it only
        where models are no single trees). None: as far as the tree of all rows goes, or the alphas
        of its pruning path; other parameters have usual values, or ask for some.
    test
        Share of the rows, or their positions, that take no part: a model fitted to all others is
        judged on them. None: without.
    cv, repeats, stratify, groups, sample_weight, metrics, positive, cost_matrix
        As for :func:`cross_validate`; the first metric is drawn.
    n_jobs
        Fits side by side; the figures do not depend on it.
    random_state
        Seed of the division, and of learners that draw without a seed of their own.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor, load_example
    >>> diabetes = load_example("diabetes")
    >>> found = complexity_curve(DecisionTreeRegressor(), diabetes.X, diabetes.y,
    ...     parameter="max_depth", values=[1, 2, 3, 4, 6, 8, 12])
    >>> found.best.value, found.one_se.value, len(found.overfits) > 0
    (3, 2, True)
    """
    (entrant,) = learners_of([learner])
    _check_parameter(entrant, parameter)
    data = read_task_data(
        X,
        y,
        task=task_of([entrant], as_target(y)),
        owner="complexity_curve",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    metric = metrics_of(metrics, data.task, with_costs=cost_matrix is not None)[0]
    held_out = _test_rows(test, data, stratify=stratify, seed=random_state)
    rest = np.setdiff1d(data.all_rows, held_out)
    part = data.part(rest) if len(held_out) else data
    if values is None:
        values = usual_values(entrant, parameter, part, seed=random_state)
    learners = _variants(entrant, parameter, values)
    inner = make_folds(part, cv, repeats=repeats, stratify=stratify, seed=random_state)
    folds = _with_test(inner, rest, held_out)
    runs, was_stopped = run_all(
        learners, data, folds, n_jobs=n_jobs, seed=random_state, on_training_rows=True
    )
    notes = inner.notes + failure_notes(entrant.name, runs)
    if was_stopped:
        notes += (f"stopped after {len(runs)} of {len(learners) * len(folds)} fits",)
    points = []
    for number, value in enumerate(values):
        own = [run for run in runs if run.learner == number]
        validated = [run for run in own if run.part < len(inner)]
        if validated:
            points.append(
                ComplexityPoint(
                    value=value,
                    measured=measure(validated, metric, n_repeats=inner.n_repeats),
                    test=_test_value([run for run in own if run.part == len(inner)], metric.value),
                )
            )
    if not any(math.isfinite(point.validated) for point in points):
        raise DataError(
            f"{metric.title} is not defined on these folds, for any value of {parameter}.\n"
            "  Hint: fewer folds, or another metric."
        )
    return ComplexityCurve(
        name=entrant.name,
        parameter=parameter,
        points=tuple(points),
        metric=metric,
        method=inner.method,
        n_rows=part.n_rows,
        n_test_rows=len(held_out),
        seed=inner.seed,
        notes=notes,
    )


def _check_parameter(learner: Learner, parameter: str) -> None:
    if learner.is_fitted or not hasattr(learner.model, "get_params"):
        raise ParameterError(
            f"{learner.name} has no parameters to vary: complexity_curve takes an estimator."
        )
    known = learner.model.get_params(deep=True)
    if parameter not in known:
        raise ParameterError(
            f"{learner.name} has no parameter {parameter!r}.{nearest_hint(parameter, known)}"
        )


def _variants(learner: Learner, parameter: str, values: Any) -> list[Learner]:
    if not is_list(values) or not len(values):
        raise ParameterError(f"values={values!r} must be a list of values of {parameter}.")
    return [
        Learner(
            name=f"{learner.name}({parameter}={value!r})",
            model=clone(learner.model).set_params(**{parameter: value}),
        )
        for value in values
    ]


def _test_rows(test: Any, data: TaskData, *, stratify: bool, seed: int) -> Int64Array:
    if test is None:
        return np.empty(0, dtype=np.int64)
    if is_number(test):
        check_share("test", test)
        by_class = stratify and data.task == "classes"
        _, held_out = hold_out(data, data.all_rows, float(test), by_class, seed)
        return held_out
    rows = np.asarray(test)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise ParameterError(f"test={test!r} must be a share of the rows, or positions of rows.")
    if rows.min() < 0 or rows.max() >= data.n_rows:
        raise DataError(f"test has positions beyond the {data.n_rows} rows.")
    if len(np.unique(rows)) == data.n_rows:
        raise DataError("test has every row: there is none to learn from.")
    return np.unique(rows).astype(np.int64)


def _with_test(folds: Folds, rest: Int64Array, held_out: Int64Array) -> Folds:
    """Return folds of the rest in positions of the table, and after them the test part."""
    splits: Sequence[Split] = [
        Split(train=rest[fold.train], test=rest[fold.test], repeat=fold.repeat)
        for fold in folds.splits
    ]
    if len(held_out):
        splits = [*splits, Split(train=rest, test=held_out)]
    return Folds(splits=tuple(splits), method=folds.method, n_repeats=folds.n_repeats)


def _test_value(runs: list[Run], value: Any) -> float:
    answered = [run.answers for run in runs if run.answers is not None]
    return float(value(answered[0])) if answered else math.nan
