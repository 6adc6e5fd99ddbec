"""A criterion that the user gives: an impurity as a Python function of the sums of rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from treewright.array_types import FloatArray
from treewright.errors import ParameterError

ImpurityFunction: TypeAlias = Callable[..., Any]
"""Of class weights, a line for each set of rows; or of the weight, sum and sum of squares of sets
of numbers, an array each."""

GIVEN = "given"
"""Name of the core's criterion that asks a function of class weights."""

GIVEN_OF_NUMBERS = "given_of_numbers"
"""Name of the core's criterion that asks a function of weight, sum and sum of squares."""

_OF_CLASSES = "lambda n: 1 - ((n / n.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)"
_OF_NUMBERS = "lambda weight, total, squares: squares / weight - (total / weight) ** 2"


def is_function(criterion: object) -> bool:
    """Return whether a criterion is a function; a class is a mistake."""
    return callable(criterion) and not isinstance(criterion, type)


def check_takes_sums(function: ImpurityFunction) -> None:
    """Refuse a function that cannot be called with weight, sum and sum of squares."""
    try:
        inspect.signature(function).bind(1.0, 1.0, 1.0)
    except ValueError:  # not known of some built-in functions
        return
    except TypeError:
        raise ParameterError(
            f"criterion={function!r} must take the weight, the sum and the sum of squares of sets"
            f" of rows.\n  Hint: a function such as {_OF_NUMBERS}."
        ) from None


@dataclass(frozen=True)
class GivenImpurity:
    """The function, called for sets of rows that have weight, its answers checked.

    Parameters
    ----------
    function
        The user's.
    of_numbers
        Whether lines are weight, sum and sum of squares, and not class weights.
    shift
        Power of two that numbers of extreme size were divided by in growing.
    """

    function: ImpurityFunction
    of_numbers: bool = False
    shift: int = 0

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Return the impurity of each line of sums; a line of nothing has 0."""
        has_rows = (sums[:, 0] if self.of_numbers else sums.sum(axis=1)) > 0.0
        impurities = np.zeros(len(sums))
        if has_rows.any():
            impurities[has_rows] = self._asked(sums[has_rows])
        return impurities

    def _asked(self, sums: FloatArray) -> FloatArray:
        given = sums.copy()  # the function may change what it is given
        if self.of_numbers:
            given = np.ldexp(given, np.array([0, self.shift, 2 * self.shift]))
            answered = self.function(*(np.ascontiguousarray(each) for each in given.T))
        else:
            answered = self.function(given)
        try:
            found = np.asarray(answered, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (len(sums),):
            what = "set of rows" if self.of_numbers else "line of class weights"
            hint = f"such as {_OF_NUMBERS}" if self.of_numbers else ""
            raise ParameterError(
                f"criterion: the function must return an impurity for every {what},"
                f" an array of shape ({len(sums)},), but it returned {_in_words(answered)}.\n"
                f"  Hint: {hint or f'sum over the last axis, such as {_OF_CLASSES}'}."
            )
        if not np.isfinite(found).all():
            line = int(np.flatnonzero(~np.isfinite(found))[0])
            what = "weight, sum and sum of squares" if self.of_numbers else "class weights"
            raise ParameterError(
                f"criterion: the function returned {found[line]} for the {what}"
                f" {sums[line].tolist()}; impurities must be finite."
            )
        return found


def _in_words(answered: object) -> str:
    shape = getattr(answered, "shape", None)
    return f"a {type(answered).__name__}" + ("" if shape is None else f" of shape {shape}")
