"""Tests of two learners on the same rows: of their losses, and of their areas under the curve."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import DataError
from treewright.evaluate.intervals.areas import area, standard_error
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.interval import Alternative
from treewright.evaluate.significance.hypothesis_test import HypothesisTest, by_standard_errors
from treewright.evaluate.significance.pairs import paired


def paired_rows(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return the paired t-test of the losses of two fitted models on the same test rows.

    It says which of the two models is better, not which learner: both were trained once.

    Parameters
    ----------
    first, second
        The loss of either model on each row.
    weights, groups
        Weights of the rows, and their groups: with groups the standard error is cluster-robust, and
        there is one degree of freedom fewer than there are groups.
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"``: the loss of the first model.

    Examples
    --------
    >>> print(paired_rows([0.2, 0.4, 0.1, 0.5, 0.3], [0.3, 0.6, 0.1, 0.9, 0.4]))
    paired t-test: t = -2.359, 4 df, p = 0.0777; difference -0.160, -0.348 to +0.028 (95 %)
    """
    name = "paired t-test"
    differences = paired(first, second, name=name, pairs="rows")
    rows = Clusters.read(len(differences), weights, groups)
    if rows.n_groups < 2:
        raise DataError(
            f"The {name} needs at least 2 rows (or groups) with a weight, but has {rows.n_groups}."
        )
    spread = math.sqrt(max(rows.mean((differences - rows.mean(differences)) ** 2), 0.0))
    return by_standard_errors(
        rows.mean(differences),
        rows.mean_error(differences) if np.ptp(differences) > 0 else 0.0,
        df=rows.n_groups - 1,
        alternative=alternative,
        name=name + rows.words,
        null="both models have the same expected loss",
        n=len(differences),
        pairs="rows",
        effect_size=rows.mean(differences) / spread if spread else None,
        effect="Cohen's d",
    )


def auc_difference(
    is_positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Return the test of two areas under the ROC curve on the same rows (DeLong et al. 1988).

    Parameters
    ----------
    is_positive
        True or 1 for each row of the class that high scores speak for.
    first, second
        The scores that either model gives to the rows.
    weights, groups
        Weights of the rows, and their groups.
    alternative
        ``"two-sided"``; or ``"greater"`` or ``"less"``: the area of the first model.

    Returns
    -------
    HypothesisTest
        The difference of the areas is its own effect size.

    Examples
    --------
    >>> actual = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> first = [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1]
    >>> second = [0.6, 0.9, 0.3, 0.5, 0.4, 0.7, 0.2, 0.1]
    >>> print(auc_difference(actual, first, second))
    DeLong's test: z = 0.843, p = 0.399; difference +0.188, -0.248 to +0.623 (95 %)
    """
    areas = [
        area(is_positive, scores, weights=weights, groups=groups) for scores in (first, second)
    ]
    rows = areas[0].rows
    parts = areas[0].parts - areas[1].parts
    if not np.isfinite(parts).all():
        raise DataError(
            "DeLong's test needs at least 2 rows of the positive class and 2 others, with a weight."
        )
    difference = areas[0].value - areas[1].value
    return by_standard_errors(
        difference,
        standard_error(parts, rows),
        alternative=alternative,
        bounds=(-1.0, 1.0),
        name="DeLong's test" + rows.words,
        null="both models have the same area under the curve",
        n=int(np.count_nonzero(rows.weight)),
        pairs="rows",
        effect_size=difference,
        effect="difference of areas",
    )
