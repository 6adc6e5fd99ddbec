"""A column followed by another: what one table of all rows would have been read as.

Whole numbers and decimals are numbers; texts have the union of their values as domain. A column
that had no value so far takes the type of the rows that bring one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray
from treewright.data.column import Column, is_blank
from treewright.data.fitted_schema import UINT_OFFSET
from treewright.errors import DataError

_WORD_OF_STORAGE = {
    "float": "numbers",
    "int": "numbers",
    "uint": "numbers",
    "datetime": "dates",
    "duration": "durations",
    "value": "text or categories",
}
_SPARE = 4
"""A part of the rows for which room is kept behind them, so that few of many rows are copied."""


class Room:
    """Memory with room for further rows behind those that are there.

    Arrays that were lent before stay as they are: only what lies behind the last row is written,
    and only by the one that claims it.
    """

    def __init__(self, rows: Array, capacity: int) -> None:
        shape = (capacity, *rows.shape[1:])
        self.memory = np.empty(shape, dtype=rows.dtype, order="F")
        self.memory[: len(rows)] = rows
        self._free_behind = {len(rows): True}

    def claimed(self, rows: Array, more: Array) -> Array | None:
        """Return rows followed by more of them; None if they are not here, or have no room."""
        if rows.__array_interface__["data"] != self.memory.__array_interface__["data"]:
            return None
        n_before = len(rows)
        n_rows = n_before + len(more)
        if n_rows > len(self.memory) or np.result_type(self.memory, more) != self.memory.dtype:
            return None
        if self._free_behind.pop(n_before, None) is None:  # one step: threads may share a copy
            return None
        self.memory[n_before:n_rows] = more
        self._free_behind[n_rows] = True
        return self.memory[:n_rows]


def extended(rows: Array, more: Array, room: Room | None) -> tuple[Array, Room]:
    """Return rows followed by more of them, and the room that they are in.

    >>> rows, room = extended(np.array([1, 2]), np.array([3]), None)
    >>> rows.tolist(), extended(rows, np.array([4]), room)[0].tolist(), rows.tolist()
    ([1, 2, 3], [1, 2, 3, 4], [1, 2, 3])
    """
    grown = None if room is None else room.claimed(rows, more)
    if grown is not None and room is not None:
        return grown, room
    n_rows = len(rows) + len(more)
    dtype = np.result_type(rows, more)
    made = Room(np.asarray(rows, dtype=dtype), n_rows + n_rows // _SPARE)
    claimed = made.claimed(made.memory[: len(rows)], more)
    assert claimed is not None
    return claimed, made


def appended(
    old: Column, more: Column, name: str, room: Room | None = None
) -> tuple[Column, Room | None]:
    """Return a column followed by another, and the room of its values.

    >>> old = Column(storage="value", data=np.array([1, 0], dtype=np.int32), values=("a", "c"))
    >>> more = Column(storage="value", data=np.array([0], dtype=np.int32), values=("b",))
    >>> joined = appended(old, more, "colour")[0]
    >>> joined.to_numpy().tolist(), joined.values
    (['c', 'a', 'b'], ('a', 'b', 'c'))
    """
    if _is_of_no_type(old):
        old = _gaps_like(more, len(old))
    elif _is_of_no_type(more):
        more = _gaps_like(old, len(more))
    if _clash(old, more):
        # Gaps alone are gaps of any type, whatever type they were declared to be of.
        if is_blank(old):
            old = _gaps_like(more, len(old))
        elif is_blank(more):
            more = _gaps_like(old, len(more))
        else:
            _refuse(old, more, name)
    old, more = _alike(old, more)
    data, room = extended(old.data, more.data, room)
    present: BoolArray | None = None
    if old.present is not None or more.present is not None:
        present = np.concatenate([_present(old), _present(more)])
    return replace(old, data=data, present=present), room


def _is_of_no_type(column: Column) -> bool:
    """Return whether a column has no value that tells its type; declared categories do."""
    if column.fixed or not column.take(slice(0, 1)).missing.all():  # mostly told by one row
        return False
    return is_blank(column)


def _gaps_like(column: Column, n_rows: int) -> Column:
    """Return a column of missing values, of the type of another."""
    if column.storage == "float":
        return replace(column, data=np.full(n_rows, np.nan, dtype=column.data.dtype), present=None)
    if column.storage == "value":
        codes = np.full(n_rows, -1, dtype=np.int32)
        return replace(column, data=codes, present=None, all_occur=False)
    nothing = np.zeros(n_rows, dtype=np.int64)
    return replace(column, data=nothing, present=np.zeros(n_rows, dtype=bool))


def _present(column: Column) -> BoolArray:
    return np.ones(len(column), dtype=bool) if column.present is None else column.present


def _clash(old: Column, more: Column) -> bool:
    """Return whether two columns are of types that one column cannot have."""
    if _WORD_OF_STORAGE[old.storage] != _WORD_OF_STORAGE[more.storage]:
        return True
    if old.storage == "value":
        return _domains_clash(old.values, more.values)
    is_time = old.storage in ("datetime", "duration")
    return is_time and (old.time_zone is None) != (more.time_zone is None)


def _domains_clash(old: tuple[object, ...], more: tuple[object, ...]) -> bool:
    """Return whether some values are true or false, or texts, and the others are not."""
    if {type(value) for value in old} == {type(value) for value in more}:
        return False
    known = [{type(value) is bool for value in each} for each in (old, more)]
    texts = [{isinstance(value, str) for value in each} for each in (old, more)]
    return all(known) and (known[0] != known[1] or texts[0] != texts[1])


def _alike(old: Column, more: Column) -> tuple[Column, Column]:
    """Return both in one type."""
    if old.storage == "value":
        return _of_one_domain(old, more)
    if old.storage in ("datetime", "duration"):
        if old.unit != more.unit:
            return _in_microseconds(old), replace(_in_microseconds(more), time_zone=old.time_zone)
        return old, replace(more, time_zone=old.time_zone)
    if old.storage == more.storage:
        return old, more
    if "float" not in (old.storage, more.storage):  # beyond 64 bits with a sign
        pair = [_as_unsigned(column) for column in (old, more)]
        if pair[0] is not None and pair[1] is not None:
            return pair[0], pair[1]
    return _as_floats(old), _as_floats(more)


def _as_unsigned(column: Column) -> Column | None:
    if column.storage == "uint":
        return column
    if (column.data[_present(column)] < 0).any():
        return None
    unsigned = column.data.astype(np.uint64) ^ np.uint64(UINT_OFFSET)
    return replace(column, storage="uint", data=unsigned.view(np.int64))


def _as_floats(column: Column) -> Column:
    if column.storage == "float":
        return column
    floats = column.numbers().astype(np.float64)
    if column.present is not None:
        floats[~column.present] = np.nan
    return replace(column, storage="float", data=floats, present=None)


def _in_microseconds(column: Column) -> Column:
    if column.unit == "us":
        return column
    return replace(column, data=column.data // 1000, unit="us")


def _of_one_domain(old: Column, more: Column) -> tuple[Column, Column]:
    if old.values == more.values and old.fixed == more.fixed:
        return old, more
    values, is_fixed = _union(old, more)
    if values == old.values:
        return replace(old, fixed=is_fixed), _coded_by(more, values, is_fixed)
    return _coded_by(old, values, is_fixed), _coded_by(more, values, is_fixed)


def _union(old: Column, more: Column) -> tuple[tuple[object, ...], bool]:
    """Return the values of both, ascending; declared domains that differ are as their texts."""
    if old.values == more.values:
        return old.values, False
    there: dict[object, Any] = dict.fromkeys((*_occurring(old), *_occurring(more)))
    try:
        return tuple(sorted(there)), False  # type: ignore[type-var]
    except TypeError:  # of several types
        return tuple(there), False


def _occurring(column: Column) -> tuple[object, ...]:
    """Return the values that rows have: those of a categorical that none has count no longer."""
    if not column.fixed:
        return column.values
    is_there = np.zeros(len(column.values) + 1, dtype=bool)
    is_there[column.data] = True  # code -1 is the last
    return tuple(value for value, there in zip(column.values, is_there, strict=False) if there)


def _coded_by(column: Column, values: tuple[object, ...], is_fixed: bool) -> Column:
    place = {value: code for code, value in enumerate(values)}
    new_code = np.array([*(place.get(value, -1) for value in column.values), -1], dtype=np.int32)
    return replace(
        column,
        data=new_code[column.data],
        values=values,
        fixed=is_fixed,
        ordered=column.ordered and is_fixed,
    )


def _word_of(column: Column) -> str:
    if column.values and all(type(value) is bool for value in column.values):
        return "true/false"
    return _WORD_OF_STORAGE[column.storage]


def _refuse(old: Column, more: Column, name: str) -> None:
    row = int(np.flatnonzero(~more.missing)[0])
    value = more.take(slice(row, row + 1)).to_numpy()[0]
    was, now = _word_of(old), _word_of(more)
    if was == now:
        first = old.take(slice(int(np.flatnonzero(~old.missing)[0]), None)).to_numpy()[0]
        was, now = f"values like {str(first)!r}", "another type"
    raise DataError(
        f"column {name!r} has held {was} so far, but row {row} holds {str(value)!r}, of {now}.\n"
        "  Hint: convert the column as it was in the rows before."
    )
