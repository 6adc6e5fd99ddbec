"""Dataframes and series of any library to columns: the only file that reads them."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, cast

import narwhals as nw
import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import (
    Column,
    blank_column,
    column_if_text,
    read_time,
    read_typed,
    text_column,
)
from treewright.data.frame import Frame
from treewright.data.match_names import (
    check_names,
)
from treewright.data.objects import plain_value, read_objects
from treewright.data.read.arrays import read_array
from treewright.data.read.source import Source
from treewright.errors import DataError


def target_array(y: Any) -> Array:
    """Return a target (a list, an array, a series, a frame) as an array of one or two dimensions.

    A list that mixes text, numbers and missing values becomes an array of objects.
    """
    if isinstance(y, Frame):
        return _side_by_side([y[name] for name in y.columns])
    if isinstance(y, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(y), np.array(None, dtype=object), y.data)
    if isinstance(y, np.ndarray):
        return np.asarray(y)
    native = y if isinstance(y, list | tuple) else _from_native(y)
    if isinstance(native, nw.Series):
        return np.asarray(native.to_numpy())
    if isinstance(native, nw.DataFrame):
        return _side_by_side([column.to_numpy() for column in native.iter_columns()])
    try:
        array = np.asarray(native)
    except ValueError:
        raise DataError(
            "lists of different lengths, where one value for each row is due, or as many for all."
        ) from None
    if array.dtype.kind == "U" and isinstance(native, list | tuple):
        return np.array(native, dtype=object)  # NumPy would have made text of numbers
    return array


@dataclass(frozen=True, kw_only=True)
class DeclaredClasses:
    """The classes that a target's type declares, occurring or not, and whether in their order."""

    values: tuple[Any, ...] = ()
    ordered: bool = False


def declared_classes(y: Any) -> DeclaredClasses:
    """Return the classes that a target's type declares; none where it declares none."""
    if isinstance(y, list | tuple | np.ndarray):
        return DeclaredClasses()
    if hasattr(y, "categories") and hasattr(y, "codes"):  # pandas.Categorical, of no index
        import pandas

        y = pandas.Series(y)
    native = _from_native(y)
    if isinstance(native, nw.DataFrame) and len(native.columns) == 1:
        native = native[native.columns[0]]
    if not isinstance(native, nw.Series) or native.dtype not in (nw.Categorical, nw.Enum):
        return DeclaredClasses()
    column = _read_categories(native)
    is_ordered = column.ordered or native.dtype == nw.Enum  # whose values are compared by place
    return DeclaredClasses(values=column.values, ordered=is_ordered)


def _side_by_side(columns: Sequence[Array]) -> Array:
    if len({column.dtype for column in columns}) == 1:
        return np.stack(columns, axis=1)
    return np.stack([column.astype(object) for column in columns], axis=1)


def take_native(X: Any, rows: Array) -> Any:
    """Return some rows of a dataframe or series in its own type; None for anything else."""
    native = _from_native(X)
    return native[rows].to_native() if isinstance(native, nw.DataFrame | nw.Series) else None


def _from_native(X: Any) -> Any:
    """Return a dataframe or series of any library in narwhals' form, anything else unchanged."""
    # Before narwhals looks at the names, because its error names no remedy.
    if nw.dependencies.is_pandas_like_dataframe(X):
        check_names(list(X.columns))
    elif nw.dependencies.is_pyarrow_table(X):
        check_names(X.column_names)
    elif type(X).__module__.startswith("pyarrow") and hasattr(X, "to_struct_array"):
        import pyarrow  # a batch of records, which narwhals takes for an array

        return _from_native(pyarrow.Table.from_batches([X]))
    native = nw.from_native(X, pass_through=True, allow_series=True)
    return native.collect() if isinstance(native, nw.LazyFrame) else native


def open_dataframe(X: Any) -> Source | None:
    """Return a dataframe of any library as a source; None if `X` is none, an error for a series."""
    if _is_plain_pandas(X):
        return _open_pandas(X, _labels_of(X))
    frame = _from_native(X)
    if isinstance(frame, nw.Series):
        raise DataError(
            f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame"
            " containing a single row (i.e. single sample) or a single column (i.e. single"
            " feature) instead.\n"
            "  Hint: X[['name']] is a table of one column, X['name'] is not."
        )
    if not isinstance(frame, nw.DataFrame):
        return None
    labels = frame.columns
    if frame.implementation.is_pandas_like():
        return _open_pandas(frame.to_native(), labels)
    return Source(
        n_rows=len(frame),
        n_columns=len(labels),
        names=check_names(cast(Sequence[Hashable], labels)),
        read=lambda i, name: read_series(frame.get_column(labels[i]), name),
    )


