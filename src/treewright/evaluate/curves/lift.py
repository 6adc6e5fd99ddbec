"""Lift: how many rows of a class are found by asking those of highest score first.

Examples
--------
>>> y = ["yes"] * 10 + ["no"] * 90
>>> found = lift_curve(y, [1 - row / 100 for row in range(100)], positive="yes")
>>> print(found)
lift: 100 rows, those of highest score first
<BLANKLINE>
class  first    found    95 % interval   lift
yes      5 %   50.0 %   23.7 to 76.3 %  10.00
yes     10 %  100.0 %  72.2 to 100.0 %  10.00
yes     20 %  100.0 %  72.2 to 100.0 %   5.00
yes     30 %  100.0 %  72.2 to 100.0 %   3.33
yes     50 %  100.0 %  72.2 to 100.0 %   2.00
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, Line, Picture
from treewright.chart.words import percent as whole_percent
from treewright.data.frame import Frame
from treewright.evaluate.curves.class_curves import ClassCurves
from treewright.evaluate.curves.class_scores import ClassScores, read_scores
from treewright.evaluate.curves.roc import RocLine, roc_of
from treewright.evaluate.intervals import Interval, wilson
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.result import frame_of
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import check_number, check_share
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out

_DEPTHS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of the rows that the table tells of."""

_TITLE_DEPTH = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class LiftLine:
    """Cumulative gain and lift of one class, the rows of highest score first.

    Parameters
    ----------
    scores
        Scores of the rows, and which have the class.
    taken
        Share of all rows taken so far; starts at 0. Rows of equal score are taken together.
    found
        Share of the rows of the class among them: the cumulative gain.
    thresholds
        The score down to which rows are taken; the first is infinite.
    level
        Confidence level.
    """

    scores: ClassScores = field(repr=False)
    taken: FloatArray = field(repr=False)
    found: FloatArray = field(repr=False)
    thresholds: FloatArray = field(repr=False)
    level: float

    @property
    def lift(self) -> FloatArray:
        """What is found over what rows at random would find; from the second point on."""
        return np.asarray(self.found[1:] / self.taken[1:])

    def gain(self, first: float) -> Interval:
        """Return the share of the class among the first share of all rows.

        Within rows of equal score, as rows at random are found. The interval is Wilson's, of the
        rows of the class; where there are groups, of as many rows as groups have it.
        """
        check_number("first", first, low=0.0, high=1.0)
        value = float(np.interp(first, self.taken, self.found))
        there, groups = self.scores.is_there, self.scores.groups
        rows = Clusters.read(
            int(there.sum()),
            None if self.scores.weights is None else self.scores.weights[there],
            None if groups is None else groups[there],
        )
        n = rows.effective_rows if rows.group_of_row is None else float(rows.n_groups)
        return replace(wilson(value * n, n, level=self.level), value=value)


