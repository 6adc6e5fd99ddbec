"""Aligned tables as people read them.

Examples
--------
>>> print(lay_out([TextColumn("question", ["Outlook", "Wind"]),
...                TextColumn("gain", ["0.247", "0.048"], right=True)]))
question   gain
Outlook   0.247
Wind      0.048
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextColumn:
    """One column of a printed table."""

    header: str
    cells: Sequence[str]
    right: bool = False

    @property
    def width(self) -> int:
        """Characters of the widest cell, the header included."""
        return max(map(len, (self.header, *self.cells)))


def lay_out(columns: Sequence[TextColumn], *, gap: str = "  ", max_width: int = 72) -> str:
    """Return the text of columns side by side under their headers.

    A cell wider than ``max_width`` pushes the rest of its own line aside, not the whole table.
    """
    widths = [min(column.width, max(max_width, len(column.header))) for column in columns]
    lines = [
        gap.join(_padded(cell, width, column.right) for cell, width, column in line).rstrip()
        for line in (
            zip(cells, widths, columns, strict=True)
            for cells in zip(*((column.header, *column.cells) for column in columns), strict=True)
        )
    ]
    return "\n".join(lines)


def width_of(columns: Sequence[TextColumn], *, gap: str = "  ") -> int:
    """Return how wide columns are side by side.

    >>> width_of([TextColumn("learner", ["tree"]), TextColumn("p", ["0.05"])])
    13
    """
    return sum(column.width + len(gap) for column in columns) - len(gap)


def _padded(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)
