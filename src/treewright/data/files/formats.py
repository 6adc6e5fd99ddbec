"""What a file is, by its first bytes; what is no table is named and refused."""

from __future__ import annotations

import re
from typing import Literal, NoReturn

from treewright.data.files.parquet import PARQUET_MAGIC
from treewright.errors import FileFormatError

FileFormat = Literal["csv", "json", "arff", "parquet"]

READ = "CSV, TSV, JSON lines, Parquet, ARFF"
"""The formats that are read, for messages."""

BYTE_ORDER_MARKS = (
    # The byte-order mark of UTF-32 begins with that of UTF-16, so it comes first.
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
_NOT_TABLES = (
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it first (unzstd)"),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook", "save the sheet as CSV"),
    (b"%PDF", "is a PDF document", "copy its table into a spreadsheet, and save that as CSV"),
    (b"\x89PNG", "is a picture (PNG)", "give the table that it shows"),
    (b"\xff\xd8\xff", "is a picture (JPEG)", "give the table that it shows"),
    (b"SQLite format 3\0", "is an SQLite database", "write the table as CSV: sqlite3 -header -csv"),
    (b"\x89HDF", "is an HDF5 file", "read it with pandas, and write it as Parquet"),
    (b"ARROW1", "is an Arrow (Feather) file", "read it with polars, and write it as Parquet"),
    (b"\x93NUMPY", "is an array of NumPy", "np.savetxt writes it as CSV"),
    (b"RDX", "is a file of R", "write.csv writes it as CSV"),
    (b"\x7fELF", "is a program", "give a table"),
)
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[\x80-\x95cq(}\]KX])", re.DOTALL)
_MARKUP = re.compile(rb"\s*<(?P<tag>!doctype html|html|head|body|table|\?xml|svg)\b", re.IGNORECASE)
_ARFF = re.compile(r"(?:\s*(?:%[^\r\n]*)?[\r\n]+)*\s*@(?:relation|attribute)\b", re.IGNORECASE)
_RECORD = re.compile(r"""\s*(?:\[\s*)?\{\s*(?:"|\})""")
_RECORDS = re.compile(r"\s*\[\s*\]")


def refuse_other_formats(head: bytes, name: str) -> None:
    """Refuse what is no table: a workbook, a document, a pickle, a web page, a model."""
    for magic, what, hint in _NOT_TABLES:
        if head.startswith(magic):
            _refuse(name, what, hint)
    if head.startswith(b"PK\x03\x04"):
        if b"xl/" in head or b"[Content_Types].xml" in head:
            _refuse(name, "is an Excel workbook", "save the sheet as CSV")
        if b"opendocument.spreadsheet" in head:
            _refuse(name, "is a spreadsheet of LibreOffice", "save the sheet as CSV")
        _refuse(name, "is a zip archive or a spreadsheet", "unpack it, or save it as CSV")
    if _PICKLE.match(head):
        _refuse(
            name,
            "is a pickle of Python, which could run anything when it is read",
            "write the table as CSV or Parquet",
        )
    if found := _MARKUP.match(head):
        is_xml = found["tag"].lower() in (b"?xml", b"svg")
        what = "is XML" if is_xml else "is a web page (HTML)"
        _refuse(name, what, "download the table itself, or save it as CSV")
    if head[8:9] == b"{" and 0 < int.from_bytes(head[:8], "little") < 1 << 40 and 0 in head[:8]:
        _refuse(name, "is a model of treewright", "give the model first, then the table")


def _refuse(name: str, what: str, hint: str) -> NoReturn:
    raise FileFormatError(f"{name} {what}; treewright reads {READ}.\n  Hint: {hint}.")


def binary_format(head: bytes) -> FileFormat | None:
    """Return the format of a file that is no text."""
    return "parquet" if head.startswith(PARQUET_MAGIC) else None


def text_format(text: str, suffix: str, declared: str | None = None) -> FileFormat:
    """Return the format of text: as declared, or by what it begins with, or by its suffix.

    >>> text_format('{"a": 1}', ".csv"), text_format("% w\\n@relation w", "")
    ('json', 'arff')
    """
    if declared is not None:
        return {"jsonl": "json", "arff": "arff"}.get(declared, "csv")  # type: ignore[return-value]
    if suffix == ".arff" or _ARFF.match(text):
        return "arff"
    if suffix in (".json", ".jsonl", ".ndjson"):
        return "json"
    begin = text[: 1 << 12]
    return "json" if _RECORD.match(begin) or _RECORDS.fullmatch(text.strip()) else "csv"
