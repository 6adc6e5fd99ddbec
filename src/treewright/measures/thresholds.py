"""Candidate cuts of a numeric column, and their scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.measures.checks import as_floats, as_values, as_weights
from treewright.measures.contingency import contingency
from treewright.measures.impurity import Measure, weighted_impurity_of
from treewright.measures.regression import ValueMeasure, error_reduction, weighted_error
from treewright.measures.splits import CLASS_SCORES, ClassScore, scores_of
from treewright.parameters import check_choice

ThresholdRule = Literal["class_boundaries", "all"]
ValueScore = Literal[
    "squared_error",
    "absolute_error",
    "poisson",
    "weighted_squared_error",
    "standard_deviation",
    "fifth_root",
]
VALUE_SCORES: tuple[ValueScore, ...] = get_args(ValueScore)
_MEASURE_OF_VALUE_SCORE: dict[str, ValueMeasure] = {
    "squared_error": "variance",
    "absolute_error": "absolute_deviation",
    "poisson": "poisson_deviance",
    "weighted_squared_error": "sse",
    "standard_deviation": "standard_deviation",
    "fifth_root": "fifth_root",
}
_MEASURE_OF_CLASS_SCORE: dict[str, Measure] = {
    "gini": "gini",
    "misclassification": "misclassification",
    "ordinal_gini": "ordinal_gini",
    "entropy": "entropy",
    "gain_ratio": "entropy",
    "impurity_ratio": "entropy",
}


@dataclass(frozen=True, kw_only=True)
class ThresholdScores:
    """Scores of every candidate cut of a column, lowest threshold first."""

    thresholds: FloatArray
    scores: FloatArray  # what the criterion maximises; -inf for a cut that no tree makes
    # Impurity (or error) of the two sides, weighted by their share; NaN for chi2, twoing and
    # hellinger, which judge both sides together.
    impurities: FloatArray

    @property
    def best(self) -> FloatArray:
        """Thresholds of the best score, lowest first; several where they tie up to rounding."""
        if self.scores.size == 0:
            return self.thresholds
        top = self.scores.max()
        if top == -np.inf:
            return self.thresholds[:0]
        ties = np.isclose(self.scores, top, rtol=1e-12, atol=1e-12)
        return np.asarray(self.thresholds[ties], dtype=np.float64)


def candidate_thresholds(
    x: ArrayLike, y: Iterable[object] | None = None, *, rule: ThresholdRule = "class_boundaries"
) -> FloatArray:
    """Return the midpoints between neighbouring distinct values of a column.

    Parameters
    ----------
    x : array-like of shape (n_rows,)
        The column; NaN is missing and left out.
    y : iterable, optional
        Classes; needed by the rule "class_boundaries".
    rule : {"class_boundaries", "all"}
        "class_boundaries" leaves out a midpoint when all rows at both neighbouring values have one
        and the same class: no concave impurity is ever best there (Fayyad & Irani 1992).

    Examples
    --------
    >>> candidate_thresholds([10, 15, 21, 28], ["-", "+", "+", "-"])
    array([12.5, 24.5])
    >>> candidate_thresholds([10, 15, 21, 28], rule="all")
    array([12.5, 18. , 24.5])
    """
    check_choice("rule", rule, get_args(ThresholdRule))
    column = _column(x)
    known = ~np.isnan(column)
    values = np.unique(column[known])
    cuts = _midpoints(values)
    if rule == "all":
        return cuts
    if y is None:
        raise DataError(
            "y is needed to find the class boundaries.\n  Hint: rule='all' needs no classes."
        )
    target = _as_list(y, column.size)
    counts = contingency(
        [value for value, is_known in zip(column.tolist(), known, strict=True) if is_known],
        [label for label, is_known in zip(target, known, strict=True) if is_known],
    ).table
    n_classes_at_both = ((counts[:-1] > 0.0) | (counts[1:] > 0.0)).sum(axis=1)
    return np.asarray(cuts[n_classes_at_both > 1], dtype=np.float64)


def threshold_scores(
    x: ArrayLike,
    y: Iterable[object],
    *,
    criterion: ClassScore | ValueScore = "entropy",
    rule: ThresholdRule | None = None,
    weights: ArrayLike | None = None,
) -> ThresholdScores:
    """Return the score of every candidate cut of a numeric column; entropies are in bits.

    Rows whose value is missing are left out, also of the impurity before the split. A cut scores
    -inf by "poisson" if all targets of a side are 0: the side would predict a rate of 0, under
    which no later count is possible, and trees do not make it.

    Parameters
    ----------
    x : array-like of shape (n_rows,)
    y : iterable of n_rows
        Classes, or numbers where the criterion is one of regression.
    criterion : str
        A criterion of ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.
    rule : {"class_boundaries", "all"}, optional
        By default "class_boundaries" for classes and "all" for numbers.
    weights : array-like, optional

    Examples
    --------
    >>> found = threshold_scores([10, 15, 21, 28], ["-", "+", "+", "-"])
    >>> found.thresholds, found.scores.round(3)
    (array([12.5, 24.5]), array([0.311, 0.311]))
    >>> threshold_scores([1, 2, 3], [8, 8, 14], criterion="squared_error").best
    array([2.5])
    """
    check_choice("criterion", criterion, (*CLASS_SCORES, *VALUE_SCORES))
    column = _column(x)
    target = _as_list(y, column.size)
    row_weights = as_weights(weights, column.size)
    keep = ~np.isnan(column) & (row_weights > 0.0)  # a row of weight 0 has no effect
    column, row_weights = column[keep], row_weights[keep]
    target = [label for label, kept in zip(target, keep, strict=True) if kept]
    if criterion in _MEASURE_OF_VALUE_SCORE:
        cuts = candidate_thresholds(column, target, rule=rule or "all")
        return _value_scores(
            column,
            as_values(np.array(target), name="y"),
            row_weights,
            cuts,
            measure=_MEASURE_OF_VALUE_SCORE[criterion],
        )
    cuts = candidate_thresholds(column, target, rule=rule or "class_boundaries")
    return _class_scores(column, target, row_weights, cuts, criterion=criterion)


def _class_scores(
    column: FloatArray,
    target: list[object],
    weights: FloatArray,
    cuts: FloatArray,
    *,
    criterion: str,
) -> ThresholdScores:
    if cuts.size == 0:
        return ThresholdScores(thresholds=cuts, scores=cuts.copy(), impurities=cuts.copy())
    counts = contingency(column.tolist(), target, weights=weights)
    below = np.searchsorted(np.array(counts.values, dtype=np.float64), cuts, side="right")
    upward = np.cumsum(counts.table, axis=0)
    left = upward[below - 1]
    # Summed from above rather than subtracted, so that rounding leaves no weight over.
    right = np.cumsum(counts.table[::-1], axis=0)[::-1][below]
    tables = np.stack([left, right], axis=1)
    measure = _MEASURE_OF_CLASS_SCORE.get(criterion)
    return ThresholdScores(
        thresholds=cuts,
        scores=scores_of(tables, criterion=criterion),  # type: ignore[arg-type]
        impurities=(
            np.full(cuts.size, np.nan)
            if measure is None
            else weighted_impurity_of(tables, measure=measure)
        ),
    )


def _value_scores(
    column: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    cuts: FloatArray,
    *,
    measure: ValueMeasure,
) -> ThresholdScores:
    scores, errors = np.empty(cuts.size), np.empty(cuts.size)
    for i, cut in enumerate(cuts):
        sides = [column <= cut, column > cut]
        parts = [target[side] for side in sides]
        part_weights = [weights[side] for side in sides]
        scores[i] = error_reduction(parts, measure=measure, weights=part_weights)
        errors[i] = weighted_error(parts, measure=measure, weights=part_weights)
        if measure == "poisson_deviance" and not all(part.any() for part in parts):
            scores[i] = -np.inf
    return ThresholdScores(thresholds=cuts, scores=scores, impurities=errors)


def _midpoints(values: FloatArray) -> FloatArray:
    below, above = values[:-1], values[1:]
    with np.errstate(invalid="ignore"):
        middle = below / 2.0 + above / 2.0  # halves first: the sum could overflow
    # Kept inside [below, above): beside an infinity, or between adjacent floats, it is `below`.
    return np.where((middle >= below) & (middle < above), middle, below)


def _column(x: ArrayLike) -> FloatArray:
    column = as_floats(x, name="x")
    if column.ndim != 1:
        raise DataError(f"x must be one column of numbers; its shape is {column.shape}.")
    return column


def _as_list(y: Iterable[object], n_rows: int) -> list[object]:
    target = list(y)
    if len(target) != n_rows:
        raise DataError(f"x has {n_rows} rows and y has {len(target)}; they must be as many.")
    return target
