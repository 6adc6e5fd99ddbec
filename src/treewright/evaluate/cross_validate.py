"""Cross-validation: every row is judged by a model that has not seen it.

Figures are pooled: the answers about all rows are judged together, so that an error is the share
of all rows answered wrongly. Mean and standard deviation over the folds stand beside them: how much
they vary tells how robust the learner is.

Examples
--------
>>> from treewright import C45Classifier, load_example
>>> loans = load_example("loans")
>>> print(cross_validate(C45Classifier(), loans.X, loans.y, cv=5, metrics="error"))
C45Classifier: 5 folds, stratified; 2,000 rows; seed 0
<BLANKLINE>
                  value   95 % interval  mean of folds     sd
error            13.5 %  12.1 to 15.1 %         13.5 %  1.4 %
always 'repaid'  16.0 %
training error    7.2 %
<BLANKLINE>
error by fold: 12.8 12.8 16.0 13.0 13.0 %
53 leaves when fitted to all rows
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.chart.picture import Picture
from treewright.data.frame import Frame
from treewright.evaluate.column_texts import ColumnTexts
from treewright.evaluate.curves.of_answers import CurvesOfAnswers
from treewright.evaluate.intervals import Interval, fold_mean
from treewright.evaluate.metrics import Metric, metrics_of
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.scores import Scores, scored
from treewright.evaluate.trial.answers import Answers, as_target, joined
from treewright.evaluate.trial.learners import Constant, Learner, learners_of, task_of
from treewright.evaluate.trial.run import Run, fit_and_answer, leaves_of, run_all
from treewright.evaluate.trial.splits import Folds, Split, make_folds
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import check_flag, check_share
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.text.wrap import wrap_words


@dataclass(frozen=True, kw_only=True, eq=False)
class CrossValidation(CurvesOfAnswers, Result):
    """What cross-validation found; ``result["error"]`` is a figure with its interval.

    Parameters
    ----------
    name
        Of the learner.
    scores
        The figures, pooled over all rows, with intervals; out-of-fold answers are in
        ``scores.answers``.
    folds
        How the rows were divided.
    runs
        What happened on each fold.
    model
        The learner fitted to all rows, for use; None without `refit`.
    training
        Its answers about the rows it was fitted to.
    was_stopped
        Whether Ctrl-C ended the work early; the figures are of the folds that were done.
    """

    name: str
    scores: Scores
    folds: Folds = field(repr=False)
    runs: tuple[Run, ...] = field(repr=False)
    n_rows: int
    model: Any = field(default=None, repr=False)
    training: Answers | None = field(default=None, repr=False)
    was_stopped: bool = False

    def __getitem__(self, name: str) -> Interval:
        return self.scores[name]

    @property
    def metric(self) -> Metric:
        """The metric that judges."""
        return self.scores.metric

    def _judged(self) -> tuple[Answers, float]:
        return self.scores.answers, self.scores.level

    @property
    def done(self) -> list[Run]:
        """The folds that were answered."""
        return [run for run in self.runs if run.answers is not None]

    @property
    def failures(self) -> dict[int, str]:
        """What went wrong, by the number of the fold."""
        return {run.part: run.failure_text for run in self.runs if run.failure is not None}

    @property
    def test_to_train(self) -> float:
        """Rows judged for each row learned from."""
        return self.folds.share_held_out

    @property
    def values(self) -> dict[str, list[float]]:
        """The value of each metric on each fold that was answered."""
        return {each.name: list(self.by_fold(each).values()) for each in self.scores.metrics}

    @cached_property
    def _found(self) -> dict[str, dict[int, float]]:
        """The values by fold that were asked for so far, by metric."""
        return {}

    def by_fold(self, metric: Metric) -> dict[int, float]:
        """Return the value of a metric by the number of each fold that was answered.

        A fold of one row has no value of what is no mean over rows: RMSE would be MAE there.
        """
        if metric.name not in self._found:
            self._found[metric.name] = {
                run.part: metric.value(run.answers)
                if len(run.answers) > 1 or metric.is_row_mean
                else float("nan")
                for run in self.done
                if run.answers is not None
            }
        return self._found[metric.name]

    def _of_folds(self, name: str | None) -> list[float]:
        """Return the values of the metric of a name on the folds; of the one that judges."""
        metrics = {each.name: each for each in self.scores.metrics}
        return list(self.by_fold(metrics[name or self.metric.name]).values())

    def mean(self, metric: str | None = None) -> float:
        """Return the mean of a metric over the folds; by default of the one that judges."""
        return float(np.mean(self._of_folds(metric)))

    def sd(self, metric: str | None = None) -> float:
        """Return the standard deviation of a metric over the folds (n - 1)."""
        values = self._of_folds(metric)
        return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")

    def interval_of_folds(self, metric: str | None = None, *, level: float = 0.95) -> Interval:
        """Return the mean over the folds with the corrected resampled t interval.

        The folds share their training rows, so that a plain interval would be too narrow (Nadeau
        and Bengio 2003).
        """
        name = metric or self.metric.name
        is_share = next(each.is_share for each in self.scores.metrics if each.name == name)
        return fold_mean(
            self._of_folds(name), test_to_train=self.test_to_train, level=level, is_share=is_share
        )

    def text(self) -> str:
        """Return the figures, the folds, and what is to be known."""
        parts = [self._heading(), self._table()]
        notes = [*self._by_fold(), *(f"note: {each}" for each in self.scores.notes)]
        if notes:
            parts.append("\n".join(notes))
        return "\n\n".join(parts)

    def _heading(self) -> str:
        seed = "" if self.folds.seed is None else f"; seed {self.folds.seed}"
        text = f"{self.name}: {self.folds.method}; {self.n_rows:,} rows{seed}"
        if self.was_stopped:
            text += f"\nstopped after {len(self.runs)} of {len(self.folds)} folds"
        return text

    def _table(self) -> str:
        lines: list[tuple[str, str, str, str, str]] = []
        metric = self.metric
        for each in self.scores.metrics:
            found = self.scores[each.name]
            texts = ColumnTexts.of(each, [found])  # one metric, one number of decimals
            write = each.format if each.is_share else texts.plain
            spread = (write(self.mean(each.name)), write(self.sd(each.name)))
            shown = spread if len(self.done) > 1 and self._has_fold_figures else ("", "")
            lines.append((each.title, found.value_text(), found.ends_text(), *shown))
        rest = []
        if self.scores.baseline is not None:
            value = metric.value(self.scores.baseline)
            rest.append((self.scores.baseline_text, metric.format(value), "", "", ""))
        if self.training is not None:
            value = metric.value(self.training)
            rest.append((f"training {metric.title}", metric.format(value), "", "", ""))
        lines[1:1] = rest
        columns = list(zip(*lines, strict=True))
        heads = ("", "value", f"{100 * self.scores.level:g} % interval", "mean of folds", "sd")
        kept = [i for i in range(5) if i < 3 or any(columns[i])]
        return lay_out([TextColumn(heads[i], columns[i], right=i > 0) for i in kept])

    @property
    def _has_fold_figures(self) -> bool:
        return all(len(run.answers) > 1 for run in self.done if run.answers is not None)

    def _by_fold(self) -> list[str]:
        metric, values = self.metric, self._of_folds(None)
        told = []
        if 1 < len(values) <= 30 and self._has_fold_figures:
            unit = " %" if metric.is_share else ""
            texts = [percent(v, unit=False) for v in values] if metric.is_share else figures(values)
            told.append(wrap_words(f"{metric.title} by fold: {' '.join(texts)}{unit}"))
        leaves = None if self.model is None else leaves_of(self.model)
        if leaves is not None:
            told.append(f"{leaves} {'leaf' if leaves == 1 else 'leaves'} when fitted to all rows")
        for part, words in list(self.failures.items())[:3]:
            told.append(wrap_words(f"failed on fold {part}: {words}"))
        return told

    def to_frame(self) -> Frame:
        """Return a row per fold: rows, seconds, leaves and the value of each metric."""
        return frame_of(
            {
                "fold": [run.part for run in self.done],
                "train_rows": [len(self.folds.splits[run.part].train) for run in self.done],
                "test_rows": [len(self.folds.splits[run.part].test) for run in self.done],
                "seconds": [run.seconds for run in self.done],
                **self.values,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain lists, strings and numbers."""
        return {
            **self.scores.to_dict(),
            "method": self.folds.method,
            "rows": self.n_rows,
            "folds": self.values,
            "failed": {str(part): words for part, words in self.failures.items()},
        }

    def draw(self) -> Picture:
        """Return a picture: the confusion of classes, or predicted numbers against the truth."""
        return self.scores.draw()


