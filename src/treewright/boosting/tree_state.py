"""The trees of a boosted model in few arrays, without what follows from the rest.

All trees stand behind one another. Questions have no entries at leaves, and rows and weights of a
question are the sums of its branches: only those of leaves are kept, if the sums are exact, as they
are on the grid that the core adds on (docs/decisions/002-exact-sums.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, Int64Array

_NODES = {
    "first_child": np.int32,
    "column": np.int32,
    "cut": np.int32,
    "subset": np.int32,
    "missing_first": np.uint8,
    "n_rows": np.uint32,
    "weight": np.float64,
    "gain": np.float64,
    "value": np.float64,
}
_AT_LEAVES = {"first_child": -1, "column": 0, "cut": 0, "subset": -1, "missing_first": 0, "gain": 0}
"""What leaves have, where they have nothing."""
_SUMS = ("n_rows", "weight")
_LISTS = {
    "subset_bits": np.uint64,
    "line_start": np.uint32,
    "line_column": np.uint32,
    "line_coefficient": np.float64,
    "line_center": np.float64,
    "line_limits": np.float64,
}
"""Arrays that have other lengths than nodes; those of lines only where a tree has lines."""
_MOST_LEVELS = 4096


def joined(trees: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Return the arrays of all trees, one array for each name."""
    size = np.array([len(tree["first_child"]) for tree in trees], dtype=np.int64)
    nodes = {
        name: np.concatenate([tree[name] for tree in trees] or [np.empty(0, dtype)])
        for name, dtype in _NODES.items()
    }
    asks = nodes["first_child"] >= 0
    kept: dict[str, Array] = {"size": size, "asks": np.packbits(asks)}
    for name, array in nodes.items():
        nothing = _AT_LEAVES.get(name)
        if nothing is not None and (array[~asks] == nothing).all():
            array = array[asks]
            if name == "subset" and (array == nothing).all():
                array = array[:0]
        kept[name] = array
    parent = _parents(nodes["first_child"], size)
    for name in _SUMS:
        again = _summed(nodes[name][~asks], asks, parent, nodes[name].dtype)
        if again is not None and (again == nodes[name]).all():
            kept[name] = nodes[name][~asks]
    for name, dtype in _LISTS.items():
        if any(name in tree for tree in trees):
            own = [tree.get(name, np.empty(0, dtype)).reshape(-1) for tree in trees]
            kept[f"{name}_size"] = np.array([len(each) for each in own], dtype=np.int64)
            kept[name] = np.concatenate(own)
    return kept


def parted(kept: Mapping[str, Array]) -> list[dict[str, object]]:
    """Return the arrays of each tree; a ValueError where they do not fit together."""
    size = _whole(kept["size"])
    n_nodes = int(size.sum())
    n_bytes = -(-n_nodes // 8)
    if len(kept["asks"]) != n_bytes:
        raise ValueError(f"asks has {len(kept['asks'])} bytes instead of {n_bytes}")
    asks = np.unpackbits(_typed("asks", kept["asks"], np.uint8), count=n_nodes).astype(np.bool_)
    nodes: dict[str, Array] = {}
    for name, dtype in _NODES.items():
        array = _typed(name, kept[name], dtype)
        if len(array) != n_nodes and name in _AT_LEAVES:
            array = _spread(name, array, asks, _AT_LEAVES[name])
        nodes[name] = array
    parent = _parents(nodes["first_child"], size)
    for name in _SUMS:
        if len(nodes[name]) != n_nodes:
            again = _summed(nodes[name], asks, parent, nodes[name].dtype)
            if again is None:
                raise ValueError(f"{name} does not fit the nodes")
            nodes[name] = again
    wrong = next((name for name, array in nodes.items() if array.shape != (n_nodes,)), None)
    if wrong is not None:
        raise ValueError(f"{wrong} has other entries than there are nodes")
    ends = np.cumsum(size)
    trees: list[dict[str, object]] = [
        {name: array[end - n : end] for name, array in nodes.items()}
        for n, end in zip(size.tolist(), ends.tolist(), strict=True)
    ]
    for name, dtype in _LISTS.items():
        if name in kept:
            _part_list(trees, name, _typed(name, kept[name], dtype), _whole(kept[f"{name}_size"]))
    return trees


def _part_list(trees: list[dict[str, object]], name: str, array: Array, size: Int64Array) -> None:
    if len(size) != len(trees) or int(size.sum()) != len(array):
        raise ValueError(f"{name} has other entries than its sizes say")
    for tree, n, end in zip(trees, size.tolist(), np.cumsum(size).tolist(), strict=True):
        own = array[end - n : end]
        if n or not name.startswith("line_"):
            tree[name] = own.reshape(-1, 2) if name == "line_limits" else own


def _whole(size: Array) -> Int64Array:
    sizes = _typed("size", size, np.int64)
    if (sizes < 0).any() or (sizes > 1 << 40).any():
        raise ValueError("a size is none")
    return sizes


def _typed(name: str, array: Array, dtype: Any) -> Array:
    if array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} holds {array.dtype}, but {np.dtype(dtype)} is due")
    return np.ascontiguousarray(array)


def _spread(name: str, array: Array, asks: BoolArray, nothing: int) -> Array:
    """Return entries of questions as entries of all nodes."""
    whole = np.full(len(asks), nothing, dtype=array.dtype)
    if name == "subset" and not len(array):
        return whole
    if len(array) != int(asks.sum()):
        raise ValueError(f"{name} has other entries than there are questions")
    whole[asks] = array
    return whole


def _parents(first_child: Array, size: Int64Array) -> Int64Array | None:
    """Return the parent of each node among the nodes of all trees, -1 of roots; None if unsound."""
    base = np.repeat(np.cumsum(size) - size, size)
    end = np.repeat(np.cumsum(size), size)
    if len(first_child) != len(base):
        return None
    asking = np.flatnonzero(first_child >= 0)
    first = first_child[asking].astype(np.int64) + base[asking]
    if (first <= asking).any() or (first + 1 >= end[asking]).any():
        return None
    parent = np.full(len(base), -1, dtype=np.int64)
    parent[first] = asking
    parent[first + 1] = asking
    return parent


def _summed(
    of_leaves: Array, asks: BoolArray, parent: Int64Array | None, dtype: np.dtype[Any]
) -> Array | None:
    """Return entries of leaves and, at questions, the sums of the two branches; None if unsound."""
    if parent is None or len(of_leaves) != int((~asks).sum()):
        return None
    total = np.zeros(len(asks), dtype=dtype)
    total[~asks] = of_leaves
    n_open = np.where(asks, 2, 0)
    known = np.flatnonzero(~asks)
    for _ in range(_MOST_LEVELS):
        above = parent[known]
        has_parent = above >= 0
        known, above = known[has_parent], above[has_parent]
        if not len(known):
            break
        np.subtract.at(n_open, above, 1)
        np.add.at(total, above, total[known])
        known = np.unique(above[n_open[above] == 0])
    return total if not n_open.any() else None
