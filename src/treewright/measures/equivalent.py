"""Tests that part rows alike: different questions, one partition (textbook, Example 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.array_types import Int64Array
from treewright.data.frame import Frame
from treewright.data.read.table import read_frame
from treewright.errors import ParameterError
from treewright.measures.contingency import distinct, is_missing, passes
from treewright.parameters import is_list, nearest_hint
from treewright.text.names import list_names
from treewright.text.values import format_float

Test = tuple[str, str, Any]
"""A column, a comparison and a value."""

_MOST_SHOWN = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class EquivalentTests:
    """Tests grouped by the partition that they make; ``print`` it.

    Parameters
    ----------
    groups
        The tests that part the rows alike, each as text; groups in the order of their first test.
    passing, failing
        For each group the positions of the rows that pass its first test, and of those that fail.
    """

    groups: tuple[tuple[str, ...], ...]
    passing: tuple[Int64Array, ...]
    failing: tuple[Int64Array, ...]

    def __len__(self) -> int:
        return len(self.groups)

    def __str__(self) -> str:
        lines = []
        for tests, passed, failed in zip(self.groups, self.passing, self.failing, strict=True):
            lines.append(f"{_rows(passed)} | {_rows(failed)}")
            lines += [f"  {test}" for test in tests]
        return "\n".join(lines)


def equivalent_tests(
    X: Any, tests: Sequence[Test] | None = None, *, rows: ArrayLike | None = None
) -> EquivalentTests:
    """Return the tests of a table, grouped by the partition of the rows that they make.

    Parameters
    ----------
    X : table
        Any table.
    tests : list of (column, comparison, value), optional
        The tests, as ``("Feature1", "<", 3)``. By default every cut between two values of a
        numeric column, and ``= value`` of every value of the others.
    rows : list of int, optional
        Only these rows, such as those of a node: ``tree.rows(node, X)``.

    Returns
    -------
    EquivalentTests
        Two tests are equivalent where the same rows are on the same side, or all of them on the
        other; rows without a value must be the same, too.

    Examples
    --------
    The textbook's Example 2 (its patterns are numbered from 1):

    >>> from treewright import load_example
    >>> table = load_example("table_3_2")
    >>> tests = [("Feature1", "<", 3), ("Feature1", "<", 4), ("Feature1", ">", 2)]
    >>> print(equivalent_tests(table.X, tests))
    0, 1, 2, 3 | 4, 5, 6, 7
      Feature1 < 3
      Feature1 < 4
      Feature1 > 2
    """
    frame = read_frame(X)
    chosen = np.arange(frame.n_rows) if rows is None else _positions(rows, frame.n_rows)
    given = list(_every_test(frame, chosen)) if tests is None else _checked(tests, frame)
    groups: dict[object, list[str]] = {}
    parts: dict[object, tuple[Int64Array, Int64Array]] = {}
    for name, comparison, value in given:
        values = _values(frame, name, chosen)
        passed = passes(values, comparison, value)  # type: ignore[arg-type]  # it checks them
        known = ~np.array([is_missing(each) for each in values], dtype=bool)
        inside, outside = chosen[passed], chosen[known & ~passed]
        key = frozenset((tuple(inside.tolist()), tuple(outside.tolist())))
        text = format_float(value, None) if isinstance(value, float) else str(value)
        groups.setdefault(key, []).append(f"{name} {comparison} {text}")
        parts.setdefault(key, (inside, outside))
    return EquivalentTests(
        groups=tuple(tuple(each) for each in groups.values()),
        passing=tuple(inside for inside, _ in parts.values()),
        failing=tuple(outside for _, outside in parts.values()),
    )


def _every_test(frame: Frame, chosen: Int64Array) -> Iterator[Test]:
    for name in frame.columns:
        values = _values(frame, name, chosen)
        order: Any = distinct([value for value in values if not is_missing(value)])
        if frame.column(name).storage in ("float", "int", "uint"):
            for low, high in pairwise(order):
                yield name, "<=", (float(low) + float(high)) / 2
        else:
            for value in order if len(order) > 1 else ():
                yield name, "=", value


def _checked(tests: object, frame: Frame) -> list[Test]:
    found: list[Test] = []
    given: Any = tests if is_list(tests) else [tests]
    for each in given:
        if not is_list(each) or len(each) != 3:
            raise ParameterError(
                f"{each!r} is no test.\n"
                "  Hint: a list of (column, comparison, value), such as [('Feature1', '<', 3)]."
            )
        name, comparison, value = each
        if name not in frame.columns:
            raise ParameterError(
                f"there is no column {name!r}.\n"
                f"  Columns: {list_names(frame.columns)}{nearest_hint(name, frame.columns)}"
            )
        found.append((name, comparison, value))
    return found


def _positions(rows: ArrayLike, n_rows: int) -> Int64Array:
    chosen = np.asarray(rows)
    is_valid = chosen.ndim == 1 and chosen.dtype.kind in "iu"
    if not is_valid or (chosen.size and not (chosen.min() >= 0 and chosen.max() < n_rows)):
        raise ParameterError(f"rows={rows!r} must be positions of rows, from 0 to {n_rows - 1}.")
    return chosen.astype(np.int64)


def _values(frame: Frame, name: str, chosen: Int64Array) -> list[Any]:
    values: list[Any] = frame.column(name).take(chosen).to_numpy().tolist()
    return values


def _rows(rows: Int64Array) -> str:
    return list_names(map(str, rows.tolist()), most=_MOST_SHOWN) if len(rows) else "none"
