"""DuckDB in this process, and PostgreSQL by a server that is started for the proof."""

from __future__ import annotations

import csv
import importlib
import io
import math
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.export.proof.engines.base import EngineError, call, version_of
from treewright.export.proof.engines.sql import (
    answers_of,
    rows,
    statements,
    table_of,
    within_reach,
)
from treewright.export.proof.model_answers import Answers

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.rows import Cases

_AT_ONCE = 200
_USER = "postgres"
"""Whom distributions let the server run as."""


class DuckDBEngine:
    """Asks DuckDB, a package of Python."""

    def version(self) -> str | None:
        """Return name and version; None where it is not installed."""
        try:
            duckdb = importlib.import_module("duckdb")
        except ImportError:
            return None
        return f"duckdb {duckdb.__version__}"

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no duckdb here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows that the database can hold."""
        return within_reach(form, cases, "duckdb")

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the query's answers about rows."""
        duckdb = importlib.import_module("duckdb")
        connection = duckdb.connect(":memory:", config={"threads": 1})
        try:
            create, insert = statements(form, exported)
            connection.execute(create)
            given = rows(form, cases, "duckdb")
            one = insert.partition(" VALUES ")[2]
            for start in range(0, len(given), _AT_ONCE):
                block = given[start : start + _AT_ONCE]
                many = f"{insert.partition(' VALUES ')[0]} VALUES {', '.join([one] * len(block))}"
                connection.execute(many, [value for row in block for value in row])
            cursor = connection.execute(exported.text)
            names = [each[0] for each in cursor.description]
            found = cursor.fetchall()
        except duckdb.Error as error:
            raise EngineError(f"duckdb refused the query: {error}") from error
        finally:
            connection.close()
        return answers_of(form, names, found)


class PostgreSQLEngine:
    """Starts a PostgreSQL server in a temporary folder and asks it through psql."""

    def version(self) -> str | None:
        """Return name and version; None where there is no server or no client."""
        if _program("initdb") is None or shutil.which("psql") is None:
            return None
        return version_of([str(_program("postgres")), "--version"], 2, "postgresql")

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no postgresql here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows that the database can hold."""
        return within_reach(form, cases, "postgresql")

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the query's answers about rows."""
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            return _asked(Path(folder), form, exported, cases)


def _program(name: str) -> Path | None:
    """Return a program of the server, which distributions keep outside the usual path."""
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    kept = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return kept[-1] if kept else None


def _asked(folder: Path, form: Form, exported: Exported, cases: Cases) -> Answers:
    data, sockets = folder / "data", folder / "run"
    sockets.mkdir()
    user = None
    if os.getuid() == 0:  # the server refuses to run as root
        import pwd  # Unix alone has it

        user = _USER
        try:
            pwd.getpwnam(user)
        except KeyError:
            raise EngineError("postgresql does not run as root.") from None
        call(["chown", "-R", user, str(folder)])
    # To compile a query of 2 MB takes minutes and a gigabyte; without, 20,000 rows take 10 seconds.
    options = f"-k {sockets} -c listen_addresses='' -c fsync=off -c jit=off"
    call(
        [str(_program("initdb")), "-D", data, "-A", "trust", "-U", "tw", "-E", "UTF8"],
        user=user,
    )
    control = str(_program("pg_ctl"))
    log = str(folder / "log")
    start = [control, "-D", str(data), "-w", "-l", log, "-o", options]
    call([*start, "start"], user=user)
    try:
        create, _ = statements(form, exported)
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        for row in rows(form, cases, "postgresql"):
            writer.writerow([_cell(value) for value in row])
        text = lines.getvalue()
        copy = f"COPY {table_of(exported)} FROM STDIN WITH (FORMAT csv, NULL '\\N')"
        query = exported.text.rstrip().rstrip(";")
        asks = f"COPY ({query}\n) TO STDOUT WITH (FORMAT csv, HEADER)"
        script = f"{create};\n{copy};\n{text}\\.\n{asks};\n"
        client = ["psql", "-h", str(sockets), "-U", "tw", "-d", "postgres", "-q", "-X"]
        printed = call([*client, "-v", "ON_ERROR_STOP=1"], text=script)
    finally:
        call([control, "-D", data, "-m", "immediate", "stop"], user=user)
    names, *found = list(csv.reader(io.StringIO(printed)))
    return answers_of(form, names, [_typed(form, names, row) for row in found])


def _cell(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)


def _typed(form: Form, names: list[str], row: list[str]) -> list[Any]:
    """Return a line of text with its predictions as numbers, flags and texts."""
    typed: list[Any] = list(row)
    at = {name: place for place, name in enumerate(names)}
    labels = form.classes or (0.0,)
    said = row[at["prediction"]]
    sample = labels[0]
    if isinstance(sample, bool):
        typed[at["prediction"]] = said == "t"
    elif isinstance(sample, int | float):
        typed[at["prediction"]] = float(said) if said else np.nan
    for label in form.classes or ():
        place = at.get(f"p_{label}")
        if place is not None:
            typed[place] = float(row[place])
    return typed
