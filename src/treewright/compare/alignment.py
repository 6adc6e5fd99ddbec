"""Alignment of two trees: traversed in parallel from their roots while their questions match.

Two nodes correspond where the paths to them take corresponding branches. A different threshold does
not end the traversal: ``x <= 2.4`` and ``x <= 2.6`` both send lower values one way and higher
values the other. It ends where one node is a leaf, or asks something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.tree.arrays import CUT
from treewright.tree.condition import Condition, Interval, Members
from treewright.tree.question import Question, question_at
from treewright.tree.surrogate import surrogates_at

if TYPE_CHECKING:
    from treewright.array_types import Int64Array
    from treewright.compare.common_schema import Joint
    from treewright.data.fitted_schema import FittedSchema
    from treewright.tree.arrays import TreeArrays

Change: TypeAlias = Literal[
    "question", "pruned", "grown", "branches", "threshold", "missing", "label", "value"
]
"""How two corresponding nodes differ: in the column or the groups of values; only the first asks;
only the second asks; some branches have no counterpart; in the cuts; in the branch of missing
values or unseen categories; in the class of two leaves; or in their number."""

Pairs: TypeAlias = list[tuple[int, int]]
"""Pairs of corresponding branches."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment:
    """The result of aligning two trees.

    Parameters
    ----------
    places
        The differences of questions, in reading order: the change and the two nodes.
    leaves
        Corresponding leaves, one row each: of the first tree, and of the second.
    n_common
        Number of corresponding nodes that ask about the same thing, even with other thresholds.
    """

    places: list[tuple[Change, int, int]]
    leaves: Int64Array
    n_common: int


def align(joint: Joint) -> Alignment:
    """Return the alignment of two trees."""
    schema = joint.schema
    first = _Side(joint.first, schema)
    second = _Side(joint.second, schema)
    places: list[tuple[Change, int, int]] = []
    leaves: list[tuple[int, int]] = []
    n_common = 0
    pending = [(0, 0)]
    while pending:
        one, two = pending.pop()
        asked = first.question(one), second.question(two)
        if asked[0] is None or asked[1] is None:
            if asked[0] is asked[1]:
                leaves.append((one, two))
            else:
                places.append(("grown" if asked[0] is None else "pruned", one, two))
            continue
        change, pairs = compare(asked[0], asked[1])
        if change is None and not _stand_ins_alike(first, one, second, two, pairs):
            change = "missing"
        if change is not None:
            places.append((change, one, two))
        n_common += bool(pairs)
        for branch, other in reversed(pairs):
            pending.append((first.child(one, branch), second.child(two, other)))
    return Alignment(
        places=places,
        leaves=np.array(leaves, dtype=np.int64).reshape(-1, 2),
        n_common=n_common,
    )


def compare(one: Question, two: Question) -> tuple[Change | None, Pairs]:
    """Return how two questions on one schema differ, and their corresponding branches.

    Examples
    --------
    >>> from treewright.data.fitted_schema import ColumnSpec
    >>> from treewright.tree.question import Cut
    >>> x = ColumnSpec(name="x", kind="numeric", storage="float")
    >>> compare(Cut(index=0, column=x, threshold=2.4), Cut(index=0, column=x, threshold=2.6))
    ('threshold', [(0, 0), (1, 1)])
    """
    if one == two:
        return None, [(branch, branch) for branch in range(one.n_branches)]
    conditions = _conditions(one), _conditions(two)
    if conditions[0][0].key != conditions[1][0].key:
        return "question", []
    bounds = _bounds(conditions[0]), _bounds(conditions[1])
    if bounds[0] is not None and bounds[1] is not None:
        change, pairs = _compare_cuts(bounds[0], bounds[1])
    elif bounds[0] is None and bounds[1] is None:
        change, pairs = _compare_groups(_groups(one), _groups(two))
    else:
        return "question", []
    if not pairs:
        return "question", []
    own = one.missing_branch, two.missing_branch
    if _is_for_missing(conditions[0], own[0]) and _is_for_missing(conditions[1], own[1]):
        pairs.append(own)
    if change is None and not _strays_alike(one, two, pairs):
        change = "missing"
    return change, pairs


def _conditions(question: Question) -> list[Condition]:
    return [question.condition(branch) for branch in range(question.n_branches)]


