"""Files to frames: CSV and TSV, ARFF, Parquet, C4.5's pairs of files; compressed or not.

:func:`read` looks at the name and at the first bytes, so that a message about a file whose content
does not match its name states the format found.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from treewright.data.files.arff import read_arff
from treewright.data.files.c45 import read_c45, read_names
from treewright.data.files.csv import read_delimited
from treewright.data.files.notation import Notation
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
_COMPRESSED: tuple[tuple[bytes, str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", gzip.decompress),
    (b"BZh", "bzip2", bz2.decompress),
    (b"\xfd7zXZ\x00", "xz", lzma.decompress),
)
_NOT_TEXT = (
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
    thousands: str | None = None,
    dates: str | None = None,
) -> Frame:
    """Return the table of a CSV, TSV, ARFF, Parquet or C4.5 file as a frame.

    Columns of whole numbers become integers, of numbers floats, of ISO dates dates; everything
    else, ``true`` and ``false`` included, is text. Nothing is guessed from names. A column that
    would be numbers or dates but for some of its values, or with another notation, is text too, and
    a :class:`~treewright.errors.ReadWarning` says so.

    Parameters
    ----------
    path : path
        The file; ARFF and Parquet are recognized by name or content, and C4.5's ``.names`` beside
        its ``.data`` or ``.test``; all else is delimited text. Files compressed with gzip, bzip2 or
        xz are decompressed.
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
    thousands : str, optional
        Mark between groups of three digits, such as ``","`` or ``" "``.
    dates : str, optional
        How dates are written besides ISO, as for ``datetime.strptime``: ``"%d.%m.%Y"``.

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
    notation = Notation(
        missing=frozenset(missing), decimal=decimal, thousands=thousands, dates=dates
    )
    _check_options(delimiter, notation)
    data, file = _decompressed(file.read_bytes(), file)
    if data.startswith(PARQUET_MAGIC) or file.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(file, data)
    if file.suffix.lower() == ".names":
        file = file.with_suffix(".data")
        data, file = _decompressed(file.read_bytes(), file)
    text = _decode(data, file, encoding)
    if file.suffix.lower() in (".data", ".test") and (names := file.with_suffix(".names")).exists():
        attributes = read_names(_decode(names.read_bytes(), names, encoding))
        if attributes is not None:  # else a description in prose
            return read_c45(text, attributes, source=file.name)
    if file.suffix.lower() == ".arff":
        return read_arff(text, source=file.name)
    if delimiter is None and file.suffix.lower() in (".tsv", ".tab"):
        delimiter = "\t"
    return read_delimited(
        text,
        source=file.name,
        delimiter=delimiter,
        header=header,
        notation=notation,
    )


def _decompressed(data: bytes, file: Path) -> tuple[bytes, Path]:
    """Return what is inside a compressed file, and its name without the last suffix."""
    for magic, what, decompress in _COMPRESSED:
        if data.startswith(magic):
            try:
                return decompress(data), file.with_suffix("")
            except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
                raise FileFormatError(
                    f"{file.name} is compressed with {what}, and damaged: {error}.\n"
                    "  Hint: copy or download it again."
                ) from None
    return data, file


def _check_options(delimiter: str | None, notation: Notation) -> None:
    decimal, thousands = notation.decimal, notation.thousands
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise ParameterError(f"delimiter={delimiter!r} must be one character, such as ';'.")
    if decimal not in (".", ","):
        raise ParameterError(f"decimal={decimal!r} must be '.' or ','.")
    if thousands is not None and (len(thousands) != 1 or thousands.isalnum() or thousands in "+-"):
        raise ParameterError(f"thousands={thousands!r} must be one character, such as ',' or ' '.")
    if thousands == decimal:
        raise ParameterError(f"thousands and decimal are both {decimal!r}; one must differ.")
    if notation.dates is not None and "%" not in notation.dates:
        raise ParameterError(
            f"dates={notation.dates!r} must say how dates are written, such as '%d.%m.%Y'."
        )
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
