"""A table with its target: what an example or a file gives to ``fit``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from treewright.array_types import Array, FloatArray
from treewright.data.frame import Frame
from treewright.data.reading import Reading

_ELSEWHERE = {
    "DESCR": "title, source and note",
    "data": "X, the columns, and y, the target",
    "feature_names": "X.columns",
    "frame": "X, the columns, and y, the target",
    "target_names": "classes",
}
"""What the tables of scikit-learn call it."""

Task = Literal["classification", "regression", "none"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledTable:
    """A table with its target.

    Attributes
    ----------
    name, title, source, note : str
        Name, short description, origin, and remarks.
    task : {"classification", "regression", "none"}
    X : Frame
        The columns to learn from, with their declared domains.
    y : array or None
        The target; None where the table has none.
    target : str or None
        Name of the target.
    classes : tuple
        Declared classes of the target, in order; empty for numbers.
    ids : tuple
        Names of the rows in the source.
    weights : array or None
        Weights of the rows, where the source gives counts.
    """

    name: str
    title: str
    source: str
    task: Task
    X: Frame
    y: Array | None
    target: str | None
    classes: tuple[object, ...] = ()
    ids: tuple[object, ...] = ()
    weights: FloatArray | None = None
    note: str = ""

    @property
    def reading(self) -> Reading | None:
        """How the file was read that the table comes from; None for an example."""
        return self.X.reading

    def __getattr__(self, name: str) -> Any:
        """Raise an AttributeError with a hint at what there is."""
        found = _ELSEWHERE.get(name)
        hint = f".\n  Hint: {found}." if found else ""
        raise AttributeError(f"'LabelledTable' object has no attribute {name!r}{hint}", name=name)

    def __iter__(self) -> NoReturn:
        """Refuse to be unpacked: there is more than X and y, such as weights."""
        raise TypeError("a LabelledTable is not a pair.\n  Hint: X, y = table.X, table.y.")

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        about = f"target {self.target!r}, {self.task}" if self.target else "no target"
        lines = [f"LabelledTable {self.name}: {rows:,} rows, {columns} columns; {about}"]
        if self.reading is not None:
            lines.append(self.reading.told())
            lines += [note.message for note in self.reading.notes]
        return "\n".join(lines)
