"""The one style of a report: its rules, and the colours of its pictures in the dark and on paper.

A picture in the theme "auto" has light colours as attributes, classes that name their tokens, and a
style of its own for the dark. On a page that allows one style only, this one has the rules for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from treewright.chart.colours import MOST_CLASS_HUES, Theme, colour

_TOKENS = ("paper", "panel", "ink", "ink2", "ink3", "axis", "rule", "accent", "other")
_OWN_STYLE = re.compile(r"<style>[^<]*</style>\n")
# Inside a tag stands nothing that somebody else chose, and no text has a "<": it is escaped.
_CLASSES = re.compile(r'<(?:line|path|rect|circle|text) [^<>]*\bclass="([^"<>]*)"')


def without_style(svg: str) -> str:
    """Return a picture without the style of its own."""
    return _OWN_STYLE.sub("", svg, count=1)


def style_of(pictures: Iterable[str]) -> str:
    """Return the style of a page with these pictures."""
    painted = {
        each
        for picture in pictures
        for found in _CLASSES.findall(picture)
        for each in found.split()
    }
    dark = f":root{{{_values('dark')}}}{_painted(painted, 'dark')}"
    paper = f":root{{{_values('print')}}}{_painted(painted, 'print')}"
    return (
        f":root{{color-scheme:light dark;{_values('light')}}}"
        f"@media screen and (prefers-color-scheme:dark){{{dark}}}"
        f"@media print{{{paper}}}\n{_swatches()}\n{_rules()}"
    )


def _values(theme: Theme) -> str:
    tokens = [*_TOKENS, *(f"class-{k}" for k in range(MOST_CLASS_HUES))]
    tokens += [f"seq-{i}" for i in range(7)]
    return "".join(f"--{token}:{colour(token, theme).value};" for token in tokens)


def _swatches() -> str:
    return "".join(f".b-class-{k}{{background:var(--class-{k})}}" for k in range(MOST_CLASS_HUES))


def _painted(painted: Iterable[str], theme: Theme) -> str:
    """Return the rules of fills and strokes; ``f-ink`` is the class of a fill in ink."""
    rules = []
    for name in sorted(painted):
        what, _, token = name.partition("-")
        attribute = {"f": "fill", "s": "stroke"}[what]
        found, light = colour(token, theme), colour(token, "light")
        if found == light:
            continue
        rule = f"{attribute}:{found.value}"
        if found.opacity != light.opacity:
            rule += f";{attribute}-opacity:{found.opacity:g}"
        rules.append(f".{name}{{{rule}}}")
    return "".join(rules)


@cache
def _rules() -> str:
    return files(__package__).joinpath("page.css").read_text("utf-8")
