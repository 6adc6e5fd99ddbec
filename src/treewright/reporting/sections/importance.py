"""Section: which columns carry it?"""

from __future__ import annotations

from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure
from treewright.reporting.page.markup import Markup, shown
from treewright.reporting.sections.section import Section, paragraph


def importance_section(found: Findings) -> Section | None:
    """Return the section; None where no column matters."""
    importances = found.importances
    if importances is None or not len(importances) or not (importances.mean > 0).any():
        return None
    picture = importances.draw()
    n_columns = len(importances)
    used = [each for each in importances if each.mean > 0]
    blocks: list[Markup] = []
    if len(used) < n_columns:
        rest = n_columns - len(used)
        word = "column is" if rest == 1 else "columns are"
        blocks.append(paragraph(f"{rest:,} of {n_columns:,} {word} not asked about at all."))
    blocks.append(figure(picture, "importance", title=False))
    return Section(
        anchor="columns",
        name="What matters",
        question="Which columns carry it?",
        finding=_finding(used[0].name, used[0].mean, sum(each.mean for each in used)),
        blocks=blocks,
    )


def _finding(name: str, mean: float, total: float) -> str:
    share = mean / total if total > 0 else 0.0
    if share >= 0.999:
        return f"{shown(name)} alone matters"
    if share > 0.5:
        return f"{shown(name)} matters more than all others together"
    return f"{shown(name)} matters most"
