"""Pieces of text that several screens share: counts, questions, paths, answers."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from treewright.cli.screen.screen import Screen
from treewright.text.numbers import figure, percent
from treewright.tree.condition import SHORT
from treewright.tree.node_text import classes_in_words, label_in_words
from treewright.tree.routing import conditions_of

if TYPE_CHECKING:
    from treewright import Tree
    from treewright.tree.question import Question


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(2000, "row")
    ('1 leaf', '2,000 rows')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def question_in_words(question: Question, screen: Screen) -> str:
    """Return a question: its first condition, or the column alone where each value has a branch."""
    wording = replace(SHORT, ascii=screen.ascii)
    texts = [question.text(branch, wording) for branch in range(question.n_branches)]
    name = wording.name(question.column)
    if question.n_branches > 2 or all(text.startswith(f"{name} = ") for text in texts):
        return name
    return texts[0]


def place_in_words(tree: Tree, node: int, screen: Screen) -> str:
    """Return the path to a node, merged by column."""
    wording = replace(SHORT, ascii=screen.ascii)
    return " and ".join(each.text(wording) for each in conditions_of(tree, node)) or "all rows"


def shares_in_words(tree: Tree, answer: Any) -> str:
    """Return the classes that a row may have, most likely first: ``late 63.2 %, repaid 26.3 %``."""
    if tree.classes is None or tree.n_outputs > 1:
        return ""
    answer = answer.reshape(-1)
    names = [label_in_words(each) for each in tree.classes[0].tolist()]
    pairs = sorted(zip((-share for share in answer.tolist()), names, strict=True), key=_share)
    told = [f"{name} {percent(-share)}" for share, name in pairs if share < 0]
    return ", ".join(told[:5]) + (", …" if len(told) > 5 else "")


def _share(pair: tuple[float, str]) -> float:
    return pair[0]


def counts_in_words(tree: Tree, node: int, screen: Screen) -> str:
    """Return the classes of a node's rows, most frequent first, or their mean."""
    if tree.n_outputs > 1 or not tree.has_rows:
        return ""
    if tree.classes is None:
        return f"mean {figure(float(tree.arrays.value[node, 0]))}"
    names = [label_in_words(each) for each in tree.classes[0].tolist()]
    return classes_in_words(names, tree.arrays.value[node].tolist(), ascii=screen.ascii)


def whole_percent(share: float) -> str:
    """Return a share in whole percent, rounded half up.

    >>> whole_percent(0.585), whole_percent(0.5)
    ('59', '50')
    """
    exact = Decimal(repr(float(share))).scaleb(2)
    return str(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
