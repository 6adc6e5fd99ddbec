"""Histograms: rows by the values or ranges of a column, and by class, as bars of text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.errors import DataError
from treewright.measures.checks import as_floats
from treewright.measures.contingency import contingency, is_missing
from treewright.parameters import check_count, is_list, is_number
from treewright.text.names import on_one_line
from treewright.text.notebook import text_html
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out
from treewright.text.values import format_float

if TYPE_CHECKING:
    from treewright.chart.effects import ColumnsChart

_FILLS, _ASCII_FILLS = "█▒░▓", "#=-+"
_MOST_VALUES = 10
_BINS_AROUND = 24
"""Numbers of more distinct values are counted in ranges unless `bins` says otherwise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Histogram:
    """Weight of the rows in each bin, by class; ``print`` it.

    Parameters
    ----------
    labels
        The values, or the ranges as text: from the lower bound up to below the upper one, which
        the last includes.
    classes
        The classes; empty where all rows count alike.
    counts
        Weight of the rows: a row for each bin and a column for each class (or one).
    missing
        Weight of the rows without a value, by class.
    edges
        Bounds of the ranges; None where values are counted one by one.
    cut
        The bound that a question asks about; None without one.
    """

    labels: tuple[str, ...]
    classes: tuple[object, ...]
    counts: FloatArray
    missing: FloatArray
    edges: FloatArray | None = None
    cut: float | None = None

    def __str__(self) -> str:
        return self.text()

    def text(self, *, width: int = 40, ascii: bool = False) -> str:
        """Return the histogram as text, one bin per line.

        Parameters
        ----------
        width
            Characters of the longest bar.
        ascii
            Draw with ASCII characters only.
        """
        check_count("width", width, least=1)
        fills = _ASCII_FILLS if ascii else _FILLS
        counts, labels = self.counts, list(self.labels)
        if self.missing.any():
            counts, labels = np.vstack([counts, self.missing]), [*labels, "missing"]
        longest = float(counts.sum(axis=1).max(initial=0.0)) or 1.0
        scale = min(1.0, width / longest) if _are_whole(counts) else width / longest
        bars = [
            "".join(fills[k % len(fills)] * n for k, n in enumerate(_lengths(line * scale)))
            for line in counts
        ]
        cells = figures(counts.ravel().tolist())
        n_series = counts.shape[1]
        headers = ["rows"]
        if self.classes:
            headers = [
                f"{on_one_line(str(label))} {fills[k % len(fills)]}"
                for k, label in enumerate(self.classes)
            ]
        columns = [TextColumn("", labels, right=self.edges is not None)]
        columns += [
            TextColumn(header, cells[k::n_series], right=True) for k, header in enumerate(headers)
        ]
        return lay_out([*columns, TextColumn("", bars)])

    def draw(self, name: str = "", *, unit: str = "rows") -> ColumnsChart:
        """Return a picture: stacked columns of the ranges, or a line of shares for each value.

        Parameters
        ----------
        name
            What the column is called.
        unit
            What a row is called, in the plural.

        Examples
        --------
        >>> found = histogram([1, 2, 4, 9, 10], list("aabbb"), cut=3)
        >>> found.draw("age").title.replace("\u202f", " ")
        'b is 100 % above 3 and 0 % below'
        """
        # Late: most histograms are printed.
        from treewright.measures.histogram_chart import histogram_chart

        return histogram_chart(self, name=name, unit=unit)

    def _repr_html_(self) -> str:
        return f"{self.draw()._repr_html_()}{text_html(str(self))}"


