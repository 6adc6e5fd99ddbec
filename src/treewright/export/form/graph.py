"""The nodes of all trees of a model as flat arrays, and how they are put together.

Every tree is appended to the same arrays. The children of a node are contiguous, as in
:class:`~treewright.tree.arrays.TreeArrays`; a list of rules is no tree (conditions that fail all
lead to the next rule), so its nodes name their children one by one, in ``links``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.array_types import Array, BoolArray, FloatArray, Int32Array, Int64Array

LEAF, CUT, WHOLE_CUTS, MEMBERS, CUTS, LINEAR = range(6)
"""Kinds of nodes: no question; ``x <= number``; one or several cuts of an int64 or of a code; a
branch for each category; several cuts of a float64; a linear combination ``<= number``."""

ALL_BRANCHES = -1
"""Instead of a branch: every branch, by its share. Instead of `rest`: as an unseen category."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LeafModels:
    """Linear models of leaves, as flat arrays.

    Parameters
    ----------
    start
        Terms of leaf ``i`` are ``start[i] .. start[i + 1] - 1``.
    intercept
        One per leaf; what a leaf without terms says is its line.
    input, coefficient, fill
        One per term: which input, its factor, and the number that replaces a missing value.
    unit
        What the number of an input is divided by first: dates and durations are in days.
    low, high
        Numbers that replace -inf and inf.
    code_start, code
        The codes whose indicator is 1, for a term of a categorical input.
    limits
        Least and greatest prediction of each leaf; None where predictions are not clipped.
    is_centred
        Whether terms are ``coefficient * (x - fill)``, left out where x is not finite, and are
        added, after clipping, to the line of the leaf (boosting); else ``coefficient * x`` is added
        to the intercept (M5).
    """

    start: Int64Array
    intercept: FloatArray
    input: Int32Array
    coefficient: FloatArray
    fill: FloatArray
    unit: FloatArray
    low: FloatArray
    high: FloatArray
    code_start: Int64Array
    code: Int32Array
    limits: FloatArray | None
    is_centred: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Surrogates:
    """Questions that stand in where a value is missing: those of node i from ``start[i]`` on.

    Each is a cut (``number``), a cut of an int64 (``at`` in the graph's ``whole``) or a list of
    categories (``at`` and ``count``, as for nodes); a cut may have its branches swapped.
    """

    start: Int32Array
    kind: Int32Array
    input: Int32Array
    number: FloatArray
    at: Int32Array
    count: Int32Array
    flipped: BoolArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Graph:
    """Nodes of all trees.

    Parameters
    ----------
    roots
        The first node of each tree.
    kind, input, number
        The kind of question, the input it is about and, where it is a float64, its cut.
    at, count
        Where its entries are in ``whole`` and ``cuts`` (cuts), ``code`` and ``branch``
        (categories), or ``term_input`` and ``term_coefficient``, and how many.
    missing, unseen, rest
        The branch of a missing value, of an unseen category, and of a category that is not listed.
    child
        The first child; with `links`, where they start there. Of a leaf: its number.
    n_branches
        0 at a leaf.
    share
        The share of its parent's rows that a node gets of a row that is divided; None where no row
        is.
    lines, line_of_leaf
        What leaves say, each line once; and the line of each leaf.
    weights_of_leaf, counts_of_leaf
        Training weight and class weights of leaves, where divided rows are combined by them.
    n_rows
        Training rows of each node, for comments.
    """

    roots: Int32Array
    kind: Int32Array
    input: Int32Array
    number: FloatArray
    at: Int32Array
    count: Int32Array
    missing: Int32Array
    unseen: Int32Array
    rest: Int32Array
    child: Int32Array
    n_branches: Int32Array
    n_rows: Int64Array
    whole: Int64Array
    cuts: FloatArray
    code: Int32Array
    branch: Int32Array
    term_input: Int32Array
    term_coefficient: FloatArray
    links: Int32Array | None
    share: FloatArray | None
    lines: FloatArray
    line_of_leaf: Int32Array
    weights_of_leaf: FloatArray | None
    counts_of_leaf: FloatArray | None
    models: LeafModels | None
    surrogates: Surrogates | None

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return len(self.kind)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return len(self.line_of_leaf)

    @property
    def width(self) -> int:
        """Numbers that a leaf says."""
        return int(self.lines.shape[1])

    @property
    def divides(self) -> bool:
        """Whether a row may follow several branches."""
        return self.share is not None

    def has(self, kind: int) -> bool:
        """Return whether some node, or surrogate, asks a question of this kind."""
        if self.surrogates is not None and bool((self.surrogates.kind == kind).any()):
            return True
        return bool((self.kind == kind).any())

    def children(self, node: int) -> list[int]:
        """Return the children of a node, branch by branch."""
        first, n = int(self.child[node]), int(self.n_branches[node])
        if self.links is None:
            return list(range(first, first + n))
        return [int(link) for link in self.links[first : first + n]]

    def depth(self) -> int:
        """Return the number of questions on the longest path."""
        level, depth = self.roots, 0
        while True:
            inner = level[self.n_branches[level] > 0]
            if not len(inner):
                return depth
            depth += 1
            n = self.n_branches[inner]
            entries = np.repeat(self.child[inner] - (np.cumsum(n) - n), n) + np.arange(n.sum())
            level = entries if self.links is None else np.unique(self.links[entries])


