"""The rows that have been seen, as they were read: what one table of all of them holds.

Types and domains are inferred from the table of all rows, however they came: a column of whole
numbers that meets a decimal is one of numbers, and a new category takes its place in the order of
the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray, Int32Array
from treewright.data.append_column import Room, appended, extended
from treewright.data.column import Column
from treewright.data.fitted_schema import FittedSchema
from treewright.data.match_names import match_by_name, match_by_position
from treewright.data.read.dataframes import target_array
from treewright.data.read.source import Source
from treewright.data.read.table import open_table, read_table
from treewright.data.read.target import ClassTarget
from treewright.data.read.weights import read_weights
from treewright.data.table import Table
from treewright.errors import DataError, ModelFormatError, TargetError
from treewright.grow.training_data import Reading
from treewright.text.names import list_names

_MATRIX, _CODES = 0, 1
"""Keys of memory that is of no column by name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptRows:
    """Rows in the order in which they came.

    Attributes
    ----------
    names : tuple of str
        Of the columns of the table, in the order of the first rows.
    named : bool
        Whether the names came with the table.
    matrix : array, optional
        The whole table as long as it is one of floats, column by column in memory.
    columns : dict
        Else the columns that are used, as they were read, by name.
    codes, classes : arrays
        The class of each row, and the classes in their order.
    weight : array, optional
        The weights of the rows as they were given; None as long as all are 1.
    """

    names: tuple[str, ...]
    named: bool
    columns: dict[str, Column]
    codes: Int32Array
    classes: Array
    matrix: Array | None = None
    weight: FloatArray | None = None
    rooms: dict[Any, Room | None] = field(default_factory=dict, metadata={"kept": False})

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rooms": {}}  # without the memory that is kept free

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state; refuse one whose codes lead out of their tables: the core trusts them."""
        self.__dict__.update({**state, "rooms": {}})
        try:
            self._check()
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelFormatError(f"the rows kept are damaged: {error}.") from error

    def _check(self) -> None:
        codes = [(self.codes, len(self.classes), 0)]
        for column in self.columns.values():
            due = {"float": "f", "value": "i"}.get(column.storage, "i")
            if column.data.ndim != 1 or column.data.dtype.kind != due:
                raise ValueError(f"a column holds {column.data.dtype}")
            if column.storage == "value":
                codes.append((column.data, len(column.values), -1))
            if column.present is not None and column.present.shape != column.data.shape:
                raise ValueError("a column says of other rows which are there")
        matrix = self.matrix
        if matrix is not None and (
            matrix.dtype.kind != "f" or matrix.shape != (self.n_rows, len(self.names))
        ):
            raise ValueError("the table is not one of floats")
        if self.codes.dtype != np.int32 or self.codes.ndim != 1:
            raise ValueError(f"the classes of rows are {self.codes.dtype}")
        if any(len(column) != self.n_rows for column in self.columns.values()):
            raise ValueError("columns have rows that others have not")
        if self.weight is not None and self.weight.shape != (self.n_rows,):
            raise ValueError("weights are of other rows")
        for array, n_values, least in codes:
            if len(array) and not (array.min() >= least and array.max() < n_values):
                raise ValueError("a code stands for no value")

    def table(self, reading: Reading) -> Table:
        """Return the table of all rows."""
        source = Source(
            n_rows=self.n_rows,
            n_columns=len(self.names),
            names=self.names if self.named else None,
            read=self._column,
            matrix=self.matrix,
            is_frame=False,
        )
        return read_table(
            source, schema=reading.schema, categorical_features=reading.categorical_features
        )

    def _column(self, index: int, name: str) -> Column:
        if self.matrix is not None:
            return Column(storage="float", data=self.matrix[:, index])
        if name not in self.columns:
            raise DataError(
                f"column {name!r} was ignored in the rows seen so far, and was not kept.\n"
                "  Hint: fit(X, y) with all rows."
            )
        return self.columns[name]

    def by_column(self) -> dict[str, Column]:
        """Return the columns that are used, by name."""
        if self.matrix is None:
            return self.columns
        return {name: self._column(i, name) for i, name in enumerate(self.names)}

    def target(self, reading: Reading) -> ClassTarget:
        """Return the target of all rows."""
        is_declared = reading.schema is not None and len(reading.schema.class_order) > 0
        return ClassTarget(
            codes=self.codes,
            classes=(self.classes,),
            single=True,
            ordered=is_declared or self.classes.dtype.kind in "biuf",
        )


def first_rows(X: Any, y: Any, sample_weight: Any, announced: Any, reading: Reading) -> KeptRows:
    """Return the rows of a first table, target and weights."""
    source = open_table(X)
    columns: dict[str, Column] = {}

    def read(i: int, name: str) -> Column:
        columns[name] = source.read(i, name)
        return columns[name]

    table = read_table(
        replace(source, matrix=_floats(source), read=read),
        schema=reading.schema,
        categorical_features=reading.categorical_features,
    )
    codes, classes = _read_target(y, announced, table.n_rows, reading)
    weight = _given_weights(sample_weight, table.n_rows)
    rooms: dict[Any, Room | None] = {}  # rows are copied once, and now rather than in an update
    matrix = table.matrix
    if matrix is not None:
        matrix, rooms[_MATRIX] = extended(matrix, matrix[:0], None)
    for name, column in columns.items():
        data, rooms[name] = extended(column.data, column.data[:0], None)
        columns[name] = replace(column, data=data)
    return KeptRows(
        names=table.schema.input_names,
        named=table.schema.named,
        columns=columns,
        codes=codes,
        classes=classes,
        matrix=matrix,
        weight=weight,
        rooms=rooms,
    )


def _floats(source: Source) -> Array | None:
    """Return a table that is one of floats; whole numbers are kept as such, column by column."""
    matrix = source.matrix
    return matrix if matrix is not None and matrix.dtype.kind == "f" else None


def with_more_rows(
    kept: KeptRows,
    X: Any,
    y: Any,
    sample_weight: Any,
    announced: Any,
    reading: Reading,
    schema: FittedSchema,
) -> KeptRows:
    """Return the rows kept, followed by those of another table; `kept` stays as it is.

    Parameters
    ----------
    schema
        The columns as they are so far: those of another table are matched with them.
    """
    source = open_table(X)
    if source.names is not None and kept.named:
        positions = match_by_name(
            source.names, schema, any_order=source.any_order, extra_allowed=False
        )
    else:
        match_by_position(source.n_columns, source.names is not None, schema, reading.owner)
        positions = schema.source_positions
    new_codes, new_classes = _read_target(y, announced, source.n_rows, reading)
    new_weight = _given_weights(sample_weight, source.n_rows)
    classes, place_of_old, place_of_new = _union(kept.classes, new_classes, reading)
    rooms: dict[Any, Room | None] = {}
    columns: dict[str, Column] = {}
    matrix, new_matrix = kept.matrix, _floats(source)
    if matrix is not None and new_matrix is not None:
        matrix, rooms[_MATRIX] = extended(matrix, new_matrix, kept.rooms.get(_MATRIX))
    else:
        matrix, before = None, kept.by_column()
        for position, name in zip(positions, schema.source_names, strict=True):
            more = source.read(position, name)
            room = kept.rooms.get(name)
            columns[name], rooms[name] = appended(before[name], more, name, room)
    old_codes, room = kept.codes, kept.rooms.get(_CODES)
    if len(classes) > len(kept.classes):
        old_codes, room = place_of_old[kept.codes], None
    codes, rooms[_CODES] = extended(old_codes, place_of_new[new_codes], room)
    return replace(
        kept,
        matrix=matrix,
        columns=columns,
        codes=codes,
        classes=classes,
        weight=_weights(kept, new_weight, source.n_rows),
        rooms=rooms,
    )


def _read_target(y: Any, announced: Any, n_rows: int, reading: Reading) -> tuple[Int32Array, Array]:
    """Return the codes of a target and its classes, those included that were announced."""
    target = reading.read_target(y, n_rows)
    assert isinstance(target, ClassTarget)
    codes, classes = target.codes, target.classes[0]
    if not _has_declared_order(reading):
        codes, classes = _ascending(codes, classes)  # an ordered categorical counts by its labels
    if announced is None:
        return codes, classes
    told = _told(announced, reading)
    known = set(told.tolist())
    for code, name in enumerate(classes.tolist()):
        if name not in known:
            row = int(np.argmax(codes == code))
            raise TargetError(
                f"{reading.owner}.partial_fit: y, row {row} holds class {name!r}, which classes="
                f" does not list.\n  Listed: {list_names(map(repr, told.tolist()))}\n"
                "  Hint: list every class that may come, or leave classes out."
            )
    union, place, _ = _union(classes, told, reading)
    return place[codes], union


def _told(announced: Any, reading: Reading) -> Array:
    """Return the classes that were announced, in their order."""
    given = target_array(announced)
    if given.ndim != 1 or not len(given):
        raise TargetError(
            f"{reading.owner}.partial_fit: classes={announced!r} is no list of classes.\n"
            "  Hint: classes=['no', 'yes'], say; or leave it out, classes may be new in any call."
        )
    target = reading.read_target(announced, len(given))
    assert isinstance(target, ClassTarget)
    return target.classes[0]


def _has_declared_order(reading: Reading) -> bool:
    return reading.schema is not None and len(reading.schema.class_order) > 0


def _ascending(codes: Int32Array, classes: Array) -> tuple[Int32Array, Array]:
    order = np.array(_in_order(classes.tolist()), dtype=np.int32)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[codes], classes[order]


def _in_order(values: Sequence[Any]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)


def _union(old: Array, more: Array, reading: Reading) -> tuple[Array, Int32Array, Int32Array]:
    """Return the classes of both in order, and the place of each of the old and of the new."""
    if (old.dtype.kind in "biuf") != (more.dtype.kind in "biuf"):
        raise TargetError(
            f"y has held classes like {old.tolist()[0]!r} so far, and now holds"
            f" {more.tolist()[0]!r}: text and"
            " numbers are not classes of one target.\n"
            "  Hint: convert the target as it was in the rows before."
        )
    known = set(old.tolist())
    further = [i for i, name in enumerate(more.tolist()) if name not in known]
    joined = np.concatenate([old, more[further]]) if further else old
    names = joined.tolist()
    if _has_declared_order(reading):
        assert reading.schema is not None
        rank = {name: i for i, name in enumerate(reading.schema.class_order)}
        order = sorted(range(len(names)), key=lambda i: rank[names[i]])
    else:
        order = _in_order(names)
    classes = joined[order]
    place = {name: i for i, name in enumerate(classes.tolist())}
    of_old = np.array([place[name] for name in old.tolist()], dtype=np.int32)
    of_new = np.array([place[name] for name in more.tolist()], dtype=np.int32)
    return classes, of_old, of_new


def _given_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of some rows as they were given; refuse what is none."""
    if sample_weight is None:
        return None
    given = target_array(sample_weight)
    if given.shape == (n_rows,) and given.dtype.kind in "biuf" and not given.any():
        return np.zeros(n_rows)  # other rows have weight
    if read_weights(sample_weight, n_rows) is None or given.ndim == 0:
        return np.full(n_rows, float(given))
    return given.astype(np.float64)


def _weights(kept: KeptRows, more: FloatArray | None, n_more: int) -> FloatArray | None:
    if kept.weight is None and more is None:
        return None
    before = np.ones(kept.n_rows) if kept.weight is None else kept.weight
    return np.concatenate([before, np.ones(n_more) if more is None else more])
