"""Any table to typed columns; the only file that knows dataframes.

Every kind of input is opened as a :class:`Source`, which knows its size and names and reads one
column at a time. :func:`read_table` infers what the columns are (fit); :func:`match_table` brings
them to the fitted form (predict).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, cast

import narwhals as nw
import numpy as np

from treewright.array_types import Array
from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import Column, blank_column, read_time, read_typed, text_column
from treewright.data.derive.columns import fit_derived, match_derived
from treewright.data.frame import Frame
from treewright.data.identifiers import warn_of_identifiers
from treewright.data.match_columns import TypedColumn, fit_column, match_column
from treewright.data.match_names import (
    check_count,
    check_names,
    default_names,
    match_by_name,
    match_by_position,
)
from treewright.data.objects import plain_value, read_objects
from treewright.data.read.arrays import read_array
from treewright.data.read.source import Source, open_array, open_columns, open_rows
from treewright.data.read.sparse import densify, is_sparse
from treewright.data.resolve_schema import ColumnList, resolve_list, resolve_schema
from treewright.data.schema import ColumnSpec, FittedSchema, Schema
from treewright.data.table import Table
from treewright.errors import DataError


def read_table(
    X: Any,
    *,
    schema: Schema | None = None,
    categorical_features: ColumnList | None = None,
) -> Table:
    """Read a table to learn from: infer the kind of every column, or take it as declared.

    Parameters
    ----------
    X : table
        A dataframe (pandas, polars, pyarrow, or any other that narwhals knows), a 2-D array, a
        scipy sparse matrix, a list of dicts, a list of lists, a dict of columns, or a
        :class:`~treewright.data.frame.Frame`.
    schema : Schema, optional
        What is declared about the columns.
    categorical_features : list of names, positions or booleans, optional
        Columns of numbers that are codes: they become nominal.

    Returns
    -------
    Table

    Examples
    --------
    >>> table = read_table([{"size": 3, "colour": "red"}, {"size": 5, "colour": "blue"}])
    >>> [(spec.name, spec.kind) for spec in table.schema]
    [('size', 'numeric'), ('colour', 'nominal')]
    """
    source = open_table(X)
    names = source.names or default_names(source.n_columns)
    declared = resolve_schema(schema or Schema(), names)
    listed = resolve_list(categorical_features, names)
    ignored = set(declared.ignore)
    operands = {name for each in declared.definitions for name in each.columns}
    kept = [i for i, name in enumerate(names) if name not in ignored or name in operands]
    if ignored.issuperset((*names, *(each.name for each in declared.definitions))):
        raise DataError(_zero_columns((source.n_rows, 0)) + "\n  Every column is ignored.")
    matrix = source.matrix
    if (
        matrix is not None
        and matrix.dtype.kind == "f"
        and len(kept) == len(names)
        and not listed
        and not declared.definitions
        and all(declared.kind_of(key) in (None, "numeric") for key in declared.keys)
    ):
        cost = declared.costs
        specs = tuple(
            ColumnSpec(name=name, kind="numeric", storage="float", cost=cost.get(name, 1.0))
            for name in names
        )
        fitted = FittedSchema(columns=specs, named=source.names is not None)
        return Table(schema=fitted, n_rows=source.n_rows, matrix=matrix)
    typed: list[TypedColumn] = []
    raw: dict[str, Column] = {}
    for i in kept:
        column = source.read(i, names[i])
        typed.append(fit_column(column, names[i], declared, listed_as_nominal=i in listed))
        if names[i] in operands:
            raw[names[i]] = column
    derived, made = fit_derived(raw, typed, declared, source.n_rows)
    used = [column for column in typed if column.spec.name not in ignored]
    if source.is_frame:
        warn_of_identifiers(used, source.n_rows)
    used += [column for column in made if column.spec.name not in ignored]
    fitted = FittedSchema(
        columns=tuple(column.spec for column in used),
        named=source.names is not None,
        input_names=names,
        derived=tuple(derived),
        operands=tuple(column.spec for column in typed if column.spec.name in ignored),
    )
    return _table(fitted, source.n_rows, used)


def match_table(X: Any, fitted: FittedSchema, *, owner: str, by_name: bool = False) -> Table:
    """Read a table to predict, in the form a model was fitted on.

    Parameters
    ----------
    X : table
        As for :func:`read_table`.
    fitted : FittedSchema
        The columns the model was fitted on.
    owner : str
        Name of the estimator, for messages.
    by_name : bool
        Take the columns by name in any order and leave out those the model does not know. By
        default scikit-learn's rule holds: the same names in the same order. Dicts have no order
        to speak of and are taken in any.

    Returns
    -------
    Table
        Categories that the model has not seen have code -2.

    Examples
    --------
    >>> fitted = read_table({"colour": ["red", "blue"]}).schema
    >>> match_table({"colour": ["blue", "green", None]}, fitted, owner="Tree").columns[0].tolist()
    [0, -2, -1]
    """
    if (
        type(X) is np.ndarray
        and X.dtype.char in "fd"
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] == len(fitted.columns)
        and fitted.is_float_matrix
        and X.dtype.isnative
        and X.flags.aligned
        and (by_name or not fitted.named)
    ):
        return Table(schema=fitted, n_rows=X.shape[0], matrix=X)  # one row costs microseconds
    source = open_table(X)
    if source.names is not None and fitted.named:
        positions = match_by_name(
            source.names,
            fitted,
            any_order=by_name or source.any_order,
            extra_allowed=by_name,
        )
    else:
        if by_name:
            check_count(source.n_columns, fitted, owner)
        else:
            match_by_position(source.n_columns, source.names is not None, fitted, owner)
        positions = fitted.source_positions
    if source.matrix is not None and source.matrix.dtype.kind == "f" and fitted.is_float_matrix:
        return Table(schema=fitted, n_rows=source.n_rows, matrix=source.matrix)
    typed: list[TypedColumn] = []
    raw: dict[str, Column] = {}
    for position, spec in zip(positions, fitted.sources, strict=True):
        column = source.read(position, spec.name)
        typed.append(match_column(column, spec))
        if spec.name in fitted.operand_names:
            raw[spec.name] = column
    if fitted.derived:
        used = set(fitted.names)
        typed = [column for column in typed if column.spec.name in used]
        typed += match_derived(raw, fitted, source.n_rows)
    return _table(fitted, source.n_rows, typed)


def open_table(X: Any) -> Source:
    """Open a table of any kind; raise if it is not two-dimensional or is empty."""
    source = _open(X)
    shape = (source.n_rows, source.n_columns)
    # scikit-learn's wording, rows before columns.
    if source.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )
    if source.n_columns == 0:
        raise DataError(_zero_columns(shape))
    return source


def _zero_columns(shape: tuple[int, int]) -> str:
    return f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."


def _open(X: Any) -> Source:
    if isinstance(X, np.ndarray):
        return open_array(X)
    if isinstance(X, Frame):
        return Source(
            n_rows=X.n_rows,
            n_columns=len(X.columns),
            names=X.columns,
            read=lambda _, name: X.column(name),
        )
    if is_sparse(X):
        return open_array(densify(X))
    if isinstance(X, Mapping):
        return open_columns(X, _read_values)
    if isinstance(X, str | bytes):
        raise DataError(
            f"X is the text {X[:60]!r}, not a table.\n  Hint: treewright.read(path) reads a file."
        )
    if isinstance(X, list | tuple):
        return open_rows(X)
    native = _from_native(X)
    if isinstance(native, nw.DataFrame):
        return _open_frame(native)
    if isinstance(native, nw.Series):
        raise DataError(
            f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame"
            " containing a single row (i.e. single sample) or a single column (i.e. single"
            " feature) instead."
        )
    return open_array(np.asarray(X))


def read_frame(X: Any) -> Frame:
    """Return any table as a :class:`Frame`, every column read by its type."""
    source = _open(X)
    names = source.names or default_names(source.n_columns)
    return Frame({name: source.read(i, name) for i, name in enumerate(names)})


def target_array(y: Any) -> Array:
    """Return a target (a list, an array, a series, a frame) as an array of one or two dimensions.

    Text, numbers and gaps in one list stay what they are: the array then holds objects.
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


