"""``treewright demo``: a tour on embedded tables, every command echoed; nothing is written."""

from __future__ import annotations

import os
import shlex
import tempfile
from dataclasses import dataclass
from typing import Any

from treewright.cli.command import Answer, Argument, Command
from treewright.cli.failure import Exit, usage
from treewright.cli.session import Session


@dataclass(frozen=True)
class Tour:
    """Commands that are shown one after the other.

    Parameters
    ----------
    line
        What it shows.
    commands
        The words after ``treewright``.
    """

    line: str
    commands: tuple[str, ...]


TOURS: dict[str, Tour] = {
    "all": Tour(
        "a lecture's example and a real table, from fit to SQL",
        (
            "fit example:play_tennis --algorithm id3 --out tennis.tw",
            "why tennis.tw --node 1 --measures all",
            "rules tennis.tw --class Yes --formula",
            "consult tennis.tw Outlook=Rain Wind=Strong",
            "fit example:loans",
            "why loans.tw --top 3",
            "explain loans.tw example:loans --row 1",
            "explain loans.tw example:loans --row 1 months=48",
            "rules loans.tw --class late --top 2",
            "export loans.tw --out loans.sql",
        ),
    ),
    "id3": Tour(
        "how ID3 chooses, step by step",
        (
            "fit example:play_tennis --algorithm id3 --steps",
            "fit example:play_tennis_d15 --algorithm id3 --out d15.tw --quiet",
            "diff play_tennis.tw d15.tw --data example:play_tennis",
        ),
    ),
    "pruning": Tour(
        "a whole tree, the same pruned, and what that changes",
        (
            "fit example:loans --set prune=none --set max_depth=4 --out whole.tw",
            "fit example:loans --out pruned.tw",
            "diff whole.tw pruned.tw --data example:loans --top 5",
        ),
    ),
    "forest": Tour(
        "many trees, judged on the rows that each has not seen",
        (
            "fit example:loans --no-check --quiet",
            "fit example:loans --algorithm forest --out forest.tw",
            "info forest.tw",
        ),
    ),
    "boosting": Tour(
        "trees that mend each other's errors",
        (
            "fit example:wine --algorithm boosting --set n_estimators=30 --folds 5",
            "info wine.tw",
        ),
    ),
    "costs": Tour(
        "be asked for what matters only",
        (
            "fit example:loans --quiet",
            "consult loans.tw amount=20000 income=3000 months=24 years_employed=3",
            "consult loans.tw amount=20000 income=900 --json",
        ),
    ),
}


def demo(session: Session, *, name: str | None, list_: bool) -> Answer | None:
    """Show a tour, or name the tables that ``example:NAME`` gives to any command."""
    if list_:
        return _tables()
    tour = TOURS.get(name or "all")
    if tour is None:
        from treewright.parameters import nearest

        near = nearest(name, TOURS)
        raise usage(
            f"no demo {name!r}",
            code="unknown-demo",
            hint=f"treewright demo {near}" if near else f"treewright demo {' | '.join(TOURS)}",
        )
    if session.json:
        return Answer(text=None, result=lambda: {"commands": list(tour.commands)})
    _show(session, tour)
    return None


def _show(session: Session, tour: Tour) -> None:
    """Run each command in a folder that is gone afterwards."""
    from treewright.cli.main import main

    before = os.getcwd()
    width = [] if session.screen.width is None else ["--width", str(session.screen.width)]
    plain = ["--plain"] if session.screen.plain else []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for i, line in enumerate(tour.commands):
                print(("\n" if i else "") + session.screen.bold(f"$ treewright {line}"), flush=True)
                code = main([*shlex.split(line), *width, *plain])
                if code in (Exit.STOPPED, Exit.CLOSED_PIPE):  # and said
                    raise SystemExit(int(code))
        finally:
            os.chdir(before)


def _tables() -> Answer:
    from treewright.cli.names import EXAMPLES
    from treewright.cli.screen.table import Column

    def titles() -> list[str]:
        import treewright as tw

        return [tw.load_example(name).title for name in EXAMPLES]

    def text(screen: Any) -> str:
        names = [f"example:{name}" for name in EXAMPLES]
        table: str = screen.table([Column("table", names), Column("what it is", titles(), cut=30)])
        return table

    return Answer(text=text, result=lambda: {"examples": list(EXAMPLES)})


def python(session: Session, *, name: str | None, list_: bool) -> str:
    """Return the lines that load the table of the first tour."""
    if list_:
        return "import treewright as tw\nprint(tw.list_examples())"
    raise usage("demo shows commands; each of them takes --python", code="no-python")


COMMAND = Command(
    name="demo",
    sentence="Show what treewright does on embedded tables, in under a minute; nothing is written.",
    arguments=(Argument(name="name", metavar="NAME", required=False),),
    options=("list_",),
    examples=(
        ("treewright demo", "the tour"),
        ("treewright demo id3", "one part: id3, pruning, forest, boosting or costs"),
        ("treewright demo --list", "the tables that example:NAME gives to any command"),
    ),
    run=demo,
    python=python,
)
