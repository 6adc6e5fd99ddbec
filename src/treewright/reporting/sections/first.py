"""What to know first: at most three things that could mislead a reader of the figures."""

from __future__ import annotations

from treewright.chart.words import percent
from treewright.reporting.findings import Findings
from treewright.reporting.page.markup import Markup, Piece, listed, markup, named
from treewright.reporting.words import counted

_MOST = 3


def first_to_know(found: Findings) -> list[Markup]:
    """Return what misleads most, first."""
    made = [*_of_columns(found), *_of_rows(found), *_of_classes(found), *_of_gaps(found)]
    return made[:_MOST]


def _of_columns(found: Findings) -> list[Markup]:
    made: list[Markup] = []
    if found.profile.alone:
        names = [named(name) for name in list(found.profile.alone)[:_MOST]]
        verb = "says" if len(names) == 1 else "say"
        made.append(
            markup(
                [
                    *listed(names),
                    f" {verb} the answer almost alone; make sure that it is known"
                    " before the answer is.",
                ]
            )
        )
    kept = [name for name in found.identifiers if name in found.given.X.columns]
    if kept:
        names = [named(name) for name in kept[:_MOST]]
        made.append(markup([*listed(names), ": every value differs. Leave it out."]))
    return made


def _of_rows(found: Findings) -> list[Markup]:
    made: list[Piece] = list(found.group_warnings)
    if found.n_judged_rows < found.data.n_rows:
        made.append(
            f"The table is large: learners were judged and compared on"
            f" {counted(found.n_judged_rows, 'row')} drawn from it, and do better with all."
        )
    profile = found.profile
    if profile.n_repeated > 0.05 * profile.n_rows and profile.n_rows >= 50:
        share = percent(profile.n_repeated / profile.n_rows)
        made.append(
            f"{share} of the rows repeat another one; if they are the same case written twice,"
            " the figures are too good."
        )
    if profile.n_rows < 50:
        rows = counted(profile.n_rows, "row")
        made.append(f"The table has {rows}: all figures are rough, as their intervals say.")
    return [markup(each) for each in made]


def _of_classes(found: Findings) -> list[Markup]:
    counts = found.profile.class_counts
    rare = found.profile.rare_classes
    made: list[Markup] = []
    for k in rare[:2]:
        rows = counted(int(counts[k]), "row")
        share = percent(counts[k] / counts.sum(), decimals=1)
        verb = "has" if len(rare) < 3 else "and other classes have few rows: it has"
        made.append(
            markup(
                [named(found.classes[k]), f" {verb} {rows} ({share}): figures for it are rough."]
            )
        )
        if len(rare) >= 3:
            break
    return made


def _of_gaps(found: Findings) -> list[Markup]:
    return [
        markup(
            [
                named(each.name),
                f" is missing in {counted(each.n_missing, 'row')}; check that it is known when"
                " the answer is needed.",
            ]
        )
        for each in found.profile.often_missing
    ]