def histogram(
    x: Iterable[object],
    y: Iterable[object] | None = None,
    *,
    bins: int | Sequence[float] | None = None,
    weights: ArrayLike | None = None,
    cut: float | None = None,
) -> Histogram:
    """Return the number of rows by the value or range of a column, and by class.

    Parameters
    ----------
    x : iterable
        The column; None and NaN are missing.
    y : iterable, optional
        The class of each row.
    bins : int or list of numbers, optional
        Ranges of numbers: how many of equal width, or their bounds. By default each value is
        counted, and numbers of more than ten values in ten ranges.
    weights : array-like, optional
        One weight per row; 1 by default.
    cut : float, optional
        Where a question parts the numbers. Ranges are then counted from it outwards, so that none
        holds numbers of both sides, and begin above their lower bound: a number at the cut is
        below.

    Examples
    --------
    >>> print(histogram([1, 2, 4, 9, 10], list("aabbb"), bins=3).text(ascii=True))
             a #  b =
     1 to 4    2    0  ##
     4 to 7    0    1  =
    7 to 10    0    2  ==
    """
    column = list(x)
    target = ["rows"] * len(column) if y is None else list(y)
    numbers = _numbers(column)
    edges = _edges(numbers, bins) if cut is None else _edges_around(numbers, bins, cut)
    if edges is None:
        counted = contingency(column, target, weights=weights)
        labels = tuple(on_one_line(_label(value)) for value in counted.values)
    else:
        assert numbers is not None
        place = np.searchsorted(edges, numbers, side="right" if cut is None else "left") - 1
        end, last = (edges[-1], len(edges) - 2) if cut is None else (edges[0], 0)
        place = np.where(numbers == end, last, place)
        outside = ~np.isnan(numbers) & ((place < 0) | (place >= len(edges) - 1))
        if outside.any():
            row = int(np.argmax(outside))
            raise DataError(
                f"x[{row}] is {column[row]!r}, outside the ranges from {edges[0]:g} to"
                f" {edges[-1]:g}."
            )
        ranges = [None if np.isnan(n) else int(k) for n, k in zip(numbers, place, strict=True)]
        n_bins = len(edges) - 1
        counted = contingency(ranges, target, values=range(n_bins), weights=weights)
        words = [format_float(float(edge), _width(edges)) for edge in edges]
        labels = tuple(f"{low} to {high}" for low, high in pairwise(words))
    return Histogram(
        labels=labels,
        classes=() if y is None else counted.classes,
        counts=counted.table,
        missing=counted.missing,
        edges=edges,
        cut=None if cut is None else float(cut),
    )


def _numbers(column: Sequence[Any]) -> FloatArray | None:
    """Return a column of numbers, NaN where missing; None if something else is among them."""
    if not all(is_missing(value) or is_number(value) for value in column):
        return None
    return np.array([np.nan if is_missing(value) else float(value) for value in column])


def _edges(numbers: FloatArray | None, bins: Any) -> FloatArray | None:
    """Return the bounds of the ranges; None where values are counted one by one."""
    if bins is None and (numbers is None or len(np.unique(numbers)) <= _MOST_VALUES):
        return None
    if numbers is None:
        raise DataError("bins divides numbers, but x holds other values.")
    if is_list(bins):
        edges = as_floats(bins, name="bins")
        if len(edges) < 2 or not np.all(np.diff(edges) > 0):
            raise DataError(f"bins={bins!r} must be two or more bounds, ascending.")
        return edges
    n_bins = _MOST_VALUES if bins is None else bins
    check_count("bins", n_bins, least=1)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        raise DataError("x has no finite number to find ranges by.\n  Hint: give their bounds.")
    low, high = float(known.min()), float(known.max())
    return np.linspace(low, high if high > low else low + 1.0, int(n_bins) + 1)


def _edges_around(numbers: FloatArray | None, bins: Any, cut: float) -> FloatArray:
    """Return the bounds of ranges of equal width, one of which is the cut."""
    if not is_number(cut) or not math.isfinite(cut):
        raise DataError(f"cut={cut!r} must be a finite number.")
    if numbers is None:
        raise DataError("cut parts numbers, but x holds other values.")
    if is_list(bins):
        raise DataError("bins are bounds already; with cut= they are a number.")
    n_bins = _BINS_AROUND if bins is None else bins
    check_count("bins", n_bins, least=2)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        raise DataError("x has no finite number to find ranges by.")
    low, high = min(float(known.min()), cut), max(float(known.max()), cut)
    pitch = (high - low if high > low else 1.0) / n_bins
    n_left, n_right = (math.ceil(part / pitch - 1e-9) for part in (cut - low, high - cut))
    places = np.arange(-max(n_left, 1), max(n_right, 1) + 1, dtype=np.float64)
    edges: FloatArray = cut + pitch * places
    # Rounding must not leave the smallest or the largest number outside.
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges


def _width(edges: FloatArray) -> float:
    return float(np.diff(edges).min()) / 100


def _label(value: object) -> str:
    return format_float(value, None) if isinstance(value, float) else str(value)


def _are_whole(counts: FloatArray) -> bool:
    return bool(np.all(counts == np.floor(counts)))


def _lengths(parts: FloatArray) -> list[int]:
    """Return whole lengths of the parts of a bar, whose sum is the rounded sum of the parts."""
    ends = np.rint(np.cumsum(parts)).astype(int)
    lengths: list[int] = np.diff(np.append(0, ends)).tolist()
    return lengths
