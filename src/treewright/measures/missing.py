"""Gain of a split on a column with missing values, by each strategy for them."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import ParameterError
from treewright.measures.checks import as_weights, check_base
from treewright.measures.contingency import Contingency, contingency, distinct, is_missing
from treewright.measures.impurity import MEASURES, Measure, gain_of
from treewright.parameters import check_choice

MissingStrategy = Literal[
    "divide", "fractional", "most_likely", "most_likely_in_class", "own_branch", "fill"
]


def most_common(
    x: Iterable[object],
    *,
    values: Sequence[object] | None = None,
    weights: ArrayLike | None = None,
) -> tuple[object, ...]:
    """Return the most frequent known value of a column; all of them, in order, where several tie.

    Parameters
    ----------
    x : iterable
        The column; None and NaN are missing.
    values : sequence, optional
        Declared values, in order; by default those that occur, sorted.
    weights : array-like, optional
        One weight per row; 1 by default.

    Examples
    --------
    >>> most_common(["High", None, "Normal", "High"])
    ('High',)
    >>> most_common(["High", None, "Normal"])
    ('High', 'Normal')
    """
    column = list(x)
    row_weights = as_weights(weights, len(column))
    order = (
        distinct([value for value in column if not is_missing(value)])
        if values is None
        else tuple(values)
    )
    counts = contingency(
        column, [0] * len(column), values=order, classes=[0], weights=row_weights
    ).table[:, 0]
    if counts.size == 0 or not counts.max() > 0.0:
        return ()
    return tuple(value for value, count in zip(order, counts, strict=True) if count == counts.max())


def gain_with_missing(
    x: Iterable[object],
    y: Iterable[object],
    *,
    strategy: MissingStrategy = "divide",
    fill: object = None,
    measure: Measure = "entropy",
    base: float = 2.0,
    values: Sequence[object] | None = None,
    classes: Sequence[object] | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Return the gain of one branch per value, on a column with missing values.

    Parameters
    ----------
    x, y : iterable
        The column (None and NaN are missing) and the classes.
    strategy : str
        - "divide": gain over the known rows times their share of the weight (Quinlan 1993, ch. 3);
        - "fractional": a missing row counts in every branch, in proportion to the branches' known
          weight, and the gain is over all rows;
        - "most_likely": a missing value counts as the most frequent one; the first of several;
        - "most_likely_in_class": the same among the rows of its class (of all rows, where the class
          has no known value);
        - "own_branch": missing is one more value;
        - "fill": a missing value counts as ``fill``.
    fill : object
        The value for the strategy "fill".
    measure, base, values, classes, weights
        As in ``gain`` and ``contingency``.

    Examples
    --------
    The five sunny days, the humidity of one of them missing:

    >>> humidity = ["High", "High", None, "Normal", "Normal"]
    >>> play = ["No", "No", "No", "Yes", "Yes"]
    >>> round(gain_with_missing(humidity, play), 3)
    0.8
    >>> round(gain_with_missing(humidity, play, strategy="fractional"), 3)
    0.61
    >>> round(gain_with_missing(humidity, play, strategy="most_likely_in_class"), 3)
    0.971
    """
    check_choice("strategy", strategy, get_args(MissingStrategy))
    check_choice("measure", measure, MEASURES)
    check_base(base)
    counts = contingency(x, y, values=values, classes=classes, weights=weights)
    if strategy == "fill" and fill not in counts.values:
        raise ParameterError(f"fill={fill!r} must be a value of the column: {counts.values!r}.")
    known, missing = float(counts.table.sum()), float(counts.missing.sum())
    if not known > 0.0:
        return 0.0
    table = _completed(counts, strategy=strategy, fill=fill)
    gained = float(gain_of(table, measure=measure, base=base))
    return gained * known / (known + missing) if strategy == "divide" else gained


def _completed(counts: Contingency, *, strategy: MissingStrategy, fill: object) -> FloatArray:
    """Return the table with missing rows assigned to branches; under "divide", without them."""
    table = counts.table.copy()
    if strategy == "fractional":
        share = table.sum(axis=1) / table.sum()
        table += np.outer(share, counts.missing)
    elif strategy == "most_likely":
        table[int(np.argmax(table.sum(axis=1)))] += counts.missing
    elif strategy == "most_likely_in_class":
        of_all = int(np.argmax(counts.table.sum(axis=1)))
        for label, weight in enumerate(counts.missing):
            in_class = counts.table[:, label]
            table[int(np.argmax(in_class)) if in_class.any() else of_all, label] += weight
    elif strategy == "own_branch":
        table = np.vstack([table, counts.missing])
    elif strategy == "fill":
        table[counts.values.index(fill)] += counts.missing
    return table
