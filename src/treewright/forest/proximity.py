"""Proximities of rows: the share of a forest's trees in which two rows fall into the same leaf.

Breiman and Cutler, *Random Forests* (2003): proximities, and what follows from them, outliers and
prototypes. :class:`Proximity` holds the leaves of the rows and computes proximities on request;
only :meth:`Proximity.matrix` makes a matrix of rows x rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from treewright.array_types import Array, BoolArray, FloatArray, Int32Array, Int64Array
from treewright.core import Proximities
from treewright.errors import DataError, MemoryLimitError, ParameterError
from treewright.memory import available_memory
from treewright.parameters import check_count

_ROWS_AT_ONCE = 1024
"""Rows whose proximities are held in memory together while a result is computed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Neighbours:
    """The most similar rows of each row, the most similar first.

    Parameters
    ----------
    rows
        Their numbers, rows x k; -1 where a row shares leaves with fewer than k others.
    shares
        Their proximities, rows x k; 0 where there is no such row.
    """

    rows: Int32Array
    shares: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Prototype:
    """A row that stands for its class.

    Parameters
    ----------
    label
        The class.
    row
        The row with the most rows of the class among its nearest rows.
    neighbours
        Those rows, whose medians describe the class.
    """

    label: Any
    row: int
    neighbours: Int64Array


