"""SHAP values of rows: the one type that all models return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.fitted_schema import UINT_OFFSET, FittedSchema
from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray
    from treewright.chart.effects import ArrowChart, SwarmChart
    from treewright.data.fitted_schema import ColumnSpec

_MOST_LINES = 12
_ROUNDING = 1e-12
"""Numbers below it are printed as 0: values are rounded sums."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ShapValues(ShownInNotebooks):
    """What each column adds to the answer for each row; print it for a table of the columns.

    Values and base value add up to what the model answers. The attributes are those of
    ``shap.Explanation``; :meth:`to_shap` makes one, which the plots of the package shap draw.

    Attributes
    ----------
    values
        Rows x columns, or rows x columns x outputs where there are several outputs. Interactions
        are rows x columns x columns (x outputs): symmetric, and each line sums to the value of its
        column.
    base_values
        What is answered if no column is known: a number, or one per output.
    data
        The rows, in the order of `feature_names`; None where the model does not read a column.
    feature_names
        The columns of the table.
    output_names
        What is explained: classes, or the prediction.
    scale
        The unit of the values.
    interactions
        Whether the values are those of pairs of columns.
    row_names
        What the rows are called in a picture; None until some of them are picked.
    orders
        Values of columns that are no numbers but have an order, ascending: ordinal ones and dates.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> iris = load_example("iris")
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> found = tree.shap_values(iris.X)
    >>> found.values.shape, found.base_values.round(2).tolist()
    ((150, 4, 3), [0.33, 0.33, 0.33])
    >>> print(found[0])
    column             value  setosa  versicolor  virginica
    petal length (cm)    1.4   0.667      -0.469     -0.198
    petal width (cm)     0.2   0.000       0.136     -0.136
    sepal length (cm)    5.1   0.000       0.000      0.000
    sepal width (cm)     3.5   0.000       0.000      0.000
    base                       0.333       0.333      0.333
    answer                     1.000       0.000      0.000
    """

    values: FloatArray
    base_values: float | FloatArray
    data: Array
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    scale: str
    interactions: bool = False
    row_names: tuple[str, ...] | None = None
    orders: Mapping[str, tuple[object, ...]] = field(default_factory=dict)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the values."""
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: int | slice | Array) -> ShapValues:
        """Return the values of some rows; a single row stays a table of one."""
        places = np.arange(len(self))
        rows = places[[int(rows)]] if isinstance(rows, int | np.integer) else rows
        known = self.row_names or tuple(f"row {i}" for i in places.tolist())
        return replace(
            self,
            values=self.values[rows],
            data=self.data[rows],
            row_names=tuple(known[i] for i in places[rows].tolist()),
        )

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.values.shape))
        return f"ShapValues({shape}, scale={self.scale!r})"

    def __str__(self) -> str:
        return self.text()

    def by_output(self) -> FloatArray:
        """Return the values of single columns, rows x columns x outputs; of pairs their sums."""
        values = self.values.sum(axis=2) if self.interactions else self.values
        return values if values.ndim == 3 else values[:, :, np.newaxis]

    @property
    def answers(self) -> FloatArray:
        """What the model answers: the sums of the values, and the base; by row (and output)."""
        axes = (1, 2) if self.interactions else 1
        answers: FloatArray = self.values.sum(axis=axes) + self.base_values
        return answers

    def text(self, *, max_columns: int | None = _MOST_LINES, signed: bool = False) -> str:
        """Return a table: of one row its values, of several the mean size of each column's.

        Parameters
        ----------
        max_columns
            Number of columns shown, those with the largest values; None shows all.
        signed
            Whether what columns add to the base is written with a plus sign.
        """
        by_output = self.by_output()
        sizes = np.abs(by_output).mean(axis=0) if len(self) else np.zeros(by_output.shape[1:])
        order = np.argsort(-sizes.sum(axis=1), kind="stable")
        shown, is_one = order[:max_columns], len(self) == 1
        rest = order[len(shown) :]
        names = [self.feature_names[i] for i in shown]
        if len(rest):
            names.append(f"{len(rest)} more")
        columns = [TextColumn("column", [*names, *(("base", "answer") if is_one else ())])]
        if is_one:
            cells = [_cell(self.data[0, i]) for i in shown] + [""] * (bool(len(rest)) + 2)
            columns.append(TextColumn("value", cells, right=True))
        base = np.atleast_1d(self.base_values)
        for output, name in enumerate(self.output_names):
            own = by_output[0, :, output] if is_one else sizes[:, output]
            numbers = own[shown].tolist() + ([float(own[rest].sum())] if len(rest) else [])
            if is_one:
                numbers += [float(base[output]), float(own.sum() + base[output])]
            size = max(map(abs, numbers), default=0.0)
            numbers = [0.0 if abs(each) < _ROUNDING * size else each for each in numbers]
            header = name if is_one else f"mean |{name}|"
            cells = figures(numbers)
            if signed:  # all but the base and the answer
                cells[: len(names)] = [
                    f"+{cell}" if number > 0 else cell
                    for cell, number in zip(cells, numbers[: len(names)], strict=False)
                ]
            columns.append(TextColumn(header, cells, right=True))
        return lay_out(columns)

    def draw(self, label: object = None) -> ArrowChart | SwarmChart:
        """Return a picture: of one row what each column adds; of several a line of dots a column.

        Parameters
        ----------
        label
            Which output is drawn; by default the second of two, else of one row the one with the
            largest answer, of several the one that columns change most.

        Examples
        --------
        >>> from treewright import GradientBoostingClassifier, load_example
        >>> iris = load_example("iris")
        >>> model = GradientBoostingClassifier(n_estimators=50).fit(iris.X, iris.y)
        >>> values = model.shap_values(iris.X)
        >>> values[70].draw("virginica").title
        'petal width (cm) raises the score of virginica most, sepal width (cm) lowers it most'
        >>> values.draw("virginica").title
        'petal width (cm) matters most'
        """
        # Late: values are computed more often than drawn.
        from treewright.explain.shap_charts import shap_chart

        return shap_chart(self, self._output_of(label))

    def plot(self, ax: Any = None, *, label: object = None) -> Any:
        """Draw the values with matplotlib, on the axes given or new ones, and return the axes."""
        return self.draw(label).plot(ax)

    def _output_of(self, label: object) -> int:
        names = self.output_names
        if label is not None:
            if str(label) not in names:
                hint = nearest_hint(str(label), names)
                raise ParameterError(
                    f"label={label!r} is not among what is explained.\n"
                    f"  Outputs: {list_names(names)}{hint}"
                )
            return names.index(str(label))
        if len(names) <= 2:
            return len(names) - 1
        if not len(self):
            return 0
        if len(self) == 1:
            return int(np.argmax(self.answers[0]))
        return int(np.abs(self.by_output()).mean(axis=(0, 1)).argmax())

    def to_shap(self) -> Any:
        """Return the values as a ``shap.Explanation``, for the plots of the package shap."""
        try:
            from shap import Explanation  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            raise ImportError(
                "to_shap needs the package shap, which is not installed.\n  Hint: pip install shap."
            ) from error
        base = np.broadcast_to(
            np.asarray(self.base_values), (len(self), *np.shape(self.base_values))
        )
        is_single = len(self.output_names) == 1
        return Explanation(
            values=self.values,
            base_values=np.array(base),
            data=_as_numbers(self.data),
            feature_names=list(self.feature_names),
            output_names=None if is_single else list(self.output_names),
        )


def _as_numbers(data: Array) -> Array:
    """Return a table as floats, a missing value as nan, where it holds only numbers; else as it is.

    Some plots of the package shap look for nan, which they cannot do among objects.
    """
    cells = data.ravel()
    if not all(cell is None or isinstance(cell, float | int | np.number) for cell in cells):
        return data
    return data.astype(np.float64)


def _cell(value: object) -> str:
    if value is None or value != value:
        return "?"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    return str(value)


def credited(
    table: Table,
    *,
    values: FloatArray,
    base: FloatArray,
    output_names: tuple[str, ...],
    scale: str,
    interactions: bool,
) -> ShapValues:
    """Return values of the used columns (rows x outputs x columns) as those of the table's columns.

    The value of a derived column goes to the columns it is derived from, in equal parts.
    """
    schema = table.schema
    own = [i for i, name in enumerate(schema.names) if schema.inputs_of(name) == (name,)]
    if len(own) != len(schema.names) or len(own) != len(schema.input_names):
        unit = np.eye(len(schema.names))
        credit = np.array([schema.by_input(one) for one in unit]).reshape(len(unit), -1)
        values = values @ credit
        if interactions:
            values = np.swapaxes(np.swapaxes(values, 2, 3) @ credit, 2, 3)
    values = np.ascontiguousarray(np.moveaxis(values, 1, -1))
    is_single = len(output_names) == 1
    data = _data_of(table)
    return ShapValues(
        values=values[..., 0] if is_single else values,
        base_values=float(base[0]) if is_single else base,
        data=data,
        feature_names=tuple(map(str, schema.input_names)),
        output_names=output_names,
        scale=scale,
        interactions=interactions,
        orders=_orders_of(schema, data),
    )


def _orders_of(schema: FittedSchema, data: Array) -> dict[str, tuple[object, ...]]:
    """Return the order of the values of ordinal columns, and of dates, whose texts sort."""
    orders: dict[str, tuple[object, ...]] = {}
    for index, position in enumerate(schema.positions):
        spec = schema.columns[index]
        if spec.kind == "ordinal":
            orders[str(schema.input_names[position])] = tuple(spec.values)
        elif spec.storage == "datetime":
            texts = {each for each in data[:, position].tolist() if each is not None}
            orders[str(schema.input_names[position])] = tuple(sorted(texts))
    return orders


def _data_of(table: Table) -> Array:
    """Return the rows as they were given, by column of the table."""
    schema = table.schema
    if table.matrix is not None and len(schema.names) == len(schema.input_names):
        return np.array(table.matrix)
    data = np.full((table.n_rows, len(schema.input_names)), None, dtype=object)
    for index, position in enumerate(schema.positions):
        data[:, position] = _objects(table, index, schema.columns[index])
    return data


def _objects(table: Table, index: int, spec: ColumnSpec) -> Array:
    stored = np.asarray(table.columns[index])
    if spec.storage == "value":
        values = np.array([*spec.values, None, None], dtype=object)
        # The codes of unseen and missing values index from the end.
        return np.asarray(values[stored])
    if spec.storage == "float":
        return stored.astype(object)
    shift = UINT_OFFSET if spec.storage == "uint" else 0
    numbers: list[Any] = [int(each) + shift for each in stored]
    if spec.storage in ("datetime", "duration"):
        numbers = [spec.format(each) for each in stored]
    objects = np.array([*numbers, None], dtype=object)[:-1]
    objects[table.is_missing(index)] = None
    return objects