Bounds: TypeAlias = list[tuple[float | int | None, float | int | None]]


def _bounds(conditions: Sequence[Condition]) -> Bounds | None:
    """Return the interval of each branch for known values; None for a set of categories."""
    if not all(isinstance(each, Interval) for each in conditions):
        return None
    return [
        (each.low, each.high) for each in conditions if isinstance(each, Interval) and each.known
    ]


def _compare_cuts(one: Bounds, two: Bounds) -> tuple[Change | None, Pairs]:
    if len(one) == len(two):
        return (None if one == two else "threshold"), [(i, i) for i in range(len(one))]
    return "branches", [(i, two.index(bounds)) for i, bounds in enumerate(one) if bounds in two]


def _groups(question: Question) -> dict[int, int]:
    """Return the branch of each code that has one."""
    codes = range(len(question.column.values))
    return {code: question.branch_of(code) for code in codes if question.knows(code)}


def _compare_groups(one: dict[int, int], two: dict[int, int]) -> tuple[Change | None, Pairs]:
    """Return the change, and branches matched by the categories that both questions list."""
    pairs = sorted({(branch, two[code]) for code, branch in one.items() if code in two})
    if len({branch for branch, _ in pairs}) < len(pairs):
        return "question", []  # the other question splits the categories of one branch
    if len({branch for _, branch in pairs}) < len(pairs):
        return "question", []
    return (None if one.keys() == two.keys() else "branches"), pairs


def _is_for_missing(conditions: Sequence[Condition], branch: int) -> bool:
    """Return whether a branch takes missing values and nothing else."""
    if branch < 0:
        return False
    condition = conditions[branch]
    if isinstance(condition, Members):
        return not condition.codes and condition.barred is None
    return not condition.known


def _strays_alike(one: Question, two: Question, pairs: Pairs) -> bool:
    """Return whether missing and unseen values take corresponding branches."""
    other_of = dict(pairs)
    if len(pairs) < max(one.n_branches, two.n_branches):
        return False
    strays = [(one.missing_branch, two.missing_branch)]
    if one.column.storage == "value":  # numbers are never unseen
        strays.append((one.unseen_branch, two.unseen_branch))
    return all(other_of.get(mine, mine) == theirs for mine, theirs in strays)


class _Side:
    """One of the two trees, with its questions."""

    def __init__(self, arrays: TreeArrays, schema: FittedSchema) -> None:
        self.arrays = arrays
        self.schema = schema
        self._first_child = arrays.first_child.tolist()
        self._surrogate_start = arrays.surrogate_start.tolist()
        # A cut as plain numbers; categories are identified by their slices of other arrays.
        self._surrogates = list(
            zip(
                np.where(arrays.surrogate_kind == CUT, arrays.surrogate_column, -1).tolist(),
                np.nan_to_num(arrays.surrogate_threshold, nan=0.0).tolist(),
                arrays.surrogate_threshold_int.tolist(),
                arrays.surrogate_reversed.tolist(),
                strict=True,
            )
        )

    def question(self, node: int) -> Question | None:
        if self._first_child[node] < 0:
            return None
        return question_at(self.arrays, self.schema, node)

    def child(self, node: int, branch: int) -> int:
        return int(self._first_child[node]) + branch

    def plain_surrogates(self, node: int) -> list[tuple[int, float, int, bool]]:
        start, stop = self._surrogate_start[node], self._surrogate_start[node + 1]
        return self._surrogates[start:stop]

    def surrogate_conditions(self, node: int) -> list[list[Condition]]:
        """Return the conditions of each surrogate for branch 0 and for branch 1."""
        return [
            [each.question.condition(1 - branch if each.flipped else branch) for branch in (0, 1)]
            for each in surrogates_at(self.arrays, self.schema, node)
        ]


def _stand_ins_alike(first: _Side, one: int, second: _Side, two: int, pairs: Pairs) -> bool:
    plain = first.plain_surrogates(one), second.plain_surrogates(two)
    if len(plain[0]) != len(plain[1]):
        return False
    swapped = any(branch != other for branch, other in pairs)
    if not swapped and plain[0] == plain[1] and all(column >= 0 for column, *_ in plain[0]):
        return True
    conditions = second.surrogate_conditions(two)
    return first.surrogate_conditions(one) == [
        list(reversed(each)) if swapped else each for each in conditions
    ]
