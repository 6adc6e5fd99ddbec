"""Conditions on one column of a row: their text, and the rows that meet them.

A path through a tree is a conjunction of conditions, at most one per column: two conditions on the
same column merge by :meth:`intersect`. A linear combination of columns (oblique; in the code a sum
of columns) counts as a column. Conditions are stored on raw values (thresholds in the column's
stored form, codes of its declared values), so they mean the same in any table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treewright.array_types import Array
from treewright.data.table import MISSING, UNSEEN
from treewright.errors import DataError, ParameterError
from treewright.parameters import as_float, is_number, is_whole
from treewright.text.names import list_names, on_one_line

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema
    from treewright.data.table import Table

_FLOAT32_PRECISION = float(np.finfo(np.float32).eps)

_MANY_VALUES = 5
"""A longer list of values is written as ``not in``, where that is shorter."""


def _is_of_float32(value: float) -> bool:
    """Return whether a number may be a float32, or lie halfway between two neighbours."""
    mantissa, _ = math.frexp(value)
    return (mantissa * 2**25).is_integer()


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How conditions are written.

    Parameters
    ----------
    max_values
        A longer list of values is shortened to this many, with a count; None lists all.
    max_length
        Longer names and values are shortened to this many characters; None keeps them whole.
    rounded
        Round decimal numbers to the precision of a float32: 0.8 for 0.800000012.
    missing
        Write the branch of missing values, also where known values take the same branch.
    ascii
        Add only ASCII characters; names and values stay as they are.
    """

    max_values: int | None = None
    max_length: int | None = None
    rounded: bool = False
    missing: bool = False
    ascii: bool = False

    def name(self, column: ColumnSpec) -> str:
        """Return the column's name on one line."""
        return self._short(on_one_line(column.name) or "''")

    def value(self, column: ColumnSpec, value: object, *, is_bound: bool = False) -> str:
        """Return the text of a number in stored form, or of a value of the domain."""
        gap = None
        if self.rounded and isinstance(value, float) and _is_of_float32(value):
            gap = 2 * abs(value) * _FLOAT32_PRECISION
        text = on_one_line(column.format(value, gap=gap, is_bound=is_bound))
        # Quoted where the bare text could be mistaken for part of the condition.
        if isinstance(value, str) and (not text.strip() or text != text.strip() or "," in text):
            text = repr(text)
        return self._short(text)

    def values(self, column: ColumnSpec, codes: Collection[int]) -> str:
        """Return ``= a`` or ``in {a, b}`` for these codes, shortened to ``max_values``."""
        shown = sorted(codes)
        if len(shown) == 1:
            return f"= {self.value(column, column.values[shown[0]])}"
        n_left_out = 0
        if self.max_values is not None and len(shown) > self.max_values:
            n_left_out = len(shown) - self.max_values + 1
            shown = shown[: self.max_values - 1]
        words = [self.value(column, column.values[code]) for code in shown]
        if n_left_out:
            words.append(f"{'...' if self.ascii else '…'} {n_left_out} more")
        return f"in {{{', '.join(words)}}}"

    def excluded(self, column: ColumnSpec, codes: Collection[int]) -> str:
        """Return ``!= a`` or ``not in {a, b}`` for these codes."""
        words = self.values(column, codes)
        return f"!{words}" if words.startswith("=") else f"not {words}"

    def _short(self, text: str) -> str:
        if self.max_length is None or len(text) <= self.max_length:
            return text
        ellipsis = "..." if self.ascii else "…"
        return text[: self.max_length - len(ellipsis)] + ellipsis


COMPLETE = Wording()
SHORT = Wording(max_values=6, max_length=60, rounded=True)


