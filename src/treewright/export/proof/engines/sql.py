"""SQL: rows are put into a table in memory, and the query is asked."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.export.form import graph as kinds
from treewright.export.proof.engines.base import EngineError
from treewright.export.proof.model_answers import Answers
from treewright.export.query.dialects import DIALECTS
from treewright.export.targets.sql import column_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input
    from treewright.export.proof.rows import Cases

ROW = "tw_row"
"""The column that numbers the rows."""


class SqlEngine:
    """Asks SQLite of Python's own module."""

    def version(self) -> str | None:
        """Return name and version."""
        return f"sqlite {sqlite3.sqlite_version}"

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no sqlite here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows that the database can hold."""
        return within_reach(form, cases, "sqlite")

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the query's answers about rows."""
        connection = sqlite3.connect(":memory:")
        try:
            create, insert = statements(form, exported)
            connection.execute(create)
            connection.executemany(insert, rows(form, cases, "sqlite"))
            cursor = connection.execute(exported.text.rstrip().rstrip(";"))
            names = [each[0] for each in cursor.description]
            found = cursor.fetchall()
        except sqlite3.Error as error:
            raise EngineError(f"sqlite refused the query: {error}") from error
        finally:
            connection.close()
        return answers_of(form, names, found)


def table_of(exported: Exported) -> str:
    """Return the quoted name of the table that a query asks."""
    return exported.entry.rpartition("FROM ")[2]


def statements(form: Form, exported: Exported, mark: str = "?") -> tuple[str, str]:
    """Return the statements that make the table and put a row into it."""
    dialect = DIALECTS[exported.dialect or "sqlite"]
    columns = [f"{ROW} INTEGER"]
    columns += [
        f"{dialect.quoted(each.name)} {column_type(each, dialect).partition(',')[0]}"
        for each in form.inputs
    ]
    marks = ", ".join([mark] * (len(form.inputs) + 1))
    table = table_of(exported)
    return f"CREATE TABLE {table} ({', '.join(columns)})", f"INSERT INTO {table} VALUES ({marks})"


def rows(form: Form, cases: Cases, dialect: str) -> list[tuple[Any, ...]]:
    """Return the rows as the database takes them."""
    columns = [
        [value_of(value, each, dialect) for value in own]
        for each, own in zip(form.inputs, cases.values, strict=True)
    ]
    return [
        (number, *(own[place] for own, place in zip(columns, row, strict=True)))
        for number, row in enumerate(cases.rows.tolist())
    ]


def value_of(value: Any, each: Input, dialect: str) -> Any:
    """Return a value as a database takes it."""
    if value is None:
        return None
    if each.type == "instant":
        words = DIALECTS[dialect].instant(value, each.spec.unit or "ns", None)
        if dialect == "sqlite":
            return None if words is None else words[1:-1]
        moment = np.datetime64(value // 1000 if each.spec.unit == "ns" else value, "us")
        return None if words is None else moment.item()
    if each.type == "numeral":
        return float(value)
    return value


def within_reach(form: Form, cases: Cases, dialect: str) -> Cases:
    """Return rows that a database can hold and compute with.

    Dates are of the years 1 to 9999 and in its precision; PostgreSQL raises an error where a
    product is beyond the largest number or below the smallest, so that sums of columns are tried
    with numbers from 1e-100 to 1e100. In place of a value that is out of reach, a row has another.
    """
    is_linear = form.graph.models is not None or form.graph.has(kinds.LINEAR)
    rows = cases.rows.copy()
    for place, each in enumerate(cases.inputs):
        held = np.array(
            [
                value is None or _is_held(value, each, dialect, is_linear)
                for value in cases.values[place]
            ]
        )
        if not held.all():
            others = np.flatnonzero(held)
            own = rows[:, place]
            rows[:, place] = np.where(held[own], own, others[own % len(others)])
    return replace(cases, rows=rows)


def _is_held(value: Any, each: Input, dialect: str, is_linear: bool) -> bool:
    if each.type == "number":
        if dialect == "sqlite" or not is_linear or value == 0:
            return True
        return abs(value) < 1e100 and (dialect != "postgresql" or abs(value) > 1e-100)
    if each.type != "instant":
        return True
    if dialect != "sqlite" and each.spec.unit == "ns" and value % 1000:
        return False
    return DIALECTS[dialect].instant(value, each.spec.unit or "ns", None) is not None


def answers_of(form: Form, names: Sequence[str], found: Sequence[Sequence[Any]]) -> Answers:
    """Return the answers in the result of a query."""
    at = {name: place for place, name in enumerate(names)}
    found = sorted(found, key=lambda row: int(row[at[ROW]]))
    said = [row[at["prediction"]] for row in found]
    if form.classes is None:
        numbers = np.array([np.nan if each is None else each for each in said], dtype=np.float64)
        return Answers(numbers=numbers[:, np.newaxis])
    code_of = {_label(label): code for code, label in enumerate(form.classes)}
    codes = np.array([code_of.get(each, -1) for each in said], dtype=np.int64)
    shares = None
    if f"p_{form.classes[0]}" in at:
        shares = np.array(
            [[row[at[f"p_{label}"]] for label in form.classes] for row in found], dtype=np.float64
        )
    return Answers(classes=codes, numbers=shares)


def _label(label: object) -> object:
    return label if isinstance(label, bool | int | float) else str(label)
