"""Every option of every command, once: its names, what it takes, and what it means.

A command names the options it has; they mean the same in all commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["table", "model", "judging", "output"]
Takes = Literal["flag", "text", "whole", "number", "share", "texts", "names", "pairs", "file"]


@dataclass(frozen=True)
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


_ALWAYS = (
    Option("json", "flag", "output", "one JSON document: help json"),
    Option("python", "flag", "output", "print Python that does the same; run nothing"),
    Option("quiet", "flag", "output", "no notes; errors and failed checks only", letter="q"),
    Option(
        "plain",
        "flag",
        "output",
        "tab-separated records, no strokes; for screen readers and cut",
        rare=True,
    ),
    Option("no_color", "flag", "output", "no colours", rare=True),
    Option(
        "width",
        "whole",
        "output",
        "columns of text (default: the terminal's)",
        metavar="N",
        rare=True,
        least=20,
    ),
    Option(
        "progress",
        "flag",
        "output",
        "a line of progress every 10 s, without a terminal too",
        rare=True,
    ),
    Option("strict", "flag", "output", "warnings are failed checks: exit 3", rare=True),
    Option("debug", "flag", "output", "show the traceback of an error", rare=True),
)

_TABLE = (
    # table: what is read, and how
    Option(
        "target",
        "text",
        "table",
        "column to predict; else by its name, or the last",
        metavar="NAME",
        letter="t",
    ),
    Option(
        "ignore", "names", "table", "columns to leave out, separated by commas", metavar="NAMES"
    ),
    Option(
        "use",
        "names",
        "table",
        "columns to keep that look like identifiers",
        metavar="NAMES",
    ),
    Option(
        "task",
        "text",
        "table",
        "what the target is: classes or numbers",
        metavar="TASK",
        choices=("classes", "numbers"),
    ),
    Option(
        "missing",
        "texts",
        "table",
        "a text that means missing; none: only empty",
        metavar="TEXT",
    ),
    Option(
        "decimal",
        "text",
        "table",
        "decimal mark of numbers; else found by looking",
        metavar="MARK",
        choices=(".", ","),
        rare=True,
    ),
    Option(
        "delimiter",
        "text",
        "table",
        "what separates the columns; else found by looking",
        metavar="MARK",
        rare=True,
    ),
    Option(
        "encoding",
        "text",
        "table",
        "encoding of the text; else found by looking",
        metavar="NAME",
        rare=True,
    ),
    Option(
        "thousands",
        "text",
        "table",
        "mark between groups of three digits",
        metavar="MARK",
        rare=True,
    ),
    Option(
        "dates",
        "text",
        "table",
        "how dates are written, such as %d.%m.%Y; else ISO",
        metavar="FORMAT",
        rare=True,
    ),
    Option(
        "header",
        "text",
        "table",
        "whether the first line has the names",
        metavar="yes|no",
        choices=("yes", "no"),
        rare=True,
    ),
    Option(
        "kind",
        "pairs",
        "table",
        "number, text or date: what a column is, whatever it looks like",
        metavar="NAME=KIND",
        rare=True,
    ),
    Option(
        "order",
        "pairs",
        "table",
        "the order of a column's values, smallest first",
        metavar="NAME=a,b,c",
        rare=True,
    ),
    Option(
        "schema",
        "file",
        "table",
        "kinds and orders from a file that info --to schema wrote",
        metavar="FILE",
        rare=True,
    ),
    Option("sample", "whole", "table", "draw so many rows, by the seed", metavar="N", least=1),
    Option(
        "from_",
        "text",
        "table",
        "format of the input, where its name and first bytes do not say",
        metavar="FORMAT",
        flag="--from",
        choices=("csv", "tsv", "jsonl", "parquet", "arff"),
        rare=True,
    ),
    Option("data", "file", "table", "a table; example:NAME is an embedded one", metavar="DATA"),
    Option("row", "whole", "table", "the row, counted from 1", metavar="N", least=1),
    Option("where", "pairs", "table", "rows with this value; repeatable", metavar="NAME=VALUE"),
    # model: what is grown
    Option(
        "algorithm",
        "text",
        "model",
        "tree, c45, cart, forest ...: help algorithms",
        metavar="NAME",
        letter="a",
    ),
    Option(
        "settings",
        "pairs",
        "model",
        "a parameter of the algorithm: help parameters",
        metavar="NAME=VALUE",
        flag="--set",
    ),
    Option(
        "seed",
        "whole",
        "model",
        "seed of everything that is drawn (default 0)",
        metavar="N",
        least=0,
    ),
    Option(
        "like",
        "file",
        "model",
        "parameters, target and columns as MODEL has them",
        metavar="MODEL",
    ),
    Option(
        "threads",
        "whole",
        "model",
        "threads (default: all); they never change a model",
        metavar="N",
        rare=True,
        least=1,
    ),
    Option(
        "method",
        "text",
        "model",
        "how to prune: pessimistic, reduced_error, cost_complexity ...",
        metavar="NAME",
    ),
    Option("steps", "flag", "model", "show how the tree grows, one node after the other"),
    # judging: how good it is
    Option(
        "folds",
        "whole",
        "judging",
        "folds of the cross-validation (default 10)",
        metavar="N",
        least=2,
    ),
    Option(
        "repeats",
        "whole",
        "judging",
        "repeat the cross-validation with other folds",
        metavar="N",
        rare=True,
        least=1,
    ),
    Option(
        "holdout", "share", "judging", "judge on this share of the rows, held back", metavar="SHARE"
    ),
    Option("test", "file", "judging", "judge on the rows of another table", metavar="FILE"),
    Option(
        "groups",
        "text",
        "judging",
        "column whose rows of one value stay in one fold",
        metavar="NAME",
        rare=True,
    ),
    Option(
        "weight",
        "text",
        "judging",
        "column with the weights of the rows",
        metavar="NAME",
        rare=True,
    ),
    Option(
        "cost",
        "file",
        "judging",
        "CSV of costs: rows actual, columns predicted",
        metavar="FILE",
        rare=True,
    ),
    Option("no_check", "flag", "judging", "do not measure the error"),
    Option(
        "at_least",
        "pairs",
        "judging",
        "exit 3 unless a figure is at least X",
        metavar="METRIC=X",
    ),
    Option(
        "at_most",
        "pairs",
        "judging",
        "exit 3 unless a figure is at most X",
        metavar="METRIC=X",
    ),
    # output: what is shown, and where to
    Option(
        "node",
        "whole",
        "output",
        "a node, as show numbers them; 0 is the root",
        metavar="N",
        least=0,
    ),
    Option("label", "text", "output", "what concerns this class", metavar="CLASS", flag="--class"),
    Option("top", "text", "output", "show the first so many; all: every one", metavar="N"),
    Option("depth", "whole", "output", "show so many levels below the root", metavar="N", least=0),
    Option("all", "flag", "output", "show a large tree whole, not its first 200 lines"),
    Option(
        "measures", "text", "output", "measures to show, by comma; all: every one", metavar="NAMES"
    ),
    Option("column", "text", "output", "show the working of one column", metavar="NAME"),
    Option("formula", "flag", "output", "one formula instead of a list"),
    Option("proba", "flag", "output", "the probability of every class, too"),
    Option("only", "flag", "output", "the answers without the columns of the table"),
    Option(
        "keep",
        "names",
        "output",
        "columns of the table to keep beside the answers",
        metavar="NAMES",
    ),
    Option(
        "interval",
        "share",
        "output",
        "ends that hold the truth for this share of rows (fit learns them)",
        metavar="SHARE",
        rare=True,
    ),
    Option(
        "as_",
        "text",
        "output",
        "name of the column of answers (default prediction)",
        metavar="NAME",
        flag="--as",
        rare=True,
    ),
    Option(
        "dialect", "text", "output", "dialect of SQL: sqlite, duckdb, postgresql", metavar="NAME"
    ),
    Option("list_", "flag", "output", "name what there is, and do nothing else", flag="--list"),
    Option("out", "file", "output", "the file to write", metavar="FILE", letter="o"),
    Option("to", "text", "output", "format, where the suffix does not say", metavar="FORMAT"),
    Option("force", "flag", "output", "replace a file that treewright did not write", letter="f"),
    *_ALWAYS,
)

ALWAYS = tuple(option.name for option in _ALWAYS)
"""Names of the options that every command has."""

OPTIONS: dict[str, Option] = {option.name: option for option in _TABLE}
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

TABLE = ("target", "ignore", "use", "task", *READING, "sample")
"""What a table is that is learned from."""

LEARNER = ("algorithm", "settings", "like", "seed", "threads")
"""What learns from it."""

ROWS = ("groups", "weight", "cost")
"""What is said of rows, and of answers about them."""
