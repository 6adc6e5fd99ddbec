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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_pieces import as_whole, in_pieces
from treewright.array_types import Array, BoolArray, FloatArray, Int8Array, Int32Array, Int64Array
from treewright.errors import ModelFormatError

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema


LEAF, CUT, CATEGORIES, INTERVALS, LINEAR = 0, 1, 2, 3, 4
"""The entries of ``kind``: no question, ``x <= threshold``, a branch for each category, a branch
for each interval between several cuts, and a linear combination of columns (oblique)
``<= threshold``."""


_DTYPES: dict[str, np.dtype[Any]] = {
    "FloatArray": np.dtype(np.float64),
    "Int8Array": np.dtype(np.int8),
    "Int32Array": np.dtype(np.int32),
    "Int64Array": np.dtype(np.int64),
    "BoolArray": np.dtype(np.bool_),
}
"""The type of each annotation below: a type is declared once, with the field."""


_WHERE_LEFT_OUT = {
    "rest_branch": -1,
    "cut_offset": -1,
    "cut_count": 0,
    "term_offset": -1,
    "term_count": 0,
}
"""Default entries of the arrays that are left out when no node needs them."""


def _absent() -> Any:
    return ()


OF_NODES = (
    "first_child",
    "n_branches",
    "parent",
    "column",
    "kind",
    "threshold",
    "threshold_int",
    "code_offset",
    "code_count",
    "rest_branch",
    "missing_branch",
    "unseen_branch",
    "n_rows",
    "weight",
    "impurity",
    "gain",
    "score",
    "value",
)
"""The arrays with an entry for each node, side tables aside."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TreeArrays:
    """The nodes of a tree as flat read-only arrays.

    Parameters
    ----------
    first_child, n_branches, parent
        The shape: -1 and 0 at a leaf; the parent of the root is -1.
    kind, column
        The kind of question (:data:`LEAF`, :data:`CUT`, :data:`CATEGORIES`, :data:`INTERVALS`,
        :data:`LINEAR`) and its column (-1 at a leaf; of a linear combination the first).
    threshold, threshold_int
        A cut sends ``x <= threshold`` to branch 0. ``threshold`` serves float columns (NaN
        elsewhere), ``threshold_int`` all columns stored as integers and the codes of ordinal ones.
    code_offset, code_count
        A node that splits by category owns ``code_count`` entries of the next two arrays, from
        ``code_offset`` on; -1 and 0 elsewhere. No two questions share an entry.
    code, branch_of_code
        The categories of the node's training rows, as ascending codes, and the branch of each. A
        category that is not listed is unseen there, so a deep node stores only the few categories
        that reach it.
    rest_branch
        The branch of every category of the domain that is not listed, as in ``x = v``; -1
        where such a category is treated as unseen. Left out when no node has any.
    cut_offset, cut_count
        A node with several cuts owns ``cut_count`` entries of ``cut`` and ``cut_int``, from
        ``cut_offset`` on; -1 and 0 elsewhere.
    cut, cut_int
        The cuts, ascending: values up to the first go to branch 0, up to the second to branch 1,
        and so on. As for thresholds, ``cut`` is NaN where ``cut_int`` is used.
    term_offset, term_count, term_column, term_coefficient, term_share
        Likewise the terms of an oblique node; the shares say how its importance is
        divided among the columns.
    missing_branch, unseen_branch
        The branch of a missing value and of an unseen category; -1 means every branch, in
        proportion to its weight.
    n_rows, weight, impurity, gain, score
        Training rows, their weight, the node's impurity, and the gain and score of its split; the
        last three, under a cost matrix, with the weights of growing
        (:mod:`treewright.tree.impurity`).
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
    cut_offset: Int64Array = field(default_factory=_absent)
    cut_count: Int32Array = field(default_factory=_absent)
    cut: FloatArray = field(default_factory=_absent)
    cut_int: Int64Array = field(default_factory=_absent)
    term_offset: Int64Array = field(default_factory=_absent)
    term_count: Int32Array = field(default_factory=_absent)
    term_column: Int32Array = field(default_factory=_absent)
    term_coefficient: FloatArray = field(default_factory=_absent)
    term_share: FloatArray = field(default_factory=_absent)
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
        own = self.__dict__  # written past the frozen attributes, which takes half as long
        for name, nothing in _WHERE_LEFT_OUT.items():
            if np.size(own[name]) == 0:
                own[name] = np.full(np.size(self.first_child), nothing, dtype=np.int32)
        if np.size(self.surrogate_start) == 0:
            own["surrogate_start"] = np.zeros(np.size(self.first_child) + 1, dtype=np.int32)
        for name, dtype in _DTYPE_OF.items():
            own[name] = read_only(own[name], name, dtype)

    @classmethod
    def from_core(cls, arrays: Mapping[str, Any], **given: Array) -> TreeArrays:
        """Return the arrays of a tree that the core has grown.

        Parameters
        ----------
        arrays
            The arrays that the core returned.
        given
            Arrays that replace the core's, and ``unseen_branch``, which the core does not set: by
            default an unseen category takes the branch of missing values.
        """
        filled = {"unseen_branch": arrays["missing_branch"], **arrays, **given}
        filled["surrogate_reversed"] = filled["surrogate_reversed"].view(np.bool_)
        return cls(**filled)

    def __getstate__(self) -> dict[str, object]:
        # And not whether they were checked: pickles can be altered.
        return {name: in_pieces(array) for name, array in self._by_name().items()}

    def __setstate__(self, state: dict[str, Array]) -> None:
        self.__dict__.clear()
        # NumPy does not pickle the read-only flag.
        for name, kept in state.items():
            array = as_whole(kept)
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
        """Number of entries of ``value`` per node."""
        return int(self.value.shape[1])

    @property
    def n_surrogates(self) -> int:
        """Number of surrogates of all nodes."""
        return len(self.surrogate_column)

    def to_dict(self) -> dict[str, object]:
        """Return the arrays by name."""
        return dict(self._by_name())

    def _by_name(self) -> dict[str, Array]:
        return {name: self.__dict__[name] for name in _DTYPE_OF}

    def equals(self, other: TreeArrays) -> bool:
        """Return whether both hold the same tree, bit for bit."""
        return all(
            same_bits(array, getattr(other, name)) for name, array in self._by_name().items()
        )

    def validate(self, schema: FittedSchema | None = None) -> None:
        """Refuse arrays that break an invariant or, given a ``schema``, do not fit its columns.

        They are checked once for a schema: being read-only, they stay as they are.

        Raises
        ------
        ModelFormatError
            Naming the array and the first node that breaks the rule.
        """
        from treewright.tree.invariants import check

        if schema is not None and self.__dict__.get("_fits") is schema:
            return
        check(self, schema)
        self.take_on_trust(schema)

    def take_on_trust(self, schema: FittedSchema | None) -> None:
        """Take the arrays for checked: those that the core has just made keep every rule."""
        object.__setattr__(self, "_is_checked", True)
        object.__setattr__(self, "_fits", schema)

    def checked(self) -> dict[str, object]:
        """Return the arrays by name, for compiled code, which follows them without looking.

        They are validated before, unless they were.
        """
        if "_is_checked" not in self.__dict__:
            self.validate()
        return self.to_dict()


