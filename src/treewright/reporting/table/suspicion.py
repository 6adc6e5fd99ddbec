"""What in a table could mislead: columns that say the answer, rows written twice, rare classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.errors import TreewrightError, TreewrightWarning
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.reporting.table.profile import ColumnProfile, codes_by_first_row, profile_of

if TYPE_CHECKING:
    from treewright.evaluate.trial.task_data import TaskData
    from treewright.reporting.given import Given

_LEAST_ROWS = 50
"""In fewer rows a column may say the answer by chance."""
_LEAK = 0.02
"""Share of the best constant's error that a column leaves which says the answer by itself."""
_MOST_ALONE = 200
"""Columns that are tried alone; of a wider table the first so many."""
_RARE_SHARE, _RARE_ROWS = 0.05, 20
_MANY_MISSING = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class TableProfile:
    """What a table holds.

    Parameters
    ----------
    columns
        The columns to learn from.
    class_counts
        Rows of each class; empty where numbers are predicted.
    n_repeated
        Rows that repeat another one, its answer too.
    n_contradicting
        Rows that nothing can answer rightly which sees these columns: another row has the same
        values and another answer, which is more frequent.
    same
        Columns that say the same as an earlier one, by name.
    alone
        Columns that say the answer almost by themselves, with the share of the best constant's
        error that they leave.
    """

    columns: Sequence[ColumnProfile]
    class_counts: Int64Array
    n_repeated: int
    n_contradicting: int
    same: Mapping[str, str]
    alone: Mapping[str, float]
    n_rows: int = field(default=0)

    @property
    def constant(self) -> list[str]:
        """Columns with one value, or none."""
        return [each.name for each in self.columns if each.n_distinct <= 1 and not each.n_missing]

    @property
    def empty(self) -> list[str]:
        """Columns without any value."""
        return [each.name for each in self.columns if each.n_distinct == 0]

    @property
    def with_gaps(self) -> list[ColumnProfile]:
        """Columns that have gaps, most first."""
        found = [each for each in self.columns if each.n_missing]
        return sorted(found, key=lambda each: -each.n_missing)

    @property
    def often_missing(self) -> list[ColumnProfile]:
        """Columns that are missing in a fifth of the rows or more."""
        return [each for each in self.with_gaps if each.n_missing >= _MANY_MISSING * self.n_rows]

    @property
    def rare_classes(self) -> list[int]:
        """Positions of classes with so few rows that figures of them are rough, rarest first."""
        counts = self.class_counts
        if len(counts) < 2:
            return []
        usual = counts.sum() / len(counts)
        least = _RARE_SHARE * counts.sum() * min(1.0, 4 / len(counts))
        found = [
            k
            for k in range(len(counts))
            if counts[k] < least or counts[k] < min(_RARE_ROWS, 0.5 * usual)
        ]
        if len(found) == len(counts):  # a small table: they are no rarer than the others
            return []
        return sorted(found, key=lambda k: (counts[k], k))


def table_profile(given: Given, data: TaskData) -> TableProfile:
    """Return what a table holds and what in it could mislead."""
    n_classes = max(len(data.classes), 1)
    classes = data.codes if data.classes else np.zeros(data.n_rows, dtype=np.int64)
    columns = [
        profile_of(name, given.X.column(name), classes, n_classes) for name in given.X.columns
    ]
    codes = {name: codes_by_first_row(given.X.column(name)) for name in given.X.columns}
    n_repeated, n_contradicting = _alike(list(codes.values()), data)
    return TableProfile(
        columns=columns,
        class_counts=np.bincount(classes, minlength=n_classes) if data.classes else classes[:0],
        n_repeated=n_repeated,
        n_contradicting=n_contradicting,
        same=_same(given, codes),
        alone=_alone(given, data),
        n_rows=data.n_rows,
    )


def _same(given: Given, codes: Mapping[str, Int64Array]) -> dict[str, str]:
    """Return columns that say the same as an earlier one; constant ones are told otherwise.

    Each value of one goes with one value of the other. Where most values occur once that holds by
    chance, and the values themselves must be equal.
    """
    first: dict[bytes, str] = {}
    found: dict[str, str] = {}
    for name, each in codes.items():
        if not each.any():
            continue
        key = each.tobytes()
        if 2 * int(each.max()) >= len(each):
            column = given.X.column(name)
            key += column.numbers().tobytes() + repr(column.values).encode("utf-8", "replace")
        if key in first:
            found[name] = first[key]
        else:
            first[key] = name
    return found


def _alike(codes: Sequence[Int64Array], data: TaskData) -> tuple[int, int]:
    """Return how many rows repeat another, and how many contradict more frequent twins."""
    row = np.zeros(data.n_rows, dtype=np.int64)
    for each in codes:
        row = _paired(row, each)
    if data.classes:
        answer = data.codes
    else:
        answer = np.unique(data.y, return_inverse=True)[1].reshape(-1).astype(np.int64)
    both = _paired(row, answer)
    n_repeated = data.n_rows - len(np.unique(both))
    if not data.classes:
        return n_repeated, 0
    counts = np.bincount(both)
    of_row = np.zeros(len(counts), dtype=np.int64)
    of_row[both] = row
    most = np.zeros(int(row.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(most, of_row, counts)
    return n_repeated, int(data.n_rows - most.sum())


def _paired(one: Int64Array, two: Int64Array) -> Int64Array:
    """Return a code for each pair of codes."""
    pairs = one * (int(two.max(initial=0)) + 1) + two
    found: Int64Array = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def _alone(given: Given, data: TaskData) -> dict[str, float]:
    """Return the columns that say the answer almost by themselves, in seven questions at most."""
    if data.n_rows < _LEAST_ROWS:
        return {}
    found: dict[str, float] = {}
    for name in given.X.columns[:_MOST_ALONE]:
        kind = DecisionTreeClassifier if data.classes else DecisionTreeRegressor
        tree = kind(max_depth=3, min_samples_leaf=5, nominal="multiway")
        X = given.X.select([name])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TreewrightWarning)  # told when all are fitted
                answers = tree.fit(X, data.y_as_given).predict(X)
        except TreewrightError:  # a column without any value, say: it says nothing alone
            continue
        left = _left(data, data.as_answers(np.asarray(answers)))
        if left <= _LEAK:
            found[name] = left
    return found


def _left(data: TaskData, answers: FloatArray) -> float:
    """Return the share of the best constant's error that answers leave."""
    if data.classes:
        best = data.n_rows - int(np.bincount(data.codes).max())
        wrong = int(np.count_nonzero(answers != data.y))
        return wrong / best if best else 1.0
    spread = float(np.var(data.y))
    return float(np.mean((answers - data.y) ** 2)) / spread if spread > 0 else 1.0
