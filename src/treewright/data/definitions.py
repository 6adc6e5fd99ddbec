"""Definitions of derived columns, ``name = left operator right``, and their strict parser.

::

    definition = name "=" operand operator operand
    operand    = name | number | text                     at least one of the two is a name
    operator   = "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/"
    name       = a letter or "_", then letters, digits, "_" and "."; any other between backticks
    text       = between ' and ' or between " and "

A quote or backtick within such a pair is doubled. The operators are implemented in
:mod:`treewright.data.derive.columns`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from treewright.errors import ParameterError
from treewright.parameters import is_list

COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
ARITHMETIC = ("+", "-", "*", "/")

_PLAIN_NAME = r"[^\W\d][\w.]*"
_NAME = re.compile(rf"(?P<plain>{_PLAIN_NAME})|`(?P<name>(?:[^`]|``)*)`")
_NUMBER = re.compile(r"[+-]?(?P<digits>\d+)(?P<decimals>\.\d*)?(?P<power>[eE][+-]?\d+)?")
_TEXT = re.compile(r"'(?P<single>(?:[^']|'')*)'|\"(?P<double>(?:[^\"]|\"\")*)\"")
_OPERATOR = re.compile("|".join(map(re.escape, (*COMPARISONS, *ARITHMETIC))))
_EQUALS = re.compile(r"=(?!=)")
_SPACE = re.compile(r"\s*")

_IN_BACKTICKS = "a name with spaces or signs is written in backticks, `body mass`"
# Characters of a definition that a message shows before and after the error.
_MOST_BEFORE, _MOST_AFTER = 60, 40
_EXAMPLE = "'same_shape = head == body' is a definition"


@dataclass(frozen=True)
class ColumnName:
    """An operand that is a column."""

    name: str

    def __str__(self) -> str:
        if re.fullmatch(_PLAIN_NAME, self.name):
            return self.name
        return "`" + self.name.replace("`", "``") + "`"


@dataclass(frozen=True)
class Constant:
    """An operand that is a number or a text."""

    value: int | float | str

    def __str__(self) -> str:
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        return repr(self.value)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Definition of one derived column.

    Attributes
    ----------
    name : str
        Name of the column.
    left, right : ColumnName or Constant
        Its operands.
    operator : str
        One of ``== != < <= > >= + - * /``.

    Examples
    --------
    >>> definition = parse_definition("bmi = `body mass`/height2")
    >>> definition.columns
    ('body mass', 'height2')
    >>> print(definition)
    bmi = `body mass` / height2
    """

    name: str
    left: ColumnName | Constant
    operator: str
    right: ColumnName | Constant

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns among the operands, each once."""
        operands = (self.left, self.right)
        return tuple(dict.fromkeys(each.name for each in operands if isinstance(each, ColumnName)))

    def __str__(self) -> str:
        return f"{ColumnName(self.name)} = {self.left} {self.operator} {self.right}"


def parse_definition(text: str) -> Definition:
    """Return one definition, parsed; an error points at the place.

    >>> parse_definition("same = head = body")
    Traceback (most recent call last):
        ...
    treewright.errors.ParameterError: the definition of a derived column is wrong at character 13: \
