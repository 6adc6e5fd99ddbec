"""A model in a few words and figures: its size, and what it was grown from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from treewright.cli.screen.words import counted
from treewright.text.names import list_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright import Tree
    from treewright.cli.fitting.judging import Check
    from treewright.evaluate.metrics import Metric
    from treewright.persist.description import Description


def size_in_words(model: Any) -> str:
    """Return how large a model is, and how many columns it asks about."""
    from treewright.tree.tree import Tree

    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return _tree_in_words(tree)
    ensemble = getattr(model, "ensemble_", None)
    if ensemble is not None and hasattr(ensemble, "trees"):
        asked = len(ensemble.used_columns)
        leaves = int(ensemble.trees.n_leaves().sum())
        return (
            f"{counted(len(ensemble), 'tree')}, {counted(leaves, 'leaf', 'leaves')};"
            f" asks {asked} of {counted(len(model.feature_names_in_), 'column')}"
        )
    rules = getattr(model, "ruleset_", None)
    if rules is not None and hasattr(rules, "__len__"):
        return counted(len(rules), "rule")
    return ""


def _tree_in_words(tree: Tree) -> str:
    found = tree.summary()
    before = "" if found.n_leaves_before is None else f" ({found.n_leaves_before} leaves before"
    before += " pruning)" if before else ""
    n_columns = len(tree.schema.names)
    return (
        f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}{before};"
        f" asks {len(tree.used_columns)} of {counted(n_columns, 'column')}"
    )


def unanswered_in_words(tree: Tree, target: Sequence[Any]) -> str:
    """Return which classes no leaf answers, most often a rare one; empty where each has a leaf.

    A tree that is a leaf alone has nothing to say of any class.
    """
    if tree.classes is None or len(tree.classes) != 1 or tree.n_leaves == 1:
        return ""
    answered = {tree.label(int(node)) for node in (tree.arrays.first_child < 0).nonzero()[0]}
    rows = {label: target.count(label) for label in tree.classes[0].tolist()}
    left_out = [label for label, count in rows.items() if count and label not in answered]
    if not left_out:
        return ""
    n_rows = sum(rows[label] for label in left_out)
    return (
        f"no leaf answers {list_names(map(str, left_out))} ({counted(n_rows, 'row')}): --cost FILE"
        " says what missing them costs"
    )


def description_to_dict(found: Description) -> dict[str, Any]:
    """Return a model's description for ``--json``."""
    from treewright.cli.model_files import remembered_in

    kept = remembered_in(found)
    return {
        "algorithm": found.kind,
        "parameters": {name: _value_of(text) for name, text in found.parameters.items()},
        "task": found.task,
        "target": kept.target,
        "classes": None if found.classes is None else [list(each) for each in found.classes],
        "columns": [{"name": name, "kind": kind} for name, kind in found.columns],
        "size": dict(found.size),
        "rows": found.rows,
        "criterion": found.criterion,
        "check": kept.check,
        "reading": None if kept.reading is None else kept.reading.to_dict(),
        "versions": dict(found.versions),
        "fingerprint": found.fingerprint,
        "format": found.format,
        "bytes": found.n_bytes,
    }


def _value_of(text: str) -> Any:
    """Return a parameter as JSON has it; what Python alone can write stays its text.

    >>> [_value_of(text) for text in ("'gini'", "5", "None", "CostComplexity(cp=None)")]
    ['gini', 5, None, 'CostComplexity(cp=None)']
    """
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return text if isinstance(value, bytes | complex) else value


def check_lines(
    check: Check | None, training: float | None, metric: Metric
) -> list[tuple[str, str, str]]:
    """Return the lines about errors: what it is, the figure, and what is to be known of it."""
    lines = []
    name = metric.title
    if check is not None:
        level = f"({100 * check.value.level:g} %)"
        ends = f"{check.value.ends_text()} {level}, {check.method}"
        lines.append((f"{name} on new rows", check.value.value_text(), ends))
        if check.baseline is not None:
            lines.append((check.baseline_text, metric.format(check.baseline), ""))
    if training is not None:
        lines.append((f"training {name}", metric.format(training), "on the rows it was grown from"))
    if check is not None:
        for title, found in check.beside.items():
            lines.append((title, found.value_text(), f"{found.ends_text()} on new rows"))
    return lines
