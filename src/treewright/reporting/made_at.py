"""When a report was made; ``SOURCE_DATE_EPOCH`` fixes it, for builds that repeat byte by byte."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    """Return the time in UTC, or that of ``SOURCE_DATE_EPOCH`` (reproducible-builds.org)."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)


def in_words(moment: datetime) -> str:
    """Return a day as people write it.

    >>> in_words(datetime(2026, 11, 7, tzinfo=UTC))
    '7 November 2026'
    """
    return f"{moment.day} {moment:%B} {moment.year}"
