"""How wrong a learner is on rows it has seen and on rows held out, as a point of a curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Axis, Line
from treewright.chart.words import NARROW_SPACE
from treewright.evaluate.intervals.means import fold_error
from treewright.evaluate.metrics import Metric
from treewright.evaluate.trial.answers import Answers, joined
from treewright.evaluate.trial.run import Run
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """What the folds found; nan where no fold was answered.

    Parameters
    ----------
    validated
        The metric of the rows held out, over all folds together.
    standard_error
        Of `validated`: standard deviation over the folds over the root of their number (Hastie,
        Tibshirani and Friedman 2009, section 7.10). Repeats do not make it smaller, as the rows
        are the same.
    training
        The metric of the rows learned from, over all folds together.
    n_leaves
        Mean number of leaves of single trees; None of other models.
    values
        The metric of each fold.
    n_failed
        Folds on which the learner failed.
    """

    validated: float
    standard_error: float
    training: float
    n_leaves: float | None
    values: tuple[float, ...]
    n_failed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers; what is not known is None."""
        return {
            "validated": _known(self.validated),
            "standard_error": _known(self.standard_error),
            "training": _known(self.training),
            "leaves": self.n_leaves,
            "folds": list(self.values),
            "failed": self.n_failed,
        }


def measure(runs: Sequence[Run], metric: Metric, *, n_repeats: int = 1) -> Measured:
    """Return what the runs of one learner say, each on rows of its own."""
    done = [run for run in runs if run.answers is not None]
    leaves = [run.n_leaves for run in done]
    counted = [each for each in leaves if each is not None]
    values = [metric.value(run.answers) for run in done if run.answers is not None]
    known = [value for value in values if math.isfinite(value)]
    error = fold_error(known) * math.sqrt(n_repeats) if len(known) > 1 else math.nan
    return Measured(
        validated=_together([run.answers for run in done], metric),
        standard_error=error,
        training=_together([run.training_answers for run in done], metric),
        n_leaves=float(np.mean(counted)) if counted and len(counted) == len(leaves) else None,
        values=tuple(values),
        n_failed=len(runs) - len(done),
    )


def is_better(metric: Metric, one: float, other: float) -> bool:
    """Return whether a value of the metric is better than another."""
    return one > other if metric.higher_is_better else one < other


def error_lines(x: FloatArray, points: Sequence[Measured], validated: str) -> list[Line]:
    """Return the lines of training and of rows held out, the latter with its standard error."""
    at = np.array([each.validated for each in points])
    spread = np.array([each.standard_error for each in points])
    spread = np.where(np.isfinite(spread), spread, 0.0)
    has_band = bool(np.any(spread > 0))
    return [
        Line(
            x,
            at,
            name=validated,
            note="± 1 SE" if has_band else "",
            low=at - spread if has_band else None,
            high=at + spread if has_band else None,
        ),
        Line(x, np.array([each.training for each in points]), role="training", name="training"),
    ]


def error_axis(metric: Metric) -> Axis:
    """Return the axis of a metric: errors are drawn from 0."""
    start = None if metric.higher_is_better else 0.0
    return Axis(
        "" if metric.is_share else metric.title,
        limits=(start, None),
        form="percent" if metric.is_share else "number",
    )


def in_picture(metric: Metric, value: float) -> str:
    """Return a value of the metric as pictures write it: a narrow space before the percent sign."""
    return metric.format(value).replace(" %", f"{NARROW_SPACE}%")


def sentence_title(metric: Metric) -> str:
    """Return the title of the metric at the beginning of a sentence: ``RMSE``, ``Error``."""
    return metric.title[:1].upper() + metric.title[1:]


def written(metric: Metric, values: Sequence[float]) -> list[str]:
    """Return values of the metric as a column of a table; empty where not known."""
    if metric.is_share:
        return ["" if math.isnan(value) else percent(value) for value in values]
    return figures([None if math.isnan(value) else value for value in values])


def measured_columns(metric: Metric, points: Sequence[Measured]) -> list[TextColumn]:
    """Return the columns of a table: training, validated, its standard error, and leaves."""
    columns = [
        TextColumn(head, written(metric, values), right=True)
        for head, values in (
            ("training", [each.training for each in points]),
            ("validated", [each.validated for each in points]),
            ("SE", [each.standard_error for each in points]),
        )
    ]
    leaves = [each.n_leaves for each in points]
    if any(each is not None for each in leaves):
        shown = ["" if each is None else f"{each:.0f}" for each in leaves]
        columns.append(TextColumn("leaves", shown, right=True))
    return columns


def measured_frame(points: Sequence[Measured]) -> dict[str, list[Any]]:
    """Return the columns of a frame: training, validated, its standard error, and leaves."""
    return {
        "training": [each.training for each in points],
        "validated": [each.validated for each in points],
        "standard_error": [each.standard_error for each in points],
        "leaves": [each.n_leaves for each in points],
    }


def failure_notes(name: str, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return what went wrong, if anything did: how often, and the first reason."""
    failed = [run for run in runs if run.failure is not None]
    if not failed:
        return ()
    return (f"{name} failed {len(failed)} of {len(runs)} times: {failed[0].failure_text}",)


def _together(parts: Sequence[Answers | None], metric: Metric) -> float:
    known = [each for each in parts if each is not None]
    return metric.value(joined(known)) if known else math.nan


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
