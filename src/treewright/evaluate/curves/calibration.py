"""Calibration: of the rows that got a probability near p, does a share p have the class?

Examples
--------
>>> y = ["no", "yes"] * 50
>>> print(calibration_curve(y, [0.2, 0.7, 0.2, 0.9] * 25, bins=2))
calibration: 100 rows
<BLANKLINE>
yes: expected calibration error 20.0 %
       scores  rows  predicted  observed    95 % interval
  0 to 20.0 %    50     20.0 %     0.0 %     0.0 to 7.1 %
20.0 to 100 %    50     80.0 %   100.0 %  92.9 to 100.0 %
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.chart import Axis, Chart, Dots, Line, Picture, Strip
from treewright.data.frame import Frame
from treewright.errors import DataError
from treewright.evaluate.curves.class_curves import ClassCurves
from treewright.evaluate.curves.class_scores import ClassScores, class_scores, read_scores
from treewright.evaluate.intervals import Interval, share
from treewright.evaluate.result import frame_of
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import check_choice, check_count, check_share
from treewright.text.names import short_name
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out

Strategy: TypeAlias = Literal["quantile", "uniform"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

_ROUNDING = 1e-9
"""Sums of probabilities may be this much beyond 1."""

_STRIP_BINS = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationBin:
    """Rows of similar probability.

    Parameters
    ----------
    low, high
        Ends of the probabilities: above `low`, up to and with `high`.
    weight
        Rows, or their weight.
    predicted
        Mean probability.
    observed
        Share of the rows that have the class, with Wilson's interval.
    """

    low: float
    high: float
    weight: float
    predicted: float
    observed: Interval

    @property
    def is_off(self) -> bool:
        """Whether the probability is outside the interval of what is observed."""
        return self.predicted not in self.observed


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationLine:
    """The calibration of one class.

    Parameters
    ----------
    scores
        Probabilities of the rows, and which have the class.
    bins
        Rows of similar probability, ascending; none is empty.
    """

    scores: ClassScores = field(repr=False)
    bins: tuple[CalibrationBin, ...] = field(repr=False)

    @cached_property
    def expected_error(self) -> float:
        """Expected calibration error: mean distance of predicted and observed, by rows.

        Naeini, Cooper and Hauskrecht 2015 (AAAI). It depends on the bins: with few rows each, it
        is above 0 even for perfect probabilities.
        """
        apart = [abs(each.predicted - each.observed.value) * each.weight for each in self.bins]
        return float(np.sum(apart) / np.sum([each.weight for each in self.bins]))

    @property
    def predicted(self) -> FloatArray:
        """Mean probability of each bin."""
        return np.array([each.predicted for each in self.bins])

    @property
    def observed(self) -> FloatArray:
        """Share of each bin that has the class."""
        return np.array([each.observed.value for each in self.bins])


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationCurve(ClassCurves[CalibrationLine]):
    """Calibration by class; ``result["late"]`` is that of one. ``print`` it, or draw it."""

    def text(self) -> str:
        """Return the bins of each class, and its expected calibration error."""
        parts = [
            f"{short_name(str(line.scores.name))}: expected calibration error"
            f" {percent(line.expected_error)}\n{self._table(line)}"
            for line in self.lines
        ]
        return "\n\n".join([f"calibration: {self.n_rows:,} rows", *parts])

    def _table(self, line: CalibrationLine) -> str:
        bins = line.bins
        return lay_out(
            [
                TextColumn("scores", [_range_text(each) for each in bins], right=True),
                TextColumn("rows", figures([each.weight for each in bins]), right=True),
                TextColumn("predicted", [percent(each.predicted) for each in bins], right=True),
                TextColumn("observed", [each.observed.value_text() for each in bins], right=True),
                TextColumn(
                    self.level_text, [each.observed.ends_text() for each in bins], right=True
                ),
            ]
        )

    def to_frame(self) -> Frame:
        """Return a row per class and bin."""
        rows = [(line.scores.name, each) for line in self.lines for each in line.bins]
        return frame_of(
            {
                "class": [name for name, _ in rows],
                "from": [each.low for _, each in rows],
                "to": [each.high for _, each in rows],
                "rows": [each.weight for _, each in rows],
                "predicted": [each.predicted for _, each in rows],
                "observed": [each.observed.value for _, each in rows],
                "low": [each.observed.low for _, each in rows],
                "high": [each.observed.high for _, each in rows],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return bins and errors as plain lists and numbers."""
        return {
            "rows": self.n_rows,
            "curves": [
                {
                    "class": line.scores.name,
                    "expected_calibration_error": line.expected_error,
                    "bins": [
                        {
                            "from": each.low,
                            "to": each.high,
                            "rows": each.weight,
                            "predicted": each.predicted,
                            "observed": each.observed.to_dict(),
                        }
                        for each in line.bins
                    ],
                }
                for line in self.lines
            ],
        }

    def draw(self) -> Picture:
        """Return observed shares against probabilities as a picture."""
        is_one = len(self.lines) == 1
        ends = np.array([0.0, 1.0])
        marks: list[Any] = [Line(ends, ends, role="reference", name="predicted = observed")]
        if is_one:
            line = self.lines[0]
            marks.append(
                Dots(
                    line.predicted,
                    line.observed,
                    low=np.array([each.observed.low for each in line.bins]),
                    high=np.array([each.observed.high for each in line.bins]),
                    sizes=np.array([each.weight for each in line.bins]),
                )
            )
        else:
            # By expected error: of more classes than hues, the worst is what one must know.
            by_error = self._by_error
            marks += [
                self.drawn(
                    line,
                    (line.predicted, line.observed),
                    (percent(line.expected_error),),
                    is_first=place == 0,
                )
                for place, line in enumerate(by_error)
            ]
        told = percent(self.lines[0].expected_error)
        error = f" Expected calibration error {told}." if is_one else ""
        bars = f" Bars: {self.level_in_picture} (Wilson); areas: rows." if is_one else ""
        return Chart(
            title=self._title(),
            subtitle=f"Share observed against probability, {self.of_classes}",
            caption=f"{self.rows_text}{error}{bars}",
            x=Axis("mean predicted probability", limits=(0, 1)),
            y=Axis("share observed", limits=(0, 1)),
            marks=marks,
            heads=() if is_one else ("calibration error",),
            square=True,
            strip=self._strip() if is_one else None,
        )

    @property
    def _by_error(self) -> list[CalibrationLine]:
        """The lines, the worst first."""
        return sorted(self.lines, key=lambda line: -line.expected_error)

    @property
    def standing_out(self) -> str:
        """The class with the largest error."""
        return f"{self._by_error[0].scores.name}, of largest error"

    def _strip(self) -> Strip:
        scores = self.lines[0].scores
        edges = np.linspace(0.0, 1.0, _STRIP_BINS + 1)
        # As weights, so that a histogram of none has no empty type to stumble over.
        counts, _ = np.histogram(scores.score, bins=edges, weights=scores.row_weights)
        return Strip(edges=edges, counts=counts, name="rows by probability")

    def _title(self) -> str:
        if len(self.lines) > 1:
            return "Calibration"
        bins = self.lines[0].bins
        for of_all, of_high, is_so in (("high", "sure", _is_above), ("low", "low", _is_below)):
            first = next((i for i in range(len(bins)) if all(map(is_so, bins[i:]))), None)
            if first == 0:
                return f"Scores are too {of_all}"
            if first is not None:
                return f"Scores above {bins[first].low:.2g} are too {of_high}"
        return "Calibration"


