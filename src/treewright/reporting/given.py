"""What a report is about: a table with its target, and where both come from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.column_roles import Task, is_identifier, target_values, task_of
from treewright.data.files.any_file import read
from treewright.data.frame import Frame
from treewright.data.labelled_table import LabelledTable
from treewright.data.read.table import read_frame
from treewright.errors import ColumnMismatchError, DataError, ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Given:
    """A table with its target.

    Parameters
    ----------
    X, y
        The columns to learn from, and the target.
    task
        What the target is.
    name, target
        Of the table and of its target.
    weights, groups, costs
        Weights of the rows; what belongs together; the cost of each answer. Or None.
    left_out
        Columns that are not learned from, with the reason of each.
    notes
        What is to be known about how the table was read.
    file_hash
        The SHA-256 of the file that it was read from.
    command, python
        The lines that make the report again, for a shell and for Python; empty where not known.
    """

    X: Frame
    y: Array
    task: Task
    name: str
    target: str
    weights: Any = None
    groups: Any = None
    costs: Any = None
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()
    file_hash: str | None = None
    command: str = ""
    python: str = ""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.X.n_rows


def read_given(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    task: Task | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    cost_matrix: Any = None,
    name: str | None = None,
) -> Given:
    """Return table and target of what a user gives; parameters as for :func:`report`."""
    left_out: dict[str, str] = {}
    file_hash: str | None = None
    notes: tuple[str, ...] = ()
    known = ""
    is_file = isinstance(data, str | PathLike)
    if is_file:
        path = Path(data)
        data = _read_file(path, y, target)
        name, file_hash = name or path.name, hash_of_file(path)
    if isinstance(data, LabelledTable):
        if data.y is None and y is None:
            raise DataError(f"the table {data.name} has no target.\n  Hint: report(table.X, y).")
        frame, known, target = data.X, data.name, target or data.target
        y = data.y if y is None else y
        reading = data.reading
        notes = () if reading is None else tuple(map(_first_line, reading.notes))
        sample_weight = data.weights if sample_weight is None else sample_weight
    else:
        frame = read_frame(data)
    if y is None:
        frame, y = _taken_out(frame, target, "target")
        target = str(target)
    else:
        target = target or _name_of(y)
    groups, frame = _column_or_values(frame, groups, "groups", left_out)
    sample_weight, frame = _column_or_values(frame, sample_weight, "sample_weight", left_out)
    values, found = _target(y, target, task)
    if is_file:
        for column in frame.columns:
            if is_identifier(column, frame.column(column)):
                left_out[column] = "all its values differ: it names rows"
        frame = frame.drop(*(each for each in left_out if each in frame.columns))
    if not frame.columns:
        raise DataError(f"the table has no column to learn {target!r} from.")
    _check_target(values, target, found)
    return Given(
        X=frame,
        y=values,
        task=found,
        name=name or known or "table",
        target=target,
        weights=sample_weight,
        groups=groups,
        costs=cost_matrix,
        left_out=left_out,
        notes=notes,
        file_hash=file_hash,
    )


def _check_target(values: Array, name: str, task: Task) -> None:
    """Refuse a target with one value: there is nothing to learn."""
    known = {each for each in values.tolist() if each is not None and each == each}
    if len(known) == 1 and len(values) > 1:
        what = "class" if task == "classes" else "number"
        raise DataError(
            f"the target {name!r} has one {what} in all {len(values):,} rows: {known.pop()!r}.\n"
            "  Hint: another target."
        )


def hash_of_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"


def _read_file(path: Path, y: Any, target: str | None) -> LabelledTable:
    if y is not None:
        raise ParameterError(
            "a file holds its target itself: y is for tables.\n  Hint: report(path, target='name')."
        )
    if target is None:
        names = list_names(map(repr, read(path).columns), most=8)
        raise ParameterError(
            f"report of {str(path)!r} needs the name of the column to predict.\n"
            f"  Columns: {names}.\n  Hint: report({str(path)!r}, target='name')."
        )
    return read(path, target=target)


def _first_line(note: Any) -> str:
    """Return a note without the hints for Python below it."""
    return str(note.message).partition("\n")[0]


def _taken_out(frame: Frame, name: str | None, what: str) -> tuple[Frame, Array]:
    """Return a table without a column, and the column."""
    if name is None:
        raise ParameterError(
            "report needs to know what to predict.\n"
            "  Hint: report(X, y), or report(table, target='name')."
        )
    if name not in frame.columns:
        raise ColumnMismatchError(
            f"{what}={name!r} is no column of the table.\n"
            f"  Columns: {list_names(map(repr, frame.columns), most=8)}."
            f"{nearest_hint(name, frame.columns)}"
        )
    return frame.drop(name), target_values(frame.column(name), "classes")


def _column_or_values(
    frame: Frame, given: Any, what: str, left_out: dict[str, str]
) -> tuple[Any, Frame]:
    """Return values by row, which may be those of a column of the table, and the other columns."""
    if not isinstance(given, str):
        return given, frame
    rest, values = _taken_out(frame, given, what)
    left_out[given] = "says which rows belong together" if what == "groups" else "weights the rows"
    return values, rest


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else "target"


def _target(y: Any, name: str, task: Task | None) -> tuple[Array, Task]:
    """Return the target as learners see it, and what it is: few whole numbers are classes."""
    if getattr(y, "ndim", 1) > 1 and np.shape(y)[1:] != (1,):
        raise DataError(
            f"y has {np.shape(y)[1]} columns; a report is about one target.\n"
            "  Hint: a report for each."
        )
    column = read_frame({name: np.ravel(y) if hasattr(y, "ndim") else y}).column(name)
    found = task or task_of(column)
    if found == "numbers" and column.storage == "value":
        raise DataError(f"task='numbers', but the target {name!r} has texts.")
    return target_values(column, found), found
