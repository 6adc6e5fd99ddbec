"""``treewright``: find the command, run it, print what it found, and end with a code."""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Exit, Failure, failure_of, is_disk_full, usage
from treewright.cli.out_files import no_space_for
from treewright.cli.registry import COMMANDS
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.command import Answer, Command


_STOPPED = Failure(code="stopped", message="stopped", exit=Exit.STOPPED)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one line of the command line, and return its exit code.

    Parameters
    ----------
    argv
        The words after ``treewright``; by default those of the process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    code: int = Exit.DONE
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:  # before a command began
        print("stopped.", file=sys.stderr)
        return Exit.STOPPED
    except BrokenPipeError:
        _abandon_output()
        return Exit.CLOSED_PIPE
    except OSError as error:  # what is printed goes to a file, and its disk is full
        failure = failure_of(error)
        if failure is None:
            raise
        _abandon_output()
        if code == Exit.DONE or "--json" in words:  # else it was told when it was printed
            print(failure.text(), file=sys.stderr)
        return code or failure.exit


def _run(words: list[str]) -> int:
    if "_TREEWRIGHT_COMPLETE" in os.environ:
        from treewright.cli.shell.shells import complete

        return complete(os.environ["_TREEWRIGHT_COMPLETE"])
    session = Session.of("", _flags_among(words))
    try:
        told = _without_command(words, session)
        if told is not None:
            print(told)
            return Exit.DONE
        if words[0] == "--install-completion":
            from treewright.cli.shell.shells import install

            return install(words[1:])
        command = _find(words)
        session.command = command.name
        return _run_command(command, words[1:], session)
    except Failure as failure:  # before the command: nothing was read
        return _fail(failure, session)


def _flags_among(words: Sequence[str]) -> dict[str, Any]:
    """Return the flags that matter before the words are parsed: an error must know them."""
    names = ("json", "quiet", "plain", "no_color", "debug", "strict")
    return {name: "--" + name.replace("_", "-") in words for name in names}


_SCREEN_FLAGS = ("--no-color", "--plain", "--quiet", "-q")
"""What may stand beside a page of help."""


def _without_command(words: list[str], session: Session) -> str | None:
    """Return the front page, the version or a topic, where that is asked for."""
    from treewright.cli.help import pages as help_pages

    if words and words[0] in ("-h", "--help", "help"):
        words = [each for each in words if each not in _SCREEN_FLAGS]
    if not words or words in (["-h"], ["--help"], ["help"]):
        return help_pages.front_page(session.screen)
    if words == ["--version"]:
        from treewright import __version__

        return f"treewright {__version__}"
    if words[0] == "help":
        return help_pages.topic(words[1:], session.screen)
    return None


def _find(words: Sequence[str]) -> Command:
    from treewright.other_names import COMMANDS as OTHERS
    from treewright.parameters import nearest

    name = words[0]
    if name in COMMANDS:
        return COMMANDS[name].load()
    if name.startswith("-"):
        raise usage(
            f"the command stands first, then its options; {name} stands before it",
            code="unknown-command",
            hint="treewright COMMAND --help; treewright lists the commands",
        )
    near = OTHERS.get(name) or nearest(name, COMMANDS)
    raise usage(
        f"no command {name!r}",
        code="unknown-command",
        hint=f"treewright {near}" if near else "treewright lists the commands",
    )


def _run_command(command: Command, words: Sequence[str], session: Session) -> int:
    from treewright.cli.parse import parse

    try:
        values = parse(command, words)
        if values.get("help") or values.get("help_all"):
            from treewright.cli.help import pages as help_pages

            print(help_pages.command_page(command, session.screen, every=values["help_all"]))
            return Exit.DONE
        made = Session.of(command.name, values)
        session.__dict__.update(made.__dict__)
        session.words = tuple(words)
        own = {each.name for each in command.arguments} | set(command.options)
        given = {name: value for name, value in values.items() if name in own}
        with _warnings_told(session):
            if values["python"]:
                return _print_python(command, session, given)
            answer = command.run(session, **given)
        return _finish(session, answer)
    except KeyboardInterrupt:
        return _stopped(session)
    except BrokenPipeError:
        raise
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            return _fault(error, session)
        if is_disk_full(error) and session.writing is not None:
            failure = no_space_for(session.writing)
        if session.debug:
            traceback.print_exc()
        return _fail(failure, session)


def _print_python(command: Command, session: Session, given: dict[str, Any]) -> int:
    if command.python is None:
        raise usage(f"{command.name} has no lines of Python to print", code="no-python")
    lines = command.python(session, **given)
    session.tell_notes()
    print(lines)
    return Exit.DONE


