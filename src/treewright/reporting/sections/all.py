"""The sections of a report, in order; one that has nothing to say is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treewright.reporting.findings import Findings
from treewright.reporting.sections.answers import answers_section
from treewright.reporting.sections.data import data_section
from treewright.reporting.sections.ensemble import ensemble_section
from treewright.reporting.sections.importance import importance_section
from treewright.reporting.sections.quality import quality_section
from treewright.reporting.sections.repeat import repeat_section
from treewright.reporting.sections.rivals import rivals_section
from treewright.reporting.sections.rules import rules_section
from treewright.reporting.sections.section import Section
from treewright.reporting.sections.size import size_section
from treewright.reporting.sections.tree import tree_section

SECTIONS: Sequence[Callable[[Findings], Section | None]] = (
    data_section,
    tree_section,
    ensemble_section,
    size_section,
    rules_section,
    quality_section,
    rivals_section,
    importance_section,
    answers_section,
    repeat_section,
)
"""What each section is made by."""


def sections_of(found: Findings) -> list[Section]:
    """Return the sections that have something to say."""
    made = [each(found) for each in SECTIONS]
    return [each for each in made if each is not None]
