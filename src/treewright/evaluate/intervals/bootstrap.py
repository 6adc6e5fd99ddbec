"""Intervals of any metric, by drawing the rows again (Efron 1979, Ann. Stat. 7)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from treewright.array_types import FloatArray, Int64Array
from treewright.errors import DataError
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.interval import Interval
from treewright.measures.checks import as_floats
from treewright.parameters import check_callable, check_choice, check_count, check_share

BootstrapMethod: TypeAlias = Literal["percentile", "bca"]
BOOTSTRAP_METHODS: tuple[BootstrapMethod, ...] = get_args(BootstrapMethod)


def bootstrap(
    metric: Callable[..., float],
    *columns: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    level: float = 0.95,
    method: BootstrapMethod = "percentile",
    n_resamples: int = 2000,
    random_state: int = 0,
    is_share: bool = False,
) -> Interval:
    """Return the interval of a metric over rows drawn again with replacement.

    Parameters
    ----------
    metric
        A function of the columns that returns one number, such as
        ``sklearn.metrics.matthews_corrcoef``. With `weights` it is called with
        ``sample_weight=`` as well.
    *columns
        Columns of equal length: actual and predicted values, for most metrics.
    weights
        Weights of the rows; they stay with their rows.
    groups
        The group of each row: whole groups are drawn, as rows of one group are not independent.
    strata
        The stratum of each row (or group), such as its class: as many are drawn of each stratum as
        there are, so that no class is ever absent.
    level
        Confidence level.
    method
        ``"percentile"`` (Efron 1979), or ``"bca"``, which corrects bias and skewness for as
        many more calls as there are rows or groups (Efron 1987, J. Am. Stat. Assoc. 82).
    n_resamples
        How many times rows are drawn.
    random_state
        Seed of the draws.
    is_share
        Whether the metric is a share, and prints as one.

    Returns
    -------
    Interval
        Without bounds where there are fewer than two rows (or groups) to draw from. Where every
        draw gives the same figure, it has no width.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> actual = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1] * 5
    >>> predicted = [1, 0, 1, 0, 0, 1, 1, 0, 1, 1] * 5
    >>> print(bootstrap(f1_score, actual, predicted, n_resamples=500))
    0.833, 0.721 to 0.916 (95 %)
    """
    check_callable("metric", metric)
    check_share("level", level)
    check_choice("method", method, BOOTSTRAP_METHODS)
    check_count("n_resamples", n_resamples, least=100)
    check_count("random_state", random_state, least=0)
    arrays = _as_columns(columns)
    n_rows = len(arrays[0])
    rows = Clusters.read(n_rows, weights, groups)

    def value_of(drawn: Int64Array) -> float:
        given = {} if weights is None else {"sample_weight": rows.weight[drawn]}
        return float(metric(*(column[drawn] for column in arrays), **given))

    found = value_of(np.arange(n_rows))
    name = f"bootstrap, {'BCa' if method == 'bca' else method}{rows.words}"
    units = _units(rows, n_rows)
    if len(units) < 2:
        low, high = -math.inf, math.inf
    else:
        low, high = _ends(
            lambda *drawn: value_of(np.concatenate([units[i] for i in np.concatenate(drawn)])),
            _by_stratum(units, strata),
            level=level,
            method=method,
            n_resamples=n_resamples,
            random_state=random_state,
        )
    return Interval(value=found, low=low, high=high, level=level, method=name, is_share=is_share)


def bootstrap_counts(
    metric: Callable[[FloatArray], ArrayLike],
    counts: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int = 0,
    is_share: bool = False,
) -> Interval:
    """Return the percentile interval of a metric of a table of counts, such as a confusion matrix.

    Drawing rows again is drawing the counts of their cells: all tables are drawn at once, which is
    far quicker than :func:`bootstrap`, for independent rows of equal weight.

    Parameters
    ----------
    metric
        A function of a stack of tables, the first axis of which runs over draws, that returns a
        number for each.
    counts
        Whole numbers: rows actual and columns predicted, for most metrics.
    level, n_resamples, random_state, is_share
        As for :func:`bootstrap`.

    Examples
    --------
    >>> def f1(tables):
    ...     right = tables[:, 1, 1]
    ...     return 2 * right / (2 * right + tables[:, 0, 1] + tables[:, 1, 0])
    >>> print(bootstrap_counts(f1, [[15, 5], [5, 25]]))
    0.833, 0.720 to 0.923 (95 %)
    """
    check_callable("metric", metric)
    check_share("level", level)
    check_count("n_resamples", n_resamples, least=100)
    check_count("random_state", random_state, least=0)
    table = as_floats(counts, name="counts")
    bad = ~np.isfinite(table) | (table < 0) | (table != np.round(table))
    if bad.any() or not table.sum() > 0:
        raise DataError(
            "counts must be whole numbers, at least 0 and not all 0.\n"
            "  Hint: bootstrap(metric, actual, predicted, weights=...) takes rows with weights."
        )
    random = np.random.default_rng(random_state)
    total = table.sum()
    drawn = random.multinomial(int(total), table.ravel() / total, size=n_resamples)
    (found,) = np.asarray(metric(table[None]), dtype=np.float64)
    draws = np.asarray(metric(drawn.reshape(n_resamples, *table.shape).astype(float)))
    _check_draws(draws)
    low, high = _quantiles(draws, level)
    name = "bootstrap, percentile"
    return Interval(
        value=float(found), low=low, high=high, level=level, method=name, is_share=is_share
    )


def _quantiles(draws: FloatArray, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def _check_draws(draws: FloatArray) -> None:
    n_unknown = int(np.count_nonzero(~np.isfinite(draws)))
    if n_unknown:
        raise DataError(
            f"metric gave no finite number on {n_unknown} of {len(draws)} draws of the rows.\n"
            "  Hint: strata=y draws as many rows of each class as there are."
        )


def _ends(
    statistic: Callable[..., float], samples: tuple[Int64Array, ...], **options: Any
) -> tuple[float, float]:
    with warnings.catch_warnings():
        # Told below, in words of ours.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        result = stats.bootstrap(
            samples,
            statistic,
            vectorized=False,
            confidence_level=options["level"],
            method="BCa" if options["method"] == "bca" else "percentile",
            n_resamples=options["n_resamples"],
            random_state=options["random_state"],
        )
    draws = result.bootstrap_distribution
    _check_draws(draws)
    low, high = map(float, result.confidence_interval)
    if math.isnan(low) or math.isnan(high):  # BCa of draws that are all alike, or on one side
        low, high = _quantiles(draws, options["level"])
    return low, high


def _units(rows: Clusters, n_rows: int) -> list[Int64Array]:
    """Return the rows of each unit that is drawn as a whole."""
    if rows.group_of_row is None:
        return list(np.arange(n_rows)[:, None])
    order = np.argsort(rows.group_of_row, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(rows.group_of_row[order])) + 1)


def _by_stratum(units: list[Int64Array], strata: ArrayLike | None) -> tuple[Int64Array, ...]:
    everything = np.arange(len(units))
    if strata is None:
        return (everything,)
    given = np.asarray(strata).tolist()
    n_rows = sum(map(len, units))
    if len(given) != n_rows:
        raise DataError(f"strata has {len(given)} values, but there are {n_rows} rows.")
    of_stratum: dict[object, list[int]] = {}
    for number, unit in enumerate(units):
        found = {given[row] for row in unit}
        if len(found) > 1:
            raise DataError(
                f"the group of row {int(unit[0])} has rows of several strata.\n"
                "  Hint: draw by groups or by strata, not both, where groups hold several classes."
            )
        of_stratum.setdefault(found.pop(), []).append(number)
    return tuple(np.array(each) for each in of_stratum.values())


def _as_columns(columns: tuple[ArrayLike, ...]) -> list[Any]:
    arrays = [np.asarray(column) for column in columns]
    if not arrays or any(each.ndim == 0 or len(each) != len(arrays[0]) for each in arrays):
        shapes = ", ".join(str(each.shape) for each in arrays) or "none"
        raise DataError(f"bootstrap needs columns of one length; their shapes are: {shapes}.")
    if not len(arrays[0]):
        raise DataError("the columns are empty; a bootstrap needs at least one row.")
    return arrays
