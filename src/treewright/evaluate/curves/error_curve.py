"""What curves of one learner's error have in common: a point for each place, told as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from treewright.data.frame import Frame
from treewright.evaluate.curves.measured import Measured, measured_columns, measured_frame
from treewright.evaluate.metrics import Metric
from treewright.evaluate.result import Result, frame_of
from treewright.text.table import TextColumn, lay_out
from treewright.text.wrap import wrap_words


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorCurve(Result):
    """Training and validated error of a learner at each of several places.

    Parameters
    ----------
    name
        Of the learner.
    points
        What was measured at each place.
    metric
        What is measured.
    method
        How the rows were divided.
    n_rows
        Rows of the table.
    seed
        Of the division.
    notes
        What is to be known about the figures.
    """

    head: ClassVar[str]
    against: ClassVar[str]
    place_name: ClassVar[str]

    name: str
    points: tuple[Measured, ...] = field(repr=False)
    metric: Metric = field(repr=False)
    method: str
    n_rows: int
    seed: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def places(self) -> Sequence[float]:
        """Where the points are."""
        raise AssertionError("a curve has places")

    def place_texts(self) -> list[str]:
        """Return the places as a column of the table."""
        raise AssertionError("a curve has places")

    @property
    def finding(self) -> str:
        """What the curve says; nothing where it says nothing."""
        raise AssertionError("a curve has a finding")

    @property
    def seed_text(self) -> str:
        """The seed, for a caption; nothing where rows were given in parts."""
        return "" if self.seed is None else f", seed {self.seed}"

    def text(self) -> str:
        """Return the figures as a table, and what they say."""
        columns = [
            TextColumn(self.head, self.place_texts(), right=True),
            *measured_columns(self.metric, self.points),
        ]
        seed = "" if self.seed is None else f"; seed {self.seed}"
        heading = f"{self.name}: {self.metric.title} by {self.against}; {self.method}{seed}"
        told = [f"{self.finding}."] if self.finding else []
        told += [f"note: {note}" for note in self.notes]
        lines = [lay_out(columns), *(wrap_words(each) for each in told)]
        return f"{wrap_words(heading)}\n\n" + "\n".join(lines)

    def to_frame(self) -> Frame:
        """Return a row per place."""
        return frame_of({self.place_name: list(self.places), **measured_frame(self.points)})

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain lists, strings and numbers."""
        return {
            "name": self.name,
            "metric": self.metric.name,
            "method": self.method,
            "points": [
                {self.place_name: place, **each.to_dict()}
                for place, each in zip(self.places, self.points, strict=True)
            ],
            "finding": self.finding,
            "notes": list(self.notes),
        }
