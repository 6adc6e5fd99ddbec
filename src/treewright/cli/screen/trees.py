"""A tree on a screen: strokes and counts as wide as it allows, or one record a node."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column
from treewright.draw.tree_text import draw_branches, nodes_left_out
from treewright.tree.condition import COMPLETE
from treewright.tree.node_text import label_in_words, node_columns

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.tree.linear_leaves import LinearModel

MOST_LINES = 200
"""``show`` stops here; ``--all`` goes on."""

_COUNTS_FROM = 70
_NUMBERS_FROM = 50
"""Narrower screens drop the counts of the classes, then the numbers of the nodes."""
_CONDITION_WIDTH = 30


def tree_on_screen(
    tree: Tree, screen: Screen, *, depth: int | None = None, whole: bool = True
) -> str:
    """Return the text of a tree for a screen.

    Parameters
    ----------
    depth
        Levels shown below the root.
    whole
        Show all lines; else the first 200, and how many more there are.
    """
    deepest = tree.depth if depth is None else min(depth, tree.depth)
    nodes, branches = draw_branches(tree, ascii=screen.ascii, deepest=deepest)
    n_more = 0
    if not whole and len(nodes) > MOST_LINES:
        n_more = len(nodes) - MOST_LINES
        nodes, branches = nodes[:MOST_LINES], branches[:MOST_LINES]
    if screen.plain:
        columns = _records(tree, nodes, screen)
    else:
        columns = _drawn(tree, nodes, branches, screen)
        if deepest < tree.depth:
            told = nodes_left_out(tree, nodes, ellipsis=screen.ellipsis)
            columns.append(Column("", told, styles=["dim"] * len(told)))
    text = screen.table(columns)
    models = _models(tree, nodes, screen)
    parts = [text, *models]
    if n_more:
        parts[0] += f"\n{screen.ellipsis} {n_more:,} more lines (--all)"
    reason = tree.reason_for_one_leaf()
    if reason is not None:
        parts.append(screen.sentence(f"one leaf: {reason}"))
    return "\n\n".join(parts)


def _drawn(tree: Tree, nodes: list[int], branches: list[str], screen: Screen) -> list[Column]:
    narrow = screen.width is not None and screen.width < _COUNTS_FROM
    narrower = screen.width is not None and screen.width < _NUMBERS_FROM
    columns = [Column("", branches, cut=_CONDITION_WIDTH)]
    if not narrower:
        numbers = list(map(str, nodes))
        columns.insert(0, Column("node", numbers, right=True, styles=["dim"] * len(nodes)))
    beside = node_columns(tree, nodes, ascii=screen.ascii)
    for each in beside:
        is_kept = each.header in ("rows", "", "mean", "median", "answer", "score")
        if narrow and not is_kept:
            continue
        styles = _styles(tree, nodes, each.cells, each.header)
        columns.append(
            Column(
                each.header,
                each.cells,
                right=each.right,
                styles=styles,
                drop=0 if is_kept else 1,
            )
        )
    return columns


def _styles(tree: Tree, nodes: list[int], cells: object, header: str) -> list[int | None]:
    """Return the colours of a printed column: each class has its own."""
    if tree.classes is None or tree.n_outputs > 1:
        return []
    names = list(map(str, tree.classes[0].tolist()))
    if header in names:
        return [names.index(header)] * len(nodes)
    if header:
        return []
    return [
        names.index(str(tree.label(node))) if tree.question(node) is None else None
        for node in nodes
    ]


def _records(tree: Tree, nodes: list[int], screen: Screen) -> list[Column]:
    """Return the columns of the plain table: every node with its level and whole condition."""
    wording = replace(COMPLETE, ascii=screen.ascii)
    conditions = []
    parents = tree.arrays.parent.tolist()
    for node in nodes:
        if node == 0:
            conditions.append("(all rows)")
            continue
        question = tree.question(parents[node])
        assert question is not None
        conditions.append(question.text(node - tree.children(parents[node]).start, wording))
    columns = [
        Column("node", list(map(str, nodes))),
        Column("level", [str(level) for level in tree.levels[nodes].tolist()]),
        Column("parent", ["" if node == 0 else str(parents[node]) for node in nodes]),
        Column("condition", conditions),
    ]
    columns += [
        Column(each.header, each.cells)
        for each in node_columns(tree, nodes, ascii=screen.ascii)
        if each.header
    ]
    answers = [
        label_in_words(tree.label(node)) if tree.question(node) is None else "" for node in nodes
    ]
    return [*columns, Column("answer", answers)]


def _models(tree: Tree, nodes: list[int], screen: Screen) -> list[str]:
    """Return the linear models of the leaves shown, as text."""
    if tree.linear is None:
        return []
    from treewright.tree.node_text import model_numbers

    numbers = model_numbers(tree)
    told = []
    for node in nodes:
        model = tree.linear.model(node)
        if model is not None:
            told.append(linear_model_on_screen(numbers[node], model, screen))
    return told


def linear_model_on_screen(number: int, model: LinearModel, screen: Screen) -> str:
    """Return a linear model under its number, a term a line; long terms are broken."""
    lines = []
    for line in model.table(ascii=screen.ascii).split("\n"):
        place = line.find("* ") + 2  # where a term's words begin
        if screen.width is None or place == 1:
            lines.append(f"  {line}")
            continue
        lines += textwrap.wrap(
            line[place:],
            max(screen.width, place + 22),
            initial_indent=f"  {line[:place]}",
            subsequent_indent=" " * (place + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([f"LM{number} =", *lines])
