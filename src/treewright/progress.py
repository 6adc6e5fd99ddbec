"""Who shows the progress of long work: the library at a terminal, or whoever asks to hear of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("treewright_progress", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Give what would be shown at a terminal to a listener, terminal or not, and show nothing.

    Examples
    --------
    >>> heard = []
    >>> with heard_by(heard.append):
    ...     show("fold 2 of 10")
    >>> heard
    ['fold 2 of 10']
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def has_listener() -> bool:
    """Return whether someone else shows the progress."""
    return _LISTENER.get() is not None


def is_wanted() -> bool:
    """Return whether there is a terminal to show progress at, or a listener."""
    return has_listener() or sys.stderr.isatty()


def show(text: str, *, end: str = "") -> None:
    """Overwrite the line of progress, or tell it to the listener."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(text.strip())
        return
    print(f"\r{text}", end=end, file=sys.stderr, flush=True)
