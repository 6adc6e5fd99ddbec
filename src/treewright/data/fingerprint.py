"""The fingerprint of a table with its target: equal for the same rows, columns and answers."""

from __future__ import annotations

import hashlib

import numpy as np

from treewright.array_types import Array
from treewright.data.table import Table

_MOST_HASHED = 1 << 30


def fingerprint_of(table: Table, known: Array) -> str | None:
    """Return a hash of a table and of the codes or numbers of its target; None if it is large."""
    if sum(np.asarray(column).nbytes for column in table.columns) > _MOST_HASHED:
        return None
    digest = hashlib.sha256()
    for spec, column in zip(table.schema.columns, table.columns, strict=True):
        digest.update(
            f"{len(spec.name)} {spec.name} {spec.kind} {spec.storage} ".encode(
                "utf-8", "surrogatepass"
            )
        )
        digest.update(np.ascontiguousarray(column).tobytes())
    digest.update(np.ascontiguousarray(known).tobytes())
    return f"sha256:{digest.hexdigest()}"
