"""Words to values, by click: its parser and its completion; words and layout are our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import click

from treewright.cli.command import Argument, Command
from treewright.cli.failure import Failure, usage
from treewright.cli.options import OPTIONS, Option
from treewright.cli.registry import COMMANDS
from treewright.cli.shell.completion import complete_argument, complete_option
from treewright.cli.typed_values import pair


class ClickCommand(click.Command):
    """A command for click's parser; it knows the command it is made of."""

    def __init__(self, command: Command) -> None:
        self.ours = command
        parameters: list[click.Parameter] = [
            *(_click_argument(each) for each in command.arguments),
            *(_click_option(each) for each in command.all_options),
            click.Option(["-h", "--help", "help"], is_flag=True, help="this page"),
            click.Option(["--help-all"], is_flag=True, help="every option"),
        ]
        super().__init__(command.name, params=parameters, add_help_option=False)


class ClickGroup(click.Group):
    """All commands, each loaded when it is asked for; completion walks it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*COMMANDS, "help"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command, from its file."""
        if cmd_name not in COMMANDS:
            return None
        made = ClickCommand(COMMANDS[cmd_name].load())
        made.short_help = COMMANDS[cmd_name].line
        return made


def parse(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return the values of a command's arguments and options, all of them.

    Raises
    ------
    Failure
        Of exit 2, where the words are not understood; nothing was read then.
    """
    made = ClickCommand(command)
    if {"-h", "--help", "--help-all"} & set(words):  # whatever else is there
        return {"help": True, "help_all": "--help-all" in words}
    try:
        with made.make_context(command.name, list(words), allow_extra_args=True) as context:
            values, extra = dict(context.params), context.args
    except click.NoSuchOption as error:
        raise _unknown_option(command, error.option_name, words) from None
    except click.MissingParameter as error:
        what = "more" if error.param is None else error.param.make_metavar(made.context_class(made))
        raise usage(
            f"{command.name} needs {what}",
            code="argument-missing",
            hint=f"{command.usage}; treewright {command.name} --help",
        ) from None
    except click.UsageError as error:
        raise _from_click(command, error) from None
    if extra:
        raise usage(
            f"{command.name} does not know what to do with {extra[0]!r}",
            code="argument-extra",
            hint=command.usage,
        )
    for option in command.all_options:
        values[option.name] = _finished(option, values[option.name])
    return values


def _click_argument(argument: Argument) -> click.Argument:
    return click.Argument(
        [argument.name],
        required=argument.required,
        nargs=-1 if argument.several else 1,
        metavar=argument.metavar,
        shell_complete=complete_argument(argument),
    )


def _click_option(option: Option) -> click.Option:
    names = [option.long, option.name]
    if option.letter is not None:
        names.insert(0, f"-{option.letter}")
    if option.takes == "flag":
        return click.Option(names, is_flag=True, default=False, help=option.help)
    return click.Option(
        names,
        type=str,
        default=None,
        multiple=option.takes in ("texts", "names", "pairs"),
        metavar=option.metavar,
        help=option.help,
        shell_complete=complete_option(option),
    )


def _finished(option: Option, value: Any) -> Any:
    """Return a value as the commands take it: names split at commas, pairs split at ``=``."""
    if value is None:
        return option.default
    if option.choices and value not in option.choices:
        raise _refused(option, f"is {' or '.join(option.choices)}, not {value!r}")
    if option.takes in ("whole", "number", "share"):
        return _number(option, value)
    if option.takes == "names":
        return tuple(name.strip() for part in value for name in part.split(",") if name.strip())
    if option.takes == "pairs":
        return tuple(pair(each, option.long) for each in value)
    return tuple(value) if option.takes == "texts" else value


def _number(option: Option, text: str) -> int | float:
    """Return the number that the value of an option is."""
    try:
        number = int(text) if option.takes == "whole" else float(text)
    except ValueError:
        what = "a whole number" if option.takes == "whole" else "a number"
        raise _refused(option, f"takes {what}, not {text!r}") from None
    if option.takes == "share" and not 0 < number < 1:
        raise _refused(option, f"takes a share between 0 and 1, not {text}")
    if option.least is not None and not number >= option.least:
        raise _refused(option, f"takes at least {option.least:g}, not {text}")
    return number


def _refused(option: Option, what: str) -> Failure:
    return usage(f"{option.long} {what}", code="option-value", parameter=option.long.lstrip("-"))


def _unknown_option(command: Command, name: str, words: Sequence[str]) -> Failure:
    from treewright.parameters import nearest

    own = {option.long.lstrip("-"): option.long for option in command.all_options}
    own |= {"help": "--help", "help-all": "--help-all"}
    other = name in [option.long for option in OPTIONS.values()]
    meant = None if other or "set" not in own else _as_parameter(name, words)
    near = None if other else own.get(nearest(name.lstrip("-"), own) or "")
    if meant is not None and (near is None or meant.is_exact):
        near = meant.hint
    if near is None:
        hint = f"treewright {command.name} --help-all lists its options"
        found = "Other commands have it." if other else ""
    else:
        hint, found = near, ""
    return Failure(
        code="unknown-option",
        message=f"{command.name} has no option {name}",
        found=found,
        hint=hint,
        parameter=name.lstrip("-"),
        exit=usage("").exit,
    )


_OPTION_OF = {"cost_matrix": "--cost", "random_state": "--seed", "n_jobs": "--threads"}
"""Parameters that options say."""


@dataclass(frozen=True)
class _Parameter:
    """A parameter of the algorithm that was typed as an option, and how to say it."""

    is_exact: bool
    hint: str


def _as_parameter(name: str, words: Sequence[str]) -> _Parameter | None:
    """Return what looks like a parameter of the algorithm: ``--max-depth 3``."""
    from treewright.cli.algorithms import parameters_of
    from treewright.cli.names import ALGORITHMS
    from treewright.parameters import nearest

    asked = dict(pairwise(part for word in words for part in word.split("=", 1)))
    algorithm = asked.get("--algorithm", asked.get("-a", next(iter(ALGORITHMS))))
    if algorithm not in ALGORITHMS:
        return None
    spelled = name.lstrip("-").replace("-", "_")
    near = nearest(spelled, parameters_of(algorithm))
    if near is None:
        return None
    value = asked.get(name, "VALUE")
    hint = f"--set {near}={'VALUE' if value[:1] == '-' else value}"
    hint = _OPTION_OF.get(near, hint)
    return _Parameter(is_exact=near == spelled, hint=hint)


def _from_click(command: Command, error: click.UsageError) -> Failure:
    """Return a failure of the few other things that click refuses, in our words."""
    if isinstance(error, click.BadOptionUsage):
        flags = [each.long for each in command.all_options if each.takes == "flag"]
        needs = "takes no value" if error.option_name in flags else "needs a value"
        return usage(
            f"{error.option_name} {needs}",
            code="option-value",
            hint=f"treewright {command.name} --help",
            parameter=error.option_name.lstrip("-"),
        )
    text = error.message.rstrip(".")
    return usage(f"{command.name}: {text[:1].lower()}{text[1:]}", hint=command.usage, code="usage")
