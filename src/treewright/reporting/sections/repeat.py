"""Section: can I get the same? Commands, versions, seeds, the hash of the data, what was left."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version

from treewright.reporting.findings import Findings
from treewright.reporting.page.markup import Markup, Piece, listed, markup, named, shown, tag
from treewright.reporting.sections.quality import judged_how
from treewright.reporting.sections.section import Section
from treewright.reporting.words import counted

_LIBRARIES = ("numpy", "scipy", "scikit-learn")


def repeat_section(found: Findings) -> Section:
    """Return the section."""
    return Section(
        anchor="repeat",
        name="How to repeat this",
        question="Can I get the same?",
        finding="The same table and seed give the same figures",
        blocks=[_commands(found), tag("dl", _facts(found), class_="facts"), _not_done(found)],
    )


def _commands(found: Findings) -> Markup:
    made: list[Markup] = []
    given = found.given
    for title, lines in (("On the command line", given.command), ("In Python", given.python)):
        if lines:
            made += [tag("h4", title), tag("pre", _lines(lines))]
    return markup(made)


def _lines(text: str) -> Markup:
    """Return lines as they are; markup would make spaces of their ends."""
    return Markup("\n".join(markup(line) for line in text.split("\n")))


def _facts(found: Findings) -> list[Markup]:
    given = found.given
    facts: list[tuple[str, Piece]] = [
        ("learner", repr_of(found.model)),
        ("judged by", judged_how(found)),
        ("seed", f"{found.seed} of everything that is drawn"),
        ("table", f"{shown(given.name)}, {counted(found.data.n_rows, 'row')}, {_columns(found)}"),
        ("hash of the data", found.data_hash or "not taken: the table is large"),
        ("versions", ", ".join(f"{name} {number}" for name, number in versions().items())),
        ("system", f"{platform.system()}, {platform.machine()}"),
    ]
    if found.made_at is not None:
        facts.append(
            ("made", f"{found.made_at:%Y-%m-%d %H:%M} UTC, in {found.seconds:.0f} seconds")
        )
    if given.left_out:
        left: list[Markup] = [
            markup([named(name), f" ({reason})"]) for name, reason in given.left_out.items()
        ]
        facts.append(("left out", markup(listed(left))))
    return [markup([tag("dt", name), tag("dd", value)]) for name, value in facts]


def _columns(found: Findings) -> str:
    return counted(found.given.X.shape[1], "column")


def repr_of(model: object) -> str:
    """Return an estimator as Python writes it, on one line."""
    return " ".join(repr(model).split())[:600]


def versions() -> dict[str, str]:
    """Return the versions that figures depend on."""
    found = {
        "treewright": version("treewright"),
        "Python": ".".join(map(str, sys.version_info[:3])),
    }
    return found | {name: version(name) for name in _LIBRARIES}


def _not_done(found: Findings) -> Markup:
    if not found.not_done:
        return Markup("")
    items = tag("ul", [tag("li", each) for each in found.not_done])
    return markup([tag("h4", "What was not done"), items])
