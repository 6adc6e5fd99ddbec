"""From rows to counts: rows that pass a test, and contingency tables of values and classes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import BoolArray, FloatArray
from treewright.errors import DataError, TargetError
from treewright.measures.checks import as_weights
from treewright.parameters import check_choice
from treewright.text.names import on_one_line
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out

Comparison = Literal["=", "!=", "<", "<=", ">", ">="]
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


@dataclass(frozen=True, kw_only=True)
class Contingency:
    """Contingency table of the values of a column and the classes."""

    values: tuple[object, ...]  # of the column, in the order of the rows of the table
    classes: tuple[object, ...]  # in the order of its columns
    table: FloatArray  # weight of the rows with this value and this class
    missing: FloatArray  # per class, weight of the rows whose value is missing

    def __str__(self) -> str:
        values, counts = list(map(str, self.values)), self.table
        if self.missing.any():
            values, counts = [*values, "missing"], np.vstack([counts, self.missing])
        return counts_with_sums(values, list(map(str, self.classes)), counts)


def contingency(
    x: Iterable[object],
    y: Iterable[object],
    *,
    values: Sequence[object] | None = None,
    classes: Sequence[object] | None = None,
    weights: ArrayLike | None = None,
) -> Contingency:
    """Return the contingency table of values and classes, the input of every measure of a split.

    Parameters
    ----------
    x : iterable
        The column; None and NaN are missing.
    y : iterable
        The class of each row.
    values, classes : sequence, optional
        Declared values and classes, in order; by default those that occur, sorted.
    weights : array-like, optional
        One weight per row; 1 by default.

    Examples
    --------
    >>> counts = contingency(["sun", "rain", None, "sun"], ["no", "yes", "no", "no"])
    >>> counts.values, counts.classes
    (('rain', 'sun'), ('no', 'yes'))
    >>> counts.table
    array([[0., 1.],
           [2., 0.]])
    >>> counts.missing
    array([1., 0.])
    >>> print(counts)
             no  yes  all
    rain      0    1    1
    sun       2    0    2
    missing   1    0    1
    all       3    1    4
    """
    column, target = list(x), list(y)
    if len(column) != len(target):
        raise DataError(f"x has {len(column)} rows and y has {len(target)}; they must be as many.")
    row_weights = as_weights(weights, len(column))
    for row, label in enumerate(target):
        if is_missing(label):
            raise TargetError(f"y[{row}] is {label!r}, but every row needs a class.")
    known = [value for value in column if not is_missing(value)]
    value_order = distinct(known) if values is None else tuple(values)
    class_order = distinct(target) if classes is None else tuple(classes)
    branch = _codes(column, value_order, name="x", declared="values")
    label_code = _codes(target, class_order, name="y", declared="classes")
    counts = np.zeros((len(value_order) + 1, len(class_order)))  # the last row: missing
    np.add.at(counts, (branch, label_code), row_weights)
    return Contingency(
        values=value_order, classes=class_order, table=counts[:-1], missing=counts[-1]
    )


def counts_with_sums(
    rows: Sequence[str], columns: Sequence[str], counts: FloatArray, *, header: str = ""
) -> str:
    """Return a table of counts as text, with the sums of its rows and columns."""
    wide = np.column_stack([counts, counts.sum(axis=1)])
    cells = figures(np.vstack([wide, wide.sum(axis=0)]).ravel().tolist())
    headers = [*map(on_one_line, columns), "all"]
    return lay_out(
        [
            TextColumn(header, [*map(on_one_line, rows), "all"]),
            *(
                TextColumn(name, cells[place :: len(headers)], right=True)
                for place, name in enumerate(headers)
            ),
        ]
    )


def passes(x: Iterable[object], test: Comparison, value: object) -> BoolArray:
    """Return whether each row passes a test; a missing value passes none.

    Parameters
    ----------
    x : iterable
        The column; None and NaN are missing.
    test : {"=", "!=", "<", "<=", ">", ">="}
        The comparison of each value with `value`.
    value : object
        The right side of the comparison.

    Returns
    -------
    array of bool of shape (n_rows,)

    Examples
    --------
    >>> passes([70, 90, None], "<", 80)
    array([ True, False, False])

    An oblique test is a test of a linear combination of columns:

    >>> passes(20 * np.array([4, 5]) + 10 * np.array([1, 3]), ">", 100)
    array([False,  True])
    """
    check_choice("test", test, tuple(_COMPARISONS))
    compare = _COMPARISONS[test]
    answers = []
    for row, given in enumerate(x):
        try:
            answers.append(not is_missing(given) and bool(compare(given, value)))
        except TypeError:
            raise DataError(
                f"x[{row}] is {given!r}, which cannot be compared by {test!r} with {value!r}."
            ) from None
    return np.array(answers, dtype=np.bool_)


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    unequal_to_itself = value != value
    if isinstance(unequal_to_itself, bool | np.bool_):
        return bool(unequal_to_itself)
    return True  # only pandas.NA has a comparison with itself that is neither true nor false


def distinct(values: Sequence[object]) -> tuple[object, ...]:
    """Return the distinct values, sorted; in order of appearance where they cannot be sorted."""
    found = tuple(dict.fromkeys(_hashable(values)))
    try:
        return tuple(sorted(found))  # type: ignore[type-var]
    except TypeError:
        return found


def _hashable(values: Sequence[object]) -> Sequence[object]:
    for row, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            raise DataError(
                f"Row {row} holds {value!r}; a value that is counted must be a single thing,"
                " such as a string or a number."
            ) from None
    return values


def _codes(
    given: Sequence[object], order: Sequence[object], *, name: str, declared: str
) -> list[int]:
    code_of_value = {value: code for code, value in enumerate(_hashable(order))}
    codes = []
    for row, value in enumerate(_hashable(given)):
        if is_missing(value):
            codes.append(len(order))
        elif value in code_of_value:
            codes.append(code_of_value[value])
        else:
            listed = ", ".join(map(repr, order[:5])) + (", ..." if len(order) > 5 else "")
            raise DataError(f"{name}[{row}] is {value!r}, which is not among {declared}: {listed}.")
    return codes
