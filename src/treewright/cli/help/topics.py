"""Topics of ``treewright help``: what no single command's page can say."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column

_WIDTH = 80
_TABLES = """\
Read: CSV, TSV, JSON lines, Parquet, ARFF, C4.5's .names and .data; compressed
with gzip, bzip2 or xz. A file is known by its content; - is standard input.
example:NAME is an embedded table in any command: treewright demo --list

Found by looking, and said where it is not the usual: what separates columns,
the decimal mark, the thousands mark, the encoding, the way dates are written.
--delimiter, --decimal, --thousands, --encoding, --dates, --header say it.
--kind NAME=text|number|date says what a column is, --order NAME=a,b,c its
order; info DATA --to schema writes both into a file for --schema FILE.

A model remembers how its table was read: predict needs none of these options.
Left out by fit, unless --use names them: texts that all differ, 1, 2, 3 ...,
and id or ..._id with all values different.
"""
_MISSING = """\
Empty cells, ?, NA, N/A, NaN and null are missing. --missing TEXT adds a text
(repeatable); --missing none: only empty cells are missing.

In a column of at least 90 % numbers or dates the customary marks (- -- . n/a
none missing unknown) are missing, with a note. Other stray text stops the fit.

How a tree asks about a missing value is up to the algorithm: --set missing=...
treewright help parameters c45
"""
_TARGETS = """\
--target NAME; else the one column called target, class, label or y; else the
last. fit always says which.

Text, true/false and whole numbers of at most 10 values are classes, other
numbers are numbers; --task classes or --task numbers overrules.

--cost FILE: wrong answers do not cost alike. A CSV whose first row and first
column are the classes; rows actual, columns predicted, numbers of 0 or more:
  actual,good,bad
  good,0,1
  bad,5,0
fit then answers by least expected cost, and the mean cost judges.
"""
_EXPORTS = """\
treewright export MODEL --to TARGET --out FILE writes a file and runs it on
boundary rows (each cut and its neighbours, each category, unseen, missing,
extremes): the proof says for how many rows every answer was the model's. Where
the engine is not installed it says so and exits 0; treewright verify MODEL FILE
then exits 1.
"""
_JSON = """\
--json puts one document on standard output, success or not:
  {"format": 1, "treewright": VERSION, "command": "fit", "ok": true,
   "notes": [{"code", "kind", "message", "remedy", "column"}], "result": {...}}
or "ok": false and
  "error": {"code", "message", "hint", "file", "line", "column", "parameter",
            "exit"}
NaN and infinities are null, with a note; floats read back exactly.

"""
_JSON_LAST = """\
Of verify, files are file and proof each; predict without --out gives JSON lines
of rows. Within format 1 new keys may come; none goes, or
changes its meaning.
"""
RESULT_KEYS: dict[str, tuple[str, ...]] = {
    "info": ("rows", "columns", "reading"),
    "info of a model": (
        *("algorithm", "parameters", "task", "target", "classes", "columns", "size", "rows"),
        *("criterion", "check", "reading", "versions", "fingerprint", "format", "bytes"),
    ),
    "fit": ("model", "file", "replaced", "tree", "check", "training_error"),
    "tune": (
        *("model", "file", "replaced", "tree", "check", "training_error", "parameters"),
        *("tried", "metric", "honest", "verdict"),
    ),
    "prune": (
        *("model", "file", "replaced", "tree", "check", "training_error", "leaves", "steps"),
    ),
    "show": ("kind", "criterion", "combine", "unseen", "columns", "derived", "classes", "nodes"),
    "show --out": ("file", "replaced", "bytes"),
    "why": (
        *("node", "rows", "weight", "counts", "mean", "measure", "impurity", "score", "leaf"),
        *("given", "candidates"),
    ),
    "rules": ("rules",),
    "rules --formula": ("formulas",),
    "explain": ("row", "recorded", "prediction", "probabilities", "path", "changed"),
    "consult": ("prediction", "probabilities", "asked", "not_needed", "cost"),
    "diff": ("models", "relation", "similarity", "changes", "rows", "moves", "checks"),
    "evaluate": (
        *("method", "rows", "metrics", "baseline", "confusion", "per_class", "folds", "checks"),
    ),
    "compare": ("learners", "pairs", "failures", "verdict", "metric", "rows", "checks"),
    "report": (
        *("file", "replaced", "bytes", "table", "target", "task", "rows", "rows_judged"),
        *("judged", "comparison", "findings", "warnings", "not_done"),
    ),
    "predict --out": ("file", "rows", "unseen"),
    "export": ("file", "target", "dialect", "entry", "proof", "left_out"),
    "verify": ("files",),
    "convert": ("file", "replaced", "bytes"),
}
"""The keys of ``result``, by command."""
ERROR_CODES = (
    *("argument-extra", "argument-missing", "argument-order", "check-failed", "class-not-found"),
    *("column-mismatch", "column-not-found", "cost-matrix", "data", "delimiter", "disk-full"),
    *("error", "fault", "few-learners", "file", "file-format", "file-not-found"),
    *("folder-not-found", "groups", "is-a-folder", "memory", "model-damaged", "model-newer"),
    *("name-clash", "no-columns", "no-interval", "no-python", "no-rows", "no-such-node"),
    *("no-such-row", "no-table", "no-target", "not-a-file", "not-a-model", "not-a-table"),
    *("not-a-tree", "not-an-estimator", "not-for-models", "not-settled", "one-class"),
    *("option-value", "order"),
    *("output-is-input", "parameter", "permission", "proof-not-run", "same-learner", "schema"),
    *("stdin-empty", "stdin-is-terminal", "stopped", "stray-text", "target", "target-ignored"),
    *("target-is-date", "target-is-text", "test-is-data", "two-ways", "unknown-algorithm"),
    *("unknown-command", "unknown-demo", "unknown-example", "unknown-format", "unknown-method"),
    *("unknown-metric", "unknown-option", "unknown-parameter", "unknown-shell"),
    *("unknown-topic", "unsupported", "usage", "value", "weights", "would-overwrite"),
    "wrong-task",
)
"""Codes of errors; none goes within a major version."""
_ERRORS = """\
error: what is wrong, with the name and the place
  what was found instead
  Hint: what to type

