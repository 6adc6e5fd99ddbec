"""Values of options that are a number or a word."""

from __future__ import annotations

from treewright.cli.failure import usage


def top_of(text: str | None, usual: int | None) -> int | None:
    """Return how many to show: ``--top N``; None for ``--top all``.

    >>> top_of(None, 10), top_of("3", 10), top_of("all", 10)
    (10, 3, None)
    """
    if text is None:
        return usual
    if text == "all":
        return None
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise usage(f"--top takes a number or all, not {text!r}", code="option-value", parameter="top")
