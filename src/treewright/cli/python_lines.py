"""Lines of Python for ``--python``: calls that are broken where a person would break them."""

from __future__ import annotations

from typing import Any

_WIDTH = 79


class Raw(str):
    """A piece of Python that is written as it is, not as a text in quotes."""


def call(function: str, *arguments: Any, **named: Any) -> str:
    """Return a call; what is None, False or empty is what holds anyway, and left out.

    >>> call("tw.read", "loans.csv", target="outcome", ignore=[], decimal=",")
    'tw.read("loans.csv", target="outcome", decimal=",")'
    """
    words = [literal(each) for each in arguments]
    words += [
        f"{name}={literal(value)}"
        for name, value in named.items()
        if value is not None and value is not False and value != [] and value != {}
    ]
    return f"{function}({', '.join(words)})"


def statement(line: str) -> str:
    """Return a line, broken after commas where it is too long, else after brackets.

    >>> print(statement("x = f(" + ", ".join(f"a{i}={i}" for i in range(20)) + ")"))
    x = f(a0=0, a1=1, a2=2, a3=3, a4=4, a5=5, a6=6, a7=7, a8=8, a9=9, a10=10,
        a11=11, a12=12, a13=13, a14=14, a15=15, a16=16, a17=17, a18=18, a19=19)
    """
    if len(line) <= _WIDTH:
        return line
    lines: list[str] = []
    rest, depth = line, 0
    while len(rest) > _WIDTH:
        place, inside = _last_break(rest[:_WIDTH], depth)
        if place <= 4:
            break
        depth = inside
        lines.append(rest[:place].rstrip())
        rest = "    " + rest[place:].lstrip()
    return "\n".join([*lines, rest])


def _last_break(text: str, depth: int) -> tuple[int, int]:
    """Return the last place after a comma that is in no text in quotes and inside brackets.

    Where there is none, the last place after an opening bracket. Beside it, how many brackets are
    open there; `depth` are open at the beginning.
    """
    place, inside, quote, escaped = 0, depth, "", False
    opening = (0, depth)
    for i, letter in enumerate(text):
        if quote:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == quote:
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
            if text[i + 1 : i + 2] not in ("", ")", "]", "}"):
                opening = i + 1, depth
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth > 0 and text[i + 1 : i + 2] == " ":
            place, inside = i + 1, depth
    return (place, inside) if place else opening


def literal(value: Any) -> str:
    """Return a value as Python writes it, texts in double quotes.

    >>> literal(["a", 1, None]), literal('say "no"')
    ('["a", 1, None]', '\\'say "no"\\'')
    """
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in value else text
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def load_line(model: str, name: str = "model") -> str:
    """Return the lines that load a model."""
    return f"import treewright as tw\n{name} = {call('tw.load', model)}"
