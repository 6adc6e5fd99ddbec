"""Equality of two predictions up to rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.linear_leaves import LinearModel, NumberTerm

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray


def differs(one: FloatArray, two: FloatArray, *, tolerance: float) -> BoolArray:
    """Return whether an entry of each row differs by more than rounding.

    The tolerance is absolute up to 1 and relative beyond.

    >>> differs(np.array([[0.5], [1e9]]), np.array([[0.6], [1e9 + 0.1]]), tolerance=1e-9).tolist()
    [True, False]
    """
    scale = np.maximum(1.0, np.maximum(np.abs(one), np.abs(two)))
    apart: BoolArray = np.logical_or.reduce(distance(one, two) > tolerance * scale, axis=1)
    return apart


def models_differ(one: object, two: object, *, tolerance: float) -> bool:
    """Return whether the predictions of two leaves, linear models or numbers, differ."""
    if not isinstance(one, LinearModel) or not isinstance(two, LinearModel):
        return True
    parts, others = _parts_of(one), _parts_of(two)
    if parts.keys() != others.keys():
        return True
    numbers = np.array(
        [[each for key in parts for each in model[key]] for model in (parts, others)]
    )
    return bool(differs(numbers[:1], numbers[1:], tolerance=tolerance)[0])


def _parts_of(model: LinearModel) -> dict[object, tuple[float, ...]]:
    """Return the numbers of a model by the text of their term, which is the same in any tree."""
    found: dict[object, tuple[float, ...]] = {("intercept",): (model.intercept,)}
    if model.limits is not None:
        found[("limits",)] = model.limits
    for term, coefficient, fill in zip(model.terms, model.coefficients, model.fills, strict=True):
        if isinstance(term, NumberTerm):
            found[term.column.name] = (coefficient, fill, term.low, term.high)
        else:
            values = frozenset(term.column.values[code] for code in term.codes)
            found[term.column.name, values] = (coefficient, fill)
    return found


def distance(one: FloatArray, two: FloatArray) -> FloatArray:
    """Return the distance of numbers; infinite where it overflows."""
    with np.errstate(over="ignore"):
        return np.abs(one - two)
