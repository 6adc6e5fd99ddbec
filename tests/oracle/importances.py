"""Importances of a forest's columns, row by row and node by node from their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
WORD = 2**64


def mix(number: int) -> int:
    """splitmix64 (Steele, Lea, Flood 2014)."""
    z = (number + 0x9E3779B97F4A7C15) % WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def shuffled(n: int, *parts: int) -> list[int]:
    """The places 0 to n - 1, swapped from the last to the second by numbers keyed by the parts."""
    key = parts[0]
    for part in parts[1:]:
        key = mix(mix(key) ^ part)
    places = list(range(n))
    for count, last in enumerate(range(n - 1, 0, -1)):
        drawn = mix(mix(key) ^ count) * (last + 1) // WORD
        places[last], places[drawn] = places[drawn], places[last]
    return places


def table_of(X: dict[str, list[Any]], rows: list[int]) -> dict[str, list[Any]]:
    return {name: [values[row] for row in rows] for name, values in X.items()}


def errors(tree: Any, X: dict[str, list[Any]], y: list[Any]) -> list[float]:
    predicted = tree.predict(X)
    if tree.classes is None:
        return [(float(said) - actual) ** 2 for said, actual in zip(predicted, y, strict=True)]
    return [float(said != actual) for said, actual in zip(predicted, y, strict=True)]


def permutation(
    tree: Any,
    X: dict[str, list[Any]],
    y: list[Any],
    weight: list[float],
    unseen: list[int],
    *,
    seed: int,
    number: int,
    n_repeats: int,
) -> list[float]:
    """Rise of the weighted mean error of the unseen rows, in their order, by column."""
    own, actual = table_of(X, unseen), [y[row] for row in unseen]
    before = errors(tree, own, actual)
    total = sum(weight[row] for row in unseen)
    rises = []
    for position, name in enumerate(X):
        rise = 0.0
        for repeat in range(n_repeats):
            places = shuffled(len(unseen), seed, number, 0x7065726D, position, repeat)
            mixed = dict(own)
            mixed[name] = [own[name][place] for place in places]
            after = errors(tree, mixed, actual)
            for row, was, is_now in zip(unseen, before, after, strict=True):
                rise += weight[row] * (is_now - was)
        rises.append(rise / total / n_repeats)
    return rises


def shares_of(tree: Any, X: dict[str, list[Any]]) -> FloatArray:
    """Share of each row (rows) that reaches each node (columns)."""
    visited = tree.decision_path(X).toarray().astype(bool)
    shares = visited.astype(float)
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            continue
        children = list(tree.children(node))
        divided = visited[:, children].sum(axis=1) > 1
        for child, branch_share in zip(children, tree.branch_shares(node), strict=True):
            part = np.where(divided, branch_share, visited[:, child])
            shares[:, child] = shares[:, node] * part
    return shares


def debiased(
    tree: Any, X: dict[str, list[Any]], y: list[Any], drawn: list[float], counted: list[float]
) -> list[float]:
    """Decrease of impurity on counted rows by column (Li et al. 2019, y less its mean in the node).

    Means come from the rows drawn, not from what the tree says of itself.
    """
    targets = np.array(
        [[float(value)] for value in y]
        if tree.classes is None
        else [[float(value == name) for name in tree.classes[0]] for value in y]
    )
    shares = shares_of(tree, X)
    own, other = shares.T * np.array(drawn), shares.T * np.array(counted)  # nodes x rows
    importances = [0.0] * len(X)
    for node in range(tree.n_nodes):
        if tree.is_leaf(node) or not other[node].sum() > 0:
            continue
        mean = np.average(targets, axis=0, weights=own[node])
        other_mean = np.average(targets, axis=0, weights=other[node])
        for child in tree.children(node):
            if not own[child].sum() > 0:
                continue
            step = np.average(targets, axis=0, weights=own[child]) - mean
            for row in np.flatnonzero(other[child]):
                part = other[child, row] * float(step @ (targets[row] - other_mean))
                importances[int(tree.arrays.column[node])] += part
    return [importance / sum(counted) for importance in importances]
