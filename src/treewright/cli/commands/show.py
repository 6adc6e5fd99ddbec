"""``treewright show``: the tree as text, or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli.command import MODEL, Answer, Command
from treewright.cli.failure import usage
from treewright.cli.model_files import check_node, load_tree_of
from treewright.cli.out_files import check_out
from treewright.cli.python_lines import call, load_line
from treewright.cli.screen.trees import tree_on_screen
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright import Tree

_SUFFIXES = (".svg", ".html", ".png", ".pdf")


def show(
    session: Session,
    *,
    model: str,
    node: int | None,
    depth: int | None,
    all: bool,
    out: str | None,
    force: bool,
) -> Answer:
    """Return a tree, or the part of it below a node."""
    del force  # the session has it
    if out is not None:
        _check_suffix(out)
    tree = load_tree_of(model, command="show")
    if node is not None:
        check_node(model, tree, node)
        tree = tree.subtree(node)
    if out is not None:
        return _drawn(session, tree, model, depth, out)
    return Answer(
        text=lambda screen: tree_on_screen(tree, screen, depth=depth, whole=all),
        result=tree.to_dict,
    )


def _drawn(session: Session, tree: Tree, model: str, depth: int | None, out: str) -> Answer:
    file = check_out(session, out, inputs=(model,))
    tree.draw(max_depth=depth).save(out)
    session.writing = None
    size = Path(out).stat().st_size
    return Answer(
        text=None,
        result=lambda: {"file": out, "replaced": file.replaces, "bytes": size},
        said=[f"{file.said(session.side)}: {size:,} bytes"],
    )


def _check_suffix(path: str) -> None:
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise usage(
            f"{path} ends in none of {', '.join(_SUFFIXES)}",
            code="unknown-format",
            hint=f"--out {Path(path).stem or 'tree'}.svg; export writes code",
        )


def python(
    session: Session,
    *,
    model: str,
    node: int | None,
    depth: int | None,
    all: bool,
    out: str | None,
    force: bool,
) -> str:
    """Return the lines that print or draw the same tree."""
    part = "" if node is None else call(".subtree", node)
    if out is not None:
        _check_suffix(out)
        drawn = call(".draw", max_depth=depth) + call(".save", out)
        return f"{load_line(model)}\nmodel.tree_{part}{drawn}"
    return f"{load_line(model)}\nprint(model.tree_{part}{call('.text', max_depth=depth)})"


COMMAND = Command(
    name="show",
    sentence="Print the tree of a model, a line for each node, or draw it (--out tree.svg).",
    arguments=(MODEL,),
    options=("node", "depth", "all", "out", "force"),
    examples=(
        ("treewright show loans.tw", "the tree"),
        ("treewright show loans.tw --depth 2", "its first two levels"),
        ("treewright show loans.tw --out loans.svg", "a picture; .html opens and closes"),
    ),
    run=show,
    python=python,
)