@dataclass(frozen=True, kw_only=True)
class Interval:
    """``low < x <= high`` on a numeric or ordinal column; a bound that is None is absent.

    Bounds are in the column's stored form; on an ordinal column they are codes.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    known
        False where only a missing value qualifies.
    missing, unseen
        Whether a missing value, and an unseen category of an ordinal column, qualify.
    """

    index: int
    column: ColumnSpec
    low: float | int | None = None
    high: float | int | None = None
    known: bool = True
    missing: bool = False
    unseen: bool = False

    @property
    def key(self) -> object:
        """Key of the quantity restricted: conditions with equal keys can be merged."""
        return self.index

    def intersect(self, other: Condition) -> Condition:
        """Return the condition that both hold."""
        if isinstance(other, Members):
            return other.intersect(self)
        lows = [bound for bound in (self.low, other.low) if bound is not None]
        highs = [bound for bound in (self.high, other.high) if bound is not None]
        return replace(
            self,
            low=max(lows, default=None),
            high=min(highs, default=None),
            known=self.known and other.known,
            missing=self.missing and other.missing,
            unseen=self.unseen and other.unseen,
        )

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return its text, e.g. ``2 < x <= 5``."""
        name = self._name(wording)
        if not self.known:
            return f"{name} is missing"
        only = self._only_value()
        low, high = self._bound(self.low, wording), self._bound(self.high, wording)
        if only is not None:
            words = f"{name} = {self._bound(only, wording)}"
        elif low is None and high is None:
            words = f"{name} is known"
        elif low is None:
            words = f"{name} {self._up_to(self.high, high)} {high}"
        elif high is None:
            words = f"{name} {'>' if self._up_to(self.low, low) == '<=' else '>='} {low}"
        else:
            above = "<" if self._up_to(self.low, low) == "<=" else "<="
            words = f"{low} {above} {name} {self._up_to(self.high, high)} {high}"
        return f"{words} or missing" if wording.missing and self.missing else words

    def mask(self, table: Table) -> BoolArray:
        """Return whether each row qualifies."""
        values, missing = self.values_in(table)
        # A Python float would be rounded to float32 beside a float32 column.
        exact = np.float64 if self.column.storage == "float" else np.int64
        inside = ~missing & self.known
        if self.low is not None:
            inside &= values > exact(self.low)
        if self.high is not None:
            inside &= values <= exact(self.high)
        if self.column.storage == "value":
            unseen = values == UNSEEN
            inside = np.where(unseen, self.unseen, inside)
        return np.where(missing, self.missing, inside)

    def _name(self, wording: Wording) -> str:
        return wording.name(self.column)

    def values_in(self, table: Table) -> tuple[Array, BoolArray]:
        """Return the values that the bounds apply to, one per row, and whether each is missing."""
        return table.columns[self.index], table.is_missing(self.index)

    def as_members(self) -> Members:
        """Return the same condition of an ordinal column as a set of categories."""
        first = 0 if self.low is None else int(self.low) + 1
        stop = len(self.column.values) if self.high is None else int(self.high) + 1
        return Members(
            index=self.index,
            column=self.column,
            codes=frozenset(range(first, stop) if self.known else ()),
            missing=self.missing,
            unseen=self.unseen,
        )

    def _bound(self, bound: float | int | None, wording: Wording) -> str | None:
        if bound is None:
            return None
        if self.column.storage == "value":
            return wording.value(self.column, self.column.values[int(bound)])
        return wording.value(self.column, bound, is_bound=True)

    def _up_to(self, bound: float | int | None, text: str | None) -> str:
        """Return ``<=``, or ``<`` where the text of the bound is rounded up.

        So the number that is written is sent where the text says: a cut just below 1844.89 is
        ``< 1844.89``, and that number itself is above it.
        """
        if self.column.storage != "float" or bound is None or text is None:
            return "<="
        try:
            return "<" if float(text) > bound else "<="
        except ValueError:  # shortened
            return "<="

    def _only_value(self) -> int | None:
        """Return the only whole number (in stored form) within the bounds, else None."""
        if self.column.storage not in ("int", "uint", "value"):
            return None
        low, high = self.low, self.high
        if self.column.storage == "value":
            low = -1 if low is None else low
            high = len(self.column.values) - 1 if high is None else high
        if low is None or high is None or int(high) - int(low) != 1:
            return None
        return int(high)


@dataclass(frozen=True, kw_only=True)
class LinearInterval(Interval):
    """Bounds on a linear combination of columns, which is missing where one of them is.

    Parameters
    ----------
    terms
        Position of each column in the schema, and its coefficient.
    column
        The linear combination as a column of its own.
    """

    terms: tuple[tuple[int, float], ...]

    @property
    def key(self) -> object:
        """Key of the quantity restricted: conditions with equal keys can be merged."""
        return self.terms

    def _name(self, wording: Wording) -> str:
        # Each name is shortened on its own: the whole text would lose most of its terms.
        length = wording.max_length
        return replace(wording, max_length=length and 4 * length).name(self.column)

    def values_in(self, table: Table) -> tuple[Array, BoolArray]:
        """Return the linear combination of each row, and whether it is missing."""
        total = sum_of_columns(self.terms, table)
        return total, np.isnan(total)


def sum_of_columns(
    terms: tuple[tuple[int, float], ...], table: Table, rows: slice = slice(None)
) -> FloatArray:
    """Return a linear combination of columns for some rows; NaN where a value is missing."""
    total = np.zeros(len(range(*rows.indices(table.n_rows))))
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf counts as missing
        for index, coefficient in terms:
            numbers = table.columns[index][rows].astype(np.float64)
            present = table.masks[index]
            if present is not None:
                numbers[~present[rows]] = np.nan
            total += coefficient * numbers
    return total


def sum_in_words(terms: Sequence[tuple[str, float]]) -> str:
    """Return the text of a linear combination of columns.

    >>> sum_in_words([("width", 20.0), ("height", -1.0), ("depth", 0.5)])
    '20*width - height + 0.5*depth'
    """
    words = []
    for place, (name, factor) in enumerate(terms):
        sign = "-" if factor < 0 else "+"
        size = "" if abs(factor) == 1 else f"{repr(abs(factor)).removesuffix('.0')}*"
        lead = ("-" if factor < 0 else "") if place == 0 else f" {sign} "
        words.append(f"{lead}{size}{name}")
    return "".join(words)


@dataclass(frozen=True, kw_only=True)
class Members:
    """Membership of the value of a nominal (or ordinal) column in a set.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    codes
        The codes of the values that qualify.
    strays
        Codes that qualify although no training row on this path had them. They count in
        :meth:`mask`; the text leaves them out unless no other codes qualify.
    barred
        Where given, the strays are not listed: every code qualifies but these.
    missing, unseen
        Whether a missing value, and an unseen category, qualify.
    """

    index: int
    column: ColumnSpec
    codes: frozenset[int]
    strays: frozenset[int] = field(default=frozenset())
    barred: frozenset[int] | None = None
    missing: bool = False
    unseen: bool = False

    @property
    def key(self) -> object:
        """Key of the quantity restricted: conditions with equal keys can be merged."""
        return self.index

    def intersect(self, other: Condition) -> Members:
        """Return the condition that both hold."""
        if isinstance(other, Interval):
            other = other.as_members()
        codes = self.codes & other.codes
        strays: frozenset[int] = frozenset()
        barred = None
        if self.barred is not None and other.barred is not None:
            barred = self.barred | other.barred
        elif self.barred is None:
            strays = other._qualifying(self.codes | self.strays) - codes
        else:
            strays = self._qualifying(other.codes | other.strays) - codes
        return replace(
            self,
            codes=codes,
            strays=strays,
            barred=barred,
            missing=self.missing and other.missing,
            unseen=self.unseen and other.unseen,
        )

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return its text, e.g. ``region in {north, west}``."""
        name = wording.name(self.column)
        said = self.codes or self._all_strays()
        if self.barred is not None:
            n_left_out = len(self.barred)
        else:
            n_left_out = len(self.column.values) - len(self.codes) - len(self.strays)
        if not said:
            if self.missing:
                return f"{name} is missing"
            return f"{name} is unknown to training" if self.unseen else f"{name} in {{}}"
        if n_left_out == 0 and not self.missing:
            words = f"{name} is known"
        elif 0 < n_left_out < len(said) and (len(said) > _MANY_VALUES or not self.codes):
            words = f"{name} {wording.excluded(self.column, self._left_out())}"
        else:
            words = f"{name} {wording.values(self.column, said)}"
        return f"{words} or missing" if wording.missing and self.missing else words

    def mask(self, table: Table) -> BoolArray:
        """Return whether each row qualifies."""
        answer: BoolArray = self.code_table()[table.columns[self.index]]
        return answer

    def code_table(self) -> BoolArray:
        """Return whether each code qualifies.

        Codes -2 and -1 (unseen, missing) index from the end, after the declared values.
        """
        qualifies = np.full(len(self.column.values) + 2, self.barred is not None)
        qualifies[list(self.barred or ())] = False
        qualifies[list(self.codes | self.strays)] = True
        qualifies[MISSING], qualifies[UNSEEN] = self.missing, self.unseen
        return qualifies

    def _qualifying(self, codes: frozenset[int]) -> frozenset[int]:
        if self.barred is not None:
            return codes - self.barred
        return codes & (self.codes | self.strays)

    def _all_strays(self) -> frozenset[int]:
        if self.barred is None:
            return self.strays
        return frozenset(range(len(self.column.values))) - self.barred - self.codes

    def _left_out(self) -> frozenset[int]:
        if self.barred is not None:
            return self.barred
        return frozenset(range(len(self.column.values))) - self.codes - self.strays


