"""Bias and variance of answers by models of several training sets, row by row.

Rows here are those judged, each with one truth; a sample is a training set.

*Squared loss* (Geman, Bienenstock and Doursat 1992, Neural Comput. 4): the mean squared error is
bias² + variance, where bias is the mean answer less the truth.

*0-1 loss*, by Domingos 2000 (AAAI): the main answer of a row is the most frequent one; bias is
whether it is wrong, variance how often answers differ from it. Variance makes rows of right main
answers worse, and rows of wrong ones better: error = bias + variance where unbiased - what variance
saves where biased. By Kohavi and Wolpert 1996 (ICML), with p the shares of the answers and t the
truth as a share of 1: error = 1/2 sum (t - p)² + 1/2 (1 - sum p²).

Noise is not known from one truth per row: it is part of the bias, unless the best possible answers
are given. Domingos' parts then add up with it, error = c1 N + bias + ..., with c1 the share of best
answers less that of true ones; Kohavi and Wolpert's bias² always holds the noise of these rows.

Examples
--------
>>> found = decompose([[1.84375], [1.875]], [1.75])
>>> found.mean.tolist(), found.bias.tolist(), found.variance.tolist(), found.error
([1.859375], [0.109375], [0.000244140625], 0.01220703125)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
from treewright.data.read.target import read_classes
from treewright.errors import DataError
from treewright.evaluate.trial.answers import as_target, code_classes
from treewright.parameters import check_choice

Loss: TypeAlias = Literal["squared", "zero_one"]
LOSSES: tuple[Loss, ...] = get_args(Loss)


@dataclass(frozen=True, kw_only=True, eq=False)
class SquaredParts:
    """Bias and variance of numbers, row by row; totals are means over the rows.

    Parameters
    ----------
    target, optimal
        The truth of each row, and the best possible answer; the truth where it is not known.
    mean
        Mean answer about each row.
    variance
        Of the answers about each row, over the samples (divided by their number).
    """

    target: FloatArray = field(repr=False)
    optimal: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)

    @property
    def bias(self) -> FloatArray:
        """Mean answer less the best possible one."""
        return self.mean - self.optimal

    @property
    def error(self) -> float:
        """Mean squared error over rows and samples."""
        return float(np.mean((self.mean - self.target) ** 2 + self.variance))

    @property
    def squared_bias(self) -> float:
        """Mean square of the bias."""
        return float(np.mean(self.bias**2))

    @property
    def total_variance(self) -> float:
        """Mean variance."""
        return float(np.mean(self.variance))

    @property
    def noise(self) -> float:
        """Mean square of truth less best possible answer; 0 where that is not known."""
        return float(np.mean((self.target - self.optimal) ** 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class ZeroOneParts:
    """Bias and variance of classes, row by row; totals are means over the rows.

    Parameters
    ----------
    target, optimal
        Code of the true class of each row, and of the best possible answer; the truth where it is
        not known.
    shares
        Rows x classes: how often each class was answered.
    """

    target: Int64Array = field(repr=False)
    optimal: Int64Array = field(repr=False)
    shares: FloatArray = field(repr=False)

    @property
    def main(self) -> Int64Array:
        """The most frequent answer about each row; of equals the first class."""
        return np.asarray(np.argmax(self.shares, axis=1), dtype=np.int64)

    @property
    def is_biased(self) -> BoolArray:
        """Whether the main answer is not the best possible one."""
        return np.asarray(self.main != self.optimal)

    @property
    def error(self) -> float:
        """Share of wrong answers over rows and samples."""
        return float(np.mean(1 - self._share_of(self.target)))

    @property
    def bias(self) -> float:
        """Share of the rows whose main answer is wrong (Domingos)."""
        return float(np.mean(self.is_biased))

    @property
    def variance(self) -> FloatArray:
        """How often the answer about each row is not its main one (Domingos)."""
        return 1 - self._share_of(self.main)

    @property
    def unbiased_variance(self) -> float:
        """What variance adds to the error: that of rows without bias."""
        return float(np.mean(np.where(self.is_biased, 0.0, self.variance)))

    @property
    def biased_variance(self) -> float:
        """What variance takes from the error: right answers about rows with bias."""
        return float(np.mean(np.where(self.is_biased, self._share_of(self.optimal), 0.0)))

    @property
    def net_variance(self) -> float:
        """What variance adds to the error in all; below 0 where it helps more than it harms."""
        return self.unbiased_variance - self.biased_variance

    @property
    def noise(self) -> float:
        """What truths other than the best possible answer add to the error (Domingos' c1 N)."""
        return float(np.mean(self._share_of(self.optimal) - self._share_of(self.target)))

    @property
    def squared_bias(self) -> float:
        """Kohavi and Wolpert's bias²: from the shares of the answers to the truth."""
        truth = np.zeros(self.shares.shape)
        truth[np.arange(len(truth)), self.target] = 1.0
        return float(np.mean(0.5 * np.sum((truth - self.shares) ** 2, axis=1)))

    @property
    def row_variance(self) -> FloatArray:
        """Kohavi and Wolpert's variance of each row: 1/2 (1 - sum p²)."""
        return np.asarray(0.5 * (1 - np.sum(self.shares**2, axis=1)))

    @property
    def total_variance(self) -> float:
        """Kohavi and Wolpert's variance."""
        return float(np.mean(self.row_variance))

    def _share_of(self, codes: Int64Array) -> FloatArray:
        return np.asarray(self.shares[np.arange(len(codes)), codes])


def decompose(
    predictions: Any, target: Any, *, loss: Loss = "squared", optimal: Any = None
) -> SquaredParts | ZeroOneParts:
    """Return bias and variance of answers that are there already.

    Parameters
    ----------
    predictions
        Samples x rows: what the model of each training set answers about each row.
    target
        The truth of each row.
    loss
        "squared" for numbers, "zero_one" for classes.
    optimal
        The best possible answer about each row, where it is known (in a simulation, say): what the
        truth differs from it is noise.

    Examples
    --------
    Three models, two rows:

    >>> found = decompose([["a", "b"], ["a", "a"], ["b", "a"]], ["a", "b"], loss="zero_one")
    >>> found.bias, round(found.unbiased_variance, 4), round(found.biased_variance, 4)
    (0.5, 0.1667, 0.1667)
    >>> found.error
    0.5
    """
    check_choice("loss", loss, LOSSES)
    truth = as_target(target, name="target")
    given = np.asarray(predictions, dtype=object)
    if given.ndim != 2 or given.shape[1] != len(truth) or not len(given):
        raise DataError(
            f"predictions has shape {given.shape}; samples x {len(truth)} rows are needed."
        )
    best = truth if optimal is None else as_target(optimal, name="optimal")
    if len(best) != len(truth):
        raise DataError(f"target has {len(truth)} rows and optimal has {len(best)}.")
    if loss == "squared":
        numbers = [_numbers(each, name) for each, name in ((truth, "target"), (best, "optimal"))]
        return squared_parts(_numbers(given, "predictions"), *numbers)
    everything = np.concatenate([truth.astype(object), best.astype(object), given.ravel()])
    classes = read_classes(everything, owner="decompose").classes[0].tolist()
    codes = np.stack([code_classes(row, classes) for row in given])
    return zero_one_parts(
        codes, code_classes(truth, classes), code_classes(best, classes), len(classes)
    )


def squared_parts(answers: FloatArray, target: FloatArray, optimal: FloatArray) -> SquaredParts:
    """Return the parts of squared loss; answers are samples x rows, nan where there is none."""
    return SquaredParts(
        target=target,
        optimal=optimal,
        mean=np.nanmean(answers, axis=0),
        variance=np.nanvar(answers, axis=0),
    )


def zero_one_parts(
    codes: Int64Array, target: Int64Array, optimal: Int64Array, n_classes: int
) -> ZeroOneParts:
    """Return the parts of 0-1 loss; codes are samples x rows, -1 where there is no answer."""
    of_class = [np.count_nonzero(codes == code, axis=0) for code in range(n_classes)]
    counts = np.stack(of_class, axis=1)
    return ZeroOneParts(
        target=target, optimal=optimal, shares=counts / counts.sum(axis=1, keepdims=True)
    )


def _numbers(values: Array, name: str) -> FloatArray:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{name} has an entry that is no number.\n  Hint: loss='zero_one' is for classes."
        ) from None
    if not np.isfinite(numbers).all():
        raise DataError(f"{name} has an entry that is not finite.")
    return numbers
