"""Impurity of the classes of a set of rows: entropy, Gini indices, misclassification.

Each takes counts (or weights, or probabilities: only the proportions matter) of the classes. A set
without rows is pure: 0. The ``*_of`` functions at the end do the same for stacks of tables.
"""

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from treewright.array_types import FloatArray
from treewright.measures.checks import as_class_counts, as_table, check_base
from treewright.parameters import check_choice

Measure = Literal["entropy", "gini", "misclassification", "ordinal_gini"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


def entropy(
    counts: ArrayLike | Iterable[object] | None = None,
    *,
    labels: Iterable[object] | None = None,
    base: float = 2.0,
) -> float:
    """Return the entropy of a distribution: sum of p log(1/p), 0 log 0 = 0 (Shannon 1948).

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Counts, weights or probabilities of the classes; or, where they are no numbers, the class
        of each row.
    labels : iterable, optional
        The class of each row instead, which may be a number.
    base : float, default 2
        Base of the logarithm; 2 gives bits.

    Examples
    --------
    >>> round(entropy([9, 5]), 3)
    0.94
    >>> entropy([4, 0])
    0.0
    >>> entropy(["yes", "no", "no", "yes"]), entropy(labels=[1, 2, 2, 1])
    (1.0, 1.0)
    """
    return float(
        impurity_of(as_class_counts(counts, labels), measure="entropy", base=check_base(base))
    )


def gini(
    counts: ArrayLike | Iterable[object] | None = None,
    *,
    labels: Iterable[object] | None = None,
) -> float:
    """Return the Gini index, 1 - sum of p^2 (Breiman, Friedman, Olshen, Stone 1984, section 4.3).

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Counts, weights or probabilities of the classes; or, where they are no numbers, the class
        of each row.
    labels : iterable, optional
        The class of each row instead, which may be a number.

    Examples
    --------
    >>> gini([2, 2]), gini(["yes", "no"])
    (0.5, 0.5)
    """
    return float(impurity_of(as_class_counts(counts, labels), measure="gini"))


def misclassification(
    counts: ArrayLike | Iterable[object] | None = None,
    *,
    labels: Iterable[object] | None = None,
) -> float:
    """Return the share of rows outside the most frequent class (Breiman et al. 1984, section 4.2).

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Counts, weights or probabilities of the classes; or, where they are no numbers, the class
        of each row.
    labels : iterable, optional
        The class of each row instead, which may be a number.

    Examples
    --------
    >>> misclassification([3, 1])
    0.25
    """
    return float(impurity_of(as_class_counts(counts, labels), measure="misclassification"))


def ordinal_gini(counts: ArrayLike) -> float:
    """Return the Gini index of ordered classes: 2 x sum of F (1 - F), F the shares up to a class.

    The Gini indices of all cuts of the classes in two, added up; the mean distance between the
    classes of two rows. Twice the index of Piccarreta (2008): of two classes it is Gini's.

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Counts, weights or probabilities of the classes, in their order.

    Examples
    --------
    >>> ordinal_gini([1, 1, 0]), ordinal_gini([1, 0, 1]), gini([1, 0, 1])
    (0.5, 1.0, 0.5)
    """
    return float(impurity_of(as_class_counts(counts, None), measure="ordinal_gini"))


def impurities(table: ArrayLike, *, measure: Measure = "entropy", base: float = 2.0) -> FloatArray:
    """Return the impurity of each row (branch) of a table of counts.

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights.
    measure : {"entropy", "gini", "misclassification", "ordinal_gini"}
        Impurity measure.
    base : float, default 2
        Base of the logarithm of the entropy.

    Examples
    --------
    >>> impurities([[4, 0], [2, 2]], measure="gini")
    array([0. , 0.5])
    """
    check_choice("measure", measure, MEASURES)
    return impurity_of(as_table(table), measure=measure, base=check_base(base))


def impurity_of(counts: FloatArray, *, measure: Measure, base: float = 2.0) -> FloatArray:
    """Return the impurity along the last axis of checked counts; any number of axes before it."""
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0.0, total, 1.0)
    if measure == "entropy":
        # 0 - ... and not a bare minus, so that a pure set has 0.0 and not -0.0
        result = 0.0 - xlogy(shares, shares).sum(axis=-1) / np.log(base)
    elif measure == "gini":
        # p (1 - p) added up: unlike 1 - sum p^2 it is exactly 0 for a pure set and never negative
        result = (shares * (1.0 - shares)).sum(axis=-1)
    elif measure == "ordinal_gini":
        below, above = np.cumsum(shares, axis=-1), np.cumsum(shares[..., ::-1], axis=-1)[..., ::-1]
        result = 2.0 * (below[..., :-1] * above[..., 1:]).sum(axis=-1)
    else:
        result = np.where(total[..., 0] > 0.0, 1.0 - shares.max(axis=-1), 0.0)
    return np.asarray(result, dtype=np.float64)


def weighted_impurity_of(tables: FloatArray, *, measure: Measure, base: float = 2.0) -> FloatArray:
    """Return the impurity of branches weighted by share; the last two axes are branch, class."""
    weight = tables.sum(axis=-1)
    total = weight.sum(axis=-1, keepdims=True)
    share = weight / np.where(total > 0.0, total, 1.0)
    result = (share * impurity_of(tables, measure=measure, base=base)).sum(axis=-1)
    return np.asarray(result, dtype=np.float64)


def gain_of(tables: FloatArray, *, measure: Measure, base: float = 2.0) -> FloatArray:
    """Return impurity before minus weighted impurity after; the last axes are branch, class."""
    before = impurity_of(tables.sum(axis=-2), measure=measure, base=base)
    after = weighted_impurity_of(tables, measure=measure, base=base)
    # Impurities are concave, so a gain below 0 is a rounding error.
    return np.asarray(np.maximum(before - after, 0.0), dtype=np.float64)
