"""The oracle's data: a table as rows of plain values, and a split as plain data.

None means missing, in every kind of column. An ordinal column is given by the ranks of its values
and cut like a numeric one. A row of weight 0 is as good as absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["numeric", "ordinal", "nominal"]
Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    rows: Sequence[Row]
    target: Sequence[Any]  # classes, or numbers for regression
    kinds: Sequence[Kind]
    weights: Sequence[float] | None = None  # all 1 unless given
    # The declared domains of nominal columns, in code order; else the distinct values, sorted.
    domains: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    classes: Sequence[Any] | None = None  # in code order; else the distinct classes, sorted

    def weight_of(self, row: int) -> float:
        return 1.0 if self.weights is None else self.weights[row]

    def present(self) -> list[int]:
        """The rows that count: those of positive weight."""
        return [row for row in range(len(self.rows)) if self.weight_of(row) > 0.0]

    def domain(self, column: int) -> list[Any]:
        if column in self.domains:
            return list(self.domains[column])
        return sorted({row[column] for row in self.rows if row[column] is not None})

    def class_order(self) -> list[Any]:
        return sorted(set(self.target)) if self.classes is None else list(self.classes)


@dataclass(frozen=True, kw_only=True)
class Split:
    """What a node asks: ``value <= threshold`` (branch 0, else 1), or the branch of each value."""

    column: int
    kind: Literal["cut", "categories"]
    threshold: float | None = None
    branch_of_value: Mapping[Any, int] = field(default_factory=dict)
    # Where missing rows go, under the policies that place them with one branch (learned_side,
    # own_branch); the other policies ignore it.
    missing_branch: int | None = None

    def branch_of(self, value: Any) -> int:
        """The branch of a known value."""
        if self.kind == "cut":
            assert self.threshold is not None
            return 0 if value <= self.threshold else 1
        if value not in self.branch_of_value:
            raise ValueError(f"value {value!r} of column {self.column} has no branch")
        return self.branch_of_value[value]
