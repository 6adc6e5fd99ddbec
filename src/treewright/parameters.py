"""Checks of single parameters: an error says the name, the value, and what it must be."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Sequence

import numpy as np

from treewright.errors import ParameterError


def is_whole(value: object) -> bool:
    """Tell whether a parameter is an integer (NumPy's count, booleans do not)."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices, offering the nearest."""
    if isinstance(value, str) and value in choices:
        return
    near = difflib.get_close_matches(str(value), choices, n=1)
    hint = f"\n  Hint: did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, choices))
    raise ParameterError(f"{name}={value!r} must be one of {listed}.{hint}")


def check_count(name: str, value: object, *, least: int, optional: bool = False) -> None:
    """Refuse anything but a whole number of at least `least` (or None, if optional)."""
    if optional and value is None:
        return
    if not is_whole(value):
        also = " or None" if optional else ""
        raise ParameterError(f"{name}={value!r} must be a whole number{also}.")
    if value < least:  # type: ignore[operator]
        raise ParameterError(f"{name}={value!r} must be at least {least}.")


def check_number(
    name: str, value: object, *, low: float, high: float = math.inf, open_low: bool = False
) -> None:
    """Refuse anything but a finite number in [low, high] (or ]low, high])."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ParameterError(f"{name}={value!r} must be a number.")
    number = float(value)
    if not math.isfinite(number) or number < low or number > high or (open_low and number == low):
        joint = " and at most " if open_low else " and "
        upper = f"{joint}{high:g}" if math.isfinite(high) else ""
        start = "above" if open_low else ("between" if upper else "at least")
        raise ParameterError(f"{name}={value!r} must be {start} {low:g}{upper}.")


def check_flag(name: str, value: object) -> None:
    """Refuse anything but True and False (NumPy's count)."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} must be True or False.")


def check_share(name: str, value: object) -> None:
    """Refuse anything but a number between 0 and 1, neither of them included."""
    check_number(name, value, low=0.0, high=1.0, open_low=True)
    if value == 1:
        raise ParameterError(f"{name}={value!r} must be below 1.")
