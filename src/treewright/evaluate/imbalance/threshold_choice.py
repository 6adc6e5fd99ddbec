"""A chosen threshold, the curve behind it, and how it is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, Line, Mark, Picture, Rule
from treewright.data.frame import Frame
from treewright.errors import ParameterError, UnsupportedError
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import nearest_hint
from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.text.wrap import wrap_words


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal:
    """What a threshold is to be best at.

    Parameters
    ----------
    name, title
        As the user writes it and as it is printed.
    positive
        Code of the positive class among the two.
    costs
        Of each answer: actual classes x predicted ones.
    beta
        Of F.
    """

    name: str
    title: str
    positive: int
    costs: FloatArray
    beta: float = 1.0

    @property
    def higher_is_better(self) -> bool:
        """Whether more of it is better."""
        return self.name != "cost"

    def value(self, hits: FloatArray, alarms: FloatArray, of: FoldAnswers) -> FloatArray:
        """Return the figure for weights of true and of false positives; 0/0 counts as 0."""
        missed, passed = of.positives - hits, of.negatives - alarms
        if self.name == "cost":
            p, n = self.positive, 1 - self.positive
            total = self.costs[p, p] * hits + self.costs[p, n] * missed
            total = total + self.costs[n, p] * alarms + self.costs[n, n] * passed
            return np.asarray(total / (of.positives + of.negatives))
        if self.name == "youden":
            return _ratio(hits, of.positives) + _ratio(passed, of.negatives) - 1
        squared = self.beta**2
        return _ratio((1 + squared) * hits, (1 + squared) * hits + squared * missed + alarms)

    @property
    def theory(self) -> float | None:
        """The threshold that true probabilities would have; None where it depends on the rows."""
        if self.name != "cost":
            return None
        p, n = self.positive, 1 - self.positive
        alarm = self.costs[n, p] - self.costs[n, n]
        miss = self.costs[p, n] - self.costs[p, p]
        return float(alarm / (alarm + miss)) if alarm >= 0 and miss >= 0 < alarm + miss else None


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldAnswers:
    """Probabilities of the positive class beside the truth, ascending."""

    scores: FloatArray
    is_positive: FloatArray
    weights: FloatArray

    @staticmethod
    def of(answers: Answers, goal: Goal) -> FoldAnswers:
        """Return what a threshold needs of some answers."""
        assert answers.probabilities is not None
        given = answers.probabilities[:, goal.positive]
        order = np.argsort(given, kind="stable")
        return FoldAnswers(
            scores=given[order],
            is_positive=(answers.actual_codes == goal.positive).astype(np.float64)[order],
            weights=answers.row_weights[order],
        )

    @property
    def positives(self) -> float:
        """Weight of the positive rows."""
        return float(self.weights @ self.is_positive)

    @property
    def negatives(self) -> float:
        """Weight of the others."""
        return float(self.weights @ (1 - self.is_positive))

    def at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of true and of false positives at thresholds (from them on)."""
        first = np.searchsorted(self.scores, thresholds, side="left")
        found = []
        for flags in (self.is_positive, 1 - self.is_positive):
            above = np.concatenate([np.cumsum((self.weights * flags)[::-1])[::-1], [0.0]])
            found.append(above[first])
        return found[0], found[1]


def joined(parts: Sequence[FoldAnswers]) -> FoldAnswers:
    """Return the answers of several folds together."""
    scores = np.concatenate([part.scores for part in parts])
    order = np.argsort(scores, kind="stable")
    return FoldAnswers(
        scores=scores[order],
        is_positive=np.concatenate([part.is_positive for part in parts])[order],
        weights=np.concatenate([part.weights for part in parts])[order],
    )


def candidates(answers: FoldAnswers) -> FloatArray:
    """Return the thresholds that part the rows differently: midpoints, and one beyond each end.

    >>> answers = FoldAnswers(
    ...     scores=np.array([0.2, 0.6]), is_positive=np.array([0.0, 1.0]), weights=np.ones(2)
    ... )
    >>> candidates(answers).tolist()
    [0.0, 0.4, 1.0]
    """
    known = np.unique(answers.scores)
    highest = 1.0 if known[-1] < 1.0 else math.nextafter(1.0, 2.0)
    return np.concatenate([[0.0], (known[1:] + known[:-1]) / 2, [highest]])


