"""Quality of a split, from its table of counts: one row per branch, one column per class.

A table may hold weights instead of counts. Branches and classes without rows have no effect.
All measures here grow with the quality of the split, except ``weighted_impurity``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from treewright.array_types import FloatArray
from treewright.errors import DataError, ParameterError
from treewright.measures.checks import as_table, check_base
from treewright.measures.contingency import contingency
from treewright.measures.impurity import (
    MEASURES,
    Measure,
    gain_of,
    impurity_of,
    weighted_impurity_of,
)
from treewright.parameters import check_choice

ClassScore = Literal[
    "gini",
    "entropy",
    "gain_ratio",
    "misclassification",
    "chi2",
    "twoing",
    "hellinger",
    "ordinal_gini",
    "impurity_ratio",
]
CLASS_SCORES: tuple[ClassScore, ...] = get_args(ClassScore)


@dataclass(frozen=True, kw_only=True)
class ChiSquare:
    """Result of Pearson's test that branch and class are independent."""

    statistic: float
    df: int
    p_value: float


def weighted_impurity(
    table: ArrayLike, *, measure: Measure = "entropy", base: float = 2.0
) -> float:
    """Return the impurity of the branches, each weighted by its share of the rows.

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
    Outlook on the fourteen days of PlayTennis (sunny, overcast, rain by no, yes):

    >>> round(weighted_impurity([[3, 2], [0, 4], [2, 3]]), 3)
    0.694
    """
    check_choice("measure", measure, MEASURES)
    return float(weighted_impurity_of(as_table(table), measure=measure, base=check_base(base)))


def gain(
    table: ArrayLike | Iterable[object],
    y: Iterable[object] | None = None,
    *,
    measure: Measure = "entropy",
    base: float = 2.0,
) -> float:
    """Return the impurity before the split minus the weighted impurity after it.

    With entropy this is the information gain of ID3 (Quinlan 1986); with gini the decrease of
    CART (Breiman et al. 1984, section 2.4).

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights; with `y`, a column instead, which gets one branch for each value.
    y : iterable, optional
        The class of each row.
    measure : {"entropy", "gini", "misclassification", "ordinal_gini"}
        Impurity measure.
    base : float, default 2
        Base of the logarithm of the entropy.

    Examples
    --------
    >>> round(gain([[3, 2], [0, 4], [2, 3]]), 3)
    0.247
    >>> gain(["sun", "sun", "rain", "rain"], ["no", "no", "yes", "yes"])
    1.0
    """
    check_choice("measure", measure, MEASURES)
    return float(gain_of(_as_split(table, y), measure=measure, base=check_base(base)))


def split_information(table: ArrayLike, *, missing: float = 0.0, base: float = 2.0) -> float:
    """Return the entropy of the branch sizes (Quinlan 1986, section 7).

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
    missing : float, default 0
        Weight of the rows whose value is missing; C4.5 counts them as one more branch.
    base : float, default 2

    Examples
    --------
    >>> round(split_information([[3, 2], [0, 4], [2, 3]]), 3)
    1.577
    """
    if not (np.isfinite(missing) and missing >= 0.0):
        raise ParameterError(f"missing={missing!r} must be a weight of at least 0.")
    sizes = np.append(as_table(table).sum(axis=1), missing)
    return float(impurity_of(sizes, measure="entropy", base=check_base(base)))


def gain_ratio(table: ArrayLike | Iterable[object], y: Iterable[object] | None = None) -> float:
    """Return the information gain over the split information (Quinlan 1986, section 7).

    A table with fewer than two branches that hold rows has the ratio 0. The base of the
    logarithm cancels.

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights; with `y`, a column instead, which gets one branch for each value.
    y : iterable, optional
        The class of each row.

    Examples
    --------
    >>> round(gain_ratio([[3, 2], [0, 4], [2, 3]]), 3)
    0.156
    """
    return float(scores_of(_as_split(table, y), criterion="gain_ratio"))


def impurity_ratio(table: ArrayLike) -> float:
    """Return information gain over weighted entropy, the textbook's gain ratio (3.3, example 4).

    It is H / (weighted entropy) - 1, so among the splits of one node it ranks as the gain does;
    pure branches make it infinite. The base of the logarithm cancels.

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights.

    Examples
    --------
    >>> round(impurity_ratio([[1, 1], [0, 2], [1, 1]]), 4)
    0.3774
    """
    return float(scores_of(as_table(table), criterion="impurity_ratio"))


def chi2(table: ArrayLike, *, correction: bool = False) -> ChiSquare:
    """Return Pearson's chi-square test of a table of counts (Pearson 1900).

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
    correction : bool, default False
        Yates' continuity correction for a table of two branches and two classes.

    Returns
    -------
    ChiSquare
        Statistic, degrees of freedom (branches - 1)(classes - 1), and p-value. A table with one
        branch or one class has no degree of freedom, statistic 0 and p-value 1.

    Examples
    --------
    >>> test = chi2([[3, 4], [6, 1]])
    >>> round(test.statistic, 3), test.df, round(test.p_value, 3)
    (2.8, 1, 0.094)
    """
    counts = as_table(table)
    counts = counts[np.ix_(counts.sum(axis=1) > 0.0, counts.sum(axis=0) > 0.0)]
    df = max(0, counts.shape[0] - 1) * max(0, counts.shape[1] - 1)
    if df == 0:
        return ChiSquare(statistic=0.0, df=0, p_value=1.0)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    distance = np.abs(counts - expected)
    if correction and df == 1:
        distance = np.maximum(distance - 0.5, 0.0)  # Yates 1934
    statistic = float(np.sum(distance**2 / expected))
    # What scipy.stats.chi2.sf calls, without the half second that importing scipy.stats takes.
    return ChiSquare(statistic=statistic, df=df, p_value=float(chdtrc(df, statistic)))


