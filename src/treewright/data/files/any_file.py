"""Files to frames: CSV and TSV, JSON lines, ARFF, Parquet, C4.5's pairs; compressed or not.

:func:`read` looks at the first bytes before it looks at the name, so that a message about a file
whose content does not match its name states the format found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from treewright.data.files.arff import read_arff
from treewright.data.files.c45 import read_c45, read_names
from treewright.data.files.csv import CsvOptions, check_named, read_delimited
from treewright.data.files.decode import DecodedText, decode
from treewright.data.files.formats import binary_format, refuse_other_formats, text_format
from treewright.data.files.json_records import read_records, record_columns, record_names
from treewright.data.files.notation import Notation
from treewright.data.files.open_bytes import FileSource, OpenedFile, open_bytes
from treewright.data.files.parquet import read_parquet
from treewright.data.files.target_column import labelled
from treewright.data.files.typed_texts import Looking, TextKind
from treewright.data.frame import Frame
from treewright.data.labelled_table import LabelledTable
from treewright.data.reading import MISSING_TEXTS, Reading, ReadNote
from treewright.errors import FileFormatError, ParameterError, ReadWarning, warn
from treewright.text.names import list_names


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is to be read; None means to be found by looking, or the usual.

    Parameters
    ----------
    delimiter, encoding, header, decimal, thousands, dates
        As for :func:`read`.
    missing, also_missing
        Texts that mean missing instead of the usual ones, and besides.
    kinds, ignore
        What columns hold, and columns to leave out.
    expected
        What columns hold that may be there, as a model has them.
    format
        ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"parquet"`` or ``"arff"``, where the content and the
        name are not to decide.
    look
        Whether decimal and thousands marks, dates, encoding, header and customary marks for
        missing values are found by looking.
    strict
        Whether a stray text among numbers or dates is an error.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] | None = None
    also_missing: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    dates: str | Mapping[str, str] | None = None
    kinds: Mapping[str, TextKind] = field(default_factory=dict)
    expected: Mapping[str, TextKind] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    format: str | None = None
    look: bool = True
    strict: bool = False

    def like(self, reading: Reading) -> ReadOptions:
        """Return the options to read another file as one was read; what is given here goes first.

        The delimiter, the encoding and the header are looked for again: they belong to the file.
        """
        return replace(
            self,
            missing=self.missing if self.missing is not None else reading.missing,
            decimal=self.decimal or reading.decimal,
            thousands=self.thousands or reading.thousands,
            dates=self.dates if self.dates is not None else reading.dates,
            header=False if self.header is None and not reading.header else self.header,
        )

    @property
    def notation(self) -> Notation:
        """How values are written."""
        usual = MISSING_TEXTS if self.missing is None else self.missing
        return Notation(
            missing=frozenset((*usual, *self.also_missing)),
            decimal=self.decimal or ".",
            thousands=self.thousands,
            dates=self.dates if isinstance(self.dates, str) else None,
        )

    def for_csv(self, suffix: str) -> CsvOptions:
        """Return what the reader of delimited text needs."""
        dates_of = {} if self.dates is None or isinstance(self.dates, str) else dict(self.dates)
        notation = self.notation
        if "" in dates_of:
            notation = replace(notation, dates=dates_of.pop(""))
        delimiter = self.delimiter
        if delimiter is None and (suffix in (".tsv", ".tab") or self.format == "tsv"):
            delimiter = "\t"
        return CsvOptions(
            delimiter=delimiter,
            header=self.header,
            notation=notation,
            marks_known=not self.look or self.decimal is not None or self.thousands is not None,
            dates_of=dates_of,
            kinds={**self.expected, **self.kinds},
            declared=tuple(self.kinds),
            ignore=self.ignore,
            looking=Looking(
                # Whoever lists the gaps has said what is none.
                marks=self.look and self.missing is None,
                dates=self.look and self.dates is None,
                strict=self.strict,
            ),
        )

    def checked(self) -> ReadOptions:
        """Return the options; refuse those that cannot be."""
        delimiter, decimal, thousands = self.delimiter, self.decimal or ".", self.thousands
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
            raise ParameterError(f"delimiter={delimiter!r} must be one character, such as ';'.")
        if decimal not in (".", ","):
            raise ParameterError(f"decimal={decimal!r} must be '.' or ','.")
        is_mark = thousands is None or (
            len(thousands) == 1 and not thousands.isalnum() and thousands not in "+-"
        )
        if not is_mark:
            raise ParameterError(
                f"thousands={thousands!r} must be one character, such as ',' or ' '."
            )
        if thousands == decimal:
            raise ParameterError(f"thousands and decimal are both {decimal!r}; one must differ.")
        formats = (self.dates,) if isinstance(self.dates, str) else (self.dates or {}).values()
        for format_ in formats:
            if "%" not in format_:
                raise ParameterError(
                    f"dates={format_!r} must say how dates are written, such as '%d.%m.%Y'."
                )
        if delimiter is not None and delimiter == decimal:
            raise ParameterError(f"delimiter and decimal are both {decimal!r}; one must differ.")
        return self


@overload
def read(
    path: FileSource,
    *,
    target: None = None,
    ignore: Iterable[str] = (),
    also_missing: Iterable[str] = (),
    like: Reading | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, TextKind] | None = None,
) -> Frame: ...
@overload
def read(
    path: FileSource,
    *,
    target: str,
    ignore: Iterable[str] = (),
    also_missing: Iterable[str] = (),
    like: Reading | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, TextKind] | None = None,
) -> LabelledTable: ...
def read(
    path: FileSource,
    *,
    target: str | None = None,
    ignore: Iterable[str] = (),
    also_missing: Iterable[str] = (),
    like: Reading | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, TextKind] | None = None,
) -> Frame | LabelledTable:
    """Return the table of a CSV, TSV, JSON lines, ARFF, Parquet or C4.5 file.

    Columns of whole numbers become integers, of numbers floats, of ISO dates dates; everything
    else, ``true`` and ``false`` included, is text. Nothing is guessed from names. A column that
    would be numbers or dates but for some of its values, or with another notation, is text too, and
    a :class:`~treewright.errors.ReadWarning` says so.

    With `target` the table is divided into X and y, and more is found by looking: decimal commas,
    thousands marks, dates in other notations, an encoding other than UTF-8, and customary marks
    such as ``-`` among numbers, which are missing. The result's ``reading`` says what was found.

    Parameters
    ----------
    path : path or binary file
        The file, ``"-"`` for standard input, or an open binary file. The format is known by the
        content; C4.5's ``.names`` is found beside its ``.data`` or ``.test``. Files compressed with
        gzip, bzip2 or xz are decompressed.
    target : str, optional
        Name of the column to learn. The result is then a table with ``X`` and ``y``.
    ignore : iterable of str
        Names of columns to leave out.
    also_missing : iterable of str
        Texts that mean a missing value besides the usual ones.
    like : Reading, optional
        How another file was read, ``reading`` of what this function returned: numbers, dates and
        missing values are read alike.
    delimiter : str, optional
        One character; by default the one of ``, ; tab |`` that splits the lines evenly.
    encoding : str, optional
        By default UTF-8, or what a byte-order mark says.
    missing : iterable of str, optional
        Texts that mean a missing value in text files, instead of the usual ones.
    header : bool, optional
        Whether the first line holds the names. By default it does; a first line of numbers only
        is then an error, because it may be data.
    decimal : str, optional
        Decimal mark of numbers, ``"."`` or ``","``.
    thousands : str, optional
        Mark between groups of three digits, such as ``","`` or ``" "``.
    dates : str or dict, optional
        How dates are written besides ISO, as for ``datetime.strptime``: ``"%d.%m.%Y"``; a dict
        says it for each column.
    kinds : dict, optional
        What columns hold: ``"number"``, ``"text"`` or ``"date"``.

    Returns
    -------
    Frame or LabelledTable

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "trees.csv"
    >>> _ = file.write_text("height;kind\\n12,5;oak\\n?;elm\\n")
    >>> data = read(file, target="kind")
    >>> data.X
    Frame: 2 rows, 1 columns
    height
    12.5
    ?
    >>> data.y.tolist()
    ['oak', 'elm']
    >>> print(data.reading)
    trees.csv: separated by ';', decimal comma, UTF-8
    >>> read(file, like=data.reading)["height"].tolist()
    [12.5, nan]
    >>> folder.cleanup()
    """
    options = ReadOptions(
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        missing=None if missing is None else tuple(missing),
        also_missing=_texts(also_missing, "also_missing"),
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        kinds=dict(kinds or {}),
        ignore=_texts(ignore, "ignore"),
        look=target is not None,
    )
    if like is not None:
        options = options.like(like)
    frame = read_file(path, options)
    for message in _warnings_of(frame.reading.notes if frame.reading is not None else ()):
        warn(message, ReadWarning)
    return frame if target is None else labelled(frame, target)


def _texts(given: Iterable[str], name: str) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ParameterError(f"{name}={given!r} must be a list of texts, such as [{given!r}].")
    return tuple(given)


def _warnings_of(notes: Iterable[ReadNote]) -> list[str]:
    """Return a warning for each note; columns that are mended alike share one."""
    alike: dict[object, list[ReadNote]] = {}
    for at, note in enumerate(notes):
        if note.code != "dates-found":
            _, _, hint = note.message.partition("\n")
            alike.setdefault(hint if note.code == "near-numbers" else at, []).append(note)
    return [_for_python(*each) for each in alike.values()]


def _for_python(note: ReadNote, *others: ReadNote) -> str:
    if others:
        said, _, hint = note.message.partition("\n")
        names = list_names(repr(other.column) for other in others)
        return f"{said}\n  The same holds for {names}.\n{hint}"
    if note.code != "marks-missing":
        return note.message
    return f"{note.message}.\n  Hint: also_missing={list(note.texts)} says that it is meant."


def read_file(source: FileSource, options: ReadOptions) -> Frame:
    """Return the table of a file as a frame whose ``reading`` says how it was read; no warnings."""
    options = options.checked()
    with open_bytes(_cases_of(source)) as file:
        return read_opened(file, options)


def read_opened(file: OpenedFile, options: ReadOptions) -> Frame:
    """Return the table of an open file, as :func:`read_file` does."""
    head = file.head()
    if (
        binary_format(head) == "parquet"
        or file.suffix in (".parquet", ".pq")
        or options.format == "parquet"
    ):
        return _finished(read_parquet(file.name, file.read()), file, options, "parquet")
    refuse_other_formats(head, file.name)
    data = file.read()
    decoded = decode(data, file.name, options.encoding, looking=options.look)
    del data
    frame = _read_text(decoded, file, options)
    assert frame.reading is not None
    notes = (*(() if decoded.note is None else (decoded.note,)), *frame.reading.notes)
    reading = replace(
        frame.reading, encoding=decoded.encoding, compressed=file.compressed, notes=notes
    )
    return frame.with_reading(reading)


def _cases_of(source: FileSource) -> FileSource:
    """Return the file of cases, where C4.5's file of names is given."""
    is_names = isinstance(source, str | Path) and Path(source).suffix.lower() == ".names"
    return Path(source).with_suffix(".data") if is_names else source  # type: ignore[arg-type]