def cross_validate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    metrics: Any = None,
    positive: Any = None,
    cost_matrix: Any = None,
    level: float = 0.95,
    refit: bool = True,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> CrossValidation:
    """Return how good a learner is on rows it has not seen, by cross-validation.

    Parameters
    ----------
    learner
        An estimator of ours or of scikit-learn's kind; it stays as it is.
    X, y
        Table and target.
    cv
        Number of folds, ``"leave_one_out"``, a splitter of scikit-learn's kind (``TimeSeriesSplit``
        for rows in order of time), or pairs of row positions.
    repeats
        How often the rows are divided anew. Intervals do not get narrower by it: the rows are the
        same.
    stratify
        Whether each fold has the classes in the proportions of the table.
    groups
        What belongs together, an entry per row: no group is on both sides, learners that draw or
        hold out rows are told, and intervals count groups, not rows.
    sample_weight
        Weights of the rows, in learning and in judging.
    metrics
        Names of metrics, the first of which judges; None: the usual ones.
    positive
        The class that precision and recall are about; by default the second of two.
    cost_matrix
        Cost of each answer, actual classes x predicted ones: the mean cost judges.
    level
        Confidence level.
    refit
        Whether the learner is fitted to all rows at last: ``result.model``.
    n_jobs
        Folds side by side; None and 1: one after the other, with all threads each. The figures do
        not depend on it.
    random_state
        Seed of the division into folds, and of learners that draw without a seed of their own.

    Returns
    -------
    CrossValidation
        Figures with intervals; ``print`` it.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> tennis = load_example("play_tennis")
    >>> found = cross_validate(ID3Classifier(), tennis.X, tennis.y, cv="leave_one_out")
    >>> print(found["error"])
    21.4 %, 7.6 to 47.6 % (95 %)
    """
    check_share("level", level)
    check_flag("refit", refit)
    (entrant,) = learners_of([learner])
    data = read_task_data(
        X,
        y,
        task=task_of([entrant], as_target(y)),
        owner="cross_validate",
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        cost_matrix=cost_matrix,
    )
    asked = metrics_of(metrics, data.task, with_costs=cost_matrix is not None)
    folds = make_folds(data, cv, repeats=repeats, stratify=stratify, seed=random_state)
    runs, was_stopped = run_all([entrant], data, folds, n_jobs=n_jobs, seed=random_state)
    last = None
    if refit and not was_stopped and not entrant.is_fitted:
        everything = Split(train=data.all_rows, test=data.all_rows)
        last = fit_and_answer(entrant, data, everything, seed=random_state)
    return summarised(
        entrant,
        data,
        folds,
        runs,
        asked,
        level=level,
        constants=constants_of(data, folds),
        last=last,
        was_stopped=was_stopped,
    )


