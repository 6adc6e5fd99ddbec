"""Pictures in a report: drawn for wide and for narrow pages, with their numbers folded below."""

from __future__ import annotations

import re
from dataclasses import replace

from treewright.chart.picture import Picture
from treewright.chart.words import clean_sentence
from treewright.reporting.page.markup import Markup, Piece, tag
from treewright.reporting.page.style import without_style
from treewright.reporting.page.tables import numbers_of

WIDE, NARROW, TREE = 720, 368, 960
"""Widths of charts, of all pictures on narrow pages, and of trees."""

PAPER = 688
"""Pixels between the margins of a page of paper; wider pictures have a page of their own."""

_WIDTH = re.compile(r'<svg [^>]*\bwidth="([\d.]+)"')


def figure(
    picture: Picture,
    prefix: str,
    *,
    wide: int | None = WIDE,
    title: bool = True,
    lead: str = "",
    caption: str | None = None,
    key: Piece = "",
    numbers: bool = True,
) -> Markup:
    """Return a picture with its words.

    Parameters
    ----------
    picture
        What is drawn; its verdict is not.
    prefix
        Of the ids in it, unique on the page.
    wide
        Its width on a wide page; None: as is usual.
    title
        Whether its title and subtitle are written; not where the heading above says the same.
    lead
        What is written above it where its title is not.
    caption
        Instead of the picture's own.
    key
        Between heading and picture.
    numbers
        Whether its numbers follow, folded.
    """
    if picture.verdict:
        picture = replace(picture, verdict="")
    large = without_style(picture.svg(width=wide, frame="report", prefix=f"{prefix}-w"))
    small = without_style(picture.svg(width=NARROW, frame="report", prefix=f"{prefix}-n"))
    told = clean_sentence(picture.full_caption if caption is None else caption)
    words: list[Piece] = [tag("p", lead, class_="subtitle")] if lead else []
    if title:
        words.append(tag("h3", picture.title))
        words.append(tag("p", picture.subtitle, class_="subtitle") if picture.subtitle else "")
    drawn = tag(
        "div",
        words,
        key,
        tag("div", Markup(large), class_="wide"),
        tag("div", Markup(small), class_="narrow"),
        tag("figcaption", told) if told else "",
        class_="drawn",
    )
    return tag("figure", drawn, numbers_of(picture.numbers()) if numbers else "")


def needs_landscape(made: Markup) -> bool:
    """Return whether a figure is wider than a page of paper, were it not scaled."""
    found = _WIDTH.search(made)
    return found is not None and float(found[1]) > PAPER + 40


def verdict(text: str) -> Markup:
    """Return what may be concluded, and what not."""
    return tag("p", text, class_="verdict") if text else Markup("")