Condition: TypeAlias = Interval | Members
Conjunction: TypeAlias = tuple[Condition, ...]
"""Conditions that must all hold, at most one per column."""


def rows_that_meet(conditions: Conjunction, table: Table) -> BoolArray:
    """Return whether each row meets all conditions."""
    answer = np.ones(table.n_rows, dtype=bool)
    for each in conditions:
        answer &= each.mask(table)
    return answer


def condition(schema: FittedSchema, column: str, test: str, value: object) -> Condition:
    """Return a condition built from a column, a test and a value.

    Parameters
    ----------
    schema
        Schema of the columns.
    column
        Name of the column.
    test
        ``"="``, ``"!="`` or ``"in"`` for nominal columns; ``"<="`` or ``">"`` for the others.
    value
        A value of the column's domain (a collection of them for ``"in"``), or a bound in stored
        form. Missing values meet no condition built this way.
    """
    index = schema.index(column)
    spec = schema.columns[index]
    if spec.storage == "value":
        return _condition_on_values(index, spec, test, value)
    bound = as_float(value) if is_number(value) else math.nan
    if not isinstance(test, str) or test not in ("<=", ">") or math.isnan(bound):
        raise ParameterError(
            f"{column!r} {test} {value!r} is no condition on a numeric column; use '<=' or '>' "
            f"with a number."
        )
    if is_whole(value) and math.isfinite(bound):
        bound = int(value)  # a float may not hold it
    if test == "<=":
        return Interval(index=index, column=spec, high=bound)
    return Interval(index=index, column=spec, low=bound)


