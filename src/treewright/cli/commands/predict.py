"""``treewright predict``: answers for the rows of a table of any size."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.command import DATA, MODEL, Answer, Command
from treewright.cli.data_files import EXAMPLE, HowToRead, read_table
from treewright.cli.failure import Failure, usage
from treewright.cli.model_files import check_exists, describe_model
from treewright.cli.options import READING
from treewright.cli.out_files import check_out
from treewright.cli.progress import Working
from treewright.cli.python_lines import call, statement
from treewright.cli.reading.file_faults import check_before_reading, told_as_options
from treewright.cli.reading.how_to_read import options_of
from treewright.cli.session import Session
from treewright.errors import DataError, ParameterError

if TYPE_CHECKING:
    from treewright.persist.file_answers import PredictedFile

_VALUES_SHOWN = 3
_FORMATS = ("csv", "tsv", "jsonl", "parquet")
_PLAIN = ("", ".txt", ".dat", ".gz", ".bz2", ".xz")
"""Suffixes that say nothing about what is in a file."""


def predict(
    session: Session,
    *,
    model: str,
    data: str,
    proba: bool,
    only: bool,
    keep: tuple[str, ...],
    interval: float | None,
    as_: str | None,
    out: str | None,
    to: str | None,
    force: bool,
    **options: Any,
) -> Answer | None:
    """Write the answers of a model for the rows of a table."""
    del force  # the session has it
    if to is not None and to not in _FORMATS:
        raise usage(
            f"--to {to}: predict writes {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}",
            code="option-value",
            parameter="to",
        )
    _check_out_format(out, to)
    check_exists(model)
    how = HowToRead(**{name: options[name] for name in READING})
    if data == "-":
        check_before_reading(data, how)
    elif not data.startswith(EXAMPLE):
        check_exists(data)
    file = None
    if out is not None and out != "-":
        file = check_out(session, out, inputs=(model, data))
    is_piped = out is None or out == "-"
    format_ = "jsonl" if session.json and is_piped and to is None else to
    describe_model(model)  # a damaged file is told as such
    asked = {
        "proba": proba,
        "only": only,
        "keep": keep or None,
        "interval": interval,
        "name": as_ or "prediction",
        "format": format_,
    }
    found = _predicted(session, model, data, how, out or "-", asked)
    _tell_unseen(session, found, model)
    session.writing = None
    if is_piped:
        return None
    told = f"{found.rows:,} {'row' if found.rows == 1 else 'rows'}"
    return Answer(
        text=None,
        result=lambda: {"file": out, "rows": found.rows, "unseen": found.unseen},
        said=[] if file is None else [f"{file.said(session.side)}: {told}"],
    )


def _predicted(
    session: Session, model: str, data: str, how: HowToRead, out: str, asked: dict[str, Any]
) -> PredictedFile:
    from treewright.persist.file_answers import predict_file

    is_example = data.startswith(EXAMPLE)
    source = read_table(session, data).frame if is_example else data
    options = replace(options_of(how), format=how.from_)
    started = time.monotonic()
    with told_as_options(data, how), Working(session, f"predicting {data}") as working:

        def told(n_rows: int) -> None:
            rate = n_rows / max(time.monotonic() - started, 1e-3)
            working.tell(f"{n_rows:,} rows, {rate:,.0f} a second")

        try:
            return predict_file(model, source, out, options=options, told=told, **asked)
        except DataError as error:
            if "no longer has its training rows" not in str(error):
                raise
            raise Failure(
                code="no-interval",
                message=f"{model} has not learned how sure it is",
                hint=f"treewright fit DATA --interval {asked['interval']:g} --out {model}",
                file=model,
                parameter="interval",
            ) from error
        except ParameterError as error:
            if "has a column" not in str(error):
                raise
            raise _clash(str(error), str(asked["name"]), data) from None


def _check_out_format(out: str | None, to: str | None) -> None:
    """Refuse a name that promises another kind of file than could be written."""
    from treewright.data.files.write_rows import format_of

    suffix = Path(out or "").suffix.lower()
    if to is None and out is not None and suffix not in _PLAIN and format_of(out) is None:
        raise usage(
            f"{out}: predict writes {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}",
            code="unknown-format",
            hint=f"--out {Path(out).stem}.csv, or --to csv whatever its name",
            parameter="out",
        )


def _clash(text: str, name: str, data: str) -> Failure:
    message = text.partition("\n")[0].rstrip(".")
    hint = f"--as {name}_2, or --only" if f" {name!r} " in message else "--only"
    return Failure(code="name-clash", message=message, hint=hint, file=data)


def _tell_unseen(session: Session, found: PredictedFile, model: str) -> None:
    for column, counts in found.unseen.items():
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        shown = [f"{value} {n_rows:,}" for value, n_rows in ranked[:_VALUES_SHOWN]]
        if len(ranked) > _VALUES_SHOWN:
            shown.append(f"{len(ranked) - _VALUES_SHOWN} more values")
        n_rows = sum(counts.values())
        have = "has" if n_rows == 1 else "have"
        rows = "row" if found.rows == 1 else "rows"
        session.warn(
            "unseen-category",
            f"{n_rows:,} of {found.rows:,} {rows} {have} {_article(column)} {column!r} unknown to"
            f" {model} ({', '.join(shown)}); treated as missing",
            column=column,
        )


def _article(name: str) -> str:
    return "an" if name[:1].lower() in ("a", "e", "i", "o", "u") else "a"


def python(
    session: Session,
    *,
    model: str,
    data: str,
    proba: bool,
    only: bool,
    keep: tuple[str, ...],
    interval: float | None,
    as_: str | None,
    out: str | None,
    to: str | None,
    **options: Any,
) -> str:
    """Return the lines that write the same answers."""
    written = call(
        "tw.persist.predict_file",
        model,
        data,
        out or "-",
        proba=proba,
        only=only,
        keep=list(keep),
        interval=interval,
        name=as_,
        format="jsonl" if session.json and out is None and to is None else to,
    )
    return f"import treewright as tw\n{statement(written)}"


COMMAND = Command(
    name="predict",
    sentence="Write a model's answers for the rows of a table of any size, in chunks.",
    arguments=(MODEL, DATA),
    options=(
        *READING,
        "proba",
        "only",
        "keep",
        "interval",
        "as_",
        "out",
        "to",
        "force",
    ),
    examples=(
        ("treewright predict loans.tw loans.csv -o new.csv", "table and answers"),
        ("treewright predict loans.tw loans.csv --proba --only", "answers alone"),
        ("treewright predict loans.tw - --only < loans.csv", "rows from a pipe"),
    ),
    run=predict,
    python=python,
    more=(
        "The table is read as the model's own was. Its columns pass through as they are written;"
        " CSV, TSV, JSON lines, Parquet and gzip in and out by suffix, or by --from and --to."
    ),
)
