"""Any table to typed columns.

Every kind of input is opened as a :class:`Source`, which knows its size and names and reads one
column at a time. :func:`read_table` infers what the columns are (fit); :func:`match_table` brings
them to the fitted form (predict).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.core import KnownTexts
from treewright.data.column import Column, blank_column, exact_floats, whole_of_rows
from treewright.data.core_columns import find_texts
from treewright.data.derive.columns import fit_derived, match_derived
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.data.frame import Frame
from treewright.data.identifiers import warn_of_dates, warn_of_identifiers
from treewright.data.match_columns import TypedColumn, fit_column, match_column
from treewright.data.match_names import (
    check_count,
    default_names,
    match_by_name,
    match_by_position,
)
from treewright.data.read.dataframes import open_dataframe, read_values
from treewright.data.read.source import Source, open_array, open_columns, open_rows
from treewright.data.read.sparse import densify, is_sparse
from treewright.data.resolve_schema import ColumnList, resolve_list, resolve_schema
from treewright.data.schema import Schema
from treewright.data.table import UNSEEN, Table
from treewright.errors import DataError
from treewright.threads import n_threads

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table


_NOTHING_DECLARED = Schema()


def read_table(
    X: Any,
    *,
    schema: Schema | None = None,
    categorical_features: ColumnList | None = None,
) -> Table:
    """Return a training table, with the kind of every column inferred or as declared.

    Parameters
    ----------
    X : table
        A dataframe (pandas, polars, pyarrow, or any other that narwhals knows), a 2-D array, a
        scipy sparse matrix, a list of dicts, a list of lists, a dict of columns, or a
        :class:`~treewright.data.frame.Frame`.
    schema : Schema, optional
        Declarations about the columns.
    categorical_features : list of names, positions or booleans, optional
        Columns of numbers that are categories: they become nominal.

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
    declared = resolve_schema(schema or _NOTHING_DECLARED, names)
    listed = resolve_list(categorical_features, names)
    ignored = set(declared.ignore)
    operands = {name for each in declared.definitions for name in each.columns}
    kept = [i for i, name in enumerate(names) if name not in ignored or name in operands]
    if ignored.issuperset((*names, *(each.name for each in declared.definitions))):
        raise DataError(_zero_columns((source.n_rows, 0)) + "\n  Every column is ignored.")
    is_plain = (
        source.matrix is not None
        and len(kept) == len(names)
        and not listed
        and not declared.definitions
        and all(declared.kind_of(key) in (None, "numeric") for key in declared.keys)
    )
    matrix = _float_matrix(source.matrix) if is_plain else None
    if matrix is not None:
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
        warn_of_dates([each for each in used if declared.kind_of(each.spec.name) is None])
    used += [column for column in made if column.spec.name not in ignored]
    fitted = FittedSchema(
        columns=tuple(column.spec for column in used),
        named=source.names is not None,
        input_names=names,
        derived=tuple(derived),
        operands=tuple(column.spec for column in typed if column.spec.name in ignored),
    )
    return _table(fitted, source.n_rows, used)


def typed_by_weight(table: Table, weight: FloatArray | None) -> Table:
    """Return a training table whose columns of whole numbers are typed without rows of weight 0.

    Such rows are as if absent, yet a whole number that no float64 equals keeps its column one of
    whole numbers, where cuts stand at other values (-2 rather than -1.5).

    >>> table = read_table({"size": [-2, -1, 2**53 + 1]})
    >>> typed_by_weight(table, np.array([1.0, 1.0, 0.0])).columns[0].tolist()
    [-2.0, -1.0, 9007199254740992.0]
    """
    if weight is None or table.matrix is not None or weight.all():
        return table
    columns, masks = list(table.columns), list(table.masks)
    spec_of: dict[str, ColumnSpec] = {}
    for i, spec in enumerate(table.schema.columns):
        if spec.kind != "numeric" or spec.storage not in ("int", "uint"):
            continue
        column = Column(storage=spec.storage, data=columns[i], present=masks[i])
        column = whole_of_rows(column, weight > 0)
        if column.storage != spec.storage:
            columns[i], masks[i] = column.data, column.present
            spec_of[spec.name] = replace(spec, storage=column.storage)
    if not spec_of:
        return table
    schema = replace(
        table.schema,
        columns=tuple(spec_of.get(spec.name, spec) for spec in table.schema.columns),
        derived=tuple(
            replace(each, spec=spec_of.get(each.spec.name, each.spec))
            for each in table.schema.derived
        ),
    )
    return Table(schema=schema, n_rows=table.n_rows, columns=columns, masks=masks)


