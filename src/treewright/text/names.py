"""Names and other text given by the user, fitted into one line of a message."""

from __future__ import annotations

from collections.abc import Iterable


def list_names(names: Iterable[str], *, most: int = 5) -> str:
    """Return a list of names for a message: at most five, then how many more.

    >>> list_names("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    shown = list(names)
    rest = len(shown) - most
    text = ", ".join(short_name(name) for name in shown[:most])
    return f"{text} and {rest} more" if rest > 0 else text


def short_name(name: str, most: int = 60) -> str:
    """Return a name cut to `most` characters, with control characters escaped."""
    text = name if name.isprintable() and name else repr(name)
    return text if len(text) <= most else f"{text[:most]}..."


def on_one_line(text: str) -> str:
    """Return a text with line breaks and other unprintable characters escaped."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def short_in_middle(name: str, most: int) -> str:
    """Return a name of at most so many characters, cut in the middle, where it tells least.

    >>> short_in_middle("average_monthly_balance", 16)
    'average_m…alance'
    """
    text = on_one_line(name)
    if len(text) <= most:
        return text
    front = max(1, (6 * (most - 1)) // 10)
    return f"{text[:front]}…{text[len(text) - max(0, most - 1 - front) :]}"