def summarised(
    learner: Learner,
    data: TaskData,
    folds: Folds,
    runs: Sequence[Run],
    metrics: tuple[Metric, ...],
    *,
    level: float,
    constants: Callable[[int], Answers],
    last: Run | None = None,
    was_stopped: bool = False,
) -> CrossValidation:
    """Return the figures of one learner from its runs.

    `constants` gives the answers of the best constant on a part, the same for all learners; `last`
    is the run on all rows.
    """
    answered = [run for run in runs if run.answers is not None]
    answers = joined([_with_rows(run, data, folds) for run in answered if run.answers])
    baseline = joined([constants(run.part) for run in answered])
    failed = len(runs) - len(answered)
    notes = folds.notes
    if failed:
        notes += (f"{learner.name} failed on {failed} of {len(folds)} folds",)
    if last is not None and last.failure is not None:
        notes += (f"{learner.name} failed on all rows together: {last.failure_text}",)
    if learner.is_fitted and not isinstance(learner.model, Constant):
        notes += (f"{learner.name} was given as it is: it may have seen these rows",)
    return CrossValidation(
        name=learner.name,
        scores=scored(learner.name, answers, metrics, level, baseline=baseline, notes=notes),
        folds=folds,
        runs=tuple(runs),
        n_rows=data.n_rows,
        model=None if last is None else last.model,
        training=None if last is None else last.answers,
        was_stopped=was_stopped,
    )


def _with_rows(run: Run, data: TaskData, folds: Folds) -> Answers:
    """Return the answers of a run; rows that are answered several times belong together."""
    assert run.answers is not None
    if not folds.judges_again or run.answers.groups is not None:
        return run.answers
    return replace(run.answers, groups=folds.splits[run.part].test)


def constants_of(data: TaskData, folds: Folds) -> Callable[[int], Answers]:
    """Return what gives the answers of the best constant on a part; each is found once."""
    return cache(partial(constant_answers, data, folds))


def constant_answers(data: TaskData, folds: Folds, part: int) -> Answers:
    """Return the answers of the best constant: the most frequent or cheapest class, or the mean."""
    split = folds.splits[part]
    weights = np.ones(data.n_rows) if data.weights is None else data.weights
    answer: Any
    if data.task == "numbers":
        answer = float(np.average(data.y[split.train], weights=weights[split.train]))
        given: Array = np.full(len(split.test), answer)
        return data.judged(split.test, given, None)
    totals = data.class_weights(split.train)
    costs = data.cost_matrix
    best = np.argmax(totals) if costs is None else np.argmin(totals @ costs)
    shares = np.tile(totals / totals.sum(), (len(split.test), 1))
    return data.judged_codes(split.test, np.full(len(split.test), best, dtype=np.int64), shares)
