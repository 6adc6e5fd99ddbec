"""Delimited text (CSV, TSV) to a frame; a type is inferred for each column as a whole."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import Column, blank_column, read_typed, text_column
from treewright.data.frame import Frame
from treewright.data.match_names import default_names
from treewright.data.objects import read_objects
from treewright.errors import DataError, FileFormatError

_DELIMITERS = ",;\t|"
_LINES_LOOKED_AT = 20
# Python's int() and float() accept more than numbers in files: 1_000, Arabic digits.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def read_delimited(
    text: str,
    *,
    source: str,
    delimiter: str | None,
    missing: frozenset[str],
    header: bool | None,
    decimal: str,
) -> Frame:
    """Return delimited text as a frame; `source` names the file in messages, None means infer."""
    delimiter = delimiter or _sniff(text)
    lines, rows = _split(text, source, delimiter)
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
                f"  Hint: fields are divided by {delimiter!r}; a field that holds one is quoted."
            )
    columns: dict[str, Column] = {}
    for name, texts in zip(names, zip(*rows, strict=True) if rows else [()] * width, strict=True):
        try:
            columns[name] = read_texts(texts, name, missing=missing, decimal=decimal)
        except DataError as error:
            raise FileFormatError(f"{source}: {error}") from None
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
    kept = [i for i, row in enumerate(rows) if row]
    return [lines[i] for i in kept], [rows[i] for i in kept]


def _names(first: list[str], source: str, header: bool | None) -> tuple[str, ...] | None:
    if header is False:
        return None
    names = tuple(name.strip() for name in first)
    if header is None and all(_NUMBER.fullmatch(name) for name in names):
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


def read_texts(
    texts: tuple[str, ...], name: str, *, missing: frozenset[str], decimal: str = "."
) -> Column:
    """Return a column of texts as integers, numbers, dates, or text.

    Only distinct texts are examined, up to the first that is no number.

    >>> read_texts(("1", "?", "3"), "x", missing=frozenset("?")).to_numpy().tolist()
    [1, None, 3]
    """
    found = {text: text.strip() for text in set(texts)}
    known = {text: plain for text, plain in found.items() if plain not in missing}
    if not known:
        return blank_column(len(texts))
    if decimal != ".":
        numbers = {text: plain.replace(decimal, ".") for text, plain in known.items()}
    else:
        numbers = known
    if _all_match(_WHOLE, numbers):
        whole = {text: int(plain) for text, plain in numbers.items()}
        low, high = min(whole.values()), max(whole.values())
        if (low >= INT64_MIN and high <= INT64_MAX) or (low >= 0 and high < 1 << 64):
            kind = np.int64 if high <= INT64_MAX else np.uint64
            column = read_typed(_spread(texts, whole, 0, kind), name)
            return column.with_missing(_spread(texts, dict.fromkeys(known, False), True, bool))
        # Beyond 64 bits digits are read as text; as floats, different ones would be equal.
    elif _all_match(_NUMBER, numbers):
        floats = {text: float(plain) for text, plain in numbers.items()}
        return read_typed(_spread(texts, floats, np.nan, np.float64), name)
    elif _all_match(_DATE, known):
        dates = _dates(texts, known, name)
        if dates is not None:
            return dates
    return text_column([text if text in known else None for text in texts])


def _all_match(pattern: re.Pattern[str], plain_of_text: dict[str, str]) -> bool:
    match: Callable[[str], object] = pattern.fullmatch
    return all(map(match, plain_of_text.values()))


def _spread(texts: tuple[str, ...], value_of_text: dict[str, Any], gap: Any, kind: type) -> Array:
    filled = dict.fromkeys(texts, gap) | value_of_text
    return np.fromiter(map(filled.__getitem__, texts), dtype=kind, count=len(texts))


def _dates(texts: tuple[str, ...], known: dict[str, str], name: str) -> Column | None:
    """Return dates, or None if one of them is in no calendar (2024-02-30)."""
    try:
        date_of_text = {text: datetime.fromisoformat(plain) for text, plain in known.items()}
    except ValueError:
        return None
    return read_objects([date_of_text.get(text) for text in texts], name)
