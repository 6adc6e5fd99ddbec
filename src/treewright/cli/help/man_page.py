"""The man page, made of the same words as the pages of help."""

from __future__ import annotations

from treewright.cli.options import Option
from treewright.cli.registry import COMMANDS


def man_page() -> str:
    """Return the page for ``man`` (roff), without a date: it is the same each day."""
    from treewright import __version__

    lines = [
        f'.TH TREEWRIGHT 1 "" "treewright {__version__}" "User commands"',
        ".SH NAME",
        r"treewright \- decision trees, grown exactly and explained",
        ".SH SYNOPSIS",
        ".B treewright",
        r"COMMAND [MODEL] [DATA] [NAME=VALUE ...] [OPTIONS]",
        ".SH COMMANDS",
    ]
    for entry in COMMANDS.values():
        command = entry.load()
        lines += [f".SS {_escaped(entry.name)}", _escaped(command.sentence), ".PP"]
        lines += [f".I {_escaped(command.usage)}"]
        for example, what in command.examples:
            lines += [".TP", f".B {_escaped(example)}", _escaped(what)]
        for option in command.all_options:
            lines += [".TP", f".B {_escaped(_words(option))}", _escaped(option.help)]
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 data, file or machine; 2 usage (nothing was read); 3 a check asked for did not",
        "hold; 70 a fault of treewright; 130 Ctrl-C; 141 closed pipe.",
        ".SH ENVIRONMENT",
        "NO_COLOR, FORCE_COLOR, TERM, COLUMNS, TREEWRIGHT_PLAIN, TREEWRIGHT_THREADS: none changes",
        "a figure.",
    ]
    return "\n".join(lines)


def _words(option: Option) -> str:
    letter = f"-{option.letter}, " if option.letter else ""
    return f"{letter}{option.long} {option.metavar}".rstrip()


def _escaped(text: str) -> str:
    """Return a text for roff: hyphens that can be copied, no line that begins with a request."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain[:1] in (".", "'") else plain
