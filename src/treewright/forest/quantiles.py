"""Quantiles of the target given a row, from the training rows that share its leaves.

Each tree spreads a weight of 1 over the training rows in the leaf that a row falls into; averaged
over the trees these weights are an estimate of the whole distribution of the target given the row
(Meinshausen, *Quantile Regression Forests*, JMLR 7, 2006, section 3)::

    w_i(x) = mean over trees of  weight_i [i in leaf(x)] / weight of leaf(x)
    F(y | x) = sum of w_i(x) over y_i <= y,      Q(a | x) = min { y_i : F(y_i | x) >= a }
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.array_types import FloatArray, Int32Array, UInt32Array
from treewright.core import LeafTargets as CoreLeafTargets
from treewright.core import own_shares as core_own_shares

Times = Callable[[int], UInt32Array]


class LeafTargets:
    """The targets of the training rows in each leaf of each tree.

    Parameters
    ----------
    leaves
        The leaf of each training row in each tree, rows x trees.
    values
        The targets, rows x outputs.
    weight
        Weight of each row; None if all are equal.
    times
        Returns how many times a tree has drawn each row, given the number of the tree; None is once
        each.

    Examples
    --------
    Two trees; the second has all rows in one leaf:

    >>> leaves = np.array([[1, 0], [1, 0], [2, 0]], dtype=np.int32)
    >>> targets = LeafTargets(leaves, np.array([[10.0], [20.0], [60.0]]))
    >>> targets.quantiles(np.array([[1, 0]], dtype=np.int32), np.array([0.1, 0.5, 0.9]))[0, 0]
    array([10., 20., 60.])
    """

    def __init__(
        self,
        leaves: Int32Array,
        values: FloatArray,
        *,
        weight: FloatArray | None = None,
        times: Times | None = None,
    ) -> None:
        self._outputs = []
        for target in values.T:
            distinct, ranks = np.unique(target, return_inverse=True)
            of_row = ranks.reshape(-1).astype(np.uint32)
            self._outputs.append((distinct, CoreLeafTargets(of_row, len(distinct), weight)))
        for tree in range(leaves.shape[1]):
            of_tree = np.ascontiguousarray(leaves[:, tree])
            drawn = None if times is None else times(tree)
            for _, core in self._outputs:
                core.add_tree(of_tree, drawn)

    def quantiles(
        self, leaves: Int32Array, levels: FloatArray, *, n_threads: int = 1
    ) -> FloatArray:
        """Return the quantiles of the target for rows that fall into these leaves.

        Parameters
        ----------
        leaves
            The leaf of each row in each tree, rows x trees.
        levels
            Shares in [0, 1], in any order.

        Returns
        -------
        array of rows x outputs x levels
            NaN where no tree has a training row in the row's leaf.
        """
        order = np.argsort(levels, kind="stable")
        found = np.empty((len(leaves), len(self._outputs), len(levels)))
        for output, (distinct, core) in enumerate(self._outputs):
            found[:, output, order] = core.quantiles(
                distinct, np.ascontiguousarray(leaves), levels[order], n_threads
            )
        return found

    def own_shares(
        self,
        leaves: Int32Array,
        *,
        stands_there: bool,
        groups: UInt32Array | None = None,
        n_threads: int = 1,
    ) -> FloatArray:
        """Return where the target of each training row lies in the distribution given the row.

        Parameters
        ----------
        leaves
            Those of the training rows, rows x trees; negative in trees that are to be skipped.
        stands_there
            Whether the leaves contain the row itself, which is then left out.
        groups
            The group of each row: the others of a row's group are left out with it.

        Returns
        -------
        array of outputs x rows x 2
            The weight below the target and the weight up to it; NaN where every tree is skipped.
        """
        return np.stack(
            [
                core_own_shares(core, leaves, stands_there, groups, n_threads)
                for _, core in self._outputs
            ]
        )


def calibrated_levels(shares: FloatArray, weight: FloatArray | None, level: float) -> FloatArray:
    """Return the two levels between which a share `level` of the rows lies, from known targets.

    ``Q(a) <= y`` is ``F(y) >= a``, and ``y <= Q(a)`` is ``F(y - 0) < a``; so the levels are the
    quantiles of F(y) and F(y - 0) over such rows, allowing for one more row (Chernozhukov,
    Wuethrich and Zhu, *Distributional conformal prediction*, PNAS 118, 2021).

    Parameters
    ----------
    shares
        F(y - 0) and F(y) of the rows, rows x 2, as :meth:`LeafTargets.own_shares` returns them.
    weight
        Weights of the rows; None if all are equal.
    level
        The share of rows that is to lie between.

    Examples
    --------
    Of 19 rows whose targets are spread evenly, one in ten lies beyond each end:

    >>> even = np.arange(1, 20) / 20.0
    >>> calibrated_levels(np.column_stack([even, even]), None, 0.8).round(3)
    array([0.1, 0.9])
    """
    known = np.isfinite(shares[:, 1])
    counts = np.ones(len(shares)) if weight is None else weight
    known &= counts > 0
    counts = counts[known]
    rest = (1.0 - level) / 2.0 * (counts.sum() + 1.0) * (1.0 + 1e-12)

    def beyond(ends: FloatArray) -> float:
        """Return the value up to which the weight `rest` lies; -1 where the first row has more."""
        order = np.argsort(ends, kind="stable")
        n_beyond = int(np.searchsorted(np.cumsum(counts[order]), rest, side="right"))
        return float(ends[order][n_beyond - 1]) if n_beyond else -1.0

    low = max(0.0, beyond(shares[known, 1]))
    high = -beyond(-shares[known, 0])  # F(y - 0) < a is strict: hence 1e-9 below
    return np.array([low, min(1.0, high + 1e-9)])
