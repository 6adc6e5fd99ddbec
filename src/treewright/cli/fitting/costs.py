"""``--cost``: what each wrong answer costs, from a file that names the classes on both sides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure
from treewright.cli.model_files import check_exists
from treewright.cli.screen.words import counted
from treewright.errors import FileFormatError
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable
    from treewright.data.frame import Frame

Costs = Mapping[Any, Mapping[Any, float]]
"""Actual class to predicted class to cost."""

_LAYOUT = "first row and column: the classes; rows actual, columns predicted"


def costs_of_file(path: str, table: LearningTable, *, known: Sequence[Any] = ()) -> Costs:
    """Return the costs of a file for the target of a table.

    Parameters
    ----------
    known
        Classes that a model knows besides those of the table.

    Raises
    ------
    Failure
        If the target has numbers, or the file is no table of costs of exactly its classes.
    """
    if table.task == "numbers":
        hint = "--target with a column of classes"
        raise _refused(path, f"--cost is for classes; {table.target!r} has numbers", hint=hint)
    check_exists(path)
    frame = _read(path)
    if not frame.columns or frame.n_rows != len(frame.columns) - 1:
        n_columns = max(len(frame.columns) - 1, 0)
        raise _refused(
            path,
            f"{path} is no table of costs: it has {counted(frame.n_rows, 'row')} and"
            f" {counted(n_columns, 'column')} of them",
        )
    first, *predicted = frame.columns
    actual = [str(value) for value in frame[first].tolist()]
    _check_names(path, actual, predicted)
    class_of_name = {class_name(each): each for each in _classes(table, known)}
    _check_classes(path, table.target, predicted, class_of_name)
    row_of_name = {name: i for i, name in enumerate(actual)}
    # In the order of the classes, so that the order of the file does not matter.
    costs = {
        value: {
            other: _cost(path, frame, row_of_name[name], column, name)
            for column, other in class_of_name.items()
        }
        for name, value in class_of_name.items()
    }
    if not any(cost > 0 for row in costs.values() for cost in row.values()):
        raise _refused(path, f"{path}: every cost is 0; then no answer is better than another")
    return costs


def class_name(value: Any) -> str:
    """Return a class as a file names it.

    >>> [class_name(value) for value in ("late", 1, 1.0, True)]
    ['late', '1', '1', 'true']
    """
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _read(path: str) -> Frame:
    """Return the cells; classes stay as they are written (``01``, ``none``)."""
    from treewright.data.files.any_file import ReadOptions, read_file

    options = ReadOptions(header=True, missing=("",))
    try:
        columns = read_file(path, options).columns
        return read_file(path, replace(options, kinds={columns[0]: "text"} if columns else {}))
    except FileFormatError as error:  # its hint is for tables of data
        raise _refused(path, str(error).splitlines()[0].rstrip(".")) from error


def _classes(table: LearningTable, known: Sequence[Any]) -> list[Any]:
    values = {each for each in (*table.y.tolist(), *known) if each is not None and each == each}
    return sorted(values, key=lambda each: (isinstance(each, str), each))


def _check_names(path: str, actual: list[str], predicted: list[str]) -> None:
    """Refuse rows and columns that do not name the same classes, each once."""
    for name in actual:
        if actual.count(name) > 1:
            raise _refused(path, f"{path} has more than one row for class {name!r}")
        if name not in predicted:
            raise _refused(path, f"{path} has a row for class {name!r}, but no column")


def _check_classes(path: str, target: str, names: list[str], known: Mapping[str, Any]) -> None:
    """Refuse classes that the target does not have, and those of the target that are absent."""
    strange = [name for name in names if name not in known]
    if strange:
        message = f"{path} names class {strange[0]!r}, which {target!r} does not have"
        raise _refused(path, message, hint=f"its classes: {list_names(known)}", column=target)
    absent = [name for name in known if name not in names]
    if absent:
        message = f"{path} has no costs of class {absent[0]!r} of {target!r}"
        hint = f"a row and a column for each of {list_names(known)}"
        raise _refused(path, message, hint=hint, column=target)


def _cost(path: str, frame: Frame, row: int, predicted: str, actual: str) -> float:
    value = frame[predicted].tolist()[row]
    try:
        cost = float(value)
    except (TypeError, ValueError):
        cost = math.nan
    if cost >= 0 and math.isfinite(cost):
        return cost
    is_empty = value is None or value == "" or value != value
    found = "empty" if is_empty else repr(value) if isinstance(value, str) else f"{value:g}"
    raise _refused(
        path,
        f"{path}: the cost of predicting {predicted!r} for {actual!r} is {found}",
        hint="costs are numbers, 0 or more",
        line=row + 2,
    )


def _refused(path: str, message: str, *, hint: str = _LAYOUT, **where: Any) -> Failure:
    return Failure(code="cost-matrix", message=message, hint=hint, file=path, **where)
