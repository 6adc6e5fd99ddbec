"""Columns of texts to integers, numbers, dates or text, a type for each column as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NoReturn

import numpy as np

from treewright.array_types import Int64Array
from treewright.data.codes import INT64_MAX, INT64_MIN, code_text
from treewright.data.column import Column, blank_column, read_typed
from treewright.data.files.coded_texts import CodedTexts
from treewright.data.files.near_numbers import SortedTexts
from treewright.data.files.notation import ISO_DATE, NUMBER, WHOLE, Notation
from treewright.data.files.split_rows import FoundNumbers
from treewright.data.objects import read_objects
from treewright.data.reading import ReadNote, marks_note
from treewright.errors import StrayTextError
from treewright.text.names import short_name

TextKind = Literal["number", "text", "date", "boolean"]
"""What a column can be declared to hold."""

CUSTOMARY_MARKS = frozenset(
    ("-", "--", "---", ".", "na", "n/a", "#n/a", "nan", "none", "null", "missing", "unknown")
)
"""Texts that mean missing in a column of numbers or dates, in any case of letters."""

_MOSTLY = 0.9
"""From this share of numbers or dates on, a column is one of numbers or dates."""
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Looking:
    """What is found by looking at a column, beyond its type.

    Parameters
    ----------
    marks
        Whether customary marks among numbers or dates are missing.
    dates
        Whether another notation of dates than ISO is looked for.
    strict
        Whether a stray text among numbers or dates is an error rather than a warning.
    """

    marks: bool = False
    dates: bool = False
    strict: bool = False


def read_texts(
    texts: CodedTexts, name: str, notation: Notation, *, is_number: bool = False
) -> Column:
    """Return a column of texts as integers, numbers, dates, or text.

    Whole numbers beyond 64 bits are text, since as floats different ones would be equal, unless the
    column `is_number` by declaration.

    >>> texts = CodedTexts.of(["1", "?", "3"])
    >>> read_texts(texts, "x", Notation(missing=frozenset("?"))).to_numpy().tolist()
    [1, None, 3]
    """
    found = {text: text.strip() for text in texts.distinct}
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
            column = read_typed(texts.spread(whole, 0, kind), name)
            return column.with_missing(texts.spread(dict.fromkeys(known, False), True, bool))
        are_floats = is_number
    else:
        are_floats = _all_match(NUMBER, numbers)
    if are_floats:
        floats = {text: float(plain) for text, plain in numbers.items()}
        return read_typed(texts.spread(floats, np.nan, np.float64), name)
    if notation.dates is not None or _all_match(ISO_DATE, known):
        dates = _dates(texts, known, name, notation)
        if dates is not None:
            return dates
    return as_text(texts, notation)


def as_text(texts: CodedTexts, notation: Notation) -> Column:
    """Return a column of texts as text; those that mean missing are."""
    missing = notation.missing
    codes, values = code_text([None if t.strip() in missing else t for t in texts.distinct])
    return Column(storage="value", data=codes[texts.codes], values=values)


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnOfTexts:
    """The cells of one column, and what is known about them.

    Parameters
    ----------
    name, source
        Its name, and that of the file.
    lines
        The line of each row.
    coded
        Gives the texts.
    numbers
        Gives the numbers by a quicker way, where there is one.
    """

    name: str
    source: str
    lines: Sequence[int] | Int64Array
    coded: Callable[[], CodedTexts]
    numbers: Callable[[Notation], FoundNumbers | None] | None = None


@dataclass(frozen=True)
class ReadColumn:
    """A column, what was decided about it, and the notation of its dates if one was found."""

    column: Column
    notes: tuple[ReadNote, ...] = ()
    dates: str | None = None


def read_column(
    cells: ColumnOfTexts, notation: Notation, looking: Looking, kind: TextKind | None = None
) -> ReadColumn:
    """Return a column by what its cells hold, or by the `kind` that is declared."""
    return _Reader(cells, notation, looking).read(kind)


@dataclass(frozen=True)
class _Reader:
    cells: ColumnOfTexts
    notation: Notation
    looking: Looking

    @property
    def name(self) -> str:
        return self.cells.name

    @cached_property
    def texts(self) -> CodedTexts:
        return self.cells.coded()

    def read(self, kind: TextKind | None) -> ReadColumn:
        if kind == "text":
            return ReadColumn(as_text(self.texts, self.notation))
        if kind == "boolean":
            return ReadColumn(self._booleans())
        if kind != "date" and self.cells.numbers is not None:
            found = self.cells.numbers(self.notation)
            numbers = None if found is None else self._numbers(found, kind)
            if numbers is not None:
                return numbers
        column = read_texts(self.texts, self.name, self.notation)
        if column.storage != "value" or not column.values:
            return ReadColumn(column)
        counts = self.texts.counts().tolist()
        rows_of: dict[str, int] = {}
        for text, n_rows in zip(self.texts.distinct, counts, strict=True):
            plain = text.strip()
            if plain not in self.notation.missing:
                rows_of[plain] = rows_of.get(plain, 0) + n_rows
        if kind is not None:
            return self._declared(rows_of, kind)
        sorted_texts = SortedTexts.of(rows_of, self.notation)
        is_looking = self.looking.marks or self.looking.dates
        mended = self._mended(sorted_texts) if is_looking else None
        if mended is not None:
            return mended
        told = self._told(sorted_texts)
        return ReadColumn(column, () if told is None else (told,))

    def _numbers(self, found: FoundNumbers, kind: TextKind | None) -> ReadColumn | None:
        """Return a column of numbers, its customary marks missing; None if it is something else."""
        if found.n_numbers == 0 or (found.is_whole and found.is_beyond):
            return None
        others = found.others
        if any(not text.isascii() and text != text.strip() for text in others):
            return None  # spaces that are no ASCII: to be looked at once more
        n_known = found.n_numbers + sum(n_rows for n_rows, _ in others.values())
        are_marks_missing = self.looking.marks or kind == "number"
        strays = [t for t in others if not are_marks_missing or t.casefold() not in CUSTOMARY_MARKS]
        is_mostly = found.n_numbers >= _MOSTLY * n_known
        if strays and (kind == "number" or (self.looking.strict and is_mostly)):
            line = int(self.cells.lines[others[strays[0]][1]])
            self._refuse(strays[0], line, found.n_numbers, n_known, "numbers")
        if strays or (others and kind is None and not is_mostly):
            return None
        column = read_typed(found.wholes if found.is_whole else found.values, self.name)
        if found.is_whole:
            column = column.with_missing(~found.present)
        if not others:
            return ReadColumn(column)
        counts = {text: n_rows for text, (n_rows, _) in others.items()}
        line = int(self.cells.lines[min(first for _, first in others.values())])
        note = marks_note(self.name, counts, line=line, n_read=found.n_numbers, what="numbers")
        return ReadColumn(column, (note,))

    def _mended(self, found: SortedTexts) -> ReadColumn | None:
        """Return the column with its marks missing and its dates read, where that explains it."""
        n_known = sum(found.rows_of.values())
        dates = found.dates[0] if self.looking.dates and len(found.dates) == 1 else None
        what = "dates" if found.texts("date", "dated") else "numbers"
        read = found.texts("number", "date", *(("dated",) if dates else ()))
        n_read = sum(found.rows_of[text] for text in read)
        if n_read < _MOSTLY * n_known:
            return None
        is_read = set(read)
        others = [text for text in found.rows_of if text not in is_read]
        marks = [t for t in others if self.looking.marks and t.casefold() in CUSTOMARY_MARKS]
        if len(marks) < len(others):
            if self.looking.strict:
                stray = next(t for t in others if t not in marks)
                self._refuse(stray, self._line(stray), n_read, n_known, what)
            return None
        notation = replace(
            self.notation,
            missing=self.notation.missing | frozenset(marks),
            dates=dates or self.notation.dates,
        )
        column = read_texts(self.texts, self.name, notation)
        if column.storage == "value":  # a date in no calendar, a number beyond 64 bits
            return None
        notes = []
        if marks:
            counts = {text: found.rows_of[text] for text in marks}
            notes.append(
                marks_note(self.name, counts, line=self._line(marks[0]), n_read=n_read, what=what)
            )
        if dates:
            first = found.texts("dated")[0]
            notes.append(
                ReadNote(
                    code="dates-found",
                    column=self.name,
                    texts=(first,),
                    rows=n_read,
                    line=self._line(first),
                    message=f"{short_name(self.name)}: dates as {dates}, such as {first!r}",
                    brief=f"{self.name!r} read as dates, {dates}",
                )
            )
        return ReadColumn(column, tuple(notes), dates)

    def _declared(self, rows_of: Mapping[str, int], kind: TextKind) -> ReadColumn:
        """Return a column that holds numbers or dates, whatever else stands in it."""
        read: list[str] = []
        others: list[str] = []
        for text in rows_of:
            is_one = self.notation.is_number(text) if kind == "number" else self._is_date(text)
            (read if is_one else others).append(text)
        marks = frozenset(text for text in others if text.casefold() in CUSTOMARY_MARKS)
        n_read = sum(rows_of[text] for text in read)
        if len(marks) < len(others):
            stray = next(text for text in others if text not in marks)
            self._refuse(stray, self._line(stray), n_read, sum(rows_of.values()), f"{kind}s")
        notation = replace(self.notation, missing=self.notation.missing | marks)
        if not read:
            return ReadColumn(blank_column(len(self.texts)))
        column = read_texts(self.texts, self.name, notation, is_number=kind == "number")
        counts = {text: rows_of[text] for text in others}
        if not others:
            return ReadColumn(column)
        line = self._line(others[0])
        note = marks_note(self.name, counts, line=line, n_read=n_read, what=f"{kind}s")
        return ReadColumn(column, (note,))

    def _booleans(self) -> Column:
        value_of_text = {
            text: _BOOLEANS[plain]
            for text in self.texts.distinct
            if (plain := text.strip().casefold()) in _BOOLEANS
        }
        known = [t for t in self.texts.distinct if t.strip() not in self.notation.missing]
        if any(text not in value_of_text for text in known):
            return read_texts(self.texts, self.name, self.notation)
        column = read_typed(self.texts.spread(value_of_text, False, bool), self.name)
        return column.with_missing(self.texts.spread(dict.fromkeys(known, False), True, bool))

    def _told(self, found: SortedTexts) -> ReadNote | None:
        if found.is_worth_a_word():
            hints = "; ".join(found.hints(self.notation))
            return self._as_names(found, found.not_read, found.told(), hints)
        beyond = found.beyond_64_bits(self.notation)
        if not 0 < len(beyond) < len(found.rows_of):  # all of them: more likely names than numbers
            return None
        hint = f"kinds={{{self.name!r}: 'number'}} reads them as numbers of 16 digits"
        return self._as_names(found, beyond, found.told_beyond(beyond), hint)

    def _as_names(self, found: SortedTexts, texts: Sequence[str], told: str, hint: str) -> ReadNote:
        """Return the note that a column is read as names because of some texts."""
        line = self._line(texts[0])
        return ReadNote(
            code="near-numbers",
            column=self.name,
            texts=tuple(texts[:5]),
            rows=sum(found.rows_of[text] for text in texts),
            line=line,
            message=(
                f"{self.cells.source}: column {self.name!r} is read as names, although"
                f" {told} (first in line {line}).\n  Hint: {hint}."
            ),
            brief=f"{self.name!r} read as names, although {told}",
        )

    def _is_date(self, text: str) -> bool:
        try:
            self.notation.date(text)
        except ValueError:
            return False
        return True

    def _refuse(self, stray: str, line: int, n_read: int, n_known: int, what: str) -> NoReturn:
        ways: list[str] = []
        if n_read == 0:  # not a slip: perhaps all are written otherwise
            rows_of = {text.strip(): 1 for text in self.texts.distinct}
            ways = SortedTexts.of(rows_of, self.notation).ways(self.notation)
        raise StrayTextError(
            column=self.name,
            line=line,
            text=stray,
            n_read=n_read,
            n_known=n_known,
            what=what,
            ways=tuple(ways),
        )

    def _line(self, plain: str) -> int:
        """Return the first line with a text, given without the spaces around it."""
        row = min(
            self.texts.first_row(text) for text in self.texts.distinct if text.strip() == plain
        )
        return int(self.cells.lines[row])


def _all_match(pattern: re.Pattern[str], plain_of_text: Mapping[str, str]) -> bool:
    match = pattern.fullmatch
    return all(match(plain) for plain in plain_of_text.values())


def _dates(
    texts: CodedTexts, known: Mapping[str, str], name: str, notation: Notation
) -> Column | None:
    """Return dates, or None if one of them is none or in no calendar (2024-02-30)."""
    try:
        date_of_text = {text: notation.date(plain) for text, plain in known.items()}
    except ValueError:
        return None
    read = read_objects([date_of_text.get(text) for text in texts.distinct], name)
    return read.take(texts.codes)
