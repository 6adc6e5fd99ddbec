"""What a command is: its words, its arguments and options, and the functions that do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.cli.options import ALWAYS, OPTIONS, Option

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen


@dataclass(frozen=True, kw_only=True)
class Argument:
    """Something that stands without an option.

    Parameters
    ----------
    name
        The name of its value in Python.
    metavar
        How the usage line calls it; empty where the argument before says it.
    takes
        ``"model"``, ``"data"``, ``"file"`` or ``"text"``: what completion offers.
    required, several
        Whether it must be there, and may be there more than once.
    """

    name: str
    metavar: str
    takes: str = "text"
    required: bool = True
    several: bool = False


MODEL = Argument(name="model", metavar="MODEL", takes="model")
DATA = Argument(name="data", metavar="DATA", takes="data")
VALUES = Argument(name="values", metavar="NAME=VALUE", required=False, several=True)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command found: the same for people, for scripts, and for the shell.

    Parameters
    ----------
    text
        Lays it out on a screen, for standard output; None where nothing is printed there.
    result
        The ``result`` of ``--json``; plain dicts, lists, strings and numbers.
    said
        Lines for standard error after the result (``saved loans.tw``); ``--quiet`` drops them.
    failed
        Checks that did not hold: each is said, and the exit code is 3.
    stopped
        Whether Ctrl-C came before the end: what is there is shown, and the exit code is 130.
    is_screen
        Whether ``--quiet`` drops the text, too: true of ``fit``, whose result is the file.
    """

    text: Callable[[Screen], str] | None
    result: Callable[[], Mapping[str, Any]]
    said: Sequence[str] = ()
    failed: Sequence[str] = ()
    stopped: bool = False
    is_screen: bool = False


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command.

    Parameters
    ----------
    name
        What is typed.
    sentence
        What it does, in one sentence.
    arguments
        What stands without an option, in order.
    options
        Names of its options in :data:`~treewright.cli.options.OPTIONS`; those that every command
        has are added.
    examples
        Three lines that run as printed, with what they do.
    run
        Called with the session, and every argument and option by name; gives the answer, or None
        where it printed everything itself.
    python
        The same arguments; gives the lines of Python that do the same.
    more
        What the help adds at its end.
    """

    name: str
    sentence: str
    arguments: tuple[Argument, ...]
    options: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]
    run: Callable[..., Answer | None]
    python: Callable[..., str] | None = None
    more: str = ""

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its options in the order of the help, those of every command included."""
        own = {*self.options, *ALWAYS}
        unknown = own - set(OPTIONS)
        assert not unknown, f"{self.name} names options that are not in the table: {unknown}"
        return tuple(option for name, option in OPTIONS.items() if name in own)

    @property
    def usage(self) -> str:
        """The usage line."""
        words = ["treewright", self.name]
        for each in self.arguments:
            if each.metavar.startswith("["):  # it says itself what may be left out
                words.append(each.metavar)
            elif each.metavar:
                word = each.metavar + (" ..." if each.several else "")
                words.append(word if each.required else f"[{word}]")
        return " ".join([*words, "[OPTIONS]"])
