"""``treewright`` as a process, also as ``python -m treewright``: nothing is imported unwatched."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

_STOPPED = 130


def start() -> NoReturn:
    """Run the line that was typed, and end the process with its exit code."""
    try:
        from treewright.cli.main import main

        code = int(main())
    except KeyboardInterrupt:  # while the first modules were imported
        print("stopped.", file=sys.stderr)
        code = _STOPPED
    if code == _STOPPED:
        # Where Ctrl-C fell into compiled code that evaluates Python, the interpreter remembers it
        # and ends by the signal, whatever was asked of it: -2 to the caller, not 130.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    start()
