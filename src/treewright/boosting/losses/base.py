"""What every loss of boosting offers.

Gradients and hessians are taken in the core, in a header of the same name; here is what is needed
once: where scores start, what they mean, how large the loss of a row is, which targets it takes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from itertools import accumulate
from typing import ClassVar

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.errors import TargetError


def mean_of(values: FloatArray, weight: FloatArray | None) -> float:
    """Return the weighted mean of numbers, the same to the last bit for any order of the rows.

    Terms are rounded to multiples of a power of two so small that no sum of them leaves 62 bits,
    and added as whole numbers.

    >>> mean_of(np.array([0.1, 0.2, 0.6]), None) == mean_of(np.array([0.6, 0.1, 0.2]), None)
    True
    """
    terms = values if weight is None else values * weight
    total = len(values) if weight is None else _steady_sum(weight)
    return _steady_sum(terms) / total


def _steady_sum(terms: FloatArray) -> float:
    _, largest = math.frexp(float(np.abs(terms).max()))
    unit = largest + len(terms).bit_length() - 62
    whole = np.rint(np.ldexp(terms, -unit)).astype(np.int64)
    return math.ldexp(int(whole.sum()), unit)


def log_of_sum(terms: FloatArray, exponents: FloatArray) -> float:
    """Return the logarithm of the sum of terms times powers of e; -inf where all terms are 0.

    >>> round(log_of_sum(np.array([0.0, 2.0]), np.array([5000.0, 1000.0])), 3)
    1000.693
    """
    counted = terms > 0.0
    if not counted.any():
        return -math.inf
    most = float(exponents[counted].max())
    parts = terms[counted] * np.exp(exponents[counted] - most)
    return math.log(_steady_sum(parts)) + most


class Loss(ABC):
    """What boosting makes small.

    Attributes
    ----------
    name : str
        As the core knows it.
    has_curvature : bool
        Whether there is a step of least squares to take, which lines in leaves need.
    has_constant_hessian : bool
        Whether the core takes 1 for the hessian of every row, so that sums of hessians are weights.
    is_by_row : bool
        Whether the loss of a row depends on this row alone.
    units_per_loss : float
        Factor of the mean loss in scikit-learn's units, for ``train_score_``: its squared errors
        and deviances of two classes are not halved.
    """

    name: ClassVar[str]
    has_curvature: ClassVar[bool] = True
    has_constant_hessian: ClassVar[bool] = False
    is_by_row: ClassVar[bool] = True
    units_per_loss: ClassVar[float] = 1.0

    @property
    def n_outputs(self) -> int:
        """Scores of a row."""
        return 1

    @property
    @abstractmethod
    def of_classes(self) -> bool:
        """Whether the target is a class, by index, or a value."""

    @property
    @abstractmethod
    def link(self) -> str:
        """What a score means; one of :data:`treewright.boosting.links.LINKS`."""

    @property
    def parameter(self) -> float:
        """The number that the core needs to know of the loss."""
        return 0.0

    @abstractmethod
    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the scores that, without a tree, make the loss least."""

    @abstractmethod
    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return the scores that do so where offsets, rows x outputs, are added to them."""

    def base_score(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray | None
    ) -> FloatArray:
        """Return where scores start: with offsets or, if all rows have the same, less these."""
        if offset is None:
            return self.start(y, weight)
        if np.all(offset == offset[0]):
            return np.asarray(self.start(y, weight) - offset[0])
        return self.start_beside(y, weight, offset)

    @abstractmethod
    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row; scores are rows x outputs."""

    def first_thresholds(self, y: FloatArray, weight: FloatArray | None) -> FloatArray | None:
        """Return the thresholds between ordered classes at the start; None where there are none."""
        del y, weight
        return None

    def with_thresholds(self, thresholds: FloatArray) -> Loss:
        """Return the loss of rows beside thresholds that have been learned, where it has some."""
        del thresholds
        return self

    def mean(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> float:
        """Return the mean loss of rows; scores are rows x outputs."""
        with np.errstate(over="ignore"):  # a loss beyond all numbers is infinite, and says so
            return float(np.average(self.of_rows(scores, y, weight), weights=weight))

    def means(
        self,
        scores: list[FloatArray],
        y: list[FloatArray],
        weight: list[FloatArray | None],
    ) -> FloatArray:
        """Return the mean loss of parts of rows at several scores of each: parts x looks.

        Parameters
        ----------
        scores
            Of each part: looks x rows x outputs.
        y, weight
            Target and weights of each part.

        Examples
        --------
        >>> from treewright.boosting.losses.squared_error import SquaredError
        >>> scores = [np.array([[[0.0], [1.0]], [[1.0], [1.0]]]), np.array([[[3.0]], [[2.0]]])]
        >>> SquaredError().means(scores, [np.ones(2), np.ones(1)], [None, None])
        array([[0.25, 0.  ],
               [2.  , 0.5 ]])
        """
        if not self.is_by_row:
            parts = zip(scores, y, weight, strict=True)
            return np.array([[self.mean(own, of, w) for own in looks] for looks, of, w in parts])
        # All parts at once: of few rows the calls take longer than what they do.
        joined = np.concatenate(scores, axis=1)
        n_looks, n_rows, _ = joined.shape
        repeated = np.concatenate(y * n_looks)
        starts = list(accumulate((len(own) for own in y[:-1]), initial=0))
        with np.errstate(over="ignore"):  # as in `mean`
            flat = self.of_rows(joined.reshape(-1, self.n_outputs), repeated, None)
            by_row, share = flat.reshape(n_looks, n_rows), np.ones(n_rows)
            if any(own is not None for own in weight):
                known = zip(y, weight, strict=True)
                share = np.concatenate([np.ones(len(of)) if w is None else w for of, w in known])
                by_row = by_row * share
            sums = np.add.reduceat(by_row, starts, axis=1)
        return np.asarray((sums / np.add.reduceat(share, starts)).T)

    def check_target(self, y: FloatArray, weight: FloatArray | None, *, shift: int = 0) -> None:
        """Refuse values that the loss has no meaning for.

        Parameters
        ----------
        y, weight
            The values, and what they weigh.
        shift
            Powers of two that the values were larger by when they were given.
        """
        del y, weight, shift  # most losses take any


class ClassLoss(Loss):
    """A loss of classes; `y` holds their indices."""

    needs_order: ClassVar[bool] = False
    """Whether it has a meaning for ordered classes alone."""

    @property
    def of_classes(self) -> bool:
        """Whether the target is a class: it is."""
        return True

    @classmethod
    @abstractmethod
    def for_classes(cls, n_classes: int) -> ClassLoss:
        """Return the loss for so many classes, or refuse them."""


class ValueLoss(Loss):
    """A loss of values, which scores are unless a subclass says otherwise."""

    takes_quantile: ClassVar[bool] = False
    """Whether the parameter `quantile` of the estimators belongs to it."""

    @property
    def of_classes(self) -> bool:
        """Whether the target is a class: it is not."""
        return False

    @property
    def link(self) -> str:
        """What a score means."""
        return "identity"

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return where scores start for what the offsets leave to be explained."""
        return self.start(y - offset[:, 0], weight)

    @classmethod
    def for_parameters(cls, *, quantile: float | None, power: float) -> ValueLoss:
        """Return the loss for the parameters of the estimators, of which it takes its own."""
        del quantile, power
        return cls()


class LogLinkLoss(ValueLoss):
    """A loss of values that are not negative; scores are the logarithms of their means."""

    @property
    @abstractmethod
    def variance_power(self) -> float:
        """The power of the mean that the variance is proportional to."""

    @property
    def link(self) -> str:
        """What a score means."""
        return "log"

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the scores that, without a tree, make the loss least."""
        return np.array([float(np.log(mean_of(y, weight)))])

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return the scores that do so where offsets are added to them.

        The derivative of the deviance of power p by the score F is exp((2 - p) F) -
        y exp((1 - p) F) (Jorgensen 1987); that of the sum over rows of scores start + offset is 0
        where exp(start) is the ratio of two sums.
        """
        own, power = offset[:, 0], self.variance_power
        counts = np.ones(len(y)) if weight is None else weight
        return np.array(
            [log_of_sum(counts * y, (1.0 - power) * own) - log_of_sum(counts, (2.0 - power) * own)]
        )

    def check_target(self, y: FloatArray, weight: FloatArray | None, *, shift: int = 0) -> None:
        """Refuse values that are negative or all 0."""
        low = least_counted(y, weight, shift=shift)
        counted = y if weight is None else y[weight > 0]
        if low < 0.0 or not counted.any():
            raise TargetError(
                f"loss={self.name!r} needs values that are not negative and not all 0;"
                f" y has {low:g}."
            )


def least_counted(y: FloatArray, weight: FloatArray | None, *, shift: int) -> float:
    """Return the least value that weighs anything, times 2 to the power of `shift`."""
    counted = y if weight is None else y[weight > 0]
    return float(np.ldexp(counted.min(initial=np.inf), shift))


def weight_of_classes(y: FloatArray, weight: FloatArray | None, n_classes: int) -> Array:
    """Return what the rows of each class weigh together."""
    return np.bincount(y.astype(np.intp), weights=weight, minlength=n_classes)


def log_of(value: float) -> float:
    """Return the logarithm, of 0 too: a class without rows is very unlikely, not impossible."""
    return float(np.log(max(value, 1e-15)))


def log_odds(y: FloatArray, weight: FloatArray | None) -> float:
    """Return the logarithm of how much more the rows of class 1 weigh than those of class 0."""
    weights = weight_of_classes(y, weight, 2)
    return log_of(weights[1]) - log_of(weights[0])
