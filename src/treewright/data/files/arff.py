"""ARFF files (Weka's attribute-relation file format) to a frame, with their declared domains.

Follows the format's description in the Weka manual, chapter "ARFF": quoted names and values with
escapes, ``?`` for missing, sparse rows ``{index value, ...}``, weights ``{5}`` after a row,
comments after ``%``. Relational attributes are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from treewright.data.column import Column, read_typed, text_column
from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.errors import FileFormatError
from treewright.parameters import nearest_hint

_NUMBERS = ("numeric", "real", "integer")
_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"  # the format's default
_STRPTIME_OF_JAVA = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
}
_TOKEN = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,\s{}'"][^,{}]*|))\s*""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_WEIGHT = re.compile(r",?\s*\{\s*([0-9.eE+-]+)\s*\}\s*$")


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One declared column."""

    name: str
    kind: str
    domain: tuple[str, ...] = ()
    date_format: str = _ISO_DATE


def read_arff(text: str, *, source: str) -> Frame:
    """Return ARFF text as a frame; `source` names the file in messages.

    >>> frame = read_arff('''@relation weather
    ... @attribute outlook {sunny, rainy, foggy}
    ... @attribute degrees numeric
    ... @data
    ... sunny, 85
    ... rainy, ?''', source="weather.arff")
    >>> frame["outlook"].tolist(), frame["degrees"].tolist()
    (['sunny', 'rainy'], [85.0, nan])
    >>> frame.schema.values
    {'outlook': ('sunny', 'rainy', 'foggy')}
    """
    attributes, rows, weights = _parse(text, source)
    # Rows are kept with their line numbers, for messages about a value.
    columns: dict[str, Column] = {}
    for i, attribute in enumerate(attributes):
        tokens = [row[i] for _, row in rows]
        columns[attribute.name] = _convert(attribute, tokens, [line for line, _ in rows], source)
    has_weights = any(weight != 1.0 for weight in weights)
    return Frame(columns, weights=np.array(weights) if has_weights else None)


Row = tuple[int, list[str | None]]


def _parse(text: str, source: str) -> tuple[list[Attribute], list[Row], list[float]]:
    attributes: list[Attribute] = []
    rows: list[Row] = []
    weights: list[float] = []
    in_data = False
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        where = f"{source}, line {number}"
        if in_data:
            tokens, weight = _read_row(stripped, attributes, where)
            rows.append((number, tokens))
            weights.append(weight)
            continue
        keyword = stripped.split(maxsplit=1)[0].lower()
        if keyword == "@attribute":
            attribute = _read_attribute(stripped[len(keyword) :], where)
            if any(attribute.name == other.name for other in attributes):
                raise FileFormatError(f"{where} declares attribute {attribute.name!r} again.")
            attributes.append(attribute)
        elif keyword == "@data":
            in_data = True
        elif keyword != "@relation":
            raise FileFormatError(
                f"{where} begins with {keyword!r}, not @relation, @attribute or @data."
            )
    if not in_data or not attributes:
        missing = "@data line" if attributes else "@attribute line"
        raise FileFormatError(f"{source} has no {missing}; it is not an ARFF file.")
    return attributes, rows, weights


