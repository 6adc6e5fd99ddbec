"""C4.5's pair of files: ``.names`` declares classes and attributes, ``.data`` has the cases.

The format is that of Quinlan's programs (1993, chapter 2 and C5.0's tutorial): entries end with a
full stop, ``|`` begins a comment, a backslash protects the next character, ``?`` is missing. The
class is the last field, and gets the name ``class`` unless ``.names`` begins with an attribute's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from treewright.data.column import Column, text_column
from treewright.data.files.coded_texts import CodedTexts
from treewright.data.files.notation import NUMBER, Notation
from treewright.data.files.typed_texts import read_texts
from treewright.data.frame import Frame
from treewright.errors import FileFormatError

CLASS = "class"
"""Name of the target's column."""
_NOTATION = Notation(missing=frozenset({"?", "N/A"}))
_KINDS = ("continuous", "ignore", "label", "date", "time", "timestamp")


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One attribute: its name, and its values or, for other kinds, a word for the kind."""

    name: str
    kind: str
    values: tuple[str, ...] = ()
    ordered: bool = False


def read_names(text: str) -> tuple[Attribute, ...] | None:
    """Return the attributes that a ``.names`` file declares, the class last; None if it is prose.

    >>> [each.name for each in read_names("yes, no. | target\\nage: continuous.\\nsex: m, f.")]
    ['age', 'sex', 'class']
    """
    entries = _entries(text)
    if len(entries) < 2:
        return None
    target, *rest = entries
    attributes = []
    for entry in rest:
        name, colon, told = _cut(entry, ":")
        if not colon:
            return None
        if told.startswith("="):  # defined by a formula: not in the data
            continue
        found = _attribute(_plain(name), told)
        if found is None:
            return None
        attributes.append(found)
    if ":" in target:
        return None
    names = {each.name: each for each in attributes}
    if not attributes or len(names) < len(attributes):
        return None
    classes = tuple(_plain(each) for each in _split(target))
    if len(classes) == 1 and classes[0] in names:  # the class is one of the attributes
        return tuple(attributes)
    return (*attributes, Attribute(name=CLASS, kind="discrete", values=classes))


def read_c45(text: str, attributes: tuple[Attribute, ...], *, source: str) -> Frame:
    """Return the cases of a ``.data`` or ``.test`` file as a frame."""
    rows: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = _without_comment(line).strip().removesuffix(".").strip()
        if not bare:
            continue
        fields = [_plain(field) for field in _split(bare)]
        if len(fields) != len(attributes):
            raise FileFormatError(
                f"{source}, line {number} has {len(fields)} fields, not {len(attributes)}.\n"
                f"  Declared: {', '.join(each.name for each in attributes[:8])}"
            )
        rows.append(fields)
    if not rows:
        raise FileFormatError(f"{source} has no cases.")
    columns: dict[str, Column] = {}
    for attribute, texts in zip(attributes, zip(*rows, strict=True), strict=True):
        if attribute.kind != "ignore":
            columns[attribute.name] = _column(attribute, texts, source)
    return Frame(columns)


def _column(attribute: Attribute, texts: tuple[str, ...], source: str) -> Column:
    if attribute.kind == "label":
        return text_column([None if text in _NOTATION.missing else text for text in texts])
    if attribute.kind != "discrete":
        column = read_texts(CodedTexts.of(texts), attribute.name, _NOTATION)
        if attribute.kind == "continuous" and column.storage == "value" and column.values:
            bad = next(text for text in texts if not NUMBER.fullmatch(text) and text != "?")
            raise FileFormatError(
                f"{source}: attribute {attribute.name!r} is continuous, but row"
                f" {texts.index(bad)} holds {bad!r}.\n  Hint: mend the value, or declare its names."
            )
        return column
    if not attribute.values:  # discrete N: the values are those that occur
        return text_column([None if text in _NOTATION.missing else text for text in texts])
    code_of = {value: code for code, value in enumerate(attribute.values)}
    for row, text in enumerate(texts):
        if text not in code_of and text not in _NOTATION.missing:
            raise FileFormatError(
                f"{source}: attribute {attribute.name!r} of row {row} is {text!r}, which is not"
                f" declared.\n  Declared: {', '.join(attribute.values[:8])}"
            )
    codes = np.array([code_of.get(text, -1) for text in texts], dtype=np.int32)
    return Column(
        storage="value",
        data=codes,
        values=attribute.values,
        fixed=True,
        ordered=attribute.ordered,
    )


def _attribute(name: str, told: str) -> Attribute | None:
    words = told.split()
    if not name or not words:
        return None
    if told in _KINDS:
        return Attribute(name=name, kind=told)
    if words[0] == "discrete" and len(words) == 2 and words[1].isdecimal():
        return Attribute(name=name, kind="discrete")
    ordered = told.startswith("[ordered]")
    values = tuple(_plain(each) for each in _split(told.removeprefix("[ordered]")))
    if len(values) < 2 or len(set(values)) < len(values) or not all(values):
        return None
    return Attribute(name=name, kind="discrete", values=values, ordered=ordered)


def _entries(text: str) -> list[str]:
    """Return the entries of a ``.names`` file, each up to its full stop or the end of its line."""
    found = []
    for line in text.splitlines():
        bare = _without_comment(line).strip()
        # A full stop ends an entry; inside a number or name one is followed by no space.
        for part in re.split(r"(?<!\\)\.(?=\s|$)", bare):
            if part.strip():
                found.append(part.strip())
    joined: list[str] = []
    for part in found:  # an entry may go on in the next line
        if joined and (joined[-1].endswith(",") or joined[-1].endswith(":")):
            joined[-1] += " " + part
        else:
            joined.append(part)
    return joined


def _without_comment(line: str) -> str:
    return re.split(r"(?<!\\)\|", line, maxsplit=1)[0]


def _cut(entry: str, mark: str) -> tuple[str, str, str]:
    parts = re.split(rf"(?<!\\){mark}", entry, maxsplit=1)
    if len(parts) == 1:
        return entry, "", ""
    return parts[0], mark, parts[1].strip()


def _split(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<!\\),", text)]


def _plain(text: str) -> str:
    """Return a name without protecting backslashes, its spaces as one."""
    return " ".join(re.sub(r"\\(.)", r"\1", text).split())
