"""What a curve of complexity found: error against size, the least, and the simplest near it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Axis, Chart, DotChart, DotRow, Line, Mark, Picture, Rule
from treewright.data.frame import Frame
from treewright.errors import ParameterError
from treewright.evaluate.curves.measured import (
    Measured,
    error_axis,
    error_lines,
    in_picture,
    is_better,
    measured_columns,
    measured_frame,
    sentence_title,
    written,
)
from treewright.evaluate.metrics import Metric
from treewright.evaluate.result import Result, frame_of
from treewright.parameters import check_choice, is_number
from treewright.text.numbers import distinct_figures, figure
from treewright.text.table import TextColumn, lay_out
from treewright.text.wrap import wrap_words

Against = Literal["parameter", "leaves"]
_LOG_FROM = 20.0
"""Ratio of the largest to the least value from which an axis is logarithmic."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ComplexityPoint:
    """One value of the parameter.

    Parameters
    ----------
    value
        Of the parameter.
    measured
        Training and validated figures.
    test
        The figure of rows that took no part, of a model fitted to all others; nan without.
    """

    value: Any
    measured: Measured
    test: float = math.nan

    @property
    def validated(self) -> float:
        """The cross-validated figure."""
        return self.measured.validated

    @property
    def training(self) -> float:
        """The figure of the rows learned from."""
        return self.measured.training

    @property
    def unseen(self) -> float:
        """The figure of rows not seen: of the test part, or else the validated one."""
        return self.validated if math.isnan(self.test) else self.test


@dataclass(frozen=True, kw_only=True, eq=False)
class Overfitting:
    """A model that fits the rows it has seen better than another, and others worse.

    Mitchell 1997, section 3.7.1: h overfits if there is an h' that errs more on the training rows
    and less on all.
    """

    model: ComplexityPoint
    other: ComplexityPoint