def twoing(table: ArrayLike) -> float:
    """Return the twoing value of a binary split: ``pL pR / 4 (sum of |p(k|L) - p(k|R)|)^2``.

    Breiman et al. 1984, section 4.3 (their figure of merit; rows decide, not class order).

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights; at most two branches hold rows.

    Examples
    --------
    >>> twoing([[2, 0], [0, 2]])
    0.25
    """
    return float(scores_of(as_table(table), criterion="twoing"))


def hellinger(table: ArrayLike) -> float:
    """Return the squared Hellinger distance, summed over branches and pairs of classes.

    With a the share of a class that falls in a branch, each pair of classes and each branch adds
    (sqrt a_k - sqrt a_j)^2. It does not depend on how frequent the classes are. For two classes it
    is the square of the distance of Cieslak & Chawla 2008, which ranks splits alike.

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights.

    Examples
    --------
    >>> hellinger([[2, 0], [0, 8]])
    2.0
    """
    return float(scores_of(as_table(table), criterion="hellinger"))


def split_score(table: ArrayLike, *, criterion: ClassScore = "gini") -> float:
    """Return the score of a split by a criterion of ``DecisionTreeClassifier``; larger is better.

    Parameters
    ----------
    table : array-like of shape (n_branches, n_classes)
        Counts or weights.
    criterion : str
        Name of the criterion.

    Examples
    --------
    >>> round(split_score([[3, 2], [0, 4], [2, 3]], criterion="gain_ratio"), 3)
    0.156
    """
    check_choice("criterion", criterion, CLASS_SCORES)
    return float(scores_of(as_table(table), criterion=criterion))


def scores_of(tables: FloatArray, *, criterion: ClassScore) -> FloatArray:
    """Return the scores of checked tables; the last two axes are branch, class."""
    if criterion in MEASURES:
        result = gain_of(tables, measure=criterion)
    elif criterion == "gain_ratio":
        information = impurity_of(tables.sum(axis=-1), measure="entropy")
        result = _over(gain_of(tables, measure="entropy"), information, where_zero=0.0)
    elif criterion == "impurity_ratio":
        gains = gain_of(tables, measure="entropy")
        after = weighted_impurity_of(tables, measure="entropy")
        result = _over(gains, after, where_zero=np.where(gains > 0.0, np.inf, 0.0))
    elif criterion == "chi2":
        result = _chi2_statistics(tables)
    elif criterion == "twoing":
        result = _twoing_values(tables)
    else:
        result = _hellinger_distances(tables)
    return np.asarray(result, dtype=np.float64)


def _as_split(table: Any, y: Iterable[object] | None) -> FloatArray:
    """Return the table of a split: as given, or counted from a column and its classes."""
    if y is None:
        return as_table(table)
    counted = contingency(table, y)
    if counted.missing.any():
        raise DataError(
            f"{counted.missing.sum():g} rows of the column have no value.\n"
            "  Hint: gain_with_missing(x, y, strategy=...) says what becomes of them."
        )
    return as_table(counted.table)


def _over(above: FloatArray, below: FloatArray, *, where_zero: ArrayLike) -> FloatArray:
    ratio = above / np.where(below > 0.0, below, 1.0)
    return np.where(below > 0.0, ratio, where_zero)


def _chi2_statistics(tables: FloatArray) -> FloatArray:
    total = tables.sum(axis=(-1, -2))[..., None, None]
    product = tables.sum(axis=-1, keepdims=True) * tables.sum(axis=-2, keepdims=True)
    expected = product / np.where(total > 0.0, total, 1.0)
    # A branch or class without rows has an expected and an observed count of 0.
    terms = (tables - expected) ** 2 / np.where(expected > 0.0, expected, 1.0)
    return np.asarray(terms.sum(axis=(-1, -2)), dtype=np.float64)


def _twoing_values(tables: FloatArray) -> FloatArray:
    size = tables.sum(axis=-1)
    n_filled = (size > 0.0).sum(axis=-1)
    if (n_filled > 2).any():
        raise DataError(
            f"twoing judges splits in two, but the table has {int(n_filled.max())} branches"
            " with rows.\n  Hint: gini judges any number of branches."
        )
    total = size.sum(axis=-1, keepdims=True)
    share = size / np.where(total > 0.0, total, 1.0)
    within = tables / np.where(size > 0.0, size, 1.0)[..., None]
    # The (at most) two non-empty branches, wherever they are in the table.
    order = np.argsort(size > 0.0, axis=-1, kind="stable")
    left, right = order[..., -2:-1] if size.shape[-1] > 1 else order, order[..., -1:]
    both = np.take_along_axis(share, left, axis=-1) * np.take_along_axis(share, right, axis=-1)
    apart = np.abs(
        np.take_along_axis(within, left[..., None], axis=-2)
        - np.take_along_axis(within, right[..., None], axis=-2)
    ).sum(axis=-1)
    return np.asarray(np.where(n_filled == 2, (both * apart**2)[..., 0] / 4.0, 0.0))


def _hellinger_distances(tables: FloatArray) -> FloatArray:
    class_size = tables.sum(axis=-2, keepdims=True)
    present = (class_size > 0.0).astype(np.float64)
    root = np.sqrt(tables / np.where(class_size > 0.0, class_size, 1.0))
    # Over pairs of the K classes present, sum (r_k - r_j)^2 = K sum r^2 - (sum r)^2.
    n_present = present.sum(axis=-1)
    per_branch = n_present * (root**2).sum(axis=-1) - root.sum(axis=-1) ** 2
    return np.asarray(np.maximum(per_branch, 0.0).sum(axis=-1), dtype=np.float64)
