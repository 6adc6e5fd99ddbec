"""Delimited text (CSV, TSV) to a frame; a type is inferred for each column as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from treewright.data.column import Column
from treewright.data.files.delimiters import (
    LINES_LOOKED_AT,
    TOLD_DELIMITER,
    find_delimiter,
    find_marks,
)
from treewright.data.files.notation import NUMBER, Notation
from treewright.data.files.split_rows import SplitRows, header_names, split_rows
from treewright.data.files.typed_texts import ColumnOfTexts, Looking, TextKind, read_column
from treewright.data.frame import Frame
from treewright.data.match_names import default_names
from treewright.data.reading import Reading, ReadNote
from treewright.errors import DataError, FileFormatError, ParameterError, StrayTextError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names


@dataclass(frozen=True, kw_only=True)
class CsvOptions:
    """How delimited text is to be read; None means to be found.

    Parameters
    ----------
    delimiter, header
        What divides fields, and whether the first line holds the names.
    notation
        How values are written; where `marks_known` is False, its marks are looked for.
    dates_of
        Columns whose dates are written in a way of their own.
    kinds, declared
        What columns hold, and which of them must be there.
    ignore
        Columns to leave out.
    looking
        What else is found by looking.
    """

    delimiter: str | None = None
    header: bool | None = None
    notation: Notation = field(default_factory=Notation)
    marks_known: bool = True
    dates_of: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, TextKind] = field(default_factory=dict)
    declared: Collection[str] = ()
    ignore: Collection[str] = ()
    looking: Looking = field(default_factory=Looking)


def read_delimited(utf8: bytes, *, source: str, options: CsvOptions) -> Frame:
    """Return delimited text as a frame; `source` names the file in messages."""
    delimiter, n_told = delimiter_of(utf8, options.delimiter, source=source)
    rows = split_rows(
        utf8[n_told:], source=source, delimiter=delimiter, first_line=2 if n_told else 1
    )
    is_looking = options.looking.marks
    names = header_names(rows.first, source, header=options.header, looking=is_looking)
    notes: list[ReadNote] = []
    if has_header := names is not None:
        rows = rows.after_first()
    else:
        names = default_names(len(rows.first))
        if options.header is None:
            notes.append(_no_header(rows, source))
    if len(names) > 1 and not names[-1] and rows.is_blank(len(names) - 1):
        names = names[:-1]  # every line ends in a delimiter
    if len(names) == 1 and names[0] and (note := _divided_by_spaces(names[0], rows, source)):
        notes.append(note)
    check_named((*options.ignore, *options.declared), names)
    places = {name: place for place, name in enumerate(names) if name not in options.ignore}
    notation = options.notation
    if not options.marks_known:
        notation = find_marks([rows.sample(place) for place in places.values()], notation)
    columns, dates_of = _columns(rows, places, source, replace(options, notation=notation), notes)
    reading = Reading(
        source=source,
        delimiter=delimiter,
        decimal=notation.decimal,
        thousands=notation.thousands,
        header=has_header,
        missing=tuple(sorted(notation.missing)),
        dates=dates_of or None,
        notes=tuple(notes),
    )
    return Frame(columns, reading=reading)


def delimiter_of(
    utf8: bytes, declared: str | None, *, source: str, is_end: bool = True
) -> tuple[str, int]:
    """Return the delimiter, and how many bytes are a first line that tells it to Excel."""
    begin = utf8[: 1 << 16]
    if not is_end or len(begin) < len(utf8):  # the last line may be cut
        begin = begin[: begin.rfind(b"\n") + 1] or begin
    head = begin.decode("utf-8", "ignore")
    told = TOLD_DELIMITER.match(head)
    if told is None:
        return declared or find_delimiter(head), 0
    n_told = len(told[0].encode())
    n_told += utf8[n_told : n_told + 1] == b"\n"
    if not utf8[n_told:].strip():
        raise FileFormatError(f"{source} is empty but for its first line, {told[0].strip()!r}.")
    return declared or told["mark"], n_told


def check_named(named: Iterable[str], names: Sequence[str]) -> None:
    """Refuse columns to leave out, or of a declared kind, that the file does not have."""
    for name in named:
        if name not in names:
            raise ParameterError(
                f"there is no column {name!r} in the file.\n"
                f"  Columns: {list_names(names)}{nearest_hint(name, names)}"
            )


def _columns(
    rows: SplitRows,
    places: Mapping[str, int],
    source: str,
    options: CsvOptions,
    notes: list[ReadNote],
) -> tuple[dict[str, Column], dict[str, str]]:
    """Return the columns by name, and how dates are written that are not ISO; notes are added."""
    columns: dict[str, Column] = {}
    dates_of = dict(options.dates_of)
    if options.notation.dates is not None:
        dates_of[""] = options.notation.dates
    for name, place in places.items():
        notation = options.notation
        if name in options.dates_of:
            notation = replace(notation, dates=options.dates_of[name])
        cells = ColumnOfTexts(
            name=name,
            source=source,
            lines=rows.lines,
            coded=partial(rows.column, place),
            numbers=partial(rows.numbers, place),
        )
        try:
            found = read_column(cells, notation, options.looking, options.kinds.get(name))
        except StrayTextError:
            raise
        except DataError as error:
            raise FileFormatError(f"{source}: {error}") from None
        columns[name] = found.column
        notes.extend(found.notes)
        if found.dates is not None:
            dates_of[name] = found.dates
    return columns, dates_of


def _no_header(rows: SplitRows, source: str) -> ReadNote:
    shown = ", ".join(rows.first[:5])
    return ReadNote(
        code="no-header",
        line=1,
        message=(
            f"{source}, line 1 holds only numbers ({shown}): it is read as data, and the columns"
            " are called x0, x1 ...\n  Hint: header=True takes these for the names."
        ),
        brief="no header: the first line holds only numbers; columns are x0, x1 …",
    )


def _divided_by_spaces(name: str, rows: SplitRows, source: str) -> ReadNote | None:
    """Return a note on one column whose name and values all divide at spaces into as many parts."""
    parts: Sequence[list[str]] = [text.split() for text in rows.sample(0)[:LINES_LOOKED_AT]]
    width = len(name.split())
    if width < 2 or not parts or not all(len(part) == width for part in parts):
        return None
    if not any(NUMBER.fullmatch(text) for part in parts for text in part):
        return None
    return ReadNote(
        code="one-column",
        column=name,
        message=(
            f"{source} is read as one column, {name!r}, although its lines divide at spaces into"
            f" {width} parts.\n  Hint: delimiter=' ' reads {width} columns."
        ),
        brief=f"read as one column, although lines divide at spaces into {width} parts",
    )
