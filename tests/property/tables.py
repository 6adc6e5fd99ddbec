"""Small random tables, in the oracle's form and in the engine's.

They are made to be awkward: few distinct values so that ties abound, columns without a value,
infinities, whole numbers beyond 2^53, rows of weight 0, fractional weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import oracle
from hypothesis import strategies as st

from treewright.data.schema import Schema

Storage = Literal["float", "float32", "int", "ordinal", "nominal"]
STORAGES: tuple[Storage, ...] = ("float", "float32", "int", "ordinal", "nominal")

_FLOATS = (-np.inf, -1e300, -1.5, -0.0, 0.0, 0.1, 1.0, np.nextafter(1.0, 2.0), 2.5, np.inf)
_POOLS: dict[Storage, tuple[Any, ...]] = {
    "float": tuple(map(float, _FLOATS)),
    "float32": (-2.5, -0.0, 0.0, 0.125, 1.0, 3.0, 2.0**100),
    "int": (-3, 0, 1, 2, 5, 2**53, 2**53 + 1, 2**53 + 2),
    "ordinal": (0, 1, 2, 3),
    "nominal": ("p", "q", "r", "s", "t"),
}
_ORDER = ("lowest", "lower", "higher", "highest")
_DOMAIN = ("p", "q", "r", "s", "t", "absent")
WHOLE_WEIGHTS = (0.0, 1.0, 1.0, 2.0, 3.0)
DYADIC_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 1.75, 3.5)
AWKWARD_WEIGHTS = (0.1, 0.3, 1.0 / 3.0, 0.7, 1.0, 1.9)
Weighting = Literal["none", "whole", "dyadic", "awkward"]


@dataclass(frozen=True, kw_only=True)
class Column:
    storage: Storage
    values: tuple[Any, ...]  # None = missing; ordinal values by rank
    domain: tuple[str, ...] = _DOMAIN  # declared, if nominal; not all of it need occur

    @property
    def kind(self) -> oracle.table.Kind:
        if self.storage in ("ordinal", "nominal"):
            return self.storage
        return "numeric"

    def given(self) -> Any:
        """What a user would pass."""
        if self.storage in ("float", "float32"):
            dtype = np.float64 if self.storage == "float" else np.float32
            return np.array([np.nan if v is None else v for v in self.values], dtype=dtype)
        if self.storage == "ordinal":
            return [None if v is None else _ORDER[v] for v in self.values]
        return list(self.values)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A table with its target and weights."""

    columns: tuple[Column, ...]
    target: tuple[Any, ...]  # text for classes, numbers for regression
    weights: tuple[float, ...] | None = None
    classes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @property
    def is_classification(self) -> bool:
        return isinstance(self.target[0], str)

    @property
    def has_copies(self) -> bool:
        """Whether the weights are whole numbers, which the engine takes for copies."""
        return self.weights is None or all(w == int(w) for w in self.weights)

    @property
    def total_weight(self) -> float:
        return float(self.n_rows if self.weights is None else sum(self.weights))

    @property
    def any_missing(self) -> bool:
        return any(value is None for column in self.columns for value in column.values)

    @property
    def weighed_target(self) -> set[Any]:
        """The distinct targets of the rows that count."""
        weights = self.weights or (1.0,) * self.n_rows
        return {y for y, w in zip(self.target, weights, strict=True) if w > 0}

    @cached_property
    def frame(self) -> dict[str, Any]:
        return {f"c{i}": column.given() for i, column in enumerate(self.columns)}

    @cached_property
    def schema(self) -> Schema:
        named = [(f"c{i}", column) for i, column in enumerate(self.columns)]
        return Schema(
            kinds={name: "numeric" for name, column in named if column.kind == "numeric"},
            values={name: column.domain for name, column in named if column.kind == "nominal"},
            order={name: _ORDER for name, column in named if column.kind == "ordinal"},
        )

    def take(self, rows: Sequence[int], weights: Sequence[float] | None = None) -> "Sample":
        """The given rows in the given order, with their own or other weights."""
        if weights is None and self.weights is not None:
            weights = [self.weights[row] for row in rows]
        return replace(
            self,
            columns=tuple(
                replace(column, values=tuple(column.values[row] for row in rows))
                for column in self.columns
            ),
            target=tuple(self.target[row] for row in rows),
            weights=None if weights is None else tuple(weights),
        )

    def written_out(self) -> "Sample":
        """Every row as often as its whole-number weight says, without weights."""
        assert self.has_copies
        weights = self.weights or (1.0,) * self.n_rows
        rows = [row for row, weight in enumerate(weights) for _ in range(int(weight))]
        return replace(self.take(rows, weights=[1.0] * len(rows)), weights=None)

    def for_oracle(self) -> oracle.Table:
        """Copies are written out: the engine's limits count them, the oracle's count rows."""
        if self.weights is not None and self.has_copies:
            return self.written_out().for_oracle()
        columns = self.columns
        return oracle.Table(
            rows=list(zip(*(column.values for column in columns), strict=True)),
            target=self.target,
            kinds=[column.kind for column in columns],
            weights=self.weights,
            domains={i: column.domain for i, column in enumerate(columns)},
            classes=self.classes or None,
        )


