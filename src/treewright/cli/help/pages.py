"""The pages of help: the front page, one page a command, and the topics."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from treewright.cli.command import Command
from treewright.cli.failure import usage
from treewright.cli.options import Option
from treewright.cli.registry import COMMANDS
from treewright.cli.screen.screen import Screen

_FRONT = """\
treewright {version}: decision trees, grown exactly and explained

  treewright demo            a tour of one minute; writes nothing
  treewright fit data.csv    a tree of your table and its error
"""
_LAST = "treewright COMMAND --help    treewright help TOPIC    --version"
_GROUPS = ("Learn", "Read", "Judge", "Use")
_HEADINGS = {"table": "Table", "model": "Model", "judging": "Judging", "output": "Output"}
_WIDTH = 80
_MOST_OPTIONS = 20


def front_page(screen: Screen) -> str:
    """Return what ``treewright`` alone prints."""
    from treewright import __version__

    lines = [_FRONT.format(version=__version__)]
    for group in _GROUPS:
        entries = [entry for entry in COMMANDS.values() if entry.group == group]
        for i, entry in enumerate(entries):
            heading = screen.bold(group) + " " * (8 - len(group)) if i == 0 else " " * 8
            lines.append(f"{heading}  {entry.name:8}  {entry.line}")
    return "\n".join([*lines, "", _LAST])


def command_page(command: Command, screen: Screen, *, every: bool = False) -> str:
    """Return the help of a command: what it does, usage, examples, options in four groups.

    Parameters
    ----------
    every
        Show the options that are rarely needed, too.
    """
    from treewright.cli.help.topics import TOPICS

    lines = [textwrap.fill(command.sentence, _WIDTH), "", f"usage: {command.usage}", ""]
    lines.append(screen.bold("Examples"))
    lines += _examples(command)
    options = command.all_options
    shown = [option for option in options if every or not option.rare]
    for group, heading in _HEADINGS.items():
        own = [option for option in shown if option.group == group]
        if own:
            lines += ["", screen.bold(heading), *map(_option_line, own)]
    hidden = len(options) - len(shown)
    if hidden:
        lines += ["", f"{hidden} more: treewright {command.name} --help-all"]
    if command.more:
        lines += ["", *(textwrap.fill(part, _WIDTH) for part in command.more.split("\n\n"))]
    lines += ["", textwrap.fill("treewright help TOPIC: " + ", ".join(TOPICS), _WIDTH)]
    return "\n".join(lines)


def _examples(command: Command) -> list[str]:
    """Return the examples with what they do beside them, or below where that is too wide."""
    width = max(len(line) for line, _ in command.examples)
    beside = [f"  {line.ljust(width)}  {what}".rstrip() for line, what in command.examples]
    if max(map(len, beside)) <= _WIDTH:
        return beside
    return [each for line, what in command.examples for each in (f"  {line}", f"      {what}")]


def _option_line(option: Option) -> str:
    letter = f"-{option.letter}, " if option.letter else "    "
    words = f"  {letter}{option.long} {option.metavar}".rstrip()
    text = f"{words:28}  {option.help}"
    return text if len(text) <= _WIDTH else textwrap.fill(text, _WIDTH, subsequent_indent=" " * 30)


def topic(words: Sequence[str], screen: Screen) -> str:
    """Return the page of a topic, or of a command."""
    from treewright.cli.help.topics import TOPICS
    from treewright.parameters import nearest

    name = words[0]
    if name == "--man":
        from treewright.cli.help.man_page import man_page

        return man_page()
    if name in COMMANDS:
        return command_page(COMMANDS[name].load(), screen)
    if name in TOPICS:
        return TOPICS[name](list(words[1:]), screen)
    near = nearest(name, [*TOPICS, *COMMANDS])
    raise usage(
        f"no topic {name!r}",
        code="unknown-topic",
        hint=f"treewright help {near}" if near else f"topics: {', '.join(TOPICS)}",
    )
