"""The page of a report: one file without a request and without a script.

Its Content-Security-Policy allows the one style whose hash it names, and nothing else: whatever a
name of the table looks like, it stays a name.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.metadata import version

from treewright.reporting.findings import Findings
from treewright.reporting.made_at import in_words
from treewright.reporting.page.markup import Markup, shown, tag
from treewright.reporting.page.style import style_of
from treewright.reporting.sections.head import Head, about_line
from treewright.reporting.sections.section import Section


def page_of(found: Findings, head: Head, sections: Sequence[Section]) -> str:
    """Return the page of a head and its sections."""
    day = "" if found.made_at is None else in_words(found.made_at)
    body = tag(
        "div",
        _contents(found, sections),
        tag(
            "main",
            head.html(about_line(found, day)),
            [each.html(number) for number, each in enumerate(sections, start=1)],
        ),
        class_="page",
    )
    style = style_of([body])
    policy = f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    title = f"{shown(found.given.name)}, {shown(found.given.target)}: {head.finding}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="generator" content="treewright {version("treewright")}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{tag('title', title)}\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _contents(found: Findings, sections: Sequence[Section]) -> Markup:
    """Return the list of sections: at the left of a wide page, folded on top of a narrow one."""
    names = tag(
        "ol",
        [
            tag("li", tag("a", tag("span", str(number)), " ", each.name, href=f"#{each.anchor}"))
            for number, each in enumerate(sections, start=1)
        ],
    )
    of_what = f"{shown(found.given.name)}, target {shown(found.given.target)}"
    wide = tag("div", tag("p", of_what), names, class_="wide")
    line = tag("summary", f"Sections: 1 to {len(sections)}")
    narrow = tag("details", line, names, class_="narrow")
    return tag("nav", wide, narrow, aria_label="Sections")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
