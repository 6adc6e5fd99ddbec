"""Trees written by hand: nested questions in, tree out.

A tree is written as it is drawn: what stands in the ellipse, then for what stands at each edge what
is below it. ``{"Outlook": {"Sunny": ..., "Rain": ...}}`` asks a column and has a branch for each
value; ``{"Petal length <= 2.45": {"yes": ..., "no": ...}}`` asks a test. See ``Tree.build``.

Two steps: :func:`read_nested` reads what is written into :class:`Written` nodes, every node before
its children; :func:`build` finds out what the columns are, and makes the arrays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.data.read.table import read_table
from treewright.data.read.target import read_classes
from treewright.data.schema import Schema
from treewright.errors import DataError, ParameterError
from treewright.grow.refill import refit, with_class_counts, with_moments
from treewright.grow.written import Edge, Written, read_nested
from treewright.parameters import is_list, is_number
from treewright.text.names import list_names
from treewright.tree.arrays import CATEGORIES, CUT, INTERVALS, LEAF, TreeArrays
from treewright.tree.tree import Tree


def build(
    nested: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    schema: Schema | FittedSchema | None = None,
    classes: Sequence[Any] | None = None,
) -> Tree:
    """Return the tree of nested questions; see :meth:`treewright.tree.tree.Tree.build`."""
    if (X is None) != (y is None) or (X is None and sample_weight is not None):
        raise ParameterError(
            "Tree.build: X, y and sample_weight belong to one table.\n"
            "  Hint: give X and y, with sample_weight if the rows have any, or none of them."
        )
    if classes is not None and not is_list(classes):
        raise ParameterError(f"classes={classes!r} must be a list of classes.")
    if schema is not None and not isinstance(schema, Schema | FittedSchema):
        raise ParameterError(f"schema={schema!r} must be a Schema, or the schema of a tree.")
    known = _known_columns(X, schema)
    nodes = read_nested(nested, () if known is None else known.names)
    fitted = _inferred(nodes, schema) if known is None else known
    tree = _tree(nodes, fitted, _classes(nodes, y, classes))
    return tree if X is None else refit(tree, X, y, sample_weight)


def _known_columns(X: Any, schema: Schema | FittedSchema | None) -> FittedSchema | None:
    if isinstance(schema, FittedSchema):
        return schema
    return None if X is None else read_table(X, schema=schema).schema


# The columns


def _inferred(nodes: Sequence[Written], schema: Schema | FittedSchema | None) -> FittedSchema:
    """Return the columns that the questions speak of, in the order they are read."""
    declared = schema if isinstance(schema, Schema) else Schema()
    if declared.derived or declared.ignore:
        raise ParameterError(
            "A schema with derived or ignored columns needs a table.\n"
            "  Hint: Tree.build(nested, X, y, schema=...)."
        )
    asked: dict[str, list[Written]] = {str(key): [] for key in declared.keys}
    for node in nodes:
        if node.column is not None:
            asked.setdefault(node.column, []).append(node)
    if not asked:
        asked = {"x0": []}  # a leaf asks nothing, but a table has columns
    specs = tuple(_spec(name, where, declared) for name, where in asked.items())
    return FittedSchema(columns=specs, named=True)


def _spec(name: str, asked: Sequence[Written], declared: Schema) -> ColumnSpec:
    cost = declared.costs.get(name, 1.0)
    kind, domain = declared.kind_of(name), declared.domain_of(name)
    compared = next((node for node in asked if node.is_compared), None)
    listed = next((node for node in asked if not node.is_compared), None)
    if kind is None:
        if compared is not None and listed is not None:
            raise DataError(
                f"{compared.place}: column {name!r} is cut, but {listed.place} lists its values.\n"
                f"  Hint: schema=Schema(order={{{name!r}: [...]}}) declares values with an order."
            )
        kind = "nominal" if compared is None else "numeric"
    if kind == "numeric":
        return ColumnSpec(name=name, kind="numeric", storage="float", cost=cost)
    if domain is None:
        named = (value for node in asked for edge in node.edges for value in edge.values)
        domain = tuple(dict.fromkeys(value for value in named if value is not None))
    return ColumnSpec(name=name, kind=kind, storage="value", values=domain, cost=cost)


# The classes


def _classes(nodes: Sequence[Written], y: Any, declared: Sequence[Any] | None) -> Array | None:
    """Return the classes of the leaves, ascending as everywhere; None where leaves are numbers."""
    leaves = [node for node in nodes if not node.edges]
    labels = [label for node in leaves for label in _labels(node)]
    names = next((node for node in leaves if not is_number(node.leaf)), None)
    if declared is None and names is None:
        return None
    if declared is None:
        number = next((node for node in leaves if is_number(node.leaf)), None)
        if number is not None and names is not None:
            raise DataError(
                f"{number.place} is the number {number.leaf!r}, but {names.place} is"
                f" {names.leaf!r}: leaves are all numbers or all classes.\n"
                "  Hint: classes=[...] says that numbers are classes."
            )
    known = [] if declared is None else list(declared)
    if declared is not None:
        for node in leaves:
            for label in _labels(node):
                if label not in known:
                    raise DataError(
                        f"{node.place}: {label!r} is none of the classes.\n"
                        f"  Classes: {list_names(map(str, known))}"
                    )
    if y is not None:
        known += read_classes(y, owner="Tree.build").classes[0].tolist()
    return read_classes([*known, *labels], owner="Tree.build").classes[0]


def _labels(node: Written) -> list[Any]:
    return list(node.leaf) if isinstance(node.leaf, Mapping) else [node.leaf]


# The arrays


def _tree(nodes: Sequence[Written], schema: FittedSchema, classes: Array | None) -> Tree:
    """Return the tree before any rows: every branch of a question weighs alike."""
    arrays, placed = question_arrays(nodes, schema, n_values=1 if classes is None else len(classes))
    tree = Tree(
        arrays=arrays,
        schema=schema,
        classes=None if classes is None else (classes,),
        criterion="squared_error" if classes is None else "entropy",
    )
    arrays = _weighed(tree, [node.leaf for node in placed])
    arrays.validate(schema)
    return tree.with_arrays(arrays)


def question_arrays(
    nodes: Sequence[Written], schema: FittedSchema, *, n_values: int
) -> tuple[TreeArrays, list[Written]]:
    """Return the nodes of written questions, empty of rows, and each as it is written.

    Parameters
    ----------
    nodes, schema
        What is written, and the columns.
    n_values
        Numbers that describe a node: one per class, or the mean.
    """
    asked = [_asked(node, schema) for node in nodes]
    n_branches = np.array([len(each["order"]) for each in asked], dtype=np.int32)
    # Children are numbered in the order of their questions' branches, which may not be the order
    # they are written in: a cut has the lower values first.
    first_child = np.full(len(nodes), -1, dtype=np.int32)
    parent = np.full(len(nodes), -1, dtype=np.int32)
    place = [0]
    for number, _ in enumerate(nodes):
        written = nodes[place[number]]
        order = asked[place[number]]["order"]
        if order:
            first_child[number] = len(place)
            parent[len(place) : len(place) + len(order)] = number
            place += [written.children[branch] for branch in order]
    asked = [asked[each] for each in place]
    n_branches = n_branches[place]
    arrays = _arrays(asked, first_child, n_branches, parent, n_values)
    return arrays, [nodes[each] for each in place]


def _arrays(
    asked: Sequence[Mapping[str, Any]],
    first_child: Array,
    n_branches: Array,
    parent: Array,
    n_values: int,
) -> TreeArrays:
    n_nodes = len(asked)
    codes = [each.get("codes", ()) for each in asked]
    cuts = [each.get("cuts", ()) for each in asked]

    def slices(owned: Sequence[Sequence[Any]], kind: int) -> tuple[Array, Array]:
        count = np.array([len(each) for each in owned])
        is_owner = np.array([each["kind"] == kind for each in asked])
        return np.where(is_owner, np.cumsum(count) - count, -1), count.astype(np.int32)

    code_offset, code_count = slices(codes, CATEGORIES)
    cut_offset, cut_count = slices(cuts, INTERVALS)
    every_cut = [cut for each in cuts for cut in each]

    def column(name: str, default: Any, dtype: Any) -> Array:
        return np.array([each.get(name, default) for each in asked], dtype=dtype)

    return TreeArrays(
        first_child=first_child,
        n_branches=n_branches,
        parent=parent,
        column=column("column", -1, np.int32),
        kind=column("kind", LEAF, np.int8),
        threshold=column("threshold", np.nan, np.float64),
        threshold_int=column("threshold_int", 0, np.int64),
        code_offset=code_offset,
        code_count=code_count,
        code=np.array([code for each in codes for code, _ in each], dtype=np.int32),
        branch_of_code=np.array([branch for each in codes for _, branch in each], dtype=np.int32),
        missing_branch=column("missing_branch", -1, np.int32),
        unseen_branch=column("unseen_branch", -1, np.int32),
        rest_branch=column("rest_branch", -1, np.int32),
        cut_offset=cut_offset,
        cut_count=cut_count,
        cut=np.array([float(cut) for cut, _ in every_cut]),
        cut_int=np.array([cut for _, cut in every_cut], dtype=np.int64),
        n_rows=np.zeros(n_nodes, dtype=np.int64),
        weight=np.zeros(n_nodes),
        impurity=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
        score=np.zeros(n_nodes),
        value=np.zeros((n_nodes, n_values)),
    )


def _weighed(tree: Tree, leaves: Sequence[Any]) -> TreeArrays:
    """Return the nodes with weights: those of the counts written, or equal ones for branches."""
    arrays = tree.arrays
    weight = np.ones(tree.n_nodes)
    for node in range(1, tree.n_nodes):
        parent = arrays.parent[node]
        weight[node] = weight[parent] / arrays.n_branches[parent]
    if tree.classes is None:
        numbers = np.array([0.0 if leaf is None else float(leaf) for leaf in leaves])
        is_leaf = arrays.n_branches == 0
        sums = np.column_stack([np.where(is_leaf, weight * numbers**p, 0.0) for p in range(3)])
        return with_moments(arrays, _over_leaves(tree, sums), centre=0.0, criterion="squared_error")
    place = {name: code for code, name in enumerate(tree.classes[0].tolist())}
    counts = np.zeros((tree.n_nodes, len(place)))
    for node, leaf in enumerate(leaves):
        if not tree.is_leaf(node):
            continue
        for label, count in leaf.items() if isinstance(leaf, Mapping) else [(leaf, 1)]:
            counts[node, place[label]] = count
    # Leaves that are all written as whole counts have rows; else a leaf is one, in parts.
    written = [leaves[node] for node in range(tree.n_nodes) if tree.is_leaf(node)]
    are_counts = all(
        isinstance(leaf, Mapping) and all(float(n).is_integer() for n in leaf.values())
        for leaf in written
    )
    if not are_counts:
        total = counts.sum(axis=1, keepdims=True)
        counts = weight[:, np.newaxis] * counts / np.where(total > 0, total, 1.0)
    counts = _over_leaves(tree, counts)
    filled = with_class_counts(tree.with_arrays(arrays), counts)
    if are_counts:
        filled = replace(filled, n_rows=filled.weight.astype(np.int64))
    return filled


def _over_leaves(tree: Tree, at_leaves: FloatArray) -> FloatArray:
    total = at_leaves.copy()
    for node in tree.bottom_up():
        if node:
            total[tree.arrays.parent[node]] += total[node]
    return total


# The questions


def _asked(node: Written, schema: FittedSchema) -> dict[str, Any]:
    """Return the entries of a question, and the order of the branches as they are written."""
    if node.column is None:
        return {"kind": LEAF, "order": ()}
    index = schema.index(node.column)
    spec = schema.columns[index]
    asked: dict[str, Any] = {"column": index}
    missing = [branch for branch, edge in enumerate(node.edges) if edge.takes_missing]
    if len(missing) > 1:
        raise DataError(f"{node.place}: two branches of {node.question!r} take missing values.")
    if node.is_compared:
        asked |= _cuts_of(node, spec)
    else:
        asked |= _values_of(node, spec)
    if missing:
        asked["missing_branch"] = asked["order"].index(missing[0])
    return asked


def _cuts_of(node: Written, spec: ColumnSpec) -> dict[str, Any]:
    """Return the cuts of a question whose edges are comparisons."""
    if spec.kind == "nominal":
        raise DataError(
            f"{node.place}: {node.question!r} cuts a nominal column, which has no order.\n"
            f"  Values: {list_names(map(str, spec.values))}\n"
            "  Hint: ask for its values, or declare their order: Schema(order={...})."
        )
    is_last = [edge.test in (">", ">=") for edge in node.edges]
    compares = [edge for edge in node.edges if edge.test is not None]
    uppers = sorted(
        (_stored(edge, spec, node), branch)
        for branch, edge in enumerate(node.edges)
        if edge.test in ("<", "<=")
    )
    above = [branch for branch, each in enumerate(is_last) if each]
    if len(above) != 1 or not uppers:
        raise DataError(
            f"{node.place}: the edges of {node.question!r} must be '<=' (or '<') some numbers, and"
            f" one '>' (or '>=') the last of them; they are"
            f" {list_names([edge.text for edge in compares])}."
        )
    last = node.edges[above[0]]
    cuts = [cut for cut, _ in uppers]
    if _stored(last, spec, node) != cuts[-1] or len(set(cuts)) < len(cuts):
        raise DataError(
            f"{node.place}: the edges of {node.question!r} leave a gap or overlap:"
            f" {list_names([edge.text for edge in compares])}.\n"
            f"  Hint: {last.text!r} is the other side of"
            f" {_other_side(last)!r}."
        )
    missing = [b for b, edge in enumerate(node.edges) if edge.test is None]
    order = (*(branch for _, branch in uppers), above[0], *missing)
    is_float = spec.storage == "float"
    if len(cuts) > 1:
        stored = tuple((cut, 0) if is_float else (math.nan, int(cut)) for cut in cuts)
        return {"kind": INTERVALS, "cuts": stored, "order": order}
    if is_float:
        return {"kind": CUT, "threshold": cuts[0], "order": order}
    return {"kind": CUT, "threshold_int": int(cuts[0]), "order": order}


def _other_side(edge: Edge) -> str:
    return f"{'<=' if edge.test == '>' else '<'} {edge.bound}"


def _stored(edge: Edge, spec: ColumnSpec, node: Written) -> float | int:
    """Return the largest stored value of the lower side of a comparison."""
    strict = edge.test in ("<", ">=")
    if spec.kind == "ordinal":
        return _code(edge.bound, spec, node) - strict
    try:
        bound = float(str(edge.bound))
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise DataError(
            f"{node.place}: {edge.text!r} compares column {spec.name!r} with {edge.bound!r},"
            " which is no number."
        )
    if spec.storage in ("datetime", "duration", "uint"):
        raise DataError(
            f"{node.place}: column {spec.name!r} holds {spec.storage} values, which a tree written"
            " by hand cannot cut."
        )
    if spec.storage == "float":
        return math.nextafter(bound, -math.inf) if strict else bound
    return math.ceil(bound) - 1 if strict else math.floor(bound)


def _values_of(node: Written, spec: ColumnSpec) -> dict[str, Any]:
    """Return the categories of a question whose edges list values."""
    if spec.storage != "value":
        raise DataError(
            f"{node.place}: {node.question!r} lists values of a numeric column.\n"
            "  Hint: cut it, as in {'"
            f"{spec.name} <= 1.5': {{'yes': ..., 'no': ...}}}}, or declare it nominal:"
            f" Schema(kinds={{{spec.name!r}: 'nominal'}})."
        )
    branch_of: dict[int, int] = {}
    rest = -1
    for branch, edge in enumerate(node.edges):
        if edge.is_rest:
            rest = branch
        for value in edge.values:
            if value is None:
                continue
            code = _code(value, spec, node)
            if code in branch_of:
                raise DataError(f"{node.place}: value {value!r} of {spec.name!r} has two branches.")
            branch_of[code] = branch
    return {
        "kind": CATEGORIES,
        "codes": tuple(sorted(branch_of.items())),
        "rest_branch": rest,
        "unseen_branch": rest,
        "order": tuple(range(len(node.edges))),
    }


def _code(value: Any, spec: ColumnSpec, node: Written) -> int:
    """Return the code of a value, which may be written as its text."""
    code = spec.code_of_value.get(value)
    if code is None:
        code = {str(each): code for each, code in spec.code_of_value.items()}.get(str(value))
    if code is None:
        raise DataError(
            f"{node.place}: {value!r} is not a value of column {spec.name!r}.\n"
            f"  Values: {list_names(map(str, spec.values))}"
        )
    return code
