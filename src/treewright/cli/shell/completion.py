"""Completion of commands, options, algorithms, files and names of columns.

The shells call ``treewright`` with ``_TREEWRIGHT_COMPLETE`` set; click speaks bash, zsh and fish,
and PowerShell is added here.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from treewright.cli.command import Argument
    from treewright.cli.options import Option

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_HEADER_BYTES = 65_536
"""So much of a table is read for the names of its columns."""


def complete_argument(argument: Argument) -> Completer | None:
    """Return what completes an argument."""
    return _files if argument.takes in ("model", "data", "file") else None


def complete_option(option: Option) -> Completer | None:
    """Return what completes the value of an option."""
    if option.choices:
        return lambda context, parameter, typed: _those(option.choices, typed)
    if option.takes == "file":
        return _files
    return {
        "target": _column_names,
        "ignore": _column_names,
        "use": _column_names,
        "where": _column_names,
        "column": _column_names,
        "algorithm": _algorithms,
    }.get(option.name)


def _those(names: Any, typed: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(typed)]


def _files(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    if typed.startswith("example:"):
        from treewright.cli.names import EXAMPLES

        return _those([f"example:{name}" for name in EXAMPLES], typed)
    return [CompletionItem(typed, type="file")]


def _algorithms(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    from treewright.cli.names import ALGORITHMS

    return _those(ALGORITHMS, typed)


def _column_names(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Return the names in the header of the table already typed."""
    data = context.params.get("data")
    # The line is not whole yet, and click may not have come to its arguments.
    words = [data, *shlex.split(os.environ.get("COMP_WORDS", ""), posix=os.name != "nt")]
    data = next((w for w in words if isinstance(w, str) and Path(w).is_file()), None)
    if data is None:
        return []
    with Path(data).open("rb") as file:
        line = file.read(_HEADER_BYTES).split(b"\n", 1)[0].decode("utf-8", "replace")
    line = line.strip().lstrip("\ufeff")
    delimiter = max(",;\t|", key=line.count)
    names = [name.strip().strip('"') for name in line.split(delimiter)]
    before, comma, last = typed.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last)]
