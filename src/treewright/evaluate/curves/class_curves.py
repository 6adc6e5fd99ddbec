"""What the curves of scores have in common: a line per class, told and drawn together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Line
from treewright.chart.colours import MOST_CLASS_HUES
from treewright.chart.words import NARROW_SPACE
from treewright.data.frame import Frame
from treewright.errors import ParameterError
from treewright.evaluate.curves.class_scores import ClassScores
from treewright.evaluate.intervals import Interval
from treewright.evaluate.result import Result, frame_of
from treewright.parameters import nearest_hint
from treewright.text.names import list_names
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out

_MOST_POINTS = 400
"""Points of a line in a picture; more cannot be told apart."""


class ClassLine(Protocol):
    """The curve of one class."""

    @property
    def scores(self) -> ClassScores:
        """Scores of the rows, and which have the class."""


class AreaLine(ClassLine, Protocol):
    """A curve over thresholds that an area sums up."""

    @property
    def thresholds(self) -> FloatArray:
        """Scores, from the highest down."""

    @property
    def points(self) -> FloatArray:
        """Two numbers for each threshold."""

    @property
    def area(self) -> Interval:
        """The area under the curve."""


OneLine = TypeVar("OneLine", bound=ClassLine)
OneArea = TypeVar("OneArea", bound=AreaLine)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCurves(Result, Generic[OneLine]):
    """A curve per class; ``result["late"]`` is that of one.

    Parameters
    ----------
    lines
        Of two classes one, of the positive one; of more, one per class against the rest.
    level
        Confidence level.
    n_classes
        Number of classes, those without a curve included.
    """

    lines: tuple[OneLine, ...] = field(repr=False)
    level: float
    n_classes: int

    def __getitem__(self, name: Any) -> OneLine:
        for line in self.lines:
            if line.scores.name == name:
                return line
        names = [line.scores.name for line in self.lines]
        hint = nearest_hint(name, [each for each in names if isinstance(each, str)])
        raise ParameterError(
            f"there is no curve of {name!r}; there is of {list_names(map(repr, names))}.{hint}"
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.lines[0].scores)

    @property
    def names(self) -> list[str]:
        """The classes that have a curve, as text."""
        return [str(line.scores.name) for line in self.lines]

    @property
    def level_text(self) -> str:
        """The head of a column of intervals."""
        return f"{100 * self.level:g} % interval"

    @property
    def standing_out(self) -> str:
        """The class whose curve is drawn strong where there are more than hues, and why."""
        raise AssertionError("a curve says which class it shows")

    @property
    def level_in_picture(self) -> str:
        """The same with the narrow space that pictures have before a percent sign."""
        return self.level_text.replace(" %", f"{NARROW_SPACE}%")

    @property
    def of_classes(self) -> str:
        """What is drawn of which classes, for a subtitle."""
        if self.n_classes > MOST_CLASS_HUES and len(self.lines) > 1:
            return f"each class against the rest; strong: {self.standing_out}"
        if len(self.lines) > 1:
            return "each class against the rest"
        return f"{self.names[0]} against the rest"

    @property
    def rows_text(self) -> str:
        """How many rows there are, for a caption."""
        if len(self.lines) > 1:
            return f"{self.n_rows:,} rows."
        n_there = int(np.count_nonzero(self.lines[0].scores.is_there))
        return f"{self.n_rows:,} rows, {n_there:,} of them {self.names[0]}."

    def drawn(
        self,
        line: OneLine,
        points: tuple[FloatArray, FloatArray],
        columns: Sequence[str],
        *,
        is_first: bool,
    ) -> Line:
        """Return a curve as a line of a chart: in its class's colour, where there are several.

        Of more classes than there are hues the first is shown, and the others behind it.
        """
        x, y = thinned(*points)
        name = str(line.scores.name)
        if self.n_classes > MOST_CLASS_HUES and not is_first:
            return Line(x, y, role="other")
        if self.n_classes > MOST_CLASS_HUES or len(self.lines) == 1:
            return Line(x, y, name=name, columns=tuple(columns))
        index = line.scores.index
        return Line(x, y, role="class", class_index=index, name=name, columns=tuple(columns))


@dataclass(frozen=True, kw_only=True, eq=False)
class AreaCurves(ClassCurves[OneArea], Generic[OneArea]):
    """Curves over thresholds, each with its area."""

    heading: ClassVar[str]
    area_name: ClassVar[str]
    coordinates: ClassVar[tuple[str, str]]

    @property
    def by_area(self) -> list[OneArea]:
        """The lines, best first."""
        return sorted(self.lines, key=lambda line: -line.area.value)

    @property
    def standing_out(self) -> str:
        """The class with the largest area."""
        return f"{self.by_area[0].scores.name}, of largest area"

    @property
    def leader(self) -> OneArea | None:
        """The line whose interval lies above all others; None if there is none."""
        first, *rest = self.by_area
        is_apart = all(first.area.low > line.area.high for line in rest)
        return first if rest and is_apart else None

    def text(self) -> str:
        """Return the areas with their intervals."""
        weights = [float(line.scores.row_weights @ line.scores.is_there) for line in self.lines]
        table = lay_out(
            [
                TextColumn("class", self.names),
                TextColumn("rows", figures(weights), right=True),
                TextColumn(
                    self.area_name, figures([line.area.value for line in self.lines]), right=True
                ),
                TextColumn(
                    self.level_text, [line.area.ends_text() for line in self.lines], right=True
                ),
            ]
        )
        return f"{self.heading}: {self.n_rows:,} rows\n\n{table}"

    def to_frame(self) -> Frame:
        """Return a row per class and threshold."""
        places = enumerate(self.coordinates)
        return frame_of(
            {
                "class": [line.scores.name for line in self.lines for _ in line.thresholds],
                "threshold": [t for line in self.lines for t in line.thresholds.tolist()],
                **{
                    name: [each for line in self.lines for each in line.points[:, place].tolist()]
                    for place, name in places
                },
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return curves and areas as plain lists and numbers."""
        return {
            "rows": self.n_rows,
            "coordinates": list(self.coordinates),
            "curves": [
                {
                    "class": line.scores.name,
                    "area": line.area.to_dict(),
                    "points": line.points.tolist(),
                    # Infinity is no number of JSON.
                    "thresholds": [t if np.isfinite(t) else None for t in line.thresholds.tolist()],
                }
                for line in self.lines
            ],
        }


def thinned(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points of a long curve that a picture needs, evenly along it."""
    if len(x) <= _MOST_POINTS:
        return x, y
    steps = np.abs(np.diff(x)) + np.abs(np.diff(y))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.searchsorted(along, np.linspace(0.0, along[-1], _MOST_POINTS))
    kept = np.unique(np.concatenate([[0], np.minimum(wanted, len(x) - 1), [len(x) - 1]]))
    return x[kept], y[kept]
