"""The questions of a tree as plain data, so that the page can follow a row that is typed in.

Thresholds of whole numbers that a float cannot hold are texts; dates are milliseconds since 1970,
durations seconds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from treewright.data.fitted_schema import UINT_OFFSET
from treewright.draw.training_rows import cuts_of
from treewright.draw.values import category_text
from treewright.tree.question import Categories, LinearCut, Question, columns_of

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec
    from treewright.tree.tree import Tree

_LARGEST_WHOLE = 2**53


def question_data(tree: Tree, node: int) -> dict[str, Any] | None:
    """Return the question of a node, with the surrogates that stand in for missing values."""
    question = tree.question(node)
    if question is None:
        return None
    found = _data(question)
    surrogates = [{**_data(each.question), "flip": each.flipped} for each in tree.surrogates(node)]
    return found | ({"s": surrogates} if surrogates else {})


def _data(question: Question) -> dict[str, Any]:
    found: dict[str, Any] = {
        "m": question.missing_branch,
        "u": question.unseen_branch,
        "n": question.n_branches,
    }
    if isinstance(question, Categories):
        branches = {
            category_text(question.column, code): branch
            for code, branch in zip(question.codes, question.branches, strict=True)
        }
        return found | {
            "col": question.index,
            "b": list(branches.items()),
            "r": question.rest_branch,
        }
    if isinstance(question, LinearCut):
        return found | {"terms": [list(term) for term in question.terms], "t": [question.threshold]}
    cuts = [_stored(question.column, cut) for cut in cuts_of(question)]
    return found | {"col": question.index, "t": cuts}


def _stored(spec: ColumnSpec, cut: float | int) -> float | int | str:
    per_second = 10**9 if spec.unit == "ns" else 10**6
    if spec.storage == "datetime":
        return int(cut) / per_second * 1000
    if spec.storage == "duration":
        return int(cut) / per_second
    if spec.storage in ("int", "uint"):
        whole = int(cut) + (UINT_OFFSET if spec.storage == "uint" else 0)
        return whole if abs(whole) < _LARGEST_WHOLE else str(whole)
    if isinstance(cut, float) and not math.isfinite(cut):
        return "Infinity" if cut > 0 else "-Infinity"
    return cut


def column_data(tree: Tree) -> list[dict[str, Any]]:
    """Return what the page must know of every column that is asked."""
    asked: set[int] = set()
    for node in range(tree.n_nodes):
        question = tree.question(node)
        if question is not None:
            asked.update(columns_of(question))
            for each in tree.surrogates(node):
                asked.update(columns_of(each.question))
    found = []
    for index in sorted(asked):
        spec = tree.schema.columns[index]
        values = [category_text(spec, code) for code in range(len(spec.values))]
        found.append({"i": index, "name": spec.name, "kind": spec.storage, "values": values})
    return found
