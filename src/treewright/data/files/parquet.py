"""Parquet files, by whichever library is installed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any, BinaryIO

from treewright.data.files.open_bytes import OpenedFile
from treewright.data.frame import Frame
from treewright.data.read.table import read_frame
from treewright.errors import FileFormatError

PARQUET_MAGIC = b"PAR1"
"""First bytes of every Parquet file."""


def read_parquet(name: str, data: bytes) -> Frame:
    """Return the table in the bytes of a Parquet file; `name` is the file's, for messages."""
    if not data.startswith(PARQUET_MAGIC):
        raise FileFormatError(f"{name} is not a Parquet file: it does not begin with PAR1.")
    table: Any
    try:
        if find_spec("pyarrow") is not None:
            import pyarrow
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(pyarrow.BufferReader(data))
        elif find_spec("polars") is not None:
            import polars

            table = polars.read_parquet(data)
        else:
            raise FileFormatError(
                "reading Parquet needs polars or pyarrow.\n  Hint: pip install 'treewright[io]'."
            )
    except FileFormatError:
        raise
    except Exception as error:
        raise FileFormatError(
            f"{name} is a damaged Parquet file: {error}\n  Hint: write it again."
        ) from error
    return read_frame(table)


def parquet_chunks(file: OpenedFile, n_rows: int) -> Iterator[Frame]:
    """Yield the table of a Parquet file in chunks of so many rows.

    pyarrow reads one after the other; polars reads the whole file. A pipe is read whole by both:
    what is where stands at the end of the file.
    """
    if find_spec("pyarrow") is None:
        frame = read_parquet(file.name, file.read())
        for begin in range(0, max(1, len(frame)), n_rows):
            yield frame.rows(slice(begin, begin + n_rows))
        return
    import pyarrow
    import pyarrow.parquet

    is_on_disk = file.path is not None and file.compressed is None
    source: Any = file.path if is_on_disk else io.BytesIO(file.read())
    try:
        opened = pyarrow.parquet.ParquetFile(source)
        is_empty = True
        for batch in opened.iter_batches(batch_size=n_rows):
            is_empty = False
            yield read_frame(pyarrow.Table.from_batches([batch]))
        if is_empty:
            yield read_frame(opened.read())
    except pyarrow.ArrowException as error:
        raise FileFormatError(
            f"{file.name} is a damaged Parquet file: {error}\n  Hint: write it again."
        ) from error


class ParquetRows:
    """A Parquet file that is written in chunks.

    The types of the columns are those of the first chunk. pyarrow writes each chunk when it comes;
    polars holds them all until the end.
    """

    def __init__(self, out: BinaryIO) -> None:
        self.out = out
        self._writer: Any = None
        self._kept: list[Any] = []
        if find_spec("pyarrow") is None and find_spec("polars") is None:
            raise FileFormatError(
                "writing Parquet needs polars or pyarrow.\n  Hint: pip install 'treewright[io]'."
            )

    def write(self, columns: Mapping[str, list[Any]]) -> None:
        """Write the rows of a chunk: lists of texts, numbers, booleans or dates, None for none."""
        if find_spec("pyarrow") is None:
            import polars

            self._kept.append(polars.DataFrame(dict(columns), strict=False))
            return
        import pyarrow
        import pyarrow.parquet

        if self._writer is None:
            table = pyarrow.table(dict(columns))
            fields = [
                # A column of gaps in the first chunk may hold text in the next.
                pyarrow.field(f.name, pyarrow.string()) if pyarrow.types.is_null(f.type) else f
                for f in table.schema
            ]
            schema = pyarrow.schema(fields)
            self._writer = pyarrow.parquet.ParquetWriter(self.out, schema)
        self._writer.write_table(pyarrow.table(dict(columns), schema=self._writer.schema))

    def finish(self) -> None:
        """Write what stands at the end of the file."""
        if self._writer is not None:
            self._writer.close()
        elif self._kept:
            import polars

            polars.concat(self._kept, how="vertical_relaxed").write_parquet(self.out)
