"""A column as the weights of rows, or as their groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.cli.failure import Failure

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.data.frame import Frame

_IN_WORDS = {"value": "texts", "datetime": "dates", "duration": "durations"}


def row_weights(frame: Frame, name: str, source: str) -> Array:
    """Return the weights of rows that a column has; refuse one that has none."""
    import numpy as np

    column = frame.column(name)
    found = ""
    if column.storage not in ("float", "int", "uint"):
        found = f"it has {_IN_WORDS[column.storage]}"
    elif column.missing.any():
        found = f"it is missing in row {int(column.missing.argmax()) + 1:,}"
    else:
        weights = np.asarray(column.to_numpy(), dtype=np.float64)
        refused = ~(np.isfinite(weights) & (weights >= 0))
        if not refused.any():
            return weights
        row = int(refused.argmax())
        found = f"row {row + 1:,} has {weights[row]:g}"
    raise Failure(
        code="weights",
        message=f"column {name!r} of {source} has no weights: {found}",
        hint="--weight with a column of numbers, 0 or more, in every row",
        file=source,
        column=name,
    )


def row_groups(frame: Frame, name: str, source: str) -> Array:
    """Return the groups of rows that a column has; refuse one with gaps."""
    missing = frame.column(name).missing
    if missing.any():
        raise Failure(
            code="groups",
            message=(
                f"column {name!r} of {source} has no groups: it is missing in row"
                f" {int(missing.argmax()) + 1:,}"
            ),
            hint="--groups with a column that has a value in every row",
            file=source,
            column=name,
        )
    return frame[name]
