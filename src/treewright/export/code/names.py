"""Names given by people, made safe for programs: identifiers, and words in comments.

Nothing that a name contains can end a comment, a string or an identifier: identifiers keep only
letters, digits and underscores of ASCII; comments keep only printable ASCII without what any
language reads as the end of a comment; strings are escaped by the target's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MOST = 40
_MOST_IN_COMMENT = 60


def identifier(name: str, *, otherwise: str = "x") -> str:
    """Return an identifier like a name, of at most 40 letters.

    >>> identifier("petal length (cm)"), identifier("2nd"), identifier("x'; DROP TABLE")
    ('petal_length_cm', 'x_2nd', 'x_DROP_TABLE')
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name[: 4 * _MOST]).strip("_")[:_MOST].rstrip("_")
    if not plain:
        return otherwise
    return f"{otherwise}_{plain}" if plain[0].isdigit() else plain


def identifiers(names: Iterable[str], *, reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Return an identifier for each name, all different whatever their case.

    >>> identifiers(["a b", "a-b", "if"], reserved=["if"])
    ('a_b', 'a_b_2', 'if_2')
    """
    taken = {each.lower() for each in reserved}
    made = []
    for name in names:
        plain = identifier(name)
        unique, number = plain, 1
        while unique.lower() in taken:
            number += 1
            unique = f"{plain}_{number}"
        taken.add(unique.lower())
        made.append(unique)
    return tuple(made)


def in_comment(text: str) -> str:
    """Return a text as it may stand in a comment of any language: short, printable ASCII.

    >>> in_comment("a */ b -- c")
    'a * / b - - c'
    """
    plain = "".join(each if " " <= each <= "~" else "?" for each in text[: 4 * _MOST_IN_COMMENT])
    plain = plain.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    plain = plain.replace("--", "- -").replace('"""', "'''").replace("<", "(").replace("@", "(at)")
    plain = plain.replace("--", "- -").replace("*/", "* /")
    return plain if len(plain) <= _MOST_IN_COMMENT else f"{plain[:_MOST_IN_COMMENT]}..."