def _read_text(decoded: DecodedText, file: OpenedFile, options: ReadOptions) -> Frame:
    if file.path is not None and file.suffix in (".data", ".test"):
        names = file.path.with_name(file.name).with_suffix(".names")
        if names.exists():
            attributes = read_names(decode(names.read_bytes(), names.name, options.encoding).text)
            if attributes is not None:  # else a description in prose
                frame = read_c45(decoded.text, attributes, source=file.name)
                return _finished(frame, file, options, "c4.5")
    format_ = text_format(decoded.head, file.suffix, options.format)
    if format_ == "arff":
        return _finished(read_arff(decoded.text, source=file.name), file, options, "arff")
    if format_ == "json":
        return _read_json(decoded.text, file, options)
    return read_delimited(decoded.utf8, source=file.name, options=options.for_csv(file.suffix))


def _read_json(text: str, file: OpenedFile, options: ReadOptions) -> Frame:
    lines, records = read_records(text, source=file.name)
    if not records:
        raise FileFormatError(f"{file.name} has no records.")
    names = record_names(records)
    check_named((*options.ignore, *options.kinds), names)
    csv = options.for_csv("")
    kept = [name for name in names if name not in options.ignore]
    columns, notes = record_columns(
        records,
        kept,
        notation=csv.notation,
        lines=lines,
        source=file.name,
        looking=csv.looking,
        kinds=csv.kinds,
    )
    missing = tuple(sorted(csv.notation.missing))
    reading = Reading(source=file.name, format="json", missing=missing, notes=tuple(notes))
    return Frame(columns, reading=reading)


def _finished(frame: Frame, file: OpenedFile, options: ReadOptions, format_: str) -> Frame:
    """Return a frame whose types its file declares, without the columns to ignore."""
    check_named((*options.ignore, *options.kinds), frame.columns)
    kept = frame.drop(*options.ignore)
    reading = Reading(source=file.name, format=format_, compressed=file.compressed)
    return kept.with_reading(reading)
