"""Counts of rows by the values of several columns at once, printed with their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import FloatArray
from treewright.data.read.table import read_frame
from treewright.errors import ParameterError
from treewright.measures.checks import as_weights
from treewright.measures.contingency import counts_with_sums, distinct, is_missing
from treewright.parameters import is_list, nearest_hint
from treewright.text.names import list_names, on_one_line
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out

_MISSING, _ALL = "missing", "all"


@dataclass(frozen=True, kw_only=True, eq=False)
class CrossTable:
    """Weight of the rows with each combination of values; ``print`` it.

    Parameters
    ----------
    names
        The columns, one for each axis of `counts`; the target is the last, if there is one.
    values
        For each axis its values, in order; None, the last, counts the missing ones.
    counts
        Weight of the rows with these values.
    """

    names: tuple[str, ...]
    values: tuple[tuple[object, ...], ...]
    counts: FloatArray

    def __str__(self) -> str:
        if len(self.names) == 1:
            cells = [*self._words(0), _ALL]
            told = figures([*self.counts.tolist(), float(self.counts.sum())])
            return lay_out([TextColumn(self.names[0], cells), TextColumn("rows", told, right=True)])
        blocks = [
            self._block(f"{self._at(place)}\n\n", self.counts[place])
            for place in product(*(range(n) for n in self.counts.shape[:-2]))
        ]
        if len(blocks) > 1:
            above = tuple(range(self.counts.ndim - 2))
            blocks.append(self._block("all\n\n", self.counts.sum(axis=above)))
        return "\n\n".join(blocks)

    def _block(self, heading: str, counts: FloatArray) -> str:
        """Return two axes as text, with the sums of rows and columns."""
        rows = self._words(-2)
        # The last axis is named above its values.
        indent = " " * (max(map(len, (self.names[-2], *rows, "all"))) + 2)
        heading = heading if len(self.names) > 2 else ""
        table = counts_with_sums(rows, self._words(-1), counts, header=self.names[-2])
        return f"{heading}{indent}{self.names[-1]}\n{table}"

    def _at(self, place: Sequence[int]) -> str:
        words = [
            f"{self.names[axis]} = {self._words(axis)[value]}" for axis, value in enumerate(place)
        ]
        return ", ".join(words)

    def _words(self, axis: int) -> list[str]:
        return [
            _MISSING if value is None else on_one_line(str(value)) for value in self.values[axis]
        ]


def cross_table(
    X: Any,
    columns: Sequence[str] | None = None,
    *,
    y: Iterable[object] | None = None,
    weights: ArrayLike | None = None,
) -> CrossTable:
    """Return the counts of rows by the values of one or several columns, and of the target.

    Parameters
    ----------
    X : table
        Any table.
    columns : list of str, optional
        The columns to count by, in the order of the axes; by default all of them.
    y : iterable, optional
        The class of each row, as the last axis.
    weights : array-like, optional
        One weight per row; 1 by default.

    Examples
    --------
    >>> from treewright import load_example
    >>> play = load_example("play_tennis")
    >>> print(cross_table(play.X, ["Outlook"], y=play.y))
              class
    Outlook   No  Yes  all
    Sunny      3    2    5
    Overcast   0    4    4
    Rain       2    3    5
    all        5    9   14
    >>> cross_table(play.X, ["Outlook", "Humidity", "Wind"]).counts.shape
    (3, 2, 2)
    """
    frame = read_frame(X)
    chosen = frame.columns if columns is None else columns
    if not is_list(chosen) or not chosen:
        raise ParameterError(f"columns={columns!r} must be a list of columns.")
    axes: dict[str, tuple[Sequence[Any], tuple[object, ...] | None]] = {}
    for name in chosen:
        if name not in frame.columns:
            raise ParameterError(
                f"columns lists {name!r}, which the table does not have.\n"
                f"  Columns: {list_names(frame.columns)}{nearest_hint(name, frame.columns)}"
            )
        column = frame.column(name)
        axes[name] = (column.to_numpy().tolist(), column.values if column.fixed else None)
    if y is not None:
        axes["class"] = (list(y), None)
    return _counted(axes, frame.n_rows, weights)


def _counted(
    axes: Mapping[str, tuple[Sequence[Any], tuple[object, ...] | None]],
    n_rows: int,
    weights: ArrayLike | None,
) -> CrossTable:
    row_weights = as_weights(weights, n_rows)
    orders, codes = [], []
    for given, domain in axes.values():
        known = [value for value in given if not is_missing(value)]
        order: tuple[object, ...] = distinct(known) if domain is None else domain
        if len(known) < len(given):
            order = (*order, None)
        place = {value: code for code, value in enumerate(order)}
        codes.append([place[None if is_missing(value) else value] for value in given])
        orders.append(order)
    _check_lengths(axes, n_rows)
    counts = np.zeros([len(order) for order in orders])
    np.add.at(counts, tuple(np.array(each, dtype=np.int64) for each in codes), row_weights)
    return CrossTable(names=tuple(axes), values=tuple(orders), counts=counts)


def _check_lengths(axes: Mapping[str, tuple[Sequence[Any], Any]], n_rows: int) -> None:
    for name, (given, _) in axes.items():
        if len(given) != n_rows:
            raise ParameterError(
                f"{name} has {len(given)} entries, but the table has {n_rows} rows."
            )
