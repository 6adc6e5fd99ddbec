"""Rows to look at one by one: of each class one that is answered rightly and one wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.errors import TreewrightError
from treewright.reporting.learners import tree_of

if TYPE_CHECKING:
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.data.frame import Frame
    from treewright.evaluate.trial.task_data import TaskData
    from treewright.explain.path import Explanation
    from treewright.explain.shap_values import ShapValues

_MOST_CLASSES = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """One row of the table, and why it is answered as it is.

    Parameters
    ----------
    row
        Its position, from 0.
    actual, predicted
        What is true, and what the learner fitted to all rows answers.
    values
        Its values by column.
    path
        Its way through the tree; None of a learner that is no single tree.
    shap
        What each column adds to the answer; None where the learner cannot say.
    nearest
        The nearest row with another answer; None where there is none.
    why_not
        Why there is none.
    """

    row: int
    actual: Any
    predicted: Any
    values: Mapping[str, object] = field(repr=False)
    path: Explanation | None = field(default=None, repr=False)
    shap: ShapValues | None = field(default=None, repr=False)
    nearest: Counterfactual | None = None
    why_not: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the class is the true one; of numbers no answer is exactly right."""
        return bool(self.actual == self.predicted)


def find_examples(model: Any, data: TaskData, X: Frame) -> list[Example]:
    """Return rows that show how a fitted learner answers.

    Of each class (the four most frequent) the row of median certainty among those answered rightly,
    and the wrong one that the learner is surest about. Of numbers a row of median error, and those
    answered most too high and too low.
    """
    chosen = _of_classes(model, data, X) if data.classes else _of_numbers(model, data, X)
    return [_example(model, data, X, row, answer, to) for row, answer, to in chosen]


def _of_classes(model: Any, data: TaskData, X: Frame) -> list[tuple[int, Any, Any]]:
    answers = data.as_answers(np.asarray(model.predict(X)))
    known = {each: k for k, each in enumerate(data.classes)}
    given = np.array([known.get(each, -1) for each in answers.tolist()], dtype=np.int64)
    sureness, others = _sureness(model, X, given, data)
    counts = np.bincount(data.codes, minlength=len(data.classes))
    order = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    found = []
    for k in sorted(order.tolist()):
        own = np.flatnonzero(data.codes == k)
        right, wrong = own[given[own] == k], own[given[own] != k]
        if len(right):
            row = _median(right, sureness)
            found.append((row, answers[row], data.classes[int(others[row])]))
        if len(wrong):
            row = int(wrong[np.argmax(sureness[wrong])])
            found.append((row, answers[row], data.classes[k]))
    return found


def _sureness(model: Any, X: Frame, given: Int64Array, data: TaskData) -> tuple[Array, Int64Array]:
    """Return the probability of each answer, and the class that is next to it."""
    rows = np.arange(len(given))
    counts = np.bincount(data.codes, minlength=len(data.classes)).astype(np.float64)
    try:
        found = np.asarray(model.predict_proba(X), dtype=np.float64)
        labels = np.asarray(model.classes_).tolist()
        places = [labels.index(each) if each in labels else -1 for each in data.classes]
        shares = np.where(np.array(places) >= 0, found[:, places], 0.0)
    except (AttributeError, ValueError):
        shares = np.zeros((len(given), len(data.classes)))
    sure = shares[rows, given]
    rest = shares + 1e-9 * counts / counts.sum()  # of equals the more frequent class
    rest[rows, given] = -1.0
    return sure, rest.argmax(axis=1)


def _of_numbers(model: Any, data: TaskData, X: Frame) -> list[tuple[int, Any, Any]]:
    answers = np.asarray(model.predict(X), dtype=np.float64)
    truth = data.y.astype(np.float64)
    misses = answers - truth
    spread = float(np.std(truth))
    rows = dict.fromkeys(
        [
            _median(np.arange(len(misses)), np.abs(misses)),
            int(np.argmax(misses)),
            int(np.argmin(misses)),
        ]
    )
    found = []
    for row in rows:
        step = spread / 2 if misses[row] <= 0 else -spread / 2  # towards the truth
        wanted = float(f"{answers[row] + step:.3g}")
        to = (wanted, None) if step > 0 else (None, wanted)
        found.append((row, float(answers[row]), to))
    return found


def _median(rows: Array, key: Array) -> int:
    """Return the row in the middle by a key; of equals the first."""
    order = rows[np.argsort(key[rows], kind="stable")]
    middle = key[order[len(order) // 2]]
    return int(rows[key[rows] == middle][0])


def _example(model: Any, data: TaskData, X: Frame, row: int, answer: Any, to: Any) -> Example:
    one = X.rows(np.array([row]))
    path = None if tree_of(model) is None else model.explain(one)
    nearest, why_not = None, ""
    try:
        nearest = model.counterfactual(one, to=to, X=X)
    except (TreewrightError, AttributeError) as error:
        why_not = str(error).partition("\n")[0] if isinstance(error, TreewrightError) else ""
    return Example(
        row=row,
        actual=data.y[row],
        predicted=answer,
        values={name: X.column(name).take([row]).to_numpy()[0] for name in X.columns},
        path=path,
        shap=_shap(model, one),
        nearest=nearest,
        why_not=why_not,
    )


def _shap(model: Any, one: Frame) -> ShapValues | None:
    try:
        found: ShapValues = model.shap_values(one)
    except (TreewrightError, AttributeError):
        return None
    return found
