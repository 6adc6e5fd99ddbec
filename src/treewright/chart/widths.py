"""How wide a text is, and texts that are made to fit: cut, or broken into lines.

One table of Arial's advance widths measures every text: Liberation Sans, Arimo and Helvetica have
the same. The table was read from Liberation Sans 2.1 (units of 1/2048 em); the narrow no-break
space, which that font lacks, counts a sixth of an em.

Examples
--------
>>> round(measure("cross-validated", 12.5, bold=True), 1)
91.7
>>> shorten_middle("average_monthly_balance_after_tax", 128, 13, bold=True)
'average_mo…er_tax'
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

_UNITS = 2048
_WIDE, _OTHER = _UNITS, round(0.6 * _UNITS)
"""Characters outside the table: wide ones (Chinese, Japanese, Korean), and all others."""

_ELLIPSIS = "…"
_FRONT_SHARE = 0.6


@cache
def _table(bold: bool) -> dict[str, int]:
    runs = json.loads(files(__package__).joinpath("advance_widths.json").read_text("utf-8"))
    return {
        chr(run["first"] + i): width
        for run in runs
        for i, width in enumerate(run["bold" if bold else "regular"])
    }


def measure(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    return _units(text, bold) * size / _UNITS


@lru_cache(maxsize=1 << 14)  # a tree has the same few texts at hundreds of nodes
def _units(text: str, bold: bool) -> int:
    table = _table(bold)
    return sum(table.get(letter) or _outside(letter) for letter in text)


def _outside(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER


def shorten_end(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return a text cut at its end so that it fits, for categories and class labels.

    >>> shorten_end("Exec-managerial", 75, 13)
    'Exec-man…'
    """
    return _shortened(text, width, size, bold, front_share=1.0)


def shorten_middle(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return a text cut in its middle so that it fits, for column names."""
    return _shortened(text, width, size, bold, front_share=_FRONT_SHARE)


def shorten_apart(
    names: Sequence[str], width: float, size: float, *, bold: bool = False
) -> list[str]:
    """Return names cut in the middle; those that would become equal keep more of their ends.

    >>> shorten_apart(["balance_before_tax_2019", "balance_before_tax_2018"], 60, 13)
    ['bala…019', 'bala…018']
    >>> shorten_apart(["balance_before_tax_2019_a_year", "balance_before_tax_2018_a_year"], 80, 13)
    ['…19_a_year', '…18_a_year']
    """
    shown = [shorten_middle(name, width, size, bold=bold) for name in names]
    for front_share in (0.4, 0.2, 0.0):
        counts: dict[str, set[str]] = {}
        for text, name in zip(shown, names, strict=True):
            counts.setdefault(text, set()).add(name)
        if all(len(same) == 1 for same in counts.values()):
            break
        shown = [
            text if len(counts[text]) == 1 else _shortened(name, width, size, bold, front_share)
            for text, name in zip(shown, names, strict=True)
        ]
    return _from_where_they_differ(shown, names, width, size, bold)


def _from_where_they_differ(
    shown: list[str], names: Sequence[str], width: float, size: float, bold: bool
) -> list[str]:
    """Return what is shown of names; of those still equal, the part from where they differ."""
    found = list(shown)
    for text in set(shown):
        places = [i for i, each in enumerate(shown) if each == text]
        different = {names[i] for i in places}
        if len(different) > 1:
            start = _n_alike(different)
            for i in places:
                tail = f"{_ELLIPSIS}{names[i][start:]}"
                found[i] = shorten_end(tail, width, size, bold=bold)
    return found


def _n_alike(names: set[str]) -> int:
    """Return how many letters different names have in common at their beginning."""
    columns = zip(*names, strict=False)
    return next((i for i, letters in enumerate(columns) if len(set(letters)) > 1), 0)


def shorten_labels(
    names: Sequence[str], width: float, size: float, *, bold: bool = False
) -> list[str]:
    """Return names cut at the end, or in the middle where that would make two of them equal.

    >>> shorten_labels(["Exec-managerial", "Sales"], 75, 13)
    ['Exec-man…', 'Sales']
    >>> shorten_labels(["a rather long name 1", "a rather long name 2"], 75, 13)
    ['a rat…me 1', 'a rat…me 2']
    """
    at_end = [shorten_end(name, width, size, bold=bold) for name in names]
    if len(set(at_end)) == len(set(names)):
        return at_end
    return shorten_apart(names, width, size, bold=bold)


def _shortened(text: str, width: float, size: float, bold: bool, front_share: float) -> str:
    if measure(text, size, bold=bold) <= width:
        return text
    low, high = 0, len(text)  # letters kept; as many as fit, by bisection
    while low < high:
        middle = (low + high + 1) // 2
        fits = measure(_cut(text, middle, front_share), size, bold=bold) <= width
        low, high = (middle, high) if fits else (low, middle - 1)
    return _cut(text, low, front_share)


def _cut(text: str, kept: int, front_share: float) -> str:
    front = min(round(kept * front_share), kept)
    back = kept - front
    return f"{text[:front].rstrip()}{_ELLIPSIS}{text[len(text) - back :].lstrip() if back else ''}"


def wrap(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Return the lines of a text; a word wider than a line is cut in its middle.

    >>> wrap("More rows would not help", 90, 13)
    ['More rows', 'would not help']
    """
    lines: list[str] = []
    for given in text.split(" "):
        word = shorten_middle(given, width, size, bold=bold)
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, size, bold=bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]
