"""Costs: of measuring a column, and of predicting the wrong class."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import DataError, ParameterError
from treewright.measures.checks import as_counts, as_table
from treewright.parameters import check_choice

CostRule = Literal["tan_schlimmer", "nunez", "rpart"]


def cost_score(
    gain: float, cost: float, *, rule: CostRule = "tan_schlimmer", w: float = 1.0
) -> float:
    """Return the gain of a split weighed against the cost of its column.

    Parameters
    ----------
    gain : float
        Information gain in bits (for "rpart": any improvement).
    cost : float
        Cost of the column; above 0, and for "nunez" at least 0.
    rule : {"tan_schlimmer", "nunez", "rpart"}
        gain^2 / cost (Tan & Schlimmer 1990); (2^gain - 1) / (cost + 1)^w (Nunez 1991);
        gain / cost (rpart).
    w : float, default 1
        Influence of costs on "nunez"; between 0 and 1 in the paper.

    Examples
    --------
    >>> cost_score(0.5, 0.2)
    1.25
    >>> cost_score(1.0, 3.0, rule="nunez", w=0.5)
    0.5
    """
    check_choice("rule", rule, get_args(CostRule))
    lowest_is_allowed = rule == "nunez"
    if not (np.isfinite(cost) and (cost > 0.0 or (lowest_is_allowed and cost == 0.0))):
        bound = "at least 0" if lowest_is_allowed else "above 0"
        hint = "" if lowest_is_allowed else "\n  Hint: rule='nunez' accepts a price of 0."
        raise ParameterError(f"cost={cost!r} must be {bound} for rule={rule!r}.{hint}")
    if not (np.isfinite(w) and w >= 0.0):
        raise ParameterError(f"w={w!r} must be at least 0.")
    if not np.isfinite(gain):
        raise ParameterError(f"gain={gain!r} must be a number.")
    if rule == "tan_schlimmer":
        return float(gain**2 / cost)
    if rule == "nunez":
        return float((2.0**gain - 1.0) / (cost + 1.0) ** w)
    return float(gain / cost)


def expected_costs(counts: ArrayLike, cost_matrix: ArrayLike) -> FloatArray:
    """Return the expected cost of predicting each class in a leaf with these class counts.

    The best prediction is the class of the lowest cost (Breiman et al. 1984, section 4.4).

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
    cost_matrix : array-like of shape (n_classes, n_classes)
        Rows are the actual class, columns the predicted one.

    Examples
    --------
    One positive among eight rows; a false negative costs 10, a false positive 1:

    >>> expected_costs([1, 7], [[0, 10], [1, 0]])
    array([0.875, 1.25 ])
    """
    weight = as_counts(counts)
    matrix = _square(cost_matrix, weight.size)
    total = weight.sum()
    if not total > 0.0:
        raise DataError("counts are all 0: a leaf without rows has no expected cost.")
    return np.asarray(weight @ matrix / total, dtype=np.float64)


def mean_cost(confusion: ArrayLike, cost_matrix: ArrayLike) -> float:
    """Return the mean cost per row of a confusion matrix (rows actual, columns predicted).

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Counts or weights; rows are the actual class, columns the predicted one.
    cost_matrix : array-like of shape (n_classes, n_classes)
        Cost of each pair of actual and predicted class.

    Examples
    --------
    >>> mean_cost([[2, 3], [2, 93]], [[0, 10], [1, 0]])
    0.32
    """
    counts = as_table(confusion, name="confusion")
    matrix = _square(cost_matrix, counts.shape[0])
    if counts.shape != matrix.shape:
        raise DataError(f"confusion must be square; its shape is {counts.shape}.")
    if not counts.sum() > 0.0:
        raise DataError("confusion is all 0: there is no row to take the mean over.")
    return float((counts * matrix).sum() / counts.sum())


def _square(cost_matrix: ArrayLike, n_classes: int) -> FloatArray:
    matrix = as_table(cost_matrix, name="cost_matrix")
    if matrix.shape != (n_classes, n_classes):
        raise DataError(
            f"cost_matrix must have {n_classes} rows (actual class) and {n_classes} columns"
            f" (answer); its shape is {matrix.shape}."
        )
    return matrix
