"""The arrays of one tree, and the invariants they keep.

A tree is a structure of arrays, one entry per node. Node 0 is the root; the children of node ``i``
are ``first_child[i] .. first_child[i] + n_branches[i] - 1`` and are numbered after it, so that
``reversed(range(n_nodes))`` visits every node before its parent::

    node         0   1   2   3   4          0 ── branch 0 ── 1
    first_child  1  -1   3  -1  -1            └─ branch 1 ── 2 ── branch 0 ── 3
    n_branches   2   0   2   0   0                             └─ branch 1 ── 4

The arrays are read-only. :meth:`TreeArrays.validate` promises that whoever follows an index kept in
them stays inside them; it is vectorised, bounded in time and memory by the size of the arrays, and
is run before the arrays reach compiled code.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFormatError

if TYPE_CHECKING:
    from treewright.data.schema import FittedSchema

FloatArray: TypeAlias = NDArray[np.float64]
Int8Array: TypeAlias = NDArray[np.int8]
Int32Array: TypeAlias = NDArray[np.int32]
Int64Array: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

LEAF, CUT, CATEGORIES = 0, 1, 2
"""The entries of ``kind``: no question, ``x <= threshold``, a branch for each category."""


_DTYPES: dict[str, np.dtype[Any]] = {
    "FloatArray": np.dtype(np.float64),
    "Int8Array": np.dtype(np.int8),
    "Int32Array": np.dtype(np.int32),
    "Int64Array": np.dtype(np.int64),
    "BoolArray": np.dtype(np.bool_),
}
"""The type behind each annotation below: it is declared once, where the field is."""


def _absent() -> Any:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TreeArrays:
    """Everything a tree knows, as flat read-only arrays.

    Parameters
    ----------
    first_child, n_branches, parent
        The shape: -1, 0 at a leaf; the parent of the root is -1.
    kind, column
        What is asked (:data:`LEAF`, :data:`CUT`, :data:`CATEGORIES`) and about which column
        (-1 at a leaf).
    threshold, threshold_int
        A cut sends ``x <= threshold`` to branch 0. ``threshold`` serves float columns (NaN
        elsewhere), ``threshold_int`` all columns stored as integers and the codes of ordinal ones.
    code_offset, code_count
        A node that asks for categories owns ``code_count`` entries of the next two arrays, from
        ``code_offset`` on; -1 and 0 elsewhere. No two questions share an entry.
    code, branch_of_code
        The values that the node has seen, as ascending codes, and the branch of each. A value that
        is not listed is unseen there: a column of thousands of values costs a deep node only the
        few it has left.
    rest_branch
        The branch of every category of the domain that is not listed, as ``x = v`` has one; -1
        where such a value is treated as an unseen one. Left out when no node has any.
    missing_branch, unseen_branch
        Where a missing value and an unseen category go; -1 means to every branch, in proportion to
        its weight.
    n_rows, weight, impurity, gain, score
        Training rows, their weight, the node's impurity, and what its split achieved.
    value
        One line per node: the weight of each class (outputs side by side), or the prediction(s).
    surrogate_start
        The surrogates of node ``i`` are ``surrogate_start[i] .. surrogate_start[i + 1] - 1``, best
        first. Left out when no node has any, like the arrays that describe them, whose slices of
        ``code`` are further ones of the same array.
    """

    first_child: Int32Array
    n_branches: Int32Array
    parent: Int32Array
    column: Int32Array
    kind: Int8Array
    threshold: FloatArray
    threshold_int: Int64Array
    code_offset: Int64Array
    code_count: Int32Array
    code: Int32Array
    branch_of_code: Int32Array
    missing_branch: Int32Array
    unseen_branch: Int32Array
    n_rows: Int64Array
    weight: FloatArray
    impurity: FloatArray
    gain: FloatArray
    score: FloatArray
    value: FloatArray
    rest_branch: Int32Array = field(default_factory=_absent)
    surrogate_start: Int32Array = field(default_factory=_absent)
    surrogate_column: Int32Array = field(default_factory=_absent)
    surrogate_threshold: FloatArray = field(default_factory=_absent)
    surrogate_threshold_int: Int64Array = field(default_factory=_absent)
    surrogate_kind: Int8Array = field(default_factory=_absent)
    surrogate_code_offset: Int64Array = field(default_factory=_absent)
    surrogate_code_count: Int32Array = field(default_factory=_absent)
    surrogate_reversed: BoolArray = field(default_factory=_absent)
    surrogate_agreement: FloatArray = field(default_factory=_absent)

    def __post_init__(self) -> None:
        if np.size(self.rest_branch) == 0:
            rest = np.full(np.size(self.first_child), -1, dtype=np.int32)
            object.__setattr__(self, "rest_branch", rest)
        if np.size(self.surrogate_start) == 0:
            start = np.zeros(np.size(self.first_child) + 1, dtype=np.int32)
            object.__setattr__(self, "surrogate_start", start)
        for entry in dataclasses.fields(self):
            array = _read_only(getattr(self, entry.name), entry.name, _DTYPES[str(entry.type)])
            object.__setattr__(self, entry.name, array)

    def __setstate__(self, state: dict[str, NDArray[Any]]) -> None:
        # NumPy does not pickle the read-only flag.
        for name, array in state.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return f"TreeArrays(n_nodes={self.n_nodes}, width={self.width})"

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.first_child)

    @property
    def width(self) -> int:
        """Entries of ``value`` per node."""
        return int(self.value.shape[1])

    @property
    def n_surrogates(self) -> int:
        """Surrogate splits of all nodes together."""
        return len(self.surrogate_column)

    def equals(self, other: TreeArrays) -> bool:
        """Whether both hold the same tree, bit for bit."""
        return all(
            _same_bits(getattr(self, entry.name), getattr(other, entry.name))
            for entry in dataclasses.fields(self)
        )

    def validate(self, schema: FittedSchema | None = None) -> None:
        """Check every invariant; with a ``schema`` also that the questions fit its columns.

        Raises
        ------
        ModelFormatError
            Naming the array and the first node that breaks the rule.
        """
        self._validate_shapes()
        self._validate_links()
        self._validate_questions()
        self._validate_numbers()
        self._validate_surrogates()
        asked = self._questions()
        if schema is not None:
            self._validate_columns(schema, asked)
        self._validate_codes(asked)
        if schema is not None:
            self._validate_domains(schema, asked)

    def _validate_shapes(self) -> None:
        n_nodes = self.n_nodes
        if n_nodes == 0:
            raise ModelFormatError("The tree has no nodes; even a constant model has its root.")
        for entry in dataclasses.fields(self):
            array: NDArray[Any] = getattr(self, entry.name)
            n_dimensions = 2 if entry.name == "value" else 1
            if array.ndim != n_dimensions:
                raise ModelFormatError(
                    f"{entry.name} has {array.ndim} dimensions instead of {n_dimensions}."
                )
            expected = n_nodes
            if entry.name in ("code", "branch_of_code"):
                expected = len(self.code)
            elif entry.name == "surrogate_start":
                expected = n_nodes + 1
            elif entry.name.startswith("surrogate_"):
                expected = self.n_surrogates
            if len(array) != expected:
                raise ModelFormatError(
                    f"{entry.name} has {len(array)} entries where {expected} are due "
                    f"({n_nodes} nodes)."
                )

    def _validate_links(self) -> None:
        n_nodes = self.n_nodes
        nodes = np.arange(n_nodes, dtype=np.int64)
        n_branches = self.n_branches.astype(np.int64)
        first_child = self.first_child.astype(np.int64)
        leaf = self.kind == LEAF
        _forbid((self.kind < LEAF) | (self.kind > CATEGORIES), "kind", "is none of 0, 1, 2")
        _forbid(leaf & (n_branches != 0), "n_branches", "is not 0 at a leaf")
        _forbid(leaf & (first_child != -1), "first_child", "is not -1 at a leaf")
        _forbid(leaf & (self.column != -1), "column", "is not -1 at a leaf")
        _forbid(~leaf & (self.column < 0), "column", "is negative at a node that asks")
        _forbid(~leaf & (n_branches < 2), "n_branches", "is below 2 at a node that asks")
        _forbid(~leaf & (first_child <= nodes), "first_child", "does not come after its parent")
        _forbid(first_child + n_branches > n_nodes, "first_child", "points past the last node")
        # From here on every child index is in range. Each node but the root is named by a parent
        # once: there are as many child slots as such nodes, and no node has two parents.
        if n_branches.sum() != n_nodes - 1:
            raise ModelFormatError(
                f"n_branches adds up to {n_branches.sum()}, but a tree of {n_nodes} nodes has "
                f"{n_nodes - 1} branches."
            )
        if self.parent[0] != -1:
            raise ModelFormatError(f"parent is {self.parent[0]} at the root instead of -1.")
        stops = np.cumsum(n_branches)
        within = np.arange(n_nodes - 1) - np.repeat(stops - n_branches, n_branches)
        children = np.repeat(first_child, n_branches) + within
        owners = np.repeat(nodes, n_branches)
        wrong = np.zeros(n_nodes, dtype=bool)
        wrong[children] = self.parent[children] != owners
        _forbid(wrong, "parent", "is not the node whose branch leads here")

    def _validate_questions(self) -> None:
        asks = self.kind != LEAF
        cut = self.kind == CUT
        own_branch = (self.n_branches == 3) & (self.missing_branch == 2)
        _forbid(
            cut & (self.n_branches != 2) & ~own_branch,
            "n_branches",
            "is neither 2 nor, with a branch of its own for missing values, 3 at a cut",
        )
        for name in ("missing_branch", "unseen_branch", "rest_branch"):
            branch = getattr(self, name)
            _forbid(asks & ((branch < -1) | (branch >= self.n_branches)), name, "is no branch")

    def _validate_numbers(self) -> None:
        _forbid(self.n_rows < 0, "n_rows", "is negative")
        for name in ("weight", "impurity", "gain"):
            _forbid(~np.isfinite(getattr(self, name)), name, "is not a finite number")
        _forbid(self.weight < 0, "weight", "is negative")
        _forbid(np.isnan(self.score), "score", "is not a number")
        infinite = np.asarray(~np.isfinite(self.value))
        _forbid(np.logical_or.reduce(infinite, axis=1), "value", "is not a finite number")

    def _validate_surrogates(self) -> None:
        start = self.surrogate_start.astype(np.int64)
        if start[0] != 0 or start[-1] != self.n_surrogates:
            raise ModelFormatError(
                f"surrogate_start runs from {start[0]} to {start[-1]} instead of from 0 to "
                f"{self.n_surrogates}."
            )
        count = np.diff(start)
        _forbid(count < 0, "surrogate_start", "decreases")
        _forbid((count > 0) & (self.n_branches != 2), "surrogate_start", "is not at a binary split")
        bad = (self.surrogate_kind != CUT) & (self.surrogate_kind != CATEGORIES)
        _forbid(bad, "surrogate_kind", "is neither 1 nor 2", entry="surrogate")
        _forbid(self.surrogate_column < 0, "surrogate_column", "is negative", entry="surrogate")

    def _questions(self) -> _Questions:
        owner = np.repeat(np.arange(self.n_nodes), np.diff(self.surrogate_start))
        return _Questions(
            node=np.concatenate([np.arange(self.n_nodes), owner]),
            column=np.concatenate([self.column, self.surrogate_column]),
            kind=np.concatenate([self.kind, self.surrogate_kind]),
            threshold=np.concatenate([self.threshold, self.surrogate_threshold]),
            n_branches=np.concatenate([self.n_branches, self.n_branches[owner]]),
            offset=np.concatenate([self.code_offset, self.surrogate_code_offset]),
            count=np.concatenate([self.code_count, self.surrogate_code_count]).astype(np.int64),
        )

    def _validate_columns(self, schema: FittedSchema, asked: _Questions) -> None:
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
        # The plan tells a cut of whole numbers by its NaN.
        whole = (self.kind == CUT) & ~is_float[self.column]
        both = whole & ~np.isnan(self.threshold)
        _forbid(both, "threshold", "is set beside threshold_int")
        _forbid(cut & ~has_order[column], "kind", "cuts a column without order", at=node)
        number = (asked.kind == CATEGORIES) & ~is_coded[column]
        _forbid(number, "kind", "asks for categories of a number", at=node)

    def _validate_codes(self, asked: _Questions) -> None:
        node, offset, count = asked.node, asked.offset, asked.count
        other = asked.kind != CATEGORIES
        _forbid(other & (offset != -1), "code_offset", "is not -1 without categories", at=node)
        _forbid(other & (count != 0), "code_count", "is not 0 without categories", at=node)
        _forbid(count < 0, "code_count", "is negative", at=node)
        outside = ~other & ((offset < 0) | (offset > len(self.code) - count))
        _forbid(outside, "code_offset", "gives a slice that leaves code", at=node)
        filled = np.flatnonzero(count)
        order = filled[np.argsort(offset[filled], kind="stable")]
        first, end, node = offset[order], (offset + count)[order], node[order]
        overlaps = first[1:] < end[:-1]
        _forbid(overlaps, "code_offset", "gives overlapping slices of code", at=node[1:])
        # From here on the slices follow one another, and one pass over the arrays sees them all.
        _forbid(self.code[first] < 0, "code", "is negative", at=node)
        several = end - first > 1
        stalls = self.code[1:] <= self.code[:-1]
        stalled = _each_slice(np.logical_or, stalls, first[several], end[several] - 1)
        _forbid(stalled, "code", "does not ascend", at=node[several])
        least = _each_slice(np.minimum, self.branch_of_code, first, end)
        most = _each_slice(np.maximum, self.branch_of_code, first, end)
        bad = (least < 0) | (most >= asked.n_branches[order])
        _forbid(bad, "branch_of_code", "is no branch", at=node)

    def _validate_domains(self, schema: FittedSchema, asked: _Questions) -> None:
        n_values = np.array([len(spec.values) for spec in schema.columns], dtype=np.int64)
        filled = np.flatnonzero(asked.count)
        # Codes ascend, so the last of each slice speaks for all.
        last = self.code[(asked.offset + asked.count)[filled] - 1]
        beyond = last >= n_values[asked.column[filled]]
        _forbid(beyond, "code", "is no value of the column", at=asked.node[filled])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Questions:
    """What all nodes, then all surrogates ask, as one list: they are checked alike."""

    node: Int64Array  # that asks, or that the surrogate belongs to
    column: Int32Array
    kind: Int8Array
    threshold: FloatArray
    n_branches: Int32Array
    offset: Int64Array
    count: Int64Array


def _read_only(array: NDArray[Any], name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Give a contiguous read-only array of this type, without a copy where it already is one."""
    given = np.asarray(array) if np.size(array) else np.empty(np.shape(array), dtype)
    if not np.can_cast(given.dtype, dtype, casting="same_kind"):
        raise ModelFormatError(f"{name} holds {given.dtype}, but {dtype} is due.")
    view = np.ascontiguousarray(given, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _each_slice(
    reduce: np.ufunc, array: NDArray[Any], start: Int64Array, stop: Int64Array
) -> NDArray[Any]:
    """Reduce ``array[start:stop]`` of slices that are not empty and follow one another."""
    edges = np.column_stack([start, stop]).ravel()
    # reduceat takes each edge to the next, so every other answer is about what lies between two
    # slices; it refuses the edge at the very end and does not need it.
    if len(edges) and edges[-1] == len(array):
        edges = edges[:-1]
    reduced: NDArray[Any] = reduce.reduceat(array, edges)
    return reduced[::2]


def _same_bits(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return left.shape == right.shape and left.tobytes() == right.tobytes()


def _forbid(
    broken: BoolArray,
    name: str,
    complaint: str,
    *,
    at: NDArray[np.integer[Any]] | None = None,
    entry: str = "node",
) -> None:
    """Raise for the first entry where ``broken`` holds, counting the others."""
    if not broken.any():
        return
    first = int(np.argmax(broken))
    place = first if at is None else int(at[first])
    others = int(broken.sum()) - 1
    more = f" (and {others} more)" if others else ""
    raise ModelFormatError(f"{name} {complaint}: {entry} {place}{more}.")
