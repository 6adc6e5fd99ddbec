"""Some rows of a table: typed columns for a model, and the cells as they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from treewright.data.column import Column, blank_column
from treewright.data.files.csv import CsvOptions
from treewright.data.files.json_records import record_columns
from treewright.data.files.split_rows import SplitRows
from treewright.data.files.typed_texts import ColumnOfTexts, TextKind, read_column
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.data.frame import Frame
from treewright.errors import DataError, FileFormatError, StrayTextError

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

Kinds = Mapping[str, TextKind | Literal["any"]]
"""The columns to be typed, each with what it holds; ``"any"`` is decided by the chunk."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TextChunk:
    """Rows of delimited text."""

    rows: SplitRows
    columns: tuple[str, ...]
    kinds: Kinds
    options: CsvOptions
    delimiter: str | None
    source: str
    first_row: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    @property
    def lines(self) -> Sequence[int]:
        """The line of each row."""
        lines: list[int] = self.rows.lines.tolist()
        return lines

    @cached_property
    def frame(self) -> Frame:
        """The columns that were asked for, typed."""
        columns: dict[str, Column] = {}
        for place, name in enumerate(self.columns):
            if name not in self.kinds:
                continue
            notation = self.options.notation
            if name in self.options.dates_of:
                notation = replace(notation, dates=self.options.dates_of[name])
            cells = ColumnOfTexts(
                name=name,
                source=self.source,
                lines=self.rows.lines,
                coded=partial(self.rows.column, place),
                numbers=partial(self.rows.numbers, place),
            )
            kind = self.kinds[name]
            try:
                columns[name] = read_column(
                    cells, notation, self.options.looking, None if kind == "any" else kind
                ).column
            except StrayTextError:
                raise
            except DataError as error:
                raise FileFormatError(f"{self.source}: {error}") from None
        return Frame(columns)

    def as_written(self, delimiter: str) -> list[str] | None:
        """Return the rows as they were written, if with this delimiter."""
        return (
            self.rows.cells.row_texts(self.rows.n_left_out) if delimiter == self.delimiter else None
        )

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column as they were written."""
        return self.rows.texts(self.columns.index(name))

    def plain_values(self, name: str) -> list[Any]:
        """Return the cells of a column: text, or what was asked for."""
        return plain(self.frame.column(name)) if name in self.kinds else self.texts(name)

    def json_values(self, name: str) -> list[str]:
        """Return the cells of a column as JSON; what is a number there is one."""
        notation = self.options.notation
        is_other = notation.decimal != "." or notation.thousands is not None
        if is_other and self.kinds.get(name) == "number":
            return column_json(self.frame.column(name))
        return [
            text
            if _JSON_NUMBER.fullmatch(text)
            else "null"
            if not text
            else json.dumps(text, ensure_ascii=False)
            for text in self.texts(name)
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordChunk:
    """Rows of JSON records."""

    records: list[dict[str, Any]]
    raw: list[str]
    lines: Sequence[int]
    columns: tuple[str, ...]
    kinds: Kinds
    options: CsvOptions
    source: str
    first_row: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.records)

    @cached_property
    def frame(self) -> Frame:
        """The columns that were asked for, typed."""
        names = [name for name in self.kinds if any(name in record for record in self.records)]
        kinds: dict[str, TextKind] = {}
        for name in names:
            kind = self.kinds[name]
            if kind != "any":
                kinds[name] = kind
        columns, _ = record_columns(
            self.records,
            names,
            notation=self.options.notation,
            lines=self.lines,
            source=self.source,
            looking=self.options.looking,
            kinds=kinds,
        )
        # A key that no record of these has is missing in all of them.
        blanks = {name: blank_column(self.n_rows) for name in self.kinds if name in self.columns}
        return Frame({**blanks, **columns})

    def as_written(self, delimiter: str) -> list[str] | None:
        """Return None: records are not delimited."""
        del delimiter
        return None

    def texts(self, name: str) -> list[str]:
        """Return the values of a key as text."""
        return [_as_text(record.get(name)) for record in self.records]

    def plain_values(self, name: str) -> list[Any]:
        """Return the values of a key."""
        return [record.get(name) for record in self.records]

    def json_values(self, name: str) -> list[str]:
        """Return the values of a key as JSON."""
        return [json.dumps(record.get(name), ensure_ascii=False) for record in self.records]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameChunk:
    """Rows whose types their file declares."""

    frame: Frame
    first_row: int

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.frame.columns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def lines(self) -> Sequence[int]:
        """The number of each row, from 1: such files have no lines."""
        return range(self.first_row + 1, self.first_row + self.n_rows + 1)

    def as_written(self, delimiter: str) -> list[str] | None:
        """Return None: the rows are no text."""
        del delimiter
        return None

    def texts(self, name: str) -> list[str]:
        """Return the values of a column as text; missing ones are empty."""
        return column_texts(self.frame.column(name))

    def plain_values(self, name: str) -> list[Any]:
        """Return the values of a column, None for missing ones."""
        return plain(self.frame.column(name))

    def json_values(self, name: str) -> list[str]:
        """Return the values of a column as JSON."""
        return column_json(self.frame.column(name))


Chunk = TextChunk | RecordChunk | FrameChunk
"""Some rows of a table, in one of the ways a table is written."""


def column_texts(column: Column) -> list[str]:
    """Return the values of a column as text that reads back; missing ones are empty.

    >>> column_texts(Column(storage="float", data=np.array([0.1, np.nan, 3.0])))
    ['0.1', '', '3.0']
    """
    missing = column.missing.tolist()
    if column.storage in ("datetime", "duration"):
        texts = column.to_numpy().astype(str).tolist()
        texts = [re.sub(r"(?:T00:00:00)?\.?0+$", "", t) if "T" in t else t for t in texts]
    else:
        texts = [_as_text(value) for value in column.to_numpy().tolist()]
    return ["" if gap else text for text, gap in zip(texts, missing, strict=True)]


def column_json(column: Column) -> list[str]:
    """Return the values of a column as JSON; missing ones and infinities are null."""
    if column.storage in ("datetime", "duration"):
        return [json.dumps(text or None) for text in column_texts(column)]
    values = column.to_numpy().tolist()
    return [
        "null"
        if gap or (isinstance(value, float) and not np.isfinite(value))
        else json.dumps(value, ensure_ascii=False)
        for value, gap in zip(values, column.missing.tolist(), strict=True)
    ]


def plain(column: Column) -> list[Any]:
    """Return the values of a column, None for missing ones; dates are ``datetime`` objects.

    >>> plain(Column(storage="float", data=np.array([0.5, np.nan])))
    [0.5, None]
    """
    values = column.to_numpy()
    if column.storage in ("datetime", "duration"):
        values = values.astype(f"{values.dtype.kind}8[us]")
    pairs = zip(values.tolist(), column.missing.tolist(), strict=True)
    return [None if gap else value for value, gap in pairs]


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def kinds_of(fitted: FittedSchema) -> dict[str, TextKind | Literal["any"]]:
    """Return what each column of a fitted model holds, so that any file is read as it was fitted.

    >>> from treewright.data.read.table import read_table
    >>> kinds_of(read_table({"size": [1.5], "zip": ["007"]}).schema)
    {'size': 'number', 'zip': 'text'}
    """
    return {spec.name: _kind_of(spec) for spec in fitted.sources}


def _kind_of(spec: ColumnSpec) -> TextKind | Literal["any"]:
    if spec.storage in ("float", "int", "uint"):
        return "number"
    if spec.storage == "datetime":
        return "date"
    if spec.storage == "value" and spec.values:
        if all(isinstance(value, bool) for value in spec.values):
            return "boolean"
        if all(isinstance(value, str) for value in spec.values):
            return "text"
        if all(isinstance(value, int | float) for value in spec.values):
            return "number"
    return "any"
