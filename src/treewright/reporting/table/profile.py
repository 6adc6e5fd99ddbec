"""What each column of a table holds: kind, gaps, distinct values, and how they spread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
from treewright.data.column import Column
from treewright.text.values import format_duration, format_instant

_KINDS = {"value": "text", "datetime": "date", "duration": "duration"}
_BINS = 24
_MOST_BARS = 8
"""Values of a column of texts that have a bar each."""
_LOG_FROM = 10.0
"""Ratio of the largest to the median value from which bins are even on a log scale."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnProfile:
    """What a column holds.

    Parameters
    ----------
    name, kind
        Its name; ``"number"``, ``"text"``, ``"yes or no"``, ``"date"`` or ``"duration"``.
    n_missing, n_distinct
        Gaps, and different values.
    values
        In words: the ends of numbers, the most frequent texts.
    bars
        Rows by bar and class (one class where numbers are predicted); the last bar of a text is
        what has no bar of its own.
    is_log
        Whether the bars of numbers are even on a log scale.
    n_rest
        Values in the last bar, where it stands for several.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    values: str
    bars: FloatArray = field(repr=False)
    is_log: bool = False
    n_rest: int = 0


def profile_of(name: str, column: Column, classes: Int64Array, n_classes: int) -> ColumnProfile:
    """Return what a column holds.

    Parameters
    ----------
    name, column
        The column.
    classes
        The class of each row, 0 where numbers are predicted.
    n_classes
        How many classes there are.
    """
    known = ~column.missing
    common: dict[str, Any] = {
        "name": name,
        "kind": kind_of(column),
        "n_missing": int((~known).sum()),
    }
    if not known.any():
        empty = np.zeros((0, n_classes))
        return ColumnProfile(**common, n_distinct=0, values="", bars=empty)
    if column.storage == "value":
        return _of_texts(column, known, classes, n_classes, common)
    return _of_numbers(column, known, classes, n_classes, common)


def kind_of(column: Column) -> str:
    """Return what a column holds, in a word."""
    kind = _KINDS.get(column.storage, "number")
    if kind == "text" and column.values and all(isinstance(v, bool) for v in column.values):
        return "yes or no"
    return kind


def _of_texts(
    column: Column, known: BoolArray, classes: Int64Array, n_classes: int, common: dict[str, Any]
) -> ColumnProfile:
    codes = column.data[known].astype(np.int64)
    table = np.zeros((len(column.values), n_classes))
    np.add.at(table, (codes, classes[known]), 1.0)
    rows = table.sum(axis=1)
    order = np.lexsort((np.arange(len(rows)), -rows))
    order = order[rows[order] > 0]
    if column.ordered:
        order = np.sort(order)
    shown, rest = order[:_MOST_BARS], order[_MOST_BARS:]
    bars = table[shown]
    if len(rest):
        bars = np.vstack([bars, table[rest].sum(axis=0)])
    return ColumnProfile(
        **common,
        n_distinct=len(order),
        values=_texts_in_words(column, order, rows),
        bars=bars,
        n_rest=len(rest),
    )


def _texts_in_words(column: Column, order: Int64Array, rows: FloatArray) -> str:
    from treewright.reporting.page.markup import shown

    if len(order) > 1 and rows.max() == 1:
        return ", ".join(shown(column.values[code], 20) for code in order[:3]) + ", …"
    told = [f"{shown(column.values[code], 20)} {rows[code]:,.0f}" for code in order[:3]]
    return ", ".join(told) + (", …" if len(order) > 3 else "")


def _of_numbers(
    column: Column, known: BoolArray, classes: Int64Array, n_classes: int, common: dict[str, Any]
) -> ColumnProfile:
    exact = column.numbers()[known]
    numbers = exact.astype(np.float64)
    finite = np.isfinite(numbers)
    n_distinct = len(np.unique(exact))
    low, high = exact.min(), exact.max()
    bars = np.zeros((0, n_classes))
    is_log = False
    if finite.any():
        edges, is_log = edges_of(numbers[finite])
        places = np.clip(np.searchsorted(edges, numbers[finite], "right") - 1, 0, len(edges) - 2)
        bars = np.zeros((len(edges) - 1, n_classes))
        np.add.at(bars, (places, classes[known][finite]), 1.0)
    ends = [_written(column, each) for each in (low, high)]
    values = ends[0] if low == high else f"{ends[0]} to {ends[1]}"
    return ColumnProfile(**common, n_distinct=n_distinct, values=values, bars=bars, is_log=is_log)


def edges_of(numbers: FloatArray) -> tuple[FloatArray, bool]:
    """Return the edges of bins, and whether they are even on a log scale."""
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        return np.array([low, high]), False
    distinct = np.unique(numbers)
    if len(distinct) <= _BINS:  # a bar for each value
        middle = distinct[:-1] / 2 + distinct[1:] / 2
        return np.concatenate([[low], middle, [high]]), False
    median = float(np.median(numbers))
    if low > 0 and high / median > _LOG_FROM:
        return np.exp(np.linspace(np.log(low), np.log(high), _BINS + 1)), True
    # Halves do not overflow where the ends are the largest numbers there are.
    return 2 * np.linspace(low / 2, high / 2, _BINS + 1), False


def _written(column: Column, value: Any) -> str:
    if column.storage == "datetime":
        text = format_instant(int(value), column.unit or "ns", column.time_zone)
        return text.removesuffix("T00:00:00").removesuffix(" 00:00:00")
    if column.storage == "duration":
        return format_duration(int(value), column.unit or "ns")
    if column.storage == "float":
        from treewright.chart.words import grouped

        return grouped(f"{float(value):.6g}")
    return f"{int(value):,}".replace("-", "\N{MINUS SIGN}")


def codes_by_first_row(column: Column) -> Int64Array:
    """Return a code for each row: equal for equal values, counted in the order they first occur.

    Two columns have the same codes exactly if each value of one goes with one value of the other.
    """
    values: Array = column.numbers()
    missing = column.missing
    if column.storage == "float":
        values = np.where(missing, np.inf, values)
    elif column.storage != "value" and missing.any():
        values = np.where(missing, 0, values)
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    if missing.any() and column.storage != "value":  # apart from the value that stands for them
        codes = np.where(missing, len(first), codes)
        _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        codes = codes.reshape(-1)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[codes]