expected an operator (==, !=, <=, >=, <, >, +, -, *, /).
        same = head = body
                    ^
      Hint: == compares.
    """
    reader = _Reader(text)
    start = reader.at
    name = reader.name("the name of the new column")
    if not name:
        reader.fail("a name that is not empty", at=start)
    if reader.take(_EQUALS) is None:
        reader.fail("= after the name")
    left = reader.operand()
    operator = reader.operator()
    start = reader.at
    right = reader.operand()
    if isinstance(left, Constant) and isinstance(right, Constant):
        reader.fail("the name of a column, as the other operand has none", at=start)
    reader.end()
    return Definition(name=name, left=left, operator=operator, right=right)


def read_definitions(derived: Sequence[str]) -> tuple[Definition, ...]:
    """Return definitions, parsed; each may use columns of the table and those defined before it."""
    if not is_list(derived):
        raise ParameterError(
            f"derived={derived!r} must be a list of definitions.\n  Hint: derived=[{derived!r}]."
        )
    for text in derived:
        if not isinstance(text, str):
            raise ParameterError(
                f"{text!r} is no definition of a derived column; it must be text.\n"
                f"  Hint: {_EXAMPLE}."
            )
    definitions = tuple(map(parse_definition, derived))
    place_of_name = {each.name: i for i, each in reversed(list(enumerate(definitions)))}
    for i, definition in enumerate(definitions):
        if place_of_name[definition.name] != i:
            raise ParameterError(
                f"derived column {definition.name!r} is defined twice.\n"
                f"  First:  {definitions[place_of_name[definition.name]]}\n  Second: {definition}"
            )
        for name in definition.columns:
            if place_of_name.get(name, -1) >= i:
                is_own = name == definition.name
                raise ParameterError(
                    f"derived column {definition.name!r} is defined by"
                    f" {'itself' if is_own else f'{name!r}, which is defined after it'}.\n"
                    f"  Definition: {definition}\n"
                    f"  Hint: {'give it a new name' if is_own else f'define {name!r} first'}."
                )
    return definitions


def inputs_of(definitions: Sequence[Definition]) -> Mapping[str, tuple[str, ...]]:
    """Return, for each derived column, the columns of the table it is derived from, each once.

    >>> inputs_of(read_definitions(["area = height * height", "bmi = mass / area"]))
    {'area': ('height',), 'bmi': ('mass', 'height')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for definition in definitions:
        names = [name for each in definition.columns for name in found.get(each, (each,))]
        found[definition.name] = tuple(dict.fromkeys(names))
    return found


class _Reader:
    """A position in the text of a definition; spaces between its parts are skipped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._skip_space()

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            self._skip_space()
        return found

    def name(self, expected: str) -> str:
        found = self.take(_NAME)
        if found is None:
            if self._rest.startswith("`"):
                self.fail("a second ` that closes this one")
            self.fail(expected)
        plain = found["plain"]
        return plain if plain is not None else found["name"].replace("``", "`")

    def operand(self) -> ColumnName | Constant:
        number = self.take(_NUMBER)
        if number is not None:
            return Constant(self._number(number))
        text = self.take(_TEXT)
        if text is not None:
            single = text["single"]
            return Constant(
                single.replace("''", "'")
                if single is not None
                else text["double"].replace('""', '"')
            )
        if self._rest.startswith(("'", '"')):
            quote = self._rest[0]
            self.fail(f"a second {quote} that closes this one", "a quote in a text is doubled")
        return ColumnName(self.name("the name of a column, a number or a quoted text"))

    def operator(self) -> str:
        found = self.take(_OPERATOR)
        if found is None:
            operators = ", ".join((*COMPARISONS, *ARITHMETIC))
            hint = "== compares" if self._rest.startswith("=") else None
            self.fail(f"an operator ({operators})", hint)
        return found[0]

    def end(self) -> None:
        if self._rest:
            is_longer = _OPERATOR.match(self._rest) is not None
            step = "derive the first part under a name of its own, and use that name"
            self.fail("the end", step if is_longer else None)

    def fail(self, expected: str, hint: str | None = None, *, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        if hint is None:
            goes_on = self.text[at : at + 1].isalnum()
            hint = _IN_BACKTICKS if goes_on and at > 0 else _EXAMPLE
        first = max(0, at - _MOST_BEFORE)
        near = self.text[first : at + _MOST_AFTER]
        shown = "".join(each if each.isprintable() else " " for each in near)
        raise ParameterError(
            f"the definition of a derived column is wrong at character {at + 1}:"
            f" expected {expected}.\n    {shown}\n    {' ' * (at - first)}^\n  Hint: {hint}."
        )

    @property
    def _rest(self) -> str:
        return self.text[self.at :]

    def _number(self, found: re.Match[str]) -> int | float:
        value = float(found[0])
        if math.isinf(value):
            self.fail("a smaller number", "the largest is about 1.8e308", at=found.start())
        is_whole = found["decimals"] is None and found["power"] is None
        return int(found[0]) if is_whole else value

    def _skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None  # the pattern also matches no space at all
        self.at = found.end()