@dataclass(frozen=True, kw_only=True, eq=False)
class LiftCurve(ClassCurves[LiftLine]):
    """Cumulative gain and lift by class; ``result["late"]`` is that of one."""

    def text(self) -> str:
        """Return what the first rows hold."""
        rows = [(line, first) for line in self.lines for first in _DEPTHS]
        gains = [line.gain(first) for line, first in rows]
        lifts = [gain.value / first for gain, (_, first) in zip(gains, rows, strict=True)]
        table = lay_out(
            [
                TextColumn("class", [str(line.scores.name) for line, _ in rows]),
                TextColumn("first", [f"{100 * first:g} %" for _, first in rows], right=True),
                TextColumn("found", [percent(each.value) for each in gains], right=True),
                TextColumn(self.level_text, [each.ends_text() for each in gains], right=True),
                TextColumn("lift", figures(lifts), right=True),
            ]
        )
        return f"lift: {self.n_rows:,} rows, those of highest score first\n\n{table}"

    def to_frame(self) -> Frame:
        """Return a row per class and threshold; the lift of no rows is missing."""
        return frame_of(
            {
                "class": [line.scores.name for line in self.lines for _ in line.taken],
                "threshold": [each for line in self.lines for each in line.thresholds.tolist()],
                "taken": [each for line in self.lines for each in line.taken.tolist()],
                "found": [each for line in self.lines for each in line.found.tolist()],
                "lift": [each for line in self.lines for each in [None, *line.lift.tolist()]],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain lists and numbers."""
        return {
            "rows": self.n_rows,
            "curves": [
                {
                    "class": line.scores.name,
                    "taken": line.taken.tolist(),
                    "found": line.found.tolist(),
                    "lift": [None, *line.lift.tolist()],
                }
                for line in self.lines
            ],
        }

    @property
    def _by_gain(self) -> list[LiftLine]:
        """The lines, the largest gain first."""
        return sorted(self.lines, key=lambda line: -line.gain(_TITLE_DEPTH).value)

    @property
    def standing_out(self) -> str:
        """The class with the largest gain."""
        return f"{self._by_gain[0].scores.name}, of largest gain"

    def draw(self) -> Picture:
        """Return the cumulative gain as a picture."""
        lines = []
        for place, line in enumerate(self._by_gain):
            gain = line.gain(_TITLE_DEPTH)
            columns = (percent(gain.value), f"{gain.value / _TITLE_DEPTH:.1f}")
            points = (line.taken, line.found)
            lines.append(self.drawn(line, points, columns, is_first=place == 0))
        marks = [
            *lines,
            Line(np.array([0, 1]), np.array([0, 1]), role="reference", name="rows at random"),
        ]
        if len(self.lines) == 1:
            base = self.lines[0].scores.base_rate
            perfect = np.array([0.0, base, 1.0]), np.array([0.0, 1.0, 1.0])
            marks.append(Line(*perfect, role="reference", name="perfect order"))
        depth = whole_percent(_TITLE_DEPTH)
        return Chart(
            title=self._title(),
            subtitle=f"Cumulative gain, {self.of_classes}; up: share of the class found",
            caption=f"{self.rows_text} Lift: share found over share of rows.",
            x=Axis("rows, those of highest score first", limits=(0, 1), form="percent"),
            y=Axis(limits=(0, 1), form="percent"),
            marks=marks,
            heads=(f"in first {depth}", "lift"),
            square=True,
        )

    def _title(self) -> str:
        if len(self.lines) > 1:
            return "Cumulative gain"
        line = self.lines[0]
        gain = line.gain(_TITLE_DEPTH)
        if gain.low <= _TITLE_DEPTH:
            return "Cumulative gain"
        return (
            f"The first {whole_percent(_TITLE_DEPTH)} of the rows hold"
            f" {whole_percent(gain.value)} of {line.scores.name}"
        )


def lift_curve(
    y: Any,
    scores: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> LiftCurve:
    """Return how many rows of a class are found by taking those of highest score first.

    Parameters
    ----------
    y, scores, classes, positive, sample_weight, groups, level
        As for :func:`roc_curve`.

    Examples
    --------
    >>> found = lift_curve([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> found[1].taken.tolist(), found[1].found.tolist(), found[1].lift.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 1.0, 1.0, 1.0], [2.0, 2.0, 1.3333333333333333, 1.0])
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
    return lift_of(answers, level=level)


def lift_of(answers: Answers, *, level: float) -> LiftCurve:
    """Return cumulative gain and lift of answers."""
    lines = tuple(_line(each) for each in roc_of(answers, level=level).lines)
    return LiftCurve(lines=lines, level=level, n_classes=len(answers.classes))


def _line(roc: RocLine) -> LiftLine:
    """Return the gain curve: the ROC curve with all rows, not the others, across."""
    base = roc.scores.base_rate
    return LiftLine(
        scores=roc.scores,
        taken=base * roc.true_positive + (1 - base) * roc.false_positive,
        found=roc.true_positive,
        thresholds=roc.thresholds,
        level=roc.level,
    )
