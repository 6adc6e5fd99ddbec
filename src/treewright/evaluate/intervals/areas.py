"""Intervals of the area under the ROC curve, by DeLong's variance.

The area is the mean, over all pairs of a positive and a negative row, of 1 where the positive one
has the higher score, and 1/2 where both have the same. A row's *placement* is the mean over its own
pairs; areas vary as the placements do (DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44).
Placements come from ranks, in n log n steps (Sun and Xu 2014, IEEE Signal Process. Lett. 21).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from treewright.array_types import BoolArray, FloatArray
from treewright.errors import DataError
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.flags import as_flags
from treewright.evaluate.intervals.interval import Interval, around
from treewright.evaluate.intervals.shares import wilson
from treewright.measures.checks import as_floats
from treewright.parameters import check_choice

Scale: TypeAlias = Literal["logit", "plain"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Average: TypeAlias = Literal["macro", "weighted"]
AVERAGES: tuple[Average, ...] = get_args(Average)


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """An area under the ROC curve, and what each row contributes to its deviation.

    Parameters
    ----------
    value
        The area; NaN where a side has no rows.
    parts
        One number per row; their sum of squares is DeLong's variance. The parts of two learners on
        the same rows, less each other, are those of their difference.
    least_rows
        Effective rows (or groups) on the smaller side.
    rows
        Weights and groups.
    """

    value: float
    parts: FloatArray
    least_rows: float
    rows: Clusters

    @property
    def standard_error(self) -> float:
        """DeLong's standard error; over sums of parts where there are groups (Obuchowski 1997)."""
        return standard_error(self.parts, self.rows)


def standard_error(parts: FloatArray, rows: Clusters) -> float:
    """Return the standard error of a sum of parts; infinite where a part is not known."""
    if not np.isfinite(parts).all():
        return math.inf
    if rows.group_of_row is not None:
        return rows.standard_error(parts)
    return math.sqrt(float(np.sum(parts**2)))


