"""Delimited text (CSV, TSV) to a frame; a type is inferred for each column as a whole."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import Column, blank_column, read_typed, text_column
from treewright.data.files.near_numbers import warn_of_near_numbers
from treewright.data.files.notation import ISO_DATE, NUMBER, WHOLE, Notation
from treewright.data.frame import Frame
from treewright.data.match_names import default_names
from treewright.data.objects import read_objects
from treewright.errors import DataError, FileFormatError, ReadWarning, warn
from treewright.interrupts import row_blocks, uncollected

_DELIMITERS = ",;\t|"
_LINES_LOOKED_AT = 20
# A first line by which Excel is told the delimiter; no name of a column.
_TOLD_DELIMITER = re.compile(r"sep=(?P<mark>[^\w\s\"]|\t)[\r\n]", re.IGNORECASE)


def read_delimited(
    text: str,
    *,
    source: str,
    delimiter: str | None,
    header: bool | None,
    notation: Notation,
) -> Frame:
    """Return delimited text as a frame; `source` names the file in messages, None means infer."""
    told = _TOLD_DELIMITER.match(text)
    delimiter = delimiter or (told["mark"] if told else _sniff(text))
    lines, rows = _split(text, source, delimiter)
    if told:
        lines, rows = lines[1:], rows[1:]
        if not rows:
            raise FileFormatError(f"{source} is empty but for its first line, {told[0].strip()!r}.")
    names = _names(rows[0], source, header)
    if names is not None:
        lines, rows = lines[1:], rows[1:]
    else:
        names = default_names(len(rows[0]))
    width = len(names)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise FileFormatError(
                f"{source}, line {line} has {len(row)} fields, not {width}.\n"
                f"  Hint: fields are divided by {delimiter!r}; a field that holds one is quoted"
                + (", or delimiter= is another." if width == 1 else ".")
            )
    if width > 1 and not names[-1] and not any(row[-1].strip() for row in rows):
        names = names[:-1]  # every line ends in a delimiter
    if width == 1 and names[0]:
        _warn_of_spaces(names[0], rows, source)
    columns: dict[str, Column] = {}
    for place, name in enumerate(names):
        texts = tuple([row[place] for row in rows])
        try:
            columns[name] = read_texts(texts, name, notation)
        except DataError as error:
            raise FileFormatError(f"{source}: {error}") from None
        if columns[name].storage == "value":
            warn_of_near_numbers(texts, name, notation, lines=lines, source=source)
    return Frame(columns)


def _sniff(text: str) -> str:
    """Return the delimiter that splits the first lines into the same, largest number of fields."""
    lines = text[: 1 << 16].splitlines()[:_LINES_LOOKED_AT]
    best, best_score = ",", (False, 1)
    for candidate in _DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=candidate) if row)
        if not widths:
            continue
        width = widths.most_common(1)[0][0]
        score = (len(widths) == 1 and width > 1, width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _split(text: str, source: str, delimiter: str) -> tuple[list[int], list[list[str]]]:
    """Return the line that each row ends in, and its fields; blank lines are left out."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    lines: list[int] = []
    rows: list[list[str]] = []
    try:
        with uncollected():
            for row in reader:
                lines.append(reader.line_num)
                rows.append(row)
    except csv.Error as error:
        line = reader.line_num
        hint = "a quote inside a quoted field is written twice"
        if "limit" in str(error) or "end of data" in str(error):
            hint = "a quote is opened and never closed"
        raise FileFormatError(f"{source}, line {line}: {error}.\n  Hint: {hint}.") from None
    # In a table of one column an empty line is a missing value, except at the end of the file.
    is_single = max(map(len, rows)) == 1
    while rows and not rows[-1]:
        del rows[-1], lines[-1]
    if is_single:
        return lines, [row or [""] for row in rows]
    kept = [i for i, row in enumerate(rows) if len(row) > 1 or (row and row[0].strip())]
    return [lines[i] for i in kept], [rows[i] for i in kept]


