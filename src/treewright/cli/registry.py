"""The commands: a line each, in the order of the front page. Their files are read when asked for.

``python -m treewright`` with a name that is not here suggests the nearest one.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.cli.command import Command


@dataclass(frozen=True)
class Entry:
    """A command's line on the front page; its file in ``commands/`` has its name.

    Parameters
    ----------
    name, group, line
        What is typed; the heading it stands under (none for demo, which stands at the top); what
        it does, in one line.
    """

    name: str
    group: str
    line: str

    def load(self) -> Command:
        """Return the command, from its file."""
        module = importlib.import_module(f"treewright.cli.commands.{self.name}")
        command: Command = module.COMMAND
        return command


_ENTRIES = (
    Entry("info", "Learn", "what is in a file: a table's columns, or a model"),
    Entry("fit", "Learn", "grow a model from a table, measure its error, save it"),
    Entry("tune", "Learn", "search for better parameters, judged on rows held back"),
    Entry("prune", "Learn", "cut a grown tree back; say what was cut and why"),
    Entry("show", "Read", "the tree as text, or as a picture (--out tree.svg)"),
    Entry("why", "Read", "every column's best question at a node, measured"),
    Entry("rules", "Read", "the tree as if-then rules"),
    Entry("explain", "Read", "one row's answer and the path to it; what-if"),
    Entry("consult", "Read", "be asked for one row, only for what matters"),
    Entry("diff", "Read", "what differs between two models"),
    Entry("evaluate", "Judge", "error with its interval, confusion, figures per class"),
    Entry("compare", "Judge", "which learner is better, and could it be chance"),
    Entry("report", "Judge", "all of it in one HTML file"),
    Entry("predict", "Use", "answers for the rows of a table of any size"),
    Entry("export", "Use", "SQL, C, JavaScript, Rust, Python, ONNX, PMML … with proof"),
    Entry("verify", "Use", "prove again that exported code answers as its model"),
    Entry("convert", "Use", "between .tw and .json"),
    Entry("demo", "", "a tour of one minute; writes nothing"),
)

COMMANDS: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every command by name, in the order of the front page."""