class Proximity:
    """The proximities of rows: in which share of the trees two rows fall into the same leaf.

    Parameters
    ----------
    leaves
        The leaf of each row in each tree, rows x trees.
    others
        The leaves of the rows to compare with; None compares the rows with each other.
    asked
        For each row and tree whether the tree counts for the row (out of bag: has not drawn it);
        two rows are compared by the trees that count for both. None is all.
    n_threads
        Threads to use; the results do not depend on it.

    Examples
    --------
    >>> leaves = np.array([[1, 3], [1, 4], [2, 4]], dtype=np.int32)
    >>> proximity = Proximity(leaves)
    >>> proximity.of(0, 1), proximity.of(0, 2)
    (0.5, 0.0)
    >>> proximity.row(1)
    array([0.5, 1. , 0.5])
    >>> proximity.nearest(1).rows.tolist()
    [[1], [0], [1]]
    """

    def __init__(
        self,
        leaves: Int32Array,
        others: Int32Array | None = None,
        *,
        asked: BoolArray | None = None,
        n_threads: int = 1,
    ) -> None:
        self._is_square = others is None
        if others is None:
            self._others, others_asked = leaves, asked
        else:
            self._others, others_asked = others, None
        self._leaves = leaves if asked is None else np.where(asked, leaves, np.int32(-1))
        self._others_asked = others_asked
        self._n_threads = n_threads
        n_trees = leaves.shape[1]
        self._core = Proximities(len(self._others), n_trees)
        for tree in range(n_trees):
            counts = None if others_asked is None else others_asked[:, tree].astype(np.uint32)
            self._core.add_tree(np.ascontiguousarray(self._others[:, tree]), counts)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, and of rows that they are compared with."""
        return len(self._leaves), len(self._others)

    def __repr__(self) -> str:
        n_rows, n_others = self.shape
        return f"Proximity({n_rows} x {n_others} rows, {self._leaves.shape[1]} trees)"

    def of(self, i: int, j: int) -> float:
        """Return the proximity of two rows; 0 where no tree counts for both."""
        _check_row("i", i, self.shape[0])
        _check_row("j", j, self.shape[1])
        counts = self._leaves[i] >= 0
        if self._others_asked is not None:
            counts = counts & self._others_asked[j]
        n_trees = int(counts.sum())
        met = int((counts & (self._leaves[i] == self._others[j])).sum())
        return met / n_trees if n_trees else 0.0

    def row(self, i: int) -> FloatArray:
        """Return the proximities of one row to all rows it is compared with."""
        _check_row("i", i, self.shape[0])
        shares: FloatArray = self._reaching(i, i + 1, 0.0).toarray()[0]
        return shares

    def nearest(self, k: int) -> Neighbours:
        """Return the k most similar rows of every row; of equally similar ones the first.

        A row is not its own neighbour. Only the result, rows x k, is held in memory.
        """
        check_count("k", k, least=1)
        if k > self.shape[1]:
            raise ParameterError(f"k={k} is more than the {self.shape[1]} rows there are.")
        first = 0 if self._is_square else -1
        rows, shares = self._core.nearest(self._leaves, int(k), first, self._n_threads)
        return Neighbours(rows=rows, shares=shares)

    def sparse(self, *, threshold: float = 0.0, k: int | None = None) -> csr_matrix:
        """Return the proximities as a sparse matrix.

        Parameters
        ----------
        threshold
            Only proximities of at least this (and above 0) are kept.
        k
            Only those of the k nearest rows are kept, and not the rows' own.

        Raises
        ------
        MemoryLimitError
            When the result takes more than half of the memory there is.
        """
        if not 0.0 <= threshold <= 1.0:
            raise ParameterError(f"threshold={threshold!r} must be a share, from 0 to 1.")
        if k is not None:
            return self._sparse_nearest(k, threshold)
        parts: list[csr_matrix] = []
        n_bytes = 0
        for begin in range(0, self.shape[0], _ROWS_AT_ONCE):
            end = min(begin + _ROWS_AT_ONCE, self.shape[0])
            parts.append(self._reaching(begin, end, threshold))
            n_bytes += parts[-1].nnz * 12
            _check_memory(2 * n_bytes, "threshold=... or k=... keeps only similar rows.")
        return _stacked(parts, self.shape)

    def matrix(self) -> FloatArray:
        """Return all proximities as one array, rows x rows.

        Raises
        ------
        MemoryLimitError
            When it would take more than half of the memory there is; nothing is allocated then.
        """
        _check_memory(
            8 * self.shape[0] * self.shape[1], "nearest(k) and sparse(threshold=...) take less."
        )
        matrix = np.zeros(self.shape)
        for begin in range(0, self.shape[0], _ROWS_AT_ONCE):
            end = min(begin + _ROWS_AT_ONCE, self.shape[0])
            self._reaching(begin, end, 0.0).toarray(out=matrix[begin:end])
        return matrix

    def outliers(self, classes: npt.ArrayLike) -> FloatArray:
        """Return how far each row is from the others of its class (its outlier score).

        The number of rows divided by the sum of the squared proximities to the rows of the class,
        less the median of that over the class, divided by the mean absolute deviation from the
        median, as in Breiman and Cutler's program. Above about 10 a row is an outlier.

        Parameters
        ----------
        classes
            The class of each row; all equal for a numeric target.
        """
        codes = self._codes(classes)[1]
        raw = np.empty(self.shape[0])
        for begin in range(0, self.shape[0], _ROWS_AT_ONCE):
            end = min(begin + _ROWS_AT_ONCE, self.shape[0])
            part = self._reaching(begin, end, 0.0).tocoo()
            of_class = codes[part.row + begin] == codes[part.col]
            is_other = part.row + begin != part.col
            squares = np.where(of_class & is_other, part.data**2, 0.0)
            # The proximity of a row to itself is 1, even where it is out of bag for no tree.
            raw[begin:end] = len(raw) / (
                1.0 + np.bincount(part.row, weights=squares, minlength=end - begin)
            )
        for code in np.unique(codes):
            members = codes == code
            raw[members] -= np.median(raw[members])
            deviation = np.abs(raw[members]).mean()
            raw[members] = raw[members] / deviation if deviation > 0 else 0.0
        return raw

    def prototypes(self, classes: npt.ArrayLike, *, k: int, n: int = 1) -> tuple[Prototype, ...]:
        """Return the rows that are most typical of each class.

        The first prototype of a class is the row with the most rows of the class among its k
        nearest; each further one is found likewise among the rows that are not near an earlier one.
        The medians of the neighbours' columns describe it.

        Parameters
        ----------
        classes
            The class of each row.
        k
            Nearest rows to look at.
        n
            Prototypes of each class; fewer where rows run out.
        """
        check_count("n", n, least=1)
        labels, codes = self._codes(classes)
        nearest = self.nearest(k).rows
        found = []
        for code, label in enumerate(labels):
            of_class = (nearest >= 0) & (codes[nearest] == code)
            is_free = np.ones(len(codes), dtype=bool)
            for _ in range(n):
                counts = np.where(is_free, (of_class & is_free[nearest]).sum(axis=1), 0)
                best = int(np.argmax(counts))
                if counts[best] == 0:
                    break
                near = nearest[best][of_class[best] & is_free[nearest[best]]].astype(np.int64)
                found.append(Prototype(label=label, row=best, neighbours=near))
                is_free[near] = False
                is_free[best] = False
        return tuple(found)

    def _codes(self, classes: npt.ArrayLike) -> tuple[Array, Int64Array]:
        if not self._is_square:
            raise DataError("rows that are compared with other rows have no class among them.")
        given = np.asarray(classes)
        if given.shape != (self.shape[0],):
            raise DataError(f"classes has shape {given.shape}, but there are {self.shape[0]} rows.")
        labels, codes = np.unique(given, return_inverse=True)
        return labels, codes.reshape(-1)

    def _reaching(self, begin: int, end: int, threshold: float) -> csr_matrix:
        start, rows, shares = self._core.reaching(
            self._leaves[begin:end], threshold, self._n_threads
        )
        return csr_matrix((shares, rows, start), shape=(end - begin, self.shape[1]))

    def _sparse_nearest(self, k: int, threshold: float) -> csr_matrix:
        nearest = self.nearest(k)
        kept = (nearest.rows >= 0) & (nearest.shares >= threshold)
        start = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        matrix = csr_matrix((nearest.shares[kept], nearest.rows[kept], start), shape=self.shape)
        matrix.sort_indices()
        return matrix


def _stacked(parts: list[csr_matrix], shape: tuple[int, int]) -> csr_matrix:
    start = [np.zeros(1, dtype=np.int64)]
    for part in parts:
        start.append(part.indptr[1:].astype(np.int64) + start[-1][-1])
    return csr_matrix(
        (
            np.concatenate([part.data for part in parts]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate(start),
        ),
        shape=shape,
    )


def _check_row(name: str, row: int, n_rows: int) -> None:
    if not 0 <= row < n_rows:
        raise IndexError(f"{name}={row} of {n_rows} rows")


def _check_memory(n_bytes: int, hint: str) -> None:
    available = available_memory()
    if available is not None and n_bytes > available // 2:
        raise MemoryLimitError(
            f"the proximities would take {n_bytes / 2**30:.1f} GiB;"
            f" {available / 2**30:.1f} GiB are available.\n  Hint: {hint}"
        )
