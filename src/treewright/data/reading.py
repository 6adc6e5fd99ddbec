"""How a file was read: what was found by looking, so that the next file can be read alike.

A :class:`Reading` is kept with the frame that it gave. It says in words what is not the usual
(``separated by ';', decimal comma``), and what was done to single columns (31 ``-`` of a column of
numbers are missing), and it can be written into a model file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from treewright.text.names import short_name

MISSING_TEXTS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""Texts that mean missing in a CSV file; ``None`` and ``none`` are used as values."""

NoteCode = Literal[
    "marks-missing", "dates-found", "near-numbers", "no-header", "encoding-guessed", "one-column"
]
"""What a note is about: customary marks read as missing, dates in a notation that was found, a
column read as names although much of it is numbers, a first line of numbers taken for data, an
encoding that is a guess, lines that divide at spaces."""

_DELIMITER_WORDS = {",": "commas", "\t": "tabs", " ": "spaces"}
_ENCODING_WORDS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "latin-1": "Latin-1"}


@dataclass(frozen=True, kw_only=True)
class ReadNote:
    """One thing that was decided while a file was read.

    Attributes
    ----------
    code : str
        What it is about, see :data:`NoteCode`.
    message : str
        The whole sentence.
    column : str or None
        The column it is about.
    texts : tuple of str
        The texts it is about, at most five.
    rows : int
        In how many rows they stand.
    line : int or None
        The first line with one of them.
    brief : str
        The message in a few words.
    """

    code: NoteCode
    message: str
    column: str | None = None
    texts: tuple[str, ...] = ()
    rows: int = 0
    line: int | None = None
    brief: str = ""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file was read.

    Attributes
    ----------
    source : str
        Name of the file.
    format : str
        ``"csv"`` (delimited text of any kind), ``"json"``, ``"parquet"``, ``"arff"`` or ``"c4.5"``.
    delimiter : str or None
        What divides the fields of delimited text.
    decimal, thousands : str
        Decimal mark, and mark between groups of three digits.
    encoding : str
        Encoding of the text.
    header : bool
        Whether the first line holds the names.
    missing : tuple of str
        Texts that mean a missing value in every column.
    dates : dict
        Column to how its dates are written, where that is not ISO; ``""`` stands for all columns.
    compressed : str or None
        ``"gzip"``, ``"bzip2"`` or ``"xz"``.
    notes : tuple of ReadNote
        What was decided about single columns, and what else is worth a word.

    Examples
    --------
    >>> reading = Reading(source="loans.csv", delimiter=";", decimal=",")
    >>> print(reading)
    loans.csv: separated by ';', decimal comma, UTF-8
    >>> Reading.from_dict(reading.to_dict()) == reading
    True
    """

    source: str
    format: str = "csv"
    delimiter: str | None = None
    decimal: str = "."
    thousands: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    missing: tuple[str, ...] = MISSING_TEXTS
    dates: Mapping[str, str] | None = None
    compressed: str | None = None
    notes: tuple[ReadNote, ...] = ()

    def told(self) -> str:
        """Return how the file was read, in a few words."""
        if self.format == "parquet":
            said = ["Parquet"]
        elif self.format != "csv":
            said = [{"arff": "ARFF", "json": "JSON", "c4.5": "C4.5"}.get(self.format, self.format)]
        else:
            mark = self.delimiter or ","
            said = [f"separated by {_DELIMITER_WORDS.get(mark, repr(mark))}"]
            if self.decimal == ",":
                said.append("decimal comma")
            if self.thousands is not None:
                said.append(f"thousands by {self.thousands!r}")
            if not self.header:
                said.append("no header")
        if self.format != "parquet":
            said.append(_ENCODING_WORDS.get(self.encoding, self.encoding))
        if self.compressed is not None:
            said.append(self.compressed)
        return ", ".join(said)

    def options(self) -> dict[str, Any]:
        """Return what :func:`treewright.read` must be told to read so without looking."""
        said: dict[str, Any] = {}
        more = [text for text in self.missing if text not in MISSING_TEXTS]
        if set(MISSING_TEXTS) - set(self.missing):
            said["missing"] = list(self.missing)
        elif more:
            said["also_missing"] = more
        if self.format == "csv":
            if self.delimiter not in (None, ","):
                said["delimiter"] = self.delimiter
            if self.decimal != ".":
                said["decimal"] = self.decimal
            if self.thousands is not None:
                said["thousands"] = self.thousands
            if not self.header:
                said["header"] = False
            if self.dates:
                said["dates"] = self.dates.get("") if set(self.dates) == {""} else dict(self.dates)
        if self.encoding not in ("utf-8", "utf-8-sig") and self.format != "parquet":
            said["encoding"] = self.encoding
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as plain values, for a model file."""
        plain = asdict(self)
        plain["dates"] = dict(self.dates) if self.dates else None
        plain["missing"] = list(self.missing)
        plain["notes"] = [{**note, "texts": list(note["texts"])} for note in plain["notes"]]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Reading:
        """Return what :meth:`to_dict` wrote; keys of a later version are passed over."""
        known = {key: plain[key] for key in cls.__dataclass_fields__ if key in plain}
        known["missing"] = tuple(known.get("missing", MISSING_TEXTS))
        known["notes"] = tuple(map(_note_of, known.get("notes", ())))
        return cls(**known)

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.told()}"]
        lines += [note.message for note in self.notes]
        return "\n".join(lines)


def _note_of(plain: Mapping[str, Any]) -> ReadNote:
    known: dict[str, Any] = {k: v for k, v in plain.items() if k in ReadNote.__dataclass_fields__}
    known["texts"] = tuple(known.get("texts", ()))
    return ReadNote(**known)


def marks_note(
    column: str, counts: Mapping[str, int], *, line: int, n_read: int, what: str
) -> ReadNote:
    """Return the note on customary marks of a column of numbers or dates, read as missing."""
    rows = sum(counts.values())
    shown = ", ".join(repr(text) for text in list(counts)[:3]) + (", …" if len(counts) > 3 else "")
    name, unit = short_name(column), "row" if rows == 1 else "rows"
    return ReadNote(
        code="marks-missing",
        column=column,
        texts=tuple(counts)[:5],
        rows=rows,
        line=line,
        message=(
            f"{name}: {shown} in {rows:,} {unit} (first on line {line:,}) among"
            f" {n_read:,} {what}; read as missing"
        ),
        brief=f"{rows:,} {shown} in {column!r} read as missing",
    )
