"""Markup that cannot be broken by what stands in it: every text that is no markup is escaped.

Examples
--------
>>> tag("p", "a < b: ", tag("b", '</script>'), class_="note")
'<p class="note">a &lt; b: <b>&lt;/script&gt;</b></p>'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from treewright.chart.words import clean, clean_sentence

MOST_LETTERS = 48
"""Of a name in a sentence or a table; longer ones are cut in the middle."""

MOST_TITLE = 2_000
"""Letters of a tooltip."""

_MOST_RUN, _MOST_TEXT = 80, 3_000
"""Letters without a space, and of one text; names that somebody else chose may be far longer."""

_LONG_RUN = re.compile(rf"\S{{{_MOST_RUN + 1},}}")

_VOID = ("meta", "br", "hr")


class Markup(str):
    """A piece of HTML: it is written as it is, where other texts are escaped."""

    __slots__ = ()


Piece: TypeAlias = str | Iterable["Piece"]


def markup(pieces: Piece) -> Markup:
    """Return pieces one after the other; texts that are no markup are escaped and cleaned."""
    if isinstance(pieces, Markup):
        return pieces
    if isinstance(pieces, str):
        return Markup(escape(_bounded(clean_sentence(pieces)), quote=True))
    return Markup("".join(markup(each) for each in pieces))


def _bounded(text: str) -> str:
    """Return a text without endless words, cut in the middle where it is endless itself."""
    if len(text) <= _MOST_RUN:
        return text
    text = _LONG_RUN.sub(lambda run: cut_in_middle(run[0], _MOST_RUN), text)
    return cut_in_middle(text, _MOST_TEXT)


def tag(name: str, *inside: Piece, **attributes: str | None) -> Markup:
    """Return an element; attributes that are None are left out, ``class_`` is ``class``."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean_sentence(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{markup(inside)}</{name}>")


def shown(name: object, most: int = MOST_LETTERS) -> str:
    """Return a name or label that somebody else chose, cut in the middle where it is long.

    >>> shown("average_monthly_balance", 16), shown("")
    ('average_m…alance', '(empty)')
    """
    text = "yes" if name is True else "no" if name is False else clean(str(name))
    return cut_in_middle(text, most)


def cut_in_middle(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut where it tells least."""
    if len(text) <= most:
        return text
    front = max(1, (6 * (most - 1)) // 10)
    return f"{text[:front]}…{text[len(text) - max(0, most - 1 - front) :]}"


def named(name: object, *, most: int = MOST_LETTERS) -> Markup:
    """Return a name in bold; where it is cut, its title has more of it."""
    text = shown(name, most)
    whole = shown(name, MOST_TITLE)
    return tag("b", text, title=None if text == whole else whole)


def listed(pieces: list[Markup] | list[str]) -> list[Piece]:
    """Return pieces as a sentence has them: ``a, b and c``.

    >>> markup(listed(["a", "b", "c"]))
    'a, b and c'
    """
    made: list[Piece] = []
    for i, each in enumerate(pieces):
        if i:
            made.append(" and " if i == len(pieces) - 1 else ", ")
        made.append(each)
    return made
