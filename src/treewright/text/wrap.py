"""Sentences broken into lines."""

from __future__ import annotations

import textwrap


def wrap_words(text: str, *, width: int = 80) -> str:
    """Return a text broken between words, so that no line is longer than `width`.

    >>> print(wrap_words("these folds do not decide it", width=20))
    these folds do not
    decide it
    """
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
