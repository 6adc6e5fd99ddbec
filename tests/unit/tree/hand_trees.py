"""Trees written by hand, so that the model layer is tested without growing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.tree.arrays import CATEGORIES, CUT, LEAF, TreeArrays
from treewright.tree.tree import Tree

StandIn: TypeAlias = tuple[str, float | dict[object, int], bool]
"""A column, its threshold (or the branch of each value), and whether the branches are flipped."""


@dataclass
class Node:
    """A node to be numbered; ``value`` is class weights, or the mean of ``n_rows`` numbers."""

    value: tuple[float, ...] | None = None
    n_rows: int | None = None
    variance: float = 0.0
    column: str | None = None
    threshold: float | int | None = None
    groups: tuple[tuple[object, ...], ...] | None = None
    children: tuple[Node, ...] = ()
    missing_branch: int = -1
    unseen_branch: int = -1
    surrogates: tuple[StandIn, ...] = ()


def leaf(*counts: float) -> Node:
    return Node(value=counts)


def mean_leaf(n_rows: int, *means: float, variance: float = 0.0) -> Node:
    return Node(value=means, n_rows=n_rows, variance=variance)


def cut(
    column: str,
    threshold: float | int,
    *children: Node,
    missing_branch: int = -1,
    unseen_branch: int = -1,
    surrogates: tuple[StandIn, ...] = (),
) -> Node:
    return Node(
        column=column,
        threshold=threshold,
        children=children,
        missing_branch=missing_branch,
        unseen_branch=unseen_branch,
        surrogates=surrogates,
    )


def categories(
    column: str,
    *branches: tuple[Sequence[object], Node],
    missing_branch: int = -1,
    unseen_branch: int = -1,
) -> Node:
    return Node(
        column=column,
        groups=tuple(tuple(values) for values, _ in branches),
        children=tuple(child for _, child in branches),
        missing_branch=missing_branch,
        unseen_branch=unseen_branch,
    )


def numeric(name: str, storage: str = "float", **options: object) -> ColumnSpec:
    return ColumnSpec(name=name, kind="numeric", storage=storage, **options)  # type: ignore[arg-type]


def nominal(name: str, *values: object) -> ColumnSpec:
    return ColumnSpec(name=name, kind="nominal", storage="value", values=values)


def ordinal(name: str, *values: object) -> ColumnSpec:
    return ColumnSpec(name=name, kind="ordinal", storage="value", values=values)


def schema_of(*columns: ColumnSpec) -> FittedSchema:
    return FittedSchema(columns=columns, named=True)


def entropy(counts: np.ndarray) -> float:
    shares = counts[counts > 0] / counts.sum() if counts.sum() > 0 else np.ones(1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def build(
    schema: FittedSchema,
    root: Node,
    classes: Sequence[object] | None = None,
    criterion: str | None = None,
    **options: object,
) -> Tree:
    """Number the nodes level by level and sum the leaves up."""
    nodes, parents = [root], [-1]
    first_child = []
    for i, node in enumerate(nodes):  # grows while it is walked
        first_child.append(len(nodes) if node.children else -1)
        nodes.extend(node.children)
        parents.extend([i] * len(node.children))
    n_nodes = len(nodes)
    statistics = [_statistics(node, classes is not None) for node in nodes]
    names = [column.name for column in schema.columns]
    columns = [names.index(node.column) if node.column else -1 for node in nodes]
    threshold = np.full(n_nodes, np.nan)
    threshold_int = np.zeros(n_nodes, dtype=np.int64)
    code_offset = np.full(n_nodes, -1, dtype=np.int64)
    code_count = np.zeros(n_nodes, dtype=np.int32)
    seen: list[tuple[int, int]] = []
    for i, node in enumerate(nodes):
        if node.threshold is not None:
            is_float = schema.columns[columns[i]].storage == "float"
            (threshold if is_float else threshold_int)[i] = node.threshold
        if node.groups is not None:
            of_value = {value: b for b, group in enumerate(node.groups) for value in group}
            code_offset[i], code_count[i] = len(seen), len(of_value)
            seen += _codes(schema.columns[columns[i]], of_value)
    surrogates = [stand_in for node in nodes for stand_in in node.surrogates]
    surrogate_column = [names.index(name) for name, _, _ in surrogates]
    surrogate_offset = np.full(len(surrogates), -1, dtype=np.int64)
    surrogate_count = np.zeros(len(surrogates), dtype=np.int32)
    for i, (_, asked, _) in enumerate(surrogates):
        if isinstance(asked, dict):
            surrogate_offset[i], surrogate_count[i] = len(seen), len(asked)
            seen += _codes(schema.columns[surrogate_column[i]], asked)
    is_cut = [not isinstance(asked, dict) for _, asked, _ in surrogates]
    bounds = [np.nan if isinstance(asked, dict) else asked for _, asked, _ in surrogates]
    arrays = TreeArrays(
        first_child=np.array(first_child, dtype=np.int32),
        n_branches=np.array([len(node.children) for node in nodes], dtype=np.int32),
        parent=np.array(parents, dtype=np.int32),
        column=np.array(columns, dtype=np.int32),
        kind=np.array([_kind(node) for node in nodes], dtype=np.int8),
        threshold=threshold,
        threshold_int=threshold_int,
        code_offset=code_offset,
        code_count=code_count,
        code=np.array([code for code, _ in seen], dtype=np.int32),
        branch_of_code=np.array([branch for _, branch in seen], dtype=np.int32),
        missing_branch=np.array([node.missing_branch for node in nodes], dtype=np.int32),
        unseen_branch=np.array([node.unseen_branch for node in nodes], dtype=np.int32),
        n_rows=np.array([n_rows for n_rows, _, _ in statistics], dtype=np.int64),
        weight=np.array([n_rows for n_rows, _, _ in statistics], dtype=np.float64),
        impurity=np.array([impurity for _, _, impurity in statistics]),
        gain=np.array([0.1 if node.children else 0.0 for node in nodes]),
        score=np.array([0.1 if node.children else 0.0 for node in nodes]),
        value=np.array([value for _, value, _ in statistics]),
        surrogate_start=np.cumsum([0] + [len(node.surrogates) for node in nodes]).astype(np.int32),
        surrogate_column=np.array(surrogate_column, dtype=np.int32),
        surrogate_threshold=np.array(bounds, dtype=np.float64),
        surrogate_threshold_int=np.zeros(len(surrogates), dtype=np.int64),
        surrogate_kind=np.where(is_cut, CUT, CATEGORIES).astype(np.int8),
        surrogate_code_offset=surrogate_offset,
        surrogate_code_count=surrogate_count,
        surrogate_reversed=np.array([flipped for _, _, flipped in surrogates], dtype=bool),
        surrogate_agreement=np.full(len(surrogates), 0.9),
    )
    return Tree(
        arrays=arrays,
        schema=schema,
        classes=None if classes is None else (np.array(list(classes)),),
        criterion=criterion or ("squared_error" if classes is None else "entropy"),
        **options,  # type: ignore[arg-type]
    )


def _codes(column: ColumnSpec, branch_of_value: dict[object, int]) -> list[tuple[int, int]]:
    """The codes of the values and their branches, ascending."""
    return sorted((column.values.index(value), b) for value, b in branch_of_value.items())


def _kind(node: Node) -> int:
    if not node.children:
        return LEAF
    return CUT if node.groups is None else CATEGORIES


def _statistics(node: Node, is_classifier: bool) -> tuple[float, np.ndarray, float]:
    """Rows, value and impurity of a node."""
    if not node.children:
        value = np.array(node.value, dtype=np.float64)
        if is_classifier:
            return float(value.sum()), value, entropy(value)
        return float(node.n_rows or 0), value, node.variance
    below = [_statistics(child, is_classifier) for child in node.children]
    n_rows = sum(n for n, _, _ in below)
    if is_classifier:
        value = np.sum([counts for _, counts, _ in below], axis=0)
        return n_rows, value, entropy(value)
    mean = sum(n * value for n, value, _ in below) / n_rows
    spread = sum(n * (variance + (value - mean)[0] ** 2) for n, value, variance in below)
    return n_rows, np.asarray(mean), float(spread / n_rows)


TENNIS = schema_of(
    nominal("Outlook", "Sunny", "Overcast", "Rain"),
    nominal("Temperature", "Hot", "Mild", "Cool"),
    nominal("Humidity", "High", "Normal", "Low"),
    nominal("Wind", "Weak", "Strong"),
)


def play_tennis(*, humidity_low: bool = False, **options: object) -> Tree:
    """The tree of the lectures; with an empty branch for the declared value Humidity = Low."""
    humidity = [(["High"], leaf(3, 0)), (["Normal"], leaf(0, 2))]
    if humidity_low:
        humidity.append((["Low"], leaf(0, 0)))
    root = categories(
        "Outlook",
        (["Sunny"], categories("Humidity", *humidity)),
        (["Overcast"], leaf(0, 4)),
        (["Rain"], categories("Wind", (["Weak"], leaf(0, 3)), (["Strong"], leaf(2, 0)))),
    )
    return build(TENNIS, root, ["No", "Yes"], **options)


def day(text: str) -> int:
    """A date as a datetime column stores it."""
    return int(np.datetime64(text, "ns").astype(np.int64))


def loans() -> Tree:
    """Numbers, dates, an ordinal column, a subset and a branch of its own for missing values."""
    schema = schema_of(
        numeric("income"),
        numeric("opened", "datetime", unit="ns"),
        ordinal("rating", "poor", "fair", "good", "excellent"),
        nominal("region", "north", "east", "south", "west"),
        numeric("children", "int"),
    )
    root = cut(
        "income",
        30_000.5,
        categories(
            "region",
            (["north", "west"], cut("opened", day("2024-03-01"), leaf(40, 3), leaf(11, 9))),
            (["east", "south"], cut("rating", 1, leaf(30, 30), leaf(2, 25), missing_branch=0)),
            missing_branch=1,
            unseen_branch=0,
        ),
        cut(
            "income",
            80_000.0,
            cut("children", 2, leaf(5, 60), leaf(4, 8)),
            leaf(0, 120),
            missing_branch=1,
        ),
        leaf(6, 6),
        missing_branch=2,
    )
    return build(schema, root, ["default", "repaid"])


def arrays_of_cuts(
    *,
    first_child: np.ndarray,
    parent: np.ndarray,
    threshold: np.ndarray,
    value: np.ndarray,
    missing_branch: int = -1,
    **others: np.ndarray,
) -> TreeArrays:
    """Write down a tree of binary cuts whole; by default of one column, and it gains nothing."""
    asks, nothing = first_child >= 0, np.zeros(len(first_child))
    weight = others.get("weight", value.sum(axis=1))
    usual = {"weight": weight, "impurity": nothing, "gain": nothing, "score": nothing}
    return TreeArrays(
        first_child=first_child,
        n_branches=np.where(asks, 2, 0),
        parent=parent,
        column=np.where(asks, others.pop("column", 0), -1),
        kind=np.where(asks, CUT, LEAF).astype(np.int8),
        threshold=np.where(asks, threshold, np.nan),
        threshold_int=np.zeros(len(asks), dtype=np.int64),
        code_offset=np.full(len(asks), -1),
        code_count=np.zeros(len(asks), dtype=np.int32),
        code=np.empty(0, dtype=np.int32),
        branch_of_code=np.empty(0, dtype=np.int32),
        missing_branch=np.where(asks, missing_branch, -1),
        unseen_branch=np.where(asks, missing_branch, -1),
        n_rows=others.pop("n_rows", weight.astype(np.int64)),
        value=value,
        **(usual | others),
    )


def chain(n_tests: int) -> Tree:
    """A tree as deep as it has tests: x <= 0 ends, else x <= 1 ends, else ..."""
    n_nodes = 2 * n_tests + 1
    node = np.arange(n_nodes)
    # Test t is node 2t (0, 2, 4, ...), its leaf 2t + 1, the next test (or the last leaf) 2t + 2.
    asks = (node % 2 == 0) & (node < n_nodes - 1)
    value = np.zeros((n_nodes, 2))
    value[node % 4 == 1, 0] = 1
    value[node % 4 == 3, 1] = 1
    value[-1, n_tests % 2] = 1
    leaves = np.where(asks[:, None], 0, value)
    from_here = np.cumsum(leaves[::-1], axis=0)[::-1]  # the leaves at or below each test
    value = np.where(asks[:, None], from_here, value)
    arrays = arrays_of_cuts(
        first_child=np.where(asks, node + 1, -1),
        parent=np.where(node == 0, -1, (node - 1) // 2 * 2),
        threshold=node // 2,
        value=value,
    )
    return Tree(
        arrays=arrays,
        schema=schema_of(numeric("x")),
        classes=(np.array(["even", "odd"]),),
        criterion="gini",
    )
