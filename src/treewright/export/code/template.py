"""Templates of programs: text with lines that are kept only where a model needs them.

A template is a program in its own language. A line whose comment starts with ``?`` opens a block
that is kept if one of the features named after it is present (``!name``: is absent); a line whose
comment starts with ``.`` closes it. ``@name@`` stands for a text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "templates"
_OPENS = re.compile(r"\s*(?://|#)\?(?P<features>.*)")
_CLOSES = re.compile(r"\s*(?://|#)\.\s*")
_PLACE = re.compile(r"@(\w+)@")


@cache
def _lines(name: str) -> tuple[str, ...]:
    return tuple((_FOLDER / name).read_text(encoding="utf-8").splitlines())


def fill(name: str, features: Collection[str], texts: Mapping[str, str]) -> str:
    """Return a template without the blocks that are not needed, and with its texts.

    Parameters
    ----------
    name
        The file of the template.
    features
        What the model needs.
    texts
        The texts that places stand for; an empty one takes its whole line away.
    """
    kept: list[str] = []
    open_blocks: list[bool] = []
    for line in _lines(name):
        opens = _OPENS.fullmatch(line)
        if opens:
            wanted = opens["features"].split()
            is_wanted = any(
                each[1:] not in features if each.startswith("!") else each in features
                for each in wanted
            )
            open_blocks.append(is_wanted)
        elif _CLOSES.fullmatch(line):
            open_blocks.pop()
        elif all(open_blocks):
            kept.extend(_with_texts(line, texts))
    assert not open_blocks
    return _without_double_blanks(kept)


def _with_texts(line: str, texts: Mapping[str, str]) -> list[str]:
    places = _PLACE.findall(line)
    if not places:
        return [line]
    if line.strip() == f"@{places[0]}@" and not texts[places[0]]:
        return []
    return [_PLACE.sub(lambda found: texts[found[1]], line)]


def _without_double_blanks(lines: list[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"
