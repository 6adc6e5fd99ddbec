"""``treewright explain``: one row's answer and the path to it; what if a value were another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.command import MODEL, Answer, Argument, Command
from treewright.cli.failure import Failure, usage
from treewright.cli.model_files import load_explaining, load_tree_of, remembered_of
from treewright.cli.python_lines import Raw, call, load_line, statement
from treewright.cli.screen.paths import answer_line, explanation_to_dict, path_table, turns_of
from treewright.cli.screen.screen import Screen
from treewright.cli.session import Session
from treewright.cli.typed_values import pair, typed_values
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.explain.path import Explanation, Turn

WORDS = Argument(
    name="words", metavar="[DATA] [NAME=VALUE ...]", takes="data", required=False, several=True
)


@dataclass(frozen=True, kw_only=True)
class _Explained:
    """An explanation, and what it is compared with.

    Parameters
    ----------
    found
        The path of the row, with the values that were typed.
    before
        The path of the row as it is in the table, where values were typed.
    old
        The values of the table that were replaced.
    row, recorded
        The number of the row, and the answer that its table has.
    """

    tree: Tree
    found: Explanation
    before: Explanation | None = None
    old: dict[str, Any] = field(default_factory=dict)
    row: int | None = None
    recorded: Any = None


def explain(
    session: Session,
    *,
    model: str,
    words: tuple[str, ...],
    row: int | None,
    where: tuple[tuple[str, str], ...],
) -> Answer:
    """Return why a row gets its answer, and with NAME=VALUE what would change."""
    tree, explaining = load_explaining(model, command="explain")
    data, changes = split_words(words)
    values = typed_values(tree, changes)
    if data is None:
        if not values:
            raise usage(
                "explain needs a row: DATA --row N, or NAME=VALUE for what the tree asks",
                code="argument-missing",
                hint=f"treewright explain {model} DATA --row 1",
            )
        explained = _Explained(tree=tree, found=_path(tree, explaining, values))
    else:
        found, number, recorded = _row(session, model, data, row, where)
        known = tree.schema.input_names or tree.schema.names
        taken = {name: value for name, value in found.items() if name in known}
        before = _path(tree, explaining, taken)
        explained = _Explained(tree=tree, found=before, row=number, recorded=recorded)
        if values:
            explained = _Explained(
                tree=tree,
                found=_path(tree, explaining, {**taken, **values}),
                before=before,
                old={name: taken.get(name) for name in values},
                row=number,
                recorded=recorded,
            )
    return Answer(text=lambda screen: _text(explained, screen), result=lambda: _to_dict(explained))


def _path(tree: Tree, explaining: Any, values: dict[str, Any]) -> Explanation:
    """Return the path of a row to the answer of its model, which may be made of rules."""
    from treewright.explain.path import Explanation

    found = explaining.explain(values)
    if isinstance(found, Explanation):
        return found
    way = ", ".join(["by the rules made of the tree", *([found.way] if found.way else [])])
    return replace(tree.explain(values), label=found.label, answer=found.answer, way=way)


def split_words(words: tuple[str, ...]) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the table, where the first word is one, and the values that follow."""
    if words and "=" not in words[0]:
        return words[0], [pair(each) for each in words[1:]]
    return None, [pair(each) for each in words]


def _row(
    session: Session,
    model: str,
    data: str,
    row: int | None,
    where: tuple[tuple[str, str], ...],
) -> tuple[dict[str, Any], int, Any]:
    """Return one row of a table by name, its number, and the answer that is recorded in it."""
    from treewright.cli.data_files import check_column, read_table

    kept = remembered_of(model)
    raw = read_table(session, data, like=kept.reading)
    frame = raw.frame
    numbers = list(range(1, frame.n_rows + 1))
    for name, text in where:
        check_column(raw, name, "--where")
        cells = frame[name].tolist()
        numbers = [number for number in numbers if str(cells[number - 1]) == text]
    if row is not None:
        numbers = [number for number in numbers if number == row]
    if not numbers:
        what = f"row {row}" if row is not None else "row with these values"
        raise Failure(
            code="no-such-row",
            message=f"{data} has no {what}; it has {frame.n_rows:,} rows",
            file=data,
        )
    if row is None and not where:
        session.note("first-row", "row 1 of the table", remedy="--row N")
    elif len(numbers) > 1:
        session.note("first-row", f"the first of {len(numbers):,} such rows, row {numbers[0]}")
    number = numbers[0]
    one = frame.rows([number - 1])
    values = {name: None if one.column(name).missing[0] else one[name][0] for name in one.columns}
    target = kept.target or raw.target
    return values, number, None if target is None else values.get(target)


