"""ROC curves: how many rows of a class are found, for how many others taken for it.

Examples
--------
>>> y = ["no", "yes", "no", "yes", "yes", "no", "yes", "no"]
>>> found = roc_curve(y, [0.1, 0.9, 0.4, 0.8, 0.6, 0.7, 0.55, 0.3])
>>> print(found)
ROC curve: 8 rows
<BLANKLINE>
class  rows   area   95 % interval
yes       4  0.875  0.345 to 0.989
>>> found["yes"].points[:3].tolist()
[[0.0, 0.0], [0.0, 0.25], [0.0, 0.5]]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import metrics as sk

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, Line, Picture
from treewright.evaluate.curves.class_curves import AreaCurves
from treewright.evaluate.curves.class_scores import ClassScores, class_scores, read_scores
from treewright.evaluate.intervals import Interval, auc
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import check_share


@dataclass(frozen=True, kw_only=True, eq=False)
class RocLine:
    """The ROC curve of one class, from the highest threshold down.

    Parameters
    ----------
    scores
        Scores of the rows, and which have the class.
    false_positive, true_positive
        Share of the other rows, and of those of the class, whose score reaches each threshold.
    thresholds
        The scores; the first is infinite, and no row reaches it.
    level
        Confidence level of the area's interval.
    """

    scores: ClassScores = field(repr=False)
    false_positive: FloatArray = field(repr=False)
    true_positive: FloatArray = field(repr=False)
    thresholds: FloatArray = field(repr=False)
    level: float

    @cached_property
    def area(self) -> Interval:
        """The area under the curve, with DeLong's interval."""
        rows = self.scores
        return auc(
            rows.is_there, rows.score, weights=rows.weights, groups=rows.groups, level=self.level
        )

    @property
    def points(self) -> FloatArray:
        """False and true positives, a point per line."""
        return np.stack([self.false_positive, self.true_positive], axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class RocCurve(AreaCurves[RocLine]):
    """ROC curves; ``result["late"]`` is that of one class. ``print`` it, or draw it."""

    heading = "ROC curve"
    area_name = "area"
    coordinates = ("false_positive", "true_positive")

    def draw(self) -> Picture:
        """Return the curves as a picture."""
        lines = [
            self.drawn(
                line,
                (line.false_positive, line.true_positive),
                (line.area.value_text(), line.area.ends_text()),
                is_first=place == 0,
            )
            for place, line in enumerate(self.by_area)
        ]
        return Chart(
            title=self._title(),
            subtitle=f"ROC curve, {self.of_classes}; up: true positives",
            caption=f"{self.rows_text} Intervals of the area: DeLong.",
            x=Axis("false positives: others taken for the class", limits=(0, 1), form="percent"),
            y=Axis(limits=(0, 1), form="percent"),
            marks=[
                *lines,
                Line(np.array([0, 1]), np.array([0, 1]), role="reference", name="no skill"),
            ],
            heads=("area", self.level_in_picture),
            square=True,
        )

    def _title(self) -> str:
        leader = self.leader
        if leader is not None:
            return f"{leader.scores.name} is told apart best, area {leader.area.value_text()}"
        if len(self.lines) == 1 and self.lines[0].area.low > 0.5:
            found = self.lines[0]
            return f"{found.scores.name} is told apart with area {found.area.value_text()}"
        return self.heading


def roc_curve(
    y: Any,
    scores: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> RocCurve:
    """Return the ROC curve of scores, with its area (Fawcett 2006, Pattern Recogn. Lett. 27).

    Parameters
    ----------
    y
        The class of each row.
    scores
        Scores or probabilities: one number per row, for the positive class, or rows x classes.
        Equal scores are one point.
    classes
        All classes in order of the columns of `scores`; by default those of `y`, ascending.
    positive
        The class that is asked about; by default the second of two. Of more, each has a curve.
    sample_weight, groups
        Weights of the rows; what belongs together, and counts as one in the interval.
    level
        Confidence level of the area's interval.

    Examples
    --------
    >>> found = roc_curve([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.2])
    >>> found[1].area.value
    0.875
    >>> found[1].thresholds.tolist()
    [inf, 0.8, 0.5, 0.2]
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
    return roc_of(answers, level=level)


def roc_of(answers: Answers, *, level: float) -> RocCurve:
    """Return the ROC curves of answers."""
    lines = [_line(each, level) for each in class_scores(answers, what="a ROC curve")]
    return RocCurve(lines=tuple(lines), level=level, n_classes=len(answers.classes))


def _line(scores: ClassScores, level: float) -> RocLine:
    distinct, rank = scores.ranks()
    false_positive, true_positive, reached = sk.roc_curve(
        scores.is_there, rank, sample_weight=scores.weights, drop_intermediate=False
    )
    at = distinct[reached[1:].astype(np.int64)]
    return RocLine(
        scores=scores,
        false_positive=false_positive,
        true_positive=true_positive,
        thresholds=np.concatenate([[np.inf], at]),
        level=level,
    )
