"""Newton's method for where scores start, where no formula says it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.array_types import FloatArray

_MOST_STEPS = 100
_LONGEST_STEP = 8.0
_LEAST_STEP = 1e-13
_LEAST_GRADIENT = 1e-15
"""Where a class has no rows the loss falls for ever; this far it is as good as 0."""
_ROUNDING = 1e-13
_KEPT_BITS = 32


def newton(
    first: FloatArray,
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    loss: Callable[[FloatArray], float],
) -> FloatArray:
    """Return where a convex mean loss is least, by steps that are halved where they overshoot.

    The result is rounded to 32 bits, so that the order of the rows, in which sums are rounded, has
    no effect but by rare accident.

    Parameters
    ----------
    first
        Where to begin.
    derivatives
        Returns the gradient and the matrix of second derivatives.
    loss
        Returns the loss.

    Examples
    --------
    >>> newton(np.array([5.0]), lambda x: (2 * (x - 1), np.array([[2.0]])), lambda x: (x[0] - 1)**2)
    array([1.])
    """
    at, least = first, loss(first)
    for _ in range(_MOST_STEPS):
        gradient, hessian = derivatives(at)
        if np.abs(gradient).max() <= _LEAST_GRADIENT:
            break
        step = -np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
        if not step.any():  # flat, but not at its end: the hessian is rounded to nothing
            step = -np.sign(gradient)
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        enough = least + _ROUNDING * abs(least)
        while not (then := loss(at + step)) <= enough and np.abs(step).max() > _LEAST_STEP:
            step = step / 2.0
        at, least = at + step, then
        if np.abs(step).max() <= _LEAST_STEP * (1.0 + np.abs(at).max()):
            break
    mantissa, exponent = np.frexp(at)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, _KEPT_BITS)), exponent - _KEPT_BITS))
