"""How much each column matters on rows held out: the error rises when its values are shuffled.

Breiman 2001, section 10, with rows held out in the place of those out of bag: a column that the
learner only fits noise with does not seem to matter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.frame import Frame
from treewright.errors import TreewrightError
from treewright.evaluate.metrics import Metric
from treewright.evaluate.trial.learners import Learner
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import TaskData
from treewright.explain.importances import Importances
from treewright.reporting.learners import n_groups_of, tree_of

_FOLDS = 5
_LEAST_ROWS = 20
_MOST_COLUMNS = 200
"""Columns that are shuffled at most for a learner that does not say which it asks."""


def importances_held_out(
    learner: Learner, judged: TaskData, metric: Metric, seed: int
) -> Importances | None:
    """Return how much the metric of rows held out worsens when each column is shuffled.

    None of tables with few rows, and where the learner fails on a part.
    """
    n_folds = min(_FOLDS, n_groups_of(judged) or _FOLDS)
    if judged.n_rows < _LEAST_ROWS or n_folds < 2:
        return None
    folds = make_folds(judged, n_folds, seed=seed)
    try:
        lines = [
            _line(learner, judged, fold.train, fold.test, metric, seed + number)
            for number, fold in enumerate(folds.splits)
        ]
    except TreewrightError:  # a class that is missing in a part, say
        return None
    return Importances(
        kind="permutation",
        measure=f"by how much the {metric.title} of rows held out worsens when the column is"
        " shuffled",
        names=tuple(judged.X.columns),
        by_tree=np.array(lines),
        measured_on="fold",
    )


def _line(
    learner: Learner, data: TaskData, train: Array, test: Array, metric: Metric, seed: int
) -> FloatArray:
    """Return by how much the metric worsens on one part, by column."""
    model = learner.fit(data, train, seed=seed, n_threads=None)
    held = data.part(test)
    sign = -1.0 if metric.higher_is_better else 1.0
    before = metric.value(learner.answer(model, held, held.all_rows))
    worse = np.zeros(len(held.X.columns))
    order = np.random.default_rng(seed).permutation(held.n_rows)
    for i, name in enumerate(held.X.columns):
        if not _may_ask(model, name, i):
            continue
        shuffled = replace(held, X=_shuffled(held.X, name, order))
        after = metric.value(learner.answer(model, shuffled, shuffled.all_rows))
        worse[i] = sign * (after - before)
    return worse


def _may_ask(model: Any, name: str, position: int) -> bool:
    tree = tree_of(model)
    if tree is None:
        return position < _MOST_COLUMNS
    return name not in tree.unused_columns


def _shuffled(X: Frame, name: str, order: Array) -> Frame:
    columns = {each: X.column(each) for each in X.columns}
    return Frame({**columns, name: columns[name].take(order)})
