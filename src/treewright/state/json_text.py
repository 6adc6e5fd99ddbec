"""JSON text of plain values, and back: strict when it is read, exact when it is written."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from treewright.core import read_json


def json_bytes(value: Any, *, indent: int | None = None) -> bytes:
    r"""Return the JSON text of plain values as UTF-8; surrogates that stand alone are escaped.

    >>> json_bytes({"größe": [1, 0.1]})
    b'{"gr\xc3\xb6\xc3\x9fe":[1,0.1]}'
    """
    separators = (",", ":") if indent is None else (",", ": ")

    def written(*, ascii_only: bool) -> str:
        return json.dumps(
            value,
            ensure_ascii=ascii_only,
            allow_nan=False,
            separators=separators,
            indent=indent,
        )

    try:
        return written(ascii_only=False).encode()
    except UnicodeEncodeError:
        return written(ascii_only=True).encode()


def parsed_json(text: bytes | memoryview, *, file_size: int | None = None) -> Any:
    """Return the values of a JSON text; a ValueError says what is wrong, and at which byte.

    Parameters
    ----------
    text
        The text.
    file_size
        Bytes of the file it is from, by which its values are limited; by default its own.
    """
    whole = np.frombuffer(text, dtype=np.uint8)
    return read_json(whole, len(whole) if file_size is None else file_size)
