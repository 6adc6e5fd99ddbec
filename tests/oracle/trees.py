"""Whole trees on small tables: ID3 and C4.5's growing, and prediction with missing values.

A case is (row, weight), because a case whose value is missing is divided among the branches
(Quinlan 1993, chapter 3). Each question carries its ``margin``: how far its closest decision was
from going the other way. Where a margin is next to nothing, rounding decides, and two correct
programs may grow different trees.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from oracle import criteria
from oracle.splits import midpoint
from oracle.table import Row, Split, Table

Case = tuple[int, float]

# A gain this small is rounding: the split gains nothing.
NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Leaf:
    label: Any
    counts: dict[Any, float]  # weight of each class; of the parent where the leaf is empty
    weight: float
    rows: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    split: Split
    children: tuple["Leaf | Question", ...]
    counts: dict[Any, float]
    weight: float
    rows: tuple[int, ...]
    gain: float
    score: float
    margin: float


Node = Leaf | Question


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    split: Split
    n_branches: int
    gain: float
    ratio: float
    margin: float  # between its best and its second best cut


def grow_id3(
    table: Table, *, columns: Sequence[int] | None = None, min_gain: float | None = None
) -> Node:
    """ID3 (Quinlan 1986): one branch per declared value, the column removed once it is used.

    Largest information gain, the first column of several; a split that gains nothing is made all
    the same (the XOR table needs it) unless ``min_gain`` asks for more. An empty branch becomes a
    leaf with the majority of its parent. Columns with one value in the node are passed over.
    """
    if any(kind != "nominal" for kind in table.kinds):
        raise ValueError("ID3 knows nominal columns only")
    left = list(range(len(table.kinds))) if columns is None else list(columns)
    cases = [(row, table.weight_of(row)) for row in table.present()]
    return _id3_node(table, cases, left, min_gain)


def _id3_node(table: Table, cases: list[Case], columns: list[int], min_gain: float | None) -> Node:
    if _is_pure(table, cases):
        return _leaf(table, cases)
    candidates = []
    for column in columns:
        candidate = _multiway(table, cases, column, min_branch_weight=0.0)
        if candidate is not None and (min_gain is None or candidate.gain > min_gain):
            candidates.append(candidate)
    if not candidates:
        return _leaf(table, cases)
    best = candidates[_first_of_best([candidate.gain for candidate in candidates])]
    rivals = [abs(best.gain - other.gain) for other in candidates]
    remaining = [column for column in columns if column != best.split.column]
    return _question(
        table,
        cases,
        best,
        score=best.gain,
        margin=_least(rivals),
        grow=lambda part: _id3_node(table, part, remaining, min_gain),
    )


def grow_c45(
    table: Table,
    *,
    min_branch_weight: float = 2.0,
    mdl: bool = True,
    guard: bool = True,
    threshold_at: Literal["midpoint", "observed"] = "observed",
) -> Node:
    """C4.5 release 8's growing, before any pruning (Quinlan 1993, 1996; J48).

    ``mdl`` charges log2(number of cuts) / |D| to a numeric column; ``guard`` compares gain ratios
    only among columns of at least average gain (less 0.001).
    """
    cases = [(row, table.weight_of(row)) for row in table.present()]
    return _c45_node(table, cases, min_branch_weight, mdl, guard, threshold_at)


def _c45_node(
    table: Table,
    cases: list[Case],
    min_weight: float,
    mdl: bool,
    guard: bool,
    threshold_at: str,
) -> Node:
    if _is_pure(table, cases) or not _reaches(_weight(cases), 2.0 * min_weight):
        return _leaf(table, cases)
    candidates = []
    for column, kind in enumerate(table.kinds):
        if kind == "nominal":
            candidate = _multiway(table, cases, column, min_branch_weight=min_weight)
        else:
            candidate = _best_cut(table, cases, column, min_weight, mdl, threshold_at)
        if candidate is not None:
            candidates.append(candidate)
    allowed, margin = _passing_guard(table, candidates) if guard else (candidates, math.inf)
    # Release 8 also asks a nominal column that gains nothing; a cut must gain.
    useful = [
        candidate
        for candidate in allowed
        if candidate.split.kind == "categories" or candidate.ratio > NOTHING
    ]
    if not useful:
        return _leaf(table, cases)
    best = useful[_first_of_best([candidate.ratio for candidate in useful])]
    rivals = [abs(best.ratio - other.ratio) for other in useful]
    return _question(
        table,
        cases,
        best,
        score=best.ratio,
        margin=min([margin, _least(rivals), *(candidate.margin for candidate in candidates)]),
        grow=lambda part: _c45_node(table, part, min_weight, mdl, guard, threshold_at),
    )


def _passing_guard(table: Table, candidates: list[_Candidate]) -> tuple[list[_Candidate], float]:
    """Columns of at least average gain; many-valued ones are left out of the average.

    Many-valued: at least 0.3 N declared values, N the rows of the whole training table. Where all
    columns of the table are such, all count. Where a node has no other candidate, none passes.
    """
    n_rows = len(table.present())

    def is_many_valued(column: int) -> bool:
        return table.kinds[column] == "nominal" and len(table.domain(column)) >= 0.3 * n_rows

    all_many = all(is_many_valued(column) for column in range(len(table.kinds)))
    averaged = [
        candidate.gain
        for candidate in candidates
        if all_many or not is_many_valued(candidate.split.column)
    ]
    if not averaged:
        return [], math.inf
    bar = math.fsum(averaged) / len(averaged) - 0.001
    margin = min(abs(candidate.gain - bar) for candidate in candidates)
    return [candidate for candidate in candidates if candidate.gain >= bar], margin


def _multiway(
    table: Table, cases: list[Case], column: int, *, min_branch_weight: float
) -> _Candidate | None:
    """One branch per declared value; at least two branches must hold enough weight."""
    domain = table.domain(column)
    split = Split(
        column=column,
        kind="categories",
        branch_of_value={value: branch for branch, value in enumerate(domain)},
    )
    branches, unknown = _divided(table, cases, split, len(domain))
    n_filled = sum(
        bool(branch) and _reaches(_weight(branch), min_branch_weight) for branch in branches
    )
    if n_filled < 2:
        return None
    gain, ratio = _judge(table, branches, unknown, penalty=0.0)
    return _Candidate(split=split, n_branches=len(domain), gain=gain, ratio=ratio, margin=math.inf)


def _best_cut(
    table: Table,
    cases: list[Case],
    column: int,
    min_weight: float,
    mdl: bool,
    threshold_at: str,
) -> _Candidate | None:
    """The cut of best gain, the lowest of several, charged for the number of cuts tried."""
    known = [case for case in cases if table.rows[case[0]][column] is not None]
    values = sorted({table.rows[row][column] for row, _ in known})
    tenth = 0.1 * _weight(known) / len(table.class_order())
    smallest_side = max(min_weight, min(tenth, 25.0))
    tried = []
    for below, above in pairwise(values):
        split = Split(column=column, kind="cut", threshold=midpoint(below, above))
        branches, unknown = _divided(table, cases, split, 2)
        if all(_reaches(_weight(branch), smallest_side) for branch in branches):
            tried.append((split, branches, unknown))
    if not tried:
        return None
    penalty = math.log2(len(tried)) / _weight(cases) if mdl else 0.0
    judged = [
        (split, *_judge(table, branches, unknown, penalty=penalty))
        for split, branches, unknown in tried
    ]
    best, gain, ratio = judged[_first_of_best([gain for _, gain, _ in judged])]
    if gain <= NOTHING:
        return None
    rivals = [abs(gain - other_gain) for _, other_gain, _ in judged]
    if any(w != int(w) for _, w in known) and sum(gap <= NOTHING for gap in rivals) > 1:
        rivals.append(2.0 * NOTHING)  # sums of divided cases are rounded, so rounding breaks a tie
    if threshold_at == "observed":
        assert best.threshold is not None
        training = [row[column] for row in table.rows if row[column] is not None]
        lowered = max(value for value in training if value <= best.threshold)
        best = Split(column=column, kind="cut", threshold=lowered)
    return _Candidate(
        split=best, n_branches=2, gain=gain, ratio=ratio, margin=min(gain, _least(rivals))
    )


def _judge(
    table: Table, branches: list[list[Case]], unknown: list[Case], *, penalty: float
) -> tuple[float, float]:
    """Gain over the known cases times their share, less the penalty; and its ratio."""
    parts = [_part(table, branch) for branch in branches if branch]
    known = math.fsum(criteria.weight(part) for part in parts)
    total = known + _weight(unknown)
    gain = known / total * criteria.gain(parts, criteria.entropy) - penalty
    sizes = [*(criteria.weight(part) for part in parts), _weight(unknown)]
    return gain, gain / criteria.split_information(sizes)


def _divided(
    table: Table, cases: list[Case], split: Split, n_branches: int
) -> tuple[list[list[Case]], list[Case]]:
    """The known cases of each branch, and the cases whose value is missing."""
    branches: list[list[Case]] = [[] for _ in range(n_branches)]
    unknown = []
    for row, w in cases:
        value = table.rows[row][split.column]
        if value is None:
            unknown.append((row, w))
        else:
            branches[split.branch_of(value)].append((row, w))
    return branches, unknown


def _question(
    table: Table, cases: list[Case], best: _Candidate, *, score: float, margin: float, grow: Any
) -> Question:
    branches, unknown = _divided(table, cases, best.split, best.n_branches)
    known = math.fsum(map(_weight, branches))
    children = []
    for branch in branches:
        share = _weight(branch) / known
        part = branch + [(row, w * share) for row, w in unknown if share > 0.0]
        children.append(grow(part) if part else _leaf(table, [], parent=cases))
    counts = _counts(table, cases)
    return Question(
        split=best.split,
        children=tuple(children),
        counts=counts,
        weight=_weight(cases),
        rows=tuple(row for row, _ in cases),
        gain=best.gain,
        score=score,
        margin=margin,
    )


def _leaf(table: Table, cases: list[Case], *, parent: list[Case] | None = None) -> Leaf:
    counts = _counts(table, cases if parent is None else parent)
    label = max(table.class_order(), key=lambda each: counts[each])  # the first of several
    rows = tuple(row for row, _ in cases)
    return Leaf(label=label, counts=counts, weight=_weight(cases), rows=rows)


def distribution(
    node: Node,
    row: Row,
    *,
    combine: Literal["branch_fractions", "leaf_counts"] = "branch_fractions",
) -> dict[Any, float]:
    """Class shares for a row; a missing or unknown value follows every branch.

    branch_fractions: the answers of the branches, weighted by their training weight (C4.5).
    leaf_counts: the class counts of all leaves reached, added up (Posik's slide "Missing data").
    """
    if combine == "leaf_counts":
        leaves = [leaf for leaf in _reached(node, row) if leaf.weight > 0.0]
        if leaves:
            return _normalised(
                {label: math.fsum(leaf.counts[label] for leaf in leaves) for label in node.counts}
            )
    if isinstance(node, Leaf):
        return _normalised(node.counts)
    followed = _boost_with_listeners(node, row)
    total = math.fsum(child.weight for child in followed)
    if len(followed) == 1 or total == 0.0:
        return distribution(followed[0], row)
    answers = [
        (child.weight / total, distribution(child, row)) for child in followed if child.weight > 0.0
    ]
    return {
        label: math.fsum(share * answer[label] for share, answer in answers)
        for label in node.counts
    }


def walk(node: Node) -> Iterable[Node]:
    """The node and everything below it, parents first."""
    yield node
    if isinstance(node, Question):
        for child in node.children:
            yield from walk(child)


def depth(node: Node) -> int:
    """Number of tests on the longest path."""
    if isinstance(node, Leaf):
        return 0
    return 1 + max(map(depth, node.children))


def expected_tests(node: Node) -> float:
    """Mean number of tests that a training case is asked."""
    if isinstance(node, Leaf):
        return 0.0
    return 1.0 + math.fsum(
        child.weight / node.weight * expected_tests(child) for child in node.children
    )


def smallest_margin(node: Node) -> float:
    """How close the tree came to growing differently."""
    return min((each.margin for each in walk(node) if isinstance(each, Question)), default=math.inf)


def _boost_with_listeners(node: Question, row: Row) -> list[Node]:
    value = row[node.split.column]
    is_known = value is not None and (
        node.split.kind == "cut" or value in node.split.branch_of_value
    )
    return [node.children[node.split.branch_of(value)]] if is_known else list(node.children)


def _reached(node: Node, row: Row) -> list[Leaf]:
    if isinstance(node, Leaf):
        return [node]
    return [leaf for child in _boost_with_listeners(node, row) for leaf in _reached(child, row)]


def _normalised(counts: dict[Any, float]) -> dict[Any, float]:
    total = math.fsum(counts.values())
    return {label: count / total for label, count in counts.items()}


def _counts(table: Table, cases: list[Case]) -> dict[Any, float]:
    part = _part(table, cases)
    return {label: criteria.class_weight(part, label) for label in table.class_order()}


def _part(table: Table, cases: list[Case]) -> list[tuple[Any, float]]:
    return [(table.target[row], w) for row, w in cases]


def _weight(cases: list[Case]) -> float:
    return math.fsum(w for _, w in cases)


def _reaches(weight: float, least: float) -> bool:
    """At least, forgiving the rounding of divided cases (three thirds are one)."""
    return weight >= least - 1e-9


def _first_of_best(scores: Sequence[float]) -> int:
    """Where the best score is; of several that differ by rounding only, the first."""
    best = max(scores)
    return next(i for i, score in enumerate(scores) if score >= best - NOTHING)


def _least(gaps: Iterable[float]) -> float:
    """The smallest gap between different scores: ties are no question of rounding."""
    return min((gap for gap in gaps if gap > NOTHING), default=math.inf)


def _is_pure(table: Table, cases: list[Case]) -> bool:
    return _reaches(max(_counts(table, cases).values()), _weight(cases))
