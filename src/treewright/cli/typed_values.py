"""``NAME=VALUE`` on the command line: split, and read by the type of its column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure, usage
from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright import Tree


def pair(text: str, option: str = "") -> tuple[str, str]:
    """Return NAME and VALUE of ``NAME=VALUE``.

    >>> pair("months=48")
    ('months', '48')
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        what = f"{option} takes" if option else "after the data stand"
        raise usage(
            f"{what} NAME=VALUE, not {text!r}", code="option-value", parameter=option.lstrip("-")
        )
    return name.strip(), value


def typed_values(tree: Tree, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return values that were typed, of the types of their columns; empty or ``?`` is missing."""
    from treewright.consult.dialogue import read_entry
    from treewright.parameters import nearest

    specs = {spec.name: spec for spec in tree.schema.sources}
    made = {}
    for name, text in pairs:
        if name not in specs:
            near = nearest(name, specs)
            some = ", ".join(list(specs)[:6]) + (", …" if len(specs) > 6 else "")
            raise Failure(
                code="column-not-found",
                message=f"the model has no column {name!r}",
                found=f"{len(specs)} columns: {some}.",
                hint="" if near is None else f"{near}={text}",
                column=name,
            )
        try:
            made[name] = read_entry(specs[name], text)
        except DataError as error:
            words, _, hint = str(error).partition("\n  Hint: ")
            words = words.rstrip(".")
            meant = re.search(r"did you mean '(.*)'", hint)
            raise Failure(
                code="value",
                message=words if repr(name) in words else f"column {name!r}: {words}",
                hint=f"{name}={meant[1]}" if meant else "",
                column=name,
            ) from error
    return made
