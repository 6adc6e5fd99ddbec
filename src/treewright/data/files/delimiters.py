"""Delimiter, decimal mark and thousands mark of delimited text, found by looking at its rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from treewright.data.files.notation import Notation

DELIMITERS = ",;\t|"
"""The characters that may divide fields, where none is given."""
LINES_LOOKED_AT = 20
ROWS_LOOKED_AT = 2000

# A first line by which Excel is told the delimiter; no name of a column.
TOLD_DELIMITER = re.compile(r"sep=(?P<mark>[^\w\s\"]|\t)[\r\n]", re.IGNORECASE)

_MOSTLY = 0.9
# Decimal and thousands marks in the order in which they are believed.
_WAYS = ((",", None), (".", ","), (",", "."), (".", "'"), (".", " "), (",", " "), (".", "’"))
_SPACES = ("\u00a0", "\u202f")
_DIGIT = re.compile(r"[0-9]")


def find_delimiter(text: str) -> str:
    """Return the delimiter that splits the first lines into the same, largest number of fields.

    >>> find_delimiter("a;b\\n1,5;x\\n2,5;y\\n")
    ';'
    """
    lines = text[: 1 << 16].splitlines()[:LINES_LOOKED_AT]
    best, best_score = ",", (False, 1)
    for candidate in DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=candidate) if row)
        if not widths:
            continue
        width = widths.most_common(1)[0][0]
        score = (len(widths) == 1 and width > 1, width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def find_marks(columns: Sequence[Sequence[str]], notation: Notation) -> Notation:
    """Return the notation that makes numbers of most columns, as declared where that is as good.

    Another decimal mark or a thousands mark is believed if it makes a column of numbers that the
    declared notation does not, and if no other does so as well: ``1,234`` alone may be either.

    >>> found = find_marks([["1,5", "2,25"], ["7", "8"]], Notation())
    >>> found.decimal, found.thousands
    (',', None)
    >>> find_marks([["1,234", "2,345"]], Notation()).decimal
    '.'
    """
    some = [_distinct(column, notation) for column in columns]
    kept = [texts for texts in some if texts and not _is_of(texts, notation)]
    if not kept:
        return notation
    scores: list[tuple[int, Notation]] = []
    for decimal, thousands in (*_WAYS, *((".", mark) for mark in _SPACES)):
        way = replace(notation, decimal=decimal, thousands=thousands)
        score = sum(_is_of(texts, way) for texts in kept)
        # Columns that are numbers as declared must stay so.
        if score and all(_is_of(t, way) for t in some if t and _is_of(t, notation)):
            scores.append((score, way))
    if not scores:
        return notation
    best = max(score for score, _ in scores)
    leaders = [way for score, way in scores if score == best]
    first = leaders[0]
    is_one = all(
        way.plain(text) == first.plain(text)
        for way in leaders[1:]
        for texts in kept
        for text in texts
        if way.is_number(text) and first.is_number(text)
    )
    return first if is_one else notation


def _distinct(texts: Sequence[str], notation: Notation) -> list[str]:
    plain = {text.strip() for text in texts}
    return [text for text in plain if text not in notation.missing]


def _is_of(texts: Sequence[str], notation: Notation) -> bool:
    with_digits = [text for text in texts if _DIGIT.search(text)]
    return len(with_digits) >= _MOSTLY * len(texts) and (
        sum(map(notation.is_number, with_digits)) >= _MOSTLY * len(texts)
    )
