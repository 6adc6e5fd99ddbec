"""The condition for one class in disjunctive normal form: its text, and its truth for rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.read.rows import read_rows
from treewright.errors import UnsupportedError
from treewright.rules.extract import leaves_of, walk_leaves
from treewright.rules.regions import Box, Space
from treewright.tree.condition import (
    COMPLETE,
    Conjunction,
    Wording,
    condition,
    rows_that_meet,
)

if TYPE_CHECKING:
    from treewright.array_types import BoolArray
    from treewright.data.fitted_schema import FittedSchema
    from treewright.rules.rule import Rule
    from treewright.tree.tree import Tree

_MOST_TERMS = 2_000
"""Limit of terms: a longer formula is not readable, and may grow to millions."""


@dataclass(frozen=True, kw_only=True)
class DNF:
    """``(a and b) or (c) or ...``: true of the rows that belong to a class.

    Parameters
    ----------
    terms
        The conjunctions. No term is false of every row; an empty term is true of every row.
    schema
        The columns of their conditions.
    label
        The class they describe.
    """

    terms: tuple[Conjunction, ...]
    schema: FittedSchema = field(repr=False)
    label: Any = None

    @classmethod
    def of(
        cls,
        schema: FittedSchema,
        terms: Iterable[Iterable[tuple[str, str, object]]],
        *,
        label: object = None,
    ) -> DNF:
        """Return one built from ``(column, test, value)``, e.g. ``("neck", "!=", "tie")``."""
        built = tuple(tuple(condition(schema, *each) for each in term) for term in terms)
        return cls(terms=built, schema=schema, label=label)

    def __str__(self) -> str:
        return self.text()

    def text(self, wording: Wording = COMPLETE) -> str:
        """Return its text, e.g. ``(Outlook = Overcast) or (Outlook = Rain and Wind = Weak)``."""
        if not self.terms:
            return "false"
        words = [" and ".join(each.text(wording) for each in term) for term in self.terms]
        return " or ".join(f"({each})" if each else "true" for each in words)

    def evaluate(self, rows: object) -> BoolArray:
        """Return whether some term is true, for each row of a table.

        A value that the tree would divide among branches meets none of their conditions.
        """
        table = read_rows(rows, self.schema)
        answer = np.zeros(table.n_rows, dtype=bool)
        for term in self.terms:
            answer |= rows_that_meet(term, table)
        return answer


def dnf(tree: Tree, label: object) -> DNF:
    """Return the condition for a class: the paths to its leaves, from left to right."""
    order = tree.reading_order
    leaves = leaves_of(tree, label, among=order[tree.arrays.n_branches[order] == 0])
    terms = tuple(conditions for _, conditions in walk_leaves(tree, leaves))
    return DNF(terms=terms, schema=tree.schema, label=label)


def dnf_of_list(rules: Sequence[Rule], default: Rule, label: object) -> DNF:
    """Return the exact condition under which a decision list predicts a class.

    A rule decides only on rows that meet no earlier rule; the regions of earlier rules with another
    prediction are subtracted from it, column by column.
    """
    space = Space(rule.conditions for rule in rules)
    boxes = [space.box(rule.conditions) for rule in rules]
    found: list[Box] = []
    others: list[Box] = []
    for rule, box in zip((*rules, default), (*boxes, {}), strict=True):
        if rule.label == label:
            found += _what_is_left(box, others, room=_MOST_TERMS - len(found))
        elif _is_possible(box):
            others.append(box)
    terms = [term for box in _without_repeats(found) for term in space.conjunctions(box)]
    return DNF(terms=tuple(terms), schema=default.schema, label=label)


def _what_is_left(box: Box, taken: Sequence[Box], *, room: int) -> list[Box]:
    """Return what is left of a box after other boxes are subtracted."""
    left = [box] if _is_possible(box) else []
    for other in taken:
        left = [piece for each in left for piece in _cut(each, other)]
        if len(left) > room:
            raise UnsupportedError(
                f"The formula would have more than {_MOST_TERMS:,} terms.\n"
                "  Hint: print the rules; in their order they are shorter than any formula."
            )
    return left


def _cut(box: Box, other: Box) -> Iterator[Box]:
    """Yield the part of a box outside another, in boxes that do not overlap."""
    if any(key in box and not (box[key] & cells).any() for key, cells in other.items()):
        yield box
        return
    inside = dict(box)
    for key, cells in other.items():
        outside = inside[key] & ~cells if key in inside else ~cells
        if outside.any():
            yield {**inside, key: outside}
        inside[key] = inside[key] & cells if key in inside else cells


def _is_possible(box: Box) -> bool:
    return all(cells.any() for cells in box.values())


def _without_repeats(boxes: Sequence[Box]) -> list[Box]:
    """Return boxes without those that lie within another; of equal ones the first stays."""
    kept: list[Box] = []
    for number, box in enumerate(boxes):
        later = (other for other in boxes[number + 1 :] if not _lies_within(other, box))
        if not any(_lies_within(box, other) for other in (*kept, *later)):
            kept.append(box)
    return kept


def _lies_within(box: Box, other: Box) -> bool:
    return all(key in box and not (box[key] & ~cells).any() for key, cells in other.items())
