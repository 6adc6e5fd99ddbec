"""The one document of ``--json``: floats read back exactly, counts are whole, no NaN."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any

from treewright.cli.failure import Failure
from treewright.cli.session import Note

FORMAT = 1
"""Within it, new keys may come; none goes or changes its meaning."""


def document(
    command: str,
    *,
    notes: Sequence[Note],
    result: Mapping[str, Any] | None = None,
    failure: Failure | None = None,
) -> str:
    """Return the text of the document of a command that was done, or of one that failed."""
    from treewright import __version__

    gaps: list[str] = []
    body = None if result is None else as_plain(result, gaps=gaps)
    told = [note.to_dict() for note in notes]
    if gaps:
        message = f"{len(gaps)} numbers that are not finite are null: {', '.join(gaps[:5])}"
        told.append(Note(code="not-finite", message=message).to_dict())
    whole: dict[str, Any] = {
        "format": FORMAT,
        "treewright": __version__,
        "command": command,
        "ok": failure is None,
        "notes": told,
    }
    if failure is not None:
        whole["error"] = as_plain(failure.to_dict(), gaps=[])
    if body is not None or failure is None:
        whole["result"] = body
    return json.dumps(whole, ensure_ascii=False, allow_nan=False)


_COUNTS = ("rows", "counts", "right")
"""Keys of counts: they are whole where they are, though weighted rows are counted as floats."""


def as_plain(value: Any, *, gaps: list[str], path: str = "result") -> Any:
    """Return a value as JSON has it; where a number is not finite, null, and its path in `gaps`.

    >>> as_plain({"error": float("nan"), "rows": 14.0, "gain": 2.0}, gaps=[])
    {'error': None, 'rows': 14, 'gain': 2.0}
    """
    if value is None or isinstance(value, bool | str):
        return (
            value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        )
    if isinstance(value, Enum):
        return as_plain(value.value, gaps=gaps, path=path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        gaps.append(path)
        return None
    if isinstance(value, Mapping):
        made = {
            str(key): as_plain(each, gaps=gaps, path=f"{path}.{key}") for key, each in value.items()
        }
        return {key: _whole(each) if key in _COUNTS else each for key, each in made.items()}
    if isinstance(value, date | datetime):
        return value.isoformat()
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return as_plain(value.tolist(), gaps=gaps, path=path)
    if hasattr(value, "to_dict"):
        return as_plain(value.to_dict(), gaps=gaps, path=path)
    if isinstance(value, Sequence | set | frozenset):
        return [as_plain(each, gaps=gaps, path=f"{path}[{i}]") for i, each in enumerate(value)]
    return str(value)


def _whole(value: Any) -> Any:
    """Return whole floats as whole numbers, in lists and dicts, too."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return value
