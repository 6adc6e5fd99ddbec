"""Delimited text (CSV, TSV) to a frame; a type is inferred for each column as a whole."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import Column, blank_column, read_typed, text_column
from treewright.data.frame import Frame
from treewright.data.match_names import default_names
from treewright.data.objects import read_objects
from treewright.errors import DataError, FileFormatError, ReadWarning, warn
from treewright.interrupts import row_blocks, uncollected

_DELIMITERS = ",;\t|"
_LINES_LOOKED_AT = 20
# Python's int() and float() accept more than numbers in files: 1_000, Arabic digits.
_WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


# Notations that people use and that are not numbers as they stand: what takes them away, and what
# to do. A currency sign or a percent sign has a meaning that only the user knows.
_DECORATED = re.compile(r"[$€£¥]\s*|\s*[%$€£¥]|\s*[A-Za-z]{1,3}$")
_DAY_FIRST = re.compile(r"(?P<day>[0-9]{1,2})(?P<mark>[./-])[0-9]{1,2}(?P=mark)[0-9]{4}")
_SHARE_OF_NUMBERS = 0.5
_MANY_NUMBERS = 6
"""A few numbers among names (1, 2, 3, U) are names."""


@dataclass(frozen=True, kw_only=True)
class Notation:
    """How values are written.

    Parameters
    ----------
    missing
        Texts that mean a missing value.
    decimal, thousands
        Decimal mark, and mark between groups of three digits.
    dates
        How dates are written besides ISO, as for ``datetime.strptime``.
    """

    missing: frozenset[str] = frozenset()
    decimal: str = "."
    thousands: str | None = None
    dates: str | None = None

    def plain(self, text: str) -> str:
        """Return a number as Python writes it; anything else as it is, or as no number."""
        if self.thousands is not None and self.thousands in text:
            mark = re.escape(self.thousands)
            if not re.match(rf"[+-]?[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+(?![0-9{mark}])", text):
                return text
            text = text.replace(self.thousands, "")
        if self.decimal != ".":
            return text.replace(".", "?").replace(self.decimal, ".")
        return text


def read_delimited(
    text: str,
    *,
    source: str,
    delimiter: str | None,
    header: bool | None,
    notation: Notation,
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
    kept = [i for i, row in enumerate(rows) if row]
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
    if _all_match(_WHOLE, numbers):
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
    elif notation.dates is not None or _all_match(_DATE, known):
        dates = _dates(texts, known, name, notation.dates)
        if dates is not None:
            return dates
    return text_column([text if text in known else None for text in texts])


def warn_of_near_numbers(
    texts: tuple[str, ...], name: str, notation: Notation, *, lines: Sequence[int], source: str
) -> None:
    """Warn of a column of text that would be numbers or dates but for something small.

    That is where most of its values are numbers, or are so in a notation that was not declared.
    """
    counts = Counter(text.strip() for text in texts)
    known = {text: n for text, n in counts.items() if text not in notation.missing}
    n_known = sum(known.values())
    is_number = {text: bool(NUMBER.fullmatch(notation.plain(text))) for text in known}
    n_numbers = sum(n for text, n in known.items() if is_number[text])
    n_distinct = sum(is_number.values())
    if n_numbers == n_known:  # no values, or digits beyond 64 bits
        return
    share = n_numbers / n_known
    if share >= _SHARE_OF_NUMBERS and n_distinct >= _MANY_NUMBERS:
        others = [text for text in known if not is_number[text]]
        what = f"{n_numbers:,} of its {n_known:,} values are numbers; not so"
        hint = _hint_for(others, notation) or f"missing=[..., {others[0]!r}] makes such values gaps"
    else:
        # A dash or a word among such values is a second reason; it is told beside the first.
        others = [text for text in known if any(map(str.isdigit, text))]
        words = [text for text in known if text not in others]
        found = _hint_for(others, notation) if others else None
        n_told = sum(known[text] for text in others)
        is_mostly = n_told >= _SHARE_OF_NUMBERS * n_known and len(others) >= _MANY_NUMBERS
        if found is None or (words and not is_mostly):
            return
        what, hint = "its values look like numbers or dates in another notation:", found
        if words:
            hint += f", and missing=[..., {words[0]!r}] makes the others gaps"
    first = next(line for line, text in zip(lines, texts, strict=True) if text.strip() in others)
    shown = ", ".join(repr(text) for text in others[:3]) + (", ..." if len(others) > 3 else "")
    warn(
        f"{source}: column {name!r} is read as names, although {what} {shown} (first in"
        f" line {first}).\n  Hint: {hint}.",
        ReadWarning,
    )


def _hint_for(texts: list[str], notation: Notation) -> str | None:
    """Return what would make numbers or dates of all these texts; None if nothing known does."""

    def are_numbers(way: Notation) -> bool:
        return all(NUMBER.fullmatch(way.plain(text)) for text in texts)

    ways = []
    for decimal, thousands in ((".", ","), (",", None), (",", "."), (".", " "), (",", " ")):
        is_used = thousands is None or any(thousands in text for text in texts)
        if is_used and are_numbers(replace(notation, decimal=decimal, thousands=thousands)):
            said = [f"decimal={decimal!r}"] if decimal != notation.decimal else []
            said += [f"thousands={thousands!r}"] if thousands is not None else []
            ways.append(", ".join(said))
    if ways:  # 1,000 may be either
        return " or ".join(ways[:2]) + " reads them as numbers"
    days = [_DAY_FIRST.fullmatch(text) for text in texts]
    if all(days) and texts:
        mark = days[0]["mark"] if days[0] else "."
        day_first = mark == "." or any(int(each["day"]) > 12 for each in days if each)
        order = f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y"
        return f"dates={order!r} reads them as dates"
    bare = [_DECORATED.sub("", text).strip() for text in texts]
    signs = {"".join(_DECORATED.findall(text)) for text in texts}
    if len(signs) <= 2 and all(NUMBER.fullmatch(notation.plain(text)) for text in bare):
        return "take the signs and units away from the numbers, or declare them missing"
    return None


def _all_match(pattern: re.Pattern[str], plain_of_text: dict[str, str]) -> bool:
    match: Callable[[str], object] = pattern.fullmatch
    return all(match(plain) for plain in plain_of_text.values())


def _spread(texts: tuple[str, ...], value_of_text: dict[str, Any], gap: Any, kind: type) -> Array:
    spread: Array = np.empty(len(texts), dtype=kind)
    for block in row_blocks(len(texts)):
        spread[block] = [value_of_text.get(text, gap) for text in texts[block]]
    return spread


def _dates(
    texts: tuple[str, ...], known: dict[str, str], name: str, written: str | None
) -> Column | None:
    """Return dates, or None if one of them is none or in no calendar (2024-02-30)."""

    def date_of(plain: str) -> datetime:
        if written is None or _DATE.fullmatch(plain):
            return datetime.fromisoformat(plain)
        return datetime.strptime(plain, written)

    try:
        date_of_text = {text: date_of(plain) for text, plain in known.items()}
    except ValueError:
        return None
    return read_objects([date_of_text.get(text) for text in texts], name)
