"""Section: how does a learner of many trees decide?"""

from __future__ import annotations

from typing import Any

from treewright.chart.picture import Picture
from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import TREE, figure
from treewright.reporting.page.markup import Markup, markup, tag
from treewright.reporting.page.tables import folded
from treewright.reporting.sections.section import Section

_MOST_LINES = 60


def ensemble_section(found: Findings) -> Section | None:
    """Return the section; None for a single tree, for rules, and where nothing can be drawn."""
    draw: Any = getattr(found.model, "draw", None)
    if draw is None or hasattr(found.model, "tree_"):
        return None
    picture = draw()
    if not isinstance(picture, Picture):
        return None
    return Section(
        anchor="trees",
        name=f"The {found.noun}",
        question="How does it decide?",
        finding=picture.title,
        blocks=[figure(picture, "trees", wide=TREE, title=False), _summary(found.model)],
    )


def _summary(model: Any) -> Markup:
    summary: Any = getattr(model, "summary", None)
    if summary is None:
        return Markup("")
    lines = str(summary()).split("\n")[:_MOST_LINES]
    text = Markup("\n".join(markup(line) for line in lines))
    return folded("The summary", tag("pre", text))
