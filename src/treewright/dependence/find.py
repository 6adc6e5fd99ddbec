"""Partial dependence found: columns and their values chosen, measured, and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.frame import Frame
from treewright.data.read.table import read_frame
from treewright.dependence.dependence import (
    PairDependence,
    PartialDependence,
    PartialDependences,
)
from treewright.dependence.measure import Measured, Set, measured
from treewright.dependence.points import (
    Points,
    crossed,
    input_of,
    points_given,
    points_of_rows,
    used_of,
)
from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import check_count

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.dependence.additive import Additive

_MOST_ACROSS = 12
"""Values of a column of numbers in a pair, unless more are asked for."""

_PER_DAY = {"ns": 86_400e9, "us": 86_400e6}

Grid = int | Sequence[object] | Mapping[Any, Any] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """A model that is asked, and the rows it is asked about.

    Attributes
    ----------
    schema
        Its columns.
    used
        Positions of those it uses.
    unseen
        How it treats categories that were not there at fit.
    read
        Function that reads a table of any kind.
    additive
        The model as a sum of trees, or why it is none.
    answers
        The answers about rows.
    output_names, scale
        What is answered, and in what unit.
    n_threads
        Threads to use.
    """

    schema: FittedSchema
    used: Sequence[int]
    unseen: str
    read: Callable[[Any], Table]
    additive: Additive | str
    answers: Callable[[Table], FloatArray]
    output_names: tuple[str, ...]
    scale: str
    n_threads: int


@dataclass(frozen=True, eq=False)
class _Request:
    """One column, or two, with the values they are set to."""

    points: tuple[Points, ...]
    asked: Set


def find_dependence(
    model: Asked,
    X: Any,
    columns: Any,
    *,
    grid: Any,
    weight: FloatArray | None,
    rows: int | None,
) -> PartialDependence | PairDependence | PartialDependences:
    """Return the partial dependence of a model; see the method of the estimators.

    Parameters
    ----------
    model
        The model.
    X
        The rows.
    columns, grid, rows
        As for the method.
    weight
        Weights of the rows; None: all alike.
    """
    check_count("rows", rows, least=0, optional=True)
    table = model.read(X)
    wanted, is_single = _wanted(model, columns)
    _check_grid(grid, wanted, model.schema)
    reader = _Reader(model, X, table)
    requests = [reader.request(names, grid, weight) for names in wanted]
    n_kept = table.n_rows if rows is None else min(rows, table.n_rows)
    kept = np.linspace(0, table.n_rows - 1, n_kept).round().astype(np.int64)
    found = measured(
        [request.asked for request in requests],
        table,
        weight=weight,
        kept=kept,
        additive=model.additive,
        answers=model.answers,
        n_threads=model.n_threads,
    )
    told = tuple(
        _told(model, table, weight, request, each, kept)
        for request, each in zip(requests, found, strict=True)
    )
    return told[0] if is_single else PartialDependences(found=told)


def _wanted(model: Asked, columns: Any) -> tuple[list[tuple[str, ...]], bool]:
    """Return the columns, alone or in pairs, and whether it is one that was asked for."""
    schema = model.schema
    if columns is None:
        names = {name for i in model.used for name in schema.inputs_of(schema.names[i])}
        return [(name,) for name in schema.input_names if name in names], False
    if isinstance(columns, list):
        if not columns:
            raise ParameterError("columns=[] asks for nothing.\n  Hint: None asks for all.")
        return [_pair_or_one(schema, each) for each in columns], False
    return [_pair_or_one(schema, columns)], True


def _pair_or_one(schema: FittedSchema, column: Any) -> tuple[str, ...]:
    if not isinstance(column, tuple):
        return (input_of(schema, column),)
    if len(column) != 2:
        raise ParameterError(
            f"columns has a tuple of {len(column)}: one column, or a pair as ('age', 'income')."
        )
    first, second = (input_of(schema, each) for each in column)
    if first == second:
        raise ParameterError(f"columns has the pair {column!r} of one column with itself.")
    return first, second


def _check_grid(grid: Any, wanted: list[tuple[str, ...]], schema: FittedSchema) -> None:
    if grid is None or isinstance(grid, Mapping):
        for key in grid or ():
            input_of(schema, key)
        return
    if isinstance(grid, int | np.integer) and not isinstance(grid, bool):
        check_count("grid", grid, least=2)
        return
    if isinstance(grid, str) or not hasattr(grid, "__iter__"):
        raise ParameterError(
            f"grid={grid!r} must be a number of values, a list of values, or lists by column."
        )
    if any(len(names) > 1 for names in wanted) or len(wanted) > 1:
        raise ParameterError(
            "grid is one list of values, but several columns are asked for.\n"
            "  Hint: grid={'age': [20, 40, 60]}."
        )


@dataclass(frozen=True, eq=False)
class _Reader:
    """Finds the values that columns are set to."""

    model: Asked
    X: Any
    table: Table

    def request(self, names: tuple[str, ...], grid: Any, weight: FloatArray | None) -> _Request:
        """Return the values of one column or two, and how they are set."""
        schema = self.model.schema
        points = tuple(self._points(name, grid, weight, len(names) > 1) for name in names)
        used, alone = used_of(schema, names)
        own = [used_of(schema, [name])[0] for name in names]
        shared = len(own) > 1 and bool(set(own[0]) & set(own[1]))
        is_pair = len(points) > 1
        values = crossed(points[0], points[1], own[1]) if is_pair else points[0].table
        if alone and not shared:
            return _Request(points, Set(used=tuple(used), points=values))
        derived = [schema.names[i] for i in used if len(schema.inputs_of(schema.names[i])) > 1]
        reason = f"{derived[0]!r} is derived from several columns"
        rows = self._setter(names, points)
        return _Request(
            points, Set(used=tuple(used), points=values, because=reason, predicted=rows)
        )

    def _points(self, name: str, grid: Any, weight: FloatArray | None, is_pair: bool) -> Points:
        schema = self.model.schema
        given = grid
        if isinstance(grid, Mapping):
            by_name = {input_of(schema, key): values for key, values in grid.items()}
            given = by_name.get(name)
        most = _MOST_ACROSS if is_pair else 100
        if isinstance(given, int | np.integer):
            most = int(given)
        elif given is not None:
            return points_given(self.table, name, given, unseen=self.model.unseen)
        points = points_of_rows(self.table, name, most=most, weight=weight)
        if points is None:
            raise UnsupportedError(
                f"partial_dependence: the model does not use column {name!r} itself"
                " (it is left out, or only others are derived from it).\n"
                "  Hint: ask for a derived column's other sources, or fit with the column."
            )
        return points

    def _setter(self, names: tuple[str, ...], points: tuple[Points, ...]) -> Callable[[int], Table]:
        """Return what sets columns in the table as given, so that others are derived anew."""
        frame = read_frame(self.X)
        by_name = dict(zip(self.model.schema.input_names, frame.columns, strict=False))
        places = [_places_in(self.table, each) for each in points]

        def rows(point: int) -> Table:
            at = [point] if len(points) == 1 else list(divmod(point, len(points[1])))
            set_to = {
                by_name[name]: place[each]
                for name, place, each in zip(names, places, at, strict=True)
            }
            columns = {
                key: frame.column(key).take(np.full(frame.n_rows, set_to[key]))
                if key in set_to
                else frame.column(key)
                for key in frame.columns
            }
            return self.model.read(Frame(columns))

        return rows


def _places_in(table: Table, points: Points) -> list[int]:
    """Return a row of the table that has each of the values."""
    index = table.schema.index(points.name)
    stored, wanted = np.asarray(table.columns[index]), np.asarray(points.table.columns[index])
    missing, gaps = table.is_missing(index), points.table.is_missing(index)
    places = []
    for value, gap, text in zip(wanted.tolist(), gaps.tolist(), points.values, strict=True):
        rows = np.flatnonzero(missing if gap else ~missing & (stored == value))
        if not len(rows):
            raise UnsupportedError(
                f"partial_dependence: other columns are derived from {points.name!r}, so its values"
                f" are taken from rows of X, and none has {text!r}.\n  Hint: grid=None."
            )
        places.append(int(rows[0]))
    return places


def _told(
    model: Asked,
    table: Table,
    weight: FloatArray | None,
    request: _Request,
    found: Measured,
    kept: Int64Array,
) -> PartialDependence | PairDependence:
    common: dict[str, Any] = {
        "output_names": model.output_names,
        "scale": model.scale,
        "n_rows": table.n_rows if weight is None else int((weight > 0).sum()),
        "method": found.method,
    }
    if len(request.points) == 2:
        first, second = request.points
        return PairDependence(
            columns=(first.name, second.name),
            kinds=(first.spec.kind, second.spec.kind),
            values=(first.values, second.values),
            at=(first.at, second.at),
            mean=found.mean.reshape(len(first), len(second), -1),
            **common,
        )
    (points,) = request.points
    share, deciles = _distribution(table, points, weight)
    is_time = points.spec.storage in ("datetime", "duration")
    return PartialDependence(
        column=points.name,
        kind=points.spec.kind,
        values=points.values,
        at=points.at,
        mean=found.mean,
        rows=found.rows,
        row_numbers=kept,
        share=share,
        deciles=deciles,
        unit_per_day=_PER_DAY[points.spec.unit or "ns"] if is_time else None,
        **common,
    )


def _distribution(
    table: Table, points: Points, weight: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the rows that has each value, and the deciles of numbers."""
    index = table.schema.index(points.name)
    stored, missing = np.asarray(table.columns[index]), table.is_missing(index)
    own = np.asarray(points.table.columns[index])
    weights = np.ones(table.n_rows) if weight is None else weight
    total = weights.sum()
    if points.spec.storage == "value":
        shares = [
            weights[(missing if gap else stored == code)].sum() / total
            for code, gap in zip(own.tolist(), points.table.is_missing(index).tolist(), strict=True)
        ]
        return np.array(shares, dtype=np.float64), np.empty(0)
    known = np.flatnonzero(~missing & (weights > 0))
    if not len(known):
        return np.full(len(points), np.nan), np.empty(0)
    order = known[np.argsort(stored[known], kind="stable")]
    cumulative = np.cumsum(weights[order])
    places = np.searchsorted(cumulative, np.arange(1, 10) / 10 * cumulative[-1])
    deciles = stored[order[np.minimum(places, len(order) - 1)]].astype(np.float64)
    if points.spec.storage == "uint":
        deciles = deciles + 2.0**63
    return np.full(len(points), np.nan), deciles
