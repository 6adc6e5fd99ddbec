"""Inputs of an exported model: the columns that it asks about, each with the type of its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.errors import UnsupportedError
from treewright.text.names import short_name

if TYPE_CHECKING:
    from treewright.data.fitted_schema import ColumnSpec, FittedSchema

InputType: TypeAlias = Literal[
    "number", "whole", "unsigned", "instant", "duration", "text", "flag", "numeral"
]
"""What a program is given: a float64; an int64 or uint64 that no float64 need equal; a date or a
duration as an int64 in its unit; a text, true or false, or a number that is a category."""

WHOLE: frozenset[str] = frozenset({"whole", "unsigned", "instant", "duration"})
"""Types that are compared as int64 in the stored form of their column."""
CATEGORIES: frozenset[str] = frozenset({"text", "flag", "numeral"})
"""Types that are looked up in the domain of their column, and then compared as codes."""

_EXACT = 1 << 53
_TYPE_OF_STORAGE: dict[str, InputType] = {
    "float": "number",
    "int": "whole",
    "uint": "unsigned",
    "datetime": "instant",
    "duration": "duration",
}


@dataclass(frozen=True, kw_only=True)
class Input:
    """One column that a model asks about.

    Parameters
    ----------
    index, spec
        Position of the column in the schema of the model, and its description.
    type
        The type of its values.
    values
        The domain of a categorical column, as plain Python values in the order of their codes.
    """

    index: int
    spec: ColumnSpec
    type: InputType
    values: tuple[object, ...] = ()

    @property
    def name(self) -> str:
        """The column's name, as the table has it."""
        return self.spec.name

    @property
    def is_category(self) -> bool:
        """Whether values are looked up in a domain."""
        return self.type in CATEGORIES

    @property
    def is_whole(self) -> bool:
        """Whether values are compared as int64."""
        return self.type in WHOLE


def inputs_of(schema: FittedSchema, used: Iterable[int]) -> tuple[Input, ...]:
    """Return the inputs of a model that uses these columns of its schema.

    Raises
    ------
    UnsupportedError
        For a derived column, and for one whose categories are of several types.
    """
    derived = {each.definition.name for each in schema.derived}
    inputs = []
    for index in sorted(used):
        spec = schema.columns[index]
        if spec.name in derived:
            raise UnsupportedError(
                f"export: column {spec.name!r} is derived from others, and an exported model reads"
                " columns as they are.\n  Hint: compute the column before fit."
            )
        inputs.append(_input(index, spec))
    return tuple(inputs)


def _input(index: int, spec: ColumnSpec) -> Input:
    if spec.storage != "value":
        return Input(index=index, spec=spec, type=_TYPE_OF_STORAGE[spec.storage])
    values = tuple(
        value.item() if isinstance(value, np.generic) else value for value in spec.values
    )
    kind: InputType
    if all(isinstance(value, str) for value in values):
        kind = "text"
    elif all(isinstance(value, bool) for value in values):
        kind = "flag"
    elif all(isinstance(value, bool | int | float) for value in values):
        kind = "numeral"
        if any(isinstance(value, int) and abs(value) > _EXACT for value in values):
            raise UnsupportedError(
                f"export: column {spec.name!r} has whole numbers beyond 2^53 as categories, which"
                " programs would round.\n  Hint: convert the column to text before fit."
            )
    else:
        shown = ", ".join(short_name(repr(value)) for value in values[:5])
        raise UnsupportedError(
            f"export: the categories of column {spec.name!r} are of several types or of an unusual"
            f" one ({shown}).\n  Hint: convert the column to text before fit."
        )
    return Input(index=index, spec=spec, type=kind, values=values)