def _is_above(each: CalibrationBin) -> bool:
    return each.predicted > each.observed.high


def _is_below(each: CalibrationBin) -> bool:
    return each.predicted < each.observed.low


def _range_text(each: CalibrationBin) -> str:
    low, high = (
        f"{end:.0%}".rstrip("%") if end in (0.0, 1.0) else percent(end, unit=False)
        for end in (each.low, each.high)
    )
    return f"{low} to {high} %"


def calibration_curve(
    y: Any,
    probabilities: Any,
    *,
    bins: int = 10,
    strategy: Strategy = "quantile",
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
) -> CalibrationCurve:
    """Return how far probabilities hold what they promise.

    Parameters
    ----------
    y
        The class of each row.
    probabilities
        One number per row, for the positive class, or rows x classes.
    bins
        Number of bins. Equal probabilities are never parted, so that there may be fewer.
    strategy
        ``"quantile"``: bins of equally many rows (or weight); ``"uniform"``: of equal width.
    classes, positive, sample_weight, groups
        As for :func:`roc_curve`.
    level
        Confidence level of the intervals of the shares.

    Examples
    --------
    >>> found = calibration_curve([0, 1] * 50, [0.25, 0.75] * 50)
    >>> found[1].expected_error, found[1].observed.tolist()
    (0.25, [0.0, 1.0])
    """
    check_count("bins", bins, least=1)
    check_choice("strategy", strategy, STRATEGIES)
    check_share("level", level)
    answers = read_scores(
        y,
        probabilities,
        classes=classes,
        positive=positive,
        sample_weight=sample_weight,
        groups=groups,
    )
    return calibration_of(answers, bins=bins, strategy=strategy, level=level)


