"""``treewright report``: all that there is to say about a table and its tree, in one HTML file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.chart.words import NARROW_SPACE
from treewright.cli.command import DATA, Answer, Command
from treewright.cli.failure import usage
from treewright.cli.fitting.learner import choice_of, estimator_of, seed_of, table_of
from treewright.cli.fitting.like import Like, like_of
from treewright.cli.options import LEARNER, ROWS, TABLE
from treewright.cli.out_files import OutFile, check_out
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, statement
from treewright.cli.reading.file_faults import check_is_table
from treewright.cli.reading.tables import EXAMPLE, stem_of
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.algorithms import Choice
    from treewright.cli.data_files import LearningTable
    from treewright.cli.screen.screen import Screen
    from treewright.reporting.given import Given
    from treewright.reporting.report import Report

_SUFFIXES = (".html", ".htm")


def report(session: Session, *, data: str, out: str | None, **options: Any) -> Answer:
    """Write the report on a table."""
    path = _path(data, out)
    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    check_is_table(data)
    inputs = () if data == "-" or data.startswith(EXAMPLE) else (data,)
    file = check_out(session, path, inputs=inputs)
    table = table_of(session, data, options, like)
    estimator = estimator_of(choice, table)
    session.tell_notes(blank=not session.quiet)
    from treewright.reporting.report import report_on

    given = _given(session, table, _lines(choice, table, options, path))
    with Working(session, "growing, judging, comparing"):
        found = report_on(
            given,
            model=None if _is_default(choice, like) else estimator,
            folds=options["folds"],
            seed=seed_of(options),
        )
        found.save(path)
    session.writing = None
    return _answer(session, found, file)


def _path(data: str, out: str | None) -> str:
    """Return where the report goes; refused where it is no page."""
    path = out or f"{stem_of(data)}-report.html"
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise usage(
            f"{path} does not end in .html",
            code="unknown-format",
            hint=f"--out {Path(path).stem or 'report'}.html",
            parameter="out",
        )
    return path


def _is_default(choice: Choice, like: Like | None) -> bool:
    """Return whether nothing was typed about the learner: the report's own is the same tree."""
    return choice.algorithm == "tree" and not choice.settings and like is None


def _given(session: Session, table: LearningTable, python: str) -> Given:
    from treewright.reporting.given import Given, hash_of_file

    source = table.raw.source
    is_file = not table.raw.is_example and source != "-"
    left_out = dict.fromkeys(table.ignored, "--ignore")
    left_out |= dict.fromkeys(table.left_out, "all its values differ: it names rows")
    aside = {"identifier-left-out", "target-assumed"}
    return Given(
        X=table.X,
        y=table.y,
        task=table.task,
        name=_name(table),
        target=table.target,
        weights=table.weights,
        groups=table.groups,
        costs=table.costs,
        left_out=left_out,
        notes=tuple(note.message for note in session.notes if note.code not in aside),
        file_hash=hash_of_file(Path(source)) if is_file else None,
        command=shlex.join(["treewright", "report", *session.words]),
        python=python,
    )


def _name(table: LearningTable) -> str:
    """Return what the table is called: its file without the folder."""
    source = table.raw.source
    return table.raw.stem if table.raw.is_example or source == "-" else Path(source).name


def _answer(session: Session, found: Report, file: OutFile) -> Answer:
    size = Path(file.path).stat().st_size
    for kind, words in found.findings.warnings:
        session.warn(kind.lower(), words)
    return Answer(
        text=lambda screen: _text(found, screen),
        result=lambda: {
            "file": file.path,
            "replaced": file.replaces,
            "bytes": size,
            **found.to_dict(),
        },
        said=[f"{file.word} {session.side.bold(session.side.safe(file.path))}: {size:,} bytes"],
        is_screen=True,
    )


def _text(found: Report, screen: Screen) -> str:
    """Return the findings, a line or two for each section."""
    head, sections = found.head, found.sections
    lines = [screen.bold(_sentence(screen, head.finding)), _sentence(screen, head.lede), ""]
    width = max(len(each.name) for each in sections)
    indent = " " * (width + 2)
    for each in sections:
        told = f"{each.name.ljust(width)}  {each.finding}"
        lines.append(_sentence(screen, told, indent=indent))
    return "\n".join(lines)


def _sentence(screen: Screen, text: str, indent: str = "") -> str:
    """Return a sentence of the report on a screen, which has no narrow spaces."""
    return screen.sentence(screen.safe(text.replace(NARROW_SPACE, " ")), indent=indent)


def _lines(choice: Choice, table: LearningTable, options: dict[str, Any], path: str) -> str:
    """Return the lines of Python that make the same report."""
    from treewright.cli.fitting.python_fit import (
        X_of,
        costs_name,
        read_lines,
        row_arguments,
        variable,
    )

    name = variable(table.raw.stem)
    X = X_of(table, name)
    plain = choice.algorithm == "tree" and not choice.settings and choice.like is None
    rows: tuple[Raw, ...] = (Raw(name),) if f"{name}.X" == X else (Raw(X), Raw(f"{name}.y"))
    made = call(
        "tw.report",
        *rows,
        target=None if len(rows) == 1 else table.target,
        task=table.task,
        model=None if plain else Raw(choice.python(table)),
        **row_arguments(table, name),
        cost_matrix=costs_name(table),
        folds=options["folds"],
        name=_name(table),
        out=path,
        random_state=options["seed"] or None,
    )
    return "\n".join([choice.imports, *read_lines(table), statement(f"print({made})")])


def python(session: Session, *, data: str, out: str | None, **options: Any) -> str:
    """Return the lines that write the same report."""
    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    table = table_of(session, data, options, like)
    return _lines(choice, table, options, _path(data, out))


COMMAND = Command(
    name="report",
    sentence="Write one HTML file: the data, a tree, how good it is, and what else would do.",
    arguments=(DATA,),
    options=(
        *TABLE,
        *LEARNER,
        "folds",
        *ROWS,
        "out",
        "force",
    ),
    examples=(
        ("treewright report loans.csv", "loans-report.html"),
        ("treewright report loans.csv -t outcome --out risk.html", "named"),
        ("treewright report example:iris -a cart", "about another learner"),
    ),
    run=report,
    python=python,
    more=(
        "One file, without a request and without a script; it prints well. The figures in its head"
        " come from rows that chose nothing: 10 folds, 5 of tables with more than 250,000 cells;"
        " under 50 rows each row by itself. Above 2,000,000 cells learners are judged on rows drawn"
        " by the seed, and the report says so; the tree is grown from all."
    ),
)
