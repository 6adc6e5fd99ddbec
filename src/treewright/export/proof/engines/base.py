"""Engine: runs an artefact on rows; and what engines of programs share."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from treewright.errors import TreewrightError
from treewright.export.proof.model_answers import Answers

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.rows import Cases

_SECONDS = 600


class EngineError(TreewrightError):
    """An engine refused the artefact, or failed while running it."""


class Engine(Protocol):
    """Runs artefacts of one target."""

    def version(self) -> str | None:
        """Return name and version; None where it is not installed."""

    def absent(self) -> str:
        """Return why nothing runs, in words: 'no gcc here'."""

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows that it can hold."""

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the artefact's answers about rows."""


def call(
    command: Sequence[str | Path],
    *,
    text: str = "",
    seconds: int = _SECONDS,
    user: str | None = None,
) -> str:
    """Run a program, as another user where one is named, and return what it printed.

    An error has what it said.
    """
    try:
        done = subprocess.run(  # a fixed program, and files that were just written
            [str(part) for part in command],
            input=text.encode("utf-8"),
            capture_output=True,
            timeout=seconds,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except subprocess.TimeoutExpired:
        raise EngineError(f"{command[0]} took longer than {seconds} s.") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-2000:]
        raise EngineError(f"{command[0]} failed with code {done.returncode}:\n{said}")
    return done.stdout.decode("utf-8", "replace")


def version_of(command: Sequence[str], word: int, name: str) -> str | None:
    """Return a program's version as it prints it; None where there is no such program."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    words = done.stdout.decode("utf-8", "replace").split("\n")[0].split()
    return f"{name} {words[word].lstrip('v')}" if words else name


def rows_as_text(cases: Cases) -> str:
    """Return the rows for a harness: a line of positions each."""
    return "\n".join(" ".join(map(str, row)) for row in cases.rows.tolist()) + "\n"


def read_answers(form: Form, printed: str, n_rows: int) -> Answers:
    """Return what a harness printed: the class, and the bits of numbers in hexadecimal."""
    width = form.n_answers
    words = printed.split()
    per_row = width + (form.classes is not None)
    if len(words) != n_rows * per_row:
        raise EngineError(f"{len(words)} words came back, {n_rows * per_row} are due.")
    table = np.array(words, dtype=object).reshape(n_rows, per_row)
    bits = np.array([int(word, 16) for word in table[:, -width:].ravel()], dtype=np.uint64)
    numbers = bits.view(np.float64).reshape(n_rows, width)
    classes = None
    if form.classes is not None:
        classes = np.array([int(word) for word in table[:, 0]], dtype=np.int64)
    return Answers(classes=classes, numbers=numbers)
