"""``treewright show``: the tree as text."""

from __future__ import annotations

from treewright.cli.command import MODEL, Answer, Command
from treewright.cli.model_files import check_node, load_tree_of
from treewright.cli.python_lines import call, load_line
from treewright.cli.screen.trees import tree_on_screen
from treewright.cli.session import Session


def show(session: Session, *, model: str, node: int | None, depth: int | None, all: bool) -> Answer:
    """Return a tree, or the part of it below a node."""
    tree = load_tree_of(model, command="show")
    if node is not None:
        check_node(model, tree, node)
        tree = tree.subtree(node)
    return Answer(
        text=lambda screen: tree_on_screen(tree, screen, depth=depth, whole=all),
        result=tree.to_dict,
    )


def python(session: Session, *, model: str, node: int | None, depth: int | None, all: bool) -> str:
    """Return the lines that print the same tree."""
    part = "" if node is None else call(".subtree", node)
    return f"{load_line(model)}\nprint(model.tree_{part}{call('.text', max_depth=depth)})"


COMMAND = Command(
    name="show",
    sentence="Print the tree of a model as text: a line for each node, with its rows and classes.",
    arguments=(MODEL,),
    options=("node", "depth", "all"),
    examples=(
        ("treewright show loans.tw", "the tree"),
        ("treewright show loans.tw --depth 2", "its first two levels"),
        ("treewright show loans.tw --node 3", "the part below node 3"),
    ),
    run=show,
    python=python,
)
