"""Precision and recall: how many rows taken for a class have it, and how many of it are found.

Examples
--------
>>> y = ["no", "yes", "no", "yes", "yes", "no", "yes", "no"]
>>> found = precision_recall_curve(y, [0.1, 0.9, 0.4, 0.8, 0.6, 0.7, 0.55, 0.3])
>>> found["yes"].points[:3].round(3).tolist()
[[0.25, 1.0], [0.5, 1.0], [0.5, 0.667]]
>>> round(found["yes"].area.value, 4)
0.8875
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import metrics as sk

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, Picture, Rule
from treewright.chart.words import percent as whole_percent
from treewright.evaluate.curves.class_curves import AreaCurves
from treewright.evaluate.curves.class_scores import ClassScores, class_scores, read_scores
from treewright.evaluate.intervals import Interval, average_precision
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import check_share


@dataclass(frozen=True, kw_only=True, eq=False)
class PrecisionRecallLine:
    """Precision and recall of one class, from the highest threshold down.

    Parameters
    ----------
    scores
        Scores of the rows, and which have the class.
    recall, precision
        At each threshold; at the first one at least one row is taken for the class.
    thresholds
        The scores, from the highest down.
    level
        Confidence level of the area's interval.
    """

    scores: ClassScores = field(repr=False)
    recall: FloatArray = field(repr=False)
    precision: FloatArray = field(repr=False)
    thresholds: FloatArray = field(repr=False)
    level: float

    @cached_property
    def area(self) -> Interval:
        """Average precision: the area under the steps, with the logit interval."""
        rows = self.scores
        return average_precision(
            rows.is_there, rows.score, weights=rows.weights, groups=rows.groups, level=self.level
        )

    @property
    def points(self) -> FloatArray:
        """Recall and precision, a point per line."""
        return np.stack([self.recall, self.precision], axis=1)

    def steps(self) -> tuple[FloatArray, FloatArray]:
        """Return the line that average precision is the area under.

        Straight lines between the points would promise too much (Davis and Goadrich 2006).
        """
        before = np.concatenate([[0.0], self.recall[:-1]])
        x = np.stack([before, self.recall], axis=1).ravel()
        return x, np.repeat(self.precision, 2)


@dataclass(frozen=True, kw_only=True, eq=False)
class PrecisionRecallCurve(AreaCurves[PrecisionRecallLine]):
    """Curves of precision and recall; ``result["late"]`` is that of one class."""

    heading = "precision and recall"
    area_name = "average precision"
    coordinates = ("recall", "precision")

    def draw(self) -> Picture:
        """Return the curves as a picture."""
        lines = [
            self.drawn(
                line,
                line.steps(),
                (
                    line.area.value_text(),
                    line.area.ends_text(),
                    whole_percent(line.scores.base_rate),
                ),
                is_first=place == 0,
            )
            for place, line in enumerate(self.by_area)
        ]
        marks: list[Any] = [*lines]
        if len(self.lines) == 1:
            base = self.lines[0].scores.base_rate
            marks.append(Rule(y=base, name=f"base rate {whole_percent(base)}"))
        return Chart(
            title=self._title(),
            subtitle=f"Precision against recall, {self.of_classes}; up: precision",
            caption=f"{self.rows_text} Intervals of the area: logit (Boyd et al. 2013).",
            x=Axis("recall: share of the class that is found", limits=(0, 1), form="percent"),
            y=Axis(limits=(0, 1), form="percent"),
            marks=marks,
            heads=("area", self.level_in_picture, "base rate"),
            square=True,
        )

    def _title(self) -> str:
        leader = self.leader
        rates = [line.scores.base_rate for line in self.lines]
        # The most frequent class is found best by luck alone.
        if leader is not None and leader.scores.base_rate < max(rates):
            return f"{leader.scores.name} is found best, area {leader.area.value_text()}"
        found = self.lines[0]
        if len(self.lines) == 1 and found.area.low > found.scores.base_rate:
            return f"{found.scores.name} is found with average precision {found.area.value_text()}"
        return "Precision and recall"


def precision_recall_curve(
    y: Any,
    scores: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold, from the highest down.

    The first point is that of the highest score: where no row is taken for the class there is no
    precision, and so no point.

    Parameters
    ----------
    y, scores, classes, positive, sample_weight, groups, level
        As for :func:`roc_curve`.

    Examples
    --------
    >>> found = precision_recall_curve([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.2])
    >>> found[1].points.round(3).tolist()
    [[0.5, 1.0], [1.0, 0.667], [1.0, 0.5]]
    """
    check_share("level", level)
    answers = read_scores(
        y,
        scores,
        classes=classes,
        positive=positive,
        sample_weight=sample_weight,
        groups=groups,
    )
    return precision_recall_of(answers, level=level)


def precision_recall_of(answers: Answers, *, level: float) -> PrecisionRecallCurve:
    """Return the curves of precision and recall of answers."""
    found = class_scores(answers, what="a curve of precision and recall")
    return PrecisionRecallCurve(
        lines=tuple(_line(each, level) for each in found),
        level=level,
        n_classes=len(answers.classes),
    )


def _line(scores: ClassScores, level: float) -> PrecisionRecallLine:
    distinct, rank = scores.ranks()
    precision, recall, reached = sk.precision_recall_curve(
        scores.is_there, rank, sample_weight=scores.weights
    )
    # The last point, precision 1 at recall 0, is a convention and no threshold's.
    return PrecisionRecallLine(
        scores=scores,
        recall=recall[-2::-1],
        precision=precision[-2::-1],
        thresholds=distinct[reached[::-1].astype(np.int64)],
        level=level,
    )
