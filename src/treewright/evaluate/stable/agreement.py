"""Agreement of several sets of predictions, or of shares; each line is one set."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from treewright.array_types import BoolArray, FloatArray, IntegerArray


def share_alike(codes: IntegerArray, *, counted: BoolArray | None = None) -> float | None:
    """Return the share of equal entries, over all pairs of lines.

    Parameters
    ----------
    codes
        A line of classes, as numbers, per set.
    counted
        Entries that count: in a pair of lines, those counted in both. None counts all.

    Returns
    -------
    float or None
        None where no entry counts.

    Examples
    --------
    >>> share_alike(np.array([[0, 1, 1], [0, 1, 2], [0, 0, 0]]))
    0.4444444444444444
    """
    n_alike, n_counted = 0, 0
    for one, two in combinations(range(len(codes)), 2):
        alike = codes[one] == codes[two]
        if counted is None:
            n_counted += len(alike)
        else:
            both = counted[one] & counted[two]
            n_counted += int(np.count_nonzero(both))
            alike &= both
        n_alike += int(np.count_nonzero(alike))
    return n_alike / n_counted if n_counted else None


def fleiss_kappa(codes: IntegerArray) -> float:
    """Return the agreement of all pairs of lines beyond chance (Fleiss 1971, Psychol. Bull. 76).

    (P - E) / (1 - E), with P the share of equal entries and E the sum of squared class shares:
    the agreement expected by chance. 1 where there is one class only.

    Examples
    --------
    >>> round(fleiss_kappa(np.array([[0, 0, 1, 1], [0, 0, 1, 0]])), 4)
    0.4667
    """
    counts = np.bincount(codes.ravel())
    by_chance = float(np.sum((counts / codes.size) ** 2))
    found = share_alike(codes)
    assert found is not None
    return (found - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0


def concordance(values: FloatArray, *, counted: BoolArray | None = None) -> float | None:
    """Return the mean concordance correlation of all pairs of lines (Lin 1989, Biometrics 45).

    2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2): 1 for equal lines, less for a shift or a change
    of scale, 0 for lines that do not vary together. Equal constants have 1, other constants 0.

    Parameters
    ----------
    values
        A line of numbers per set.
    counted
        As for :func:`share_alike`; a pair with fewer than two such entries is left out.

    Returns
    -------
    float or None
        None where no pair is left.

    Examples
    --------
    >>> concordance(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    1.0
    >>> round(concordance(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])), 4)
    0.5714
    """
    found = []
    for one, two in combinations(range(len(values)), 2):
        x, y = values[one], values[two]
        if counted is not None:
            both = counted[one] & counted[two]
            x, y = x[both], y[both]
        if len(x) >= 2:
            found.append(_lin(x, y))
    return float(np.mean(found)) if found else None


def _lin(x: FloatArray, y: FloatArray) -> float:
    # In units of the largest number, so that squares stay finite.
    scale = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    x, y = x / scale, y / scale
    apart = float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    if apart == 0:
        return 1.0
    return float(2 * np.mean((x - x.mean()) * (y - y.mean())) / apart)


def overlap(shares: FloatArray) -> float:
    """Return the overlap of two lines of shares, as a mean over all pairs.

    The sum of the smaller shares over the sum of the larger ones (Ruzicka 1958, Biologia 13). Two
    empty lines agree about nothing and are not counted; 1 if all lines are empty.

    Examples
    --------
    >>> overlap(np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]]))
    0.6
    >>> overlap(np.array([[1.0], [0.0], [0.0]]))
    0.0
    """
    found = []
    for one, two in combinations(shares, 2):
        larger = float(np.maximum(one, two).sum())
        if larger > 0:
            found.append(float(np.minimum(one, two).sum()) / larger)
    return float(np.mean(found)) if found else 1.0
