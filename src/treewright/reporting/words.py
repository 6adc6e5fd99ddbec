"""Figures and counts as sentences of a report have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.chart.words import NARROW_SPACE, count, percent
from treewright.text.numbers import figure, figures

if TYPE_CHECKING:
    from treewright.evaluate.intervals import Interval
    from treewright.evaluate.metrics import Metric


LEVEL = f"95{NARROW_SPACE}% interval"


def counted(n: float, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(1755, "row")
    ('1 leaf', '1,755 rows')
    """
    return f"{count(n, exact=True)} {noun if n == 1 else plural or noun + 's'}"


def metric_text(metric: Metric, value: float) -> str:
    """Return a value of a metric: ``13.1 %`` with a narrow space, or a number."""
    if metric.is_share:
        return share(value)
    return signed(figure(value))


def metric_texts(metric: Metric, values: Sequence[float]) -> list[str]:
    """Return values of a metric that are read together: numbers have the same decimals."""
    if metric.is_share:
        return [share(value) for value in values]
    return [signed(text) for text in figures(values)]


def share(value: float) -> str:
    """Return a share with one decimal; 0 and 100 without, as they are exact.

    >>> share(0.1306).replace(NARROW_SPACE, " "), share(1.0).replace(NARROW_SPACE, " ")
    ('13.1 %', '100 %')
    """
    return percent(value, decimals=0 if value in (0.0, 1.0) else 1)


def interval_text(metric: Metric, found: Interval) -> str:
    """Return the interval of a figure: ``11.7 to 14.6 %``."""
    del metric
    return signed(found.ends_text()).replace(" %", f"{NARROW_SPACE}%")


def signed(text: str) -> str:
    """Return the text of a number with a real minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def quoted(label: str) -> str:
    """Return a label in quotation marks."""
    return f"“{label}”"


def capital(text: str) -> str:
    """Return a text whose first letter is a capital."""
    return text[:1].upper() + text[1:]
