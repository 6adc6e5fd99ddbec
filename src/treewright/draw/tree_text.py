"""A tree as text: aligned lines, one per node.

Indentation shows the level down to level 40; below that it stays the same and the level is printed
as a number, so that a chain of 100,000 nodes is 100,000 short lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treewright.parameters import check_count
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT, Wording
from treewright.tree.node_text import model_numbers, node_columns

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_MAX_INDENTED = 40


@dataclass(frozen=True, kw_only=True)
class _BranchCharacters:
    """The characters that branches are drawn with."""

    fork: str = "├─ "
    last: str = "└─ "
    down: str = "│  "
    blank: str = "   "
    ellipsis: str = "…"


_UNICODE = _BranchCharacters()
_ASCII = _BranchCharacters(fork="|- ", last="`- ", down="|  ", ellipsis="...")


def tree_text(
    tree: Tree,
    *,
    max_depth: int | None = None,
    ascii: bool = False,
    missing: bool = False,
    models: bool = True,
    levels_from: int | None = None,
) -> str:
    """Return a tree as text; see :meth:`treewright.tree.tree.Tree.text`."""
    check_count("max_depth", max_depth, least=0, optional=True)
    check_count("levels_from", levels_from, least=0, optional=True)
    pen = _ASCII if ascii else _UNICODE
    deepest = tree.depth if max_depth is None else min(max_depth, tree.depth)
    nodes, branches = draw_branches(
        tree, ascii=ascii, missing=missing, deepest=deepest, first=levels_from or 0
    )
    columns = [
        TextColumn("node", [str(node) for node in nodes], right=True),
        *_levels(tree, nodes, levels_from),
        TextColumn("", branches),
        *node_columns(tree, nodes, ascii=ascii),
    ]
    if deepest < tree.depth:
        columns.append(TextColumn("", nodes_left_out(tree, nodes, ellipsis=pen.ellipsis)))
    # A long condition shifts only its own line; the indentation of deep levels widens the column.
    drawn = lay_out(columns, max_width=72 + 3 * min(deepest, _MAX_INDENTED))
    reason = tree.reason_for_one_leaf()
    below = [] if reason is None else [f"one leaf: {reason}"]
    return "\n\n".join([drawn, *(_models(tree, nodes, ascii=ascii) if models else ()), *below])


def _levels(tree: Tree, nodes: list[int], first: int | None) -> list[TextColumn]:
    """Return the printed column of levels, the root's being `first`; none where that is None."""
    if first is None:
        return []
    levels = (tree.levels[nodes] + first).tolist()
    return [TextColumn("level", list(map(str, levels)), right=True)]


def _models(tree: Tree, nodes: list[int], *, ascii: bool) -> Iterator[str]:
    """Yield the linear models of the leaves shown, as text."""
    number_of_leaf = model_numbers(tree)
    for node in nodes:
        model = None if tree.linear is None else tree.linear.model(node)
        if model is not None:
            lines = model.table(ascii=ascii).replace("\n", "\n  ")
            yield f"LM{number_of_leaf[node]} =\n  {lines}"


def draw_branches(
    tree: Tree, *, ascii: bool, missing: bool = False, deepest: int, first: int = 0
) -> tuple[list[int], list[str]]:
    """Return the nodes shown, and for each its branch characters and condition.

    Parameters
    ----------
    ascii, missing
        As for :func:`tree_text`.
    deepest
        The last level shown.
    first
        The number of the root's level, where levels are printed.
    """
    pen = _ASCII if ascii else _UNICODE
    wording: Wording = replace(SHORT, ascii=ascii, missing=missing)
    nodes: list[int] = []
    lines: list[str] = []
    pending = [(0, 0, "", "", "(all rows)")]
    while pending:
        node, level, stem, stroke, condition = pending.pop()
        nodes.append(node)
        number = f"[{level + first}] " if level > _MAX_INDENTED else ""
        lines.append(f"{stem}{stroke}{number}{condition}")
        question = tree.question(node) if level < deepest else None
        if question is None:
            continue
        if 0 < level < _MAX_INDENTED:
            stem += pen.blank if stroke == pen.last else pen.down
        children = tree.children(node)
        for branch in range(len(children) - 1, -1, -1):
            stroke = pen.last if branch == len(children) - 1 else pen.fork
            words = question.text(branch, wording)
            pending.append((children[branch], level + 1, stem, stroke, words))
    return nodes, lines


def nodes_left_out(tree: Tree, nodes: list[int], *, ellipsis: str) -> list[str]:
    """Return, for each node whose subtree is cut off, how many nodes lie below it."""
    shown = set(nodes)
    n_below = _nodes_below(tree)
    return [
        f"{ellipsis} {n_below[node]} nodes below"
        if n_below[node] and tree.children(node).start not in shown
        else ""
        for node in nodes
    ]


def _nodes_below(tree: Tree) -> list[int]:
    parent = tree.arrays.parent.tolist()
    n_below = [0] * tree.n_nodes
    for node in tree.bottom_up():
        if node:
            n_below[parent[node]] += n_below[node] + 1
    return n_below
