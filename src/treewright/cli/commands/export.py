"""``treewright export``: a model as code or as another format, with proof."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from treewright.cli.command import MODEL, Answer, Command
from treewright.cli.failure import Failure, usage
from treewright.cli.hints import hint_for_shell
from treewright.cli.model_files import load_model
from treewright.cli.out_files import check_out
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, load_line, statement
from treewright.cli.screen.screen import Screen
from treewright.cli.session import Session


def export(
    session: Session,
    *,
    model: str,
    to: str | None,
    dialect: str | None,
    out: str | None,
    force: bool,
) -> Answer:
    """Write a model as code, run the code on boundary rows, and say what came of it."""
    target, path = _target(model, to, out)
    _check_dialect(target, dialect)
    if path == "-":
        return _printed(session, model, target, dialect)
    file = check_out(session, path, inputs=(model,))
    loaded = load_model(model)
    with Working(session, f"exporting and proving {path}"):
        made = _made(model, loaded, target, path, dialect)
    session.writing = None
    proof = made.proof
    failed = []
    if proof is not None and not proof.holds and proof.not_run is None:
        failed.append(f"{path} answers {proof.differing:,} of {proof.rows:,} rows otherwise")
    return Answer(
        text=lambda screen: exported_in_words(made, screen),
        result=lambda: exported_to_dict(made),
        said=[file.said(session.side)] if file.replaces else [],
        failed=failed,
    )


def _printed(session: Session, model: str, target: str, dialect: str | None) -> Answer:
    """Return code for standard output; what is said of it goes to standard error."""
    loaded = load_model(model)
    with Working(session, f"exporting and proving {target}"):
        made = _made(model, loaded, target, None, dialect)
    if isinstance(made.content, bytes):
        raise usage(
            f"{target} is no text, and goes to a file: --out FILE",
            code="option-value",
            parameter="out",
        )
    return Answer(
        text=lambda screen: made.text.rstrip("\n"),
        result=lambda: exported_to_dict(made),
        said=exported_in_words(made, session.side).splitlines(),
    )


def _made(model: str, loaded: Any, target: str, path: str | None, dialect: str | None) -> Any:
    from treewright import export
    from treewright.errors import UnsupportedError

    given = {} if dialect is None else {"dialect": dialect}
    try:
        return getattr(export, target)(loaded, path, **given)
    except UnsupportedError as error:
        raise _refused(str(error), model, target) from error


def _refused(text: str, model: str, target: str) -> Failure:
    """Return why a model has no form of a target, with the options that give another."""
    words, _, hint = text.partition("\n  Hint: ")
    others = re.fullmatch(r"export to ([a-z, ]+)\.", hint)
    if others is not None:
        hint = f"--to {' | '.join(re.split(', | or ', others[1]))}"
    return Failure(
        code="unsupported",
        message=f"{model} as {target}: {re.sub(r'^export[.a-z]*: ', '', words).rstrip('.')}",
        hint=hint_for_shell(hint).rstrip("."),
        file=model,
    )


def _check_dialect(target: str, dialect: str | None) -> None:
    """Refuse a dialect where there is none, and one that is not known."""
    from treewright.export.query.dialects import DIALECTS

    if dialect is None:
        return
    if target != "sql":
        raise usage(
            f"--dialect is one of SQL; --to {target} has none",
            code="option-value",
            hint=f"--to sql --dialect {dialect}",
            parameter="dialect",
        )
    if dialect not in DIALECTS:
        *first, last = DIALECTS
        raise usage(
            f"--dialect is {', '.join(first)} or {last}, not {dialect!r}",
            code="option-value",
            parameter="dialect",
        )


def _target(model: str, to: str | None, out: str | None) -> tuple[str, str]:
    """Return the target by ``--to`` or by the suffix of ``--out``, and the file's name."""
    from treewright.export import TARGETS
    from treewright.parameters import nearest

    if to is None:
        suffix = Path(out).suffix.lower() if out else ""
        by_suffix = [name for name, each in TARGETS.items() if suffix in each.suffixes]
        if not by_suffix:
            raise usage(
                "export needs a format" if out is None else f"{out} does not say its format",
                code="argument-missing",
                hint=f"--to {' | '.join(TARGETS)}",
                parameter="to",
            )
        to = by_suffix[0]
    if to not in TARGETS:
        near = nearest(to, TARGETS)
        raise usage(
            f"export knows no format {to!r}",
            code="unknown-format",
            hint=f"--to {near}" if near else f"--to {' | '.join(TARGETS)}",
            parameter="to",
        )
    return to, out or str(Path(model).with_suffix(TARGETS[to].suffixes[0]).name)


def exported_in_words(made: Any, screen: Screen) -> str:
    """Return what was written and its proof."""
    return "\n".join(screen.sentence(line, indent="  ") for line in str(made).splitlines())


def exported_to_dict(made: Any) -> dict[str, Any]:
    """Return what was written for ``--json``."""
    return {
        "file": None if made.path is None else str(made.path),
        "target": made.target,
        "dialect": made.dialect,
        "entry": made.entry,
        "proof": None if made.proof is None else made.proof.to_dict(),
        "left_out": list(made.left_out),
    }


def python(
    session: Session,
    *,
    model: str,
    to: str | None,
    dialect: str | None,
    out: str | None,
    force: bool,
) -> str:
    """Return the lines that write the same file."""
    target, path = _target(model, to, out)
    _check_dialect(target, dialect)
    made = call(f"tw.export.{target}", Raw("model"), path, dialect=dialect)
    return f"{load_line(model)}\n{statement(f'print({made})')}"


COMMAND = Command(
    name="export",
    sentence=(
        "Write a model as code or as another format, run it on boundary rows, and prove that every"
        " answer is the model's."
    ),
    arguments=(MODEL,),
    options=("to", "dialect", "out", "force"),
    examples=(
        ("treewright export risk.tw --to sql --out risk.sql", "SQL for SQLite"),
        ("treewright export risk.tw --out risk.c", "C99, by the suffix"),
        ("treewright export risk.tw --to sql --dialect postgresql", "another dialect"),
    ),
    run=export,
    python=python,
)
