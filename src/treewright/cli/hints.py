"""What the library says to do, in Python, as it is typed at a shell."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

_KINDS = {"numeric": "number", "nominal": "text", "text": "text", "number": "number"}
_NAME = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_LIST = r"(\[[^\]]*\])"
_READING = "delimiter|decimal|encoding|thousands|header|dates|kinds|cv|output|positive"
_PARAMETER = rf"(?<![\w-])(?<!--set )(?!(?:{_READING})=)([a-z_]+)"


def hint_for_shell(hint: str) -> str:
    r"""Return a hint of the library with options instead of Python.

    >>> hint_for_shell("leave it out, by dropping it or with Schema(ignore=['customer']).")
    '--ignore customer'
    >>> hint_for_shell("schema=Schema(order={'size': ['S', 'M']}) declares values with an order.")
    '--order size=S,M declares values with an order.'
    >>> hint_for_shell("nominal='one_vs_rest' works with every criterion.")
    '--set nominal=one_vs_rest works with every criterion.'
    """
    for pattern, told in _SENTENCES:
        found = re.search(pattern, hint, re.S)
        if found is not None:
            return told(found)
    for pattern, told in _PIECES:
        hint = re.sub(pattern, told, hint)
    return hint


def column_of(message: str) -> str | None:
    """Return the column that a message of the library begins with.

    >>> column_of("column 'customer' looks like an identifier"), column_of("no round of boosting")
    ('customer', None)
    """
    found = re.match(rf"columns? {_NAME}", message)
    return None if found is None else str(ast.literal_eval(found[1]))


def _ignored(found: re.Match[str]) -> str:
    return f"--ignore {','.join(map(str, ast.literal_eval(found[1])))}"


def _text(quoted: str) -> str:
    return str(ast.literal_eval(quoted))


def _ordered(found: re.Match[str]) -> str:
    name, values = _text(found[1]), found[2]
    listed = "a,b,c" if "..." in values else ",".join(map(str, ast.literal_eval(values)))
    return f"--order {name}={listed}"


def _of_kind(found: re.Match[str]) -> str:
    return f"--kind {_text(found[1])}={_KINDS.get(found[2], found[2])}"


_SENTENCES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (rf"(?:by dropping it or with|leave the column out with) Schema\(ignore={_LIST}\)", _ignored),
    (rf"fit\(X\.drop\(columns={_LIST}\), y\)", _ignored),
    (rf"fit\(\.\.\., groups=.*such as column {_NAME}", lambda m: f"--groups {_text(m[1])}"),
    (rf"pd\.to_datetime\(X\[{_NAME}\]\)", lambda m: f"--kind {_text(m[1])}=date"),
    (r"y\.astype\(float\)", lambda m: "--task numbers"),
)
"""Hints that an option replaces whole."""
_PIECES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (rf"(?:schema=)?Schema\(order=\{{{_NAME}: {_LIST}\}}\)", _ordered),
    (r"(?:schema=)?Schema\(order=\{?\.*\}?\)", lambda m: "--order NAME=a,b,c"),
    (rf"(?:schema=)?Schema\(kinds=\{{{_NAME}: '(\w+)'\}}\)", _of_kind),
    (r"(?:schema=)?Schema\(kinds=\{\.\.\.\}\)", lambda m: "--kind NAME=KIND"),
    (rf"{_PARAMETER}='(\w+)'", lambda m: f"--set {m[1]}={m[2]}"),
    (rf"{_PARAMETER}=(-?[\d.]*\d|None|True|False)\b", lambda m: f"--set {m[1]}={m[2].lower()}"),
)
"""Parts of hints that an option replaces."""
