"""How numbers and dates are written in delimited text: what is declared, and what is one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

# Python's int() and float() accept more than numbers in files: 1_000, Arabic digits.
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


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
                return text.replace(self.thousands, "?")
            text = text.replace(self.thousands, "")
        if self.decimal != ".":
            return text.replace(".", "?").replace(self.decimal, ".")
        return text

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number as declared."""
        return NUMBER.fullmatch(self.plain(text)) is not None

    def date(self, text: str) -> datetime:
        """Return a date, ISO or as declared; ValueError if it is none, or in no calendar."""
        if self.dates is None or ISO_DATE.fullmatch(text):
            return datetime.fromisoformat(text)
        return datetime.strptime(text, self.dates)
