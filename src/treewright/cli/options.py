"""Every option of every command, once: its names, what it takes, and what it means.

A command names the options it has; they mean the same in all commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["table", "model", "judging", "output"]
Takes = Literal["flag", "text", "whole", "number", "share", "texts", "names", "pairs", "file"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option.

    Parameters
    ----------
    name
        The name of the value in Python; the option itself is ``--`` and this with hyphens, unless
        `flag` says otherwise.
    takes
        ``"flag"`` takes nothing; ``"whole"``, ``"number"`` and ``"share"`` (0 to 1) a number;
        ``"texts"`` may be repeated; ``"names"`` are separated by commas, and may be repeated;
        ``"pairs"`` are NAME=VALUE, repeated; ``"file"`` is a path.
    group
        Under which heading the help shows it.
    metavar
        What stands for its value in the help.
    help
        What it means and what holds without it, in one line.
    letter
        Its one-letter name.
    choices
        What it may be, where only some texts are.
    default
        The value without it.
    rare
        Shown by ``--help-all`` only.
    least
        The smallest number.
    """

    name: str
    takes: Takes
    group: Group
    help: str
    metavar: str = ""
    letter: str | None = None
    flag: str | None = None
    choices: tuple[str, ...] = ()
    default: object = None
    rare: bool = False
    least: float | None = None

    @property
    def long(self) -> str:
        """The option as it is typed."""
        return self.flag or "--" + self.name.replace("_", "-")


