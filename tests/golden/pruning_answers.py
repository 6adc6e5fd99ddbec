"""Answers that need a pruned tree, asked of ``treewright.prune``."""

from __future__ import annotations

from typing import Any

import numpy as np
from unit.tree.hand_trees import Node, build, cut, leaf, numeric, schema_of

import treewright as tw
from golden.lectures import Lecture, Query, lecture
from golden.tree_answers import grow, nested
from treewright.prune import ChiSquare, CostComplexity, MinimumFraction, ReducedError

CANDIDATES = {"any": "any", "leaf_parents": "leaf_parents"}


def chi_square_prune(data: Lecture, query: Query) -> dict[str, Any]:
    grown = grow(data, query["tree"])
    return nested(grown, ChiSquare(alpha=query["alpha"]).prune(grown.tree))


def reduced_error_prune(data: Lecture, query: Query) -> dict[str, Any]:
    grown = grow(data, query["tree"])
    validation = lecture(query["validation"])
    X, y = validation.records(grown.attributes), validation.y
    # "Not worse" would also cut what makes no difference; the lecture wants an increase.
    accept = "better" if query["candidates"] == "any" else "not_worse"
    pruner = ReducedError(candidates=CANDIDATES[query["candidates"]], accept=accept)
    pruned = pruner.prune(grown.tree, X, y)
    right = np.asarray(pruned.predict(X)) == np.asarray(y)
    return {"tree": nested(grown, pruned), "accuracy": float(right.mean())}


def ccp_alphas(data: Lecture, query: Query) -> list[float]:
    alphas: list[float] = CostComplexity().path(grow(data, query["tree"]).tree).alphas.tolist()
    return alphas


def min_fraction_prune(data: Lecture | None, query: Query) -> dict[str, Any]:
    """Prune a fragment of a tree; the rest of the tree is one more leaf beside it."""
    classes = sorted(_classes_of(query["tree"]))
    columns = [numeric(name) for name in ("Feature1", "Feature2", "rest")]
    fragment = _node(query["tree"], classes)
    n_rest = query["n_root"] - int(sum(_total(query["tree"], name) for name in classes))
    root = cut("rest", 0.0, fragment, leaf(*([n_rest] + [0] * (len(classes) - 1))))
    tree = build(schema_of(*columns), root, classes)
    pruned = MinimumFraction(fraction=query["fraction"]).prune(tree)
    node = pruned.children(0)[0]
    assert pruned.is_leaf(node)
    counts = dict(zip(classes, pruned.arrays.value[node].tolist(), strict=True))
    return {"leaf": pruned.label(node), "counts": counts}


def subtract_counts(data: Lecture | None, query: Query) -> list[float]:
    """What the siblings of a node hold, where it and its parent are known."""
    total, part = query["total"], query["part"]
    rest = [whole - own for whole, own in zip(total, part, strict=True)]
    root = cut("x", 0.0, leaf(*part), leaf(*rest))
    tree: tw.Tree = build(schema_of(numeric("x")), root, "ab"[: len(total)])
    np.testing.assert_array_equal(tree.arrays.value[0], total)
    left: list[float] = (tree.arrays.value[0] - tree.arrays.value[1]).tolist()
    return left


def _node(described: dict[str, Any], classes: list[str]) -> Node:
    if "leaf" in described:
        return leaf(*(described["counts"].get(name, 0) for name in classes))
    children = [_node(child, classes) for child in described["children"]]
    return cut(described["attribute"], described["threshold"], *children)


def _classes_of(described: dict[str, Any]) -> set[str]:
    if "leaf" in described:
        return set(described["counts"])
    return set().union(*map(_classes_of, described["children"]))


def _total(described: dict[str, Any], name: str) -> float:
    if "leaf" in described:
        return float(described["counts"].get(name, 0))
    return sum(_total(child, name) for child in described["children"])


ANSWERS = {
    "ccp_alphas": ccp_alphas,
    "chi_square_prune": chi_square_prune,
    "min_fraction_prune": min_fraction_prune,
    "reduced_error_prune": reduced_error_prune,
    "subtract_counts": subtract_counts,
}