def n_categories(y: Any) -> int:
    """Count the categories that a target's type declares; 0 where it declares none."""
    native = y if isinstance(y, list | tuple | np.ndarray) else _from_native(y)
    if not isinstance(native, nw.Series) or native.dtype not in (nw.Categorical, nw.Enum):
        return 0
    return len(_read_categories(native).values)


def _side_by_side(columns: Sequence[Array]) -> Array:
    if len({column.dtype for column in columns}) == 1:
        return np.stack(columns, axis=1)
    return np.stack([column.astype(object) for column in columns], axis=1)


def _from_native(X: Any) -> Any:
    """Return a dataframe or series of any library as narwhals has it; anything else as it is."""
    # Before narwhals looks at the names, because its error says no remedy.
    if nw.dependencies.is_pandas_like_dataframe(X):
        check_names(list(X.columns))
    elif nw.dependencies.is_pyarrow_table(X):
        check_names(X.column_names)
    elif type(X).__module__.startswith("pyarrow") and hasattr(X, "to_struct_array"):
        import pyarrow  # a batch of records, which narwhals takes for an array

        return _from_native(pyarrow.Table.from_batches([X]))
    native = nw.from_native(X, pass_through=True, allow_series=True)
    return native.collect() if isinstance(native, nw.LazyFrame) else native


def _open_frame(frame: nw.DataFrame[Any]) -> Source:
    labels = frame.columns
    return Source(
        n_rows=len(frame),
        n_columns=len(labels),
        names=check_names(cast(Sequence[Hashable], labels)),
        read=lambda i, name: read_series(frame.get_column(labels[i]), name),
    )


def _read_values(values: Any, name: str) -> Column:
    """Read one column given on its own: an array, a series or a list."""
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
    """Read a column of a dataframe by its type."""
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
    if series.null_count() == len(series):  # the type of no values at all
        return blank_column(len(series))
    return read_array(series.to_numpy(), name)


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
    """Code text: by Arrow's dictionary where it is installed (10 x faster), else by a dict."""
    if not _has_arrow():
        return text_column(series.to_list())
    codes, texts = _arrow_dictionary(series.to_arrow().dictionary_encode())
    rank = sorted(range(len(texts)), key=texts.__getitem__)
    new_code = np.empty(len(texts) + 1, dtype=np.int32)
    new_code[rank] = np.arange(len(texts), dtype=np.int32)
    new_code[-1] = -1
    return Column(storage="value", data=new_code[codes], values=tuple(texts[i] for i in rank))


def _read_categories(series: nw.Series[Any]) -> Column:
    """Read a categorical column with the categories of its type, in their order."""
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
    """Codes (-1 for null) and values of a dictionary-encoded Arrow array, chunked or not."""
    chunks = encoded.unify_dictionaries().chunks if hasattr(encoded, "chunks") else [encoded]
    if not chunks:
        return np.empty(0, dtype=np.int32), []
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    return np.concatenate(codes).astype(np.int32), chunks[0].dictionary.to_pylist()


def _table(fitted: FittedSchema, n_rows: int, typed: Sequence[TypedColumn]) -> Table:
    return Table(
        schema=fitted,
        n_rows=n_rows,
        columns=[column.data for column in typed],
        masks=[column.mask for column in typed],
    )