def calibration_of(
    answers: Answers, *, bins: int = 10, strategy: Strategy = "quantile", level: float
) -> CalibrationCurve:
    """Return the calibration of answers."""
    found = class_scores(answers, what="calibration", one_side=True)
    lines = tuple(
        CalibrationLine(scores=each, bins=_bins(each, bins, strategy, level)) for each in found
    )
    return CalibrationCurve(lines=lines, level=level, n_classes=len(answers.classes))


def _bins(
    scores: ClassScores, n_bins: int, strategy: Strategy, level: float
) -> tuple[CalibrationBin, ...]:
    given = scores.score
    outside = np.flatnonzero(~((given >= 0) & (given <= 1 + _ROUNDING)))
    if len(outside):
        raise DataError(
            f"the score of row {outside[0]} for {scores.name!r} is {given[outside[0]]!s}: no"
            " probability.\n  Hint: roc_curve and lift_curve take any scores."
        )
    weights = scores.row_weights
    edges = _edges(given, weights, n_bins, strategy)
    bin_of_row: Int64Array = np.searchsorted(edges[1:-1], given, side="left").astype(np.int64)
    made = []
    for i, (low, high) in enumerate(pairwise(edges.tolist())):
        rows = np.flatnonzero((bin_of_row == i) & (weights > 0))
        if len(rows):
            made.append(
                CalibrationBin(
                    low=low,
                    high=high,
                    weight=float(weights[rows].sum()),
                    predicted=float(np.average(given[rows], weights=weights[rows])),
                    observed=share(
                        scores.is_there[rows],
                        weights=None if scores.weights is None else weights[rows],
                        groups=None if scores.groups is None else scores.groups[rows],
                        level=level,
                    ),
                )
            )
    return tuple(made)


def _edges(given: FloatArray, weights: FloatArray, n_bins: int, strategy: Strategy) -> FloatArray:
    """Return the ends of the bins, from 0 to 1."""
    if strategy == "uniform":
        return np.linspace(0.0, 1.0, n_bins + 1)
    # At a value of the rows, so that weight 2 is a row written twice, and equals stay together.
    order = np.argsort(given, kind="stable")
    weight_up_to = np.cumsum(weights[order])
    total = weight_up_to[-1]
    wanted = np.arange(1, n_bins) * total / n_bins - _ROUNDING * total
    inner = np.unique(given[order][np.searchsorted(weight_up_to, wanted)])
    # A bin from the largest value to 1 would be empty.
    inner = inner[inner < given[weights > 0].max()]
    return np.concatenate([[0.0], inner[inner > 0.0], [1.0]])