def _labels_of(X: Any) -> list[Hashable]:
    """Return the names of the columns of a dataframe of pandas itself."""
    array = X.columns.array
    if is_arrow_text(array):  # at once: pandas goes a long way round, by way of NumPy
        text = array.__arrow_array__()
        if text.null_count == 0:
            names: list[Hashable] = text.to_pylist()
            return names
    labels: list[Hashable] = X.columns.tolist()
    return labels


def _is_plain_pandas(X: Any) -> bool:
    """Return whether a table is a dataframe of pandas itself, which narwhals need not look at."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(X) is pandas.DataFrame


def _open_pandas(frame: Any, labels: Sequence[Hashable]) -> Source:
    names = check_names(labels)
    arrays = arrays_of_pandas(frame)

    def read(i: int, name: str) -> Column:
        array: Any = None if arrays is None else arrays[i]
        if type(array) is np.ndarray:
            column = _read_array_of_pandas(array, name)
            if column is not None:
                return column
        elif is_arrow_text(array):  # the usual text: narwhals takes as long as coding it
            return _column_of_dictionary(array.__arrow_array__().dictionary_encode())
        return _read_of_pandas(frame[labels[i]], name)

    return Source(n_rows=len(frame), n_columns=len(labels), names=names, read=read)


def is_arrow_text(array: Any) -> bool:
    """Return whether an array of pandas itself is text that lies in an array of Arrow."""
    pandas = sys.modules.get("pandas")
    dtype: Any = getattr(array, "dtype", None)
    return pandas is not None and type(dtype) is pandas.StringDtype and dtype.storage == "pyarrow"


def arrays_of_pandas(X: Any) -> list[Any] | None:
    """Return the arrays that a dataframe of pandas itself consists of; None where not known.

    To make a series of each column takes sixteen times as long, and half as long as reading a small
    table. There is no public way, so that a pandas without it is asked for each series.
    """
    if not _is_plain_pandas(X) or not hasattr(X, "_iter_column_arrays"):
        return None
    return list(X._iter_column_arrays())


def read_values(values: Any, name: str) -> Column:
    """Return an array, a series or a list as a column."""
    if isinstance(values, Column):
        return values
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise DataError(f"column {name!r} has shape {values.shape}; it must be flat.")
        return read_array(values, name)
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return read_series(series, name)
    return read_objects(list(values), name)


def read_series(series: nw.Series[Any], name: str) -> Column:
    """Return a column of a dataframe, read by its type."""
    if series.implementation.is_pandas_like():
        return _read_of_pandas(series.to_native(), name)
    return _read_by_type(series, name)


def _read_of_pandas(series: Any, name: str) -> Column:
    """Return a series of pandas; objects and NumPy's decimals without a detour.

    narwhals takes three times as long to hand over a column, and says what objects are by the
    first hundred of them.
    """
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "Ofiub":
        column = _read_array_of_pandas(series.to_numpy(), name)
        if column is not None:
            return column
    return _read_by_type(nw.from_native(series, series_only=True), name)


def _read_array_of_pandas(values: Array, name: str) -> Column | None:
    """Return an array of objects, numbers or truth values as a column; None for another type."""
    if values.dtype == object:
        texts = column_if_text(values)
        return read_array(values, name) if texts is None else texts
    return read_array(values, name) if values.dtype.kind in "fiub" else None


def _read_by_type(series: nw.Series[Any], name: str) -> Column:
    native: Any = series.to_native()
    dtype = series.dtype
    if dtype.is_float():
        return read_array(series.to_numpy(), name)
    if dtype.is_integer():
        return _read_integers(series, name)
    if dtype == nw.Boolean:
        known = series.fill_null(False).to_numpy().astype(bool)
        return read_typed(known, name).with_missing(series.is_null().to_numpy())
    if dtype == nw.String:
        return _read_text(series)
    if dtype in (nw.Categorical, nw.Enum):
        return _read_categories(series)
    if dtype == nw.Decimal:
        return read_array(series.cast(nw.Float64).to_numpy(), name)
    zone = getattr(dtype, "time_zone", None)
    if zone is not None:
        in_utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return read_time(in_utc.to_numpy(), name, str(zone))
    if dtype in (nw.List, nw.Array, nw.Struct):
        return read_objects(series.to_list(), name)
    is_time = dtype in (nw.Date, nw.Datetime, nw.Duration)
    if not is_time and series.null_count() == len(series):  # the type of no values at all
        return blank_column(len(series))
    try:
        values = series.to_numpy()
    except NotImplementedError:  # Arrow's, of a type that is neither numbers, text nor dates
        kind = getattr(native, "type", dtype)
        raise DataError(
            f"column {name!r} has type {kind}, which holds neither numbers, text nor dates.\n"
            "  Hint: cast it to one of them, or leave it out."
        ) from None
    return read_array(values, name)


def _read_integers(series: nw.Series[Any], name: str) -> Column:
    missing = series.is_null().to_numpy()
    if series.dtype in (nw.Int128, nw.UInt128):
        low, high = series.min() or 0, series.max() or 0
        fits = low >= INT64_MIN and high <= INT64_MAX
        series = series.cast(nw.Int64 if fits else nw.Float64)
    if missing.any():
        series = series.fill_null(0)
    return read_typed(series.to_numpy(), name).with_missing(missing)


@cache
def _has_arrow() -> bool:
    return find_spec("pyarrow") is not None


def _read_text(series: nw.Series[Any]) -> Column:
    """Return a column of text, coded by Arrow if installed (10 x faster), else by a dict."""
    if not _has_arrow():
        return text_column(series.to_list())
    try:
        encoded = series.to_arrow().dictionary_encode()
    except UnicodeEncodeError:  # half a character, which Python's texts may have
        return text_column(series.to_list())
    return _column_of_dictionary(encoded)


def _column_of_dictionary(encoded: Any) -> Column:
    """Return a dictionary-encoded Arrow array of text as a column."""
    codes, texts = _arrow_dictionary(encoded)
    rank = sorted(range(len(texts)), key=texts.__getitem__)
    new_code = np.empty(len(texts) + 1, dtype=np.int32)
    new_code[rank] = np.arange(len(texts), dtype=np.int32)
    new_code[-1] = -1
    return Column(storage="value", data=new_code[codes], values=tuple(texts[i] for i in rank))


def _read_categories(series: nw.Series[Any]) -> Column:
    """Return a categorical column with the categories of its type, in their order."""
    native: Any = series.to_native()
    if series.implementation.is_pandas_like() and hasattr(native, "cat"):
        codes, values = native.cat.codes.to_numpy(), native.cat.categories.tolist()
        is_ordered = bool(native.cat.ordered)
    elif series.implementation.is_pyarrow():
        codes, values = _arrow_dictionary(native)
        is_ordered = bool(native.type.ordered)
    else:
        column = _read_text(series.cast(nw.String))
        categories = getattr(series.dtype, "categories", None)
        if categories is None:  # polars shares one pool of categories among all columns
            return column
        values, is_ordered = list(categories), False
        code_of_value = {value: code for code, value in enumerate(values)}
        new_code = [*(code_of_value[value] for value in column.values), -1]
        codes = np.array(new_code, dtype=np.int32)[column.data]
    return Column(
        storage="value",
        data=np.asarray(codes, dtype=np.int32),
        values=tuple(plain_value(value) for value in values),
        fixed=True,
        ordered=is_ordered,
    )


def _arrow_dictionary(encoded: Any) -> tuple[Array, list[Any]]:
    """Return codes (-1 for null) and values of a dictionary-encoded Arrow array, chunked or not."""
    chunks = encoded.unify_dictionaries().chunks if hasattr(encoded, "chunks") else [encoded]
    if not chunks:
        return np.empty(0, dtype=np.int32), []
    # Indices may be unsigned, which have no -1.
    codes = [
        chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks
    ]
    return np.concatenate(codes).astype(np.int32), chunks[0].dictionary.to_pylist()
