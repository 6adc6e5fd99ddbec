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

    >>> hint_for_shell("leave it out, by dropping it or with schema=Schema(ignore=['customer']).")
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


def message_for_shell(message: str) -> str:
    """Return an error of the library with an option in the place of its argument.

    >>> message_for_shell("cv=1000 folds need at least as many rows; there are 200.")
    '--folds 1000 needs at least as many rows; there are 200.'
    """
    return re.sub(r"^cv=(\d+) folds need ", r"--folds \1 needs ", message)


def words_for_shell(message: str) -> tuple[str, str]:
    """Return a message without hint, and what to type, of those that have words of scikit-learn.

    >>> words_for_shell("Some inputs do not have OOB scores: 14 of 2000 rows were seen by every")
    ('14 of 2,000 rows are judged by no tree: all have seen them', '--set n_estimators=N, more')
    """
    found = re.match(r"Some inputs do not have OOB scores: (\d+) of (\d+) rows", message)
    if found is None:
        return message, ""
    rows = f"{int(found[1]):,} of {int(found[2]):,} rows"
    return f"{rows} are judged by no tree: all have seen them", "--set n_estimators=N, more"


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
    (
        r"(?:by dropping it or with|leave the column out with)"
        rf" (?:schema=)?Schema\(ignore={_LIST}\)",
        _ignored,
    ),
    (rf"fit\(X\.drop\(columns={_LIST}\), y\)", _ignored),
    (rf"fit\(\.\.\., groups=.*such as column {_NAME}", lambda m: f"--groups {_text(m[1])}"),
    (rf"pd\.to_datetime\(X\[{_NAME}\]\)", lambda m: f"--kind {_text(m[1])}=date"),
    (r"y\.astype\(float\)", lambda m: "--task numbers"),
    (
        rf"give it, or \{{{_NAME}: None\}} if it is not known",
        lambda m: f"{_text(m[1])}=VALUE, or {_text(m[1])}=? if it is not known",
    ),
    (r"[A-Z]\w+\(\)\.prune\(tree, X_valid, y_valid\)", lambda m: "treewright prune MODEL DATA"),
    (
        r"^target=, one of ",
        lambda m: "treewright export MODEL --to FORMAT --out FILE writes one that does",
    ),
    (r"^print\(rules\), or export\.sql", lambda m: "treewright rules MODEL; or --to sql"),
    (r"^cv=(\d+), or cv='leave_one_out'", lambda m: f"--folds {m[1]}"),
    (r"give X_train and y_train as they were given to fit", lambda m: "fit with --interval SHARE"),
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