@dataclass(frozen=True, kw_only=True, eq=False)
class ComplexityCurve(Result):
    """Error against a parameter; ``print`` it, or draw it.

    Parameters
    ----------
    name, parameter
        Of the learner, and what was varied.
    points
        What was measured, in the order of the values given.
    metric
        What was measured.
    method, n_rows, n_test_rows, seed
        How rows were divided.
    notes
        What is to be known about the figures.
    """

    name: str
    parameter: str
    points: tuple[ComplexityPoint, ...] = field(repr=False)
    metric: Metric = field(repr=False)
    method: str
    n_rows: int
    n_test_rows: int = 0
    seed: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def has_leaves(self) -> bool:
        """Whether every model is a single tree, whose leaves are known."""
        return all(each.measured.n_leaves is not None for each in self.points)

    @property
    def by_size(self) -> list[ComplexityPoint]:
        """The points that have a figure, the simplest first: by leaves, else in the order given."""
        known = [each for each in self.points if math.isfinite(each.validated)]
        if not self.has_leaves:
            return known
        return sorted(known, key=lambda each: each.measured.n_leaves or 0.0)

    @property
    def best(self) -> ComplexityPoint:
        """The point of the best validated figure; of equals the simplest."""
        found = self.by_size[0]
        for each in self.by_size[1:]:
            if is_better(self.metric, each.validated, found.validated):
                found = each
        return found

    @property
    def one_se(self) -> ComplexityPoint:
        """The simplest point within one standard error of the best (Breiman et al. 1984)."""
        limit = self.limit
        within = (
            each for each in self.by_size if not is_better(self.metric, limit, each.validated)
        )
        return next(within)

    @property
    def limit(self) -> float:
        """The best validated figure, less good by its standard error."""
        best = self.best.measured
        spread = best.standard_error if math.isfinite(best.standard_error) else 0.0
        return best.validated + (-spread if self.metric.higher_is_better else spread)

    @property
    def overfits(self) -> tuple[Overfitting, ...]:
        """Every model that another beats on rows not seen, but not on those it was fitted to.

        Each stands beside the one that beats it most; rows not seen are those of the test part, or
        else those held out.
        """
        found = []
        for each in self.by_size:
            rivals = [
                other
                for other in self.by_size
                if is_better(self.metric, each.training, other.training)
                and is_better(self.metric, other.unseen, each.unseen)
            ]
            if rivals:
                sign = -1.0 if self.metric.higher_is_better else 1.0
                most = min(rivals, key=lambda other: sign * other.unseen)
                found.append(Overfitting(model=each, other=most))
        return tuple(found)

    @property
    def learns_noise(self) -> bool:
        """Whether the most complex model is worse than the best by more than its standard error."""
        return is_better(self.metric, self.limit, self.by_size[-1].validated)

    def text(self) -> str:
        """Return the figures, with the best and the one within a standard error marked."""
        points = self.points
        columns = [
            TextColumn(self.parameter, _texts([each.value for each in points]), right=True),
            *measured_columns(self.metric, [each.measured for each in points]),
        ]
        if self.n_test_rows:
            tested = written(self.metric, [each.test for each in points])
            columns.append(TextColumn("test", tested, right=True))
        columns.append(TextColumn("", [self._mark(each) for each in points]))
        seed = "" if self.seed is None else f"; seed {self.seed}"
        head = f"{self.name}: {self.metric.title} by {self.parameter}; {self.method}{seed}"
        told = [*self._told(), *(f"note: {note}" for note in self.notes)]
        lines = [lay_out(columns), *(wrap_words(each) for each in told)]
        return f"{wrap_words(head)}\n\n" + "\n".join(lines)

    def _mark(self, point: ComplexityPoint) -> str:
        best = "most" if self.metric.higher_is_better else "least"
        marks = ((best, self.best), ("1-SE", self.one_se))
        return ", ".join(word for word, chosen in marks if chosen is point)

    def _told(self) -> list[str]:
        found = self.overfits
        if not found:
            return []
        worst = found[-1]
        return [
            f"{self._named(worst.model)} overfits: {self._named(worst.other)} is worse on the rows"
            f" learned from ({self.metric.format(worst.other.training)} against"
            f" {self.metric.format(worst.model.training)}) and better on others"
            f" ({self.metric.format(worst.other.unseen)} against"
            f" {self.metric.format(worst.model.unseen)})."
        ]

    def _named(self, point: ComplexityPoint) -> str:
        return f"{self.parameter}={_texts([point.value])[0]}"

    def to_frame(self) -> Frame:
        """Return a row per value."""
        return frame_of(
            {
                self.parameter: [each.value for each in self.points],
                **measured_frame([each.measured for each in self.points]),
                "test": [each.test for each in self.points],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain lists, strings and numbers."""
        return {
            "name": self.name,
            "parameter": self.parameter,
            "metric": self.metric.name,
            "method": self.method,
            "points": [
                {
                    "value": each.value,
                    **each.measured.to_dict(),
                    "test": None if math.isnan(each.test) else each.test,
                }
                for each in self.points
            ],
            "best": self.best.value,
            "one_se": self.one_se.value,
            "overfits": [[each.model.value, each.other.value] for each in self.overfits],
            "notes": list(self.notes),
        }

    def draw(self, *, against: Against | None = None) -> Picture:
        """Return the curve as a picture.

        Parameters
        ----------
        against
            What is drawn across: "parameter", or "leaves" of single trees; by default the leaves
            for limits of leaves and for penalties per leaf, else the parameter.
        """
        if against is not None:
            check_choice("against", against, ("parameter", "leaves"))
        if against == "leaves" and not self.has_leaves:
            raise ParameterError(
                f"against='leaves' is for single trees; {self.name} has no number of leaves."
            )
        by_leaves = self.parameter in ("max_leaf_nodes", "ccp_alpha", "cp") and self.has_leaves
        chosen = against or ("leaves" if by_leaves else "parameter")
        if chosen == "parameter" and not all(is_number(each.value) for each in self.points):
            return self._draw_values()
        return self._draw_curve(chosen)

    def _draw_curve(self, against: Against) -> Picture:
        points = self.by_size if against == "leaves" else [*self.points]
        x = self._across(points, against)
        order = np.argsort(x, kind="stable")
        points, x = [points[i] for i in order.tolist()], x[order]
        is_log = bool(x.min() > 0 and x.max() / x.min() >= _LOG_FROM)
        marks: list[Any] = error_lines(x, [each.measured for each in points], "cross-validated")
        if self.n_test_rows:
            tested = np.array([each.test for each in points])
            marks.append(Line(x, tested, role="test", name="test"))
        marks += self._chosen(against)
        noun = "leaves" if against == "leaves" else self.parameter
        of_noun = "the number of leaves" if against == "leaves" else self.parameter
        scale = " (log scale)" if is_log else ""
        return Chart(
            title=self._title(noun, against),
            subtitle=f"{sentence_title(self.metric)} against {of_noun}{scale}",
            caption=self._caption(),
            x=Axis(
                "" if against == "leaves" else self.parameter,
                scale="log" if is_log else "linear",
                unit=("leaf", "leaves") if against == "leaves" else None,
            ),
            y=error_axis(self.metric),
            marks=marks,
        )

    def _across(self, points: list[ComplexityPoint], against: Against) -> FloatArray:
        if against == "leaves":
            return np.array([each.measured.n_leaves for each in points], dtype=np.float64)
        return np.array([each.value for each in points], dtype=np.float64)

    def _chosen(self, against: Against) -> list[Any]:
        """Return the marks of the simplest near the best, of the best, and the line between."""
        best, simplest = self.best, self.one_se
        places = self._across([best, simplest], against).tolist()
        figures = [self._at(each, against) for each in (best, simplest)]
        word = "highest" if self.metric.higher_is_better else "lowest"
        if best is simplest:
            return [Mark(places[0], best.validated, name=f"chosen: {figures[0]}", note=word)]
        span = (min(places), max(places))
        return [
            Rule(y=self.limit, span=span),
            Mark(
                places[1],
                simplest.validated,
                name=f"chosen: {figures[1]}",
                note=f"simplest within 1 SE of the {word}",
            ),
            Mark(places[0], best.validated, kind="best", name=f"{word}: {figures[0]}"),
        ]

    def _at(self, point: ComplexityPoint, against: Against) -> str:
        value = in_picture(self.metric, point.validated)
        if against == "parameter":
            return f"{_texts([point.value])[0]}, {value}"
        leaves = f"{point.measured.n_leaves:.0f}"
        return f"{leaves} {'leaf' if leaves == '1' else 'leaves'}, {value}"

    def _title(self, noun: str, against: Against) -> str:
        if not self.learns_noise:
            return f"{sentence_title(self.metric)} by {noun}"
        who = "the tree" if self.has_leaves else self.name
        if against == "leaves":
            most = _rounded(self.best.measured.n_leaves or 1.0)
            return f"Beyond about {most} leaves {who} learns noise"
        is_less = self.by_size[-1].value < self.best.value  # a penalty: less of it is more tree
        beyond = "Below" if is_less else "Beyond"
        return f"{beyond} {noun} {_texts([self.best.value])[0]} {who} learns noise"

    def _caption(self) -> str:
        seed = "" if self.seed is None else f", seed {self.seed}"
        test = f" Test: {self.n_test_rows:,} rows that chose nothing." if self.n_test_rows else ""
        leaves = " Leaves: mean over the folds." if self.has_leaves else ""
        return f"{self.name} on {self.n_rows:,} rows; {self.method}{seed}.{leaves}{test}"

    def _draw_values(self) -> Picture:
        """Return values that are no numbers as dots, one below the other."""
        rows = []
        for each in self.points:
            spread = each.measured.standard_error
            reach = spread if math.isfinite(spread) else 0.0
            rows.append(
                DotRow(
                    _texts([each.value])[0],
                    each.validated,
                    each.validated - reach,
                    each.validated + reach,
                    small=each.measured.values,
                    strong=each is self.best,
                )
            )
        return DotChart(
            title=f"{sentence_title(self.metric)} by {self.parameter}",
            subtitle=f"{sentence_title(self.metric)}, cross-validated, ± 1 SE; small dots are"
            " folds",
            caption=self._caption(),
            rows=rows,
            x=Axis(form="percent" if self.metric.is_share else "number"),
            shorten="end",
        )


def _texts(values: list[Any]) -> list[str]:
    if all(is_number(value) for value in values):
        numbers = distinct_figures(values) if len(values) > 1 else [f"{values[0]:.3g}"]
        return numbers
    return [figure(value) if is_number(value) else str(value) for value in values]


def _rounded(n_leaves: float) -> str:
    """Return a number of leaves as one says it: 22 is about 20."""
    digits = 1 if n_leaves >= 20 else 2
    return f"{float(f'{n_leaves:.{digits}g}'):,.0f}"
