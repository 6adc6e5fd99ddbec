"""Models in files: the one place where the command line loads and saves them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure

if TYPE_CHECKING:
    from treewright import Tree


def load_model(path: str) -> Any:
    """Return the model of a file: an estimator, a tree, an ensemble or a rule set."""
    package: Any = importlib.import_module("treewright")
    check_exists(path)
    return package.load(path)


def tree_of(path: str, model: Any, *, command: str) -> Tree:
    """Return the one tree of a model, or refuse one that has several or none."""
    from treewright.tree.tree import Tree

    if isinstance(model, Tree):
        return model
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    raise Failure(
        code="not-a-tree",
        message=f"{path} is a {type(model).__name__}; {command} needs a single tree",
        hint=f"treewright info {path} says what it is",
        file=path,
    )


def check_node(path: str, tree: Tree, node: int) -> None:
    """Refuse a number that is no node's."""
    if node >= tree.n_nodes:
        raise Failure(
            code="no-such-node",
            message=f"{path} has no node {node}; its last is {tree.n_nodes - 1}",
            hint=f"treewright show {path} numbers them",
            file=path,
        )


def check_exists(path: str) -> None:
    """Refuse a file that is not there, with the name of one that is nearly so called."""
    file = Path(path)
    if file.is_file():
        return
    if file.is_dir():
        raise Failure(code="is-a-folder", message=f"{path!r} is a folder", file=path)
    from treewright.parameters import nearest

    folder = file.parent
    here = [each.name for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []
    near = nearest(file.name, here)
    raise Failure(
        code="file-not-found",
        message=f"no file {path!r} here",
        hint="" if near is None else str(folder / near),
        file=path,
    )
