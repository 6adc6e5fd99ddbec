"""``treewright why``: every column's best question at a node, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.command import MODEL, Answer, Command
from treewright.cli.failure import Failure, usage
from treewright.cli.model_files import check_node, load_model, load_tree_of, tree_of
from treewright.cli.number_words import top_of
from treewright.cli.python_lines import call, load_line
from treewright.cli.screen.why_table import (
    candidates_on_screen,
    node_heading,
    verdict,
    working,
)
from treewright.cli.screen.words import place_in_words
from treewright.cli.session import Session
from treewright.text.numbers import figures

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.cli.screen.screen import Screen
    from treewright.explain.why_table import CandidateRow, WhyTable

_TOP = 10


def why(
    session: Session,
    *,
    model: str,
    node: int | None,
    top: str | None,
    measures: str | None,
    column: str | None,
    data: str | None,
) -> Answer:
    """Return the candidates of a node."""
    # With other rows a node is searched anew, which only the whole model knows how to do.
    loaded = load_model(model) if data is not None else load_tree_of(model, command="why")
    tree = tree_of(model, loaded, command="why")
    place = node or 0
    check_node(model, tree, place)
    found = _table(session, model, loaded, tree, place, measures, data)
    most = top_of(top, _TOP)
    row = None if column is None else _of_column(found, column)
    shown = None if measures is None else found.measures
    return Answer(
        text=lambda screen: _text(found, tree, screen, top=most, row=row, measures=shown),
        result=lambda: why_to_dict(found),
    )


def _table(
    session: Session,
    model: str,
    loaded: Any,
    tree: Tree,
    node: int,
    measures: str | None,
    data: str | None,
) -> WhyTable:
    chosen: Any = None
    if measures is not None:
        chosen = "all" if measures == "all" else [each.strip() for each in measures.split(",")]
    if data is None:
        return tree.why(node, top=None, measures=chosen)
    from treewright.cli.data_files import table_like

    table = table_like(session, data, model, loaded)
    return tree.why(node, table.X, table.y, top=None, measures=chosen)


def _of_column(found: WhyTable, name: str) -> CandidateRow:
    from treewright.parameters import nearest

    for row in found.candidates:
        if row.column == name:
            return row
    near = nearest(name, [row.column for row in found.candidates])
    raise Failure(
        code="column-not-found",
        message=f"the model has no column {name!r}",
        hint="" if near is None else f"--column {near}",
        column=name,
    )


def _text(
    found: WhyTable,
    tree: Tree,
    screen: Screen,
    *,
    top: int | None,
    row: CandidateRow | None,
    measures: tuple[str, ...] | None,
) -> str:
    place = place_in_words(tree, found.node, screen)
    lines = [screen.sentence(node_heading(found, screen, place), indent="  "), ""]
    if row is not None:
        return "\n".join([*lines, _column_text(found, row, screen)])
    if found.impurity == 0.0:
        return "\n".join([lines[0], screen.sentence(verdict(found))])
    lines.append(candidates_on_screen(found, screen, top=top, measures=measures))
    said = verdict(found)
    return "\n".join([*lines, *([screen.sentence(said)] if said else [])])


def _column_text(found: WhyTable, row: CandidateRow, screen: Screen) -> str:
    """Return the branches of one column's question, and the working of its gain."""
    from treewright.cli.screen.table import Column
    from treewright.tree.node_text import class_columns

    if not row.asks_something:
        return f"{screen.safe(row.column)}: {row.guard}"
    branches = row.branches
    columns = [
        Column(row.column, [branch.label for branch in branches], cut=24),
        Column("rows", [f"{branch.n_rows}" for branch in branches], right=True),
    ]
    if found.classes:
        counts = [branch.counts for branch in branches]
        columns += [
            Column(each.header, each.cells, right=each.right, drop=1)
            for each in class_columns(found.classes, counts, ascii=screen.ascii)
        ]
    elif found.mean is not None:
        columns.append(Column("mean", figures([b.mean for b in branches]), right=True))
    columns.append(Column(found.measure, figures([b.impurity for b in branches]), right=True))
    lines = [screen.table(columns)]
    computed = working(found, row, screen)
    if computed:
        lines.append(computed)
    elif row.gain is not None:
        lines.append(f"gain {figures([row.gain])[0]}")
    if row.guard is not None:
        lines.append(f"not considered: {row.guard}")
    return "\n".join(lines)


def why_to_dict(found: WhyTable) -> dict[str, Any]:
    """Return the candidates of a node for ``--json``."""
    return {
        "node": found.node,
        "rows": found.n_rows,
        "weight": found.weight,
        "counts": dict(zip(found.classes, found.counts, strict=True)) if found.counts else None,
        "mean": found.mean,
        "measure": found.measure,
        "impurity": found.impurity,
        "score": found.score_name,
        "leaf": found.leaf,
        "given": found.given,
        "candidates": [
            {
                "question": row.question,
                "column": row.column,
                "chosen": row.chosen,
                "tied": row.tied,
                "impurity": row.weighted_impurity,
                "gain": row.gain,
                "split_information": row.split_information,
                "gain_ratio": row.gain_ratio,
                "chi2": row.chi2,
                "df": row.df,
                "p": row.p_value,
                "adjusted_p": row.adjusted_p,
                "score": row.score,
                "missing": row.missing_weight,
                "removed_by": row.guard,
                "branches": [
                    {
                        "label": branch.label,
                        "rows": branch.n_rows,
                        "weight": branch.weight,
                        "impurity": branch.impurity,
                        "counts": list(branch.counts) or None,
                        "mean": branch.mean,
                    }
                    for branch in row.branches
                ],
            }
            for row in found.candidates
        ],
    }


def python(
    session: Session,
    *,
    model: str,
    node: int | None,
    top: str | None,
    measures: str | None,
    column: str | None,
    data: str | None,
) -> str:
    """Return the lines that print the same candidates."""
    if data is not None or column is not None:
        raise usage("why --python takes neither --data nor --column", code="no-python")
    shown = None if measures is None else measures if measures == "all" else measures.split(",")
    asked = call(".why", node or 0, top=top_of(top, _TOP) or None, measures=shown)
    return f"{load_line(model)}\nprint(model.tree_{asked}.text(detail=False))"


COMMAND = Command(
    name="why",
    sentence="Print every column's best question at a node of a tree, with its measures.",
    arguments=(MODEL,),
    options=("node", "top", "measures", "column", "data"),
    examples=(
        ("treewright why loans.tw", "the root: why it asks what it asks"),
        ("treewright why loans.tw --node 6 --top all", "another node, every column"),
        ("treewright why loans.tw --column amount", "the working of one column"),
    ),
    run=why,
    python=python,
)