def _table() -> tuple[Option, ...]:
    """Return the options by group, in the order of the help."""
    return (
        # table: what is read, and how
        Option(
            name="target",
            letter="t",
            takes="text",
            group="table",
            metavar="NAME",
            help="column to predict; else target, class, label, y or the last",
        ),
        Option(
            name="ignore",
            takes="names",
            group="table",
            metavar="NAMES",
            help="columns to leave out, separated by commas",
        ),
        Option(
            name="use",
            takes="names",
            group="table",
            metavar="NAMES",
            help="columns to keep that would be left out as identifiers",
        ),
        Option(
            name="task",
            takes="text",
            group="table",
            metavar="TASK",
            choices=("classes", "numbers"),
            help="what the target is: classes or numbers",
        ),
        Option(
            name="missing",
            takes="texts",
            group="table",
            metavar="TEXT",
            help="a text that means missing, beside the usual; none: only empty",
        ),
        Option(
            name="decimal",
            takes="text",
            group="table",
            metavar="MARK",
            choices=(".", ","),
            rare=True,
            help="decimal mark of numbers; else found by looking",
        ),
        Option(
            name="delimiter",
            takes="text",
            group="table",
            metavar="MARK",
            rare=True,
            help="what separates the columns; else found by looking",
        ),
        Option(
            name="encoding",
            takes="text",
            group="table",
            metavar="NAME",
            rare=True,
            help="encoding of the text; else found by looking",
        ),
        Option(
            name="thousands",
            takes="text",
            group="table",
            metavar="MARK",
            rare=True,
            help="mark between groups of three digits",
        ),
        Option(
            name="dates",
            takes="text",
            group="table",
            metavar="FORMAT",
            rare=True,
            help="how dates are written, such as %d.%m.%Y; else ISO",
        ),
        Option(
            name="header",
            takes="text",
            group="table",
            metavar="yes|no",
            choices=("yes", "no"),
            rare=True,
            help="whether the first line has the names",
        ),
        Option(
            name="kind",
            takes="pairs",
            group="table",
            metavar="NAME=KIND",
            rare=True,
            help="number, text or date: what a column is, whatever it looks like",
        ),
        Option(
            name="order",
            takes="pairs",
            group="table",
            metavar="NAME=a,b,c",
            rare=True,
            help="the order of a column's values, smallest first",
        ),
        Option(
            name="schema",
            takes="file",
            group="table",
            metavar="FILE",
            rare=True,
            help="kinds and orders from a file that info --to schema wrote",
        ),
        Option(
            name="sample",
            takes="whole",
            group="table",
            metavar="N",
            least=1,
            help="draw so many rows, by the seed",
        ),
        Option(
            name="from_",
            flag="--from",
            takes="text",
            group="table",
            metavar="FORMAT",
            choices=("csv", "tsv", "jsonl", "parquet", "arff"),
            rare=True,
            help="format of the input, where its name and first bytes do not say",
        ),
        Option(
            name="data",
            takes="file",
            group="table",
            metavar="DATA",
            help="a table; example:NAME is an embedded one",
        ),
        Option(
            name="row",
            takes="whole",
            group="table",
            metavar="N",
            least=1,
            help="the row, counted from 1",
        ),
        Option(
            name="where",
            takes="pairs",
            group="table",
            metavar="NAME=VALUE",
            help="rows with this value; repeatable",
        ),
        # model: what is grown
        Option(
            name="algorithm",
            letter="a",
            takes="text",
            group="model",
            metavar="NAME",
            default="tree",
            help="tree (default), c45, cart, forest, boosting ...: help algorithms",
        ),
        Option(
            name="settings",
            flag="--set",
            takes="pairs",
            group="model",
            metavar="NAME=VALUE",
            help="a parameter of the algorithm; repeatable: help parameters",
        ),
        Option(
            name="like",
            takes="file",
            group="model",
            metavar="MODEL",
            rare=True,
            help="algorithm, parameters, target and columns of a saved model",
        ),
        Option(
            name="seed",
            takes="whole",
            group="model",
            metavar="N",
            default=0,
            least=0,
            help="seed of everything that is drawn (default 0)",
        ),
        Option(
            name="threads",
            takes="whole",
            group="model",
            metavar="N",
            least=1,
            rare=True,
            help="threads (default: all); they never change a model",
        ),
        Option(
            name="steps",
            takes="flag",
            group="model",
            help="show how the tree grows, one node after the other",
        ),
        # judging: how good it is
        Option(
            name="folds",
            takes="whole",
            group="judging",
            metavar="N",
            least=2,
            help="folds of the cross-validation (default 10)",
        ),
        Option(
            name="repeats",
            takes="whole",
            group="judging",
            metavar="N",
            least=1,
            rare=True,
            help="repeat the cross-validation with other folds",
        ),
        Option(
            name="holdout",
            takes="share",
            group="judging",
            metavar="SHARE",
            help="judge on this share of the rows, held back",
        ),
        Option(
            name="test",
            takes="file",
            group="judging",
            metavar="FILE",
            help="judge on the rows of another table",
        ),
        Option(
            name="groups",
            takes="text",
            group="judging",
            metavar="NAME",
            rare=True,
            help="column whose rows of one value stay in one fold",
        ),
        Option(
            name="weight",
            takes="text",
            group="judging",
            metavar="NAME",
            rare=True,
            help="column with the weights of the rows",
        ),
        Option(
            name="cost",
            takes="file",
            group="judging",
            metavar="FILE",
            rare=True,
            help="CSV of what errors cost: actual classes down, predicted across",
        ),
        Option(
            name="no_check",
            takes="flag",
            group="judging",
            help="do not measure the error",
        ),
        Option(
            name="at_least",
            takes="pairs",
            group="judging",
            metavar="METRIC=X",
            help="exit 3 unless a figure is at least so large; repeatable",
        ),
        Option(
            name="at_most",
            takes="pairs",
            group="judging",
            metavar="METRIC=X",
            help="exit 3 unless a figure is at most so large; repeatable",
        ),
        # output: what is shown, and where to
        Option(
            name="node",
            takes="whole",
            group="output",
            metavar="N",
            least=0,
            help="a node, as show numbers them; 0 is the root",
        ),
        Option(
            name="label",
            flag="--class",
            takes="text",
            group="output",
            metavar="CLASS",
            help="what concerns this class",
        ),
        Option(
            name="top",
            takes="text",
            group="output",
            metavar="N",
            help="show the first so many; all: every one",
        ),
        Option(
            name="depth",
            takes="whole",
            group="output",
            metavar="N",
            least=0,
            help="show so many levels below the root",
        ),
        Option(
            name="all",
            takes="flag",
            group="output",
            help="show a large tree whole, not its first 200 lines",
        ),
        Option(
            name="measures",
            takes="text",
            group="output",
            metavar="NAMES",
            help="measures to show, by comma; all: every one",
        ),
        Option(
            name="column",
            takes="text",
            group="output",
            metavar="NAME",
            help="show the working of one column",
        ),
        Option(
            name="formula",
            takes="flag",
            group="output",
            help="one formula instead of a list",
        ),
        Option(
            name="proba",
            takes="flag",
            group="output",
            help="the probability of every class, too",
        ),
        Option(
            name="only",
            takes="flag",
            group="output",
            help="the answers without the columns of the table",
        ),
        Option(
            name="keep",
            takes="names",
            group="output",
            metavar="NAMES",
            help="columns of the table to keep beside the answers",
        ),
        Option(
            name="interval",
            takes="share",
            group="output",
            metavar="SHARE",
            rare=True,
            help="interval of the answer that holds for this share of rows",
        ),
        Option(
            name="as_",
            flag="--as",
            takes="text",
            group="output",
            metavar="NAME",
            rare=True,
            help="name of the column of answers (default prediction)",
        ),
        Option(
            name="dialect",
            takes="text",
            group="output",
            metavar="NAME",
            help="dialect of SQL: sqlite, duckdb, postgresql",
        ),
        Option(
            name="list_",
            flag="--list",
            takes="flag",
            group="output",
            help="name what there is, and do nothing else",
        ),
        Option(
            name="out",
            letter="o",
            takes="file",
            group="output",
            metavar="FILE",
            help="where to; - is standard output",
        ),
        Option(
            name="to",
            takes="text",
            group="output",
            metavar="FORMAT",
            help="format, where the suffix does not say",
        ),
        Option(
            name="force",
            letter="f",
            takes="flag",
            group="output",
            help="replace a file that treewright did not write",
        ),
        *_ALWAYS,
    )


