"""JSON lines, or one JSON array of records, to a frame.

Numbers are numbers, strings are text (dates where all of a column are ISO dates), and a key that a
record lacks is missing there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.data.column import Column
from treewright.data.files.coded_texts import CodedTexts
from treewright.data.files.notation import ISO_DATE, Notation
from treewright.data.files.typed_texts import (
    ColumnOfTexts,
    Looking,
    TextKind,
    as_text,
    read_column,
    read_texts,
)
from treewright.data.objects import read_objects
from treewright.data.reading import ReadNote
from treewright.errors import FileFormatError
from treewright.interrupts import uncollected

Record = dict[str, Any]


def read_records(text: str, *, source: str) -> tuple[list[int], list[Record]]:
    """Return the line and the record of each row.

    >>> read_records('{"a": 1}\\n\\n{"a": 2}', source="t.jsonl")
    ([1, 3], [{'a': 1}, {'a': 2}])
    """
    with uncollected():
        if text.lstrip().startswith("["):
            return _read_array(text, source)
        lines: list[int] = []
        records: list[Record] = []
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                lines.append(number)
                records.append(record_of(line, number, source))
        return lines, records


def record_of(line: str, number: int, source: str) -> Record:
    """Return the record of one line."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{source}, line {number} is no JSON: {error.msg} at character {error.pos + 1}.\n"
            "  Hint: JSON lines have one record {...} a line."
        ) from None
    except RecursionError:
        raise FileFormatError(f"{source}, line {number} is nested too deeply.") from None
    if not isinstance(record, dict):
        raise FileFormatError(
            f"{source}, line {number} holds {_word(record)}, not a record.\n"
            "  Hint: JSON lines have one record {...} a line."
        )
    _check_values(record, f"{source}, line {number}")
    return record


def _read_array(text: str, source: str) -> tuple[list[int], list[Record]]:
    try:
        records = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{source}, line {error.lineno} is no JSON: {error.msg} at character {error.colno}.\n"
            "  Hint: a file that begins with [ is one array of records."
        ) from None
    except RecursionError:
        raise FileFormatError(f"{source} is nested too deeply.") from None
    for place, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise FileFormatError(
                f"{source}, record {place} is {_word(record)}, not a record {{...}}.\n"
                "  Hint: write every row with the names of its columns."
            )
        _check_values(record, f"{source}, record {place}")
    return list(range(1, len(records) + 1)), records


def _check_values(record: Record, where: str) -> None:
    for key, value in record.items():
        if isinstance(value, dict | list):
            raise FileFormatError(
                f"{where}: {key!r} holds {_word(value)}; a column holds numbers, text or"
                " true/false.\n  Hint: make a column of each of its parts."
            )


def _word(value: object) -> str:
    if isinstance(value, dict):
        return "a record"
    if isinstance(value, list):
        return "a list"
    return f"the value {json.dumps(value)[:40]}"


def record_names(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the keys of all records, in order of first occurrence."""
    return tuple(dict.fromkeys(key for record in records for key in record))


def record_columns(
    records: Sequence[Record],
    names: Sequence[str],
    *,
    notation: Notation,
    lines: Sequence[int],
    source: str,
    looking: Looking,
    kinds: Mapping[str, TextKind],
) -> tuple[dict[str, Column], list[ReadNote]]:
    """Return the columns of some names, and notes."""
    columns: dict[str, Column] = {}
    notes: list[ReadNote] = []
    for name in names:
        values = [record.get(name) for record in records]
        kind = kinds.get(name)
        types = {type(value) for value in values} - {type(None)}
        is_as_declared = kind is None or (kind == "number" and types <= {int, float})
        if types and ((str in types and len(types) > 1) or not is_as_declared):
            texts = [_text(value, notation) for value in values]
            found = read_column(_cells(texts, name, source, lines), notation, looking, kind)
            columns[name] = found.column
            notes += found.notes
        elif types == {str}:
            columns[name] = _strings(values, name, notation)
        else:
            columns[name] = read_objects(values, name)
    return columns, notes


def _strings(values: Sequence[Any], name: str, notation: Notation) -> Column:
    texts = CodedTexts.of([value if value is not None else "" for value in values])
    known = [text for text in texts.distinct if text.strip() not in notation.missing]
    if known and all(ISO_DATE.fullmatch(text) for text in known):
        return read_texts(texts, name, notation)
    return as_text(texts, notation)


def _cells(texts: list[str], name: str, source: str, lines: Sequence[int]) -> ColumnOfTexts:
    return ColumnOfTexts(name=name, source=source, lines=lines, coded=lambda: CodedTexts.of(texts))


def _text(value: object, notation: Notation) -> str:
    """Return a value as delimited text would have it, in the notation of the strings beside it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text.replace(".", notation.decimal) if isinstance(value, float) else text
