"""Tables as commands have them: as they were read, and with what is to be learned from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.cli.fitting.costs import Costs
    from treewright.data.column_roles import Task
    from treewright.data.frame import Frame
    from treewright.data.reading import Reading

EXAMPLE = "example:"
"""What the name of an embedded table begins with."""


class Drawn(NamedTuple):
    """So many rows, drawn by a seed."""

    n_rows: int
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class RawTable:
    """All columns of a file or an example, before anything is decided about them.

    Parameters
    ----------
    source
        As it was typed.
    frame
        The columns, the target among them.
    target
        The target, where an example declares it.
    classes
        Its classes in order, where they are declared.
    kinds
        What was said of the kinds of its columns.
    taken
        Which of its rows were taken, one choice after the other.
    """

    source: str
    frame: Frame
    target: str | None = None
    classes: tuple[object, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    taken: tuple[Drawn | Literal["known"], ...] = ()

    def rows(self, rows: Array, how: Drawn | Literal["known"]) -> RawTable:
        """Return some of the rows."""
        return replace(self, frame=self.frame.rows(rows), taken=(*self.taken, how))

    @property
    def is_example(self) -> bool:
        """Whether it is one of the embedded tables."""
        return self.source.startswith(EXAMPLE)

    @property
    def stem(self) -> str:
        """The name that a model of it is saved under, without a suffix."""
        return stem_of(self.source)


def stem_of(data: str) -> str:
    """Return the name of a table without folder and suffixes.

    >>> stem_of("data/loans.csv.gz"), stem_of("example:iris"), stem_of("-")
    ('loans', 'iris', 'stdin')
    """
    if data == "-":
        return "stdin"
    if data.startswith(EXAMPLE):
        return data.removeprefix(EXAMPLE)
    name = Path(data).name
    for suffix in (".gz", ".bz2", ".xz"):
        name = name.removesuffix(suffix)
    return Path(name).stem


@dataclass(frozen=True, kw_only=True, eq=False)
class LearningTable:
    """What a model is grown from.

    Parameters
    ----------
    raw
        Where it comes from.
    X, y
        The columns to learn from, and the target.
    target, task
        The target's name, and what it is.
    left_out
        Columns that were left out as identifiers.
    ignored
        Columns that were to be left out.
    order
        Declared orders of values, by column.
    weights, groups
        An entry per row, or None.
    weight_column, group_column
        The columns that they were typed as; None where they were not.
    costs
        What each answer costs, actual class to predicted class to cost; None: errors count alike.
    """

    raw: RawTable
    X: Frame
    y: Array
    target: str
    task: Task
    left_out: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    order: dict[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Array | None = None
    groups: Array | None = None
    weight_column: str | None = None
    group_column: str | None = None
    costs: Costs | None = None

    @property
    def reading(self) -> Reading | None:
        """How its file was read, as far as it concerns the columns that are used."""
        reading = self.raw.frame.reading
        if reading is None:
            return None
        used = {*self.X.columns, self.target, None}
        return replace(reading, notes=tuple(n for n in reading.notes if n.column in used))
