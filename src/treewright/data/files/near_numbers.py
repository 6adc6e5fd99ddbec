"""Columns of text that are partly numbers or dates, told when a file is read.

A dash, a percent sign or a thousands mark in one row makes names of a whole column of numbers, and
a tree then splits it as names. Codes are left in peace: postal codes with letters, ``A12``,
``10-20``, ``3rd``, or ``1``, ``2``, ``3`` and ``U``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.files.notation import ISO_DATE, WHOLE, Notation

Sort = Literal["number", "date", "marked", "decorated", "time", "dated", "gap", "code", "word"]
"""What a text looks like: a number or date as declared, with other marks, with a sign or unit, a
time of day, a date in another notation, a gap, a name with digits, a name without."""

_NUMBERS: tuple[Sort, ...] = ("number", "marked", "decorated", "time")
_DATES: tuple[Sort, ...] = ("date", "dated")
_NEAR: tuple[Sort, ...] = ("marked", "decorated", "time", "dated")

_GAP_WORDS = frozenset(
    (
        *("na", "n/a", "n.a.", "n.d.", "nan", "null", "nil", "tbd", "unknown", "unk", "missing"),
        *("undefined", "not available", "not applicable", "no data", "#n/a", "#na", "#null!"),
        *("#num!", "#ref!", "#value!", "#div/0!", "#name?"),
    )
)
_SPACES = " \u00a0\u202f\u2009"
_GROUP_MARKS = f",.'’{_SPACES}"
_MARKED = re.compile(
    rf"[+-]?(?:[0-9]{{1,3}}(?:[{_GROUP_MARKS}][0-9]{{3}})+|[0-9]+)?(?:[.,][0-9]*)?(?:[eE][+-]?[0-9]+)?"
)
_CURRENCY = r"(?:[$€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR)\b)"
# Letters after a number are a unit only where they are one: 3rd, 4WD and 12b are names.
_UNIT = (
    rf"(?:%|‰|°[CF]?|{_CURRENCY}|[kKM]|bn|mn|[kmµn]?g|lbs?|oz|[kcmµn]?m|ft|mi|[mcd]?[lL]"
    r"|[mµn]?s|secs?|mins?|hr?s?|days?|yrs?|years?|months?|k?W|kWh|k?Hz|[kMGT]B|mph|km/h|px)"
)
_DECORATED = re.compile(
    rf"(?P<opened>[('])?(?:[-+−]?\s*(?:{_CURRENCY}\s*)?|{_CURRENCY}\s*[-+−])"
    rf"(?P<bare>[0-9.][0-9{re.escape(_GROUP_MARKS)}eE]*?)\s*{_UNIT}?(?(opened)[)'])"
)
# Alone such are groups (<18, >=18); among numbers they are values that could not be measured.
_BOUND = re.compile(r"[<>≤≥~]=?\s*[0-9.,]+")
_TIME = re.compile(r"[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?:\s?[AaPp][Mm])?")
_DATED = re.compile(
    r"(?:[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}|[0-9]{1,2}[- ][A-Za-z]{3,9}[- ][0-9]{2,4}"
    r"|[A-Za-z]{3,9} [0-9]{1,2},? [0-9]{4})(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?"
)
_DAYS = (
    *("%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%Y"),
    *("%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y"),
    *("%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S")

_SHARE = 1 / 3
"""From this share of numbers on, words beside them are told."""
_SHARE_AMONG_CODES = 0.9
"""Names with digits beside numbers are a slip where they are rarer than one in ten."""
_MANY_NUMBERS = 6
"""As many different numbers are amounts, whatever they are."""


@dataclass(frozen=True)
class SortedTexts:
    """The distinct texts of a column with their numbers of rows, and the sort of each."""

    rows_of: dict[str, int]
    sort_of: dict[str, Sort]
    dates: tuple[str, ...]

    @classmethod
    def of(cls, rows_of: dict[str, int], notation: Notation) -> SortedTexts:
        """Return the texts of a column with their numbers of rows, sorted."""
        sort_of = {text: _sort(text, notation) for text in rows_of}
        dated = [text for text, sort in sort_of.items() if sort == "dated"]
        dates = _formats(dated)
        unread = set() if dates else set(dated)
        # What few are of is what they are not: a column is of numbers or of dates.
        n_dates = sum(rows_of[t] for t, sort in sort_of.items() if sort in _DATES)
        n_numbers = sum(rows_of[t] for t, sort in sort_of.items() if sort in _NUMBERS)
        others = _NUMBERS if n_dates - sum(rows_of[t] for t in unread) > n_numbers else _DATES
        for text, sort in sort_of.items():
            if sort in others or text in unread:
                sort_of[text] = "code"
        return cls(rows_of, sort_of, dates if others == _NUMBERS else ())

    def texts(self, *sorts: Sort) -> list[str]:
        """Return the texts of some sorts."""
        return [text for text, sort in self.sort_of.items() if sort in sorts]

    def n_rows(self, *sorts: Sort) -> int:
        """Return in how many rows texts of some sorts stand."""
        return sum(self.rows_of[text] for text in self.texts(*sorts))

    @property
    def not_read(self) -> list[str]:
        """What is not read as it stands; notations of numbers and dates first where they lead."""
        near = self.texts(*_NEAR)
        others = [t for t, sort in self.sort_of.items() if sort not in ("number", "date")]
        return near if self._is_another_notation() else others

    def is_worth_a_word(self) -> bool:
        """Return whether numbers or dates are lost, rather than names that look like some."""
        read = self.texts(*_NUMBERS, *_DATES)
        n_read = self.n_rows(*_NUMBERS, *_DATES)
        if not read or len(self.texts("number")) == len(self.sort_of):  # or beyond 64 bits
            return False
        n_codes, n_words = self.n_rows("code"), self.n_rows("word")
        n_names = n_codes + n_words
        if n_names == 0:
            return True
        share = n_read / (n_read + n_names)
        if self.texts(*_DATES):
            return share >= _SHARE
        if n_codes < n_words:
            return share >= _SHARE and _are_amounts(read, n_read)
        if n_names == 1 and len(read) >= _MANY_NUMBERS - 1 and not _may_be_codes(read):
            return True
        return share >= _SHARE_AMONG_CODES and len(read) >= _MANY_NUMBERS

    def beyond_64_bits(self, notation: Notation) -> list[str]:
        """Return the whole numbers that are too large, of a column of whole numbers that has some.

        >>> SortedTexts.of({"1": 3, str(2**70): 1}, Notation()).beyond_64_bits(Notation())
        ['1180591620717411303424']
        """
        plain = {text: notation.plain(text) for text in self.texts("number")}
        if len(plain) < len(self.sort_of) or not all(map(WHOLE.fullmatch, plain.values())):
            return []
        whole = {text: int(number) for text, number in plain.items()}
        most = INT64_MAX if min(whole.values()) < 0 else 2 * INT64_MAX + 1
        return [text for text, number in whole.items() if not INT64_MIN <= number <= most]

    def told_beyond(self, beyond: Sequence[str]) -> str:
        """Return how many values are whole numbers of 64 bits, and which are not."""
        n_known, n_beyond = sum(self.rows_of.values()), sum(self.rows_of[text] for text in beyond)
        return (
            f"{n_known - n_beyond:,} of its {n_known:,} values are whole numbers of 64 bits; not so"
            f" {_shown(beyond)}"
        )

    def told(self) -> str:
        """Return what is wrong: how many values are numbers or dates, and which are not."""
        n_known = sum(self.rows_of.values())
        n_read = self.n_rows("number", "date")
        what = "date" if self.texts(*_DATES) else "number"
        if self._is_another_notation():
            n_read += self.n_rows(*_NEAR)
            count = "its" if n_read == n_known else f"{n_read:,} of its {n_known:,}"
            return f"{count} values look like {what}s in another notation: {_shown(self.not_read)}"
        are = f"is a {what}" if n_read == 1 else f"are {what}s"
        return f"{n_read:,} of its {n_known:,} values {are}; not so {_shown(self.not_read)}"

    def hints(self, notation: Notation) -> Iterable[str]:
        """Return what to do about each sort of value."""
        if marked := self.texts("marked"):
            ways = self._number_ways(notation)
            told = "them" if len(marked) == len(self.not_read) else _shown(marked)
            if ways:
                yield " or ".join(ways) + f" reads {told} as numbers"
            else:
                yield f"write {_shown(marked)} with the marks of the other numbers"
        if decorated := self.texts("decorated"):
            yield f"write {_shown(decorated)} as plain numbers, without signs and units"
        if times := self.texts("time"):
            yield f"write {_shown(times)} as hours or as minutes since midnight"
        if self.dates:
            yield " or ".join(self._date_ways) + " reads them as dates"
        if gaps := self.texts("gap", "word") or self.texts("code"):
            yield f"missing=[..., {gaps[0]!r}] makes such values gaps"

    def ways(self, notation: Notation) -> list[str]:
        """Return the options of which each reads all values as numbers or dates.

        >>> SortedTexts.of({"1,5": 2, "2,25": 1}, Notation()).ways(Notation())
        ["decimal=','"]
        >>> SortedTexts.of({"1,5": 2, "red": 1}, Notation()).ways(Notation())
        []
        """
        if set(self.sort_of.values()) <= {"date", "dated"}:
            return list(self._date_ways)
        are_numbers = set(self.sort_of.values()) <= {"number", "marked"}
        return self._number_ways(notation) if are_numbers else []

    def _number_ways(self, notation: Notation) -> list[str]:
        return _ways(self.texts("marked"), self.texts("number"), notation)

    @property
    def _date_ways(self) -> tuple[str, ...]:
        return tuple(f"dates={way!r}" for way in self.dates)

    def _is_another_notation(self) -> bool:
        return self.n_rows(*_NEAR) > self.n_rows("number", "date")


def _sort(text: str, notation: Notation) -> Sort:
    if notation.is_number(text):
        return "number"
    if text.casefold() in _GAP_WORDS or not any(map(str.isalnum, text)):
        return "gap"
    if not any(map(str.isdigit, text)) or _BOUND.fullmatch(text):
        return "word"
    if ISO_DATE.fullmatch(text) or notation.dates is not None:
        try:
            notation.date(text)
        except ValueError:
            pass
        else:
            return "date"
    if _MARKED.fullmatch(text):
        return "marked"
    if _TIME.fullmatch(text):
        return "time"
    if _DATED.fullmatch(text):
        return "dated"
    if (found := _DECORATED.fullmatch(text)) and _MARKED.fullmatch(found["bare"]):
        return "decorated"
    return "code"


def _ways(texts: Sequence[str], numbers: Sequence[str], notation: Notation) -> list[str]:
    """Return the options that read these texts, and the numbers beside them: 1,000 may be two."""
    ways = []
    used = [mark for mark in _GROUP_MARKS if any(mark in text for text in texts)]
    for thousands in (*used, None):
        for decimal in ".,":
            way = replace(notation, decimal=decimal, thousands=thousands)
            if decimal != thousands and all(map(way.is_number, (*texts, *numbers))):
                said = [f"decimal={decimal!r}"] if decimal != notation.decimal else []
                said += [f"thousands={thousands!r}"] if thousands is not None else []
                ways.append(", ".join(said))
                break
    return ways


def _formats(texts: Sequence[str]) -> tuple[str, ...]:
    """Return up to two formats that read all of these dates: 3/4/2024 may be either."""
    if not texts:
        return ()
    found = []
    for format_ in (day + time for day in _DAYS for time in _TIMES):
        way = Notation(dates=format_)
        try:
            for text in texts:
                way.date(text)
        except ValueError:
            continue
        found.append(format_)
    return tuple(found[:2])


def _are_amounts(numbers: Sequence[str], n_rows: int) -> bool:
    """Return whether numbers beside words are amounts; a few that repeat, or 1, 2, 3, are names."""
    if len(numbers) >= _MANY_NUMBERS:
        return True
    if 2 * len(numbers) <= n_rows or len(numbers) < 2:
        return False
    digits = [text for text in numbers if text.isdigit()]
    if len(digits) < len(numbers):
        return True
    run = sorted(map(int, digits))
    return len(run) >= 3 and (run[0] > 1 or run[-1] - run[0] >= len(run))


def _may_be_codes(numbers: Sequence[str]) -> bool:
    """Return whether numbers may be codes, such as postal codes: of one length, or with zeros."""
    if not all(map(str.isdigit, numbers)):
        return False
    return len(set(map(len, numbers))) == 1 or any(text[0] == "0" != text for text in numbers)


def _shown(texts: Sequence[str]) -> str:
    return ", ".join(repr(text) for text in texts[:3]) + (", ..." if len(texts) > 3 else "")
