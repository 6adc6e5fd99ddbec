"""The interval of average precision, the area under the curve of precision and recall."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from treewright.errors import DataError
from treewright.evaluate.intervals.areas import as_classes, as_scores
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.interval import Interval, around
from treewright.evaluate.intervals.shares import wilson


def average_precision(
    is_positive: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Return average precision with the logit interval (Boyd, Eng and Page 2013, ECML).

    On the log odds, with 1 / sqrt(n p (1 - p)) as standard error, where n is the number of rows
    that have the class: effective rows of weights, and of groups their number.

    Parameters
    ----------
    is_positive, scores, weights, groups, level
        As for :func:`auc`.

    Returns
    -------
    Interval
        Of a perfect order Wilson's, of n rows; NaN as value where no row has the class.

    Examples
    --------
    >>> print(average_precision([1, 1, 0, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0]))
    0.887, 0.262 to 0.994 (95 %)
    """
    flags, score = as_classes(is_positive), as_scores(scores)
    if score.shape != flags.shape:
        raise DataError(
            f"scores must hold one number for each of the {len(flags)} rows,"
            f" but its shape is {score.shape}."
        )
    rows = Clusters.read(len(flags), weights, groups)
    there = Clusters(weight=np.where(flags, rows.weight, 0.0), group_of_row=rows.group_of_row)
    name = f"logit{rows.words}"
    if there.total == 0:
        return Interval(value=math.nan, low=0.0, high=1.0, level=level, method=name)
    # Ranks, as infinite scores are no numbers to scikit-learn.
    _, rank = np.unique(score, return_inverse=True)
    from sklearn.metrics import average_precision_score  # imported late: it loads many modules

    value = float(average_precision_score(flags, rank, sample_weight=rows.weight))
    n = float(there.effective_rows if there.group_of_row is None else there.n_groups)
    if value >= 1.0:
        return replace(wilson(n, n, level=level), value=1.0, method=name, is_share=False)
    error = 1 / math.sqrt(n * value * (1 - value))
    ends = around(float(logit(value)), error, level=level, method=name)
    low, high = float(expit(ends.low)), float(expit(ends.high))
    return Interval(value=value, low=low, high=high, level=level, method=name)
