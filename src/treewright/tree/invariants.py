"""The invariants that the arrays of a tree keep, checked before compiled code follows an index.

Everything is vectorised, and bounded in time and memory by the size of the arrays.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import Array, IntegerArray
from treewright.core import has_sound_cuts
from treewright.errors import ModelFormatError
from treewright.tree.arrays import CATEGORIES, CUT, INTERVALS, LEAF, LINEAR

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray, Int8Array, Int32Array, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.tree.arrays import TreeArrays


def check(arrays: TreeArrays, schema: FittedSchema | None = None) -> None:
    """Refuse arrays that break a rule; the error names the array and the first node."""
    # Most trees only cut, and compiled code sees in one pass that they keep every rule below. What
    # it does not pass is judged here.
    if has_sound_cuts(arrays.to_dict(), None if schema is None else _cut_as(schema)):
        return
    _validate_shapes(arrays)
    _validate_links(arrays)
    _validate_questions(arrays)
    _validate_numbers(arrays)
    _validate_surrogates(arrays)
    _validate_slices(arrays, "cut", INTERVALS)
    _validate_slices(arrays, "term", LINEAR)
    _validate_cuts_and_terms(arrays)
    asked = _questions(arrays)
    if schema is not None:
        _validate_columns(arrays, schema, asked)
    _validate_codes(arrays, asked)
    if schema is not None:
        _validate_domains(arrays, schema, asked)


def _cut_as(schema: FittedSchema) -> list[str]:
    """Return how each column is cut: as ``"real"`` or ``"whole"`` numbers, or not at all."""
    return [
        "none" if spec.kind == "nominal" else "real" if spec.storage == "float" else "whole"
        for spec in schema.columns
    ]


def _validate_shapes(arrays: TreeArrays) -> None:
    n_nodes = arrays.n_nodes
    if n_nodes == 0:
        raise ModelFormatError("The tree has no nodes; even a constant model has its root.")
    for entry in dataclasses.fields(arrays):
        array: Array = getattr(arrays, entry.name)
        n_dimensions = 2 if entry.name == "value" else 1
        if array.ndim != n_dimensions:
            raise ModelFormatError(
                f"{entry.name} has {array.ndim} dimensions instead of {n_dimensions}."
            )
        expected = n_nodes
        if entry.name in _SIDE_OF:
            expected = len(getattr(arrays, _SIDE_OF[entry.name]))
        elif entry.name == "surrogate_start":
            expected = n_nodes + 1
        elif entry.name.startswith("surrogate_"):
            expected = arrays.n_surrogates
        if len(array) != expected:
            raise ModelFormatError(
                f"{entry.name} has {len(array)} entries where {expected} are due ({n_nodes} nodes)."
            )


def _validate_links(arrays: TreeArrays) -> None:
    n_nodes = arrays.n_nodes
    nodes = np.arange(n_nodes, dtype=np.int64)
    n_branches = arrays.n_branches.astype(np.int64)
    first_child = arrays.first_child.astype(np.int64)
    leaf = arrays.kind == LEAF
    _forbid((arrays.kind < LEAF) | (arrays.kind > LINEAR), "kind", "is none of 0, 1, 2, 3, 4")
    _forbid(leaf & (n_branches != 0), "n_branches", "is not 0 at a leaf")
    _forbid(leaf & (first_child != -1), "first_child", "is not -1 at a leaf")
    _forbid(leaf & (arrays.column != -1), "column", "is not -1 at a leaf")
    _forbid(~leaf & (arrays.column < 0), "column", "is negative at a node that asks")
    _forbid(~leaf & (n_branches < 2), "n_branches", "is below 2 at a node that asks")
    _forbid(~leaf & (first_child <= nodes), "first_child", "does not come after its parent")
    _forbid(first_child + n_branches > n_nodes, "first_child", "points past the last node")
    # From here on every child index is in range. Each node but the root is a child
    # once: there are as many child entries as such nodes, and no node has two parents.
    if n_branches.sum() != n_nodes - 1:
        raise ModelFormatError(
            f"n_branches adds up to {n_branches.sum()}, but a tree of {n_nodes} nodes has "
            f"{n_nodes - 1} branches."
        )
    if arrays.parent[0] != -1:
        raise ModelFormatError(f"parent is {arrays.parent[0]} at the root instead of -1.")
    stops = np.cumsum(n_branches)
    within = np.arange(n_nodes - 1) - np.repeat(stops - n_branches, n_branches)
    children = np.repeat(first_child, n_branches) + within
    owners = np.repeat(nodes, n_branches)
    wrong = np.zeros(n_nodes, dtype=bool)
    wrong[children] = arrays.parent[children] != owners
    _forbid(wrong, "parent", "is not the node whose branch leads here")


def _validate_questions(arrays: TreeArrays) -> None:
    asks = arrays.kind != LEAF
    # A branch for each interval, and perhaps one for missing values alone.
    n_intervals = np.where(arrays.kind == INTERVALS, arrays.cut_count.astype(np.int64) + 1, 2)
    own_branch = arrays.missing_branch == n_intervals
    _forbid(
        asks & (arrays.kind != CATEGORIES) & (arrays.n_branches != n_intervals + own_branch),
        "n_branches",
        "is neither that of the intervals nor one more, for missing values, at a cut",
    )
    for name in ("missing_branch", "unseen_branch", "rest_branch"):
        branch = getattr(arrays, name)
        _forbid(asks & ((branch < -1) | (branch >= arrays.n_branches)), name, "is no branch")


def _validate_numbers(arrays: TreeArrays) -> None:
    _forbid(arrays.n_rows < 0, "n_rows", "is negative")
    for name in ("weight", "impurity", "gain"):
        _forbid(~np.isfinite(getattr(arrays, name)), name, "is not a finite number")
    _forbid(arrays.weight < 0, "weight", "is negative")
    _forbid(np.isnan(arrays.score), "score", "is not a number")
    infinite = np.asarray(~np.isfinite(arrays.value))
    _forbid(np.logical_or.reduce(infinite, axis=1), "value", "is not a finite number")


def _validate_surrogates(arrays: TreeArrays) -> None:
    start = arrays.surrogate_start.astype(np.int64)
    if start[0] != 0 or start[-1] != arrays.n_surrogates:
        raise ModelFormatError(
            f"surrogate_start runs from {start[0]} to {start[-1]} instead of from 0 to "
            f"{arrays.n_surrogates}."
        )
    count = np.diff(start)
    _forbid(count < 0, "surrogate_start", "decreases")
    _forbid((count > 0) & (arrays.n_branches != 2), "surrogate_start", "is not at a binary split")
    bad = (arrays.surrogate_kind != CUT) & (arrays.surrogate_kind != CATEGORIES)
    _forbid(bad, "surrogate_kind", "is neither 1 nor 2", entry="surrogate")
    _forbid(arrays.surrogate_column < 0, "surrogate_column", "is negative", entry="surrogate")


def _validate_slices(arrays: TreeArrays, what: str, kind: int) -> None:
    """Refuse slices of ``cut`` or ``term`` arrays that overlap or are out of range."""
    offset = getattr(arrays, f"{what}_offset")
    count = getattr(arrays, f"{what}_count").astype(np.int64)
    other = arrays.kind != kind
    _forbid(other & (offset != -1), f"{what}_offset", "is not -1 at another kind of node")
    _forbid(other & (count != 0), f"{what}_count", "is not 0 at another kind of node")
    _forbid(~other & (count < 1), f"{what}_count", "is below 1")
    n_entries = len(arrays.cut if what == "cut" else arrays.term_column)
    outside = ~other & ((offset < 0) | (offset > n_entries - count))
    _forbid(outside, f"{what}_offset", f"gives a slice that leaves {what}")
    if count.sum() != n_entries:
        raise ModelFormatError(f"{what}_count leaves entries without a node.")
    order = np.flatnonzero(~other)
    order = order[np.argsort(offset[order], kind="stable")]
    overlap = offset[order][1:] < (offset + count)[order][:-1]
    _forbid(overlap, f"{what}_offset", "shares entries with another node", at=order[1:])


def _validate_cuts_and_terms(arrays: TreeArrays) -> None:
    node = np.flatnonzero(arrays.kind == INTERVALS)
    first, count = arrays.cut_offset[node], arrays.cut_count[node].astype(np.int64)
    entry = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    owner = np.repeat(node, count)
    whole = np.isnan(arrays.cut[entry])
    is_whole = np.isnan(arrays.cut[np.repeat(first, count)])
    _forbid(whole != is_whole, "cut", "is NaN for some cuts of a node only", at=owner)
    follows = owner[1:] == owner[:-1]
    stalls = np.where(
        is_whole[1:],
        arrays.cut_int[entry[1:]] <= arrays.cut_int[entry[:-1]],
        arrays.cut[entry[1:]] <= arrays.cut[entry[:-1]],
    )
    _forbid(follows & stalls, "cut", "does not ascend", at=owner[1:])
    for name in ("term_coefficient", "term_share"):
        _forbid(~np.isfinite(getattr(arrays, name)), name, "is not a finite number", entry="term")
    _forbid(arrays.term_column < 0, "term_column", "is negative", entry="term")
    sums = np.flatnonzero(arrays.kind == LINEAR)
    differs = arrays.term_column[arrays.term_offset[sums]] != arrays.column[sums]
    _forbid(differs, "column", "is not the first of a sum", at=sums)
    _forbid(np.isnan(arrays.threshold[sums]), "threshold", "is NaN at a sum", at=sums)


def _questions(arrays: TreeArrays) -> _Questions:
    owner = np.repeat(np.arange(arrays.n_nodes), np.diff(arrays.surrogate_start))
    return _Questions(
        node=np.concatenate([np.arange(arrays.n_nodes), owner]),
        column=np.concatenate([arrays.column, arrays.surrogate_column]),
        kind=np.concatenate([arrays.kind, arrays.surrogate_kind]),
        threshold=np.concatenate([arrays.threshold, arrays.surrogate_threshold]),
        n_branches=np.concatenate([arrays.n_branches, arrays.n_branches[owner]]),
        offset=np.concatenate([arrays.code_offset, arrays.surrogate_code_offset]),
        count=np.concatenate([arrays.code_count, arrays.surrogate_code_count]).astype(np.int64),
    )


def _validate_columns(arrays: TreeArrays, schema: FittedSchema, asked: _Questions) -> None:
    specs = schema.columns
    # A last entry for leaves, whose column is -1.
    is_float = np.array([*(spec.storage == "float" for spec in specs), False])
    is_coded = np.array([*(spec.storage == "value" for spec in specs), False])
    has_order = np.array([*(spec.kind != "nominal" for spec in specs), False])
    node, column = asked.node, asked.column
    _forbid(column >= len(specs), "column", f"is none of the {len(specs)} columns", at=node)
    cut = asked.kind == CUT
    unset = np.isnan(asked.threshold)
    _forbid(cut & is_float[column] & unset, "threshold", "is NaN", at=node)
    several = np.flatnonzero(arrays.kind == INTERVALS)
    cuts_float = ~np.isnan(arrays.cut[arrays.cut_offset[several]])
    differs = cuts_float != is_float[arrays.column[several]]
    _forbid(differs, "cut", "is not of the column's type", at=several)
    no_order = ~has_order[arrays.column[several]]
    _forbid(no_order, "kind", "cuts a column without order", at=several)
    is_number = np.array([spec.storage in ("float", "int") for spec in specs])
    beyond = arrays.term_column >= len(specs)
    _forbid(beyond, "term_column", f"is none of the {len(specs)} columns", entry="term")
    not_number = ~is_number[arrays.term_column]
    _forbid(not_number, "term_column", "is no column of numbers", entry="term")
    # The plan recognizes a cut of whole numbers by its NaN.
    whole = (arrays.kind == CUT) & ~is_float[arrays.column]
    both = whole & ~np.isnan(arrays.threshold)
    _forbid(both, "threshold", "is set beside threshold_int")
    _forbid(cut & ~has_order[column], "kind", "cuts a column without order", at=node)
    number = (asked.kind == CATEGORIES) & ~is_coded[column]
    _forbid(number, "kind", "asks for categories of a number", at=node)


def _validate_codes(arrays: TreeArrays, asked: _Questions) -> None:
    node, offset, count = asked.node, asked.offset, asked.count
    other = asked.kind != CATEGORIES
    _forbid(other & (offset != -1), "code_offset", "is not -1 without categories", at=node)
    _forbid(other & (count != 0), "code_count", "is not 0 without categories", at=node)
    _forbid(count < 0, "code_count", "is negative", at=node)
    outside = ~other & ((offset < 0) | (offset > len(arrays.code) - count))
    _forbid(outside, "code_offset", "gives a slice that leaves code", at=node)
    filled = np.flatnonzero(count)
    order = filled[np.argsort(offset[filled], kind="stable")]
    first, end, node = offset[order], (offset + count)[order], node[order]
    overlaps = first[1:] < end[:-1]
    _forbid(overlaps, "code_offset", "gives overlapping slices of code", at=node[1:])
    # From here on the slices follow one another, and one pass over the arrays sees them all.
    _forbid(arrays.code[first] < 0, "code", "is negative", at=node)
    several = end - first > 1
    stalls = arrays.code[1:] <= arrays.code[:-1]
    stalled = _each_slice(np.logical_or, stalls, first[several], end[several] - 1)
    _forbid(stalled, "code", "does not ascend", at=node[several])
    least = _each_slice(np.minimum, arrays.branch_of_code, first, end)
    most = _each_slice(np.maximum, arrays.branch_of_code, first, end)
    bad = (least < 0) | (most >= asked.n_branches[order])
    _forbid(bad, "branch_of_code", "is no branch", at=node)


def _validate_domains(arrays: TreeArrays, schema: FittedSchema, asked: _Questions) -> None:
    n_values = np.array([len(spec.values) for spec in schema.columns], dtype=np.int64)
    filled = np.flatnonzero(asked.count)
    # Codes ascend, so it is enough to check the last of each slice.
    last = arrays.code[(asked.offset + asked.count)[filled] - 1]
    beyond = last >= n_values[asked.column[filled]]
    _forbid(beyond, "code", "is no value of the column", at=asked.node[filled])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Questions:
    """The questions of all nodes, then of all surrogates, as one list: they are checked alike."""

    node: Int64Array  # that asks, or that the surrogate belongs to
    column: Int32Array
    kind: Int8Array
    threshold: FloatArray
    n_branches: Int32Array
    offset: Int64Array
    count: Int64Array


_SIDE_OF = {
    "code": "code",
    "branch_of_code": "code",
    "cut": "cut",
    "cut_int": "cut",
    "term_column": "term_column",
    "term_coefficient": "term_column",
    "term_share": "term_column",
}
"""Arrays without an entry per node, and the array that has their length."""


def _each_slice(reduce: np.ufunc, array: Array, start: Int64Array, stop: Int64Array) -> Array:
    """Return ``array[start:stop]``, reduced, of slices that are not empty and do not overlap."""
    edges = np.column_stack([start, stop]).ravel()
    # reduceat reduces from each edge to the next, so every other result belongs to the gap between
    # two slices; it refuses the edge at the very end and does not need it.
    if len(edges) and edges[-1] == len(array):
        edges = edges[:-1]
    reduced: Array = reduce.reduceat(array, edges)
    return reduced[::2]


def _forbid(
    broken: BoolArray,
    name: str,
    complaint: str,
    *,
    at: IntegerArray | None = None,
    entry: str = "node",
) -> None:
    """Refuse arrays where ``broken`` holds, naming the first entry and counting the others."""
    if not broken.any():
        return
    first = int(np.argmax(broken))
    place = first if at is None else int(at[first])
    others = int(broken.sum()) - 1
    more = f" (and {others} more)" if others else ""
    raise ModelFormatError(f"{name} {complaint}: {entry} {place}{more}.")
