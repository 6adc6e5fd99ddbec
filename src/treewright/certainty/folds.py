"""Parts that rows are dealt into, so that each row is answered by a model that has not seen it."""

from __future__ import annotations

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.data.read.groups import RowGroups


def deal(
    n_rows: int,
    n_folds: int,
    *,
    seed: int = 0,
    classes: Array | None = None,
    groups: RowGroups | None = None,
) -> Int64Array:
    """Return the fold of each row; every fold has its share of each class.

    Whole groups are dealt, by the commonest class of their rows, where rows belong to groups.

    >>> np.bincount(deal(10, 3)).tolist()
    [4, 3, 3]
    """
    key = np.random.default_rng(seed).permutation(n_rows)
    if groups is not None:
        order = groups.in_order(key, classes=classes)
        return groups.folds(order, n_folds, classes=classes)
    keys: list[Array] = [key] if classes is None else [key, classes]
    folds = np.empty(n_rows, dtype=np.int64)
    folds[np.lexsort(keys)] = np.arange(n_rows) % n_folds
    return folds
