"""The tests on the path to each leaf, one by one, and the rows that pass them."""

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
"""A node, the tests on the path to it, and whether each row passes each test (tests x rows)."""


def walk_paths(tree: Tree, table: Table, *, inner: bool = False) -> Iterator[Path]:
    """Yield the leaves in reading order, with their tests, which are not merged by column.

    Rows are compared with the tests alone: what a tree does for missing values beyond sending them
    down one branch (surrogates, dividing) is not part of a test.

    Parameters
    ----------
    tree, table
        The tree, and the rows.
    inner
        Yield every node, after those below it.
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
    """Return the tests of a condition: each bound of an interval is a test of its own."""
    if isinstance(condition, Interval) and None not in (condition.low, condition.high):
        return (replace(condition, high=None), replace(condition, low=None))
    return (condition,)
