"""``treewright convert``: a model between ``.tw`` and ``.json``, without loss."""

from __future__ import annotations

from pathlib import Path

from treewright.cli.command import Answer, Argument, Command
from treewright.cli.model_files import check_is_model, told_of_model
from treewright.cli.out_files import check_model_name, check_out
from treewright.cli.python_lines import call
from treewright.cli.session import Session


def convert(session: Session, *, model: str, to_file: str, force: bool) -> Answer:
    """Write a model in the format that the new name says."""
    del force  # the session has it
    from treewright.persist import files

    check_is_model(model)
    if to_file == "-":
        from treewright.state.json_twin import twin_bytes

        with told_of_model(model), files.checked_state(model) as state:
            text = twin_bytes(state).decode().removesuffix("\n")
        return Answer(text=lambda screen: text, result=lambda: {"file": None, "bytes": len(text)})
    check_model_name(to_file, command="convert")
    file = check_out(session, to_file, inputs=(model,))
    with told_of_model(model):
        files.convert(model, to_file)
    session.writing = None
    size = Path(to_file).stat().st_size
    return Answer(
        text=None,
        result=lambda: {"file": to_file, "replaced": file.replaces, "bytes": size},
        said=[f"{file.said(session.side)}: {size:,} bytes"],
    )


def python(session: Session, *, model: str, to_file: str, force: bool) -> str:
    """Return the lines that write the same file."""
    check_model_name(to_file, command="convert")
    return f"import treewright as tw\n{call('tw.persist.convert', model, to_file)}"


COMMAND = Command(
    name="convert",
    sentence="Write a model as .json, which people can read, or as .tw, without any loss.",
    arguments=(
        Argument(name="model", metavar="IN", takes="model"),
        Argument(name="to_file", metavar="OUT", takes="file"),
    ),
    options=("force",),
    examples=(
        ("treewright convert loans.tw loans.json", "readable text"),
        ("treewright convert loans.json copy.tw", "and back, to the bit"),
        ("treewright convert loans.tw copy.json --force", "over any file"),
    ),
    run=convert,
    python=python,
)
