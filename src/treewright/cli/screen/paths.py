"""The path of a row on a screen: its answer, and the questions that led there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column
from treewright.cli.screen.words import shares_in_words
from treewright.text.numbers import percent
from treewright.tree.node_text import label_in_words, node_columns

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.explain.path import Explanation, Step, Turn

_MOST_INDENTED = 20


def answer_line(tree: Tree, label: Any, answer: Any, screen: Screen, *, way: str = "") -> str:
    """Return an answer with its probabilities: ``late   late 63.2 %, repaid 26.3 %``.

    `way` says how they come about, where the tree alone does not tell.
    """
    told = "; ".join(filter(None, (shares_in_words(tree, answer), way)))
    word = screen.bold(label_in_words(label))
    return f"{word}   {told}" if told else word


def turns_of(found: Explanation) -> list[tuple[Step, Turn]]:
    """Return the branches followed, each before those below it."""
    if not found.steps:
        return []
    step_of_node = {step.node: step for step in found.steps}
    pending = [(found.steps[0], turn) for turn in reversed(found.steps[0].turns)]
    made = []
    while pending:
        step, turn = pending.pop()
        made.append((step, turn))
        below = step_of_node.get(turn.node)
        if below is not None:
            pending += [(below, each) for each in reversed(below.turns)]
    return made


def path_table(tree: Tree, turns: list[tuple[Step, Turn]], screen: Screen, *, several: bool) -> str:
    """Return the table of a path: condition, value, and the rows of each node.

    Parameters
    ----------
    several
        Whether the row was divided, so that each branch has a share of it.
    """
    conditions = [
        "  " * min(step.n_divisions, _MOST_INDENTED) + turn.condition for step, turn in turns
    ]
    values = [
        step.value if step.stand_in is None else f"{step.value}, but {step.stand_in}"
        for step, _ in turns
    ]
    columns = [Column("because", conditions, cut=24), Column("value", values, cut=10)]
    if several:
        shares = [percent(turn.fraction) for _, turn in turns]
        columns.append(Column("share", shares, right=True))
    for each in node_columns(tree, [turn.node for _, turn in turns], ascii=screen.ascii):
        is_kept = each.header in ("rows", "", "mean", "median")
        columns.append(
            Column(
                each.header,
                each.cells,
                right=each.right,
                drop=0 if is_kept else 1,
                key=each.header or "answer",
            )
        )
    return screen.table(columns)


def explanation_to_dict(tree: Tree, found: Explanation) -> dict[str, Any]:
    """Return an answer and its path for ``--json``."""
    probabilities = None
    if tree.classes is not None and tree.n_outputs == 1:
        names = map(str, tree.classes[0].tolist())
        probabilities = dict(zip(names, found.answer.tolist(), strict=True))
    return {
        "prediction": found.label,
        "probabilities": probabilities,
        "path": [
            {
                "node": turn.node,
                "question": turn.condition,
                "column": step.column,
                "value": step.value,
                "stand_in": step.stand_in,
                "share": turn.fraction,
                "rows": int(tree.arrays.n_rows[turn.node]),
                "counts": None if tree.classes is None else tree.arrays.value[turn.node].tolist(),
            }
            for step, turn in turns_of(found)
        ],
    }
