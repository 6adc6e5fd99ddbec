"""A criterion that the user gives: an impurity as a Python function of class weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from treewright.array_types import FloatArray
from treewright.errors import ParameterError

ImpurityFunction: TypeAlias = Callable[[FloatArray], Any]

GIVEN = "given"
"""Name of the core's criterion that asks the function."""


def is_function(criterion: object) -> bool:
    """Return whether a criterion is a function; a class is a mistake."""
    return callable(criterion) and not isinstance(criterion, type)


@dataclass(frozen=True)
class GivenImpurity:
    """The function, called for sets of rows that have weight, its answers checked."""

    function: ImpurityFunction

    def __call__(self, counts: FloatArray) -> FloatArray:
        """Return the impurity of each line of class weights; a line of nothing has 0."""
        has_rows = counts.sum(axis=1) > 0.0
        impurities = np.zeros(len(counts))
        if has_rows.any():
            impurities[has_rows] = self._asked(counts[has_rows])
        return impurities

    def _asked(self, counts: FloatArray) -> FloatArray:
        answered = self.function(counts.copy())  # the function may change what it is given
        try:
            found = np.asarray(answered, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (len(counts),):
            raise ParameterError(
                "criterion: the function must return an impurity for every line of class weights,"
                f" an array of shape ({len(counts)},), but it returned {_in_words(answered)}.\n"
                "  Hint: sum over the last axis, such as"
                " lambda n: 1 - ((n / n.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)."
            )
        if not np.isfinite(found).all():
            line = int(np.flatnonzero(~np.isfinite(found))[0])
            raise ParameterError(
                f"criterion: the function returned {found[line]} for the class weights"
                f" {counts[line].tolist()}; impurities must be finite."
            )
        return found


def _in_words(answered: object) -> str:
    shape = getattr(answered, "shape", None)
    return f"a {type(answered).__name__}" + ("" if shape is None else f" of shape {shape}")
