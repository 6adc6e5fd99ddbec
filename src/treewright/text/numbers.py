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
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

_LARGE, _SMALL = 1e15, 1e-6
"""Beyond these, fixed decimals are hard to read and the shortest form is used instead."""

_SMALL_P = 0.001


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


def separated(text: str) -> str:
    """Return the text of a number with its thousands apart.

    >>> separated("8135.7"), separated("-598.8"), separated("+12345"), separated("1e+20")
    ('8,135.7', '-598.8', '+12,345', '1e+20')
    """
    found = re.fullmatch(r"([-+]?)(\d{4,})(\.\d+)?", text)
    return text if found is None else f"{found[1]}{int(found[2]):,}{found[3] or ''}"


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


def percent(fraction: float, *, unit: bool = True) -> str:
    """Return a fraction as a percentage with one decimal, rounded half up.

    A tie is one of the shortest decimal that is the fraction, as a quotient of two counts has it:
    1 of 16 is 6.25 %, and so 6.3 %.

    Examples
    --------
    >>> percent(0.357142), percent(1 / 16)
    ('35.7 %', '6.3 %')
    """
    if abs(fraction) < _LARGE:
        exact = Decimal(repr(float(fraction))).scaleb(2)
        text = str(exact.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))
    else:
        text = f"{100 * fraction:.1f}"
    return f"{text} %" if unit else text


def size_in_words(n_bytes: float) -> str:
    """Return a number of bytes as people say it.

    >>> [size_in_words(size) for size in (61e9, 1.34e9, 12e6, 300e3)]
    ['61 GB', '1.3 GB', '12 MB', '0.3 MB']
    """
    number, unit = (n_bytes / 1e9, "GB") if n_bytes >= 0.95e9 else (n_bytes / 1e6, "MB")
    return f"{number:,.0f} {unit}" if number >= 9.95 else f"{number:.1f} {unit}"
