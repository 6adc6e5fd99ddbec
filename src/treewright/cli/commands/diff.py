"""``treewright diff``: what differs between two models, and which rows are concerned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treewright.cli.checks import checked, failed
from treewright.cli.command import Answer, Argument, Command
from treewright.cli.failure import usage
from treewright.cli.model_files import load_tree_of, remembered_of
from treewright.cli.number_words import top_of
from treewright.cli.python_lines import Raw, call, statement
from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column
from treewright.cli.screen.words import counted, place_in_words, question_in_words
from treewright.cli.session import Session
from treewright.text.numbers import percent
from treewright.tree.condition import SHORT
from treewright.tree.node_text import label_in_words

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.compare.changed_rows import ChangedRows
    from treewright.compare.diff import TreeDiff
    from treewright.compare.difference import Difference

_TOP = 20
_OF_ROWS = ("changed", "path", "probability")
"""Figures that need a table."""
_WORDS = {
    "question": "other question",
    "pruned": "pruned",
    "grown": "grown",
    "branches": "other branches",
    "threshold": "moved cut",
    "missing": "missing values",
    "label": "other class",
    "value": "other number",
}


def diff(
    session: Session,
    *,
    first: str,
    second: str,
    data: str | None,
    top: str | None,
    at_least: tuple[tuple[str, str], ...],
    at_most: tuple[tuple[str, str], ...],
) -> Answer:
    """Return the differences of two trees."""
    trees = [load_tree_of(path, command="diff") for path in (first, second)]
    rows = None if data is None else _rows(session, first, data)
    asked = [name for name, _ in (*at_least, *at_most) if name in _OF_ROWS]
    if rows is None and asked:
        raise usage(
            f"{asked[0]!r} is counted on rows, and there are none",
            code="no-table",
            hint="--data DATA",
            parameter="data",
        )
    found = trees[0].diff(trees[1], rows)
    checks = checked(_figures(found), at_least=at_least, at_most=at_most)
    most = top_of(top, _TOP)
    return Answer(
        text=lambda screen: _text(found, (first, second), screen, top=most),
        result=lambda: _to_dict(found, (first, second), checks),
        failed=failed(checks),
    )


def _rows(session: Session, model: str, data: str) -> Any:
    from treewright.cli.data_files import read_table

    return read_table(session, data, like=remembered_of(model).reading).frame


def _figures(found: TreeDiff) -> dict[str, float]:
    """Return what ``--at-most`` may ask for."""
    made = {"similarity": found.similarity, "changes": float(len(found.differences))}
    rows = found.rows
    if rows is not None:
        made["changed"] = rows.share(rows.label)
        made["path"] = rows.share(rows.path)
        if rows.probabilities is not None:
            made["probability"] = rows.share(rows.probabilities)
    return made


def _text(found: TreeDiff, names: tuple[str, str], screen: Screen, *, top: int | None) -> str:
    sizes = [
        f"{screen.safe(name)}: {counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}"
        for name, tree in zip(names, (found.first, found.second), strict=True)
    ]
    parts = [screen.sentence(f" {screen.arrow} ".join(sizes), indent="  ")]
    changes = sorted(found.differences, key=lambda each: (each.change == "missing", -each.share))
    if changes:
        parts.append(_table(changes, names, screen, top=top))
    elif found.n_reweighed:
        leaves = counted(found.n_reweighed, "leaf", "leaves")
        parts.append(f"The same questions and classes; other probabilities in {leaves}.")
    else:
        parts.append("The same tree.")
    if found.rows is not None:
        parts.append(screen.sentence(_rows_in_words(found.rows, screen)))
    return "\n\n".join(parts)


def _table(
    changes: list[Difference], names: tuple[str, str], screen: Screen, *, top: int | None
) -> str:
    shown = changes[:top]
    words = [_in_words(each, screen) for each in shown]
    places = [_place(each, screen) for each in shown]
    text = screen.table(
        [
            Column("change", [_WORDS[each.change] for each in shown]),
            Column("rows", [str(each.n_rows) for each in shown], right=True),
            Column(names[0], [first for first, _ in words], cut=16),
            Column(names[1], [second for _, second in words], cut=16),
            Column("where", places, cut=12),
        ]
    )
    if len(shown) < len(changes):
        text += f"\n{screen.ellipsis} {len(changes) - len(shown)} more (--top all)"
    return text


def _in_words(each: Difference, screen: Screen) -> tuple[str, str]:
    """Return what each tree asks or answers there."""
    wording = replace(SHORT, ascii=screen.ascii)
    if each.change in ("branches", "missing", "label", "value"):
        return each.in_words(wording)
    first, second = (
        _asks(tree, node, screen)
        for tree, node in zip(each.trees, (each.first_node, each.second_node), strict=True)
    )
    return each.in_words(wording) if first == second else (first, second)


def _asks(tree: Tree, node: int, screen: Screen) -> str:
    question = tree.question(node)
    if question is None:
        return f"{screen.arrow} {label_in_words(tree.label(node))}"
    return question_in_words(question, screen)


def _place(each: Difference, screen: Screen) -> str:
    if each.first_node == 0:
        return "(all rows)"
    return place_in_words(each.trees[0], each.first_node, screen)


def _rows_in_words(rows: ChangedRows, screen: Screen) -> str:
    """Return in sentences how many rows get another answer, and which answers change."""
    what = "number" if rows.probabilities is None else "class"
    n_other = len(rows.label)
    if n_other == 0:
        told = f"No row of {rows.n_rows:,} gets another {what}"
        n_path = len(rows.path)
        verb = "gets" if n_path == 1 else "get"
        return told + (f"; {n_path:,} {verb} there by another path." if n_path else ".")
    verb = "gets" if n_other == 1 else "get"
    told = (
        f"{n_other:,} of {rows.n_rows:,} rows ({percent(rows.share(rows.label))}) {verb}"
        f" another {what}"
    )
    if not rows.moves:
        return f"{told}."
    moves = [
        f"{label_in_words(old)} {screen.arrow} {label_in_words(new)} {count}"
        for old, new, count in rows.moves[:8]
    ]
    more = f", {screen.ellipsis} {len(rows.moves) - 8} more" if len(rows.moves) > 8 else ""
    return f"{told}: {', '.join(moves)}{more}"


def _to_dict(
    found: TreeDiff, names: tuple[str, str], checks: list[dict[str, Any]]
) -> dict[str, Any]:
    rows = found.rows
    return {
        "models": [
            {"file": name, "leaves": tree.n_leaves, "depth": tree.depth, "nodes": tree.n_nodes}
            for name, tree in zip(names, (found.first, found.second), strict=True)
        ],
        "relation": found.relation,
        "similarity": found.similarity,
        "changes": [
            {
                "kind": each.change,
                "where": list(each.path),
                "rows": each.n_rows,
                "first": each.first,
                "second": each.second,
            }
            for each in found.differences
        ],
        "rows": None
        if rows is None
        else {
            "total": rows.n_rows,
            "path": len(rows.path),
            "class": len(rows.label),
            "probability": None if rows.probabilities is None else len(rows.probabilities),
        },
        "moves": []
        if rows is None
        else [{"from": old, "to": new, "rows": count} for old, new, count in rows.moves],
        "checks": checks,
    }


def python(
    session: Session,
    *,
    first: str,
    second: str,
    data: str | None,
    top: str | None,
    at_least: tuple[tuple[str, str], ...],
    at_most: tuple[tuple[str, str], ...],
) -> str:
    """Return the lines that print the same differences, in the words of the library."""
    lines = ["import treewright as tw"]
    lines += [
        f"{name} = {call('tw.load', path)}.tree_"
        for name, path in (("first", first), ("second", second))
    ]
    given = [Raw("second")]
    if data is not None:
        example = data.startswith("example:")
        read = (
            call("tw.load_example", data.removeprefix("example:")) + ".X"
            if example
            else call("tw.read", data)
        )
        lines.append(f"rows = {read}")
        given.append(Raw("rows"))
    lines.append(statement(f"print({call('first.diff', *given)})"))
    return "\n".join(lines)


COMMAND = Command(
    name="diff",
    sentence="Print what differs between two trees, and which rows get another answer.",
    arguments=(
        Argument(name="first", metavar="MODEL", takes="model"),
        Argument(name="second", metavar="OTHER", takes="model"),
    ),
    options=("data", "top", "at_least", "at_most"),
    examples=(
        ("treewright diff old.tw new.tw", "what changed"),
        ("treewright diff old.tw new.tw --data test.csv", "and for which rows"),
        ("treewright diff old.tw new.tw --at-most changes=0", "exit 3 if any"),
    ),
    run=diff,
    python=python,
)
