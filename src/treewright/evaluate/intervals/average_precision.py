"""The interval of average precision, the area under the curve of precision and recall."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import average_precision_score

from treewright.array_types import Int64Array
from treewright.evaluate.intervals.areas import as_flags, as_scores
from treewright.evaluate.intervals.bootstrap import bootstrap
from treewright.evaluate.intervals.interval import Interval

_RESAMPLES = 500


def average_precision(
    is_positive: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = _RESAMPLES,
) -> Interval:
    """Return average precision with its bootstrap interval.

    As many rows of each side are drawn as there are, so that no draw lacks the class (Boyd, Eng and
    Page 2013, ECML); where there are groups, whole groups, and a draw without the class counts 0.

    Parameters
    ----------
    is_positive, scores, weights, groups, level
        As for :func:`auc`.
    n_resamples
        How many times rows are drawn.

    Returns
    -------
    Interval
        From 0 to 1 where a side has fewer than two rows.

    Examples
    --------
    >>> found = average_precision([1, 1, 0, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0])
    >>> round(found.value, 4)
    0.8875
    """
    flags = as_flags(is_positive)
    # Ranks, as infinite scores are no numbers to scikit-learn.
    _, rank = np.unique(as_scores(scores), return_inverse=True)
    weight = None if weights is None else np.asarray(weights, dtype=np.float64)

    def value(drawn: Int64Array) -> float:
        if not flags[drawn].any():
            return 0.0
        given = None if weight is None else weight[drawn]
        return float(average_precision_score(flags[drawn], rank[drawn], sample_weight=given))

    rows = np.arange(len(flags))
    if groups is None and min(flags.sum(), (~flags).sum()) < 2:
        return Interval(value=value(rows), low=0.0, high=1.0, level=level, method="bootstrap")
    return bootstrap(
        value,
        rows,
        groups=groups,
        strata=flags if groups is None else None,
        n_resamples=n_resamples,
        level=level,
    )
