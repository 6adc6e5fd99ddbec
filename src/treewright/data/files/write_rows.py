"""Tables written row by row: CSV, TSV, JSON lines or Parquet, compressed or not, to a file or pipe.

A file is written beside its final name and put in its place when all is there, so that a reader
never finds half of it, and a failure leaves what was there before.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, Protocol, cast

from treewright.data.files.chunk import Chunk
from treewright.data.files.parquet import ParquetRows
from treewright.errors import ParameterError

TableFormat = Literal["csv", "tsv", "jsonl", "parquet"]

_FORMAT_OF_SUFFIX: dict[str, TableFormat] = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_COMPRESSED = (".gz", ".bz2", ".xz")

Values = Sequence[str] | Sequence[float] | Sequence[int] | Sequence[bool] | Sequence[object]


def format_of(name: str) -> TableFormat | None:
    """Return the format that a file's name says; None if it says none.

    >>> format_of("answers.csv.gz"), format_of("answers")
    ('csv', None)
    """
    path = Path(name)
    if path.suffix.lower() in _COMPRESSED:
        path = path.with_suffix("")
    return _FORMAT_OF_SUFFIX.get(path.suffix.lower())


class _Rows(Protocol):
    def write(self, chunk: Chunk, kept: Sequence[str], added: Mapping[str, Values]) -> None: ...

    def finish(self) -> None: ...


class TableWriter:
    """Where the rows of chunks are written, with columns added to them.

    Parameters
    ----------
    out : path or binary file
        ``"-"`` is standard output. A file that is there is replaced at the end.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        By default what the name says, else CSV.
    delimiter : str
        What divides the fields of CSV.
    decimal : str
        Decimal mark of numbers that are added in CSV.

    Examples
    --------
    >>> import io
    >>> from treewright.data.files.any_file import ReadOptions
    >>> from treewright.data.files.stream import open_table_stream
    >>> stream = open_table_stream(io.BytesIO(b"zip,a\\n007,x\\n"), ReadOptions())
    >>> made = io.BytesIO()
    >>> with TableWriter(made) as writer:
    ...     for chunk in stream.chunks({}):
    ...         writer.write(chunk, chunk.columns, {"prediction": ["yes"]})
    >>> made.getvalue()
    b'zip,a,prediction\\n007,x,yes\\n'
    """

    def __init__(
        self,
        out: str | os.PathLike[str] | BinaryIO,
        *,
        format: TableFormat | None = None,
        delimiter: str = ",",
        decimal: str = ".",
    ) -> None:
        self.n_rows = 0
        self._place: Path | None = None
        self._temporary: Path | None = None
        name = os.fspath(out) if isinstance(out, str | os.PathLike) else ""
        format = format or format_of(name) or "csv"
        if format not in ("csv", "tsv", "jsonl", "parquet"):
            raise ParameterError(f"format={format!r} must be 'csv', 'tsv', 'jsonl' or 'parquet'.")
        self._name, self._given, self._format = name, out, format
        self._delimiter, self._decimal = delimiter, decimal
        self._raw: BinaryIO
        self._out: BinaryIO
        self._rows: _Rows

    def write(self, chunk: Chunk, kept: Sequence[str], added: Mapping[str, Values]) -> None:
        """Write the rows of a chunk: the columns to keep as they were written, and others."""
        self._rows.write(chunk, kept, added)
        self.n_rows += chunk.n_rows

    def __enter__(self) -> TableWriter:
        try:
            self._open()
        except BaseException:
            self._abandon()
            raise
        return self

    def _open(self) -> None:
        name = self._name
        if not name:
            self._raw = cast(BinaryIO, self._given)
        elif name == "-":
            self._raw = cast(BinaryIO, getattr(sys.stdout, "buffer", None) or _Encoded())
        else:
            self._place = Path(name)
            # The name is known before there is a file, so that Ctrl-C never leaves one behind.
            part = f".{self._place.name}.{secrets.token_hex(6)}.part"
            self._temporary = self._place.with_name(part)
            self._raw = self._temporary.open("xb")
        suffix = Path(name).suffix.lower()
        self._out = _compressed(self._raw, suffix) if suffix in _COMPRESSED else self._raw
        if self._format == "jsonl":
            self._rows = _JsonLines(self._out)
        elif self._format == "parquet":
            self._rows = _Parquet(self._out)
        else:
            mark = "\t" if self._format == "tsv" else self._delimiter
            self._rows = _Delimited(self._out, mark, self._decimal)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._abandon()
            return
        try:
            self._rows.finish()
            if self._out is not self._raw:
                self._out.close()
            self._raw.flush()
            if self._place is not None and self._temporary is not None:
                os.fsync(self._raw.fileno())
                self._raw.close()
                os.replace(self._temporary, self._place)
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        if self._temporary is not None:
            if hasattr(self, "_raw"):
                self._raw.close()
            self._temporary.unlink(missing_ok=True)


def _compressed(out: BinaryIO, suffix: str) -> BinaryIO:
    made: Any  # closed by the writer
    if suffix == ".gz":
        # No time and no name in the head: the same rows give the same bytes.
        made = gzip.GzipFile(filename="", fileobj=out, mode="wb", mtime=0, compresslevel=6)
    elif suffix == ".bz2":
        made = bz2.BZ2File(out, "wb")
    else:
        made = lzma.LZMAFile(out, "wb")  # noqa: SIM115
    return cast(BinaryIO, made)


class _Encoded(io.RawIOBase):
    """Standard output that takes text only, as where it is captured."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        sys.stdout.write(bytes(data).decode("utf-8"))
        return len(data)


