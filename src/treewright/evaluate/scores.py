"""Scores: the metrics of some answers, each with its interval, and the confusion behind them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.chart import Picture
from treewright.data.frame import Frame
from treewright.data.read.target import read_classes
from treewright.errors import DataError, ParameterError
from treewright.evaluate.confusion import Confusion
from treewright.evaluate.curves.of_answers import CurvesOfAnswers
from treewright.evaluate.intervals import Interval
from treewright.evaluate.metrics import Metric, Task, metrics_of
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.trial.answers import Answers, as_target
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.task_data import read_answers, read_task_data
from treewright.parameters import check_share
from treewright.text.table import TextColumn, lay_out


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores(CurvesOfAnswers, Result):
    """Metrics of answers with their confidence intervals; ``scores["error"]`` is one of them.

    Parameters
    ----------
    name
        Of the learner, or of what was judged.
    answers
        What was answered, beside the truth.
    metrics
        The metrics; the first is the one that judges.
    level
        Confidence level of the intervals.
    baseline
        The answers of the best constant, where it is known.
    notes
        What is to be known about the figures.
    """

    name: str
    answers: Answers = field(repr=False)
    metrics: tuple[Metric, ...] = field(repr=False)
    level: float
    baseline: Answers | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def intervals(self) -> dict[str, Interval]:
        """The figures by the names of their metrics."""
        return {each.name: self[each.name] for each in self.metrics}

    @cached_property
    def _found(self) -> dict[str, Interval]:
        """The figures that were asked for so far."""
        return {}

    def __getitem__(self, name: str) -> Interval:
        if name not in self._found:
            metric = next((each for each in self.metrics if each.name == name), None)
            if metric is None:
                known = ", ".join(each.name for each in self.metrics)
                raise ParameterError(f"metric {name!r} was not asked for.\n  Known: {known}.")
            self._found[name] = metric.interval(self.answers, self.level)
        return self._found[name]

    @property
    def metric(self) -> Metric:
        """The metric that judges."""
        return self.metrics[0]

    def _judged(self) -> tuple[Answers, float]:
        return self.answers, self.level

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix of classes."""
        if not self.answers.classes:
            raise ParameterError("a confusion matrix is for classes; numbers were predicted.")
        return Confusion(answers=self.answers)

    @property
    def baseline_text(self) -> str:
        """What the best constant answers."""
        assert self.baseline is not None
        values = set(self.baseline.predicted.tolist())
        if self.answers.classes:
            return f"always {values.pop()!r}" if len(values) == 1 else "most frequent class"
        return "always the mean"

    def text(self) -> str:
        """Return the figures as a table, and the confusion of classes."""
        parts = [f"{self.name}: {len(self.answers):,} rows", self.table_text()]
        if self.answers.classes:
            parts.append(self.confusion.text())
        return "\n\n".join(parts + [f"note: {each}" for each in self.notes])

    def table_text(self) -> str:
        """Return the figures alone."""
        rows = [(each.title, self.intervals[each.name]) for each in self.metrics]
        names = [title for title, _ in rows]
        values = [each.value_text() for _, each in rows]
        ends = [each.ends_text() for _, each in rows]
        if self.baseline is not None:
            names.insert(1, self.baseline_text)
            values.insert(1, self.metric.format(self.metric.value(self.baseline)))
            ends.insert(1, "")
        return lay_out(
            [
                TextColumn("", names),
                TextColumn("value", values, right=True),
                TextColumn(f"{100 * self.level:g} % interval", ends, right=True),
            ]
        )

    def to_frame(self) -> Frame:
        """Return a row per metric; ``to_frame().to_pandas()``, for one."""
        found = list(self.intervals.items())
        return frame_of(
            {
                "metric": [name for name, _ in found],
                "value": [each.value for _, each in found],
                "low": [each.low for _, each in found],
                "high": [each.high for _, each in found],
                "method": [each.method for _, each in found],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain lists, strings and numbers."""
        made: dict[str, Any] = {
            "name": self.name,
            "rows": len(self.answers),
            "metrics": {name: each.to_dict() for name, each in self.intervals.items()},
            "notes": list(self.notes),
        }
        if self.baseline is not None:
            made["baseline"] = self.metric.value(self.baseline)
        if self.answers.classes:
            made["confusion"] = self.confusion.to_dict()
        return made

    def draw(self) -> Picture:
        """Return a picture: the confusion of classes, or predicted numbers against the truth."""
        if self.answers.classes:
            return self.confusion.draw()
        found = self.intervals[self.metric.name]
        picture = self.residuals().draw()
        return replace(picture, caption=f"{picture.caption} {self.metric.title} {found}.")


def scores(
    y: Any,
    predicted: Any,
    *,
    probabilities: Any = None,
    classes: Any = None,
    positive: Any = None,
    task: Task | None = None,
    metrics: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> Scores:
    """Return the metrics of answers that are there already, with their intervals.

    Parameters
    ----------
    y, predicted
        The truth and the answer, an entry per row.
    probabilities
        Rows x classes, in the order of `classes`; for two classes one number per row is the
        probability of the positive one. AUC, log loss and Brier score need them.
    classes
        All classes in order; by default those of `y` and `predicted`, ascending.
    positive
        The class that precision and recall are about; by default the second of two.
    task
        "classes" or "numbers"; by default as `y` looks.
    metrics
        Names of metrics; the first is the one that judges. None: the usual ones.
    cost_matrix
        Cost of each answer, actual classes x predicted ones, for the mean cost.
    sample_weight, groups
        Weights of the rows; what belongs together, and is counted as one in the intervals.
    level
        Confidence level.

    Examples
    --------
    >>> actual = ["no"] * 95 + ["yes"] * 5
    >>> found = scores(actual, ["no"] * 100, metrics=["accuracy", "recall", "precision"])
    >>> print(found.table_text())
                value   95 % interval
    accuracy   95.0 %  88.8 to 97.8 %
    recall      0.0 %   0.0 to 43.4 %
    precision   0.0 %  0.0 to 100.0 %
    """
    check_share("level", level)
    answers = read_answers(
        y,
        predicted,
        task=task,
        probabilities=probabilities,
        classes=classes,
        positive=positive,
        cost_matrix=cost_matrix,
        sample_weight=sample_weight,
        groups=groups,
    )
    task = "classes" if answers.classes else "numbers"
    asked = metrics_of(metrics, task, with_costs=cost_matrix is not None)
    return scored("answers", answers, asked, level)


def judge(
    model: Any,
    X: Any,
    y: Any,
    *,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> Scores:
    """Return how good a fitted model is on rows that it has not seen.

    Parameters
    ----------
    model
        A fitted model of any kind: ours, one of scikit-learn's kind, a tree, a rule set; or a
        constant answer.
    X, y
        The rows.
    metrics, positive, cost_matrix, sample_weight, groups, level
        As for :func:`scores`.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> learned, more = load_example("play_tennis"), load_example("play_tennis_d15")
    >>> model = ID3Classifier().fit(learned.X, learned.y)
    >>> print(judge(model, more.X, more.y, metrics="accuracy"))
    ID3Classifier: 15 rows
    <BLANKLINE>
               value   95 % interval
    accuracy  93.3 %  70.2 to 98.8 %
    <BLANKLINE>
    actual \\ predicted  No  Yes   recall  precision     F1
    No                   5    1   83.3 %    100.0 %  0.909
    Yes                  0    9  100.0 %     90.0 %  0.947
    """
    check_share("level", level)
    (learner,) = learners_of([model])
    actual = as_target(y)
    task = task_of([learner], actual)
    known = getattr(model, "classes_", None)
    data = read_task_data(
        X,
        y,
        task=task,
        owner="judge",
        classes=_with_those_of(actual, known) if task == "classes" else None,
        positive=positive,
        cost_matrix=cost_matrix,
        sample_weight=sample_weight,
        groups=groups,
    )
    answers = learner.answer(model if not learner.is_fitted else learner.model, data, data.all_rows)
    asked = metrics_of(metrics, task, with_costs=cost_matrix is not None)
    return scored(learner.name, answers, asked, level)


def scored(
    name: str,
    answers: Answers,
    metrics: tuple[Metric, ...],
    level: float,
    *,
    baseline: Answers | None = None,
    notes: tuple[str, ...] = (),
) -> Scores:
    """Return the scores of answers; a metric that needs what they lack is left out, and said."""
    known = tuple(each for each in metrics if each.is_known(answers))
    if not known:
        raise DataError(
            f"{name} gives no probabilities, and {metrics[0].name} needs them.\n"
            "  Hint: metrics='error'."
        )
    left_out = [each.title for each in metrics if not each.is_known(answers)]
    if left_out:
        notes += (f"{name} gives no probabilities: without {', '.join(left_out)}",)
    return Scores(
        name=name, answers=answers, metrics=known, level=level, baseline=baseline, notes=notes
    )


def _with_those_of(actual: Array, known: Any) -> list[Any]:
    """Return the classes of a model and, after them, those that only the rows have."""
    names = [] if known is None else np.asarray(known).tolist()
    if not names:
        names = read_classes(actual, owner="judge").classes[0].tolist()
    return names + [each for each in dict.fromkeys(actual.tolist()) if each not in names]
