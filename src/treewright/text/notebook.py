"""Results in notebooks: their picture, where they draw themselves, and their text.

Examples
--------
>>> class Told(ShownInNotebooks):
...     def __str__(self):
...         return "a < b"
>>> Told()._repr_html_()
'<pre>a &lt; b</pre>'
"""

from __future__ import annotations

from html import escape
from typing import Any

_MOST_LINES = 200
"""Lines of text in a notebook: a browser stays quick, and nobody scrolls further."""


class ShownInNotebooks:
    """A result whose text is printed; with a method ``draw`` it shows its picture above it."""

    def _repr_html_(self) -> str:
        draw: Any = getattr(self, "draw", None)
        picture = "" if draw is None else draw()._repr_html_()
        return f"{picture}{text_html(str(self))}"


def text_html(text: str) -> str:
    """Return a text as HTML, its lines as they are; of a long one the first 200."""
    lines = text.split("\n")
    rest = len(lines) - _MOST_LINES
    told = [*lines[:_MOST_LINES], f"… {rest:,} more lines"] if rest > 0 else lines
    return f"<pre>{escape(chr(10).join(told))}</pre>"