def _condition_on_values(index: int, spec: ColumnSpec, test: str, value: object) -> Condition:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    test = test if isinstance(test, str) else repr(test)
    if test == "in" and isinstance(value, Collection) and not isinstance(value, str):
        codes = frozenset(_code_of(spec, each) for each in value)
        return Members(index=index, column=spec, codes=codes)
    code = _code_of(spec, value)
    everything = frozenset(range(len(spec.values)))
    makers: dict[str, Callable[[], Condition]] = {
        "=": lambda: Members(index=index, column=spec, codes=frozenset([code])),
        "!=": lambda: Members(index=index, column=spec, codes=everything - {code}),
    }
    if spec.kind == "ordinal":
        makers["<="] = lambda: Interval(index=index, column=spec, high=code)
        makers[">"] = lambda: Interval(index=index, column=spec, low=code)
    if test not in makers:
        raise ParameterError(
            f"{spec.name!r} {test} {value!r} is no condition on a {spec.kind} column; use one of "
            f"{', '.join(map(repr, [*makers, 'in']))}."
        )
    return makers[test]()


def _code_of(spec: ColumnSpec, value: object) -> int:
    code = spec.code_of_value.get(value) if isinstance(value, Hashable) else None
    if code is None:
        domain = list_names(map(str, spec.values))
        raise DataError(f"{value!r} is not a value of column {spec.name!r}, which has {domain}.")
    return code


def merge(conditions: Iterable[Condition]) -> Conjunction:
    """Return conditions with those on one column merged, each at the position of the first."""
    merged: dict[object, Condition] = {}
    for each in conditions:
        merge_into(merged, each)
    return tuple(merged.values())


def merge_into(merged: dict[object, Condition], added: Condition) -> None:
    """Add one condition to those merged so far, by key."""
    earlier = merged.get(added.key)
    merged[added.key] = added if earlier is None else earlier.intersect(added)