class _Delimited:
    """CSV or TSV; a cell is quoted where it must be."""

    def __init__(self, out: BinaryIO, delimiter: str, decimal: str) -> None:
        self.out = out
        self.delimiter = delimiter
        self.decimal = decimal
        self.is_first = True

    def write(self, chunk: Chunk, kept: Sequence[str], added: Mapping[str, Values]) -> None:
        mark = self.delimiter
        if self.is_first:
            self.is_first = False
            names = [self._quoted(name) for name in (*kept, *added)]
            self.out.write((mark.join(names) + "\n").encode("utf-8"))
        if chunk.n_rows == 0:
            return
        raw = chunk.as_written(mark) if tuple(kept) == chunk.columns else None
        columns: list[list[str]]
        columns = [raw] if raw is not None else [self._cells(chunk.texts(n)) for n in kept]
        columns += [self._added(values) for values in added.values()]
        lines = map(mark.join, zip(*columns, strict=True)) if len(columns) > 1 else columns[0]
        text = "\n".join(lines) + "\n"
        self.out.write(text.encode("utf-8", "surrogateescape"))

    def finish(self) -> None:
        self.out.flush()

    def _added(self, values: Values) -> list[str]:
        texts = [_cell_text(value) for value in values]
        if self.decimal != "." and any(isinstance(value, float) for value in values):
            texts = [text.replace(".", self.decimal) for text in texts]
        return self._cells(texts)

    def _cells(self, texts: list[str]) -> list[str]:
        quoted = {text: self._quoted(text) for text in set(texts)}
        return [quoted[text] for text in texts]

    def _quoted(self, text: str) -> str:
        is_special = any(mark in text for mark in (self.delimiter, '"', "\n", "\r"))
        if is_special or text[:1] == " ":  # spaces before a cell are dropped by readers
            doubled = text.replace('"', '""')
            return f'"{doubled}"'
        return text


class _JsonLines:
    def __init__(self, out: BinaryIO) -> None:
        self.out = out

    def write(self, chunk: Chunk, kept: Sequence[str], added: Mapping[str, Values]) -> None:
        if chunk.n_rows == 0:
            return
        pairs = [[f"{_json(name)}: {value}" for value in chunk.json_values(name)] for name in kept]
        pairs += [[f"{_json(name)}: {_json(v)}" for v in vs] for name, vs in added.items()]
        lines = ["{" + ", ".join(row) + "}" for row in zip(*pairs, strict=True)]
        self.out.write(("\n".join(lines) + "\n").encode("utf-8"))

    def finish(self) -> None:
        self.out.flush()


class _Parquet:
    def __init__(self, out: BinaryIO) -> None:
        self.rows = ParquetRows(out)

    def write(self, chunk: Chunk, kept: Sequence[str], added: Mapping[str, Values]) -> None:
        columns: dict[str, list[Any]] = {}
        for name in kept:
            columns[name] = chunk.plain_values(name)
        for name, values in added.items():
            columns[name] = list(values)
        self.rows.write(columns)

    def finish(self) -> None:
        self.rows.finish()


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def _json(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, ensure_ascii=False)
