"""One fixture: a constructor of tables for every library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.data.frame import Frame
from treewright.data.read.table import read_frame

Columns = Mapping[str, Sequence[Any]]
Constructor = Callable[[Columns], Any]


def _pandas_objects(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def _pandas_arrow(columns: Columns) -> pd.DataFrame:
    return _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _pandas_nullable(columns: Columns) -> pd.DataFrame:
    with np.errstate(invalid="ignore"):  # pandas 2 casts infinities to try integers
        return pd.DataFrame({k: list(v) for k, v in columns.items()}).convert_dtypes()


def _polars(columns: Columns) -> pl.DataFrame:
    return pl.DataFrame({name: list(values) for name, values in columns.items()})


def _polars_lazy(columns: Columns) -> pl.LazyFrame:
    return _polars(columns).lazy()


def _arrow(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(list(values)) for name, values in columns.items()})


def _arrow_chunked(columns: Columns) -> pa.Table:
    table = _arrow(columns)
    return pa.concat_tables([table.slice(0, 1), table.slice(1)])


def _objects(columns: Columns) -> dict[str, np.ndarray]:
    made = {}
    for name, values in columns.items():
        made[name] = np.empty(len(values), dtype=object)
        made[name][:] = values
    return made


def _dicts(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _frame(columns: Columns) -> Frame:
    return read_frame(_dicts(columns))


CONSTRUCTORS: dict[str, Constructor] = {
    "pandas": lambda columns: pd.DataFrame({k: list(v) for k, v in columns.items()}),
    "pandas objects": _pandas_objects,
    "pandas nullable": _pandas_nullable,
    "pandas arrow": _pandas_arrow,
    "polars": _polars,
    "polars lazy": _polars_lazy,
    "pyarrow": _arrow,
    "pyarrow chunked": _arrow_chunked,
    "dict of lists": lambda columns: {k: list(v) for k, v in columns.items()},
    "dict of object arrays": _objects,
    "list of dicts": _dicts,
    "Frame": _frame,
}


@pytest.fixture(params=CONSTRUCTORS.values(), ids=CONSTRUCTORS.keys())
def construct(request: pytest.FixtureRequest) -> Constructor:
    """A function that makes a table of one library from columns."""
    constructor: Constructor = request.param
    return constructor
