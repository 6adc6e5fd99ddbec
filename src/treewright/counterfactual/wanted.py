"""The answer that is wanted: a class, or numbers in a range."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import as_float, is_number, nearest_hint
from treewright.text.names import list_names, on_one_line
from treewright.text.numbers import figure

if TYPE_CHECKING:
    from treewright.array_types import Array, BoolArray, FloatArray


@dataclass(frozen=True, kw_only=True)
class WantedClass:
    """A class is wanted, by its position among the classes."""

    label: object
    position: int

    def is_met(self, labels: Array) -> BoolArray:
        """Return whether each answer is the wanted one."""
        return np.fromiter((each == self.label for each in labels.tolist()), bool, len(labels))

    def shortfall(self, answers: FloatArray) -> FloatArray:
        """Return how far each answer is off: what other classes have of the probability."""
        short: FloatArray = 1.0 - answers[:, self.position]
        return short

    def __str__(self) -> str:
        is_text = isinstance(self.label, str)
        return repr(self.label) if is_text else on_one_line(str(self.label))


@dataclass(frozen=True, kw_only=True)
class WantedNumbers:
    """Numbers from `low` to `high` are wanted, both included."""

    low: float
    high: float

    def is_met(self, labels: Array) -> BoolArray:
        """Return whether each answer is a wanted one."""
        numbers = np.asarray(labels, dtype=np.float64)
        met: BoolArray = (numbers >= self.low) & (numbers <= self.high)
        return met

    def shortfall(self, answers: FloatArray) -> FloatArray:
        """Return how far each answer is off the range."""
        numbers = answers[:, 0]
        short: FloatArray = np.maximum(np.maximum(self.low - numbers, numbers - self.high), 0.0)
        return short

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{figure(self.low)} or more"
        if math.isinf(self.low):
            return f"{figure(self.high)} or less"
        return f"{figure(self.low)} to {figure(self.high)}"


Wanted = WantedClass | WantedNumbers


def wanted(to: object, classes: tuple[Array, ...] | None, *, n_outputs: int) -> Wanted:
    """Return the answer that ``to`` describes.

    Parameters
    ----------
    to
        A class, or a pair of numbers of which one may be None.
    classes
        The classes of the model; None for numbers.
    n_outputs
        How many targets the model predicts together.
    """
    if n_outputs > 1:
        raise UnsupportedError(
            f"counterfactual is for one target, and this model predicts {n_outputs} together.\n"
            "  Hint: fit a model for the target that is to change."
        )
    if classes is None:
        return _range(to)
    names = classes[0].tolist()
    if isinstance(to, np.generic):
        to = to.item()
    if not isinstance(to, Hashable) or to not in names:
        known = list_names(map(str, names))
        raise ParameterError(
            f"to={to!r} is none of the classes.\n"
            f"  Classes: {known}{nearest_hint(to, map(str, names))}"
        )
    position = names.index(to)
    return WantedClass(label=names[position], position=position)


def _range(to: object) -> WantedNumbers:
    is_pair = isinstance(to, tuple | list) and len(to) == 2
    bounds = tuple(to) if is_pair else ()  # type: ignore[arg-type]
    if not is_pair or bounds == (None, None) or not all(map(_is_bound, bounds)):
        raise ParameterError(
            f"to={to!r} must be a pair of numbers, lowest and highest, one of which may be None.\n"
            "  Hint: to=(200, None) wants 200 or more."
        )
    low = -math.inf if bounds[0] is None else as_float(bounds[0])
    high = math.inf if bounds[1] is None else as_float(bounds[1])
    if low > high:
        raise ParameterError(
            f"to={to!r} wants numbers from {low:g} up to {high:g}, and there are none.\n"
            "  Hint: the lower number comes first."
        )
    return WantedNumbers(low=low, high=high)


def _is_bound(bound: object) -> bool:
    return bound is None or (is_number(bound) and not math.isnan(as_float(bound)))
