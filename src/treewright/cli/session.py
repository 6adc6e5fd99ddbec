"""One call of the command line: its screens, its notes and warnings, its flags."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from treewright.cli.screen.screen import Screen, is_terminal, screen_of
from treewright.cli.screen.table import display_width

_REMEDIES_AT = 56
"""Notes say in brackets what overrules them; the brackets stand below each other, here."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that was assumed, or that is amiss.

    Parameters
    ----------
    code
        Its kind, for scripts: ``"target-assumed"``.
    message
        What is to be known.
    remedy
        The option that overrules it.
    column
        The column it is about.
    kind
        ``"note"`` or ``"warning"``.
    """

    code: str
    message: str
    remedy: str = ""
    column: str | None = None
    kind: str = "note"

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        return {
            "code": self.code,
            "kind": self.kind,
            "message": self.message,
            "remedy": self.remedy or None,
            "column": self.column,
        }


@dataclass(kw_only=True)
class Session:
    """What all commands share while one of them runs.

    Parameters
    ----------
    command
        Its name.
    screen, side
        The screens of standard output and standard error.
    json, quiet, strict, force, progress, debug
        The options of these names.
    notes
        All notes and warnings so far, in order.
    writing
        The file that would be replaced, for the word after Ctrl-C.
    words
        What was typed after the command.
    """

    command: str
    screen: Screen
    side: Screen
    json: bool = False
    quiet: bool = False
    strict: bool = False
    force: bool = False
    progress: bool = False
    debug: bool = False
    notes: list[Note] = field(default_factory=list)
    writing: str | None = None
    words: tuple[str, ...] = ()
    _told: int = 0

    @classmethod
    def of(cls, command: str, flags: dict[str, Any]) -> Session:
        """Return the session of a command with these values of the options all commands have."""

        def screen(stream: TextIO) -> Screen:
            return screen_of(
                stream,
                width=flags.get("width"),
                plain=bool(flags.get("plain")),
                no_color=bool(flags.get("no_color")),
            )

        return cls(
            command=command,
            screen=screen(sys.stdout),
            side=screen(sys.stderr),
            json=bool(flags.get("json")),
            quiet=bool(flags.get("quiet")),
            strict=bool(flags.get("strict")),
            force=bool(flags.get("force")),
            progress=bool(flags.get("progress")),
            debug=bool(flags.get("debug")),
        )

    @property
    def out(self) -> TextIO:
        """Standard output."""
        return sys.stdout

    @property
    def asks(self) -> bool:
        """Whether a person can be asked: keyboard and screen are a terminal."""
        return is_terminal(sys.stdin) and is_terminal(sys.stdout) and not self.json

    def note(self, code: str, message: str, *, remedy: str = "", column: str | None = None) -> None:
        """Add a note: something that was assumed, and the option that overrules it."""
        self.notes.append(Note(code=code, message=message, remedy=remedy, column=column))

    def warn(self, code: str, message: str, *, remedy: str = "", column: str | None = None) -> None:
        """Add a warning, once; with ``--strict`` it is a failed check."""
        made = Note(code=code, message=message, remedy=remedy, column=column, kind="warning")
        if made not in self.notes:  # folds and the model itself say the same
            self.notes.append(made)

    @property
    def warnings(self) -> list[Note]:
        """The warnings among the notes."""
        return [note for note in self.notes if note.kind == "warning"]

    def tell_notes(self, *, blank: bool = False) -> None:
        """Print the notes that were not printed yet, on standard error.

        Parameters
        ----------
        blank
            End with an empty line, before a screen.
        """
        fresh = self.notes[self._told :]
        self._told = len(self.notes)
        if self.json or self.quiet or not fresh:
            return
        print("\n".join(notes_in_words(fresh, self.side)), file=sys.stderr)
        if blank:
            print(file=sys.stderr)
        sys.stderr.flush()

    def say(self, line: str) -> None:
        """Print a line on standard error, unless the call is a quiet one."""
        if not self.quiet and not self.json:
            print(line, file=sys.stderr, flush=True)


def notes_in_words(notes: Sequence[Note], screen: Screen) -> list[str]:
    """Return the lines of notes, with the remedies below each other.

    >>> note = Note(code="x", message="target 'outcome', the last column", remedy="--target NAME")
    >>> notes_in_words([note], Screen())
    ["note: target 'outcome', the last column                 (--target NAME)"]
    """
    heads = [f"{note.kind}: {screen.safe(note.message)}" for note in notes]
    with_remedy = [head for head, note in zip(heads, notes, strict=True) if note.remedy]
    place = max([_REMEDIES_AT, *(display_width(head) + 2 for head in with_remedy)])
    width = screen.width
    longest = max((len(note.remedy) + 2 for note in notes if note.remedy), default=0)
    if width is not None and place + longest > width:
        place = max(display_width(head) + 2 for head in with_remedy)
    lines = []
    for note, head in zip(notes, heads, strict=True):
        label = f"{note.kind}:"
        rest = head.removeprefix(label)
        painted = screen.paint(label, "note")
        if not note.remedy:
            lines.append(painted + screen.sentence(head, indent="  ").removeprefix(label))
            continue
        remedy = f"({screen.safe(note.remedy)})"
        if width is not None and place + len(remedy) > width:
            text = screen.sentence(f"{head} {remedy}", indent="  ")
            lines.append(painted + text.removeprefix(label))
            continue
        space = " " * (place - display_width(head))
        lines.append(f"{painted}{rest}{space}{screen.dim(remedy)}")
    return lines
