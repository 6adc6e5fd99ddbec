"""A common schema of two trees, and the classes of the second in the order of the first.

Two fits rarely agree in codes: one more row may bring one more category, and another table may have
its columns in another order. :func:`in_same_terms` matches columns and values by name and converts
the arrays of both trees, so that equal questions have equal entries.

Examples
--------
>>> from treewright import ID3Classifier
>>> def fit(rows): return ID3Classifier().fit(rows, ["a", "b"]).tree_
>>> one = fit([{"x": "low", "y": 1}, {"x": "high", "y": 2}])
>>> two = fit([{"y": 1, "x": "low"}, {"y": 2, "x": "medium"}])
>>> joint = in_same_terms(one, two)
>>> joint.schema.names, joint.schema.column("x").values
(('x', 'y'), ('high', 'low', 'medium'))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from treewright.array_types import Array, Int32Array
from treewright.data.fitted_schema import UINT_OFFSET, ColumnSpec, FittedSchema
from treewright.errors import ColumnMismatchError, UnsupportedError
from treewright.text.names import list_names
from treewright.tree.arrays import CUT, LINEAR

if TYPE_CHECKING:
    from treewright.array_types import Int64Array
    from treewright.tree.arrays import TreeArrays
    from treewright.tree.tree import Tree

_NUMBERS = ("float", "int", "uint")


@dataclass(frozen=True, kw_only=True, eq=False)
class Joint:
    """Two trees, comparable entry by entry.

    Parameters
    ----------
    schema
        Columns in the order of the first tree, with the values of both.
    first, second
        The arrays of both trees in that schema; only their questions are converted.
    class_order
        For each entry of a prediction of the first tree, its position in one of the second.
    """

    schema: FittedSchema
    first: TreeArrays
    second: TreeArrays
    class_order: Int64Array


def in_same_terms(first: Tree, second: Tree) -> Joint:
    """Return two trees with columns, their values and classes matched by name.

    Raises
    ------
    ColumnMismatchError
        Where a column of one tree is absent from the other, or of another kind.
    UnsupportedError
        Where they predict different things.
    """
    class_order = _match_classes(first, second)
    _check_names(first.schema.names, second.schema.names)
    specs = [_joint_column(spec, second.schema.column(spec.name)) for spec in first.schema.columns]
    _check_definitions(first.schema, second.schema)
    schema = FittedSchema(columns=tuple(specs), named=first.schema.named)
    return Joint(
        schema=schema,
        first=_restated(first.arrays, first.schema, schema),
        second=_restated(second.arrays, second.schema, schema),
        class_order=class_order,
    )


def _match_classes(first: Tree, second: Tree) -> Int64Array:
    if (first.classes is None) != (second.classes is None):
        kinds = ["numbers" if tree.classes is None else "classes" for tree in (first, second)]
        raise UnsupportedError(
            f"The first tree predicts {kinds[0]}, the second {kinds[1]}; "
            "there is nothing to compare."
        )
    if first.n_outputs != second.n_outputs:
        raise UnsupportedError(
            f"The first tree predicts {first.n_outputs} targets, the second {second.n_outputs}; "
            "there is nothing to compare."
        )
    if first.classes is None or second.classes is None:
        return np.arange(first.n_outputs)
    order: list[int] = []
    for output, (one, two) in enumerate(zip(first.classes, second.classes, strict=True)):
        place_of_name = {name: place for place, name in enumerate(two.tolist())}
        names = one.tolist()
        where = f" of target {output}" if first.n_outputs > 1 else ""
        _check_alike(
            f"The trees know different classes{where}.",
            names,
            list(place_of_name),
            UnsupportedError,
        )
        start = len(order)
        order += [start + place_of_name[name] for name in names]
    return np.array(order, dtype=np.int64)


def _check_names(first: Sequence[str], second: Sequence[str]) -> None:
    _check_alike("The trees are about different columns.", first, second, ColumnMismatchError)


def _check_alike(
    complaint: str, first: Sequence[Any], second: Sequence[Any], error: type[Exception]
) -> None:
    lines = [complaint]
    for which, mine, others in (("first", first, second), ("second", second, first)):
        known = set(others)
        alone = [str(name) for name in mine if name not in known]
        if alone:
            lines.append(f"  Only the {which} has: {list_names(alone)}")
    if len(lines) > 1:
        raise error("\n".join([*lines, "  Hint: compare trees that were fitted alike."]))


def _joint_column(one: ColumnSpec, two: ColumnSpec) -> ColumnSpec:
    if one.kind != two.kind:
        _refuse(one, one.kind, two.kind)
    if one.storage == "value":
        return one if one.values == two.values else replace(one, values=_joint_values(one, two))
    if one.storage != two.storage:
        if one.storage in _NUMBERS and two.storage in _NUMBERS:
            return replace(one, storage="float")
        _refuse(one, one.storage, two.storage)
    if one.unit != two.unit:
        _refuse(one, f"stored in {one.unit}", f"stored in {two.unit}")
    if (one.time_zone is None) != (two.time_zone is None):
        zones = ["without a time zone" if c.time_zone is None else c.time_zone for c in (one, two)]
        _refuse(one, *zones)
    return one


def _check_definitions(first: FittedSchema, second: FittedSchema) -> None:
    """Refuse derived columns of one name but different definitions."""
    one, two = ({each.spec.name: each.definition for each in s.derived} for s in (first, second))
    for column in first.columns:
        mine, theirs = one.get(column.name), two.get(column.name)
        if mine != theirs:
            told = [f"{each}" if each else "a column of the table" for each in (mine, theirs)]
            _refuse(column, *told)


def _refuse(column: ColumnSpec, first: str, second: str) -> NoReturn:
    raise ColumnMismatchError(
        f"column {column.name!r} is {first} in the first tree and {second} in the second.\n"
        "  Hint: fit both with the same schema."
    )


def _joint_values(one: ColumnSpec, two: ColumnSpec) -> tuple[object, ...]:
    """Return the values of both columns; their order does not matter here."""
    if one.kind == "ordinal":
        pairs = ((one, two), (two, one))
        shared = [[value for value in a.values if value in b.code_of_value] for a, b in pairs]
        if shared[0] != shared[1]:
            orders = [list_names(map(str, values)) for values in shared]
            _refuse(one, f"ordered {orders[0]}", f"ordered {orders[1]}")
    return tuple(dict.fromkeys([*one.values, *two.values]))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Translation:
    """Translation of the columns of one tree to the joint ones."""

    own: tuple[ColumnSpec, ...]
    joint: FittedSchema

    def column(self, columns: Int32Array) -> Int32Array:
        """Return the joint positions of columns; -1 stays."""
        place = [self.joint.index(spec.name) for spec in self.own]
        moved: Int32Array = np.array([*place, -1], dtype=np.int32)[columns]
        return moved

    def code(self, codes: Array, column: Array) -> Array:
        """Return the joint codes of entries that are codes of their own column."""
        moved = codes.copy()
        for index, spec in enumerate(self.own):
            here = column == index
            if spec.storage == "value" and here.any():
                code_of_value = self.joint.column(spec.name).code_of_value
                new_code = np.array([code_of_value[value] for value in spec.values])
                moved[here] = new_code[codes[here]]
        return moved

    def bounds(self, real: Array, whole: Array, column: Array) -> tuple[Array, Array]:
        """Return bounds in the stored form of the joint columns: recoded, or as floats."""
        real, whole = real.copy(), self.code(whole, column)
        for index, spec in enumerate(self.own):
            if spec.storage == self.joint.column(spec.name).storage:
                continue
            here = column == index
            offset = UINT_OFFSET if spec.storage == "uint" else 0
            real[here] = [float(bound + offset) for bound in whole[here].tolist()]
            whole[here] = 0
        return real, whole


def _restated(arrays: TreeArrays, own: FittedSchema, joint: FittedSchema) -> TreeArrays:
    if [_form(spec) for spec in own.columns] == [_form(spec) for spec in joint.columns]:
        return arrays
    to_joint = _Translation(own=own.columns, joint=joint)
    threshold, threshold_int = to_joint.bounds(
        arrays.threshold, arrays.threshold_int, np.where(arrays.kind == CUT, arrays.column, -1)
    )
    surrogate_threshold, surrogate_threshold_int = to_joint.bounds(
        arrays.surrogate_threshold,
        arrays.surrogate_threshold_int,
        np.where(arrays.surrogate_kind == CUT, arrays.surrogate_column, -1),
    )
    # A last entry for entries without a node.
    column_of_node = np.append(arrays.column, -1)
    cut_owner = _owner(len(arrays.cut), arrays.cut_offset, arrays.cut_count)
    cut, cut_int = to_joint.bounds(arrays.cut, arrays.cut_int, column_of_node[cut_owner])
    # Codes belong to nodes, then surrogates.
    code_owner = _owner(
        len(arrays.code),
        np.concatenate([arrays.code_offset, arrays.surrogate_code_offset]),
        np.concatenate([arrays.code_count, arrays.surrogate_code_count]),
    )
    column_of_owner = np.concatenate([arrays.column, arrays.surrogate_column, [-1]])
    code = to_joint.code(arrays.code, column_of_owner[code_owner])
    by_code = _order_within(code_owner, code)
    term_column = to_joint.column(arrays.term_column)
    by_column = _order_within(
        _owner(len(term_column), arrays.term_offset, arrays.term_count), term_column
    )
    term_column = term_column[by_column]
    column = to_joint.column(arrays.column)
    sums = np.flatnonzero(arrays.kind == LINEAR)
    column[sums] = term_column[arrays.term_offset[sums]]
    return replace(
        arrays,
        column=column,
        threshold=threshold,
        threshold_int=threshold_int,
        code=code[by_code],
        branch_of_code=arrays.branch_of_code[by_code],
        cut=cut,
        cut_int=cut_int,
        term_column=term_column,
        term_coefficient=arrays.term_coefficient[by_column],
        term_share=arrays.term_share[by_column],
        surrogate_column=to_joint.column(arrays.surrogate_column),
        surrogate_threshold=surrogate_threshold,
        surrogate_threshold_int=surrogate_threshold_int,
    )


def _form(spec: ColumnSpec) -> tuple[object, ...]:
    """Return the properties that the entries of a column depend on."""
    return spec.name, spec.storage, spec.values


def _owner(n_entries: int, offset: Array, count: Array) -> Int64Array:
    """Return the owner of each entry of an array of which owners hold slices; -1 for none."""
    owner = np.full(n_entries, -1, dtype=np.int64)
    has = np.flatnonzero(count)
    lengths = count[has].astype(np.int64)
    start = np.repeat(offset[has], lengths)
    within = np.arange(len(start)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    owner[start + within] = np.repeat(has, lengths)
    return owner


def _order_within(owner: Int64Array, values: Array) -> Int64Array:
    """Return the order that sorts each owner's slice in place."""
    order = np.empty(len(owner), dtype=np.int64)
    order[np.argsort(owner, kind="stable")] = np.lexsort((values, owner))
    return order
