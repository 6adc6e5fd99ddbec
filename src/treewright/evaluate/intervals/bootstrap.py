"""Intervals of any metric, by drawing the rows again (Efron 1979, Ann. Stat. 7)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from treewright.array_types import Int64Array
from treewright.errors import DataError
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.interval import Interval
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
    n_unknown = int(np.count_nonzero(~np.isfinite(draws)))
    if n_unknown:
        raise DataError(
            f"metric gave no finite number on {n_unknown} of {len(draws)} draws of the rows.\n"
            "  Hint: strata=y draws as many rows of each class as there are."
        )
    low, high = map(float, result.confidence_interval)
    if math.isnan(low) or math.isnan(high):  # BCa of draws that are all alike, or on one side
        tail = (1 - options["level"]) / 2
        low, high = map(float, np.quantile(draws, [tail, 1 - tail]))
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
