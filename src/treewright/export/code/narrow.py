"""Tables of numbers in the narrowest type that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treewright.array_types import Array

MOST_WRITTEN_OUT = 20_000
"""Entries up to which a table is written as numbers; larger ones are bytes in a text, which
compilers take in at once."""


def narrowed(table: Array) -> Array:
    """Return a table of whole numbers in the narrowest signed type; others as they are."""
    if table.dtype.kind == "f":
        return np.ascontiguousarray(table, dtype="<f8").ravel()
    low, high = int(table.min(initial=0)), int(table.max(initial=0))
    for dtype in ("<i1", "<i2", "<i4"):
        bounds = np.iinfo(dtype)
        if bounds.min <= low and high <= bounds.max:
            return table.astype(dtype).ravel()
    return table.astype("<i8").ravel()


def octal(data: bytes, *, per_line: int = 4096) -> list[str]:
    """Return bytes as texts of C: printable characters, the others as three octal digits.

    >>> octal(b'a"?')
    ['a\\\\042\\\\077']
    """
    pieces = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?%' else f"\\{byte:03o}"
        for byte in range(256)
    ]
    return [
        "".join([pieces[byte] for byte in data[start : start + per_line]])
        for start in range(0, len(data), per_line)
    ]
