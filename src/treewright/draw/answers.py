"""The answers at the edges of a tree: ``≤ 17,250``, ``Sunny``, ``not Bachelors, Masters +2``.

An answer is written without its column, which stands once, in the node that asks. It is made to fit
by measured width: of a set as many names as there is room for, then how many more.

Examples
--------
>>> answer = Answer(lead="", names=("north", "west", "centre", "south"), full="region in {...}")
>>> answer.fitted(200, 12), answer.fitted(70, 12), answer.fitted(42, 12)
('north, west, centre, south', 'north +3', 'n… +3')
>>> Answer(lead="≤ ", names=("17,250",), full="amount <= 17250").fitted(99, 12, before="14,400")
'14,400 ≤ 17,250'
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treewright.chart.widths import measure, shorten_end
from treewright.chart.words import clean
from treewright.draw.values import bound_text, category_text
from treewright.tree.condition import SHORT
from treewright.tree.question import Categories, Question

if TYPE_CHECKING:
    from treewright.draw.training_rows import TrainingRows

_MANY_NAMES = 40
"""Names of a set beyond so many are only counted."""

_TOOLTIP = replace(SHORT, max_values=12, max_length=80, rounded=False)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of one branch.

    Parameters
    ----------
    lead
        What stands before the names: a comparison, ``not`` or nothing.
    names
        The bound or bounds, or the values of a set.
    full
        The whole condition, with the column and the exact number.
    n_more
        Values of the set that are not among the names.
    is_set
        Whether the names are values; otherwise they are one text.
    takes_missing
        Whether rows without a value take this branch, and there were some (or none are known).
    """

    lead: str
    names: tuple[str, ...]
    full: str
    n_more: int = 0
    is_set: bool = True
    takes_missing: bool = False

    @property
    def text(self) -> str:
        """The answer in full length."""
        more = f" +{self.n_more}" if self.n_more else ""
        return f"{self.lead}{', '.join(self.names)}{more}"

    def fitted(self, width: float, size: float, *, bold: bool = False, before: str = "") -> str:
        """Return the answer cut to a width; `before` is left out where it does not fit."""
        if before:
            told = f"{before} {self.text}"
            if measure(told, size, bold=bold) <= width:
                return told
        for n_kept in range(len(self.names), 0, -1):
            rest = len(self.names) - n_kept + self.n_more
            more = f" +{rest}" if rest else ""
            text = f"{self.lead}{', '.join(self.names[:n_kept])}{more}"
            if measure(text, size, bold=bold) <= width:
                return text
        rest = len(self.names) - 1 + self.n_more
        more = f" +{rest}" if rest else ""
        room = width - measure(self.lead + more, size, bold=bold)
        if room < measure("…", size, bold=bold):
            return shorten_end(self.text, width, size, bold=bold)
        return f"{self.lead}{shorten_end(self.names[0], room, size, bold=bold)}{more}"


def answers_of(question: Question, node: int, rows: TrainingRows | None) -> list[Answer]:
    """Return the answer of every branch of a node.

    Parameters
    ----------
    question, node
        The node, and its question.
    rows
        Its training rows, by which cuts are rounded; None where there are none.
    """
    gaps = _had_gaps(question, node, rows)
    missing = [gaps and branch == question.missing_branch for branch in range(question.n_branches)]
    full = [clean(question.text(branch, _TOOLTIP)) for branch in range(question.n_branches)]
    if isinstance(question, Categories):
        return [
            _of_categories(question, branch, full[branch], missing[branch])
            for branch in range(question.n_branches)
        ]
    near = [] if rows is None else rows.neighbours(node, question)
    return [
        _of_interval(question, branch, full[branch], missing[branch], near)
        for branch in range(question.n_branches)
    ]


def _had_gaps(question: Question, node: int, rows: TrainingRows | None) -> bool:
    """Return whether a value was missing in the node; not told without its rows."""
    return rows is not None and bool(rows.values(node, question)[1].any())


def _of_interval(
    question: Question,
    branch: int,
    full: str,
    missing: bool,
    near: list[tuple[float, float]],
) -> Answer:
    found = question.condition(branch)
    low, high = getattr(found, "low", None), getattr(found, "high", None)
    if low is None and high is None:
        said = "known" if getattr(found, "known", True) else "missing"
        return Answer(lead="", names=(said,), full=full, is_set=False)
    spec, nowhere = question.column, (-math.inf, math.inf)
    if spec.storage == "value":
        only = _only_category(len(spec.values), low, high)
        if only is not None:
            name = category_text(spec, only)
            return Answer(lead="", names=(name,), full=full, takes_missing=missing)
    words = []
    if low is not None:
        words.append(f"> {bound_text(spec, low, *(near[branch - 1] if near else nowhere))}")
    if high is not None:
        words.append(f"≤ {bound_text(spec, high, *(near[branch] if near else nowhere))}")
    return Answer(
        lead=words[0][:2],
        names=(", ".join(words)[2:],),
        full=full,
        is_set=False,
        takes_missing=missing,
    )


def _only_category(n_values: int, low: float | None, high: float | None) -> int | None:
    first = 0 if low is None else int(low) + 1
    last = n_values - 1 if high is None else int(high)
    return first if first == last else None


def _of_categories(question: Categories, branch: int, full: str, missing: bool) -> Answer:
    codes = sorted(question.codes_of_branch[branch])
    lead = ""
    if question.n_branches == 2:
        others = sorted(question.codes_of_branch[1 - branch])
        takes_rest = branch == question.rest_branch
        if others and (takes_rest or len(others) < len(codes)):
            codes, lead = others, "≠ " if len(others) == 1 else "not "
        elif not others and codes and missing is False and question.missing_branch == 1 - branch:
            return Answer(lead="", names=("known",), full=full, is_set=False)
    if not codes:
        if branch == question.missing_branch:
            return Answer(lead="", names=("missing",), full=full, is_set=False)
        said = "others" if branch == question.rest_branch else "none"
        return Answer(lead="", names=(said,), full=full, is_set=False, takes_missing=missing)
    names = tuple(category_text(question.column, code) for code in codes[:_MANY_NAMES])
    return Answer(
        lead=lead,
        names=names,
        full=full,
        n_more=len(codes) - len(names),
        takes_missing=missing,
    )
