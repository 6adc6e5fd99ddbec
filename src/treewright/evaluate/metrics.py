"""Metrics: what is computed from answers, what is better, and the interval each has.

The values are scikit-learn's, where it has the metric; 0/0 counts as 0 (precision of a class that
is never predicted, recall of one that never occurs, F where both are 0), as the lectures have it.
Of more than two classes, precision, recall, specificity and F are means over the classes, and the
area under the curve is the mean of each class against the rest.

A share of rows has Wilson's interval, a mean over rows Student's, the area under the curve
DeLong's. What is a smooth function of means (F, MCC, R2, ...) has the interval of its linear part,
the delta method (van der Vaart 1998, chapter 3). Each counts groups as one, where there are groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn import metrics as sk

from treewright.array_types import BoolArray, FloatArray
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate.intervals import (
    Interval,
    auc,
    auc_one_vs_rest,
    average_precision,
    bootstrap,
    root_mean_square,
    row_mean,
    share,
)
from treewright.evaluate.intervals.delta import delta, slopes
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import is_list, nearest_hint
from treewright.text.numbers import figure, figures, percent, separated

Task = Literal["classes", "numbers"]
OfCounts = Callable[[FloatArray, int], float]
"""Of a matrix of counts, rows actual, and the code of a class."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A figure of how good answers are.

    Parameters
    ----------
    name, title
        As the user writes it and as it is printed.
    task
        What is predicted.
    value
        Returns the figure of some answers; nan where it is not defined.
    interval
        Returns the figure with its confidence interval of a level.
    higher_is_better
        Whether more of it is better.
    is_share
        Whether it is printed as a percentage.
    is_row_mean
        Whether it is a mean over rows, which a single row has, too.
    needs
        What it is computed from beside the answers.
    """

    name: str
    title: str
    task: Task
    value: Callable[[Answers], float]
    interval: Callable[[Answers, float], Interval]
    higher_is_better: bool = True
    is_share: bool = False
    is_row_mean: bool = False
    needs: Literal["answers", "probabilities", "costs"] = "answers"

    def format(self, value: float) -> str:
        """Return the text of a value."""
        return percent(value) if self.is_share else separated(figure(value))

    def differences(self, values: Sequence[float | None]) -> list[str]:
        """Return the texts of differences, with their signs; those of shares in points."""
        if self.is_share:
            return ["" if each is None else _signed(percent(each, unit=False)) for each in values]
        return [text and _signed(separated(text)) for text in figures(values)]

    def is_known(self, answers: Answers) -> bool:
        """Return whether the answers have what the metric needs."""
        if self.needs == "probabilities":
            return answers.probabilities is not None
        return self.needs != "costs" or answers.cost_matrix is not None


def _signed(text: str) -> str:
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0


def _share_of_rows(name: str, counts: Callable[[Answers], BoolArray]) -> Metric:
    return Metric(
        name=name,
        title=name,
        task="classes",
        value=lambda a: _ratio(a.row_weights[counts(a)].sum(), a.row_weights.sum()),
        interval=lambda a, level: share(counts(a), weights=a.weights, groups=a.groups, level=level),
        is_share=True,
        is_row_mean=True,
        higher_is_better=name != "error",
    )


def _of_class(
    name: str,
    of_counts: OfCounts,
    within: Callable[[Answers, int], tuple[BoolArray, BoolArray]] | None = None,
    *,
    title: str = "",
) -> Metric:
    """Return a figure of the positive class, or its mean over more than two classes.

    Parameters
    ----------
    name, title
        Of the metric.
    of_counts
        The figure of one class.
    within
        Where it is a share: the rows it is the share of, and those that count.
    """

    def value_of_counts(counts: FloatArray, positive: int | None) -> float:
        codes = range(len(counts)) if positive is None else [positive]
        return float(np.mean([of_counts(counts, code) for code in codes]))

    linear = _of_counts(name, value_of_counts, is_share=within is not None, title=title)

    def interval(answers: Answers, level: float) -> Interval:
        if within is None or answers.positive is None:
            return linear.interval(answers, level)
        rows, counts = within(answers, answers.positive_code)
        part = answers.rows(rows)
        if part.row_weights.sum() == 0:  # 0/0 counts as 0, and nothing is known
            return Interval(value=0.0, low=0.0, high=1.0, level=level, method="none", is_share=True)
        return share(counts[rows], weights=part.weights, groups=part.groups, level=level)

    return Metric(
        name=name,
        title=linear.title,
        task="classes",
        value=linear.value,
        interval=interval,
        is_share=linear.is_share,
    )


def _of_counts(
    name: str,
    of_counts: Callable[[FloatArray, int | None], float],
    *,
    is_share: bool = False,
    title: str = "",
) -> Metric:
    """Return a figure of the whole matrix of counts."""

    def value(answers: Answers) -> float:
        code = None if answers.positive is None else answers.positive_code
        return of_counts(answers.counts(), code)

    def interval(answers: Answers, level: float) -> Interval:
        code = None if answers.positive is None else answers.positive_code
        steep = slopes(lambda counts: of_counts(counts, code), answers.counts())
        influence = steep[answers.actual_codes, answers.predicted_codes]
        return delta(
            value(answers),
            influence,
            weights=answers.weights,
            groups=answers.groups,
            bounds=(0.0 if is_share else -1.0, 1.0),
            level=level,
            is_share=is_share,
        )

    return Metric(
        name=name,
        title=title or name,
        task="classes",
        value=value,
        interval=interval,
        is_share=is_share,
    )


def _mean_loss(
    name: str,
    title: str,
    loss: Callable[[Answers], FloatArray],
    *,
    task: Task = "classes",
    needs: Literal["answers", "probabilities", "costs"] = "probabilities",
) -> Metric:
    return Metric(
        name=name,
        title=title,
        task=task,
        value=lambda a: float(np.average(loss(a), weights=a.weights)),
        interval=lambda a, level: row_mean(
            loss(a), weights=a.weights, groups=a.groups, bounds=(0.0, math.inf), level=level
        ),
        higher_is_better=False,
        is_row_mean=True,
        needs=needs,
    )


def _precision(counts: FloatArray, code: int) -> float:
    return _ratio(counts[code, code], counts[:, code].sum())


def _recall(counts: FloatArray, code: int) -> float:
    return _ratio(counts[code, code], counts[code].sum())


def _specificity(counts: FloatArray, code: int) -> float:
    others = np.delete(counts, code, axis=0)
    return _ratio(np.delete(others, code, axis=1).sum(), others.sum())


def _precise(answers: Answers, code: int) -> tuple[BoolArray, BoolArray]:
    return answers.predicted_codes == code, answers.is_right


def _recalled(answers: Answers, code: int) -> tuple[BoolArray, BoolArray]:
    return answers.actual_codes == code, answers.is_right


def _denied(answers: Answers, code: int) -> tuple[BoolArray, BoolArray]:
    return answers.actual_codes != code, answers.predicted_codes != code


def f_beta(beta: float) -> Metric:
    """Return the metric F_beta (van Rijsbergen 1979): recall counts beta times as much."""

    def value(counts: FloatArray, code: int) -> float:
        precision, recall = _precision(counts, code), _recall(counts, code)
        return _ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)

    return _of_class(f"f{beta:g}", value, title=f"F{beta:g}")


def _balanced(counts: FloatArray, positive: int | None) -> float:
    """Mean recall of the classes that occur, as scikit-learn has it."""
    occur = np.flatnonzero(counts.sum(axis=1) > 0).tolist()
    return float(np.mean([_recall(counts, code) for code in occur]))


def _mcc(counts: FloatArray, positive: int | None) -> float:
    """Matthews 1975; for several classes Gorodkin 2004, as scikit-learn has it; 0/0 is 0."""
    actual, predicted = counts.sum(axis=1), counts.sum(axis=0)
    total = counts.sum()
    together = np.trace(counts) * total - actual @ predicted
    alone = (total**2 - actual @ actual) * (total**2 - predicted @ predicted)
    return float(together / math.sqrt(alone)) if alone > 0 else 0.0


def _kappa(counts: FloatArray, positive: int | None) -> float:
    """Cohen 1960; 0 where one class alone is there, and nothing goes beyond chance."""
    total = counts.sum()
    by_chance = float(counts.sum(axis=1) @ counts.sum(axis=0)) / total**2
    if by_chance >= 1.0:
        return 0.0
    return float((np.trace(counts) / total - by_chance) / (1 - by_chance))


def _ranked(answers: Answers, figure_of: Callable[..., float]) -> float:
    """Return a figure of the ranking by probability: of the positive class, or the mean."""
    assert answers.probabilities is not None
    found = [
        figure_of(
            answers.actual_codes == code,
            answers.probabilities[:, code],
            sample_weight=answers.weights,
        )
        for code in ranked_codes(answers)
    ]
    return float(np.mean(found)) if found else math.nan


def ranked_codes(answers: Answers) -> list[int]:
    """Return the classes that a ranking is judged by.

    Of two classes the positive one; of more, each that some rows have and others do not.
    """
    asked = range(len(answers.classes)) if answers.positive is None else [answers.positive_code]
    counts = np.bincount(answers.actual_codes, answers.weights, len(answers.classes))
    return [code for code in asked if 0 < counts[code] < counts.sum()]


def _auc_interval(answers: Answers, level: float) -> Interval:
    assert answers.probabilities is not None
    codes = ranked_codes(answers)
    weights, groups = answers.weights, answers.groups
    if not codes:
        return Interval(value=math.nan, low=0.0, high=1.0, level=level, method="DeLong")
    scores = answers.probabilities[:, codes]
    if len(codes) == 1:
        is_there = answers.actual_codes == codes[0]
        return auc(is_there, scores[:, 0], weights=weights, groups=groups, level=level)
    return auc_one_vs_rest(
        answers.actual_codes, scores, classes=codes, weights=weights, groups=groups, level=level
    )


def _average_precision_interval(answers: Answers, level: float) -> Interval:
    assert answers.probabilities is not None
    codes = ranked_codes(answers)
    if len(codes) == 1:
        return average_precision(
            answers.actual_codes == codes[0],
            answers.probabilities[:, codes[0]],
            weights=answers.weights,
            groups=answers.groups,
            level=level,
        )
    value = _ranked(answers, sk.average_precision_score)
    unknown = Interval(value=value, low=0.0, high=1.0, level=level, method="bootstrap")
    counts = np.bincount(answers.actual_codes, minlength=len(answers.classes))
    if math.isnan(value) or counts[counts > 0].min() < 2:
        return unknown  # one row cannot show how rows vary
    try:
        return bootstrap(
            lambda drawn: _ranked(answers.rows(drawn.astype(np.int64)), sk.average_precision_score),
            np.arange(len(answers)),
            groups=answers.groups,
            strata=answers.actual_codes if answers.groups is None else None,
            n_resamples=500,
            level=level,
        )
    except DataError:  # a class in so few groups that some draws have none
        return unknown


def _log_losses(answers: Answers) -> FloatArray:
    # Clipped as scikit-learn does, so that one impossible event is not infinitely bad.
    assert answers.probabilities is not None
    least = np.finfo(np.float64).eps
    given = answers.probabilities[np.arange(len(answers)), answers.actual_codes]
    return np.asarray(-np.log(np.clip(given, least, 1 - least)))


def _brier_losses(answers: Answers) -> FloatArray:
    """Brier 1950; of two classes the square for one of them, as scikit-learn has it."""
    assert answers.probabilities is not None
    truth = np.zeros(answers.probabilities.shape)
    truth[np.arange(len(answers)), answers.actual_codes] = 1.0
    squares = np.sum((answers.probabilities - truth) ** 2, axis=1)
    return np.asarray(squares / 2 if len(answers.classes) == 2 else squares)


def _costs(answers: Answers) -> FloatArray:
    assert answers.cost_matrix is not None
    cost: FloatArray = answers.cost_matrix[answers.actual_codes, answers.predicted_codes]
    return cost


def _errors(answers: Answers) -> FloatArray:
    numbers: FloatArray = answers.predicted.astype(np.float64) - answers.actual.astype(np.float64)
    return numbers


def _r2(answers: Answers) -> float:
    if len(answers) < 2:
        return math.nan
    return float(sk.r2_score(answers.actual, answers.predicted, sample_weight=answers.weights))


def _r2_interval(answers: Answers, level: float) -> Interval:
    """R2 is 1 - A / B, of the mean square A around the answers and B around the mean."""
    actual = answers.actual.astype(np.float64)
    around = (actual - np.average(actual, weights=answers.weights)) ** 2
    beside = _errors(answers) ** 2
    a, b = (float(np.average(each, weights=answers.weights)) for each in (beside, around))
    value = _r2(answers)
    if b == 0 or math.isnan(value):
        return Interval(value=value, low=-math.inf, high=1.0, level=level, method="delta")
    influence = -beside / b + a * around / b**2
    return delta(
        value,
        influence,
        weights=answers.weights,
        groups=answers.groups,
        bounds=(-math.inf, 1.0),
        level=level,
    )


_ALL = (
    _share_of_rows("accuracy", lambda a: a.is_right),
    _share_of_rows("error", lambda a: ~a.is_right),
    _of_counts("balanced_accuracy", _balanced, is_share=True, title="balanced accuracy"),
    _of_class("precision", _precision, _precise),
    _of_class("recall", _recall, _recalled),
    _of_class("specificity", _specificity, _denied),
    _of_counts("mcc", _mcc, title="MCC"),
    _of_counts("kappa", _kappa),
    Metric(
        name="auc",
        title="AUC",
        task="classes",
        needs="probabilities",
        value=lambda a: _ranked(a, sk.roc_auc_score),
        interval=_auc_interval,
    ),
    Metric(
        name="average_precision",
        title="average precision",
        task="classes",
        needs="probabilities",
        value=lambda a: _ranked(a, sk.average_precision_score),
        interval=_average_precision_interval,
    ),
    _mean_loss("log_loss", "log loss", _log_losses),
    _mean_loss("brier", "Brier score", _brier_losses),
    _mean_loss("mean_cost", "mean cost", _costs, needs="costs"),
    Metric(
        name="rmse",
        title="RMSE",
        task="numbers",
        higher_is_better=False,
        value=lambda a: math.sqrt(float(np.average(_errors(a) ** 2, weights=a.weights))),
        interval=lambda a, level: root_mean_square(
            _errors(a), weights=a.weights, groups=a.groups, level=level
        ),
    ),
    _mean_loss("mse", "MSE", lambda a: _errors(a) ** 2, task="numbers", needs="answers"),
    _mean_loss("mae", "MAE", lambda a: np.abs(_errors(a)), task="numbers", needs="answers"),
    Metric(name="r2", title="R2", task="numbers", value=_r2, interval=_r2_interval),
)
METRICS = {metric.name: metric for metric in _ALL}

_USUAL: dict[Task, tuple[str, ...]] = {
    "classes": ("error", "balanced_accuracy", "auc", "log_loss", "brier"),
    "numbers": ("rmse", "mae", "r2"),
}


def metric_of(name: object, task: Task) -> Metric:
    """Return the metric of a name, such as ``"error"`` or ``"f0.5"``."""
    if isinstance(name, Metric):
        found: Metric | None = name
    else:
        found = METRICS.get(name) if isinstance(name, str) else None
        if found is None and isinstance(name, str) and name[:1] == "f" and _is_beta(name[1:]):
            found = f_beta(float(name[1:]))
    if found is None:
        names = [metric.name for metric in _ALL if metric.task == task]
        listed = ", ".join(names) + (", f1 (f0.5, f2, ...)" if task == "classes" else "")
        raise ParameterError(
            f"metric {name!r} is not known.\n  Metrics of {task}: {listed}."
            f"{nearest_hint(name, names)}"
        )
    if found.task != task:
        raise UnsupportedError(
            f"metric {found.name!r} is for {found.task}, and {task} are predicted here."
        )
    return found


def metrics_of(names: object, task: Task, *, with_costs: bool = False) -> tuple[Metric, ...]:
    """Return the metrics asked for, or the usual ones; the first is the one that judges."""
    if names is None:
        usual = (("mean_cost",) if with_costs else ()) + _USUAL[task]
        return tuple(METRICS[name] for name in usual)
    asked: Iterable[object] = names if is_list(names) else [names]  # type: ignore[assignment]
    found: Sequence[Metric] = [metric_of(name, task) for name in asked]
    if not found:
        raise ParameterError("metrics=[] names none.\n  Hint: metrics=None takes the usual ones.")
    return tuple({metric.name: metric for metric in found}.values())


def _is_beta(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False
