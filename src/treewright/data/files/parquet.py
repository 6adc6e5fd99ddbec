"""Parquet files, by whichever library is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

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
