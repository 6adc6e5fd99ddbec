"""Lines typed at a shell, run in this process: what came on which stream, and the exit code."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from treewright.cli.main import main


@dataclass(frozen=True)
class Done:
    """What one line did."""

    code: int
    out: str
    err: str
    both: str

    @property
    def document(self) -> Any:
        """The document of ``--json``."""
        return json.loads(self.out)


class _Tee(io.StringIO):
    def __init__(self, both: io.StringIO) -> None:
        super().__init__()
        self._both = both

    def write(self, text: str) -> int:
        self._both.write(text)
        return super().write(text)


def run(
    line: str, *, stdin: str | None = None, here: Path | None = None, **environment: str
) -> Done:
    """Run a line (without ``treewright``), in a folder, with a text on standard input."""
    both = io.StringIO()
    out, err = _Tee(both), _Tee(both)
    words = shlex.split(line)
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    quiet = {"NO_COLOR": "", "FORCE_COLOR": "", "TREEWRIGHT_PLAIN": "", **environment}
    before = Path.cwd()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch("sys.stdin", given),
        mock.patch.dict(os.environ, quiet),
    ):
        if here is not None:
            os.chdir(here)
        try:
            code = main(words)
        finally:
            os.chdir(before)
    return Done(int(code), out.getvalue(), err.getvalue(), both.getvalue())
