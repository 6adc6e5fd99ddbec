"""Delimited text (CSV, TSV) to a frame; a type is inferred for each column as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treewright.data.column import Column
from treewright.data.files.delimiters import (
    LINES_LOOKED_AT,
    TOLD_DELIMITER,
    find_delimiter,
    find_marks,
)
from treewright.data.files.notation import NUMBER, Notation
from treewright.data.files.split_rows import SplitRows, check_widths, header_names, split_rows
from treewright.data.files.typed_texts import Looking, TextKind, read_column
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
    kinds
        What columns hold, as declared.
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
    ignore: Collection[str] = ()
    looking: Looking = field(default_factory=Looking)


def read_delimited(text: str, *, source: str, options: CsvOptions) -> Frame:
    """Return delimited text as a frame; `source` names the file in messages."""
    told = TOLD_DELIMITER.match(text)
    delimiter = options.delimiter or (told["mark"] if told else find_delimiter(text))
    rows = split_rows(text, source=source, delimiter=delimiter)
    if told:
        rows = rows.after(1)
        if not rows.n_rows:
            raise FileFormatError(f"{source} is empty but for its first line, {told[0].strip()!r}.")
    is_looking = options.looking.marks
    names = header_names(rows.first, source, header=options.header, looking=is_looking)
    notes: list[ReadNote] = []
    if has_header := names is not None:
        rows = rows.after(1)
    else:
        names = default_names(len(rows.first))
        if options.header is None:
            notes.append(_no_header(rows, source))
    check_widths(rows, len(names), source=source, delimiter=delimiter)
    if len(names) > 1 and not names[-1] and rows.is_blank(len(names) - 1):
        names = names[:-1]  # every line ends in a delimiter
    if len(names) == 1 and names[0] and (note := _divided_by_spaces(names[0], rows, source)):
        notes.append(note)
    check_named((*options.ignore, *options.kinds), names)
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
        try:
            columns[name], told, dates = read_column(
                rows.column(place),
                name,
                notation,
                lines=rows.lines,
                source=source,
                looking=options.looking,
                kind=options.kinds.get(name),
            )
        except StrayTextError:
            raise
        except DataError as error:
            raise FileFormatError(f"{source}: {error}") from None
        notes.extend(told)
        if dates is not None:
            dates_of[name] = dates
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
