"""Files to frames: CSV and TSV, ARFF, Parquet.

:func:`read` looks at the name and at the first bytes, so that a message about a file whose content
does not match its name states the format found.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from treewright.data.files.arff import read_arff
from treewright.data.files.csv import read_delimited
from treewright.data.files.parquet import PARQUET_MAGIC, read_parquet
from treewright.data.frame import Frame
from treewright.errors import FileFormatError, ParameterError

MISSING_TEXTS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""Texts that mean missing in a CSV file; ``None`` and ``none`` are used as values."""

_BYTE_ORDER_MARKS = (
    # The byte-order mark of UTF-32 begins with that of UTF-16, so it comes first.
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
_NOT_TEXT = (
    (b"\x1f\x8b", "is compressed with gzip", "decompress it first (gunzip)"),
    (b"BZh", "is compressed with bzip2", "decompress it first (bunzip2)"),
    (b"\xfd7zXZ\x00", "is compressed with xz", "decompress it first (unxz)"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it first (unzstd)"),
    (b"PK\x03\x04", "is a zip archive or a spreadsheet", "unpack it, or save it as CSV"),
    (b"\xd0\xcf\x11\xe0", "is an old Excel file", "save it as CSV"),
)


def read(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = MISSING_TEXTS,
    header: bool | None = None,
    decimal: str = ".",
) -> Frame:
    """Return the table of a CSV, TSV, ARFF or Parquet file as a frame.

    Columns of whole numbers become integers, of numbers floats, of ISO dates dates; everything
    else, ``true`` and ``false`` included, is text. Nothing is guessed from names.

    Parameters
    ----------
    path : path
        The file; ARFF and Parquet are recognized by name or content, all else is delimited
        text.
    delimiter : str, optional
        One character; by default the one of ``, ; tab |`` that splits the lines evenly.
    encoding : str, optional
        By default UTF-8, or what a byte-order mark says.
    missing : iterable of str
        Texts that mean a missing value in a CSV or TSV file.
    header : bool, optional
        Whether the first line holds the names. By default it does; a first line of numbers only
        is then an error, because it may be data.
    decimal : str
        Decimal mark of numbers, ``"."`` or ``","``.

    Returns
    -------
    Frame

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "trees.csv"
    ...     _ = file.write_text("height,kind\\n12.5,oak\\n?,elm\\n")
    ...     frame = read(file)
    >>> frame
    Frame: 2 rows, 2 columns
    height  kind
    12.5    oak
    ?       elm
    """
    file = Path(path)
    _check_options(delimiter, decimal)
    data = file.read_bytes()
    if data.startswith(PARQUET_MAGIC) or file.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(file, data)
    text = _decode(data, file, encoding)
    if file.suffix.lower() == ".arff":
        return read_arff(text, source=file.name)
    if delimiter is None and file.suffix.lower() in (".tsv", ".tab"):
        delimiter = "\t"
    return read_delimited(
        text,
        source=file.name,
        delimiter=delimiter,
        missing=frozenset(missing),
        header=header,
        decimal=decimal,
    )


def _check_options(delimiter: str | None, decimal: str) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise ParameterError(f"delimiter={delimiter!r} must be one character, such as ';'.")
    if decimal not in (".", ","):
        raise ParameterError(f"decimal={decimal!r} must be '.' or ','.")
    if delimiter is not None and delimiter == decimal:
        raise ParameterError(f"delimiter and decimal are both {decimal!r}; one must differ.")


def _decode(data: bytes, file: Path, encoding: str | None) -> str:
    for magic, what, hint in _NOT_TEXT:
        if data.startswith(magic):
            raise FileFormatError(f"{file.name} {what}.\n  Hint: {hint}.")
    if encoding is None:
        marks = (name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark))
        encoding = next(marks, "utf-8")
    try:
        text = data.decode(encoding)
    except LookupError:
        raise ParameterError(f"encoding={encoding!r} is not known; try 'latin-1'.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{file.name} is not {encoding}: byte 0x{data[error.start]:02x} at position"
            f" {error.start}, line {line}.\n"
            "  Hint: pass encoding='latin-1' or encoding='cp1252', or save the file as UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFormatError(
            f"{file.name} has a NUL byte in line {line}; it is not plain text.\n"
            "  Hint: if it is UTF-16 without a byte-order mark, pass encoding='utf-16-le'."
        )
    if not text.strip():
        raise FileFormatError(f"{file.name} is empty.")
    return text.removeprefix("\ufeff")