One block on standard error; --debug adds the traceback. With --json the block
is the document's error, and its code is promised:
"""
_EXIT_CODES = """\
  0  done
  1  data, file or machine
  2  usage: nothing was read
  3  a check asked for did not hold (--at-least, --at-most, verify, --strict)
 70  a fault of treewright, with the lines to report
130  Ctrl-C
141  closed pipe (Unix)
"""


def _json(words: list[str], screen: Screen) -> str:
    """Return how documents of ``--json`` look, with the keys of every command's result."""
    width = max(map(len, RESULT_KEYS)) + 2
    keys = [
        textwrap.fill(
            ", ".join(each),
            _WIDTH,
            initial_indent=command.ljust(width),
            subsequent_indent=" " * width,
        )
        for command, each in RESULT_KEYS.items()
    ]
    return "\n".join([_JSON.rstrip("\n"), "", *keys, "", _JSON_LAST.rstrip("\n")])


def _errors(words: list[str], screen: Screen) -> str:
    """Return how errors look, with all their codes."""
    return _ERRORS + textwrap.fill(", ".join(ERROR_CODES), _WIDTH, break_on_hyphens=False)


def _page(text: str) -> Callable[[list[str], Screen], str]:
    return lambda words, screen: text.rstrip("\n")


def _algorithms(words: list[str], screen: Screen) -> str:
    from treewright.cli.names import ALGORITHMS

    predicts = {
        (True, True): "both",
        (True, False): "classes",
        (False, True): "numbers",
    }
    entries = ALGORITHMS.values()
    table = screen.table(
        [
            Column("algorithm", list(ALGORITHMS)),
            Column(
                "predicts",
                [predicts[each.classes is not None, each.numbers is not None] for each in entries],
            ),
            Column("what it is", [each.line for each in entries], cut=30),
        ]
    )
    return f"{table}\n\ntreewright help parameters ALGORITHM lists what --set takes"


def _parameters(words: list[str], screen: Screen) -> str:
    """Return the parameters of an algorithm, each with what fit gives it."""
    from treewright.cli.algorithms import Choice, check_algorithm
    from treewright.cli.names import ALGORITHMS

    name = words[0] if words else "tree"
    check_algorithm(name)
    entry = ALGORITHMS[name]
    made = Choice(algorithm=name).estimator("classes" if entry.classes else "numbers")
    known = made.get_params(deep=False)
    table = screen.table(
        [
            Column(f"{name}: parameter", list(known)),
            Column("without --set", [_shown(value) for value in known.values()], cut=20),
        ]
    )
    class_ = type(made).__name__
    return (
        f"{table}\n\n--set NAME=VALUE; numbers, true, false, none or a text\n"
        f"what each means: help(treewright.{class_}) in Python"
    )


def _shown(value: object) -> str:
    is_word = value is None or isinstance(value, bool)
    text = str(value).lower() if is_word else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


TOPICS: dict[str, Callable[[list[str], Screen], str]] = {
    "tables": _page(_TABLES),
    "missing": _page(_MISSING),
    "targets": _page(_TARGETS),
    "algorithms": _algorithms,
    "parameters": _parameters,
    "exports": _page(_EXPORTS),
    "json": _json,
    "errors": _errors,
    "exit-codes": _page(_EXIT_CODES),
}
"""The topics, each a page of its own."""
