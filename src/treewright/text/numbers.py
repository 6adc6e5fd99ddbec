"""Numbers as people read them.

Examples
--------
>>> figures([0.24675, 0.02922, None])
['0.247', '0.029', '']
>>> figures([5.0, 14.0])
['5', '14']
>>> figures([4.5, 14.25])
['4.50', '14.25']
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

_LARGE, _SMALL = 1e9, 1e-6
"""Beyond these, fixed decimals are hard to read and the shortest form is used instead."""

_SMALL_P = 0.001

_MOST_COUNTED = 10**7
"""Quotients of counts up to this are told from each other and from any other number nearby."""


def figure(value: float) -> str:
    """Return the text of one number: no decimals if whole, else at least three figures."""
    return figures([value])[0]


def figures(values: Iterable[float | None]) -> list[str]:
    """Return the texts of a column of numbers, all with the same decimals; None is left empty."""
    numbers = list(values)
    finite = [abs(number) for number in numbers if number is not None and math.isfinite(number)]
    largest = max(finite, default=0.0)
    if largest != 0.0 and not _SMALL <= largest < _LARGE:
        return ["" if number is None else f"{number:.4g}" for number in numbers]
    decimals = 0
    if any(number != int(number) for number in finite):
        magnitude = math.floor(math.log10(largest))
        decimals = 2 - magnitude if magnitude < 0 else max(3 - magnitude, 1)
        while decimals > 1 and all(f"{number:.{decimals}f}"[-1] == "0" for number in finite):
            decimals -= 1
    return ["" if number is None else f"{number:.{decimals}f}" for number in numbers]


def distinct_figures(values: Iterable[float]) -> list[str]:
    """Return the texts of numbers, with as many figures as tell different ones apart.

    >>> distinct_figures([0.0, 0.00312, 0.00314, 0.25])
    ['0', '0.00312', '0.00314', '0.25']
    >>> distinct_figures([0.0, 0.25, 0.5])
    ['0.00', '0.25', '0.50']
    """
    numbers = list(values)
    n_distinct = len(set(numbers))
    texts = figures(numbers)
    for digits in range(3, 18):
        if len(set(texts)) == n_distinct:
            break
        texts = [f"{number:.{digits}g}" for number in numbers]
    return texts


def p_values(values: Iterable[float | None]) -> list[str]:
    """Return the texts of a column of p-values; beside larger ones, small ones are ``<0.001``.

    Examples
    --------
    >>> p_values([0.17, 3e-9, None])
    ['0.170', '<0.001', '']
    >>> p_values([4.25e-05, 3e-09])
    ['4.25e-05', '3e-09']
    """
    numbers = list(values)
    given = [number for number in numbers if number is not None]
    n_small = sum(number < _SMALL_P for number in given)
    if n_small == 0:
        return figures(numbers)
    if n_small == len(given):
        return ["" if number is None else f"{number:.3g}" for number in numbers]
    return ["" if number is None else _beside_larger(number) for number in numbers]


def _beside_larger(p_value: float) -> str:
    return f"<{_SMALL_P}" if p_value < _SMALL_P else f"{p_value:.3f}"


def percent(fraction: float | Fraction, *, unit: bool = True) -> str:
    """Return a fraction as a percentage with one decimal, rounded half up.

    A float is taken for the quotient of counts that it stands for, so that 1 of 80, which no float
    is exactly, is 1.3 % and not 1.2 %.

    Examples
    --------
    >>> percent(0.357142), percent(1 / 80)
    ('35.7 %', '1.3 %')
    """
    if not math.isfinite(fraction):
        return str(float(fraction))
    exact = Fraction(fraction).limit_denominator(_MOST_COUNTED)
    tenths = math.floor(abs(exact) * 1000 + Fraction(1, 2))
    sign = "-" if exact < 0 and tenths else ""
    return f"{sign}{tenths // 10}.{tenths % 10}{' %' if unit else ''}"
