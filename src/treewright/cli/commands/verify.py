"""``treewright verify``: prove again that exported code answers as its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.command import MODEL, Answer, Argument, Command
from treewright.cli.failure import Failure
from treewright.cli.model_files import check_exists, load_model
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, load_line
from treewright.cli.screen.table import Column
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen

FILES = Argument(name="files", metavar="FILE", takes="file", several=True)


def verify(session: Session, *, model: str, files: tuple[str, ...]) -> Answer:
    """Run each file on boundary rows and compare it with the model."""
    from treewright import export

    loaded = load_model(model)
    for file in files:
        check_exists(file)
    proofs: dict[str, Any] = {}
    for file in files:
        with Working(session, f"proving {file}"):
            proofs[file] = export.verify(loaded, file)
    not_run = [(file, proof.not_run) for file, proof in proofs.items() if proof.not_run is not None]
    if not_run:
        file, reason = not_run[0]
        is_absent = reason.endswith(" here")  # else it is a picture: nothing could run it
        raise Failure(
            code="proof-not-run",
            message=f"{file} was not proved: {reason}",
            hint="install it, or verify where it is" if is_absent else "",
            file=file,
        )
    return Answer(
        text=lambda screen: _text(proofs, screen),
        result=lambda: {
            "files": [{"file": file, "proof": proof.to_dict()} for file, proof in proofs.items()]
        },
        failed=[
            f"{file} answers {proof.differing:,} of {proof.rows:,} rows otherwise"
            for file, proof in proofs.items()
            if not proof.holds
        ],
    )


def _text(proofs: dict[str, Any], screen: Screen) -> str:
    columns = [
        Column("file", list(proofs), cut=16),
        Column("rows", [f"{proof.rows:,} rows" for proof in proofs.values()], right=True),
        Column("engine", [proof.engine for proof in proofs.values()]),
        Column("", ["equal" if each.holds else "differs" for each in proofs.values()]),
    ]
    text = screen.table(columns)
    lines = text if screen.plain else text.split("\n", 1)[1]  # so few columns need no headers
    first = [
        f"{file}: {_in_brief(proof.first_difference)}"
        for file, proof in proofs.items()
        if proof.first_difference is not None
    ]
    return "\n".join([lines, *(screen.sentence(each, indent="  ") for each in first)])


def _in_brief(difference: str) -> str:
    """Return a difference, or of a program that failed the line that says why.

    >>> _in_brief("python failed with code 1:\\nTraceback:\\n  a < b\\nTypeError: no such order")
    'python failed with code 1: TypeError: no such order'
    """
    first, *rest = difference.splitlines()
    if not rest:
        return first
    why = next((line for line in rest if "rror: " in line), rest[-1])
    return f"{first} {why.strip()}"


def python(session: Session, *, model: str, files: tuple[str, ...]) -> str:
    """Return the lines that prove the same."""
    lines = [f"print({call('tw.export.verify', Raw('model'), file)})" for file in files]
    return "\n".join([load_line(model), *lines])


COMMAND = Command(
    name="verify",
    sentence="Prove again that exported code answers as its model: exit 3 where it does not.",
    arguments=(MODEL, FILES),
    options=(),
    examples=(
        ("treewright verify risk.tw risk.sql risk.c", "both, by sqlite and a C compiler"),
        ("treewright verify risk.tw risk.sql --json", "the proof for scripts"),
        ("treewright verify risk.tw risk.sql --quiet", "the exit code alone matters"),
    ),
    run=verify,
    python=python,
)
