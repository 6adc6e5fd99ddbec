"""What partial dependence returns: of one column, of a pair, and of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.errors import ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names, short_name
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.values import format_float

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.chart import DotChart, Picture

_MOST_LINES = 12
_MOST_NAME = 22
_MOST_WIDE = 80


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Drawn(ShownInNotebooks):
    """A result that prints, and draws itself."""

    def text(self) -> str:
        """Return the result as text."""
        raise AssertionError("a result has a text")

    def draw(self) -> Picture:
        """Return the result as a picture."""
        raise AssertionError("a result has a picture")

    def plot(self, ax: Any = None) -> Any:
        """Draw the result with matplotlib, on the axes given or new ones, and return the axes."""
        return self.draw().plot(ax)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _OfOutputs(_Drawn):
    """What all results of one setting tell.

    Attributes
    ----------
    output_names
        What is answered: classes, or the prediction.
    scale
        The unit of the answers: "probability", "prediction" or "score".
    n_rows
        Number of rows that answers are averaged over.
    method
        How the numbers were found; they are exact either way.
    """

    output_names: tuple[str, ...]
    scale: str
    n_rows: int
    method: str

    def output_of(self, label: object = None) -> int:
        """Return which output is drawn: the one called so; else the last of two, or what moves."""
        if label is None:
            return self._usual_output()
        names = self.output_names
        if str(label) not in names:
            told = f"  Outputs: {list_names(names)}{nearest_hint(str(label), names)}"
            raise ParameterError(f"label={label!r} is not an output of the model.\n{told}")
        return names.index(str(label))

    def _usual_output(self) -> int:
        if len(self.output_names) <= 2:
            return len(self.output_names) - 1
        return int(np.argmax(np.ptp(self._means(), axis=0)))

    def _means(self) -> FloatArray:
        """Return the mean answers, points x outputs."""
        raise AssertionError("a result has means")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PartialDependence(_OfOutputs):
    """What a model answers on average if one column had other values; print or draw it.

    Attributes
    ----------
    column
        The column.
    kind
        "numeric", "nominal" or "ordinal".
    values
        What the column was set to; None is the missing value, the last where there is one.
    at
        The same where values are numbers (or dates, as they are stored), else NaN.
    mean
        Mean answer of all rows, values x outputs.
    rows
        Answers of single rows, rows x values x outputs (individual conditional expectation).
    row_numbers
        Positions of these rows in the table.
    share
        Share of the rows (or of their weight) that has each value; only of categories.
    deciles
        The nine deciles of the column over the rows; empty of categories.
    unit_per_day
        Of dates and durations: units of `at` in a day.

    Examples
    --------
    >>> from treewright import RandomForestClassifier, load_example
    >>> iris = load_example("iris")
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(iris.X, iris.y)
    >>> found = forest.partial_dependence(iris.X, "petal width (cm)", grid=[0.5, 1.5, 2.5])
    >>> print(found)
    petal width (cm)  setosa  versicolor  virginica
                 0.5   0.660       0.221      0.119
                 1.5   0.161       0.578      0.261
                 2.5   0.160       0.184      0.656
    mean probability of 150 rows; exact, by one walk of the trees
    """

    column: str
    kind: str
    values: tuple[Any, ...]
    at: FloatArray
    mean: FloatArray
    rows: FloatArray
    row_numbers: Int64Array
    share: FloatArray
    deciles: FloatArray
    unit_per_day: float | None = None

    def __repr__(self) -> str:
        return f"PartialDependence({self.column!r}, {len(self.values)} values, {self.scale})"

    def __len__(self) -> int:
        return len(self.values)

    def _means(self) -> FloatArray:
        return self.mean

    @property
    def is_numeric(self) -> bool:
        """Whether the column has numbers or dates, and so a line."""
        return self.kind == "numeric"

    def value_texts(self) -> list[str]:
        """Return the values as texts."""
        return [_written(value) for value in self.values]

    def text(self, *, max_values: int | None = _MOST_LINES) -> str:
        """Return a table of the mean answers.

        Parameters
        ----------
        max_values
            Number of values shown, evenly along the list; None shows all.
        """
        shown = np.arange(len(self))
        if max_values is not None and len(self) > max_values:
            shown = np.unique(np.linspace(0, len(self) - 1, max_values).round().astype(int))
        texts = self.value_texts()
        cells = [short_name(texts[i], _MOST_NAME) for i in shown]
        columns = [TextColumn(short_name(self.column, _MOST_NAME), cells, right=self.is_numeric)]
        if not self.is_numeric:
            columns.append(TextColumn("share", [f"{self.share[i]:.1%}" for i in shown], right=True))
        columns, left_out = _with_outputs(columns, self.output_names, self.mean[shown])
        told = [lay_out(columns)]
        if len(shown) < len(self):
            told.append(f"{len(shown)} of {len(self)} values.")
        return "\n".join([*told, *left_out, _foot(self)])

    def to_frame(self) -> Frame:
        """Return a line per value: the value, and the mean answer of each output."""
        named = {self.column: read_objects(list(self.values), self.column)}
        for output, name in enumerate(self.output_names):
            head = name if name not in named else f"{name} (answer)"
            named[head] = read_objects(self.mean[:, output].tolist(), head)
        return Frame(named)

    def draw(self, label: object = None, *, rows: bool = True) -> Picture:
        """Return a picture: the mean over the curves of single rows; of categories, dots.

        Parameters
        ----------
        label
            The class that is drawn; by default the second of two, of more the one that moves most.
        rows
            Whether curves of single rows are drawn as well.
        """
        from treewright.dependence.charts import dependence_chart

        return dependence_chart(self, self.output_of(label), with_rows=rows)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairDependence(_OfOutputs):
    """What a model answers on average if two columns had other values; print or draw it.

    Attributes
    ----------
    columns
        The two columns.
    kinds
        "numeric", "nominal" or "ordinal", of either.
    values
        What either column was set to; None is the missing value.
    at
        The same as numbers; NaN for what is none.
    mean
        Mean answer of all rows, values of the first x values of the second x outputs.
    """

    columns: tuple[str, str]
    kinds: tuple[str, str]
    values: tuple[tuple[Any, ...], tuple[Any, ...]]
    at: tuple[FloatArray, FloatArray]
    mean: FloatArray

    def __repr__(self) -> str:
        first, second = map(len, self.values)
        return f"PairDependence({self.columns!r}, {first} x {second} values, {self.scale})"

    def _means(self) -> FloatArray:
        return self.mean.reshape(-1, self.mean.shape[-1])

    def value_texts(self, which: int) -> list[str]:
        """Return the values of the first (0) or second (1) column as texts."""
        return [_written(value) for value in self.values[which]]

    def text(self, label: object = None) -> str:
        """Return a table of the mean answers: the first column down, the second across."""
        output = self.output_of(label)
        down, across = (
            _some(len(values), most) for values, most in zip(self.values, (12, 6), strict=True)
        )
        first, second = self.value_texts(0), self.value_texts(1)
        table = self.mean[np.ix_(down, across, [output])][:, :, 0]
        texts = iter(figures(table.ravel().tolist()))
        cells = [[next(texts) for _ in across] for _ in down]
        columns = [
            TextColumn(
                short_name(self.columns[0], _MOST_NAME),
                [short_name(first[i], _MOST_NAME) for i in down],
            )
        ]
        for j, each in enumerate(across):
            head = short_name(second[each], 9)
            columns.append(TextColumn(head, [line[j] for line in cells], right=True))
        name = short_name(self.columns[1], 30)
        of = (
            ""
            if len(self.output_names) == 1
            else f" of {short_name(self.output_names[output], 20)}"
        )
        part = len(down) < len(first) or len(across) < len(second)
        told = f"down {short_name(self.columns[0], 30)}, across {name}{', in part' if part else ''}"
        return "\n".join([lay_out(columns), told, _foot(self, of)])

    def to_frame(self) -> Frame:
        """Return a line per pair of values: both, and the mean answer of each output."""
        first, second = self.values
        named = {
            self.columns[0]: read_objects([a for a in first for _ in second], self.columns[0]),
            self.columns[1]: read_objects([b for _ in first for b in second], self.columns[1]),
        }
        for output, name in enumerate(self.output_names):
            head = name if name not in named else f"{name} (answer)"
            named[head] = read_objects(self._means()[:, output].tolist(), head)
        return Frame(named)

    def draw(self, label: object = None) -> Picture:
        """Return a picture: a cell for each pair of values, shaded by the mean answer.

        Parameters
        ----------
        label
            The class that is drawn; by default the second of two, of more the one that moves most.
        """
        from treewright.dependence.charts import pair_chart

        return pair_chart(self, self.output_of(label))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PartialDependences(_Drawn, Sequence[PartialDependence | PairDependence]):
    """Partial dependence on several columns, or pairs, in the order asked; print it for a table.

    Attributes
    ----------
    found
        What was found of each.
    """

    found: tuple[PartialDependence | PairDependence, ...]

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> PartialDependence | PairDependence: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PartialDependence | PairDependence]: ...
    def __getitem__(self, index: Any) -> Any:
        return self.found[index]

    def __iter__(self) -> Iterator[PartialDependence | PairDependence]:
        return iter(self.found)

    def __repr__(self) -> str:
        return f"PartialDependences({len(self)} of columns)"

    def moves(self) -> list[tuple[str, float, float]]:
        """Return each name with the lowest and highest mean answer, what moves most first.

        Of classes, those of the class that moves most.
        """
        told = []
        for each in self.found:
            means = each._means()
            output = int(np.argmax(np.ptp(means, axis=0)))
            name = each.column if isinstance(each, PartialDependence) else " x ".join(each.columns)
            told.append((name, float(means[:, output].min()), float(means[:, output].max())))
        return sorted(told, key=lambda row: row[1] - row[2])

    def text(self, *, max_columns: int | None = _MOST_LINES) -> str:
        """Return a table: how far the mean answer moves with each column.

        Parameters
        ----------
        max_columns
            Number of lines shown, those that move most; None shows all.
        """
        told = self.moves()
        shown = told[:max_columns]
        texts = iter(
            figures([number for _, low, high in shown for number in (low, high, high - low)])
        )
        cells = [[next(texts) for _ in range(3)] for _ in shown]
        columns = [TextColumn("column", [short_name(name, 40) for name, _, _ in shown])]
        columns += [
            TextColumn(head, [line[i] for line in cells], right=True)
            for i, head in enumerate(("lowest", "highest", "moves by"))
        ]
        rest = len(told) - len(shown)
        more = [f"{rest} more move less."] if rest else []
        return "\n".join([lay_out(columns), *more, *([_foot(self.found[0])] if self.found else [])])

    def draw(self) -> DotChart:
        """Return a picture of how far the mean answer moves with each column."""
        from treewright.dependence.charts import moves_chart

        return moves_chart(self)


def _with_outputs(
    columns: list[TextColumn], names: Sequence[str], mean: FloatArray
) -> tuple[list[TextColumn], list[str]]:
    """Return the columns of a table with those outputs that fit into a line of 80."""
    shown = 0
    texts = iter(figures(mean.T.ravel().tolist()))
    for name in names:
        cells = [next(texts) for _ in range(len(mean))]
        wider = [*columns, TextColumn(short_name(name, 20), cells, right=True)]
        if shown and width_of(wider) > _MOST_WIDE:
            break
        columns, shown = wider, shown + 1
    rest = len(names) - shown
    return columns, [f"{rest} more outputs are not shown."] if rest else []


def _foot(found: _OfOutputs, of: str = "") -> str:
    n = found.n_rows
    rows = "1 row" if n == 1 else f"{n:,} rows"
    return f"mean {found.scale}{of} of {rows}; exact, {found.method}"


def _some(n: int, most: int) -> list[int]:
    return sorted(set(np.linspace(0, n - 1, min(n, most)).round().astype(int).tolist()))


def _written(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return format_float(float(value), None) if isinstance(value, float) else str(value)
