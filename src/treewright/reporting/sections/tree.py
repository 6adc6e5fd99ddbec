"""Section: how does the tree decide? The tree, and why its first question was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.chart.words import clean, number
from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import TREE, figure, needs_landscape
from treewright.reporting.page.markup import Markup, named, shown, tag
from treewright.reporting.page.tables import Head, folded, table
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.words import counted
from treewright.text.numbers import figures

if TYPE_CHECKING:
    from treewright.explain.why_table import WhyTable
    from treewright.tree.tree import Tree

_MOST_CANDIDATES = 12


def tree_section(found: Findings) -> Section | None:
    """Return the section; None for a learner that is no single tree."""
    tree = found.tree
    if tree is None:
        return None
    picture = _picture(found, tree)
    return Section(
        anchor="tree",
        name="The tree",
        question="How does it decide?",
        finding=_finding(tree),
        blocks=[*picture, _why(tree)],
        is_landscape=any(map(needs_landscape, picture)),
    )


def columns_in_order(tree: Tree) -> list[str]:
    """Return the columns asked, level by level, each once."""
    asked: list[str] = []
    arrays = tree.arrays
    level = [0]
    while level:
        below = []
        for node in level:
            question = tree.question(node)
            if question is None:
                continue
            name = question.column.name if hasattr(question, "column") else ""
            if name and name not in asked:
                asked.append(name)
            below += [int(child) for child in tree.children(node)]
        level = below
    del arrays
    return asked


def _finding(tree: Tree) -> str:
    asked = [shown(name) for name in columns_in_order(tree)]
    if not asked:
        return "It asks nothing" if tree.n_leaves == 1 else "It asks about sums of columns"
    if len(asked) == 1:
        return f"It asks about {asked[0]} only"
    then = asked[1] if len(asked) == 2 else f"{asked[1]} and {asked[2]}"
    return f"{asked[0]} comes first, then {then}"


def _picture(found: Findings, tree: Tree) -> list[Markup]:
    if tree.n_leaves == 1:
        reason = tree.reason_for_one_leaf()
        told = "One leaf answers all rows alike" + (f": {clean(reason)}." if reason else ".")
        return [paragraph(told)]
    picture = tree.draw(name=shown(found.given.name))
    grown = (
        f"{type(found.model).__name__}, {counted(tree.n_leaves, 'leaf', 'leaves')}, grown on all"
        f" {counted(found.data.n_rows, 'row')}."
    )
    laid_out = picture.laid_out(width=TREE, frame="report")
    told = f"{grown} {laid_out.reading} {laid_out.caption}"
    lead = paragraph(_shape(tree))
    return [lead, figure(picture, "tree", wide=TREE, title=False, caption=told)]


def _shape(tree: Tree) -> str:
    mean = tree.expected_tests()
    return (
        f"A row answers {number(round(mean, 1))} questions on average and"
        f" {counted(tree.depth, 'question')} at most."
    )


def _why(tree: Tree) -> Markup:
    """Return what the root could have asked, best first, folded."""
    if tree.n_leaves == 1 or not tree.has_record:
        return Markup("")
    why = tree.why(0)
    rows = [each for each in why.candidates if each.asks_something]
    rows.sort(key=lambda each: (not each.chosen, each.guard is not None, -(each.score or 0.0)))
    kept = rows[:_MOST_CANDIDATES]
    impurities = figures([each.weighted_impurity for each in kept])
    scores = figures([each.score for each in kept])
    cells = [
        ["→" if each.chosen else "", shown(each.question, 90), impurity, score]
        for each, impurity, score in zip(kept, impurities, scores, strict=True)
    ]
    heads = [
        Head(""),
        Head("question"),
        Head(why.measure, is_number=True),
        Head(why.score_name, is_number=True),
    ]
    rest = len(rows) - len(kept)
    more = tag("p", f"… {counted(rest, 'more column', 'more columns')}") if rest > 0 else ""
    return folded(
        "Why the first question was chosen: the best question of each column",
        table(heads, cells, strong=[0]),
        _told(why),
        more,
    )


def _told(why: WhyTable) -> Markup:
    chosen = why.chosen
    if chosen is None:
        return Markup("")
    others = [each for each in why.candidates if each.asks_something and not each.chosen]
    best = max(others, key=lambda each: each.score or 0.0, default=None)
    if best is None or not chosen.score:
        return tag("p", named(chosen.column), " is the only column that can be asked about.")
    share = f"{100 * (best.score or 0.0) / chosen.score:.0f} %"
    return tag(
        "p",
        named(chosen.column),
        f" has the highest {why.score_name}; next is ",
        named(best.column),
        f" with {share} of it.",
    )
