"""Linear models in leaves: their terms, and the side table that holds those of a tree.

A model is an intercept and terms, each a coefficient times a number: a numeric column as it is, or
an indicator, 1 where a column's value is one of a set and 0 where it is not. Dates and durations
are in days, so a coefficient is per day. A missing value is imputed by a number fixed in training;
an infinite one is clipped to the range of the finite training values.

Examples
--------
>>> from treewright.data.fitted_schema import ColumnSpec
>>> size = NumberTerm(index=0, column=ColumnSpec(name="size", kind="numeric", storage="float"),
...                   low=0.0, high=9.0)
>>> model = LinearModel(intercept=7.5, coefficients=(-2.0,), terms=(size,), fills=(4.0,))
>>> str(model)
'7.5 - 2*size'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from treewright.array_types import Array, BoolArray, IntegerArray
from treewright.data.fitted_schema import UINT_OFFSET
from treewright.data.table import MISSING
from treewright.errors import ModelFormatError
from treewright.text.table import TextColumn, lay_out
from treewright.tree.arrays import read_only, same_bits
from treewright.tree.condition import COMPLETE, SHORT, Interval, Members, Wording

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int32Array, Int64Array
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema
    from treewright.data.table import Table
    from treewright.tree.arrays import TreeArrays

_ROUNDING = 1e-8
_LARGE = 1e15
_UNITS_PER_DAY = {"ns": 86_400 * 10**9, "us": 86_400 * 10**6}


@dataclass(frozen=True, kw_only=True)
class NumberTerm:
    """A numeric column as a term of a linear model.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    low, high
        Smallest and largest finite training value, to which -inf and inf are clipped.
    """

    index: int
    column: ColumnSpec
    low: float
    high: float

    def values(self, table: Table, rows: Any = slice(None)) -> FloatArray:
        """Return the value of each row; NaN where it is missing."""
        numbers = numbers_in(table, self.index, rows)
        if self.column.storage != "float" or np.isfinite(numbers).all():
            return numbers
        return np.where(np.isinf(numbers), np.where(numbers > 0, self.high, self.low), numbers)

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return the text of the term without its coefficient."""
        return wording.name(self.column)

    def unit(self) -> str | None:
        """Return the unit of dates and durations (days), None for plain numbers."""
        if self.column.storage == "datetime":
            return "days since 1970-01-01"
        return "days" if self.column.storage == "duration" else None


@dataclass(frozen=True, kw_only=True)
class IndicatorTerm:
    """An indicator: 1 where the value of a nominal or ordinal column is in a set, else 0.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    codes
        Codes of the values whose indicator is 1.
    """

    index: int
    column: ColumnSpec
    codes: frozenset[int]

    def values(self, table: Table, rows: Any = slice(None)) -> FloatArray:
        """Return 0 or 1 for each row; NaN where the value is missing or an unseen category."""
        number_of_code = np.zeros(len(self.column.values) + 2)
        number_of_code[list(self.codes)] = 1.0
        number_of_code[-2:] = np.nan  # the codes of unseen and missing index from the end
        found: FloatArray = number_of_code[np.asarray(table.columns[self.index])[rows]]
        return found

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return the text of the set."""
        condition: Interval | Members
        if self.column.kind == "ordinal":
            condition = Interval(index=self.index, column=self.column, low=min(self.codes) - 1)
        else:
            condition = Members(index=self.index, column=self.column, codes=self.codes)
        return f"({condition.text(wording)})"

    def unit(self) -> str | None:
        """Return None: an indicator has no unit."""
        return None


Term: TypeAlias = NumberTerm | IndicatorTerm


def numbers_in(table: Table, index: int, rows: Any = slice(None)) -> FloatArray:
    """Return a numeric column as floats, times in days; NaN where a value is missing."""
    spec = table.schema.columns[index]
    numbers = as_numbers(np.asarray(table.columns[index])[rows], spec)
    if spec.storage != "float":
        numbers[table.is_missing(index)[rows]] = np.nan
    return numbers


def as_numbers(stored: Array, spec: ColumnSpec) -> FloatArray:
    """Return numbers in a column's stored form as floats, times in days."""
    if spec.storage == "uint":
        # Small numbers are near -2^63 in stored form, where a float would lose them.
        value = np.ascontiguousarray(stored, dtype=np.int64).view(np.uint64)
        return (value ^ np.uint64(UINT_OFFSET)).astype(np.float64)
    numbers: FloatArray = stored.astype(np.float64)
    if spec.unit is not None:
        numbers /= stored_unit(spec)
    return numbers


def stored_unit(spec: ColumnSpec) -> float:
    """Return the length of one unit (of times, a day) in a column's stored form."""
    return 1.0 if spec.unit is None else float(_UNITS_PER_DAY[spec.unit])