def _text(explained: _Explained, screen: Screen) -> str:
    tree, found, before = explained.tree, explained.found, explained.before
    heading = answer_line(tree, found.label, found.answer, screen, way=found.way)
    if before is not None:
        as_it_was = " and ".join(
            f"{name} = {'missing' if value is None else label_in_words(value)}"
            for name, value in explained.old.items()
        )
        was = label_in_words(before.label)
        heading += f"   ({was} with {screen.safe(as_it_was)}, as in the row)"
    elif explained.recorded is not None:
        heading += f"   (recorded: {label_in_words(explained.recorded)})"
    if not found.steps:
        return f"{screen.sentence(heading)}\n\nThe tree asks nothing."
    # What an earlier path has in common is left out: what changed is to be seen.
    known = set() if before is None else {_key(turn) for _, turn in turns_of(before)}
    turns = [(step, turn) for step, turn in turns_of(found) if _key(turn) not in known]
    if not turns:
        return f"{screen.sentence(heading)}\n\nNothing on the path changed."
    table = path_table(tree, turns, screen, several=len(found.leaves) > 1)
    if before is not None and not screen.plain:
        first, *rest = table.split("\n")
        table = "\n".join([f"{first}   (what changed)", *rest])
    return f"{screen.sentence(heading)}\n\n{table}"


def _key(turn: Turn) -> tuple[int, int]:
    return turn.node, turn.branch


def _to_dict(explained: _Explained) -> dict[str, Any]:
    changed = None
    if explained.before is not None:
        changed = {
            "values": explained.old,
            "before": explanation_to_dict(explained.tree, explained.before),
        }
    return {
        "row": explained.row,
        "recorded": explained.recorded,
        **explanation_to_dict(explained.tree, explained.found),
        "changed": changed,
    }


def python(
    session: Session,
    *,
    model: str,
    words: tuple[str, ...],
    row: int | None,
    where: tuple[tuple[str, str], ...],
) -> str:
    """Return the lines that print the same path, in the words of the library."""
    data, changes = split_words(words)
    tree = load_tree_of(model, command="explain")
    taken: dict[str, Any] = {}
    if data is not None:
        taken, _, _ = _row(session, model, data, row, where)
    row_values = {**taken, **typed_values(tree, changes)}
    known = {spec.name for spec in tree.schema.sources}
    asked = known & {
        name
        for step in tree.explain(row_values).steps
        for name in (*tree.schema.inputs_of(step.column), step.column)
    }
    if tree.linear is not None or tree.arrays.surrogate_column.size:
        asked = known  # more than the questions on the path may matter
    whole = {name: _written(row_values.get(name)) for name in row_values if name in asked}
    line = statement(f"print({call('model.explain', whole)})")
    numpy = "import numpy\n" if "numpy." in line else ""
    return f"{numpy}{load_line(model)}\n{line}"


def _written(value: Any) -> Any:
    """Return a value of a row as Python writes it; dates are NumPy's."""
    if getattr(value, "dtype", None) is not None and value.dtype.kind in "mM":
        return Raw(f"numpy.{type(value).__name__}({str(value)!r})")
    return value.item() if hasattr(value, "item") else value


COMMAND = Command(
    name="explain",
    sentence="Print the answer to one row, the path to it, and what another value would change.",
    arguments=(MODEL, WORDS),
    options=("row", "where"),
    examples=(
        ("treewright explain loans.tw loans.csv --row 1", "why this answer"),
        ("treewright explain loans.tw loans.csv --row 1 months=48", "and what if"),
        ("treewright explain tennis.tw Outlook=Rain Wind=Weak", "a typed row"),
    ),
    run=explain,
    python=python,
)
