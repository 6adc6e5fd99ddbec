"""SQL of SQLite, DuckDB and PostgreSQL: a query that adds predictions to the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.errors import ParameterError
from treewright.export.code.inputs_text import refuse_texts
from treewright.export.code.names import identifier, in_comment
from treewright.export.code.texts import head_of, left_out_of
from treewright.export.exported import Exported
from treewright.export.form import graph as kinds
from treewright.export.form.build import form_of
from treewright.export.form.unfold import unfolded
from treewright.export.query.dialects import DIALECTS, Dialect
from treewright.export.query.query import Query
from treewright.parameters import check_choice

if TYPE_CHECKING:
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_MOST_NODES = 50_000
_MOST_UNFOLDED = 500
"""Nodes of a tree that is unfolded into one expression; a larger one is divided by steps."""
_SLOW_TO_COMPILE = 50_000
"""Characters of a query that PostgreSQL compiles (jit, if it expects many rows) for too long."""


def sql_source(
    model: object,
    *,
    name: str = "model",
    dialect: str = "sqlite",
    table: str = "data",
    proba: bool = False,
) -> Exported:
    """Return a model as a query; see :func:`treewright.export.sql`."""
    check_choice("dialect", dialect, tuple(DIALECTS))
    if not isinstance(table, str) or not table:
        raise ParameterError(f"table={table!r} must be the name of a table.")
    form = form_of(model)
    refuse_texts(form, "sql", zero_ends=True)
    spoken = DIALECTS[dialect]
    _check(form, spoken)
    name = identifier(name, otherwise="model")
    flat = unfolded(form, most_nodes=min(_MOST_UNFOLDED * form.n_trees, _MOST_NODES))
    if flat is None and form.n_trees > 1 and form.graph.divides:
        flat = unfolded(form)
    query = Query(flat or form, spoken, table=spoken.quoted(table), proba=proba).text()
    lines = [f"-- {head_of(form, 'sql', name, dialect)}", "-- NULL is missing. Columns:"]
    lines += [f"--   {in_comment(each.name)}: {column_type(each, spoken)}" for each in form.inputs]
    if dialect == "postgresql" and len(query) > _SLOW_TO_COMPILE:
        lines.append("-- SET jit = off; first: to compile a query of this size takes minutes.")
    n_questions = int((form.graph.kind != kinds.LEAF).sum())
    what = "one CASE expression" if query.startswith("SELECT") else "a query"
    return Exported(
        content="\n".join([*lines, query]) + ";\n",
        target="sql",
        dialect=dialect,
        entry=f"SELECT ... FROM {spoken.quoted(table)}",
        name=name,
        said=(
            f"{what} for {spoken.title}, {_counted(n_questions, 'question')} about"
            f" {_counted(len(form.inputs), 'column')}"
        ),
        left_out=(*left_out_of(form), *_stops(form, spoken)),
    )


def _stops(form: Form, dialect: Dialect) -> tuple[str, ...]:
    """Return where the database ends a query with an error, in words."""
    if dialect.name != "postgresql" or (
        form.graph.models is None and not form.graph.has(kinds.LINEAR)
    ):
        return ()
    return (
        "PostgreSQL ends the query with an error where a product of a column and a coefficient is"
        " beyond 1e308 or, other than 0, below 1e-308",
    )


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def column_type(each: Input, dialect: Dialect) -> str:
    """Return the type that the column of an input has in a table."""
    if each.type == "instant":
        if dialect.name == "sqlite":
            return "TEXT, as 2024-03-01 or 2024-03-01 12:00:00"
        return "TIMESTAMPTZ" if each.spec.time_zone else "TIMESTAMP"
    unsigned = {"duckdb": "UBIGINT", "postgresql": "NUMERIC(20)"}.get(dialect.name, "INTEGER")
    unit = {"ns": "nanoseconds", "us": "microseconds"}.get(each.spec.unit or "", "")
    whole = "INTEGER" if dialect.name == "sqlite" else "BIGINT"
    types = {
        "number": dialect.double,
        "numeral": dialect.double,
        "whole": whole,
        "unsigned": unsigned,
        "duration": f"{whole}, in {unit}",
        "text": "TEXT",
        "flag": "BOOLEAN",
    }
    return types[each.type]


def _check(form: Form, dialect: Dialect) -> None:
    graph = form.graph
    if graph.n_nodes > _MOST_NODES:
        raise form.refuse(
            "sql",
            f"the model has {graph.n_nodes:,} nodes, and a query of more than {_MOST_NODES:,} is"
            " beyond what databases take",
            "export to c, rust or javascript, where large models are data",
        )
    for each in form.inputs:
        if "\0" in each.name:
            raise form.refuse(
                "sql", f"column {each.name!r} has a zero byte in its name", "rename the column"
            )
        if each.type == "unsigned" and dialect.name == "sqlite":
            raise form.refuse(
                "sql",
                f"column {each.name!r} has whole numbers beyond 2^63, which SQLite has not",
                "dialect='duckdb' or 'postgresql'",
            )
