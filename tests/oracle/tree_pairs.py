"""Two trees of cuts compared by recursion, from what ``Tree.to_dict()`` says.

Only cuts of columns, and missing values that go to one branch: small enough to be obviously right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Node = Mapping[str, Any]
INFINITE = ("inf", "-inf")
HIGHEST = {"float": "inf", "int": 2**63 - 1, "uint": 2**64 - 1}
"""The threshold of "is the value known?": no value of the column is above it."""


def changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Every place where two trees differ: how, and the two nodes; in reading order."""
    return _changes(first, second, 0, 0)


def _changes(first: Any, second: Any, a: int, b: int) -> list[tuple[str, int, int]]:
    one, two = first["nodes"][a], second["nodes"][b]
    asks = "question" in one, "question" in two
    if not any(asks):
        kind = "label" if first["kind"] == "classification" else "value"
        return [] if one["label"] == two["label"] else [(kind, a, b)]
    if not all(asks):
        return [("pruned" if asks[0] else "grown", a, b)]
    if _column(first, one) != _column(second, two):
        return [("question", a, b)]
    if _asks_whether_known(first, one) != _asks_whether_known(second, two):
        return [("question", a, b)]  # "is the value known?" has no branches of a cut
    found = []
    if one["question"]["threshold"] != two["question"]["threshold"]:
        found.append(("threshold", a, b))
    elif one["question"]["missing_branch"] != two["question"]["missing_branch"]:
        found.append(("missing", a, b))
    for below in zip(one["children"], two["children"], strict=True):
        found += _changes(first, second, *below)
    return found


def has_other_path(
    first: Mapping[str, Any], second: Mapping[str, Any], row: Mapping[str, float | None]
) -> bool:
    """Whether a row ever is asked another thing, goes another way, or ends elsewhere.

    Cuts of a column ask the same thing wherever they are; whether its value is known is another.
    """
    steps = [_steps(tree, row) for tree in (first, second)]
    return steps[0] != steps[1]


def _steps(
    tree: Mapping[str, Any], row: Mapping[str, float | None]
) -> Sequence[tuple[str, bool, int]]:
    steps = []
    node = tree["nodes"][0]
    while "question" in node:
        column = _column(tree, node)
        value = row[column]
        if value is None:
            branch = node["question"]["missing_branch"]
        else:
            threshold = node["question"]["threshold"]  # text for infinity; integers stay exact
            branch = 0 if value <= (float(threshold) if threshold in INFINITE else threshold) else 1
        steps.append((column, _asks_whether_known(tree, node), branch))
        node = tree["nodes"][node["children"][branch]]
    return steps


def _column(tree: Mapping[str, Any], node: Node) -> str:
    name: str = tree["columns"][node["question"]["column"]]["name"]
    return name


def _asks_whether_known(tree: Mapping[str, Any], node: Node) -> bool:
    storage: str = tree["columns"][node["question"]["column"]]["storage"]
    return bool(node["question"]["threshold"] == HIGHEST[storage])
