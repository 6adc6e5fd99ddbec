"""Words at the head of an exported program: what it is, and what its columns take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treewright.export.code.names import in_comment

if TYPE_CHECKING:
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

HEAD = "exported by treewright"
"""Words of the first line of every exported text: what bears them may be replaced by another."""

_HEAD_LINE = re.compile(HEAD + r" \((?P<target>\w+)(?: (?P<dialect>\w+))?, (?P<name>\w+)\)")
_TAKES = {
    "number": "a number",
    "whole": "a whole number",
    "unsigned": "a whole number from 0 on",
    "text": "a text",
    "flag": "true or false",
    "numeral": "a number that is a category",
}


def head_of(form: Form, target: str, name: str, dialect: str | None = None) -> str:
    """Return the first line, by which :func:`read_head` knows what a file is."""
    what = target if dialect is None else f"{target} {dialect}"
    return f"{in_comment(form.model)} ({form.size}), {HEAD} ({what}, {name})"


def read_head(text: str) -> tuple[str, str | None, str] | None:
    """Return target, dialect and name from the head of an exported text; None if it has none."""
    found = _HEAD_LINE.search(text)
    return None if found is None else (found["target"], found["dialect"], found["name"])


def left_out_of(form: Form) -> tuple[str, ...]:
    """Return what programs do otherwise than the model, in words."""
    if form.refuses_unseen and any(each.is_category for each in form.inputs):
        return ("unseen='error': a category unseen in training is treated as missing, not refused",)
    return ()


def takes(each: Input) -> str:
    """Return what an input takes, in words."""
    unit = {"ns": "nanoseconds", "us": "microseconds"}.get(each.spec.unit or "", "units")
    if each.type == "instant":
        zone = " UTC" if each.spec.time_zone else ""
        return f"{unit} since 1970-01-01{zone}"
    return unit if each.type == "duration" else _TAKES[each.type]


def answer_in_words(form: Form) -> str:
    """Return what is predicted, in words."""
    return "number" if form.classes is None else "class"
