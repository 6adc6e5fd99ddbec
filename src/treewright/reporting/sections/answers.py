"""Section: why this answer, and what would change it? Rows of the table, one by one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.chart.words import count, grouped, percent
from treewright.data.read.rows import read_row
from treewright.draw.values import label_text, value_text
from treewright.explain.path import Explanation, Step
from treewright.reporting.examples import Example
from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure
from treewright.reporting.page.markup import Markup, Piece, markup, named, shown, tag
from treewright.reporting.page.tables import Head, table
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.tree_words import TreeWords
from treewright.reporting.words import capital, quoted

if TYPE_CHECKING:
    from treewright.counterfactual.counterfactual import Counterfactual
    from treewright.data.frame import Frame
    from treewright.data.table import Table
    from treewright.tree.question import Question
    from treewright.tree.tree import Tree

_HALF = 464
_LEAST_BARS = 1e-12
_SHORT = 12
"""Letters of a value that is not broken."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def answers_section(found: Findings) -> Section | None:
    """Return the section; None where no row was looked at."""
    if not found.examples:
        return None
    words = None if found.tree is None else TreeWords(found.tree)
    blocks = [paragraph(_lead(found))]
    blocks += [_block(found, words, i, each) for i, each in enumerate(found.examples)]
    return Section(
        anchor="answers",
        name="Single answers",
        question="Why this answer, and what would change it?",
        finding=_finding(found),
        blocks=blocks,
    )


def _lead(found: Findings) -> str:
    grown = f"The {found.noun} has seen these rows; they show how it answers, not how well."
    if found.is_classification:
        return (
            "Of each class a row that is answered rightly, of median certainty, and the wrong one"
            f" that the {found.noun} is surest about. {grown}"
        )
    return (
        f"A row of median error, and the two that are answered most too high and too low, with what"
        f" would move the answer by half a standard deviation towards the truth. {grown}"
    )


def _finding(found: Findings) -> str:
    near = [each for each in found.examples if each.nearest is not None and each.nearest.changes]
    one = [each for each in near if each.nearest is not None and len(each.nearest.changes) == 1]
    if not near:
        return "How single rows are answered"
    if len(one) == len(near) == len(found.examples):
        return "In each of these rows one changed value changes the answer"
    return f"One changed value changes the answer in {len(one)} of {len(found.examples)} rows"


def _block(found: Findings, words: TreeWords | None, number: int, each: Example) -> Markup:
    left: list[Piece] = []
    if each.path is not None and found.tree is not None and words is not None:
        left.append(_path(found.tree, words, each.path, X=found.given.X.rows([each.row])))
    left.append(_nearest(each))
    right: Piece = ""
    if each.shap is not None and (np.abs(each.shap.values) > _LEAST_BARS).any():
        picture = each.shap.draw(str(each.predicted) if found.is_classification else None)
        right = figure(picture, f"shap-{number}", wide=_HALF)
    return tag(
        "div",
        tag("h3", _title(found, each)),
        tag("div", tag("div", left), right, class_="pair"),
        class_="answer",
    )


def _title(found: Findings, each: Example) -> Piece:
    row = f"Row {each.row + 1:,}"
    said = shown(label_text(each.predicted))
    if not found.is_classification:
        return f"{row}: {said} is predicted, {label_text(float(each.actual))} is true"
    if each.is_right:
        return f"{row}: {said}, rightly"
    return f"{row}: {said}, but it is {shown(label_text(each.actual))}"


def _path(tree: Tree, words: TreeWords, path: Explanation, *, X: Frame) -> Markup:
    """Return the questions on the way of a row, with what it answers."""
    if not path.steps:
        return paragraph("The tree asks nothing.")
    classified = tree.classes is not None
    rows: list[list[Piece]] = []
    names = [] if tree.classes is None else tree.classes[0].tolist()
    place = names.index(path.label) if path.label in names else -1
    divided = len(path.leaves) > 1
    row = read_row(X, tree.schema, optional=tree.schema.names, unseen=tree.unseen)
    for step in path.steps:
        question = tree.question(step.node)
        assert question is not None
        for turn in step.turns:
            value = tree.arrays.value[turn.node]
            total = float(value.sum())
            share: Piece = ""
            if classified and place >= 0 and total > 0:
                share = percent(float(value[place]) / total)
            elif not classified:
                share = label_text(float(np.ravel(tree.answers[turn.node])[0]))
            answer = words.answer(step.node, turn.branch)
            part = f" ({percent(turn.fraction)} of the row)" if divided else ""
            rows.append(
                [
                    markup([named(step.column, most=30), f" {shown(answer, 60)}{part}"]),
                    _whole(shown(_value(question, step, row), 30)),
                    count(int(tree.arrays.n_rows[turn.node])),
                    share,
                ]
            )
    last = shown(label_text(path.label), 20) if classified else "mean"
    heads = [
        Head("because"),
        Head("value"),
        Head("rows", is_number=True),
        Head(last, is_number=True),
    ]
    return table(heads, rows, full=True, strong=[len(rows) - 1], most=40)


def _value(question: Question, step: Step, row: Table) -> str:
    """Return a value as it stands beside a rounded cut; of a surrogate what was asked instead."""
    if step.stand_in is not None:
        return f"{step.value}, but {step.stand_in}"
    return value_text(question, question.value_in(row))


def _whole(value: str) -> Piece:
    """Return a value that stays on one line where it is short: half a number is another."""
    return tag("span", value, class_="whole") if len(value) <= _SHORT else value


def _nearest(each: Example) -> Markup:
    if each.nearest is None:
        return paragraph(capital(each.why_not))
    found = _cut(each.nearest)
    said = " ".join(found.text().split())
    return paragraph(said.replace(repr(found.to), quoted(str(found.to)), 1))


def _cut(found: Counterfactual) -> Counterfactual:
    """Return what would change the answer, with names and values cut to a readable length."""
    changes = tuple(
        replace(
            each,
            column=shown(each.column),
            before_text=shown(_grouped(each.before_text, each.before)),
            after_text=shown(_grouped(each.after_text, each.after)),
        )
        for each in found.changes
    )
    to = shown(found.to) if isinstance(found.to, str) else found.to
    return replace(found, changes=changes, to=to)


def _grouped(text: str, value: object) -> str:
    """Return a number as it stands elsewhere in the report, with commas; other texts as they are.

    >>> _grouped("just above 2030.835", 2030.836), _grouped("8951 EUR", "8951 EUR")
    ('just above 2,030.835', '8951 EUR')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text
    return _NUMBER.sub(lambda found: grouped(found[0]), text)