@dataclass(frozen=True, kw_only=True)
class LinearModel:
    """A linear model: an intercept and terms.

    Parameters
    ----------
    intercept
        The prediction where every term is 0.
    coefficients, terms
        The coefficient of each term.
    fills
        The number that replaces a missing value of each term.
    limits
        Least and greatest prediction; None does not clip.
    """

    intercept: float
    coefficients: tuple[float, ...]
    terms: tuple[Term, ...]
    fills: tuple[float, ...]
    limits: tuple[float, float] | None = None

    def __str__(self) -> str:
        return self.text()

    def numbers(self, table: Table) -> FloatArray:
        """Return the design matrix: the number of every term (columns) in every row."""
        filled = [
            np.where(np.isnan(values := term.values(table)), fill, values)
            for term, fill in zip(self.terms, self.fills, strict=True)
        ]
        return np.column_stack(filled) if filled else np.empty((table.n_rows, 0))

    def predict(self, table: Table) -> FloatArray:
        """Return the prediction for each row."""
        predicted = np.full(table.n_rows, self.intercept)
        for coefficient, numbers in zip(self.coefficients, self.numbers(table).T, strict=True):
            predicted += coefficient * numbers
        if self.limits is not None:
            predicted = np.clip(predicted, *self.limits)
        return predicted

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return its text on one line, with four figures for each number and long lists in full."""
        words = _four_figures(self._intercept_shown())
        for coefficient, term in zip(self.coefficients, self.terms, strict=True):
            size = _four_figures(abs(coefficient))
            factor = "" if size == "1" else f"{size}*"
            words += f" {'-' if coefficient < 0 else '+'} {factor}{term.text(wording)}"
        return words if self.limits is None else f"{words}, {self._limits_in_words()}"

    def _limits_in_words(self) -> str:
        assert self.limits is not None
        least = _ROUNDING * max(map(abs, self.limits))  # below it, a rounding error of 0
        low, high = (_four_figures(each if abs(each) > least else 0.0) for each in self.limits)
        return f"kept within {low} and {high}"

    def _intercept_shown(self) -> float:
        """Return the intercept, or 0 where it is a rounding error beside the terms."""
        largest = max(
            (
                abs(coefficient)
                * (max(abs(term.low), abs(term.high)) if isinstance(term, NumberTerm) else 1.0)
                for coefficient, term in zip(self.coefficients, self.terms, strict=True)
            ),
            default=0.0,
        )
        return self.intercept if abs(self.intercept) > _ROUNDING * largest else 0.0

    def table(self, *, ascii: bool = False) -> str:
        """Return a table with one line per term."""
        sizes = [self._intercept_shown(), *self.coefficients]
        signs = ["" if sizes[0] >= 0 else "-", *("-" if size < 0 else "+" for size in sizes[1:])]
        wording = replace(SHORT, ascii=ascii)
        what = [""]
        for term in self.terms:
            unit = term.unit()
            what.append(f"* {term.text(wording)}" + (f"  [{unit}]" if unit else ""))
        columns = [
            TextColumn("", signs),
            TextColumn("", _aligned([_four_figures(abs(size)) for size in sizes])),
            TextColumn("", what),
        ]
        lines = lay_out(columns, gap=" ", max_width=100).split("\n")[1:]
        if self.limits is not None:
            lines.append(f"  {self._limits_in_words()}")
        return "\n".join(lines)


def _four_figures(value: float) -> str:
    """Return a number in four figures; as it is written where it is large.

    >>> _four_figures(0.033891), _four_figures(36034.2), _four_figures(1e20)
    ('0.03389', '36030', '1e+20')
    """
    text = f"{value:.4g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < _LARGE else text


def _aligned(numbers: Sequence[str]) -> list[str]:
    """Return numbers padded so that their decimal points align.

    >>> _aligned(["44.82", "3", "0.0785"])
    ['44.82  ', ' 3     ', ' 0.0785']
    """
    parts = [number.partition(".") if "e" not in number else (number, "", "") for number in numbers]
    before = max(len(whole) for whole, _, _ in parts)
    after = max(len(point + rest) for _, point, rest in parts)
    return [f"{whole.rjust(before)}{(point + rest).ljust(after)}" for whole, point, rest in parts]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LinearLeaves:
    """The linear models of a tree, as flat read-only arrays.

    Parameters
    ----------
    terms
        All terms of all models of the tree.
    start
        The entries of node ``i`` are ``start[i] .. start[i + 1] - 1``; a node without any predicts
        its value, and an inner node has none.
    term, coefficient, fill
        One entry per term of a model: the term, its coefficient, and the number that replaces a
        missing value.
    intercept
        One per node; 0 where there is no model.
    limits
        The least and the greatest prediction of each node (a row of two); left out where
        predictions are not clipped.
    """

    terms: tuple[Term, ...]
    start: Int64Array
    term: Int32Array
    coefficient: FloatArray
    fill: FloatArray
    intercept: FloatArray
    limits: FloatArray | None = None

    def __post_init__(self) -> None:
        dtypes = {"start": np.int64, "term": np.int32}
        for entry in fields(self):
            array = getattr(self, entry.name)
            if entry.name != "terms" and array is not None:
                dtype = np.dtype(dtypes.get(entry.name, np.float64))
                object.__setattr__(self, entry.name, read_only(array, entry.name, dtype))

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):  # NumPy does not pickle the read-only flag
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"LinearLeaves(n_models={self.n_models}, n_terms={len(self.terms)})"

    @property
    def n_models(self) -> int:
        """Number of leaves that have a model with terms."""
        return int(np.count_nonzero(np.diff(self.start)))

    def has_model(self, node: int) -> bool:
        """Return whether a node has a model with terms."""
        return bool(self.start[node + 1] > self.start[node])

    def model(self, node: int) -> LinearModel | None:
        """Return the model of a node; None where it predicts its value."""
        if not self.has_model(node):
            return None
        own = slice(int(self.start[node]), int(self.start[node + 1]))
        limits = None
        if self.limits is not None:
            limits = (float(self.limits[node, 0]), float(self.limits[node, 1]))
        return LinearModel(
            intercept=float(self.intercept[node]),
            coefficients=tuple(self.coefficient[own].tolist()),
            terms=tuple(self.terms[i] for i in self.term[own].tolist()),
            fills=tuple(self.fill[own].tolist()),
            limits=limits,
        )

    @property
    def columns(self) -> set[int]:
        """Positions of the columns that occur in the models."""
        return {self.terms[i].index for i in np.unique(self.term).tolist()}

    def taken(self, source: IntegerArray, is_leaf: BoolArray) -> LinearLeaves:
        """Return the models of a tree whose leaf ``i`` was node ``source[i]`` of this one."""
        count = np.where(is_leaf, np.diff(self.start)[source], 0)
        first = self.start[:-1][source]
        entries = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        return LinearLeaves(
            terms=self.terms,
            start=np.concatenate([[0], np.cumsum(count)]),
            term=self.term[entries],
            coefficient=self.coefficient[entries],
            fill=self.fill[entries],
            intercept=np.where(count > 0, self.intercept[source], 0.0),
            limits=None if self.limits is None else self.limits[source],
        )

    def equals(self, other: LinearLeaves | None) -> bool:
        """Return whether both hold the same models, bit for bit."""
        if other is None or self.terms != other.terms:
            return False
        if self.limits is None or other.limits is None:
            if self.limits is not other.limits:
                return False
        elif not same_bits(self.limits, other.limits):
            return False
        names = ("start", "term", "coefficient", "fill", "intercept")
        return all(same_bits(getattr(self, name), getattr(other, name)) for name in names)

    def validate(self, arrays: TreeArrays, schema: FittedSchema) -> None:
        """Refuse models that are not at leaves, or whose terms do not fit the columns.

        Raises
        ------
        ModelFormatError
            Naming the array that breaks the rule.
        """
        n_nodes, n_entries = arrays.n_nodes, len(self.term)
        shapes: dict[str, tuple[int, ...]] = {
            "start": (n_nodes + 1,),
            "coefficient": (n_entries,),
            "fill": (n_entries,),
            "intercept": (n_nodes,),
        }
        if self.limits is not None:
            shapes["limits"] = (n_nodes, 2)
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise ModelFormatError(
                    f"{name} of the linear models has shape {found}, {shape} is due."
                )
        count = np.diff(self.start)
        if self.start[0] != 0 or self.start[-1] != n_entries or (count < 0).any():
            raise ModelFormatError("start of the linear models does not rise from 0 to the last.")
        if (count[np.asarray(arrays.n_branches) > 0] > 0).any():
            raise ModelFormatError("start gives a linear model to a node that asks.")
        if ((self.term < 0) | (self.term >= len(self.terms))).any():
            raise ModelFormatError(f"term names none of the {len(self.terms)} terms.")
        for name in ("coefficient", "fill", "intercept", "limits"):
            array = getattr(self, name)
            if array is not None and not np.isfinite(array).all():
                raise ModelFormatError(f"{name} of the linear models is not a finite number.")
        for term in self.terms:
            if not 0 <= term.index < len(schema) or schema.columns[term.index] != term.column:
                raise ModelFormatError(
                    f"a linear model multiplies column {term.column.name!r}, which the schema"
                    " does not have as it is described."
                )
            if isinstance(term, IndicatorTerm) and not all(
                MISSING < code < len(term.column.values) for code in term.codes
            ):
                raise ModelFormatError(
                    f"a linear model counts values of column {term.column.name!r} that are not"
                    " in its domain."
                )
