"""Section: would another learner do better?"""

from __future__ import annotations

from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure, verdict
from treewright.reporting.page.markup import Markup, markup, shown, tag
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.words import capital


def _finding(found: Findings, title: str) -> str:
    """Return which errs least, unless all err alike."""
    assert found.comparison is not None
    name = found.metric.name
    values = {each[name].value for each in found.comparison.results if each is not None}
    if len(values) == 1:
        return "None of these learners is better than another"
    return capital(title)


def rivals_section(found: Findings) -> Section | None:
    """Return the section; None where the learner was compared with no other."""
    comparison = found.comparison
    if comparison is None:
        return None
    picture = comparison.draw()
    failed: list[Markup] = [
        tag("li", tag("b", shown(name)), f" failed: {words}")
        for name, words in comparison.failures.items()
    ]
    return Section(
        anchor="rivals",
        name="Other learners",
        question="Would another do better?",
        finding=_finding(found, picture.title),
        blocks=[
            paragraph(
                "All learners were fitted to the same parts of the table and judged on the rows"
                " left out; each chose for itself by the rows it learned from."
            ),
            figure(picture, "rivals", title=False),
            verdict(comparison.verdict),
            tag("ul", failed) if failed else markup(""),
        ],
    )
