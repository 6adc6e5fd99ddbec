"""The lectures' tables and queries.

``lectures.json`` beside this file has what is checked of shared/golden (whose README describes the
queries): the tables, and of each example its query and its exact answer.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from treewright import measures

STORED = Path(__file__).with_name("lectures.json")
SHARED = Path(__file__).resolve().parents[3] / "shared" / "golden"

Query = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Lecture:
    """One table of the lectures, or a part of its rows."""

    columns: tuple[dict[str, Any], ...]
    target: str | None
    ids: tuple[Any, ...]
    rows: tuple[tuple[Any, ...], ...]
    weights: tuple[float, ...]

    @property
    def attributes(self) -> list[str]:
        return [column["name"] for column in self.columns if column["role"] == "attribute"]

    @property
    def classes(self) -> list[Any]:
        assert self.target is not None
        return self.domain(self.target)

    def domain(self, name: str) -> list[Any]:
        """The declared values of a nominal column."""
        return list(self._column(name)["values"])

    def is_numeric(self, name: str) -> bool:
        return bool(self._column(name)["type"] == "numeric")

    def values(self, name: str) -> list[Any]:
        place = [column["name"] for column in self.columns].index(name)
        return [row[place] for row in self.rows]

    @property
    def y(self) -> list[Any]:
        assert self.target is not None
        return self.values(self.target)

    def records(self, attributes: Sequence[str]) -> list[dict[str, Any]]:
        """The rows as dicts, with the values as they are printed."""
        columns = {name: self.values(name) for name in attributes}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def kept(self, keep: Sequence[bool]) -> "Lecture":
        def chosen(items: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(item for item, is_kept in zip(items, keep, strict=True) if is_kept)

        return Lecture(
            columns=self.columns,
            target=self.target,
            ids=chosen(self.ids),
            rows=chosen(self.rows),
            weights=chosen(self.weights),
        )

    def subset(self, query: Query) -> "Lecture":
        """The rows that a query is about: all, those named, or those with given values."""
        part = self
        if "rows" in query:
            part = part.kept([row in query["rows"] for row in part.ids])
        for name, value in query.get("where", {}).items():
            part = part.kept(measures.passes(part.values(name), "=", value).tolist())
        return part

    def _column(self, name: str) -> dict[str, Any]:
        return next(column for column in self.columns if column["name"] == name)


@cache
def _read() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return stored


@cache
def lecture(name: str) -> Lecture:
    stored = _read()["datasets"][name]
    return Lecture(
        columns=tuple(stored["columns"]),
        target=stored["target"],
        ids=tuple(stored["ids"]),
        rows=tuple(tuple(row) for row in stored["rows"]),
        weights=tuple(stored.get("weights", [1] * len(stored["rows"]))),
    )


def examples() -> list[dict[str, Any]]:
    """Every check of the golden set."""
    stored: list[dict[str, Any]] = _read()["examples"]
    return stored


def passing(data: Lecture, query: Query) -> list[bool]:
    """Which rows pass the test of a query, on one column or on a weighted sum of columns."""
    if "linear" in query:
        weighted = [
            factor * np.array(data.values(name), dtype=float)
            for name, factor in query["linear"].items()
        ]
        values = np.sum(weighted, axis=0).tolist()
    else:
        values = data.values(query["attribute"])
    passed: list[bool] = measures.passes(values, query["test"], query["value"]).tolist()
    return passed


def class_table(data: Lecture, query: Query) -> list[list[float]]:
    """Branch x class counts of the split of a query: one branch per value, or pass and fail."""
    x: list[Any]
    if "test" in query:
        x, values = passing(data, query), [True, False]
    else:
        x, values = data.values(query["attribute"]), data.domain(query["attribute"])
    classes = query.get("classes", data.classes)
    counts = measures.contingency(x, data.y, values=values, classes=classes, weights=data.weights)
    table: list[list[float]] = counts.table.tolist()
    return table


def value_parts(data: Lecture, query: Query) -> list[list[float]]:
    """The target values of the two sides of a test."""
    passed = passing(data, query)
    return [data.kept(passed).y, data.kept([not each for each in passed]).y]
