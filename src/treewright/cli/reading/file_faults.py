"""What may be wrong with a table's file, told with the option that mends it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli.failure import Exit, Failure, failure_of
from treewright.cli.screen.screen import is_terminal
from treewright.errors import DataError, ParameterError, StrayTextError
from treewright.text.numbers import size_in_words

if TYPE_CHECKING:
    from treewright.cli.data_files import HowToRead

_HEAD = 1 << 20
_BYTES_PER_CELL = 40
"""A cell as text, as a number, coded and sorted at once: reckoned, not measured."""


def check_before_reading(data: str, how: HowToRead) -> None:
    """Refuse what cannot be read, before it is: no file, no rows on stdin, more than fits."""
    if data == "-":
        _check_stdin()
        return
    from treewright.cli.model_files import check_exists

    check_exists(data)
    file = Path(data)
    if not file.is_file():
        return  # what is read of a pipe is gone
    if file.stat().st_size == 0:
        raise Failure(code="no-rows", message=f"{data} is empty", file=data)
    if file.stat().st_size > _HEAD:
        _check_memory(file, data)
    if how.delimiter is not None:
        _check_delimiter(file, data, how.delimiter)


def check_is_table(data: str) -> None:
    """Refuse a folder or a model where a table is due."""
    from treewright.cli.model_files import check_exists, is_model

    if Path(data).is_dir():
        check_exists(data)
    if data != "-" and Path(data).is_file() and is_model(data):
        raise Failure(
            code="not-a-table",
            message=f"{data} is a model, not a table",
            hint=f"treewright info {data} says what it is",
            file=data,
        )


def _check_delimiter(file: Path, data: str, given: str) -> None:
    """Refuse a delimiter that is in no header, where another divides every line alike."""
    with file.open("rb") as opened:
        head = opened.read(1 << 16).decode("utf-8", "replace")
    lines = head.splitlines()[:20]
    mark = {"tab": "\t", "\\t": "\t"}.get(given, given)
    if not lines or mark in lines[0]:
        return
    for other in (";", "\t", "|", ","):
        n_times = lines[0].count(other)
        if n_times and all(line.count(other) == n_times for line in lines[:-1]):
            shown = lines[0] if len(lines[0]) <= 20 else f"{lines[0][:17]}…"
            raise Failure(
                code="delimiter",
                message=(
                    f"{data} has one column, {shown!r}, and {other!r} {n_times} times in every line"
                ),
                hint="--delimiter tab" if other == "\t" else f"--delimiter '{other}'",
                file=data,
            )


def _check_stdin() -> None:
    if is_terminal(sys.stdin):
        raise Failure(
            code="stdin-is-terminal",
            message="- reads standard input, which is the keyboard here",
            hint="gzip -dc data.csv.gz | treewright fit -",
        )


def nothing_on_stdin() -> Failure:
    """Return the failure of a pipe that brought no rows."""
    return Failure(
        code="stdin-empty",
        message="nothing came on stdin",
        found="The command before the pipe printed no rows; its own message is above.",
    )


def _check_memory(file: Path, data: str) -> None:
    """Refuse a file of text that would need more memory than there is."""
    from treewright.memory import available_memory

    with file.open("rb") as opened:
        head = opened.read(_HEAD)
    if b"\0" in head or head[:2] in (b"\x1f\x8b", b"BZ", b"\xfd7"):
        return  # Parquet and compressed files tell nothing by their size
    lines = max(1, head.count(b"\n"))
    first = head.split(b"\n", 1)[0]
    n_columns = max(first.count(mark) for mark in (b",", b";", b"\t", b"|")) + 1
    n_rows = file.stat().st_size * lines // len(head)
    needed = n_rows * n_columns * _BYTES_PER_CELL
    free = available_memory()
    if free is None or needed <= free:
        return
    raise Failure(
        code="memory",
        message=(
            f"{data} needs about {size_in_words(needed)} to fit ({n_rows:,} rows x {n_columns}"
            f" columns); {size_in_words(free)} are free"
        ),
        hint=(
            f"fewer rows: head -n {_round_down(free * n_rows // needed)} of the file; fewer"
            " columns: cut, or a Parquet file"
        ),
        file=data,
    )


def _round_down(n: int) -> int:
    """Return a number of one digit and zeros, at most so large, but for 0.

    >>> _round_down(2_345_678), _round_down(87), _round_down(0)
    (2000000, 80, 1)
    """
    step: int = 10 ** (len(str(n)) - 1)
    return max(n // step * step, 1)


@contextmanager
def told_as_options(data: str, how: HowToRead) -> Iterator[None]:
    """Tell the library's errors about a file in the words of the options."""
    try:
        yield
    except StrayTextError as error:
        failure = failure_of(error)
        assert failure is not None
        failure.code, failure.file, failure.line = "stray-text", data, error.line
        failure.column = error.column
        first = options_in_words(" or ".join(error.ways)) or "mend it"
        failure.hint = f"{first}; or --missing {_typed(error.text)}; or --kind {error.column}=text"
        raise failure from error
    except DataError as error:
        if data == "-" and "is empty" in str(error):
            raise nothing_on_stdin() from error
        failure = failure_of(error)
        assert failure is not None
        failure.file = data
        raise _with_options(failure) from error
    except ParameterError as error:
        failure = failure_of(error)
        assert failure is not None
        absent = re.match(r"there is no column ('.*') in the file", failure.message)
        if absent is not None:
            failure.code, failure.exit, failure.file = "column-not-found", Exit.DATA, data
            failure.message = f"no column {absent[1]} in {data}"
            failure.hint = failure.hint or f"treewright info {data} lists them"
        raise _with_options(failure) from error


def _typed(text: str) -> str:
    return text if text.isalnum() else f"'{text}'"


def _with_options(failure: Failure) -> Failure:
    """Return a failure whose hint names options, not parameters of Python."""
    failure.hint = options_in_words(failure.hint)
    return failure


def options_in_words(hint: str) -> str:
    """Return a hint with options of reading as they are typed.

    >>> options_in_words("decimal=',', thousands='.' reads them; or pass header=False")
    "--decimal ',' --thousands '.' reads them; or --header no"
    >>> options_in_words("a field is quoted, or delimiter= is another.")
    'a field is quoted, or --delimiter is another.'
    """
    hint = re.sub(r"(decimal='.'), (thousands=)", r"\1 \2", hint)
    for name in ("delimiter", "decimal", "encoding", "thousands", "header", "dates"):
        hint = re.sub(rf"(?:pass )?\b(?<!-){name}= ?", f"--{name} ", hint)
    for value, word in (("False", "no"), ("True", "yes")):
        hint = hint.replace(f"--header {value}", f"--header {word}")
    return hint
