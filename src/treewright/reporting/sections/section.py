"""A section of a report: the question that it answers, what was found, and what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.reporting.page.markup import Markup, markup, tag


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section.

    Parameters
    ----------
    anchor, name
        Its address within the page, and its name in the list of sections.
    question
        What it answers.
    finding
        The answer, as its heading.
    blocks
        Paragraphs, figures and tables.
    is_landscape
        Whether it has pages of its own, turned, on paper.
    """

    anchor: str
    name: str
    question: str
    finding: str
    blocks: Sequence[Markup]
    is_landscape: bool = False

    def html(self, number: int) -> Markup:
        """Return the section as part of the page."""
        heading = f"{self.anchor}-h"
        return tag(
            "section",
            tag("p", tag("span", str(number)), self.question, class_="question"),
            tag("h2", self.finding, id=heading),
            markup(self.blocks),
            id=self.anchor,
            class_="landscape" if self.is_landscape else None,
            aria_labelledby=heading,
        )


def paragraph(*sentences: str | Markup) -> Markup:
    """Return sentences as a paragraph; empty ones are left out, none give none."""
    kept = [each for each in sentences if each]
    if not kept:
        return Markup("")
    return tag("p", [markup([" " if i else "", each]) for i, each in enumerate(kept)])
