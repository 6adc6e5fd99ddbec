"""Stored numbers, dates and durations as people read them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import ROUND_FLOOR, Decimal
from typing import Literal, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

_FEW_DIGITS = 6
"""A number is written with so many digits, and with more only if they are needed."""


def format_float(value: float, gap: float | None, *, is_bound: bool = False) -> str:
    """Return the shortest text of a number that tells it from the nearest other, `gap` away.

    The text of a bound is not above it, so that the number written meets ``x <= bound``, unless few
    digits tell it: a bound just below 1844.89 is written so, and compared by ``<``.

    >>> [format_float(0.94127584199, None, is_bound=each) for each in (False, True)]
    ['0.941275842', '0.9412758419']
    >>> format_float(1844.8899999999999, None, is_bound=True)
    '1844.89'
    """
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    tolerance = abs(value) * 1e-9 if gap is None else gap / 2
    for digits in range(_FEW_DIGITS, 17):
        text = f"{value:.{digits}g}"
        if is_bound and digits > _FEW_DIGITS and float(text) > value:
            text = _round_down(value, digits)
        if abs(float(text) - value) <= tolerance:
            return text
    return repr(value)


def _round_down(value: float, digits: int) -> str:
    exact = Decimal(value)
    unit = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
    return f"{float(exact.quantize(unit, rounding=ROUND_FLOOR)):.{digits}g}"


def format_instant(stored: int, unit: str, time_zone: str | None) -> str:
    """Return the text of an instant in its time zone; at midnight, the date alone.

    >>> format_instant(86_400_000_000, "us", None)
    '1970-01-02'
    """
    suffix = ""
    if time_zone is not None:
        offset, suffix = _offset_at(stored, unit, time_zone)
        stored += round(offset.total_seconds()) * (10**9 if unit == "ns" else 10**6)
    text = str(np.datetime64(stored, cast(Literal["ns", "us"], unit)))
    day, _, time = text.partition("T")
    time = time.rstrip("0").rstrip(".") if "." in time else time
    if not time.strip("0:"):
        return day if not suffix else f"{day} 00:00:00{suffix}"
    return f"{day} {time}{suffix}"


def _offset_at(stored: int, unit: str, time_zone: str) -> tuple[timedelta, str]:
    """Return the offset from UTC of a time zone at an instant, and its text."""
    seconds = stored // (10**9 if unit == "ns" else 10**6)
    try:
        zone = ZoneInfo(time_zone)
        offset = datetime.fromtimestamp(seconds, UTC).astimezone(zone).utcoffset() or timedelta(0)
    except (ZoneInfoNotFoundError, ValueError, OverflowError, OSError):
        offset = timedelta(0)  # a fixed offset, an unknown zone or a far year: shown in UTC
    minutes = round(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return offset, f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def format_duration(stored: int, unit: str) -> str:
    """Return the text of a duration as days and time.

    >>> format_duration(90_061_000_000, "us")
    '1 day 01:01:01'
    """
    per_second = 10**9 if unit == "ns" else 10**6
    sign = "-" if stored < 0 else ""
    seconds, fraction = divmod(abs(stored), per_second)
    days, seconds = divmod(seconds, 86_400)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if fraction:
        text += "." + f"{fraction:0{len(str(per_second)) - 1}d}".rstrip("0")
    return f"{sign}{days} {'day' if days == 1 else 'days'} {text}"
