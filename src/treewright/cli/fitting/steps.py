"""``fit --steps``: how a tree grows, one node after the other, with the working of each choice."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure
from treewright.cli.screen.why_table import (
    candidates_on_screen,
    node_heading,
    working,
)
from treewright.cli.screen.words import place_in_words
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.cli.data_files import LearningTable
    from treewright.cli.screen.screen import Screen

_PROMPT = "[Enter] next step   [a] all   [q] quit  "
_TOP = 10


def show_steps(session: Session, estimator: Any, table: LearningTable) -> int | None:
    """Print each question of a tree as it is chosen; return the step that was the last, if any.

    At a terminal each step waits for a key; elsewhere all are printed. None: to the end.
    """
    tree = _grown(estimator, table)
    asked = [node for node in range(tree.n_nodes) if tree.question(node) is not None]
    waits = session.asks
    for step, node in enumerate(asked, start=1):
        if step > 1:
            print()
        print(step_text(tree, node, step, session.screen), flush=True)
        if waits and step < len(asked):
            try:
                reply = input(_PROMPT).strip().casefold()
            except EOFError:
                reply = "q"
            if reply == "q":
                return step
            waits = reply != "a"
    print()
    return None


def _grown(estimator: Any, table: LearningTable) -> Tree:
    made = deepcopy(estimator)
    given = {} if table.weights is None else {"sample_weight": table.weights}
    tree: Tree | None = getattr(made.fit(table.X, table.y, **given), "tree_", None)
    if tree is None:
        raise Failure(
            code="not-a-tree",
            message=f"--steps shows how one tree grows; {type(made).__name__} grows several",
            hint="--algorithm id3, c45, cart, chaid or tree",
        )
    return tree


def step_text(tree: Tree, node: int, step: int, screen: Screen) -> str:
    """Return one step: the node, the candidates, and the working of the chosen one."""
    found = tree.why(node, top=None)
    place = place_in_words(tree, node, screen)
    head = f"step {step} {screen.dot} " + node_heading(found, screen, place, counts_first=True)
    lines = [screen.sentence(head, indent="  "), ""]
    lines.append(candidates_on_screen(found, screen, top=_TOP))
    if found.chosen is not None:
        computed = working(found, found.chosen, screen)
        if computed:
            lines.append(computed)
    return "\n".join(lines)