def _names(first: list[str], source: str, header: bool | None) -> tuple[str, ...] | None:
    if header is False:
        return None
    names = tuple(name.strip() for name in first)
    if header is None and all(NUMBER.fullmatch(name) for name in names):
        raise FileFormatError(
            f"{source}, line 1 holds only numbers ({', '.join(names[:5])}), not names of columns.\n"
            "  Hint: pass header=False if it is data, header=True if these are the names."
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:5])
        raise FileFormatError(
            f"{source}, line 1 has more than one column called {shown}.\n"
            "  Hint: columns are told apart by name; rename them, or pass header=False."
        )
    return names


def _warn_of_spaces(name: str, rows: list[list[str]], source: str) -> None:
    """Warn of one column whose name and values all divide at spaces into as many parts."""
    parts = [row[0].split() for row in rows[:_LINES_LOOKED_AT]]
    width = len(name.split())
    if width > 1 and parts and all(len(part) == width for part in parts):
        is_number = [NUMBER.fullmatch(text) for part in parts for text in part]
        if any(is_number):
            warn(
                f"{source} is read as one column, {name!r}, although its lines divide at spaces"
                f" into {width} parts.\n  Hint: delimiter=' ' reads {width} columns.",
                ReadWarning,
            )


def read_texts(texts: tuple[str, ...], name: str, notation: Notation) -> Column:
    """Return a column of texts as integers, numbers, dates, or text.

    Only distinct texts are examined, up to the first that is no number.

    >>> read_texts(("1", "?", "3"), "x", Notation(missing=frozenset("?"))).to_numpy().tolist()
    [1, None, 3]
    """
    found = {text: text.strip() for text in set(texts)}
    known = {text: plain for text, plain in found.items() if plain not in notation.missing}
    if not known:
        return blank_column(len(texts))
    is_usual = notation.decimal == "." and notation.thousands is None
    numbers = known if is_usual else {text: notation.plain(known[text]) for text in known}
    if _all_match(WHOLE, numbers):
        whole = {text: int(plain) for text, plain in numbers.items()}
        low, high = min(whole.values()), max(whole.values())
        if (low >= INT64_MIN and high <= INT64_MAX) or (low >= 0 and high < 1 << 64):
            kind = np.int64 if high <= INT64_MAX else np.uint64
            column = read_typed(_spread(texts, whole, 0, kind), name)
            return column.with_missing(_spread(texts, dict.fromkeys(known, False), True, bool))
        # Beyond 64 bits digits are read as text; as floats, different ones would be equal.
    elif _all_match(NUMBER, numbers):
        floats = {text: float(plain) for text, plain in numbers.items()}
        return read_typed(_spread(texts, floats, np.nan, np.float64), name)
    elif notation.dates is not None or _all_match(ISO_DATE, known):
        dates = _dates(texts, known, name, notation)
        if dates is not None:
            return dates
    return text_column([text if text in known else None for text in texts])


def _all_match(pattern: re.Pattern[str], plain_of_text: dict[str, str]) -> bool:
    match: Callable[[str], object] = pattern.fullmatch
    return all(match(plain) for plain in plain_of_text.values())


def _spread(texts: tuple[str, ...], value_of_text: dict[str, Any], gap: Any, kind: type) -> Array:
    spread: Array = np.empty(len(texts), dtype=kind)
    for block in row_blocks(len(texts)):
        spread[block] = [value_of_text.get(text, gap) for text in texts[block]]
    return spread


def _dates(
    texts: tuple[str, ...], known: dict[str, str], name: str, notation: Notation
) -> Column | None:
    """Return dates, or None if one of them is none or in no calendar (2024-02-30)."""
    try:
        date_of_text = {text: notation.date(plain) for text, plain in known.items()}
    except ValueError:
        return None
    return read_objects([date_of_text.get(text) for text in texts], name)
