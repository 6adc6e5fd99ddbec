"""Dates on an axis: days since 1970-01-01, with ticks where years, months and days begin.

Examples
--------
>>> ticks = date_ticks(17_897.0, 19_722.0, 8)  # 2019 to 2023
>>> date_labels(ticks)
['2019', '2020', '2021', '2022', '2023']
>>> date_labels(date_ticks(17_897.0, 18_077.0, 4))
['Jan 2019', 'Apr 2019']
>>> date_text(17_977.0)
'22 Mar 2019'
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_FIRST = date(1970, 1, 1)
_EARLIEST, _LATEST = (date.min - _FIRST).days, (date.max - _FIRST).days
_MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000)
_DAY_STEPS = (1, 2, 7, 14)
_DAYS_OF_A_MONTH = 30.4


def date_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` days on an axis at which a year, a month or a day begins."""
    first, last = max(math.ceil(low), _EARLIEST), min(math.floor(high), _LATEST)
    span = max(last - first, 0)
    for step in _DAY_STEPS:
        if span / step + 1 <= most:
            return [float(day) for day in range(first, last + 1, step)]
    for months in _MONTH_STEPS:
        if span / (months * _DAYS_OF_A_MONTH) <= most:
            found = [day for day in _month_starts(first, last, months) if first <= day <= last]
            if 2 <= len(found) <= most:
                return found
    return [float(first), float(last)] if last > first else [float(first)]


def _month_starts(first: int, last: int, step: int) -> Iterator[float]:
    """Yield the first days of every so many months, counted from January of the year 0."""
    start = _FIRST + timedelta(days=first)
    month = (12 * start.year + start.month - 1) // step * step
    while month // 12 <= date.max.year:
        year = month // 12
        if year >= date.min.year:
            day = (date(year, month % 12 + 1, 1) - _FIRST).days
            if day > last:
                return
            yield float(day)
        month += step


def date_labels(days: Sequence[float]) -> list[str]:
    """Return the labels of ticks: years where all are the first of one, months, else days."""
    dates = [_date_of(day) for day in days]
    if any(each is None for each in dates):
        return [date_text(day) for day in days]
    known = [each for each in dates if each is not None]
    if len(known) > 1 and all(each.day == 1 for each in known):
        if all(each.month == 1 for each in known):
            return [str(each.year) for each in known]
        return [f"{MONTHS[each.month - 1]} {each.year}" for each in known]
    return [date_text(day) for day in days]


def date_text(day: float) -> str:
    """Return a day as text; of what is no date, nothing."""
    found = _date_of(day)
    return "" if found is None else f"{found.day} {MONTHS[found.month - 1]} {found.year}"


def _date_of(day: float) -> date | None:
    if not (math.isfinite(day) and _EARLIEST <= math.floor(day) <= _LATEST):
        return None
    return _FIRST + timedelta(days=math.floor(day))
