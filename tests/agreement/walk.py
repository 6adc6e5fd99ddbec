"""Walks a tree of ours and one of scikit-learn together and compares what their splits achieve.

Where several splits of a node are equally good the two may choose different ones, so what counts
is the impurity decrease, computed here anew from the rows and shared with neither library. Below
such a tie the trees part; there each node of ours is held against a stump that scikit-learn grows
from the node's rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from treewright.tree.tree import Tree

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

RELATIVE = 1e-9  # of the decrease
ROUNDING = 1e-12  # of the node's impurity: what is left of a decrease that should be 0
NEAREST = 1.0000001e-7  # scikit-learn does not cut between values closer than this (1e-7 in float)


@dataclass(frozen=True, kw_only=True)
class Data:
    """What both trees were grown from."""

    X: npt.NDArray[np.float32]
    y: Array  # rows x outputs: codes of classes, or numbers
    weight: Floats
    criterion: str

    @property
    def is_classification(self) -> bool:
        return self.criterion in ("gini", "entropy")


@dataclass(kw_only=True)
class Agreement:
    """What the walk met."""

    n_same: int = 0  # nodes that divide their rows alike
    n_other_column: int = 0  # of those, by columns that order the node's rows alike
    n_leaves: int = 0  # nodes that are leaves in both
    ties: list[int] = field(default_factory=list)  # our nodes where equally good splits differ
    n_stumps: int = 0  # nodes below partings, each compared with a stump
    n_constant: int = 0  # scikit-learn splits rows of one target value, by rounding
    n_empty: int = 0  # scikit-learn rounds a decrease of 0 to less than 0 and has a leaf
    n_close: int = 0  # values closer than scikit-learn tells apart
    parted: list[int] = field(default_factory=list)  # our nodes below which the trees differ
    same_leaves: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_identical(self) -> bool:
        return not (self.ties or self.n_constant or self.n_empty or self.n_close)


def decrease(data: Data, rows: Array, low: Mask) -> float:
    """Return the impurity decrease of dividing some rows, in forms that do not cancel."""
    parts = [rows[low], rows[~low]]
    total = data.weight[rows].sum()
    shares = [data.weight[part].sum() / total for part in parts]
    outputs = [
        _output_decrease(data, data.y[:, k], rows, parts, shares) for k in range(_width(data))
    ]
    return float(np.mean(outputs))


def _width(data: Data) -> int:
    return int(data.y.shape[1])


def _output_decrease(
    data: Data, y: Array, rows: Array, parts: list[Array], shares: list[float]
) -> float:
    if data.criterion == "absolute_error":
        below = sum(
            share * _deviation(y[part], data.weight[part])
            for share, part in zip(shares, parts, strict=True)
        )
        return float(_deviation(y[rows], data.weight[rows]) - below)
    if data.is_classification:
        n_classes = int(y.max()) + 1
        levels = [_class_shares(y[part], data.weight[part], n_classes) for part in parts]
        whole = _class_shares(y[rows], data.weight[rows], n_classes)
    else:
        origin = y[rows[0]] if data.criterion == "squared_error" else 0.0
        levels = [np.array([np.average(y[p] - origin, weights=data.weight[p])]) for p in parts]
        whole = np.array([np.average(y[rows] - origin, weights=data.weight[rows])])
    if data.criterion in ("gini", "squared_error"):
        return float(shares[0] * shares[1] * ((levels[0] - levels[1]) ** 2).sum())
    base = np.log(2.0) if data.criterion == "entropy" else 1.0
    return float(
        sum(s * _divergence(level, whole) for s, level in zip(shares, levels, strict=True)) / base
    )


def _class_shares(y: Array, weight: Floats, n_classes: int) -> Floats:
    sums = np.bincount(y, weights=weight, minlength=n_classes)
    return np.asarray(sums / sums.sum())


def _divergence(level: Floats, whole: Floats) -> float:
    known = level > 0
    excess = (level[known] - whole[known]) / whole[known]
    return float((level[known] * np.log1p(excess)).sum())


def _deviation(y: Array, weight: Floats) -> float:
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weight[order])
    median = y[order][np.searchsorted(reached, reached[-1] / 2)]
    return float(np.average(np.abs(y - median), weights=weight))


def impurity(data: Data, rows: Array) -> float:
    """Return the impurity of some rows."""
    weight = data.weight[rows]
    outputs = []
    for k in range(_width(data)):
        y = data.y[rows, k]
        if data.is_classification:
            shares = _class_shares(y, weight, int(y.max()) + 1)
            shares = shares[shares > 0]
            is_gini = data.criterion == "gini"
            outputs.append(1 - (shares**2).sum() if is_gini else -(shares * np.log2(shares)).sum())
        elif data.criterion == "absolute_error":
            outputs.append(_deviation(y, weight))
        else:
            mean = np.average(y, weights=weight)
            if data.criterion == "squared_error":
                outputs.append(np.average((y - mean) ** 2, weights=weight))
            else:
                known = y > 0
                terms = np.zeros(len(y))
                terms[known] = y[known] * np.log(y[known] / mean)
                outputs.append(np.average(terms, weights=weight))
    return float(np.mean(outputs))


def compare(data: Data, ours: Any, theirs: Any) -> Agreement:
    """Walk two fitted estimators together; fail where ours is not as good, or stops elsewhere."""
    met = Agreement()
    is_best_first = theirs.max_leaf_nodes is not None
    pending = [(0, 0, np.arange(len(data.X)))]
    while pending:
        mine, other, rows = pending.pop()
        _check_node(data, ours.tree_, theirs, mine, other, rows)
        my_side = side_of_ours(ours.tree_, data.X, mine, rows)
        other_side = _side_of_theirs(theirs.tree_, data.X, other, rows)
        if my_side is None and other_side is None:
            met.n_leaves += 1
            met.same_leaves.append((mine, other))
        elif my_side is None or other_side is None:
            if is_best_first and met.ties:
                continue  # what else was split depends on the tie
            _excuse(data, ours.tree_, mine, rows, my_side, met)
        elif np.array_equal(my_side, other_side) or np.array_equal(my_side, ~other_side):
            met.n_same += 1
            _check_question(ours.tree_, theirs.tree_, mine, other, met)
            first, second = ours.tree_.children(mine)
            kids = theirs.tree_.children_left[other], theirs.tree_.children_right[other]
            if not np.array_equal(my_side, other_side):
                kids = kids[1], kids[0]  # the same division asked of a column that runs backwards
            pending += [
                (first, int(kids[0]), rows[my_side]),
                (second, int(kids[1]), rows[~my_side]),
            ]
        else:
            _check_tie(data, ours.tree_, mine, rows, my_side, other_side, met)
    return met


def _check_question(tree: Tree, theirs: Any, mine: int, other: int, met: Agreement) -> None:
    """Two cuts of one column that divide rows alike both lie halfway between the same values."""
    if tree.arrays.column[mine] != theirs.feature[other]:
        met.n_other_column += 1
    else:
        cut = tree.arrays.threshold[mine]
        assert np.isclose(cut, theirs.threshold[other], rtol=1e-12, atol=0), (mine, cut)


def _check_node(data: Data, tree: Tree, theirs: Any, mine: int, other: int, rows: Array) -> None:
    """What both trees say of the same rows: how many, their weight, impurity and answer."""
    arrays = tree.arrays
    assert arrays.n_rows[mine] == len(rows) == theirs.tree_.n_node_samples[other]
    weight = theirs.tree_.weighted_n_node_samples[other]
    assert np.isclose(arrays.weight[mine], weight, rtol=1e-9)
    # scikit-learn computes E[y^2] - E[y]^2, which cancels; ours is held to the two-pass value.
    assert np.isclose(arrays.impurity[mine], impurity(data, rows), rtol=1e-9, atol=1e-13)
    answer = theirs.tree_.value[other]
    if data.is_classification:
        answer = np.concatenate(
            [row[:n] for row, n in zip(answer, np.atleast_1d(theirs.n_classes_), strict=True)]
        )
    np.testing.assert_allclose(tree.answers[mine], answer.ravel(), rtol=1e-9, atol=1e-12)


def side_of_ours(tree: Tree, X: npt.NDArray[np.float32], node: int, rows: Array) -> Mask | None:
    """Tell which rows go to the first branch; None at a leaf."""
    if tree.is_leaf(node):
        return None
    arrays = tree.arrays
    assert arrays.kind[node] == 1
    # Row by row both libraries compare the float32 value with a threshold in double precision.
    return np.asarray(X[rows, arrays.column[node]].astype(np.float64) <= arrays.threshold[node])


def _side_of_theirs(tree: Any, X: npt.NDArray[np.float32], node: int, rows: Array) -> Mask | None:
    if tree.children_left[node] < 0:
        return None
    return np.asarray(X[rows, tree.feature[node]].astype(np.float64) <= tree.threshold[node])


def _check_tie(
    data: Data, tree: Tree, node: int, rows: Array, mine: Mask, other: Mask, met: Agreement
) -> None:
    ours, theirs = decrease(data, rows, mine), decrease(data, rows, other)
    if _is_close(data, rows, ours, theirs):
        met.ties.append(node)
        met.parted.append(node)
        return
    assert ours > theirs, f"node {node}, {len(rows)} rows: {ours!r} is below {theirs!r}"
    assert _gap(data, tree, node, rows) <= NEAREST, f"node {node}: {ours!r} is above {theirs!r}"
    met.n_close += 1
    met.parted.append(node)


def _is_close(data: Data, rows: Array, first: float, second: float) -> bool:
    slack = max(RELATIVE * max(abs(first), abs(second)), ROUNDING * impurity(data, rows))
    return abs(first - second) <= slack


def _gap(data: Data, tree: Tree, node: int, rows: Array) -> float:
    """Distance of the two values that a cut of ours lies between."""
    values = data.X[rows, tree.arrays.column[node]].astype(np.float64)
    side = values <= tree.arrays.threshold[node]
    return float(values[~side].min() - values[side].max())


def _excuse(
    data: Data, tree: Tree, node: int, rows: Array, mine: Mask | None, met: Agreement
) -> None:
    """One tree stops and the other goes on: only scikit-learn's rounding and 1e-7 explain that."""
    if mine is None:
        assert len(np.unique(data.y[rows], axis=0)) == 1, f"node {node} could be split"
        met.n_constant += 1
    elif _is_close(data, rows, decrease(data, rows, mine), 0.0):
        met.n_empty += 1
        met.parted.append(node)
    else:
        assert _gap(data, tree, node, rows) <= NEAREST, f"node {node}: scikit-learn has a leaf"
        met.n_close += 1
        met.parted.append(node)


