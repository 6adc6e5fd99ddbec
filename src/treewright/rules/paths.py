"""The tests on the way to each leaf, one by one, and the rows that pass them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treewright.tree.condition import Condition, Conjunction, Interval

if TYPE_CHECKING:
    from treewright.array_types import BoolArray
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

Path: TypeAlias = "tuple[int, Conjunction, BoolArray]"
"""A node, the tests on the way to it, and tests x rows: which rows pass which."""


def walk_paths(tree: Tree, table: Table, *, inner: bool = False) -> Iterator[Path]:
    """Visit the leaves in reading order; the tests of a path are not merged by column.

    Rows are held against the tests themselves: what a tree does for rows without a value, beyond
    sending them down one branch, is no part of a test.

    Parameters
    ----------
    tree, table
        The tree, and the rows.
    inner
        Visit every node, after those below it.
    """
    pending: list[tuple[int, Conjunction, tuple[BoolArray, ...], bool]] = [(0, (), (), False)]
    while pending:
        node, tests, passed, is_back = pending.pop()
        question = None if is_back else tree.question(node)
        if question is None:
            rows = np.array(passed, dtype=bool).reshape(len(tests), table.n_rows)
            yield node, tests, rows
            continue
        if inner:
            pending.append((node, tests, passed, True))
        children = tree.children(node)
        for branch in range(len(children) - 1, -1, -1):
            asked = tests_of(question.condition(branch))
            held = tuple(each.mask(table) for each in asked)
            pending.append((children[branch], (*tests, *asked), (*passed, *held), False))


def tests_of(condition: Condition) -> Conjunction:
    """Take a condition apart: each bound of an interval is a test of its own."""
    if isinstance(condition, Interval) and None not in (condition.low, condition.high):
        return (replace(condition, high=None), replace(condition, low=None))
    return (condition,)
