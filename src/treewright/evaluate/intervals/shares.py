"""Intervals of a share: accuracy, error, recall, precision, ``k`` of ``n`` rows.

Conventions, for every method:

* n = 0: nothing is known; the value is NaN, the interval 0 to 1;
* k = 0 and k = n: the interval starts at 0, or ends at 1. Wilson's and Clopper and Pearson's then
  still have a width; the normal one has none, which is why it is not the default anywhere;
* counts need not be whole: weights divide rows, and an effective number of rows stands for n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from treewright.array_types import FloatArray
from treewright.evaluate.intervals.clusters import Clusters
from treewright.evaluate.intervals.flags import as_flags
from treewright.evaluate.intervals.interval import Interval, deviate
from treewright.measures import wilson_interval
from treewright.parameters import check_choice, check_number, check_share

ShareMethod: TypeAlias = Literal["wilson", "normal", "clopper_pearson"]
SHARE_METHODS: tuple[ShareMethod, ...] = get_args(ShareMethod)

_ROUNDING = 1e-9
"""Weights that are added in another order may leave k this share above n."""


def wilson(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Return Wilson's interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22).

    Its mean coverage is near the level even for few rows and small shares (Brown, Cai and DasGupta
    2001, Stat. Sci. 16); for a single share it can be a few points off, as counts are whole.

    Parameters
    ----------
    k, n
        Hits and rows; weights may make them fractions.
    level
        Confidence level.

    Examples
    --------
    >>> print(wilson(70, 500))
    14.0 %, 11.2 to 17.3 % (95 %)
    >>> print(wilson(0, 20))
    0.0 %, 0.0 to 16.1 % (95 %)
    """
    _check_counts(k, n)
    low, high = wilson_interval(k, n, level=level)
    return _share(k, n, float(low), float(high), level, "Wilson")


def normal(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Return the normal interval of a share, e ± z sqrt(e (1 - e) / n), cut at 0 and 1.

    The textbooks' interval (Mitchell 1997, section 5.2.2; Wald's). It is too narrow for few rows
    and for shares near 0 or 1, and has no width at k = 0 or k = n: better :func:`wilson`.

    Examples
    --------
    12 errors in 40 test rows:

    >>> print(normal(12, 40))
    30.0 %, 15.8 to 44.2 % (95 %)
    """
    _check_counts(k, n)
    z = deviate(level)
    if n == 0:
        return _share(k, n, 0.0, 1.0, level, "normal")
    share = k / n
    reach = z * math.sqrt(max(share * (1 - share), 0.0) / n)
    return _share(k, n, share - reach, share + reach, level, "normal")


def clopper_pearson(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Return the exact interval of a share (Clopper and Pearson 1934, Biometrika 26).

    It never covers the true share less often than its level, and mostly more often.

    Examples
    --------
    >>> print(clopper_pearson(0, 20))
    0.0 %, 0.0 to 16.8 % (95 %)
    """
    _check_counts(k, n)
    check_share("level", level)
    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return _share(k, n, low, high, level, "Clopper-Pearson")


_OF_METHOD: dict[ShareMethod, Callable[..., Interval]] = {
    "wilson": wilson,
    "normal": normal,
    "clopper_pearson": clopper_pearson,
}


def share(
    hits: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    method: ShareMethod = "wilson",
) -> Interval:
    """Return the interval of a share from one hit or miss per row, with weights and groups.

    Weights are shares, not counts: only their ratios matter. They make rows worth fewer, namely
    (sum w)² / sum w² rows (Kish 1965, section 8.2). Rows of one group are not independent: n is
    then the number of independent rows that would give the variance between groups, with Student's
    t for few groups (Korn and Graubard 1998, Surv. Methodol. 24). If all rows are hits, or none
    is, groups show no variance and each counts as one row.

    Parameters
    ----------
    hits
        True or 1 for each row that counts, such as each row predicted rightly.
    weights
        Weights of the rows; rows of weight 0 do not count.
    groups
        The group of each row, such as its patient.
    level
        Confidence level.
    method
        ``"wilson"``, ``"normal"`` or ``"clopper_pearson"``.

    Examples
    --------
    >>> print(share([1, 1, 0, 1, 1, 1, 0, 1]))
    75.0 %, 40.9 to 92.9 % (95 %)
    >>> print(share([1, 1, 0, 1, 1, 1, 0, 1], groups=[1, 1, 2, 1, 1, 1, 2, 1]))
    75.0 %, 0.5 to 99.9 % (95 %)
    """
    check_choice("method", method, SHARE_METHODS)
    is_hit = as_flags(
        hits, name="hits", example="y == predicted is True for each row that is right"
    ).astype(np.float64)
    rows = Clusters.read(len(is_hit), weights, groups)
    if rows.total == 0:
        return _OF_METHOD[method](0, 0, level=level)
    found = rows.mean(is_hit)
    n = rows.effective_rows if rows.group_of_row is None else _independent_rows(rows, is_hit, level)
    interval = _OF_METHOD[method](found * n, n, level=level)
    # The effective counts are fractions; the share itself is taken from the rows.
    return replace(interval, value=found, method=interval.method + rows.words)


def _independent_rows(rows: Clusters, is_hit: FloatArray, level: float) -> float:
    n_groups, found = rows.n_groups, rows.mean(is_hit)
    if n_groups < 2:
        return 0.0
    error = rows.mean_error(is_hit)
    n = found * (1 - found) / error**2 if error > 0 else float(n_groups)
    # Groups can only take away: where they seem to add, that is chance.
    n = min(n, rows.effective_rows)
    return n * (deviate(level) / deviate(level, df=n_groups - 1)) ** 2


def _share(k: float, n: float, low: float, high: float, level: float, method: str) -> Interval:
    found = k / n if n else math.nan
    # Rounding must not leave the share found outside.
    return Interval(
        value=found,
        low=min(max(low, 0.0), found) if n else 0.0,
        high=max(min(high, 1.0), found) if n else 1.0,
        level=level,
        method=method,
        is_share=True,
    )


def _check_counts(k: float, n: float) -> None:
    check_number("n", n, low=0.0)
    check_number("k", k, low=0.0, high=float(n) * (1 + _ROUNDING) + _ROUNDING)
