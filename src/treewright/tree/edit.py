"""Trees rebuilt from trees: nodes turned into leaves, or put in the place of others.

A pruner decides which nodes are kept; here the arrays are rebuilt. Questions are copied bit for
bit, and nodes keep their order, so that they are still numbered after their parents.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array
from treewright.tree.arrays import CUT, INTERVALS, LEAF, TreeArrays
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, Int32Array, Int64Array
    from treewright.data.table import Table

_AT_A_LEAF: Mapping[str, float] = {
    "column": -1,
    "kind": LEAF,
    "threshold": np.nan,
    "threshold_int": 0,
    "missing_branch": -1,
    "unseen_branch": -1,
    "rest_branch": -1,
    "gain": 0.0,
    "score": 0.0,
}
"""Entries of a leaf in the arrays of questions."""

_SLICES: Mapping[str, tuple[str, ...]] = {
    "code": ("code", "branch_of_code"),
    "cut": ("cut", "cut_int"),
    "term": ("term_column", "term_coefficient", "term_share"),
}
"""Arrays of which nodes own slices, by the prefix of the offset and the count."""


def with_leaves(tree: Tree, leaves: BoolArray) -> Tree:
    """Return the tree in which the marked nodes are leaves, without the nodes below them.

    Nothing else changes: every node that is kept has the same question and prediction.
    """
    asks = np.asarray(tree.arrays.n_branches) > 0
    if not (leaves & asks).any():
        return tree
    kept = ~has_marked_ancestor(tree, leaves)
    source = np.flatnonzero(kept).astype(np.int32)
    new_number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    becomes_leaf = ~asks[source] | leaves[source]
    first_child, parent = tree.arrays.first_child[source], tree.arrays.parent[source]
    links = {
        "first_child": np.where(becomes_leaf, -1, new_number[first_child]),
        "n_branches": np.where(becomes_leaf, 0, tree.arrays.n_branches[source]),
        "parent": np.where(parent < 0, -1, new_number[parent]),
    }
    return rebuilt(tree, source, links)


def subtree(tree: Tree, node: int) -> Tree:
    """Return the tree below a node, the node included, without any record of training."""
    is_root = np.arange(tree.n_nodes) == node
    source = np.flatnonzero(is_root | has_marked_ancestor(tree, is_root)).astype(np.int32)
    n_branches = tree.arrays.n_branches[source]
    new_number = np.full(tree.n_nodes, -1, dtype=np.int32)
    new_number[source] = np.arange(len(source), dtype=np.int32)
    value = tree.arrays.value[source]
    value[0] = tree.arrays.value[tree.speakers[node]]  # a root has no ancestor to speak for it
    parent = new_number[tree.arrays.parent[source]]
    parent[0] = -1
    links = {
        "first_child": np.where(
            n_branches > 0, new_number[tree.arrays.first_child[source]], np.int32(-1)
        ),
        "n_branches": n_branches,
        "parent": parent,
        "value": value,
    }
    return rebuilt(tree, source, links).without_record()


def with_cuts_at_values(tree: Tree, table: Table) -> Tree:
    """Return the tree whose cuts are just below the next value that a row of the node has.

    The rows go the same ways; a cut at the midpoint of 0.6 and 0.8 becomes ``x < 0.8``. A cut above
    which the node has no row stays.
    """
    arrays = tree.arrays
    start, visited = tree.plan.decision_path(table)
    row_of_visit = np.repeat(np.arange(table.n_rows), np.diff(start))
    by_node = np.argsort(visited, kind="stable")
    ends = np.cumsum(np.bincount(visited, minlength=tree.n_nodes))
    new = {name: getattr(arrays, name).copy() for name in _CUTS}
    for node in np.flatnonzero((arrays.kind == CUT) | (arrays.kind == INTERVALS)).tolist():
        index = int(arrays.column[node])
        if tree.schema.columns[index].storage == "value":
            continue  # ordinal: a cut is at a value already
        rows = row_of_visit[by_node[ends[node - 1] if node else 0 : ends[node]]]
        known = table.columns[index][rows][~table.is_missing(index)[rows]]
        is_float = tree.schema.columns[index].storage == "float"
        name, place = ("threshold", slice(node, node + 1))
        if arrays.kind[node] == INTERVALS:
            first = int(arrays.cut_offset[node])
            name, place = ("cut", slice(first, first + int(arrays.cut_count[node])))
        cuts = new[name if is_float else f"{name}_int"][place]
        for position, cut in enumerate(cuts.tolist()):
            above = known[known > cut]
            if len(above) and is_float:
                cuts[position] = np.nextafter(np.float64(above.min()), -np.inf)
            elif len(above):
                cuts[position] = int(above.min()) - 1
    return tree.with_arrays(dataclasses.replace(arrays, **new), linear=tree.linear)


_CUTS = ("threshold", "threshold_int", "cut", "cut_int")
"""The arrays of cuts."""


def has_marked_ancestor(tree: Tree, marked: BoolArray) -> BoolArray:
    """Return whether an ancestor of each node is marked."""
    # Pointer doubling as in Tree.levels: log2(depth) rounds even for a chain.
    ancestor = np.maximum(tree.arrays.parent, 0).astype(np.int64)
    found: BoolArray = marked[ancestor].copy()
    found[0] = False
    while ancestor.any():
        found |= found[ancestor]
        ancestor = ancestor[ancestor]
    return found


def rebuilt(
    tree: Tree,
    source: Int32Array,
    changes: Mapping[str, Array],
    *,
    nodes: TreeArrays | None = None,
) -> Tree:
    """Return the tree whose node ``i`` has the question of node ``source[i]`` of the old one.

    Parameters
    ----------
    tree
        The old tree.
    source
        The node each new node is taken from; one that gets no branches becomes a leaf.
    changes
        The new shape (``first_child``, ``n_branches``, ``parent``) and other arrays that differ.
    nodes
        The nodes to take from, where there are others than those of the tree.
    """
    old = tree.arrays if nodes is None else nodes
    is_leaf = np.asarray(changes["n_branches"]) == 0
    new: dict[str, Any] = {}
    for name in ("n_rows", "weight", "impurity", "value"):
        if name not in changes:
            new[name] = getattr(old, name)[source]
    for name, nothing in _AT_A_LEAF.items():
        taken = getattr(old, name)[source]
        new[name] = np.where(is_leaf, np.asarray(nothing, dtype=taken.dtype), taken)
    for prefix, arrays in _SLICES.items():
        count = np.where(is_leaf, 0, getattr(old, f"{prefix}_count")[source]).astype(np.int64)
        owner = count > 0 if prefix != "code" else new["kind"] == 2
        entries = _entries(getattr(old, f"{prefix}_offset")[source], count)
        new[f"{prefix}_offset"] = np.where(owner, np.cumsum(count) - count, -1)
        new[f"{prefix}_count"] = count.astype(np.int32)
        for name in arrays:
            new[name] = getattr(old, name)[entries]
    _take_surrogates(old, source, is_leaf, new)
    new.update(changes)
    linear = None if tree.linear is None else tree.linear.taken(source, is_leaf)
    return tree.with_arrays(TreeArrays(**new), linear=linear)


def followed_by(old: TreeArrays, more: TreeArrays) -> TreeArrays:
    """Return the nodes of one tree followed by those of another, as a source of :func:`rebuilt`."""
    return side_by_side([old, more])


def side_by_side(trees: Sequence[TreeArrays]) -> TreeArrays:
    """Return the nodes of several trees, those of one behind those of the one before."""
    starts = {"first_child": _starts([tree.n_nodes for tree in trees])}
    starts["parent"] = starts["first_child"]
    for prefix, arrays in _SLICES.items():
        starts[f"{prefix}_offset"] = _starts([len(getattr(tree, arrays[0])) for tree in trees])
    starts["surrogate_code_offset"] = starts["code_offset"]
    n_surrogates = _starts([tree.n_surrogates for tree in trees])
    joined: dict[str, Any] = {}
    for entry in dataclasses.fields(TreeArrays):
        parts = [getattr(tree, entry.name) for tree in trees]
        if entry.name in starts:
            shifts = zip(parts, starts[entry.name], strict=True)
            shifted = [np.where(part < 0, part, part + start) for part, start in shifts]
            parts = [part.astype(parts[0].dtype) for part in shifted]
        if entry.name == "surrogate_start":
            behind = zip(parts[1:], n_surrogates[1:], strict=True)
            shifted = [part[1:] + np.int32(start) for part, start in behind]
            parts = [parts[0], *shifted]
        joined[entry.name] = np.concatenate(parts)
    return TreeArrays(**joined)


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *itertools.accumulate(sizes[:-1])]


def _take_surrogates(
    old: TreeArrays, source: Int32Array, is_leaf: BoolArray, new: dict[str, Any]
) -> None:
    start = old.surrogate_start.astype(np.int64)
    count = np.where(is_leaf, 0, np.diff(start)[source])
    taken = _entries(start[:-1][source], count)
    new["surrogate_start"] = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    for name in ("column", "threshold", "threshold_int", "kind", "reversed", "agreement"):
        new[f"surrogate_{name}"] = getattr(old, f"surrogate_{name}")[taken]
    n_codes = old.surrogate_code_count[taken].astype(np.int64)
    entries = _entries(old.surrogate_code_offset[taken], n_codes)
    asks_codes = new["surrogate_kind"] == 2
    offset = len(new["code"]) + np.cumsum(n_codes) - n_codes
    new["surrogate_code_offset"] = np.where(asks_codes, offset, -1)
    new["surrogate_code_count"] = n_codes.astype(np.int32)
    for name in ("code", "branch_of_code"):
        new[name] = np.concatenate([new[name], getattr(old, name)[entries]])


def _entries(offset: Array, count: Int64Array) -> Int64Array:
    """Return the indices of all slices, one after the other."""
    total = int(count.sum())
    start = np.repeat(offset.astype(np.int64) - np.cumsum(count) + count, count)
    return start + np.arange(total)
