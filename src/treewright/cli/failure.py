"""What ends a command early: one readable block, an exit code, and a code for scripts.

Every error of the library becomes a :class:`Failure` in :func:`failure_of`, once.
"""

from __future__ import annotations

import errno
import re
import textwrap
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from treewright import errors
from treewright.cli.hints import hint_for_shell, message_for_shell
from treewright.text.names import on_one_line

WIDTH = 80
"""Errors are wrapped here, on a terminal or not."""


class Exit(IntEnum):
    """The exit codes; they are promised within a major version."""

    DONE = 0
    DATA = 1
    USAGE = 2
    CHECK = 3
    FAULT = 70
    STOPPED = 130
    CLOSED_PIPE = 141


@dataclass(kw_only=True)
class Failure(Exception):
    """A command that cannot go on.

    Parameters
    ----------
    code
        Name of the kind of error, for scripts: ``"column-not-found"``.
    message
        What is wrong, with the name and the place; no full stop at its end.
    found
        What was found instead.
    hint
        What to type.
    exit
        The exit code.
    file, line, column, parameter
        Where, as far as it is known.
    """

    code: str
    message: str
    found: str = ""
    hint: str = ""
    exit: Exit = Exit.DATA
    file: str | None = None
    line: int | None = None
    column: str | None = None
    parameter: str | None = None

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return the block that is printed, without colour."""
        parts = [
            textwrap.fill(
                f"error: {_lines(self.message)}",
                WIDTH,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        ]
        parts += [_indented(line) for line in self.found.splitlines()]
        parts += [_indented(f"Hint: {line}") for line in self.hint.splitlines()[:1]]
        parts += [_indented(line) for line in self.hint.splitlines()[1:]]
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        return {
            "code": self.code,
            "message": self.message,
            "found": self.found or None,
            "hint": self.hint or None,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "parameter": self.parameter,
            "exit": int(self.exit),
        }


def usage(message: str, *, hint: str = "", code: str = "usage", **where: Any) -> Failure:
    """Return the failure of a line that is written wrongly: nothing was read."""
    return Failure(code=code, message=message, hint=hint, exit=Exit.USAGE, **where)


# The first that fits decides; the order is from the special to the general.
_CODES: tuple[tuple[type[BaseException], str, Exit], ...] = (
    (errors.ColumnMismatchError, "column-mismatch", Exit.DATA),
    (errors.TargetError, "target", Exit.DATA),
    (errors.FileFormatError, "file-format", Exit.DATA),
    (errors.ModelFormatError, "model-damaged", Exit.DATA),
    (errors.DataError, "data", Exit.DATA),
    (errors.UnknownParameterError, "unknown-parameter", Exit.USAGE),
    (errors.UnsupportedError, "unsupported", Exit.DATA),
    (errors.ParameterError, "parameter", Exit.USAGE),
    (errors.MemoryLimitError, "memory", Exit.DATA),
    (errors.TreewrightError, "error", Exit.DATA),
)


def failure_of(error: BaseException) -> Failure | None:
    """Return an error of the library or of the system as a failure; None for a fault of ours."""
    if isinstance(error, Failure):
        return error
    for kind, code, end in _CODES:
        if isinstance(error, kind):
            return _from_text(str(error), code=code, end=end)
    if isinstance(error, OSError) and error.strerror is not None:
        return _from_system(error)
    if isinstance(error, MemoryError):
        return Failure(
            code="memory",
            message="the memory of this machine did not suffice",
            hint="--sample N takes fewer rows; --ignore NAMES fewer columns",
        )
    return None


def is_disk_full(error: BaseException) -> bool:
    """Return whether a disk that is full has caused an error."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OSError) and found.errno == errno.ENOSPC:
            return True
        found = found.__cause__
    return False


def _from_text(text: str, *, code: str, end: Exit) -> Failure:
    """Return the failure of a message of the library: what is wrong, what was found, a hint."""
    if text.startswith(_NAMES_DIFFER):
        return _columns_absent(text)
    lines = text.splitlines() or [""]
    hints = [i for i, line in enumerate(lines) if line.strip().startswith("Hint: ")]
    first = hints[0] if hints else len(lines)
    hint = "\n".join(line.strip().removeprefix("Hint: ") for line in lines[first:])
    hint = hint_for_shell(hint)
    parameter = re.match(r"([a-z_]+)=", lines[0])
    message = _without_stop(message_for_shell(lines[0].rstrip()))
    hint = _without_stop(hint)
    found = "\n".join(line.strip() for line in lines[1:first])
    return Failure(
        code=code,
        message=message,
        found=found,
        hint=hint,
        exit=end,
        parameter=parameter[1] if parameter else None,
    )


_NAMES_DIFFER = "The feature names should match"
"""How scikit-learn has it, and so the library."""


def _columns_absent(text: str) -> Failure:
    """Return the failure of a table without columns that a model needs."""
    absent = re.findall(r"^\s*- (.*)$", text.partition("yet now missing:")[2], re.M)
    found = re.findall(r"^ *(?:Given|Fitted on): .*$", text, re.M)
    more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    return Failure(
        code="column-mismatch",
        message=f"the table has no column {absent[0]!r}{more}, which the model needs"
        if absent
        else "the table has other columns than the model needs",
        found="\n".join(line.strip() for line in found),
        hint=_without_stop(text.partition("Hint: ")[2]),
        column=absent[0] if absent else None,
    )


def _without_stop(text: str) -> str:
    """Return one sentence without its full stop, as all messages of the command line are."""
    is_one = ". " not in text and not text.endswith("...")
    return text.removesuffix(".") if is_one else text


def _from_system(error: OSError) -> Failure:
    name = "" if error.filename is None else str(error.filename)
    code, message, hint = "file", f"{name}: {error.strerror}".removeprefix(": "), ""
    if isinstance(error, FileNotFoundError):
        code, message = "file-not-found", f"no file {name!r} here"
    elif isinstance(error, IsADirectoryError):
        code, message = "is-a-folder", f"{name!r} is a folder"
    elif isinstance(error, PermissionError):
        code, message = "permission", f"may not read or write {name!r}"
    elif error.errno == errno.ENOSPC:
        code, message, hint = "disk-full", "no space left on the disk", "--out on another disk"
    return Failure(code=code, message=message, hint=hint, file=name or None)


def _lines(text: str) -> str:
    return on_one_line(" ".join(text.split("\n")))


def _indented(line: str) -> str:
    return textwrap.fill(
        on_one_line(line),
        WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
