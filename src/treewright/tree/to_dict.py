"""A tree as plain Python: lists, dicts, strings and numbers that ``json`` accepts.

The form is flat (nodes refer to their children by number), so neither writing nor reading it
recurses. Numbers that JSON does not have are written as text: ``"inf"``, ``"-inf"``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from treewright.data.fitted_schema import UINT_OFFSET
from treewright.interrupts import uncollected
from treewright.tree.condition import COMPLETE
from treewright.tree.linear_leaves import IndicatorTerm, LinearModel
from treewright.tree.question import Categories, Intervals, LinearCut, Question

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec
    from treewright.tree.tree import Tree


def tree_to_dict(tree: Tree) -> dict[str, Any]:
    """Return the schema, classes and nodes of a tree as plain Python."""
    classes = None
    if tree.classes is not None:
        classes = [[plain(name) for name in names.tolist()] for names in tree.classes]
    with uncollected():
        nodes = [_node(tree, node) for node in range(tree.n_nodes)]
    return {
        "kind": "regression" if tree.classes is None else "classification",
        "criterion": tree.criterion,
        "combine": tree.combine,
        "unseen": tree.unseen,
        "columns": [column_to_dict(spec) for spec in tree.schema.columns],
        "derived": [str(each.definition) for each in tree.schema.derived],
        "classes": classes,
        "nodes": nodes,
    }


def column_to_dict(spec: ColumnSpec) -> dict[str, Any]:
    """Return the description of a column as plain Python."""
    described: dict[str, Any] = {"name": spec.name, "kind": spec.kind, "storage": spec.storage}
    if spec.storage == "value":
        described["values"] = [plain(value) for value in spec.values]
    if spec.unit is not None:
        described["unit"] = spec.unit
    if spec.time_zone is not None:
        described["time_zone"] = spec.time_zone
    if spec.cost != 1.0:
        described["cost"] = spec.cost
    return described


def _node(tree: Tree, node: int) -> dict[str, Any]:
    arrays = tree.arrays
    label = tree.label(node)
    described: dict[str, Any] = {
        "id": node,
        "parent": int(arrays.parent[node]) if node else None,
        "rows": int(arrays.n_rows[node]),
        "weight": float(arrays.weight[node]),
        "impurity": float(arrays.impurity[node]),
        "value": [plain(number) for number in arrays.value[node].tolist()],
        "label": [plain(part) for part in label] if isinstance(label, tuple) else plain(label),
        "children": list(tree.children(node)),
    }
    model = None if tree.linear is None else tree.linear.model(node)
    if model is not None:
        described["model"] = _model(model)
    question = tree.question(node)
    if question is not None:
        described["gain"] = float(arrays.gain[node])
        described["score"] = plain(float(arrays.score[node]))
        described["question"] = question_to_dict(question)
        described["branches"] = [
            question.text(branch, COMPLETE) for branch in range(question.n_branches)
        ]
        surrogates = tree.surrogates(node)
        if surrogates:
            described["surrogates"] = [
                {
                    "question": question_to_dict(surrogate.question),
                    "flipped": surrogate.flipped,
                    "agreement": surrogate.agreement,
                }
                for surrogate in surrogates
            ]
    return described


def _model(model: LinearModel) -> dict[str, Any]:
    terms = []
    for coefficient, term, fill in zip(model.coefficients, model.terms, model.fills, strict=True):
        part: dict[str, Any] = {"column": term.index, "coefficient": coefficient, "fill": fill}
        if isinstance(term, IndicatorTerm):
            part |= {"kind": "members", "codes": sorted(term.codes)}
        else:
            part |= {"kind": "number", "low": term.low, "high": term.high}
        terms.append(part)
    described: dict[str, Any] = {"intercept": model.intercept, "terms": terms}
    if model.limits is not None:
        described["limits"] = list(model.limits)
    return described


def question_to_dict(question: Question) -> dict[str, Any]:
    """Return a question as plain Python; columns by position."""
    described: dict[str, Any] = {"column": question.index}
    if isinstance(question, Categories):
        # Only the categories seen there: all at every node would take (nodes x categories) entries.
        described |= {
            "kind": "categories",
            "codes": list(question.codes),
            "branch_of_code": list(question.branches),
            "rest_branch": question.rest_branch,
        }
    elif isinstance(question, Intervals):
        described |= {
            "kind": "intervals",
            "cuts": [plain_bound(question.column, cut) for cut in question.cuts],
        }
    elif isinstance(question, LinearCut):
        described |= {
            "kind": "linear",
            "terms": [list(term) for term in question.terms],
            "threshold": plain(question.threshold),
        }
    else:
        described |= {"kind": "cut", "threshold": plain_bound(question.column, question.threshold)}
    described["missing_branch"] = _branch(question.missing_branch)
    described["unseen_branch"] = _branch(question.unseen_branch)
    return described


def plain_bound(column: ColumnSpec, bound: float | int) -> Any:
    """Return a bound in stored form; that of an unsigned column as its value."""
    return plain(int(bound) + UINT_OFFSET if column.storage == "uint" else bound)


def _branch(branch: int) -> int | None:
    """Return a branch; None for :data:`EVERY_BRANCH`."""
    return branch if branch >= 0 else None


def plain(value: object) -> Any:
    """Return a value that JSON can hold, or its text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)