@dataclass
class GraphBuilder:
    """Collects the arrays of trees one after the other."""

    parts: dict[str, list[Array]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def size(self, name: str) -> int:
        """Return how many entries an array has so far."""
        return self.sizes.get(name, 0)

    def add(self, name: str, values: Array | Sequence[float]) -> None:
        """Append entries to an array."""
        array = np.asarray(values)
        self.parts.setdefault(name, []).append(array)
        self.sizes[name] = self.size(name) + len(array)

    def joined(self, name: str, dtype: type, like: tuple[int, ...] = (0,)) -> Array:
        """Return an array as a whole."""
        parts = self.parts.get(name)
        return np.concatenate(parts).astype(dtype) if parts else np.empty(like, dtype=dtype)

    def graph(
        self,
        *,
        models: LeafModels | None = None,
        surrogates: Surrogates | None = None,
        divides: bool = False,
        by_counts: bool = False,
        has_links: bool = False,
    ) -> Graph:
        """Return the graph of what was added; equal lines of leaves are kept once."""
        lines = self.joined("line", np.float64)
        distinct, of_leaf = np.unique(
            lines.view(np.int64) if lines.flags.c_contiguous else np.ascontiguousarray(lines),
            axis=0,
            return_inverse=True,
        )
        whole = np.int32
        return Graph(
            roots=self.joined("root", whole),
            kind=self.joined("kind", whole),
            input=self.joined("input", whole),
            number=self.joined("number", np.float64),
            at=self.joined("at", whole),
            count=self.joined("count", whole),
            missing=self.joined("missing", whole),
            unseen=self.joined("unseen", whole),
            rest=self.joined("rest", whole),
            child=self.joined("child", whole),
            n_branches=self.joined("n_branches", whole),
            n_rows=self.joined("n_rows", np.int64),
            whole=self.joined("whole", np.int64),
            cuts=self.joined("cuts", np.float64),
            code=self.joined("code", whole),
            branch=self.joined("branch", whole),
            term_input=self.joined("term_input", whole),
            term_coefficient=self.joined("term_coefficient", np.float64),
            links=self.joined("links", whole) if has_links else None,
            share=self.joined("share", np.float64) if divides else None,
            lines=np.ascontiguousarray(distinct).view(np.float64),
            line_of_leaf=of_leaf.ravel().astype(whole),
            weights_of_leaf=self.joined("weight", np.float64) if by_counts else None,
            counts_of_leaf=self.joined("counts", np.float64) if by_counts else None,
            models=models,
            surrogates=surrogates,
        )