def _read_attribute(text: str, where: str) -> Attribute:
    # A bare name ends at a space or at the domain: @attribute a{x,y} is legal.
    match = re.match(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*""", text)
    if match is None:
        raise FileFormatError(f"{where} declares an attribute without a name.")
    name = _token_text(match)
    kind = text[match.end() :].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise FileFormatError(f"{where}: the domain of {name!r} has no closing brace.")
        values = [token or "" for token in _tokens(kind[1:-1], where, keep_question=True)]
        if len(set(values)) < len(values):
            raise FileFormatError(f"{where}: the domain of {name!r} lists a value twice.")
        return Attribute(name=name, kind="nominal", domain=tuple(values))
    word, _, rest = kind.partition(" ")
    word = word.lower()
    if word in _NUMBERS or word == "string":
        return Attribute(name=name, kind=word)
    if word == "date":
        pattern = rest.strip().strip("\"'") or _ISO_DATE
        return Attribute(name=name, kind="date", date_format=pattern)
    raise FileFormatError(
        f"{where}: attribute {name!r} has type {kind!r}.\n"
        "  Hint: numeric, integer, real, string, date and {domains} are read."
    )


def _read_row(
    text: str, attributes: Sequence[Attribute], where: str
) -> tuple[list[str | None], float]:
    weight = 1.0
    found = _WEIGHT.search(text)
    # "{5}" alone is a sparse row with a mistake, not a weight.
    if found is not None and found.start() > 0:
        weight, text = float(found[1]), text[: found.start()].rstrip()
    if text.startswith("{"):
        return _read_sparse(text, attributes, where), weight
    tokens = _tokens(text, where)
    if len(tokens) != len(attributes):
        raise FileFormatError(
            f"{where} has {len(tokens)} values, {len(attributes)} attributes are declared."
        )
    return tokens, weight


def _read_sparse(text: str, attributes: Sequence[Attribute], where: str) -> list[str | None]:
    """Return a sparse row in full; values left out are 0, or the first value of a domain."""
    if not text.endswith("}"):
        raise FileFormatError(f"{where}: a sparse row has no closing brace.")
    row: list[str | None] = [
        attribute.domain[0] if attribute.kind == "nominal" else "0" for attribute in attributes
    ]
    position, inner = 0, text[1:-1].strip()
    while position < len(inner):
        index = re.compile(r"\s*([0-9]+)\s+").match(inner, position)
        if index is None or int(index[1]) >= len(attributes):
            raise FileFormatError(
                f"{where}: sparse entry {inner[position : position + 40]!r} does not begin with"
                f" an index below {len(attributes)}."
            )
        value = _TOKEN.match(inner, index.end())
        row[int(index[1])] = None if value is None else _token_value(value)
        position = len(inner) if value is None else value.end() + 1
    return row


def _tokens(text: str, where: str, *, keep_question: bool = False) -> list[str | None]:
    if not any(mark in text for mark in "'\"\\"):
        parts = text.split("," if "," in text or "\t" not in text else "\t")
        plain = [part.strip() for part in parts]
        return [None if part == "?" and not keep_question else part for part in plain]
    tokens: list[str | None] = []
    position = 0
    while True:
        match = _TOKEN.match(text, position)
        if match is None or (match.end() < len(text) and text[match.end()] != ","):
            at = position if match is None else match.end()
            raise FileFormatError(
                f"{where}: cannot read {text[at : at + 40]!r}.\n"
                "  Hint: a value with spaces, commas or quotes is quoted, quotes inside escaped."
            )
        tokens.append(_token_text(match) if keep_question else _token_value(match))
        if match.end() >= len(text):
            return tokens
        position = match.end() + 1


def _token_value(match: re.Match[str]) -> str | None:
    """Return the text of a token, None if missing: a bare question mark, not a quoted one."""
    return None if (match[3] or "").strip() == "?" else _token_text(match)


def _token_text(match: re.Match[str]) -> str:
    if match[3] is not None:
        return match[3].strip()
    return _ESCAPE.sub(_unescape, match[1] if match[1] is not None else match[2])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)


def _convert(
    attribute: Attribute, tokens: list[str | None], lines: list[int], source: str
) -> Column:
    def each(read: Callable[[str], object], what: str) -> list[object]:
        values: list[object] = []
        for token, line in zip(tokens, lines, strict=True):
            try:
                values.append(None if token is None else read(token))
            except ValueError:
                raise FileFormatError(
                    f"{source}, line {line}: attribute {attribute.name!r} holds {token!r}, which"
                    f" is no {what}."
                ) from None
        return values

    if attribute.kind == "nominal":
        return _convert_nominal(attribute, tokens, lines, source)
    if attribute.kind == "string":
        return text_column(tokens)
    if attribute.kind == "date":
        pattern = _strptime_pattern(attribute, source)
        dates = each(lambda text: datetime.strptime(text, pattern), f"date like {pattern}")
        return read_objects(dates, attribute.name)
    if attribute.kind == "integer":
        try:
            return read_objects(
                [None if token is None else int(token) for token in tokens], attribute.name
            )
        except ValueError:
            pass  # Weka accepts decimals in integer attributes: read as numbers
    return read_typed(np.array(each(float, "number"), dtype=np.float64), attribute.name)


def _convert_nominal(
    attribute: Attribute, tokens: list[str | None], lines: list[int], source: str
) -> Column:
    code_of_value: dict[str | None, int] = {v: code for code, v in enumerate(attribute.domain)}
    code_of_value[None] = -1
    for token in set(tokens) - code_of_value.keys():
        line = lines[tokens.index(token)]
        raise FileFormatError(
            f"{source}, line {line}: attribute {attribute.name!r} holds {token!r}, which is not"
            f" in its domain.{nearest_hint(token, attribute.domain)}"
        )
    codes = np.fromiter(map(code_of_value.__getitem__, tokens), dtype=np.int32, count=len(tokens))
    return Column(storage="value", data=codes, values=attribute.domain, fixed=True)


def _strptime_pattern(attribute: Attribute, source: str) -> str:
    """Return a SimpleDateFormat of Java (fixed-width numbers only) as a strptime pattern."""
    pattern = ""
    for piece in re.finditer(r"'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z']+)", attribute.date_format):
        if piece[2] is not None:
            if piece[2] not in _STRPTIME_OF_JAVA:
                raise FileFormatError(
                    f"{source}: attribute {attribute.name!r} has date format"
                    f" {attribute.date_format!r}, whose {piece[2]!r} is not read.\n"
                    "  Hint: declare it as string and convert it."
                )
            pattern += _STRPTIME_OF_JAVA[piece[2]]
        else:
            literal = piece[1] if piece[1] is not None else piece[4]
            pattern += literal.replace("%", "%%")
    return pattern
