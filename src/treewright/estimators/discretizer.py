"""Discretization: numeric columns cut into intervals, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, Int32Array
from treewright.data.column import Column
from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.data.frame import Frame
from treewright.data.read.table import match_table, read_frame, read_table, typed_by_weight
from treewright.data.read.target import ClassTarget, read_classes
from treewright.data.read.weights import RowWeights
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, TargetError
from treewright.estimators.checks import check_schema, output_container, takes_any_table
from treewright.estimators.refusals import RefusesMistakes
from treewright.grow.discretize import Discretization
from treewright.interrupts import row_blocks
from treewright.parameters import check_choice, check_flag, is_list, nearest_hint
from treewright.text.names import list_names
from treewright.threads import n_threads


class Discretizer(RefusesMistakes, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut numeric columns into intervals before learning.

    Numbers, dates and durations become the number of their interval, or its text; all other
    columns, and those that `schema` declares nominal or ignored, are left unchanged. Missing
    values stay missing. A column without a cut has one interval.

    Parameters
    ----------
    method : {"mdlp", "cal5", "quantile", "uniform"}
        ``"mdlp"``: cuts where entropy falls most, while they are worth their description length
        (Fayyad and Irani 1993). ``"cal5"``: intervals in which one class dominates, or none can
        (Mueller and Wysotzki 1994). Both need classes to learn from. ``"quantile"``: about equally
        many rows in each interval. ``"uniform"``: intervals of equal width.
    n_bins : int
        Intervals of ``"quantile"`` and ``"uniform"``; equal values are never separated, so there
        may be fewer.
    cal5_threshold, cal5_alpha : float
        As for :class:`DecisionTreeClassifier`.
    encode : {"ordinal", "label"}
        Numbers 0, 1, ... from the lowest interval up (as decimals, so that missing ones can be
        NaN), or texts such as ``(0.8, 1.75]`` (None where missing).
    labels : {"intervals", "ranges"}, list of str or dict of column to list
        Texts of the intervals: ``(0.8, 1.75]``, or ``0.8 to 1.75`` (with ``up to 0.8`` before and
        ``above 1.75`` after), or names from the lowest up, ``["low", "medium", "high"]``, for every
        numeric column or for those in a dict, which must have as many intervals.
    ordered : bool
        Whether texts are ordered categories, lowest first, where the result can say so (in
        :meth:`to_frame`, pandas and polars): trees then cut them; else they are nominal.
    categorical_features : list, optional
        Numeric columns that are codes of categories, which are not cut.
    schema : Schema, optional
        Declarations about the columns.
    n_jobs : int, optional
        Threads for the methods that learn from classes; None is as many as pay.

    Attributes
    ----------
    cuts_ : mapping of column to array
        The cuts of each numeric column, ascending: an interval ends with its upper cut.
    labels_ : mapping of column to tuple of str
        The intervals as text.
    n_features_in_ : int
    feature_names_in_ : array

    Examples
    --------
    >>> from treewright import Discretizer, load_example
    >>> iris = load_example("iris")
    >>> cut = Discretizer().fit(iris.X, iris.y)
    >>> cut.labels_["petal width (cm)"]
    ('(-inf, 0.8]', '(0.8, 1.75]', '(1.75, inf)')
    >>> cut.transform(iris.X)[0]
    array([0., 2., 0., 0.])

    Ranges with names, as a table that keeps the names of the columns:

    >>> named = Discretizer(method="quantile", n_bins=3, labels=["low", "medium", "high"])
    >>> named.fit(iris.X).to_frame(iris.X)["petal width (cm)"].tolist()[::50]
    ['low', 'medium', 'high']
    """

    def __init__(
        self,
        *,
        method: str = "mdlp",
        n_bins: int = 10,
        cal5_threshold: float = 0.8,
        cal5_alpha: float = 0.3,
        encode: str = "ordinal",
        labels: Any = "intervals",
        ordered: bool = True,
        categorical_features: Any = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.n_bins = n_bins
        self.cal5_threshold = cal5_threshold
        self.cal5_alpha = cal5_alpha
        self.encode = encode
        self.labels = labels
        self.ordered = ordered
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : table
            Any table, as for the trees.
        y : array-like, optional
            Classes, for the methods that learn from them.
        sample_weight : array-like, optional
            Weight of each row; whole numbers mean copies.

        Returns
        -------
        self
        """
        way = Discretization(
            method=self.method,
            n_bins=self.n_bins,
            cal5_threshold=self.cal5_threshold,
            cal5_alpha=self.cal5_alpha,
        )
        way.check()
        n_threads(self.n_jobs)  # refuse a wrong number before the data are read
        check_choice("encode", self.encode, ("ordinal", "label"))
        check_labels(self.labels)
        check_flag("ordered", self.ordered)
        check_schema(self.schema)
        table = read_table(X, schema=self.schema, categorical_features=self.categorical_features)
        target = self._read_target(y, table.n_rows) if way.needs_classes else None
        weights = RowWeights.read(sample_weight, table.n_rows)
        table = typed_by_weight(table, weights.weight)
        n_cells = table.n_rows * len(table.schema.columns)
        way = replace(way, n_threads=n_threads(self.n_jobs, n_cells))
        cuts = way.cuts(table, target, weights)
        self._learned(table.schema, cuts)
        return self

    def _read_target(self, y: Any, n_rows: int) -> ClassTarget:
        target = read_classes(y, owner=type(self).__name__, n_rows=n_rows)
        if not target.single:
            raise TargetError(
                f"Discretizer learns from one target, but y has {len(target.classes)} columns.\n"
                "  Hint: fit one Discretizer for each."
            )
        return target

    def _learned(self, schema: FittedSchema, cuts: tuple[Array | None, ...]) -> None:
        known = [
            (spec, each)
            for spec, each in zip(schema.columns, cuts, strict=True)
            if each is not None
        ]
        labels = {spec.name: labels_of(spec, each, self.labels) for spec, each in known}
        check_named(self.labels, labels)
        self._schema, self._stored_cuts = schema, cuts
        self.cuts_: Mapping[str, Array] = {spec.name: _as_given(spec, each) for spec, each in known}
        self.labels_: Mapping[str, tuple[str, ...]] = labels
        self.n_features_in_ = len(schema.input_names)
        if schema.named:
            self.feature_names_in_ = np.array(schema.input_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def transform(self, X: Any) -> Any:
        """Return the table with every number replaced by its interval.

        Parameters
        ----------
        X : table
            A table with the columns of ``fit``.

        Returns
        -------
        array of shape (rows, columns)
            Of floats if no text is among the columns, else of objects; a pandas or polars frame
            after ``set_output``.
        """
        check_is_fitted(self)
        return self._in_container(self._columns(X, as_text=self.encode == "label"), X)

    def to_frame(self, X: Any) -> Frame:
        """Return the table with every number replaced by the text of its interval.

        It keeps the names of the columns, and the order of the intervals where `ordered`; any tree
        takes it, and ``to_pandas()`` and ``to_polars()`` hand it on.

        Parameters
        ----------
        X : table
            A table with the columns of ``fit``.
        """
        check_is_fitted(self)
        return Frame(self._columns(X, as_text=True))

    def _columns(self, X: Any, *, as_text: bool) -> dict[str, Column]:
        table = match_table(X, self._schema, owner=type(self).__name__)
        kept = None
        if any(each is None for each in self._stored_cuts) or self._leaves_out():
            kept = read_frame(X)
        columns: dict[str, Column] = {}
        for position, name in enumerate(self._schema.input_names):
            codes = self._codes(table, name)
            if codes is None:
                assert kept is not None
                columns[name] = _column_at(kept, name, position)
            elif as_text:
                columns[name] = _labelled(codes, self.labels_[name], ordered=self.ordered)
            else:
                numbers = np.where(codes < 0, np.nan, codes)
                columns[name] = Column(storage="float", data=numbers)
        return columns

    def inverse_transform(self, X: Any) -> Any:
        """Return the text of the interval for every interval number; other columns are unchanged.

        Parameters
        ----------
        X : table
            As returned by ``transform``.

        Returns
        -------
        array of objects, or a frame after ``set_output``
        """
        check_is_fitted(self)
        frame = read_frame(X)
        names = self._schema.input_names
        if len(frame.columns) != len(names):
            raise DataError(
                f"X has {len(frame.columns)} features, but Discretizer is expecting {len(names)}"
                " features as input."
            )
        columns = {}
        for position, name in enumerate(names):
            column = _column_at(frame, name, position)
            if name in self.labels_ and self.encode == "ordinal":
                codes = _interval_numbers(column, name, self.labels_)
                column = _labelled(codes, self.labels_[name], ordered=self.ordered)
            columns[name] = column
        return self._in_container(columns, X)

    def _leaves_out(self) -> bool:
        return len(self._schema.names) < len(self._schema.input_names)

    def _codes(self, table: Table, name: str) -> Int32Array | None:
        """Return the interval of each row, -1 for missing values; None if the column is not cut."""
        if name not in self.labels_:
            return None
        index = self._schema.index(name)
        cuts = self._stored_cuts[index]
        assert cuts is not None
        codes = np.empty(table.n_rows, dtype=np.int32)
        for block in row_blocks(table.n_rows):
            values = table.columns[index][block].astype(cuts.dtype, copy=False)
            codes[block] = np.searchsorted(cuts, values)
        codes[table.is_missing(index)] = -1
        return codes

    def _in_container(self, columns: Mapping[str, Column], X: Any) -> Any:
        """Return the columns in the container that `set_output` asks for, with their own types."""
        container = output_container(self)
        if container == "polars":
            return Frame(columns).to_polars()
        if container == "pandas":
            frame = Frame(columns).to_pandas()
            if hasattr(X, "iloc"):
                frame.index = X.index
            return frame
        arrays = [column.to_numpy() for column in columns.values()]
        if all(array.dtype.kind in "fiu" and type(array) is np.ndarray for array in arrays):
            stacked = np.empty((len(arrays[0]), len(arrays)))
            for block in row_blocks(len(stacked)):
                stacked[block] = np.column_stack([array[block] for array in arrays])
            return stacked
        objects = np.empty((len(arrays[0]), len(arrays)), dtype=object)
        for place, array in enumerate(arrays):
            is_masked = isinstance(array, np.ma.MaskedArray)
            objects[:, place] = array.tolist() if is_masked else list(array)
        return objects

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any_table(tags)
        tags.target_tags.required = Discretization(method=self.method).needs_classes
        tags.transformer_tags.preserves_dtype = []
        return tags


def interval_labels(spec: ColumnSpec, cuts: Array) -> tuple[str, ...]:
    """Return the intervals as text: from above a cut up to and including the next.

    >>> petal = ColumnSpec(name="petal width", kind="numeric", storage="float")
    >>> interval_labels(petal, np.array([0.8, 1.75]))
    ('(-inf, 0.8]', '(0.8, 1.75]', '(1.75, inf)')
    """
    bounds = [spec.format(cut) for cut in cuts.tolist()]
    lows = ["-inf", *bounds]
    highs = [*(f"{bound}]" for bound in bounds), "inf)"]
    return tuple(f"({low}, {high}" for low, high in zip(lows, highs, strict=True))


def check_labels(labels: Any) -> None:
    """Refuse anything but a choice, a list of names, or such lists by column."""
    if isinstance(labels, str):
        check_choice("labels", labels, ("intervals", "ranges"))
        return
    lists = list(labels.values()) if isinstance(labels, Mapping) else [labels]
    for names in lists:
        is_names = is_list(names) and all(isinstance(name, str) for name in names)
        if not is_names or len(set(names)) < len(names) or not len(names):
            raise ParameterError(
                f"labels={labels!r} must be 'intervals', 'ranges', a list of different names, or a"
                " dict of column to list."
            )


def check_named(labels: object, found: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse names for a column that is not cut."""
    for name in labels if isinstance(labels, Mapping) else ():
        if name not in found:
            raise DataError(
                f"labels names the intervals of {name!r}, which is no numeric column.\n"
                f"  Numeric: {list_names(found)}{nearest_hint(name, found)}"
            )


def labels_of(spec: ColumnSpec, cuts: Array, labels: Any) -> tuple[str, ...]:
    """Return the texts of the intervals of a column, as asked for."""
    if isinstance(labels, Mapping):
        labels = labels.get(spec.name, "intervals")
    if isinstance(labels, str):
        return interval_labels(spec, cuts) if labels == "intervals" else range_labels(spec, cuts)
    if len(labels) != len(cuts) + 1:
        raise DataError(
            f"column {spec.name!r} has {len(cuts) + 1} intervals, but labels has {len(labels)}"
            f" names: {list_names(labels)}.\n  Hint: method='quantile', n_bins={len(labels)}, or"
            " labels={column: names, ...}."
        )
    return tuple(labels)


def range_labels(spec: ColumnSpec, cuts: Array) -> tuple[str, ...]:
    """Return the intervals in words.

    >>> petal = ColumnSpec(name="petal width", kind="numeric", storage="float")
    >>> range_labels(petal, np.array([0.8, 1.75]))
    ('up to 0.8', '0.8 to 1.75', 'above 1.75')
    """
    bounds = [spec.format(cut) for cut in cuts.tolist()]
    if not bounds:
        return ("any",)
    between = (f"{low} to {high}" for low, high in pairwise(bounds))
    return (f"up to {bounds[0]}", *between, f"above {bounds[-1]}")


def _as_given(spec: ColumnSpec, cuts: Array) -> Array:
    """Return cuts in the column's own type instead of the stored one: numbers, dates, durations."""
    column = Column(storage=spec.storage, data=cuts, unit=spec.unit, time_zone=spec.time_zone)
    return column.to_numpy()


def _labelled(codes: Int32Array, labels: tuple[str, ...], *, ordered: bool) -> Column:
    return Column(storage="value", data=codes, values=labels, fixed=True, ordered=bool(ordered))


def _column_at(frame: Frame, name: str, position: int) -> Column:
    """Return a column by its name, or by its position where the table has other names or none."""
    return frame.column(name if name in frame.columns else frame.columns[position])


def _interval_numbers(
    column: Column, name: str, labels: Mapping[str, tuple[str, ...]]
) -> Int32Array:
    n_labels = len(labels[name])
    numbers = np.zeros(len(column)) if column.storage == "value" else column.numbers()
    missing = column.missing
    numbers = np.where(missing, 0, numbers)
    wrong = (numbers != np.floor(numbers)) | (numbers < 0) | (numbers >= n_labels)
    if column.storage == "value":
        wrong = ~missing
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"column {name!r}, row {row} holds {column.to_numpy()[row]!r}, which is no interval:"
            f" they are numbered from 0 to {n_labels - 1}.\n"
            "  Hint: pass what transform gave."
        )
    return np.where(missing, -1, numbers).astype(np.int32)
