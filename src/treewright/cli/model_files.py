"""Models in files: the one place where the command line loads and saves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure
from treewright.errors import ModelFormatError

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.data.reading import Reading
    from treewright.persist.description import Description


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What a model's file keeps beside the model.

    Parameters
    ----------
    target
        Name of the target.
    reading
        How its table was read.
    check
        How good it was found to be, as :mod:`treewright.evaluate` writes it.
    """

    target: str | None = None
    reading: Reading | None = None
    check: dict[str, Any] | None = None


def describe_model(path: str) -> Description:
    """Return what a file tells of its model, without loading the model."""
    from treewright.persist.description import describe

    check_is_model(path)
    with told_of_model(path):
        return describe(path)


def remembered_of(path: str) -> Remembered:
    """Return what a model's file keeps beside the model."""
    return remembered_in(describe_model(path))


def remembered_in(found: Description) -> Remembered:
    """Return what a description keeps beside the model; what is of another kind is passed over."""
    from treewright.data.reading import Reading

    kept = found.remembered
    target, reading, check = kept.get("target"), kept.get("reading"), kept.get("check")
    return Remembered(
        target=target if isinstance(target, str) else None,
        reading=Reading.from_dict(reading) if isinstance(reading, dict) else None,
        check=check if isinstance(check, dict) else None,
    )


def check_is_model(path: str) -> None:
    """Refuse a file that is no model by its name and by its content."""
    check_exists(path)
    if Path(path).is_fifo():
        raise Failure(
            code="not-a-model", message=f"{path} is a pipe; a model is read from a file", file=path
        )
    if Path(path).suffix.lower() not in (".tw", ".json") and not is_model(path):
        raise Failure(
            code="not-a-model",
            message=f"{path} is no model",
            hint=f"treewright fit {path} makes one of a table",
            file=path,
        )


def load_model(path: str) -> Any:
    """Return the model of a file: an estimator, a tree, an ensemble or a rule set."""
    from treewright.persist.files import load

    check_is_model(path)
    with told_of_model(path):
        return load(path)


@contextmanager
def told_of_model(path: str) -> Iterator[None]:
    """Tell the library's errors about a model's file in the words of the command line."""
    try:
        yield
    except ModelFormatError as error:
        raise _damaged(path, error) from error


def _damaged(path: str, error: ModelFormatError) -> Failure:
    """Return the failure of a file that is no model, a damaged one or a newer one."""
    from treewright.cli.failure import failure_of

    failure = failure_of(error)
    assert failure is not None
    failure.file = path
    if "newer" in str(error) or "this treewright" in str(error):
        failure.code = "model-newer"
        failure.hint = failure.hint or "pip install --upgrade treewright"
    return failure


def load_tree_of(path: str, *, command: str) -> Tree:
    """Return the one tree of a file, without loading its estimator; refuse one that has no one."""
    from treewright.persist.tree_alone import load_tree

    check_is_model(path)
    with told_of_model(path):
        tree = load_tree(path)
    return tree_of(path, load_model(path), command=command) if tree is None else tree


def load_explaining(path: str, *, command: str) -> tuple[Tree, Any]:
    """Return the one tree of a file, and the model that explains rows by it and answers them.

    That is the tree itself, without its estimator, unless its answers are calibrated or by rules.
    """
    from treewright.persist.tree_alone import load_answering_tree

    check_is_model(path)
    with told_of_model(path):
        tree = load_answering_tree(path)
    if tree is not None:
        return tree, tree
    model = load_model(path)
    return tree_of(path, model, command=command), model


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


def is_model(path: str) -> bool:
    """Return whether a file is a model, by its content: the container, or its twin in JSON."""
    if not Path(path).is_file():
        return False  # what was read of a pipe is gone
    with Path(path).open("rb") as file:
        head = file.read(64)
    length = int.from_bytes(head[:8], "little")
    if head[8:9] == b"{" and 0 < length < 1 << 40 and 0 in head[:8]:
        return True
    return b'"treewright model"' in head


def check_exists(path: str) -> None:
    """Refuse a file that is not there, with the name of one that is nearly so called."""
    file = Path(path)
    if file.is_file() or file.is_fifo():
        return
    if file.is_dir():
        raise Failure(code="is-a-folder", message=f"{path!r} is a folder", file=path)
    if path == "-":
        raise Failure(
            code="file-not-found",
            message="a model is read from a file, not from standard input",
            hint="treewright COMMAND MODEL - reads a table from it",
        )
    if file.exists():  # a device: some never end
        raise Failure(
            code="not-a-file", message=f"{path!r} is neither a file nor a pipe", file=path
        )
    near = _nearly_called(file)
    raise Failure(
        code="file-not-found",
        message=f"no file {path!r} here",
        hint="" if near is None else str(near),
        file=path,
    )


def _nearly_called(file: Path) -> Path | None:
    """Return a file of the same kind, else any, whose name is nearly that of one that is absent."""
    from treewright.parameters import nearest

    if not file.parent.is_dir():
        return None
    here = sorted(each for each in file.parent.iterdir() if each.exists())  # no broken links
    for alike in ([each for each in here if each.suffix == file.suffix], here):
        stems = {each.stem: each for each in alike}
        near = stems.get(file.stem) or stems.get(nearest(file.stem, stems) or "")
        if near is not None:
            return near
    return None