@st.composite
def small_tables(
    draw: st.DrawFn,
    *,
    target: Literal["classes", "numbers", "counts"] = "classes",
    storages: Sequence[Storage] = STORAGES,
    weightings: Sequence[Weighting] = ("none", "whole", "dyadic", "awkward"),
    missing: bool = True,
    min_rows: int = 2,
    max_rows: int = 12,
    max_columns: int = 4,
    max_classes: int = 4,
    fixed_classes: int | None = None,
) -> Sample:
    n_rows = draw(st.integers(min_rows, max_rows))
    columns = []
    for _ in range(draw(st.integers(1, max_columns))):
        storage = draw(st.sampled_from(storages))
        n_values = draw(st.integers(2, len(_POOLS[storage])))
        pool: list[Any] = list(draw(st.permutations(_POOLS[storage]))[:n_values])
        domain = tuple(sorted(pool)) if storage == "nominal" else ()
        if draw(st.booleans()):
            domain = (*domain, "absent")
        if missing and draw(st.booleans()):
            pool.append(None)
        values = draw(_rows_of(pool, n_rows))
        columns.append(Column(storage=storage, values=values, domain=domain))
    classes: tuple[str, ...] = ()
    if target == "classes":
        n_classes = fixed_classes or draw(st.integers(2, max_classes))
        goals = draw(_rows_of("abcd"[:n_classes], n_rows))
        classes = tuple(sorted(set(goals)))
    else:
        goals = draw(_rows_of(draw(_pool_of_numbers(target)), n_rows))
    weights = draw(_weights(draw(st.sampled_from(weightings)), n_rows))
    return Sample(columns=tuple(columns), target=goals, weights=weights, classes=classes)


def _rows_of(pool: Sequence[Any], n_rows: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows).map(tuple)


def _pool_of_numbers(target: str) -> st.SearchStrategy[list[float]]:
    if target == "counts":
        return st.just([0.0, 0.0, 1.0, 2.0, 3.5, 7.0])
    return st.one_of(
        st.just([-4.0, -0.5, 0.0, 1.0, 1.5, 8.0]),
        st.just([1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.25, 1e6 + 3.0]),
        st.lists(st.floats(-100, 100, allow_subnormal=False, width=32), min_size=2, max_size=5),
    )


def _weights(weighting: str, n_rows: int) -> st.SearchStrategy[tuple[float, ...] | None]:
    if weighting == "none":
        return st.none()
    pool = {"whole": WHOLE_WEIGHTS, "dyadic": DYADIC_WEIGHTS, "awkward": AWKWARD_WEIGHTS}[weighting]
    return _rows_of(pool, n_rows).filter(any)