_DTYPE_OF = {entry.name: _DTYPES[str(entry.type)] for entry in dataclasses.fields(TreeArrays)}
"""The type of each array, by its name."""


def read_only(array: Array, name: str, dtype: np.dtype[Any]) -> Array:
    """Return a contiguous read-only array of this type, without a copy if it is one already."""
    if type(array) is np.ndarray and array.dtype == dtype and array.ndim > 0:
        view = array.view() if array.flags.c_contiguous else np.ascontiguousarray(array)
        view.setflags(write=False)
        return view
    given = np.asarray(array) if np.size(array) else np.empty(np.shape(array), dtype)
    if not np.can_cast(given.dtype, dtype, casting="same_kind"):
        raise ModelFormatError(f"{name} holds {given.dtype}, but {dtype} is due.")
    view = np.ascontiguousarray(given, dtype=dtype).view()
    view.flags.writeable = False
    return view


def same_bits(left: Array, right: Array) -> bool:
    """Return whether two arrays are equal to the last bit; NaN equals itself."""
    return left.shape == right.shape and left.tobytes() == right.tobytes()


def heaviest_branch(arrays: Mapping[str, Any]) -> Int32Array:
    """Return the heaviest branch of each node, the first of equals; -1 at leaves."""
    parent, weight, first = arrays["parent"], arrays["weight"], arrays["first_child"]
    heaviest = np.full(len(parent), -1, dtype=np.int32)
    children = np.flatnonzero(parent >= 0)
    if not len(children):
        return heaviest
    owners = parent[children]
    order = np.lexsort((children, -weight[children], owners))
    firsts = np.unique(owners[order], return_index=True)
    heaviest[firsts[0]] = (children[order][firsts[1]] - first[firsts[0]]).astype(np.int32)
    return heaviest