def best_threshold(answers: FoldAnswers, goal: Goal) -> float:
    """Return the best threshold; of equally good ones, the middle of the widest run of them."""
    tried = candidates(answers)
    values = goal.value(*answers.at(tried), answers)
    best = values.max() if goal.higher_is_better else values.min()
    is_best = np.isclose(values, best, rtol=1e-12, atol=1e-15)
    ends = np.flatnonzero(np.diff(np.concatenate([[0], is_best.astype(int), [0]])))
    runs = list(zip(ends[::2].tolist(), (ends[1::2] - 1).tolist(), strict=True))
    first, last = max(runs, key=lambda run: tried[run[1]] - tried[run[0]])
    middle = tried[(first + last) // 2]
    return float(min(middle, 1.0) if (first + last) // 2 < len(tried) - 1 else tried[-1])


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdChoice(Result):
    """A threshold of the positive class, and what it is worth; ``print`` it.

    Parameters
    ----------
    name
        Of the learner.
    threshold
        From this probability on, a row is called positive.
    goal
        What it is best at.
    answers
        Probabilities beside the truth.
    folds
        The same, by fold; empty where there are none.
    method
        How rows were divided.
    level
        Confidence level.
    model
        The learner fitted to all rows; None where a result was given.
    """

    name: str
    threshold: float
    goal: Goal = field(repr=False)
    answers: FoldAnswers = field(repr=False)
    folds: tuple[FoldAnswers, ...] = field(default=(), repr=False)
    method: str
    level: float
    model: Any = field(default=None, repr=False)

    @property
    def theory(self) -> float | None:
        """The threshold c_fp / (c_fp + c_fn) of true probabilities (Elkan 2001)."""
        return self.goal.theory

    def value_at(self, threshold: float) -> float:
        """Return the figure of a threshold, fixed in advance, on all rows."""
        hits, alarms = self.answers.at(np.array([threshold]))
        return float(self.goal.value(hits, alarms, self.answers)[0])

    @cached_property
    def fold_thresholds(self) -> tuple[float, ...]:
        """The threshold that all folds but one choose, for each."""
        return tuple(
            best_threshold(joined([*self.folds[:i], *self.folds[i + 1 :]]), self.goal)
            for i in range(len(self.folds))
        )

    @cached_property
    def honest_value(self) -> float | None:
        """The figure of the choice: on each fold, of the threshold that the others choose."""
        if not self.folds:
            return None
        found = [
            part.at(np.array([at]))
            for part, at in zip(self.folds, self.fold_thresholds, strict=True)
        ]
        hits, alarms = (np.sum([each[side] for each in found], axis=0) for side in (0, 1))
        return float(self.goal.value(hits, alarms, self.answers)[0])

    @cached_property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Thresholds from 0 to 1, and the figure of each."""
        at = np.minimum(candidates(self.answers), 1.0)
        at = at if len(at) <= 400 else np.linspace(0.0, 1.0, 401)
        return at, self.goal.value(*self.answers.at(at), self.answers)

    def decide(self, probabilities: Any) -> FloatArray:
        """Return which rows, by their probability of the positive class, are called positive."""
        return np.asarray(np.asarray(probabilities, dtype=np.float64) >= self.threshold)

    def _lines(self) -> list[tuple[str, float, float | None, str]]:
        """Return name, threshold, figure and note of what is compared."""
        lines: list[tuple[str, float, float | None, str]] = [
            ("chosen", self.threshold, self.value_at(self.threshold), "on the rows that chose it")
        ]
        if self.honest_value is not None:
            low, high = min(self.fold_thresholds), max(self.fold_thresholds)
            span = f"folds: {low:.2f} to {high:.2f}"
            lines[0] = ("chosen", self.threshold, self.honest_value, f"honest; {span}")
        lines.append(("half", 0.5, self.value_at(0.5), "the usual one"))
        if self.theory is not None and self.theory != 0.5:
            lines.append(("theory", self.theory, self.value_at(self.theory), "if p were true"))
        return lines

    @property
    def verdict(self) -> str:
        """What the choice gains over a threshold of one half, and over that of theory."""
        lines = self._lines()
        sign = 1.0 if self.goal.higher_is_better else -1.0
        values = [sign * float(value) for _, _, value, _ in lines if value is not None]
        best = int(np.argmax(values))
        if values[0] <= values[1]:
            told = "Choosing gains nothing over one half here."
        else:
            told = (
                f"The chosen threshold gives {self.goal.title} {figure(sign * values[0])},"
                f" one half {figure(sign * values[1])}."
            )
        if len(lines) > 2 and best == 2:
            told += (
                " That of theory is better still: it needs no choice, and so loses nothing by it."
            )
        return told

    def text(self) -> str:
        """Return the thresholds with their figures."""
        lines = self._lines()
        n_rows = len(self.answers.scores)
        share = self.answers.positives / (self.answers.positives + self.answers.negatives)
        head = f"{self.name}: {self.method}; {n_rows:,} rows, {percent(share)} positive"
        hits, alarms = self.answers.at(np.array([at for _, at, _, _ in lines]))
        table = lay_out(
            [
                TextColumn("threshold", [name for name, *_ in lines]),
                TextColumn("", [f"{at:.3f}" for _, at, _, _ in lines], right=True),
                TextColumn(self.goal.title, figures([value for *_, value, _ in lines]), right=True),
                TextColumn(
                    "recall", [percent(each) for each in hits / self.answers.positives], right=True
                ),
                TextColumn(
                    "false alarms",
                    [percent(each) for each in alarms / self.answers.negatives],
                    right=True,
                ),
                TextColumn("", [note for *_, note in lines]),
            ]
        )
        return f"{head}\n\n{table}\n{wrap_words(self.verdict)}"

    def to_frame(self) -> Frame:
        """Return a row per threshold of the curve."""
        at, values = self.curve
        hits, alarms = self.answers.at(at)
        return frame_of(
            {
                "threshold": at.tolist(),
                self.goal.name: values.tolist(),
                "recall": (hits / self.answers.positives).tolist(),
                "false_alarms": (alarms / self.answers.negatives).tolist(),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the thresholds and their figures as plain strings and numbers."""
        return {
            "goal": self.goal.name,
            "threshold": self.threshold,
            "theory": self.theory,
            "honest": self.honest_value,
            "lines": [
                {"name": name, "threshold": at, self.goal.name: value}
                for name, at, value, _ in self._lines()
            ],
            "verdict": self.verdict,
        }

    def draw(self) -> Picture:
        """Return the figure against the threshold, with what was chosen and what theory says."""
        at, values = self.curve
        chosen = min(self.threshold, 1.0)
        marks: list[Any] = [
            Line(at, values, name=self.goal.title),
            Mark(chosen, self.value_at(self.threshold), name=f"chosen: {chosen:.2f}"),
        ]
        if self.theory is not None:
            marks.append(Rule(x=self.theory, name=f"theory: {self.theory:.2f}"))
        return Chart(
            title=self.verdict.split(". ")[0].rstrip("."),
            subtitle=f"{self.goal.title.capitalize()} against the threshold of the positive class",
            caption=f"{self.name}; {self.method}; {len(self.answers.scores):,} rows",
            x=Axis("threshold", limits=(0.0, 1.0)),
            y=Axis(self.goal.title, limits=(0.0, None) if self.goal.name == "cost" else None),
            marks=marks,
        )


def goal_of(by: object, costs: FloatArray, classes: Sequence[Any], positive: Any) -> Goal:
    """Return what a threshold is to be best at, by its name."""
    code = list(classes).index(positive) if positive in classes else 0
    fields: dict[str, Any] = {"positive": code, "costs": costs}
    if by == "cost":
        if len(classes) == 2:
            rest = 1 - code
            if costs[code, rest] < costs[code, code] or costs[rest, code] < costs[rest, rest]:
                raise UnsupportedError("cost_matrix has a right answer that costs more than wrong.")
        return Goal(name="cost", title="mean cost", **fields)
    if by == "youden":
        return Goal(name="youden", title="Youden's J", **fields)
    if isinstance(by, str) and by[:1] == "f":
        try:
            beta = float(by[1:])
        except ValueError:
            beta = 0.0
        if 0 < beta < math.inf:
            return Goal(name=by, title=f"F{beta:g}", beta=beta, **fields)
    raise ParameterError(
        f"by={by!r} must be 'cost', 'youden', or 'f1' ('f0.5', 'f2', ...)."
        f"{nearest_hint(by, ['cost', 'youden', 'f1'])}"
    )


def _ratio(part: FloatArray, whole: FloatArray | float) -> FloatArray:
    below = np.broadcast_to(np.asarray(whole, dtype=np.float64), np.shape(part))
    return np.divide(part, below, out=np.zeros(np.shape(part)), where=below > 0)