_ALWAYS = (
    Option(name="json", takes="flag", group="output", help="one JSON document: help json"),
    Option(
        name="python",
        takes="flag",
        group="output",
        help="print the lines of Python that do the same; run nothing",
    ),
    Option(
        name="quiet",
        letter="q",
        takes="flag",
        group="output",
        help="no notes; errors and failed checks only",
    ),
    Option(
        name="plain",
        takes="flag",
        group="output",
        rare=True,
        help="tab-separated records, no strokes; for screen readers and cut",
    ),
    Option(name="no_color", takes="flag", group="output", rare=True, help="no colours"),
    Option(
        name="width",
        takes="whole",
        group="output",
        metavar="N",
        least=20,
        rare=True,
        help="columns of text (default: the terminal's)",
    ),
    Option(
        name="progress",
        takes="flag",
        group="output",
        rare=True,
        help="a line of progress every 10 s, without a terminal too",
    ),
    Option(
        name="strict",
        takes="flag",
        group="output",
        rare=True,
        help="warnings are failed checks: exit 3",
    ),
    Option(
        name="debug",
        takes="flag",
        group="output",
        rare=True,
        help="show the traceback of an error",
    ),
)

ALWAYS = tuple(option.name for option in _ALWAYS)
"""Names of the options that every command has."""

OPTIONS: dict[str, Option] = {option.name: option for option in _table()}
"""Every option by the name of its value, in the order of the help."""

READING = (
    "missing",
    "decimal",
    "delimiter",
    "encoding",
    "thousands",
    "dates",
    "header",
    "kind",
    "order",
    "schema",
    "from_",
)
"""Options that say how a table is read."""
