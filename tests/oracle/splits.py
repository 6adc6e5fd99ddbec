"""Brute force over every split of every column: what is the best score that can be had?

``best_score`` is the truth that an engine's split must reach, ``score_of`` what a given split
reaches. Several splits may tie, so compare scores, not splits.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Literal

from oracle import criteria
from oracle.table import Split, Table

Nominal = Literal["multiway", "subset", "one_vs_rest"]
Thresholds = Literal["all", "class_boundaries"]
Missing = Literal[
    "divide",
    "learned_side",
    "surrogates",
    "most_likely",
    "most_likely_in_class",
    "own_branch",
    "majority",
]
MISSING_POLICIES: tuple[Missing, ...] = (
    "divide",
    "learned_side",
    "surrogates",
    "most_likely",
    "most_likely_in_class",
    "own_branch",
    "majority",
)
TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Scored:
    split: Split
    score: float
    gain: float  # differs from the score for gain_ratio only


def same(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def best_score(
    table: Table,
    *,
    criterion: str,
    nominal: Nominal = "multiway",
    thresholds: Thresholds = "all",
    missing: Missing = "divide",
    min_samples_leaf: int = 1,
) -> float | None:
    """The best score any split reaches; None where the table cannot be split.

    For gain_ratio a column is represented by its split of best *gain* (Quinlan 1993, chapter 2).
    Where several of its splits tie in gain, which of them it is may be decided by rounding; then
    the one of lowest ratio counts here, as the score that no correct engine stays below.
    """
    columns = _scored_columns(
        table,
        criterion=criterion,
        nominal=nominal,
        thresholds=thresholds,
        missing=missing,
        min_samples_leaf=min_samples_leaf,
    )
    scores = [min(s.score for s in column) for column in columns if column]
    return max(scores, default=None)


def best_splits(
    table: Table,
    *,
    criterion: str,
    nominal: Nominal = "multiway",
    thresholds: Thresholds = "all",
    missing: Missing = "divide",
    min_samples_leaf: int = 1,
) -> list[Scored]:
    """All splits that tie for the best score, by column, then by cut or code from the lowest up."""
    columns = _scored_columns(
        table,
        criterion=criterion,
        nominal=nominal,
        thresholds=thresholds,
        missing=missing,
        min_samples_leaf=min_samples_leaf,
    )
    found = [scored for column in columns for scored in column]
    top = max((scored.score for scored in found), default=0.0)
    return [scored for scored in found if same(scored.score, top)]


def score_of(
    table: Table,
    split: Split,
    *,
    criterion: str,
    missing: Missing = "divide",
    min_samples_leaf: int = 1,
) -> float:
    """The score of one split; ValueError where the split is not allowed."""
    scored = _scored(
        table, split, criterion=criterion, missing=missing, min_samples_leaf=min_samples_leaf
    )
    if scored is None:
        raise ValueError(f"{split} has too few branches, or too few rows in one of them")
    return scored.score


def candidate_splits(
    table: Table,
    column: int,
    *,
    nominal: Nominal = "multiway",
    thresholds: Thresholds = "all",
    missing: Missing = "divide",
) -> Iterator[Split]:
    """Every split of one column, from the lowest cut or code up, and "is the value known?".

    That last question is one of the policies that send missing rows where they gain most; as a
    category of its own a missing value is parted from the others like any value.
    """
    values = column_values(table, column, missing=missing)
    known = [row for row in table.present() if values[row] is not None]
    any_missing = len(known) < len(table.present())
    present = sorted({values[row] for row in known}, key=_order(table, column))
    if table.kinds[column] != "nominal":
        cuts = [
            Split(column=column, kind="cut", threshold=midpoint(below, above))
            for below, above in pairwise(present)
            if thresholds == "all" or _is_boundary(table, values, below, above)
        ]
        yield from _placed(cuts, missing=missing, any_missing=any_missing)
        if known and any_missing and missing in ("learned_side", "own_branch"):
            yield Split(column=column, kind="cut", threshold=math.inf, missing_branch=1)
        return
    for branch_of_value, missing_branch in _groupings(
        present, nominal=nominal, own_missing=missing == "own_branch" and any_missing
    ):
        split = Split(
            column=column,
            kind="categories",
            branch_of_value=branch_of_value,
            missing_branch=missing_branch,
        )
        if missing == "own_branch":
            yield split
        else:
            yield from _placed([split], missing=missing, any_missing=any_missing)
    if known and any_missing and missing == "learned_side":
        is_known = dict.fromkeys(present, 0)
        yield Split(column=column, kind="categories", branch_of_value=is_known, missing_branch=1)


def column_values(table: Table, column: int, *, missing: Missing) -> dict[int, Any]:
    """The value of each present row, with missing ones filled in where the policy fills them.

    most_likely: the most frequent known value in the node (nominal; the lower code of several) or
    the lower weighted median (numeric); most_likely_in_class: the same among the rows of the same
    class, and among all rows where that class has no known value.
    """
    values = {row: table.rows[row][column] for row in table.present()}
    known = [row for row in values if values[row] is not None]
    if missing not in ("most_likely", "most_likely_in_class") or not known:
        return values
    filled = dict(values)
    for row, value in values.items():
        if value is not None:
            continue
        alike = [other for other in known if table.target[other] == table.target[row]]
        among = alike if missing == "most_likely_in_class" and alike else known
        filled[row] = _most_likely(table, column, among)
    return filled


def surrogate_agreement(table: Table, primary: Split, column: int, *, min_rows: int = 1) -> float:
    """The most weight another column can send the way the primary split sends it.

    Over the rows that know both columns; cuts in both directions with at least ``min_rows`` on each
    side (rpart asks for 2), and every grouping of nominal values in two (Breiman et al. 1984,
    section 5.3).
    """
    rows = [
        row
        for row in table.present()
        if table.rows[row][primary.column] is not None and table.rows[row][column] is not None
    ]
    branch = {row: primary.branch_of(table.rows[row][primary.column]) for row in rows}
    values = sorted({table.rows[row][column] for row in rows})
    if table.kinds[column] == "nominal":
        groups = [set(group) for n in range(1, len(values)) for group in combinations(values, n)]
    else:
        groups = [set(values[:n]) for n in range(1, len(values))]
        n_below = [sum(table.rows[row][column] in group for row in rows) for group in groups]
        groups = [
            group
            for group, n in zip(groups, n_below, strict=True)
            if min(n, len(rows) - n) >= min_rows
        ]
    best = 0.0
    for group in groups:
        for inside in (0, 1):
            agreed = math.fsum(
                table.weight_of(row)
                for row in rows
                if branch[row] == (inside if table.rows[row][column] in group else 1 - inside)
            )
            best = max(best, agreed)
    return best


def _scored_columns(
    table: Table,
    *,
    criterion: str,
    nominal: Nominal,
    thresholds: Thresholds,
    missing: Missing,
    min_samples_leaf: int,
) -> list[list[Scored]]:
    """Per column the splits that may stand for it: those of best gain."""
    result = []
    for column in range(len(table.kinds)):
        scored = [
            found
            for split in candidate_splits(
                table, column, nominal=nominal, thresholds=thresholds, missing=missing
            )
            if (
                found := _scored(
                    table,
                    split,
                    criterion=criterion,
                    missing=missing,
                    min_samples_leaf=min_samples_leaf,
                )
            )
            is not None
        ]
        top = max((found.gain for found in scored), default=0.0)
        result.append([found for found in scored if same(found.gain, top)])
    return result


def _scored(
    table: Table, split: Split, *, criterion: str, missing: Missing, min_samples_leaf: int
) -> Scored | None:
    values = column_values(table, split.column, missing=missing)
    parts: dict[int, list[tuple[Any, float]]] = {}
    left_out: list[tuple[Any, float]] = []
    for row, value in values.items():
        pair = (table.target[row], table.weight_of(row))
        if value is not None:
            parts.setdefault(split.branch_of(value), []).append(pair)
        elif missing in ("learned_side", "own_branch"):
            if split.missing_branch is None:
                raise ValueError(f"{missing} needs to know the branch of the missing rows")
            parts.setdefault(split.missing_branch, []).append(pair)
        else:  # divide, surrogates, majority: judged on the rows whose value is known
            left_out.append(pair)
    branches = [parts[branch] for branch in sorted(parts)]
    if len(branches) < 2 or min(map(len, branches)) < min_samples_leaf:
        return None
    if criterion == "poisson" and not all(any(y > 0 for y, _ in part) for part in branches):
        return None  # a branch of zeros would predict 0, where the deviance is infinite
    judged = math.fsum(criteria.weight(part) for part in branches)
    unknown = criteria.weight(left_out)
    gain = criteria.raw_score(branches, criterion, table.class_order())
    gain *= judged / (judged + unknown)
    if criterion != "gain_ratio":
        return Scored(split=split, score=gain, gain=gain)
    sizes = [criteria.weight(part) for part in branches]
    if missing == "divide":
        sizes.append(unknown)  # C4.5 counts the unknown rows as one more subset
    return Scored(split=split, score=gain / criteria.split_information(sizes), gain=gain)


def _placed(splits: list[Split], *, missing: Missing, any_missing: bool) -> Iterator[Split]:
    """Each split with every branch that the policy may send missing rows to."""
    for split in splits:
        n_branches = 2 if split.kind == "cut" else max(split.branch_of_value.values()) + 1
        if not any_missing or missing not in ("learned_side", "own_branch"):
            yield split
        elif missing == "own_branch":
            yield _with_missing(split, n_branches)
        else:
            for branch in range(n_branches):
                yield _with_missing(split, branch)


def _with_missing(split: Split, branch: int) -> Split:
    return Split(
        column=split.column,
        kind=split.kind,
        threshold=split.threshold,
        branch_of_value=split.branch_of_value,
        missing_branch=branch,
    )


def _groupings(
    present: list[Any], *, nominal: Nominal, own_missing: bool
) -> Iterator[tuple[dict[Any, int], int | None]]:
    """Every way to send the values present, and missing where it is a category, to branches."""
    categories = [*range(len(present))] + ([-1] if own_missing else [])  # -1: missing
    groups: list[set[int]]
    if len(categories) < 2:
        return
    if nominal == "multiway":
        yield (
            {value: branch for branch, value in enumerate(present)},
            len(present) if own_missing else None,
        )
        return
    if nominal == "one_vs_rest":
        groups = [{category} for category in categories]
    else:  # the first category always in branch 0, so that no grouping comes twice
        groups = [
            {categories[0], *others}
            for n in range(len(categories) - 1)
            for others in combinations(categories[1:], n)
        ]
    for group in groups:
        yield (
            {value: 0 if code in group else 1 for code, value in enumerate(present)},
            (0 if -1 in group else 1) if own_missing else None,
        )


def _is_boundary(table: Table, values: dict[int, Any], below: Any, above: Any) -> bool:
    """Do rows of different classes meet at this cut (Fayyad & Irani 1992)?"""
    classes = {table.target[row] for row, value in values.items() if value in (below, above)}
    return len(classes) > 1


def _most_likely(table: Table, column: int, rows: list[int]) -> Any:
    part = [(table.rows[row][column], table.weight_of(row)) for row in rows]
    if table.kinds[column] != "nominal":
        return criteria.median(part)
    in_order = sorted(criteria.labels_of(part), key=_order(table, column))
    return max(in_order, key=lambda value: criteria.class_weight(part, value))  # first of several


def _order(table: Table, column: int) -> Any:
    if table.kinds[column] == "nominal":
        domain = table.domain(column)
        return domain.index
    return lambda value: value


def midpoint(below: float, above: float) -> float:
    if isinstance(below, int) and isinstance(above, int) and (below + above) % 2 == 0:
        return (below + above) // 2  # exact beyond 2^53
    middle = below / 2.0 + above / 2.0
    return middle if below <= middle < above else below
