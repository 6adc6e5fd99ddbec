"""Two trees walked side by side from their roots, as long as they ask about the same thing.

Two nodes correspond where the paths to them take corresponding branches. A moved threshold does not
part the trees: ``x <= 2.4`` and ``x <= 2.6`` still send values below and above, and the walk goes
on. It ends where one tree asks nothing, or something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from treewright.tree.arrays import CUT
from treewright.tree.condition import Condition, Interval, Members
from treewright.tree.question import Question, question_at, surrogates_at

if TYPE_CHECKING:
    from treewright.array_types import Int64Array
    from treewright.compare.common_schema import Joint
    from treewright.data.fitted_schema import FittedSchema
    from treewright.tree.arrays import TreeArrays

Change: TypeAlias = Literal[
    "question", "pruned", "grown", "branches", "threshold", "missing", "label", "value"
]
"""How two corresponding nodes differ: they ask about other columns, or group values otherwise; only
the first asks; only the second asks; some branches have no counterpart; the cuts lie elsewhere;
missing or unseen values go elsewhere; two leaves say another class; or another number."""

Pairs: TypeAlias = list[tuple[int, int]]
"""Branches that correspond."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment:
    """What a walk through two trees found.

    Parameters
    ----------
    places
        Where the questions differ, in reading order: the change and the two nodes.
    leaves
        Leaves that correspond, one line each: that of the first tree, that of the second.
    n_common
        Corresponding nodes that ask about the same thing, be it with other thresholds.
    """

    places: list[tuple[Change, int, int]]
    leaves: Int64Array
    n_common: int


def align(joint: Joint) -> Alignment:
    """Walk two trees side by side."""
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
    """Tell how two questions in the same terms differ, and which of their branches correspond.

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
    """Return the interval of each branch that known values follow; None for a set of values."""
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
    """Return the branch of each code that decides by itself."""
    codes = range(len(question.column.values))
    return {code: question.branch_of(code) for code in codes if question.knows(code)}


def _compare_groups(one: dict[int, int], two: dict[int, int]) -> tuple[Change | None, Pairs]:
    """Match branches by the values that both questions know."""
    pairs = sorted({(branch, two[code]) for code, branch in one.items() if code in two})
    if len({branch for branch, _ in pairs}) < len(pairs):
        return "question", []  # one branch's values are divided by the other question
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
    """Return whether values that do not decide by themselves go to corresponding branches."""
    other_of = dict(pairs)
    if len(pairs) < max(one.n_branches, two.n_branches):
        return False
    strays = [(one.missing_branch, two.missing_branch)]
    if one.column.storage == "value":  # numbers are never unseen
        strays.append((one.unseen_branch, two.unseen_branch))
    return all(other_of.get(mine, mine) == theirs for mine, theirs in strays)


class _Side:
    """One of the two trees, read node by node."""

    def __init__(self, arrays: TreeArrays, schema: FittedSchema) -> None:
        self.arrays = arrays
        self.schema = schema
        self._first_child = arrays.first_child.tolist()
        self._surrogate_start = arrays.surrogate_start.tolist()
        # A cut as plain numbers; categories are told by what they own elsewhere.
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
        """Return what each stand-in requires of a row to send it to branch 0, and to branch 1."""
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
