"""Checks of single parameters: an error has the name, the value, and what it must be."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn, TypeGuard

import numpy as np

from treewright.errors import ParameterError, UnsupportedError
from treewright.other_names import value_hint

_NEAR = 0.7
"""Names less alike than this (difflib's ratio) and with another first letter are not misspelt."""
_LEAST_PART = 3


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a parameter is an integer (Python's or NumPy's, but no boolean)."""
    if type(value) is int:  # at once: abstract classes take a while to ask
        return True
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a parameter is a real number (Python's or NumPy's, but no boolean)."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def as_float(number: float) -> float:
    """Return a number as a float; infinity for an integer beyond the largest float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_list(value: object) -> bool:
    """Return whether a parameter is a list or like one; text, dicts and sets are not."""
    is_other = isinstance(value, str | bytes | Mapping | set | frozenset)
    return isinstance(value, Collection) and not is_other and getattr(value, "ndim", 1) == 1


def check_choice(
    name: str,
    value: object,
    choices: Sequence[str],
    *,
    owners: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Refuse a value that is none of the choices, offering the nearest.

    `owners` says who takes which other values: a hint at them where one was given.
    """
    if isinstance(value, str) and value in choices:
        return
    listed = ", ".join(map(repr, choices))
    is_name = isinstance(value, str)
    able = [owner for owner, taken in (owners or {}).items() if is_name and value in taken]
    if able:
        hint = f"\n  Hint: {value!r} is for {able[0]}."
    else:
        hint = value_hint(value, choices) or nearest_hint(value, choices)
    raise ParameterError(f"{name}={value!r} must be one of {listed}.{hint}")


def nearest(name: object, valid: Iterable[str]) -> str | None:
    """Return the valid name nearest to a name, ignoring case; None where none is near.

    >>> nearest("outcom", ["income", "outcome"]), nearest("randomforest", ["tree", "forest"])
    ('outcome', 'forest')
    >>> nearest("nope", ["income"]) is None  # a wrong guess is worse than none
    True
    """
    if not isinstance(name, str):
        return None
    asked = name.casefold()
    by_folded = {candidate.casefold(): candidate for candidate in valid}
    near = difflib.get_close_matches(asked, by_folded, n=1, cutoff=_NEAR)
    near = near or difflib.get_close_matches(
        asked, [each for each in by_folded if each[:1] == asked[:1]], n=1
    )
    near = near or [each for each in by_folded if _is_part(each, asked) or _is_part(asked, each)]
    return by_folded[near[0]] if near else None


def _is_part(short: str, long: str) -> bool:
    return len(short) >= _LEAST_PART and short in long


def nearest_hint(name: object, valid: Iterable[str]) -> str:
    """Return a hint with the valid name nearest to a name; empty where none is near."""
    near = nearest(name, valid)
    return "" if near is None else f"\n  Hint: did you mean {near!r}?"


def check_count(name: str, value: object, *, least: int, optional: bool = False) -> None:
    """Refuse anything but a whole number of at least `least` (or None, if optional)."""
    if optional and value is None:
        return
    if not is_whole(value):
        also = " or None" if optional else ""
        raise ParameterError(f"{name}={value!r} must be a whole number{also}.")
    if value < least:
        is_limit = optional and value < 1 and name.startswith("max_")
        hint = f"\n  Hint: {name}=None sets no limit." if is_limit else ""
        raise ParameterError(f"{name}={value!r} must be at least {least}.{hint}")


def check_number(
    name: str,
    value: object,
    *,
    low: float,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
    optional: bool = False,
) -> None:
    """Refuse anything but a finite number from `low` to `high` (or None, if optional).

    The ends of an open interval are refused too.
    """
    if optional and value is None:
        return
    if not is_number(value):
        also = " or None" if optional else ""
        raise ParameterError(f"{name}={value!r} must be a number{also}.")
    number = as_float(value)
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if math.isfinite(number) and above and below:
        return
    if not math.isfinite(high):
        finite = "a finite number " if math.isinf(number) else ""
        allowed = f"{finite}{'above' if open_low else 'at least'} {low:g}"
    elif open_low or open_high:
        upper = "below" if open_high else "at most"
        allowed = f"{'above' if open_low else 'at least'} {low:g} and {upper} {high:g}"
    else:
        allowed = f"between {low:g} and {high:g}"
    raise ParameterError(f"{name}={value!r} must be {allowed}{', or None' if optional else ''}.")


def check_share(name: str, value: object, *, optional: bool = False) -> None:
    """Refuse anything but a number strictly between 0 and 1 (or None, if optional)."""
    check_number(name, value, low=0.0, high=1.0, open_low=True, open_high=True, optional=optional)


def check_flag(name: str, value: object) -> None:
    """Refuse anything but True and False (Python's or NumPy's)."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} must be True or False.")


def check_mapping(name: str, value: object, *, of: str) -> None:
    """Refuse anything but a dict; `of` describes its entries in the message."""
    if not isinstance(value, Mapping):
        raise ParameterError(f"{name}={value!r} must be a dict of {of}.")


def check_callable(name: str, value: object) -> None:
    """Refuse anything that is not callable."""
    if not callable(value):
        raise ParameterError(f"{name}={value!r} must be a function.")


def refuse(problem: str, hint: str) -> NoReturn:
    """Raise the error for a combination of parameters, with a hint at what works."""
    raise UnsupportedError(f"{problem}\n  Hint: {hint}")
