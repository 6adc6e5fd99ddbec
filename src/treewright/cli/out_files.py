"""Where results are written: what may be replaced, what is refused, and when that is said.

treewright replaces what treewright wrote, and says so; any other file is refused without
``--force``, before work begins; the input file always.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli.failure import Failure, usage
from treewright.cli.session import Session
from treewright.text.numbers import size_in_words

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen

HEAD_LINE = "treewright"
"""Exported code bears this word in its first lines."""
_HEAD_BYTES = 512
_PICTURE_MARKS = (b'<svg xmlns="http://www.w3.org/2000/svg" id="tw-', b"<!DOCTYPE html>")
"""How our pictures begin; a page is ours if it forbids whatever we did not write."""
_PAGE_MARK = b"default-src 'none'; script-src 'sha256-"
_LEAST_SPACE = 1 << 20


@dataclass(frozen=True)
class OutFile:
    """A file that may be written.

    Parameters
    ----------
    path
        As it was typed.
    replaces
        Whether there is one, which treewright wrote or ``--force`` gives up.
    """

    path: str
    replaces: bool

    @property
    def word(self) -> str:
        """What is said when it was written."""
        return "replaced" if self.replaces else "saved"

    def said(self, screen: Screen) -> str:
        """Return what is said when it was written: the name leads to the file on terminals."""
        name = screen.bold(screen.safe(self.path))
        return f"{self.word} {screen.link(name, Path(self.path).absolute().as_uri())}"


def check_out(session: Session, path: str, *, inputs: tuple[str, ...] = ()) -> OutFile:
    """Return a file that may be written; refuse one that may not, before any work is done.

    Parameters
    ----------
    path
        The file.
    inputs
        Files that are read: none of them is ever replaced.
    """
    if not path:
        raise usage("--out has no name", code="option-value", parameter="out")
    file = Path(path)
    folder = file.parent
    session.writing = path
    for each in inputs:
        if file.exists() and Path(each).exists() and file.samefile(each):
            raise Failure(
                code="output-is-input",
                message=f"{path} is the input; it is never replaced",
                hint="--out with another name",
                file=path,
            )
    if not folder.is_dir():
        raise Failure(
            code="folder-not-found",
            message=f"no folder {str(folder)!r} to write {file.name} in",
            hint=f"make it first, or --out {file.name}",
            file=path,
        )
    if file.is_dir():
        raise Failure(code="is-a-folder", message=f"{path!r} is a folder", file=path)
    if not os.access(folder, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise _no_permission(folder if not os.access(folder, os.W_OK) else file, path)
    free = shutil.disk_usage(folder).free
    if free < _LEAST_SPACE:
        raise no_space_for(path)
    if file.exists() and not session.force and not is_ours(file):
        raise Failure(
            code="would-overwrite",
            message=f"{path} exists, and treewright did not write it",
            hint="--out with another name, or --force",
            file=path,
        )
    return OutFile(path=path, replaces=file.exists())


def check_model_name(path: str, *, command: str) -> None:
    """Refuse a name that says neither of the two formats of models."""
    if Path(path).suffix.lower() in (".tw", ".json"):
        return
    if path == "-":
        message, name = f"{command} saves its model in a file, not on standard output", "model"
    else:
        message, name = f"{path} ends neither in .tw nor in .json", Path(path).stem or "model"
    code_ = "; export writes code" if Path(path).suffix else ""
    raise usage(message, code="unknown-format", hint=f"{name}.tw or {name}.json{code_}")


def no_space_for(path: str) -> Failure:
    """Return the failure of a disk that is full, before the work or while a file is written."""
    file = Path(path)
    free = shutil.disk_usage(file.parent).free
    kept = f"; the old {file.name} is untouched" if file.exists() else ""
    return Failure(
        code="disk-full",
        message=f"no space left for {path} ({size_in_words(free)} free){kept}",
        hint="--out on another disk",
        file=path,
    )


def is_ours(file: Path) -> bool:
    """Return whether a file is a model of treewright, code that it exported, or its picture."""
    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    svg, page = _PICTURE_MARKS
    is_picture = head.startswith(svg) or (head.startswith(page) and _PAGE_MARK in head)
    return not head or HEAD_LINE.encode() in head or is_picture


def _no_permission(place: Path, path: str) -> Failure:
    try:
        owner = f" (owned by {place.owner()})"
    except (OSError, KeyError, NotImplementedError):
        owner = ""
    what = f"write in {str(place)!r}" if place.is_dir() else f"replace {str(place)!r}"
    return Failure(
        code="permission",
        message=f"may not {what}{owner}",
        hint="--out somewhere else",
        file=path,
    )
