"""Section: how large should the tree be?"""

from __future__ import annotations

from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.size import SizeCurve
from treewright.reporting.words import counted


def size_section(found: Findings) -> Section | None:
    """Return the section; None where sizes were not compared."""
    curve = found.size
    if curve is None or found.tree is None:
        return None
    n_leaves = found.tree.n_leaves
    return Section(
        anchor="size",
        name="Its size",
        question="How large should it be?",
        finding=finding_of(curve, n_leaves),
        blocks=[paragraph(*_told(curve, n_leaves)), figure(curve.draw(), "size")],
    )


def finding_of(curve: SizeCurve, n_leaves: int) -> str:
    """Return what the curve says about the size of the tree."""
    leaves = counted(n_leaves, "leaf", "leaves")
    if n_leaves == 1:
        return "No larger tree is better than one answer for all rows"
    if curve.chosen is None:
        return f"The tree has {leaves}"
    largest = float(curve.n_leaves[-1])
    if n_leaves >= largest:
        if curve.learns_noise:
            return f"{leaves} are too many: about {curve.about_most} would do better"
        return f"{leaves} are not too many"
    if float(curve.validated[curve.chosen]) <= curve.limit:
        return f"{leaves} are enough"
    return f"{leaves} are fewer than would do best"


def _told(curve: SizeCurve, n_leaves: int) -> list[str]:
    told = []
    if curve.learns_noise:
        told.append(
            f"Up to about {curve.about_most} leaves further questions help on unseen rows; beyond,"
            " only the training error falls."
        )
    else:
        told.append("No size that was tried is clearly worse than the best for being too large.")
    if curve.is_choice and curve.chosen is not None:
        lowest = float(curve.n_leaves[curve.lowest])
        told.append(
            "The size of the lowest error is taken."
            if n_leaves == lowest
            else "The smallest tree within one standard error of the lowest point is taken."
        )
    return told
