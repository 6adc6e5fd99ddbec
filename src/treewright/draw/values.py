"""Cuts, values and class labels as they stand in a picture of a tree.

A cut is rounded to the fewest decimals that leave every training row on its side; its exact number
is in the text that is read and shown on hovering.

Examples
--------
>>> cut_text(2030.835, 2028.77, 2035.9), cut_text(2490.475, 2490.18, 2491.56)
('2,031', '2,490.5')
>>> cut_text(3.5, 3.0, 4.0), cut_text(17_260_000.0, 1.72e7, 1.8e7)
('3', '1.73e7')
"""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import TYPE_CHECKING

from treewright.chart.dates import MONTHS
from treewright.chart.widths import shorten_end
from treewright.chart.words import clean, grouped
from treewright.tree.question import Question, Stored

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec

_MOST_DECIMALS, _FEW_DECIMALS = 12, 5
_LARGE, _SMALL = 1e7, 1e-4
_WHOLE_MINUTE = re.compile(r"(?<=\d\d:\d\d):00(?![.\d])")


def cut_text(value: float, low: float, high: float) -> str:
    """Return a cut as text, so that it still lies between the values next to it.

    Parameters
    ----------
    value
        The cut: values up to it are on its lower side.
    low, high
        The nearest values on either side; infinite where none is known.
    """
    if not (math.isfinite(value) and math.isfinite(low) and math.isfinite(high)):
        return number_text(value)
    by_decimals = (
        f"{rounded:.{decimals}f}"
        for decimals in range(1 + (_MOST_DECIMALS if abs(value) >= _SMALL else _FEW_DECIMALS))
        for rounded in (value, _floored(value, decimals))
    )
    by_digits = (f"{value:.{digits}e}" for digits in range(1, 17))
    texts = by_digits if abs(value) >= _LARGE else chain(by_decimals, by_digits)
    found = next((text for text in texts if low <= float(text) < high), None)
    if found is None:
        return number_text(value)
    return grouped(_plain_exponent(found)) if float(found) else "0"


def _floored(value: float, decimals: int) -> float:
    scale = 10.0**decimals
    return math.floor(value * scale) / scale


def number_text(value: float) -> str:
    """Return a number with at most 6 significant digits, and all before the point.

    >>> number_text(14400.0), number_text(-0.4532178)
    ('14,400', '−0.453218')
    """
    if not math.isfinite(value):
        return grouped(str(value))
    size = abs(value)
    if size >= _LARGE or 0 < size < 1e-5:
        return grouped(_plain_exponent(f"{value:.5e}"))
    decimals = max(0, 5 - math.floor(math.log10(size))) if size else 0
    text = f"{value:.{decimals}f}"
    return grouped(text.rstrip("0").rstrip(".") if "." in text else text)


def _plain_exponent(text: str) -> str:
    """Return 1.73e7 for 1.730000e+07."""
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{short}e{int(exponent)}"


def bound_text(spec: ColumnSpec, bound: float | int, low: float, high: float) -> str:
    """Return a cut of a column, given in its stored form as the values next to it are."""
    if spec.storage == "value":
        return category_text(spec, int(bound))
    if spec.storage == "float":
        return cut_text(float(bound), low, high)
    if spec.storage == "datetime":
        return _date_text(spec, bound, low, high)
    if spec.storage == "duration":
        return clean(spec.format(bound))
    return grouped(spec.format(bound))


def _date_text(spec: ColumnSpec, bound: float | int, low: float, high: float) -> str:
    """Return a date, with the time of day where that decides for a row."""
    text = spec.format(bound)
    if math.isfinite(low) and math.isfinite(high):
        days = [spec.format(int(each))[:10] for each in (low, bound, high)]
        if days[0] <= days[1] < days[2]:
            return _in_words(text[:10])
    return _in_words(text)


def _in_words(text: str) -> str:
    """Return 22 Mar 2019 12:00 for 2019-03-22 12:00:00.

    >>> _in_words("2019-03-22 12:00:00"), _in_words("2019-03-22")
    ('22 Mar 2019 12:00', '22 Mar 2019')
    """
    day, _, time = text.partition(" ")
    year, *rest = day.rsplit("-", 2)
    if len(rest) != 2 or not (rest[0].isdigit() and 1 <= int(rest[0]) <= 12):
        return clean(text)
    written = f"{int(rest[1])} {MONTHS[int(rest[0]) - 1]} {year}"
    return f"{written} {_WHOLE_MINUTE.sub('', time)}" if time else written


def category_text(spec: ColumnSpec, code: int) -> str:
    """Return a value of a nominal or ordinal column."""
    value = spec.values[code]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return clean(spec.format(value))


def label_text(label: object) -> str:
    """Return a class or predicted number.

    >>> label_text(True), label_text("late"), label_text(28.94361702)
    ('yes', 'late', '28.94')
    """
    if isinstance(label, tuple):
        return ", ".join(map(label_text, label))
    if isinstance(label, bool):
        return "yes" if label else "no"
    if isinstance(label, float):
        return measure_text(label)
    return clean(str(label))


def measure_text(value: float) -> str:
    """Return a mean or spread with four significant digits, or all before the point.

    >>> measure_text(28.94361702), measure_text(12345.6), measure_text(7.5)
    ('28.94', '12,346', '7.5')
    """
    size = abs(value)
    if not math.isfinite(value) or size >= _LARGE or 0 < size < 1e-4:
        return grouped(_plain_exponent(f"{value:.3e}")) if math.isfinite(value) else str(value)
    decimals = max(0, 3 - math.floor(math.log10(size))) if size else 0
    text = f"{value:.{decimals}f}"
    return grouped(text.rstrip("0").rstrip(".") if "." in text else text)


def unit_text(unit: str) -> str:
    """Return what a row is called, cut where it is a sentence: it stands in every node.

    >>> unit_text("loans")
    'loans'
    """
    return shorten_end(clean(unit), 110, 12)


def value_text(question: Question, value: Stored) -> str:
    """Return a row's value that a question is about; ``missing`` or ``unknown`` if it has none."""
    if value is None:
        return "missing"
    spec = question.column
    if spec.storage == "value":
        return category_text(spec, int(value)) if value >= 0 else "unknown"
    if spec.storage == "float":
        return number_text(float(value))
    return bound_text(spec, value, -math.inf, math.inf)