def area(
    is_positive: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Area:
    """Return the area under the ROC curve with the parts of its variance.

    Examples
    --------
    >>> found = area([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.2])
    >>> found.value
    0.875
    """
    positive, score = as_classes(is_positive), as_scores(scores)
    if score.shape != positive.shape:
        raise DataError(
            f"scores must hold one number for each of the {len(positive)} rows,"
            f" but its shape is {score.shape}."
        )
    rows = Clusters.read(len(positive), weights, groups)
    weight = rows.weight
    of_side = [weight * positive, weight * ~positive]
    totals = [float(side.sum()) for side in of_side]
    parts = np.zeros(len(score))
    if min(totals) == 0:
        parts[:] = math.nan
        return Area(value=math.nan, parts=parts, least_rows=0.0, rows=rows)
    above = _share_below(score, of_side[1])  # of the negative rows, for each score
    value = float(np.sum(of_side[0] * above)) / totals[0]
    below = 1 - _share_below(score, of_side[0])
    for side, total, placement in zip(of_side, totals, (above, below), strict=True):
        n_rows = np.count_nonzero(side)
        factor = math.sqrt(n_rows / (n_rows - 1)) if n_rows > 1 else math.nan
        parts += np.where(side > 0, factor * side / total * (placement - value), 0.0)
    return Area(value=value, parts=parts, least_rows=_least_rows(rows, positive), rows=rows)


def auc(
    is_positive: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    scale: Scale = "logit",
    level: float = 0.95,
) -> Interval:
    """Return the interval of the area under the ROC curve.

    Parameters
    ----------
    is_positive
        True or 1 for each row of the class that high scores speak for.
    scores
        The score of each row; only their order matters. Infinite ones are allowed.
    weights, groups
        Weights of the rows, and their groups, as for :func:`share`.
    scale
        ``"plain"`` is DeLong's normal interval, cut at 0 and 1. ``"logit"`` makes it on the log
        odds of the area, which keeps its level better for few rows and areas near 1 (Pepe 2003,
        section 5.2.2).
    level
        Confidence level.

    Returns
    -------
    Interval
        From 0 to 1 where a side has fewer than two rows; NaN as value where it has none. DeLong's
        variance is 0 if the scores part both sides perfectly; the other end is then Wilson's, for
        as many pairs as the smaller side has rows.

    Examples
    --------
    >>> print(auc([1, 1, 0, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.1]))
    0.875, 0.345 to 0.989 (95 %)
    """
    check_choice("scale", scale, SCALES)
    found = area(is_positive, scores, weights=weights, groups=groups)
    return _interval(found, scale=scale, level=level)


def auc_one_vs_rest(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    classes: Sequence[object],
    average: Average = "macro",
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    scale: Scale = "logit",
    level: float = 0.95,
) -> Interval:
    """Return the interval of the mean area over all classes, each against the rest.

    Parameters
    ----------
    y
        The class of each row.
    scores
        Rows x classes.
    classes
        The class of each column of `scores`.
    average
        ``"macro"`` counts every class alike, ``"weighted"`` by its share of the rows (taken as
        fixed).
    weights, groups, scale, level
        As for :func:`auc`.

    Examples
    --------
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6],
    ...           [0.5, 0.3, 0.2], [0.4, 0.5, 0.1], [0.4, 0.3, 0.3]]
    >>> found = auc_one_vs_rest([*"abcabc"], scores, classes=[*"abc"])
    >>> round(found.value, 4)
    0.9792
    """
    check_choice("scale", scale, SCALES)
    check_choice("average", average, AVERAGES)
    labels, score = np.asarray(y), as_floats(scores, name="scores")
    if score.shape != (len(labels), len(classes)):
        raise DataError(
            f"scores must have a row for each of the {len(labels)} rows and a column for each of"
            f" the {len(classes)} classes, but its shape is {score.shape}."
        )
    areas, shares = [], []
    for column, label in enumerate(classes):
        is_label = np.array([each == label for each in labels.tolist()], dtype=bool)
        found = area(is_label, score[:, column], weights=weights, groups=groups)
        if math.isnan(found.value):
            raise DataError(
                f"class {label!r} has no rows or all of them, so that it has no area.\n"
                "  Hint: leave it out of classes and scores."
            )
        areas.append(found)
        shares.append(1.0 if average == "macro" else math.fsum(found.rows.weight * is_label))
    of_class = np.array(shares) / math.fsum(shares)
    mean = Area(
        value=math.fsum(of_class * [each.value for each in areas]),
        parts=of_class @ np.array([each.parts for each in areas]),
        least_rows=min(each.least_rows for each in areas),
        rows=areas[0].rows,
    )
    return _interval(mean, scale=scale, level=level)


def _interval(found: Area, *, scale: Scale, level: float) -> Interval:
    value, error = found.value, found.standard_error
    name = f"DeLong{found.rows.words}"
    if value in (0.0, 1.0):
        end = wilson(found.least_rows * value, found.least_rows, level=level)
        return replace(end, value=value, method=f"{name}, Wilson", is_share=False)
    if scale == "plain" or not math.isfinite(error):
        return around(value, error, level=level, method=name, bounds=(0.0, 1.0))
    ends = around(float(logit(value)), error / (value * (1 - value)), level=level, method=name)
    return Interval(
        value=value,
        low=float(expit(ends.low)),
        high=float(expit(ends.high)),
        level=level,
        method=f"{name}, logit",
    )


def _share_below(score: FloatArray, of_row: FloatArray) -> FloatArray:
    """Return, for each score, the share of the weight below it, ties counting one half."""
    _, rank = np.unique(score, return_inverse=True)
    at = np.bincount(rank, weights=of_row)
    up_to = np.cumsum(at)
    # Divided last: what is above all has exactly 1.
    return np.asarray(((up_to - at / 2) / up_to[-1])[rank])


def _least_rows(rows: Clusters, positive: BoolArray) -> float:
    sides = [np.where(side, rows.weight, 0.0) for side in (positive, ~positive)]
    of_side = [Clusters(weight=side, group_of_row=rows.group_of_row) for side in sides]
    if rows.group_of_row is not None:
        return float(min(each.n_groups for each in of_side))
    return min(each.effective_rows for each in of_side)


def as_classes(is_positive: ArrayLike) -> BoolArray:
    """Return whether each row has the class, checked."""
    return as_flags(
        is_positive,
        name="is_positive",
        example="y == 'yes' is True for each row of class 'yes'",
    )


def as_scores(scores: ArrayLike) -> FloatArray:
    """Return scores, checked: numbers, infinite ones included."""
    score = as_floats(scores, name="scores")
    bad = np.argwhere(np.isnan(score))
    if len(bad):
        raise DataError(f"scores[{', '.join(map(str, bad[0]))}] is nan, but must be a number.")
    return score