def match_table(
    X: Any,
    fitted: FittedSchema,
    *,
    owner: str,
    by_name: bool = False,
    unseen: str = "missing",
    optional: Collection[str] = (),
    n_jobs: Any = 1,
) -> Table:
    """Return a table to predict, in the form a model was fitted on.

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
        default scikit-learn's rule holds: the same names in the same order. Dicts are exempt:
        their columns may be in any order.
    unseen : str
        ``"error"`` refuses categories unseen in training.
    optional : names
        Columns of the table that may be absent, and then are missing in every row.
    n_jobs : int or None
        How many threads may read, as of an estimator.

    Returns
    -------
    Table
        Categories unseen in training have code -2.

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
            optional=optional,
        )
    else:
        if by_name:
            check_count(source.n_columns, fitted, owner)
        else:
            match_by_position(source.n_columns, source.names is not None, fitted, owner)
        positions = fitted.source_positions
    matrix = _float_matrix(source.matrix) if fitted.is_float_matrix else None
    if matrix is not None:
        return Table(schema=fitted, n_rows=source.n_rows, matrix=matrix)
    typed: list[TypedColumn] = []
    raw: dict[str, Column] = {}
    codes_of_name = _codes_of_texts(source, positions, fitted, n_jobs)
    for position, spec in zip(positions, fitted.sources, strict=True):
        if spec.name in codes_of_name:
            typed.append(TypedColumn(spec=spec, data=codes_of_name[spec.name], mask=None))
            continue
        is_there = position >= 0
        column = source.read(position, spec.name) if is_there else blank_column(source.n_rows)
        typed.append(match_column(column, spec))
        if spec.name in fitted.operand_names:
            raw[spec.name] = column
    if fitted.derived:
        used = set(fitted.names)
        typed = [column for column in typed if column.spec.name in used]
        typed += match_derived(raw, fitted, source.n_rows)
    table = _table(fitted, source.n_rows, typed)
    if unseen == "error":
        _refuse_unseen(table, X)
    return table


def _codes_of_texts(
    source: Source, positions: Sequence[int], fitted: FittedSchema, n_jobs: Any
) -> dict[str, Array]:
    """Return the codes of the columns that are arrays of text and were text at fit, by name."""
    if source.given is None:
        return {}
    names: list[str] = []
    arrays: list[object] = []
    known: list[KnownTexts] = []
    for position, spec in zip(positions, fitted.sources, strict=True):
        if position < 0 or spec.storage != "value" or spec.name in fitted.operand_names:
            continue
        array = source.given(position)
        if type(array) is not np.ndarray or array.dtype.kind != "U" or array.ndim != 1:
            continue
        texts = spec.code_of_text.known_to(array)
        if texts is not None:
            names.append(spec.name)
            arrays.append(array)
            known.append(texts)
    if not names:
        return {}
    n_texts = len(names) * source.n_rows
    found = find_texts(arrays, known, n_threads=n_threads(n_jobs, n_texts))
    return dict(zip(names, found, strict=True))


def open_table(X: Any) -> Source:
    """Return a table of any kind as a source; refuse one that is empty or not two-dimensional."""
    source = _open(X)
    shape = (source.n_rows, source.n_columns)
    # scikit-learn's wording, rows before columns.
    if source.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.\n"
            "  Hint: the table has no rows; a filter before may have dropped all."
        )
    if source.n_columns == 0:
        raise DataError(_zero_columns(shape))
    return source


def _float_matrix(matrix: Array | None) -> Array | None:
    """Return a matrix of floats, or of integers that floats hold exactly; None for others."""
    if matrix is None or matrix.dtype.kind == "f":
        return matrix
    return exact_floats(matrix) if matrix.dtype.kind in "iu" else None


def _zero_columns(shape: tuple[int, int]) -> str:
    return f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."


def _open(X: Any) -> Source:
    if isinstance(X, Source):  # rows that are kept as columns
        return X
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
        return open_columns(X, read_values)
    if isinstance(X, str | bytes):
        raise DataError(
            f"X is the text {X[:60]!r}, not a table.\n  Hint: treewright.read(path) reads a file."
        )
    if isinstance(X, list | tuple):
        return open_rows(X)
    frame = open_dataframe(X)
    return open_array(np.asarray(X)) if frame is None else frame


def read_frame(X: Any) -> Frame:
    """Return any table as a :class:`Frame`, every column read by its type."""
    source = _open(X)
    names = source.names or default_names(source.n_columns)
    return Frame({name: source.read(i, name) for i, name in enumerate(names)})


def _table(fitted: FittedSchema, n_rows: int, typed: Sequence[TypedColumn]) -> Table:
    return Table(
        schema=fitted,
        n_rows=n_rows,
        columns=[column.data for column in typed],
        masks=[column.mask for column in typed],
    )


def _refuse_unseen(table: Table, given: object) -> None:
    """Refuse a category unseen in training.

    The table has only a code for it; the value is looked up in the table that the user gave.
    """
    for index, column in enumerate(table.schema.columns):
        if column.storage != "value":
            continue
        unseen = np.flatnonzero(np.asarray(table.columns[index]) == UNSEEN)
        if len(unseen):
            row = int(unseen[0])
            others = f" (nor were those of {len(unseen) - 1} more rows)" if len(unseen) > 1 else ""
            raise DataError(
                f"column {column.name!r}, row {row} holds {_value_given(given, table, index, row)},"
                f" which was not there at fit{others}.\n"
                "  Hint: unseen='missing' or unseen='majority' gives such rows an answer."
            )


def _value_given(given: object, table: Table, index: int, row: int) -> str:
    try:
        frame = read_frame(given)
        name = table.schema.names[index]
        known_by = name if name in frame.columns else frame.columns[table.schema.positions[index]]
        value = np.asarray(frame[known_by])[row]
    except (DataError, IndexError):  # a single row on its own
        return "a value"
    return repr(value.item() if isinstance(value, np.generic) else value)
