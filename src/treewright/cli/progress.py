"""What a person sees while work goes on: nothing for a second, then one line that is erased.

Only on a terminal; ``--progress`` prints a plain line every ten seconds elsewhere, for logs.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

from treewright.cli.screen.screen import is_terminal
from treewright.cli.session import Session
from treewright.progress import heard_by

_SILENT = 1.0
_BETWEEN = 0.25
_BETWEEN_LINES = 10.0


class Working:
    """Tells on standard error that work goes on, and for how long; use it with ``with``.

    Parameters
    ----------
    session
        The call it belongs to: ``--quiet`` and ``--json`` keep silent.
    what
        What is done; :meth:`tell` replaces it.
    """

    def __init__(self, session: Session, what: str) -> None:
        silent = session.quiet or session.json
        self._erases = is_terminal(sys.stderr) and not silent
        self._lines = session.progress and not self._erases and not session.json
        self._what = what
        self._is_timed = True
        self._heard = heard_by(self._hear)
        self._started = time.monotonic()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._width = 0

    def tell(self, what: str) -> None:
        """Replace what is said, such as the number of rows done."""
        self._what = what

    @property
    def said(self) -> str:
        """What is said now."""
        return self._what

    def _hear(self, what: str) -> None:
        """Take over what the library says of its own work, which has its own times."""
        self._what, self._is_timed = what, False

    def __enter__(self) -> Working:
        self._heard.__enter__()
        if self._erases or self._lines:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._heard.__exit__(kind, error, trace)
        if self._thread is None:
            return
        self._done.set()
        self._thread.join()
        if self._width:
            print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)

    def _run(self) -> None:
        first, between = (_SILENT, _BETWEEN) if self._erases else (_BETWEEN_LINES,) * 2
        wait = first
        while not self._done.wait(wait):
            wait = between
            seconds = int(time.monotonic() - self._started)
            text = self._what
            if self._is_timed:
                text += f" · {seconds // 60}:{seconds % 60:02}"
            if self._lines:
                print(text, file=sys.stderr, flush=True)
                continue
            self._width = max(self._width, len(text))
            print(f"\r{text.ljust(self._width)}", end="", file=sys.stderr, flush=True)
