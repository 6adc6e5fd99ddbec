"""A typed table, ready for the core: one array per column, missing values marked.

The type of each array follows from the column's :class:`~treewright.data.schema.ColumnSpec`:

=====================  ===================  ==========================================
storage                array                missing
=====================  ===================  ==========================================
float                  float32 or float64   NaN; +-inf are ordinary values
int, datetime, ...     int64                False in the column's mask
value                  int32 codes          -1; -2 is a category unseen in training
=====================  ===================  ==========================================

Arrays are views of the user's data wherever that is possible: any strides, possibly read-only.
Nothing writes to them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.array_types import Array, BoolArray, IntegerArray
from treewright.data.fitted_schema import FittedSchema
from treewright.interrupts import taken

MISSING = -1
"""Code of a missing value in a nominal or ordinal column."""
UNSEEN = -2
"""Code of an unseen category (not in the fitted domain); only tables to predict have it."""


class Table:
    """Typed columns of one length, with the schema that describes them.

    Parameters
    ----------
    schema : FittedSchema
    n_rows : int
    matrix : 2-D array, optional
        The whole table, where it is one float32 or float64 array.
    columns, masks : sequences, optional
        The columns, where there is no matrix; a mask is True where a value is present, and None
        where every value is.

    Examples
    --------
    >>> from treewright.data.read.table import read_table
    >>> table = read_table({"size": [3, 1, 2], "colour": ["red", None, "blue"]})
    >>> table.columns[0].tolist(), table.columns[1].tolist()
    ([3.0, 1.0, 2.0], [1, -1, 0])
    >>> table.schema.column("colour").values
    ('blue', 'red')
    """

    __slots__ = ("_columns", "_masks", "matrix", "n_rows", "schema")

    def __init__(
        self,
        *,
        schema: FittedSchema,
        n_rows: int,
        matrix: Array | None = None,
        columns: Sequence[Array] | None = None,
        masks: Sequence[BoolArray | None] | None = None,
    ) -> None:
        self.schema = schema
        self.n_rows = n_rows
        self.matrix = matrix
        self._columns = None if columns is None else tuple(columns)
        self._masks = None if masks is None else tuple(masks)

    @property
    def columns(self) -> Sequence[Array]:
        """One array per column; made on first use where the table is a matrix."""
        if self._columns is None:
            if self.matrix is None:
                raise AssertionError("a table has a matrix or columns")
            # Iterating over the transpose makes the views in C.
            self._columns = tuple(self.matrix.T)
        return self._columns

    @property
    def masks(self) -> tuple[BoolArray | None, ...]:
        """Mask of the values present in each column; None where all are, or NaN marks missing."""
        if self._masks is None:
            self._masks = (None,) * len(self.schema)
        return self._masks

    def is_missing(self, index: int) -> BoolArray:
        """Return whether the value of one column is missing, for each row."""
        values = self.columns[index]
        if self.schema.columns[index].storage == "value":
            return np.asarray(values == MISSING)
        if values.dtype.kind == "f":
            return np.asarray(np.isnan(values))
        present = self.masks[index]
        return np.zeros(len(values), dtype=bool) if present is None else ~present

    def take(self, rows: IntegerArray) -> Table:
        """Return the table of the rows at the given positions, in that order."""
        if self.matrix is not None:
            return Table(schema=self.schema, n_rows=len(rows), matrix=taken(self.matrix, rows))
        return Table(
            schema=self.schema,
            n_rows=len(rows),
            columns=[taken(column, rows) for column in self.columns],
            masks=[None if mask is None else taken(mask, rows) for mask in self.masks],
        )

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Table(n_rows={self.n_rows}, columns=[{', '.join(self.schema.names[:8])}])"