def rows_of_nodes(tree: Tree, X: npt.NDArray[np.float32]) -> Iterator[tuple[int, Array]]:
    """Return every node with the rows that reach it, the root first."""
    pending = [(0, np.arange(len(X)))]
    while pending:
        node, rows = pending.pop()
        yield node, rows
        side = side_of_ours(tree, X, node, rows)
        if side is not None:
            first, second = tree.children(node)
            pending += [(first, rows[side]), (second, rows[~side])]


def check_gains(data: Data, tree: Tree) -> None:
    """Hold the gain that each node of ours states against the one computed from its rows."""
    for node, rows in rows_of_nodes(tree, data.X):
        side = side_of_ours(tree, data.X, node, rows)
        stated = float(tree.arrays.gain[node])
        computed = 0.0 if side is None else decrease(data, rows, side)
        assert _is_close(data, rows, stated, computed), (node, stated, computed)


def compare_with_stumps(data: Data, ours: Any, theirs: Any, met: Agreement) -> None:
    """Hold every node below a parting against the stump scikit-learn grows from the node's rows.

    Only for depth-first trees: which nodes a best-first tree opens depends on all the others.
    """
    tree = ours.tree_
    deepest = np.inf if theirs.max_depth is None else theirs.max_depth
    below = _nodes_below(tree, met.parted)
    for node, rows in rows_of_nodes(tree, data.X):
        if node not in below or tree.levels[node] >= deepest:
            continue
        met.n_stumps += 1
        stump = clone(theirs).set_params(max_depth=1, **_limits_of_node(data, theirs, rows))
        stump.fit(data.X[rows], data.y[rows], sample_weight=data.weight[rows])
        mine = side_of_ours(tree, data.X, node, rows)
        other = _side_of_theirs(stump.tree_, data.X, 0, rows)
        if mine is None and other is None:
            continue
        if mine is None or other is None:
            _excuse(data, tree, node, rows, mine, Agreement())
        elif not np.array_equal(mine, other):
            _check_tie(data, tree, node, rows, mine, other, Agreement())


def _nodes_below(tree: Tree, nodes: list[int]) -> set[int]:
    below: set[int] = set()
    pending = [child for node in nodes for child in tree.children(node)]
    while pending:
        node = pending.pop()
        below.add(node)
        pending += tree.children(node)
    return below


def _limits_of_node(data: Data, theirs: Any, rows: Array) -> dict[str, Any]:
    """Turn limits that are shares of the whole table into those of a node's rows."""
    limits: dict[str, Any] = {}
    for name in ("min_samples_leaf", "min_samples_split"):
        value = getattr(theirs, name)
        if isinstance(value, float):
            limits[name] = max(2 if name == "min_samples_split" else 1, ceil(value * len(data.X)))
    share = data.weight[rows].sum() / data.weight.sum()
    limits["min_impurity_decrease"] = theirs.min_impurity_decrease / share
    if data.is_classification:
        limits["class_weight"] = None  # is in the weights already
    return limits
