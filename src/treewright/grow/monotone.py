"""Monotonic constraints kept, to the last bit, by trees whose class weights were made anew.

A grown tree keeps them. Pruning that counts rows again, costs that are divided out and shrunken
leaves change the shares of its nodes one by one, and the order of its branches with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from treewright.tree.arrays import CUT

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree

_TRIES = 8
"""Neighbouring numbers tried for a weight whose share is within bounds (as in summary.cpp)."""


def in_order(tree: Tree, signs: Sequence[int] | None) -> Tree:
    """Return a tree of two classes whose shares of the second keep to constraints.

    As in growing, two branches of a constrained column have a bound in common: the middle of their
    shares. Where the leaves of both sides are in order already, the bound parts them and moves
    none, so that a tree that keeps to its constraints is returned as it is.

    Parameters
    ----------
    tree
        The tree.
    signs
        The constraint of every column: -1, 0 or 1; None constrains nothing.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], [0, 1, 1]).tree_
    >>> in_order(tree, [1]) is tree
    True
    >>> in_order(tree, [-1]).answers[:, 1].tolist()
    [0.6666666666666666, 0.5, 0.5]
    """
    if signs is None or tree.classes is None or len(tree.classes[0]) != 2:
        return tree
    shares = tree.answers[:, 1]
    lower, upper = _bounds(tree, shares, signs)
    moved = np.flatnonzero((shares < lower) | (shares > upper))
    if not len(moved):
        return tree
    value = tree.arrays.value.copy()
    for node in moved.tolist():
        own = (float(lower[node]), float(upper[node]))
        value[node] = _weights(float(shares[node]), own, float(tree.arrays.weight[node]))
    return tree.with_arrays(replace(tree.arrays, value=value), linear=tree.linear)


def _bounds(tree: Tree, shares: FloatArray, signs: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest share of each node that its ancestors leave room for."""
    arrays = tree.arrays
    least, most = _reach(tree, shares)
    lower, upper = np.zeros(tree.n_nodes), np.ones(tree.n_nodes)
    for node in np.flatnonzero(arrays.n_branches > 0).tolist():
        children = tree.children(node)
        lower[children.start : children.stop] = lower[node]
        upper[children.start : children.stop] = upper[node]
        sign = signs[int(arrays.column[node])] if arrays.kind[node] == CUT else 0
        if sign == 0:
            continue
        # A third branch is that of missing values, which are neither low nor high.
        below, above = children[:2] if sign > 0 else (children[1], children[0])
        bound = (shares[below] + shares[above]) / 2
        if most[below] <= least[above]:
            bound = min(max(bound, most[below]), least[above])
        bound = min(max(bound, lower[node]), upper[node])
        upper[below] = lower[above] = bound
    return lower, upper


def _reach(tree: Tree, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest share of the leaves below each node, leaves included."""
    is_leaf = tree.arrays.n_branches == 0
    least, most = np.where(is_leaf, shares, np.inf), np.where(is_leaf, shares, -np.inf)
    by_level = np.argsort(tree.levels, kind="stable")
    starts = np.searchsorted(tree.levels[by_level], np.arange(int(tree.levels.max()) + 2))
    for start, end in reversed([*pairwise(starts.tolist())][1:]):
        nodes = by_level[start:end]
        np.minimum.at(least, tree.arrays.parent[nodes], least[nodes])
        np.maximum.at(most, tree.arrays.parent[nodes], most[nodes])
    return least, most


def _weights(share: float, bounds: tuple[float, float], weight: float) -> tuple[float, float]:
    """Return the weights of two classes whose share, as it is predicted, is within bounds.

    They add up to the weight of the node, or to a power of two where no such weights do.
    """
    low, high = bounds
    share = min(max(share, low), high)
    up = down = share * weight
    for _ in range(_TRIES if weight > 0 else 0):
        for second in (up, down):
            first = weight - second
            if low <= second / (first + second) <= high:
                return first, second
        up, down = np.nextafter(up, weight), np.nextafter(down, 0.0)
    power = float(np.ldexp(1.0, int(np.frexp(weight)[1]) - 1)) if weight > 0 else 1.0
    return power - share * power, share * power
