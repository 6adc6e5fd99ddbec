"""Groups of rows that belong together: visits of a patient, orders of a customer.

What draws rows or holds some out keeps the rows of a group on one side: a figure measured on the
others then holds for new groups (docs/decisions/024).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array, UInt32Array, UInt64Array
from treewright.data.objects import is_missing
from treewright.data.read.dataframes import target_array
from treewright.errors import DataError


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroups:
    """The group of each row, by number; numbers of which no row is there count for nothing."""

    codes: UInt32Array

    @classmethod
    def read(cls, groups: Any, n_rows: int) -> RowGroups | None:
        """Return the groups of the rows from labels of any kind; None (every row alone) stays None.

        >>> RowGroups.read(["ann", "bob", "ann"], 3).codes.tolist()
        [0, 1, 0]
        """
        if groups is None:
            return None
        if isinstance(groups, str):
            raise DataError(
                f"groups={groups!r} is a text; groups are labels, one for each row.\n"
                f"  Hint: groups=X[{groups!r}], and leave the column out of X."
            )
        labels = target_array(groups)
        if labels.ndim != 1:
            raise DataError(
                f"groups has shape {labels.shape}; it must have one label for each row."
            )
        if len(labels) != n_rows:
            raise DataError(f"groups has {len(labels)} labels, the table has {n_rows} rows.")
        _refuse_gaps(labels)
        return cls(codes=_numbered(labels).astype(np.uint32))

    def take(self, rows: Int64Array) -> RowGroups:
        """Return the groups of the given rows."""
        return RowGroups(codes=self.codes[rows])

    @cached_property
    def n_groups(self) -> int:
        """Number of groups that have a row."""
        return int(np.count_nonzero(np.bincount(self.codes)))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of each group, by number."""
        sums = np.bincount(self.codes, weights=values).astype(np.float64)
        return sums

    def variance_of_mean(self, values: FloatArray, weight: FloatArray) -> float:
        """Return the variance of the weighted mean of rows that differ by group.

        Rows that belong together are no independent evidence: the deviations of each group are
        added up (the ultimate cluster estimator of Hansen, Hurwitz and Madow 1953, as in Kish 1965,
        section 6.3). Infinite for a single group.

        >>> RowGroups.read([1, 1, 2, 2], 4).variance_of_mean(np.array([0.0, 0, 1, 1]), np.ones(4))
        0.25
        """
        if self.n_groups < 2:
            return np.inf
        total = float(weight.sum())
        apart = self.sums(weight * (values - float(weight @ values) / total)) / total
        return float(apart @ apart) * self.n_groups / (self.n_groups - 1)

    def hashes(self, of_rows: UInt64Array) -> UInt64Array:
        """Return for each row the hash of its group: the sum of the hashes of the group's rows.

        It depends neither on the order of rows nor on the labels of groups.
        """
        order = np.argsort(self.codes, kind="stable")
        first = np.flatnonzero(np.diff(self.codes[order], prepend=-1))
        sums = np.add.reduceat(of_rows[order], first)
        hashes = np.empty_like(of_rows)
        hashes[order] = np.repeat(sums, np.diff(first, append=len(order)))
        return hashes

    def in_order(
        self, key: Array, *, classes: Array | None = None, values: Array | None = None
    ) -> Int64Array:
        """Return the groups by the commonest class or the mean of their rows, size, and key.

        Large groups come first, so that small ones can even out what they make uneven.

        Parameters
        ----------
        key
            A number of each row; the greatest of a group is the group's.
        classes, values
            The target of each row, one of the two or neither.
        """
        order = np.lexsort((key, self.codes))
        last = np.flatnonzero(np.diff(self.codes[order], append=-1))
        present = self.codes[order][last].astype(np.int64)
        sizes = np.bincount(self.codes)[present]
        keys: list[Array] = [key[order][last], -sizes]
        if classes is not None:
            keys.append(self.commonest(classes)[present])
        elif values is not None:
            keys.append(self.sums(values)[present] / sizes)
        return present[np.lexsort(keys)]

    def commonest(self, classes: Array) -> Int64Array:
        """Return the commonest class of each group, by number; the first of equals."""
        pairs = np.stack([self.codes.astype(np.int64), classes.astype(np.int64)])
        (groups, kinds), counts = np.unique(pairs, axis=1, return_counts=True)
        order = np.lexsort((-kinds, counts, groups))  # the last of a group is its commonest
        found = np.zeros(int(self.codes.max()) + 1, dtype=np.int64)
        found[groups[order]] = kinds[order]
        return found

    def folds(self, order: Int64Array, n_folds: int, *, classes: Array | None = None) -> Int64Array:
        """Return the fold of each row, whole groups dealt out in this order.

        A group goes to the fold that has the fewest rows of groups of its class, of equals the
        fewest rows; groups of one row are dealt in turn.
        """
        sizes: list[int] = np.bincount(self.codes).tolist()
        kinds = [0] * len(sizes) if classes is None else self.commonest(classes).tolist()
        n_rows = [0] * n_folds
        of_kind: dict[int, list[int]] = {}
        found = []
        for group in order.tolist():
            own = of_kind.setdefault(kinds[group], [0] * n_folds)
            fold = min(zip(own, n_rows, range(n_folds), strict=True))[2]
            own[fold] += sizes[group]
            n_rows[fold] += sizes[group]
            found.append(fold)
        return self.dealt(order, np.array(found, dtype=np.int64))

    def dealt(self, order: Int64Array, shares: Array) -> Array:
        """Return for each row what its group gets, if groups get `shares` in this order."""
        of_group = np.zeros(int(self.codes.max()) + 1, dtype=shares.dtype)
        of_group[order] = shares
        return of_group[self.codes]


def _refuse_gaps(labels: Array) -> None:
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind in "Mm":
        missing = np.isnat(labels)
    elif labels.dtype.kind in "OT":
        missing = np.fromiter(map(is_missing, labels.tolist()), dtype=np.bool_, count=len(labels))
    else:
        return
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise DataError(
            f"groups has no label for {int(missing.sum())} of {len(labels)} rows, the first of"
            f" them row {row}.\n  Hint: give each row that belongs to no group a label of its own."
        )


def _numbered(labels: Array) -> Int64Array:
    """Return the number of each label, in the order of first rows for labels of Python's types."""
    if labels.dtype.kind not in "OT":
        numbers: Int64Array = np.unique(labels, return_inverse=True)[1]
        return numbers
    number_of_label: dict[Any, int] = {}
    try:
        found = [
            number_of_label.setdefault(label, len(number_of_label)) for label in labels.tolist()
        ]
    except TypeError:
        kind = next(type(each).__name__ for each in labels.tolist() if not _is_hashable(each))
        raise DataError(
            f"groups holds a {kind}, which is no label.\n  Hint: text or whole numbers."
        ) from None
    return np.array(found, dtype=np.int64)


def _is_hashable(label: object) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True
