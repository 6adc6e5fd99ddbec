"""What a chart consists of: an axis, and marks that stand for numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from treewright.array_types import BoolArray, FloatArray
from treewright.chart.colours import CLASS_DASHES, class_line
from treewright.chart.scale import has_place
from treewright.chart.words import FORMS, Form
from treewright.errors import ParameterError
from treewright.parameters import check_choice, check_count, check_number

Role = Literal["validated", "training", "test", "reference", "class", "other", "ice"]
Kind = Literal["chosen", "best", "chance"]


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn."""

    colour: str
    width: float
    dash: str = ""


STROKES: dict[str, Stroke] = {
    "ice": Stroke("ice", 0.75),
    "other": Stroke("axis", 1.5),
    "reference": Stroke("axis", 1.0, "2 3"),
    "training": Stroke("ink3", 1.5, "5 3"),
    "test": Stroke("ink", 1.5),
    "class": Stroke("axis", 2.0),
    "validated": Stroke("accent", 2.25),
}
"""Of each role, in the order in which they are drawn: what matters most lies on top."""

KINDS: tuple[Kind, ...] = ("chosen", "best", "chance")


@dataclass(frozen=True)
class Axis:
    """One axis of a chart.

    Parameters
    ----------
    label
        What is measured; may be empty where the subtitle says it.
    scale
        "linear" or "log".
    limits
        The two ends; None at an end that the data decide.
    form
        How ticks are written: "number", "percent" (of shares from 0 to 1), "signed", or "date" (of
        days since 1970-01-01).
    unit
        One and several, written with the first tick: ``("leaf", "leaves")``.
    """

    label: str = ""
    scale: Literal["linear", "log"] = "linear"
    limits: tuple[float | None, float | None] | None = None
    form: Form = "number"
    unit: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        check_choice("scale", self.scale, ("linear", "log"))
        check_choice("form", self.form, FORMS)
        low, high = self.limits or (None, None)
        ends = [end for end in (low, high) if end is not None]
        if not all(math.isfinite(end) for end in ends) or (
            len(ends) == 2 and not ends[0] < ends[1]
        ):
            raise ParameterError(
                f"limits={self.limits!r} must be two ends, ascending; None where data decide."
            )

    @property
    def is_log(self) -> bool:
        """Whether equal steps are equal ratios."""
        return self.scale == "log"

    def shows(self, values: FloatArray) -> BoolArray:
        """Return which numbers have a place on the axis."""
        return has_place(values, log=self.is_log)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points, with a band where `low` and `high` are given.

    Parameters
    ----------
    x, y
        The points, in the order in which they are joined.
    role
        What the line stands for: "validated" (the one that matters), "training", "test",
        "reference" (chance, no skill, baseline), "class", "other" or "ice" (one row among many).
    name, note
        What stands at the line, and a second line under it.
    low, high
        The band around the line.
    class_index
        Of role "class": which class, in the order of ``classes_``.
    columns
        Texts for the small table of a chart that has `heads`.
    """

    x: FloatArray
    y: FloatArray
    role: Role = "validated"
    name: str = ""
    note: str = ""
    low: FloatArray | None = None
    high: FloatArray | None = None
    class_index: int = 0
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("role", self.role, tuple(STROKES))
        check_count("class_index", self.class_index, least=0)
        _set_arrays(self, "x", ("y", "low", "high"))

    @property
    def stroke(self) -> Stroke:
        """How the line is drawn."""
        if self.role != "class":
            return STROKES[self.role]
        dash = CLASS_DASHES[self.class_index % len(CLASS_DASHES)]
        return Stroke(class_line(self.class_index), STROKES["class"].width, dash)


@dataclass(frozen=True, eq=False)
class Dots:
    """Points that are not joined, with intervals where `low` and `high` are given.

    Parameters
    ----------
    x, y
        The points.
    low, high
        Ends of the interval of each point.
    sizes
        Number of rows behind each point: the area of its dot.
    hollow
        Which points cannot be told from chance.
    name
        What the points are.
    radius
        Of all dots, where they are many: from 1 to 4 pixels.
    """

    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    sizes: FloatArray | None = None
    hollow: bool | Sequence[bool] = False
    name: str = ""
    radius: float = 4.0

    def __post_init__(self) -> None:
        check_number("radius", self.radius, low=1.0, high=4.0)
        _set_arrays(self, "x", ("y", "low", "high", "sizes"))
        if np.ndim(self.hollow) and np.shape(self.hollow) != self.x.shape:
            raise ParameterError(
                f"hollow has {np.size(self.hollow)} values, but x has {len(self.x)}."
            )

    @property
    def is_hollow(self) -> BoolArray:
        """Which points are drawn as rings."""
        return np.broadcast_to(np.asarray(self.hollow, dtype=bool), self.x.shape)

    @property
    def radii(self) -> FloatArray:
        """Radius of each dot; its area stands for the number of rows."""
        if self.sizes is None:
            return np.full(self.x.shape, self.radius)
        known = np.where(np.isfinite(self.sizes) & (self.sizes > 0), self.sizes, 0.0)
        largest = float(known.max(initial=0.0)) or 1.0
        return np.maximum(3.5, 8.0 * np.sqrt(known / largest))


@dataclass(frozen=True)
class Mark:
    """One point with its name on a leader: what was chosen, or would have been best.

    Parameters
    ----------
    x, y
        The point.
    kind
        "chosen" (solid, bold), "best" (hollow) or "chance" (hollow and grey).
    name, note
        What stands at the leader, and a second line under it.
    """

    x: float
    y: float
    kind: Kind = "chosen"
    name: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)


@dataclass(frozen=True)
class Rule:
    """A dotted reference line across the plot, at one `x` or one `y`, with its name on it.

    Parameters
    ----------
    x, y
        Where the line is: one of the two.
    name
        What it stands for.
    span
        The part of the other axis that it crosses; all of it where None.
    """

    x: float | None = None
    y: float | None = None
    name: str = ""
    span: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ParameterError(f"A rule is at one x or at one y, not x={self.x}, y={self.y}.")


@dataclass(frozen=True, eq=False)
class Strip:
    """A histogram, 40 high, under the plot and on its x axis.

    Parameters
    ----------
    edges
        Ends of the bins, one more than there are `counts`.
    counts
        Rows in each bin.
    name
        What is counted.
    """

    edges: FloatArray
    counts: FloatArray
    name: str = ""

    def __post_init__(self) -> None:
        for name in ("edges", "counts"):
            object.__setattr__(self, name, as_numbers(name, getattr(self, name)))
        if len(self.edges) != len(self.counts) + 1:
            raise ParameterError(
                f"edges has {len(self.edges)} values, but {len(self.counts)} counts need one more."
            )


AnyMark = Line | Dots | Mark | Rule


def as_numbers(name: str, values: Any) -> FloatArray:
    """Return a list of numbers as an array, or refuse it by its name; None becomes NaN."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be a list of numbers, not {values!r:.60}.") from error
    if numbers.ndim != 1:
        raise ParameterError(f"{name} must be a list of numbers, not {numbers.ndim}-dimensional.")
    return numbers


def _set_arrays(mark: Line | Dots, first: str, others: Sequence[str]) -> None:
    """Turn the numbers of a mark into arrays that have the same length."""
    expected = as_numbers(first, getattr(mark, first))
    object.__setattr__(mark, first, expected)
    for name in others:
        given = getattr(mark, name)
        if given is None and name != "y":
            continue
        values = as_numbers(name, given)
        if len(values) != len(expected):
            raise ParameterError(
                f"{name} has {len(values)} values, but {first} has {len(expected)}."
            )
        object.__setattr__(mark, name, values)
    if (getattr(mark, "low", None) is None) != (getattr(mark, "high", None) is None):
        raise ParameterError("low and high are given together or not at all.")
