"""Dialects of SQL: how names, texts and numbers are written so that they read back exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_SHORT = 15
"""Significant digits that any reader of decimals converts correctly: one exact division."""
_MOST_POWER = 22
_FIRST, _LAST = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31", "us")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a database reads SQL.

    Parameters
    ----------
    name
        As users write it.
    title
        As people write it.
    double
        The type of a float64.
    has_nan
        Whether a number may be NaN, which the model treats as missing.
    least, greatest
        The functions of the smaller and the larger of two numbers.
    most_terms
        Terms of one expression, which some databases limit.
    most_depth
        Questions within each other in one expression.
    """

    name: str
    title: str
    double: str
    has_nan: bool
    least: str = "LEAST"
    greatest: str = "GREATEST"
    most_terms: int = 500
    most_depth: int = 100

    def quoted(self, name: str) -> str:
        """Return a name between quotes, its own quotes doubled."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """Return a text between quotes, its own quotes doubled."""
        return "'" + value.replace("'", "''") + "'"

    def bound(self, value: float) -> str:
        """Return a number to compare with."""
        if not math.isfinite(value) or self.name != "postgresql":
            return self.number(value)
        return repr(value)  # a decimal, which becomes a float64 beside one

    def number(self, value: float) -> str:
        """Return a float64 that reads back exactly."""
        if self.name == "sqlite":
            return _number_of_sqlite(value)
        if math.isinf(value):
            return f"CAST('{'-' if value < 0 else ''}Infinity' AS {self.double})"
        if self.name == "duckdb":
            plain = repr(value)
            return plain if "e" in plain else f"{plain}e0"
        return f"CAST('{value!r}' AS {self.double})"

    def instant(self, stored: int, unit: str, time_zone: str | None) -> str | None:
        """Return the last instant that is not after a stored one; None beyond the year 9999."""
        whole = stored // 1000 if unit == "ns" else stored
        moment = np.datetime64(whole, "us")
        if not _FIRST <= moment <= _LAST:
            return None
        words = str(moment).replace("T", " ")
        if self.name == "sqlite":
            # All digits: a text that ends earlier is no later, so that 12:00 is up to 12:00.
            nanoseconds = stored % 1_000_000_000 if unit == "ns" else stored % 1_000_000 * 1000
            return self.text(f"{words[:19]}.{nanoseconds:09d}")
        return f"TIMESTAMPTZ '{words}+00'" if time_zone else f"TIMESTAMP '{words}'"

    def is_unknown(self, value: str) -> str:
        """Return the condition that a number is missing."""
        if not self.has_nan:
            return f"{value} IS NULL"
        return f"({value} IS NULL OR {value} = CAST('NaN' AS {self.double}))"


def _number_of_sqlite(value: float) -> str:
    """Return a literal that every SQLite reads exactly; some round the 16th digit wrongly."""
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    power = f"{value:.16e}".partition("e")[2]
    plain = repr(value)
    significant = len(plain.partition("e")[0].replace(".", "").replace("-", "").strip("0"))
    if significant <= _SHORT and abs(int(power)) + significant <= _MOST_POWER:
        return plain if "." in plain or "e" in plain else f"{plain}.0"
    mantissa, exponent = math.frexp(abs(value))
    whole, exponent = int(mantissa * 2**53), exponent - 53
    words = f"{'-' if value < 0 else ''}{whole}.0"
    sign, left = ("*", exponent) if exponent > 0 else ("/", -exponent)
    while left > 0:  # powers of two up to 2^52 have 16 digits and are exact
        step = min(left, 49)
        words += f" {sign} {2**step}.0"
        left -= step
    return f"({words})"


DIALECTS = {
    each.name: each
    for each in (
        Dialect(
            name="sqlite",
            title="SQLite",
            double="REAL",
            has_nan=False,
            least="min",
            greatest="max",
            most_terms=400,
            most_depth=9,  # its parser keeps a stack of 100 symbols
        ),
        Dialect(name="duckdb", title="DuckDB", double="DOUBLE", has_nan=True),
        Dialect(name="postgresql", title="PostgreSQL", double="double precision", has_nan=True),
    )
}
"""Every dialect by its name."""
