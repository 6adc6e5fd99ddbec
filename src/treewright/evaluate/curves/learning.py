"""The learning curve: error against the number of rows learned from.

Examples
--------
>>> from treewright import C45Classifier, load_example
>>> loans = load_example("loans")
>>> print(learning_curve(C45Classifier(), loans.X, loans.y, sizes=[50, 200, 800, 1600], cv=5))
C45Classifier: error by rows learned from; 5 folds, stratified; seed 0
<BLANKLINE>
rows  training  validated     SE  leaves
  50    15.2 %     16.5 %  0.4 %       1
 200     9.3 %     16.2 %  0.6 %       8
 800     6.8 %     13.9 %  0.6 %      31
1600     6.6 %     13.5 %  0.6 %      56
More rows would not help.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Int64Array
from treewright.chart import Axis, Chart, Picture
from treewright.errors import DataError, ParameterError
from treewright.evaluate.curves.error_curve import ErrorCurve
from treewright.evaluate.curves.measured import (
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
from treewright.evaluate.trial.run import run_all
from treewright.evaluate.trial.splits import Folds, Split, make_folds
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import is_list, is_number, is_whole
from treewright.text.numbers import figures

_USUAL_SIZES = 8
_LEAST_USUAL = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class LearningCurve(ErrorCurve):
    """Error against the number of rows learned from; ``print`` it, or draw it.

    Parameters
    ----------
    sizes
        Rows learned from, ascending; with groups or folds of unequal size their mean.
    name, points, metric, method, n_rows, seed, notes
        As of every `ErrorCurve`.
    """

    head = "rows"
    against = "rows learned from"
    place_name = "rows"

    sizes: tuple[float, ...]

    @property
    def places(self) -> tuple[float, ...]:
        """The sizes."""
        return self.sizes

    def place_texts(self) -> list[str]:
        """Return the sizes as whole numbers."""
        return figures([round(size) for size in self.sizes])

    @property
    def more_rows_help(self) -> bool | None:
        """Whether the last step made the figure better by more than one standard error.

        None where there is no step, or no standard error.
        """
        known = [each for each in self.points if math.isfinite(each.validated)]
        if len(known) < 2 or not math.isfinite(known[-1].standard_error):
            return None
        before, last = known[-2:]
        apart = abs(before.validated - last.validated)
        better = is_better(self.metric, last.validated, before.validated)
        return better and apart > last.standard_error

    @property
    def finding(self) -> str:
        """What the last step says; nothing where it says nothing."""
        helps = self.more_rows_help
        return "" if helps is None else f"More rows would {'' if helps else 'not '}help"

    def draw(self) -> Picture:
        """Return training and validated figures by rows as a picture."""
        return Chart(
            title=self.finding or "Learning curve",
            subtitle=f"{sentence_title(self.metric)} against the rows learned from (log scale)",
            caption=f"{self.name} on {self.n_rows:,} rows; {self.method}{self.seed_text}."
            " Smaller sets are parts of larger ones.",
            x=Axis(scale="log", unit=("row", "rows")),
            y=error_axis(self.metric),
            marks=error_lines(np.array(self.sizes), self.points, "validated"),
        )


def learning_curve(
    learner: Any,
    X: Any,
    y: Any,
    *,
    sizes: Any = None,
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
) -> LearningCurve:
    """Return the error of a learner against the number of rows that it learns from.

    In each fold the learner is fitted to more and more of the training rows, each set a part of the
    next, and judged on the rows of the fold.

    Parameters
    ----------
    learner
        An estimator of ours or of scikit-learn's kind; it stays as it is.
    X, y
        Table and target.
    sizes
        Numbers of rows, or shares of the training rows (below 1, or 1.0); None: eight, each by the
        same factor larger, up to all.
    cv, repeats
        Folds, as for :func:`cross_validate`, and how often the rows are divided anew.
    stratify
        Whether folds and sets have the classes in the proportions of the table.
    groups
        What belongs together: no group is on both sides, and sets grow by whole groups.
    sample_weight, metrics, positive, cost_matrix
        As for :func:`cross_validate`; the first metric is drawn.
    n_jobs
        Fits side by side; the figures do not depend on it.
    random_state
        Seed of folds and sets, and of learners that draw without a seed of their own.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> iris = load_example("iris")
    >>> found = learning_curve(DecisionTreeClassifier(), iris.X, iris.y, sizes=[15, 60, 135])
    >>> found.more_rows_help
    False
    """
    (entrant,) = learners_of([learner])
    data = read_task_data(
        X,
        y,
        task=task_of([entrant], as_target(y)),
        owner="learning_curve",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    metric = metrics_of(metrics, data.task, with_costs=cost_matrix is not None)[0]
    folds = make_folds(data, cv, repeats=repeats, stratify=stratify, seed=random_state)
    wanted = _sizes(sizes, min(len(split.train) for split in folds.splits))
    parts = _nested(data, folds, wanted, stratify=stratify, seed=random_state)
    runs, was_stopped = run_all(
        [entrant], data, parts, n_jobs=n_jobs, seed=random_state, on_training_rows=True
    )
    of_size = [[run for run in runs if run.part % len(wanted) == i] for i in range(len(wanted))]
    kept = [i for i, found in enumerate(of_size) if found]
    notes = folds.notes + failure_notes(entrant.name, runs)
    if was_stopped:
        notes += (f"stopped after {len(runs)} of {len(parts)} fits",)
    return LearningCurve(
        name=entrant.name,
        sizes=tuple(
            float(np.mean([len(each.train) for each in parts.splits[i :: len(wanted)]]))
            for i in kept
        ),
        points=tuple(measure(of_size[i], metric, n_repeats=folds.n_repeats) for i in kept),
        metric=metric,
        method=folds.method,
        n_rows=data.n_rows,
        seed=folds.seed,
        notes=notes,
    )


def _sizes(given: Any, n_rows: int) -> list[int]:
    """Return numbers of rows, ascending."""
    if given is None:
        least = min(_LEAST_USUAL, n_rows)
        usual = np.geomspace(least, n_rows, _USUAL_SIZES)
        return sorted({round(each) for each in usual.tolist()})
    if not is_list(given) or not len(given):
        raise ParameterError(f"sizes={given!r} must be a list of numbers of rows, or of shares.")
    found = set()
    for size in given:
        is_share = is_number(size) and not is_whole(size) and 0 < size <= 1
        if not is_share and (not is_whole(size) or size < 1):
            raise ParameterError(
                f"sizes has {size!r}; a size is a whole number of rows, at least 1, or a share of"
                " them, above 0 and up to 1.0."
            )
        n = max(1, round(size * n_rows)) if is_share else int(size)
        if n > n_rows:
            raise DataError(
                f"sizes has {n:,} rows, but the smallest fold leaves {n_rows:,} to learn from.\n"
                f"  Hint: at most {n_rows}, or more folds."
            )
        found.add(n)
    return sorted(found)


def _nested(
    data: TaskData, folds: Folds, sizes: Sequence[int], *, stratify: bool, seed: int
) -> Folds:
    """Return the parts of each fold: of its training rows the first so many in a drawn order."""
    splits = []
    for number, fold in enumerate(folds.splits):
        generator = np.random.default_rng([seed, number])
        order, ends = _drawn_order(data, fold.train, stratify, generator)
        for size in sizes:
            # Whole groups only: up to the first end that is not before the size.
            n = int(ends[np.searchsorted(ends, size)])
            splits.append(Split(train=np.sort(order[:n]), test=fold.test, repeat=fold.repeat))
    return Folds(
        splits=tuple(splits),
        method=folds.method,
        n_repeats=folds.n_repeats,
        seed=folds.seed,
        notes=folds.notes,
    )


def _drawn_order(
    data: TaskData, rows: Int64Array, stratify: bool, generator: np.random.Generator
) -> tuple[Int64Array, Int64Array]:
    """Return rows in an order whose beginnings are the sets, and where these may end."""
    shuffled = generator.permutation(rows)
    if data.groups is not None:
        _, group = np.unique(data.groups[shuffled], return_inverse=True)
        place = np.argsort(generator.permutation(group.max() + 1))[group]
        order = shuffled[np.argsort(place, kind="stable")]
        return order, np.cumsum(np.bincount(place)).astype(np.int64)
    ends = np.arange(1, len(rows) + 1)
    if data.task == "classes" and stratify:
        # The i-th of n rows of a class stands at (i + 1/2) / n: each beginning has its share.
        codes = data.codes[shuffled]
        share_before = np.empty(len(rows))
        for code in np.unique(codes).tolist():
            there = np.flatnonzero(codes == code)
            share_before[there] = (np.arange(len(there)) + 0.5) / len(there)
        shuffled = shuffled[np.argsort(share_before, kind="stable")]
    return shuffled, ends