def _finish(session: Session, answer: Answer | None) -> int:
    """Print an answer, for people or for scripts, and return the exit code."""
    failed = list(answer.failed) if answer is not None else []
    if session.strict:
        failed += [f"warning: {each.message}" for each in session.warnings]
    if answer is not None and session.json:
        from treewright.cli.json_document import document

        failure = _STOPPED if answer.stopped else None
        if failed and failure is None:
            failure = Failure(code="check-failed", message="; ".join(failed), exit=Exit.CHECK)
        print(
            document(session.command, notes=session.notes, result=answer.result(), failure=failure)
        )
    elif answer is not None:
        shown = answer.text is not None and not (session.quiet and answer.is_screen)
        text = answer.text(session.screen) if shown and answer.text is not None else ""
        session.tell_notes(blank=bool(text) and answer.is_screen)
        if text:
            print(text, flush=True)
        for line in answer.said:
            session.say(line)
    else:
        session.tell_notes()
    if answer is not None and answer.stopped:
        return Exit.STOPPED if session.json else _stopped(session)
    if not failed:
        return Exit.DONE
    if not session.json:
        for each in failed:
            print(f"{session.side.paint('check failed:', 'error')} {each}", file=sys.stderr)
    return Exit.CHECK


def _fail(failure: Failure, session: Session) -> int:
    if session.json:
        from treewright.cli.json_document import document

        print(document(session.command, notes=session.notes, failure=failure))
    else:
        session.tell_notes()
        block = failure.text().removeprefix("error:")
        print(f"{session.side.paint('error:', 'error')}{block}", file=sys.stderr)
    return failure.exit


def _fault(error: Exception, session: Session) -> int:
    """Tell of a fault of ours: the traceback unasked, and the line to report."""
    traceback.print_exc()
    line = f"{type(error).__name__}: {error}"
    failure = Failure(
        code="fault",
        message=f"a fault of treewright itself: {line}",
        hint="please report the lines above, with what you typed",
        exit=Exit.FAULT,
    )
    return _fail(failure, session)


def _stopped(session: Session) -> int:
    kept = "" if session.writing is None else f"; {session.writing} is as it was"
    saves = session.writing is not None
    if session.json:
        from treewright.cli.json_document import document

        print(document(session.command, notes=session.notes, failure=_STOPPED))
    else:
        words = f"stopped. Nothing saved{kept}." if saves else "stopped."
        print(f"\r{words}" if session.side.colour else words, file=sys.stderr)
    return Exit.STOPPED


@contextmanager
def _warnings_told(session: Session) -> Iterator[None]:
    """Turn the library's warnings into warnings of the session."""
    from treewright.cli.hints import column_of, hint_for_shell, words_for_shell
    from treewright.errors import TreewrightWarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,
        line: str | None = None,
    ) -> None:
        name = category.__name__.removesuffix("Warning")
        code = "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
        told, _, hint = str(message).partition("\n  Hint: ")
        words, usual = words_for_shell(" ".join(told.split()).rstrip("."))
        if _gist(code, words) not in {_gist(each.code, each.message) for each in session.warnings}:
            remedy = hint_for_shell(" ".join(hint.split())).rstrip(".") or usual
            column = column_of(words)
            if remedy == f"--kind {column}=date":  # where ISO is not how they are written
                notes = {each.column: each for each in session.notes if each.code == "near-numbers"}
                remedy = notes[column].remedy if column in notes else remedy
            session.warn(code, words, remedy=remedy, column=column)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TreewrightWarning)
        # Tables have names; a model that has none was asked by those it gives itself.
        warnings.filterwarnings("ignore", message="X has feature names, but")
        warnings.showwarning = show
        yield


def _gist(code: str, words: str) -> tuple[str, str]:
    """Return what a warning says, whichever rows it was said of: folds say it of fewer.

    >>> _gist("x", "column 'day' holds text ('13/04/2024')") == _gist(
    ...     "x", "column 'day' holds text ('1.2.2024')"
    ... )
    True
    """
    return code, re.sub(r" \('.*?'\)|[0-9][0-9,.]*", "", words)


def _prepare_streams() -> None:
    """Write UTF-8 on Windows, and never fail for a character that cannot be shown."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the shell: >&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue  # a captured stream
        if os.name == "nt":
            reconfigure(encoding="utf-8", errors="backslashreplace")
        else:
            reconfigure(errors="backslashreplace")


def _abandon_output() -> None:
    """Leave nothing for the interpreter to flush into a closed pipe, or to a full disk."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # a captured stream has no number
        return
    finally:
        os.close(nowhere)
