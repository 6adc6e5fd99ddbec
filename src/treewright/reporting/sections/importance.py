"""Section: which columns carry it?"""

from __future__ import annotations

from dataclasses import replace

from treewright.reporting.findings import Findings
from treewright.reporting.page.figures import figure
from treewright.reporting.page.markup import Markup, shown
from treewright.reporting.sections.section import Section, paragraph
from treewright.reporting.words import capital


def importance_section(found: Findings) -> Section | None:
    """Return the section; None where no column matters."""
    importances = found.importances
    if importances is None or not len(importances) or not (importances.mean > 0).any():
        return None
    asked = [each for each in importances if each.mean != 0 or each.standard_error > 0]
    rest = len(importances) - len(asked)
    names = [importances.names.index(each.name) for each in asked]
    shown_ones = replace(
        importances,
        names=tuple(importances.names[i] for i in names),
        by_tree=importances.by_tree[:, names],
    )
    picture = shown_ones.draw()
    if found.metric.is_share:
        picture = replace(picture, x=replace(picture.x, form="percent"))
    blocks: list[Markup] = [
        paragraph(_never_asked(rest, len(importances))),
        figure(picture, "importance", title=False, lead=capital(picture.subtitle)),
    ]
    for i, each in enumerate(found.dependences):
        blocks.append(figure(each.draw(), f"dependence-{i}"))
    used = [each for each in importances if each.mean > 0]
    return Section(
        anchor="columns",
        name="What matters",
        question="Which columns carry it?",
        finding=_finding(used[0].name, used[0].mean, sum(each.mean for each in used)),
        blocks=blocks,
    )


def _never_asked(n_never: int, n_columns: int) -> str:
    if not n_never:
        return ""
    word = "column is" if n_never == 1 else "columns are"
    return f"{n_never:,} of {n_columns:,} {word} never asked about."


def _finding(name: str, mean: float, total: float) -> str:
    share = mean / total if total > 0 else 0.0
    if share >= 0.999:
        return f"{shown(name)} alone matters"
    if share > 0.5:
        return f"{shown(name)} matters more than all others together"
    return f"{shown(name)} matters most"
