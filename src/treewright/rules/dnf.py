"""The condition for one class as a disjunction of conjunctions, in words and as a test of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.model.condition import (
    COMPLETE,
    Conjunction,
    Wording,
    condition,
    rows_that_meet,
)
from treewright.model.reading import read_rows
from treewright.rules.extract import leaves_of, walk_leaves

if TYPE_CHECKING:
    from treewright.data.schema import FittedSchema
    from treewright.model.arrays import BoolArray
    from treewright.model.tree import Tree


@dataclass(frozen=True, kw_only=True)
class DNF:
    """``(a and b) or (c) or ...``: true of the rows that belong to a class.

    Parameters
    ----------
    terms
        The conjunctions. No term is false of every row; an empty term is true of every row.
    schema
        The columns they are about.
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
        """Build one by hand from ``(column, test, value)``, e.g. ``("neck", "!=", "tie")``."""
        built = tuple(tuple(condition(schema, *each) for each in term) for term in terms)
        return cls(terms=built, schema=schema, label=label)

    def __str__(self) -> str:
        return self.text()

    def text(self, wording: Wording = COMPLETE) -> str:
        """Say it in one line: ``(Outlook = Overcast) or (Outlook = Rain and Wind = Weak)``."""
        if not self.terms:
            return "false"
        words = [" and ".join(each.text(wording) for each in term) for term in self.terms]
        return " or ".join(f"({each})" if each else "true" for each in words)

    def evaluate(self, rows: object) -> BoolArray:
        """Tell for each row of a table whether some term is true of it.

        A value that the tree would divide among branches meets none of their conditions.
        """
        table = read_rows(rows, self.schema)
        answer = np.zeros(table.n_rows, dtype=bool)
        for term in self.terms:
            answer |= rows_that_meet(term, table)
        return answer


def dnf(tree: Tree, label: object) -> DNF:
    """Collect the paths to the leaves that predict one class, from left to right."""
    order = tree.reading_order
    leaves = leaves_of(tree, label, among=order[tree.arrays.n_branches[order] == 0])
    terms = tuple(conditions for _, conditions in walk_leaves(tree, leaves))
    return DNF(terms=terms, schema=tree.schema, label=label)
