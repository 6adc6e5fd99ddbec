"""Frame: a small immutable table of named columns, as :func:`treewright.read` returns it.

It holds typed columns, so that nothing is parsed or coded twice: integers are exact, text is
coded once, a domain declared in a file stays with its column. It is no dataframe library: take
columns and rows from it, hand it to ``fit``, or turn it into a pandas or polars frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from treewright.array_types import Array
from treewright.data.column import Column
from treewright.data.fitted_schema import ColumnSpec
from treewright.data.reading import Reading
from treewright.data.schema import Schema
from treewright.errors import ColumnMismatchError, DataError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Rows = Sequence[int] | slice | Array
RowKey = Rows | tuple[Rows, EllipsisType]

_ROWS_SHOWN = 10
_WIDTH_SHOWN = 20


class Frame:
    """A table of named columns of one length.

    ``frame["name"]`` is a column as an array; indexing with positions, a mask or a slice gives a
    frame of those rows, so that scikit-learn's splitters work on it.

    Examples
    --------
    >>> from treewright.data.examples.load import load_example
    >>> frame = load_example("play_tennis").X
    >>> frame.columns, len(frame)
    (('Outlook', 'Temperature', 'Humidity', 'Wind'), 14)
    >>> frame["Wind"][:2].tolist()
    ['Weak', 'Strong']
    >>> frame.drop("Wind").columns
    ('Outlook', 'Temperature', 'Humidity')
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        weights: Array | None = None,
        reading: Reading | None = None,
    ) -> None:
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise DataError(f"columns of a frame have one length, not {sorted(lengths)}.")
        self._columns = dict(columns)
        self._n_rows = lengths.pop() if lengths else 0
        self._weights = weights
        self._reading = reading

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self._n_rows, len(self._columns)

    @property
    def weights(self) -> Array | None:
        """Weights of the rows, where the file has them (ARFF), for ``fit(X, y, sample_weight)``."""
        return self._weights

    @property
    def reading(self) -> Reading | None:
        """How the file was read that the frame comes from."""
        return self._reading

    @property
    def schema(self) -> Schema:
        """Domains and orders of the columns, as the source declared them."""
        fixed = {name: c for name, c in self._columns.items() if c.fixed and c.storage == "value"}
        is_plain = {name: c for name, c in fixed.items() if c.values and c.values != (False, True)}
        return Schema(
            values={name: c.values for name, c in is_plain.items() if not c.ordered},
            order={name: c.values for name, c in is_plain.items() if c.ordered},
        )

    def column(self, name: str) -> Column:
        """Return the typed column called `name`."""
        try:
            return self._columns[name]
        except KeyError:
            raise ColumnMismatchError(
                f"the frame has no column {name!r}.\n"
                f"  Columns: {list_names(self.columns)}{nearest_hint(name, self.columns)}"
            ) from None

    def select(self, names: Iterable[str]) -> Frame:
        """Return a frame of the named columns, in the order given."""
        kept = {name: self.column(name) for name in names}
        return Frame(kept, weights=self._weights, reading=self._reading)

    def drop(self, *names: str) -> Frame:
        """Return a frame without the named columns."""
        dropped = {name: self.column(name) for name in names}
        kept = {name: c for name, c in self._columns.items() if name not in dropped}
        return Frame(kept, weights=self._weights, reading=self._reading)

    def with_reading(self, reading: Reading | None) -> Frame:
        """Return the frame with another account of how its file was read."""
        return Frame(self._columns, weights=self._weights, reading=reading)

    def rows(self, indices: Rows) -> Frame:
        """Return a frame of the rows chosen by positions (or one), a mask or a slice."""
        if not isinstance(indices, slice):
            indices = np.atleast_1d(indices)  # a single row is a frame too
            if indices.size == 0:
                indices = indices.astype(np.intp)
        columns = {name: column.take(indices) for name, column in self._columns.items()}
        weights = None if self._weights is None else self._weights[indices]
        return Frame(columns, weights=weights, reading=self._reading)

    @overload
    def __getitem__(self, key: str) -> Array: ...
    @overload
    def __getitem__(self, key: RowKey) -> Frame: ...
    def __getitem__(self, key: str | RowKey) -> Array | Frame:
        if isinstance(key, str):
            return self.column(key).to_numpy()
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], EllipsisType):
            return self.rows(key[0])  # how scikit-learn's splitters write it
        return self.rows(cast(Rows, key))

    def __len__(self) -> int:
        return self._n_rows

    def __getattr__(self, name: str) -> Any:
        """Raise an AttributeError with a hint at what there is."""
        message = f"'Frame' object has no attribute {name!r}"
        if name in ("X", "y"):
            message += ": nothing is its target.\n  Hint: read(path, target='name') gives X and y."
        elif name in self.__dict__.get("_columns", ()):
            message += f".\n  Hint: frame[{name!r}]."
        elif not name.startswith("_"):
            message += ".\n  Hint: to_pandas() or to_polars() gives a dataframe."
        raise AttributeError(message, name=name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas frame; declared domains become categoricals."""
        import pandas as pd

        made: dict[str, Any] = {}
        for name, column in self._columns.items():
            if column.storage == "value" and column.fixed and column.values != (False, True):
                made[name] = pd.Categorical.from_codes(
                    column.data, categories=pd.Index(list(column.values)), ordered=column.ordered
                )
            elif column.present is not None and column.storage in ("int", "uint"):
                kind = "Int64" if column.storage == "int" else "UInt64"
                made[name] = pd.array(column.to_numpy().tolist(), dtype=kind)
            elif column.time_zone is not None:
                made[name] = pd.DatetimeIndex(column.to_numpy(), tz="UTC").tz_convert(
                    column.time_zone
                )
            else:
                made[name] = column.to_numpy()
        return pd.DataFrame(made)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame; declared domains of text become enums."""
        import polars as pl

        made: list[pl.Series] = []
        for name, column in self._columns.items():
            values = column.to_numpy()
            if column.storage == "value":
                is_text = column.fixed and all(isinstance(v, str) for v in column.values)
                domain = [str(value) for value in column.values]
                made.append(
                    pl.Series(name, values.tolist(), dtype=pl.Enum(domain) if is_text else None)
                )
            elif isinstance(values, np.ma.MaskedArray):
                made.append(pl.Series(name, values.tolist()))
            elif column.storage == "float":
                made.append(pl.Series(name, values).fill_nan(None))
            elif column.time_zone is not None:
                in_utc = pl.Series(name, values).dt.replace_time_zone("UTC")
                made.append(in_utc.dt.convert_time_zone(column.time_zone))
            else:
                made.append(pl.Series(name, values))
        return pl.DataFrame(made)

    def __repr__(self) -> str:
        head = self.rows(slice(0, _ROWS_SHOWN))
        cells = [[_shorten(name), *_cells(head.column(name))] for name in head.columns]
        widths = [max(map(len, column)) for column in cells]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in zip(*cells, strict=True)
        ]
        rest = self._n_rows - _ROWS_SHOWN
        more = [f"... {rest} more rows"] if rest > 0 else []
        size = f"Frame: {self._n_rows} rows, {len(self._columns)} columns"
        return "\n".join([size, *lines, *more])


def _cells(column: Column) -> list[str]:
    """Return the texts of the values of a column, ``?`` for a missing one."""
    spec = ColumnSpec(
        name="",
        kind="nominal" if column.storage == "value" else "numeric",
        storage=column.storage,
        unit=column.unit,
        time_zone=column.time_zone,
    )
    stored = column.to_numpy() if column.storage == "value" else column.data
    pairs = zip(stored.tolist(), column.missing.tolist(), strict=True)
    return ["?" if gap else _shorten(spec.format(value)) for value, gap in pairs]


def _shorten(text: str) -> str:
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= _WIDTH_SHOWN else f"{shown[: _WIDTH_SHOWN - 3]}..."
