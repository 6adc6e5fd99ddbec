"""The noise curve: what wrong labels among the rows learned from do to error and size.

Examples
--------
>>> from treewright import DecisionTreeClassifier, load_example
>>> iris = load_example("iris")
>>> print(noise_curve(DecisionTreeClassifier(), iris.X, iris.y, shares=[0, 0.1, 0.3]))
DecisionTreeClassifier: error by share of wrong labels; 10 folds, stratified;
seed 0
<BLANKLINE>
wrong labels  training  validated     SE  leaves
         0 %     0.0 %      6.0 %  1.8 %       9
        10 %     0.0 %     10.7 %  3.0 %      26
        30 %     0.0 %     38.0 %  3.6 %      58
With 10 % wrong labels error is 10.7 % instead of 6.0 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.chart import Axis, Chart, Picture
from treewright.chart.words import NARROW_SPACE
from treewright.errors import DataError, ParameterError
from treewright.evaluate.curves.error_curve import ErrorCurve
from treewright.evaluate.curves.measured import (
    Measured,
    error_axis,
    error_lines,
    failure_notes,
    is_better,
    measure,
    sentence_title,
)
from treewright.evaluate.metrics import metrics_of
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.run import Run, run_all
from treewright.evaluate.trial.splits import make_folds
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import check_number, is_list


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseCurve(ErrorCurve):
    """Error and size against the share of wrong labels learned from; ``print`` it, or draw it.

    Figures are validated by true labels, and in training by those that were learned.

    Parameters
    ----------
    shares
        Shares of wrong labels, ascending.
    name, points, metric, method, n_rows, seed, notes
        As of every `ErrorCurve`.
    """

    head = "wrong labels"
    against = "share of wrong labels"
    place_name = "wrong_labels"

    shares: tuple[float, ...]

    @property
    def places(self) -> tuple[float, ...]:
        """The shares."""
        return self.shares

    def place_texts(self) -> list[str]:
        """Return the shares as percentages."""
        return [f"{100 * each:g} %" for each in self.shares]

    @property
    def finding(self) -> str:
        """What the first share that does harm beyond a standard error does; nothing if none."""
        found = self._first_harm()
        if found is None:
            return ""
        share, validated = found
        return (
            f"With {100 * share:g} % wrong labels {self.metric.title} is"
            f" {self.metric.format(validated)} instead of"
            f" {self.metric.format(self.points[0].validated)}"
        )

    def _first_harm(self) -> tuple[float, float] | None:
        first = self.points[0]
        reach = first.standard_error if math.isfinite(first.standard_error) else math.inf
        for share, each in zip(self.shares[1:], self.points[1:], strict=True):
            is_worse = is_better(self.metric, first.validated, each.validated)
            if is_worse and abs(each.validated - first.validated) > reach:
                return share, each.validated
        return None

    def draw(self) -> Picture:
        """Return training and validated figures by share of wrong labels as a picture."""
        leaves = [each.n_leaves for each in (self.points[0], self.points[-1])]
        size = ""
        if leaves[0] is not None and leaves[1] is not None:
            size = f" Leaves: {leaves[0]:.0f} at first, {leaves[1]:.0f} at last."
        return Chart(
            title=self.finding.replace(" %", f"{NARROW_SPACE}%") or "Noise curve",
            subtitle=f"{sentence_title(self.metric)} against the share of wrong labels among"
            " the rows learned from",
            caption=f"{self.name} on {self.n_rows:,} rows; {self.method}{self.seed_text};"
            f" validated by true labels.{size}",
            x=Axis("wrong labels", form="percent", limits=(self.shares[0], self.shares[-1])),
            y=error_axis(self.metric),
            marks=error_lines(np.array(self.shares), self.points, "validated"),
        )


def noise_curve(
    learner: Any,
    X: Any,
    y: Any,
    *,
    shares: Any = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4),
    cv: Any = 10,
    repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    metrics: Any = None,
    positive: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> NoiseCurve:
    """Return what wrong labels among the training rows do to a learner's error and size.

    Labels are made wrong in the rows learned from alone; every model is judged by true ones. A
    class becomes another, drawn from the rest; a number that of another row. The rows that are
    wrong at a share are wrong at each larger one too.

    Parameters
    ----------
    learner
        An estimator of ours or of scikit-learn's kind; it stays as it is.
    X, y
        Table and target.
    shares
        Shares of wrong labels, from 0 up to 1.
    cv, repeats, stratify, groups, sample_weight, metrics, positive
        As for :func:`cross_validate`; the first metric is drawn.
    n_jobs
        Fits side by side; the figures do not depend on it.
    random_state
        Seed of folds and wrong labels, and of learners that draw without a seed of their own.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> iris = load_example("iris")
    >>> found = noise_curve(C45Classifier(), iris.X, iris.y, shares=[0, 0.4])
    >>> found.points[0].validated < found.points[1].validated
    True
    """
    (entrant,) = learners_of([learner])
    data = read_task_data(
        X,
        y,
        task=task_of([entrant], as_target(y)),
        owner="noise_curve",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
    )
    metric = metrics_of(metrics, data.task)[0]
    wanted = _checked_shares(shares)
    folds = make_folds(data, cv, repeats=repeats, stratify=stratify, seed=random_state)
    points: list[Measured] = []
    done: list[Run] = []
    notes = folds.notes
    for noisy in _with_noise(data, wanted, random_state):
        try:
            runs, was_stopped = run_all(
                [entrant], noisy, folds, n_jobs=n_jobs, seed=random_state, on_training_rows=True
            )
        except KeyboardInterrupt:  # before the first fold of this share: the others are kept
            if not points:
                raise
            notes += (f"stopped before {100 * wanted[len(points)]:g} % wrong labels",)
            break
        done += _judged_as_learned(runs, noisy, [fold.train for fold in folds.splits])
        points.append(measure(done[-len(runs) :], metric, n_repeats=folds.n_repeats))
        if was_stopped:
            notes += (f"stopped at {100 * wanted[len(points) - 1]:g} % wrong labels",)
            break
    return NoiseCurve(
        name=entrant.name,
        shares=tuple(wanted[: len(points)]),
        points=tuple(points),
        metric=metric,
        method=folds.method,
        n_rows=data.n_rows,
        seed=folds.seed,
        notes=notes + failure_notes(entrant.name, done),
    )


def _checked_shares(shares: Any) -> list[float]:
    if not is_list(shares) or not len(shares):
        raise ParameterError(f"shares={shares!r} must be a list of shares of wrong labels.")
    for each in shares:
        check_number("shares", each, low=0.0, high=1.0)
    return sorted({float(each) for each in shares})


def _with_noise(data: TaskData, shares: Sequence[float], seed: int) -> list[TaskData]:
    """Return the data with wrong labels to learn from; what judges stays true."""
    if data.task == "classes" and len(data.classes) < 2:
        raise DataError(f"every row is {data.classes[0]!r}: there is no wrong label.")
    generator = np.random.default_rng(seed)
    order = generator.permutation(data.n_rows)
    wrong = _wrong_labels(data, generator)
    made = []
    for share in shares:
        rows = order[: round(share * data.n_rows)]
        labels = data.y_as_given.copy()
        labels[rows] = wrong[rows]
        made.append(replace(data, y_as_given=labels))
    return made


def _wrong_labels(data: TaskData, generator: np.random.Generator) -> Array:
    """Return a wrong label for each row: of another class, or of another row."""
    if data.task == "numbers":
        # A cycle through all rows, so that none keeps its own.
        order = generator.permutation(data.n_rows)
        wrong = np.empty_like(data.y_as_given)
        wrong[order] = data.y_as_given[np.roll(order, 1)]
        return wrong
    n_classes = len(data.classes)
    codes = (data.codes + generator.integers(1, n_classes, size=data.n_rows)) % n_classes
    # As a row of that class has it, so that the type of the labels stays.
    first_row = np.array([int(np.flatnonzero(data.codes == code)[0]) for code in range(n_classes)])
    return np.asarray(data.y_as_given[first_row[codes]])


def _judged_as_learned(runs: Sequence[Run], data: TaskData, trained: Sequence[Array]) -> list[Run]:
    """Return the runs with training answers judged by the labels that were learned."""
    learned = data.as_answers(data.y_as_given)
    return [
        run
        if run.training_answers is None
        else replace(
            run,
            training_answers=replace(run.training_answers, actual=learned[trained[run.part]]),
        )
        for run in runs
    ]
