"""Shapley values of trees by their definition: every set of columns that could be known.

A boosted tree is read from the arrays of ``BoostForest.tree``; a row is a list of numbers (``nan``
where there is none) and, for nominal columns, of codes (-1 where there is none). Any other tree is
read from the arrays of ``TreeArrays`` and walked by :class:`Walk`; a row is a list of numbers and
codes, None where a value is missing and "unseen" for a category that training did not know.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

Game = Callable[[frozenset[int]], float]

Row = list[float]
Cuts = list[list[float] | None]  # by column; None for a nominal one


def goes_second(tree: dict[str, Any], node: int, row: Row, cuts: Cuts, n_codes: list[int]) -> bool:
    column = int(tree["column"][node])
    value = row[column]
    values = cuts[column]
    if values is None:
        if not 0 <= value < n_codes[column]:
            return not tree["missing_first"][node]
        word, bit = divmod(int(value), 64)
        return not int(tree["subset_bits"][int(tree["subset"][node]) + word]) >> bit & 1
    if math.isnan(value):
        return not tree["missing_first"][node]
    cut = int(tree["cut"][node])
    return cut < len(values) and value > values[cut]


def shares(tree: dict[str, Any], node: int, cover: str) -> tuple[float, float]:
    first = int(tree["first_child"][node])
    here, there = float(tree[cover][first]), float(tree[cover][first + 1])
    if here + there == 0:
        return 0.5, 0.5
    return here / (here + there), there / (here + there)


def expected(
    tree: dict[str, Any],
    known: frozenset[int],
    second: Callable[[int], bool],
    cover: str,
    node: int = 0,
) -> float:
    """What the tree answers if only some columns are known (Lundberg et al. 2018, algorithm 1)."""
    first = int(tree["first_child"][node])
    if first < 0:
        return float(tree["value"][node])
    if int(tree["column"][node]) in known:
        return expected(tree, known, second, cover, first + second(node))
    here, there = shares(tree, node, cover)
    return here * expected(tree, known, second, cover, first) + there * expected(
        tree, known, second, cover, first + 1
    )


def values(
    tree: dict[str, Any], row: Row, cuts: Cuts, n_codes: list[int], cover: str = "n_rows"
) -> list[float]:
    """The Shapley value of each column, and what is expected if nothing is known (Shapley 1953)."""

    def second(node: int) -> bool:
        return goes_second(tree, node, row, cuts, n_codes)

    def game(known: frozenset[int]) -> float:
        return expected(tree, known, second, cover)

    return [*of_game(game, len(row)), game(frozenset())]


def sets_of(columns: list[int]) -> list[frozenset[int]]:
    return [
        frozenset(known)
        for size in range(len(columns) + 1)
        for known in combinations(columns, size)
    ]


def of_game(game: Game, n: int) -> list[float]:
    """The Shapley value of each of n columns (Shapley 1953)."""
    answer = {known: game(known) for known in sets_of(list(range(n)))}
    found = []
    for column in range(n):
        total = 0.0
        for known in answer:
            if column not in known:
                before = math.factorial(len(known)) * math.factorial(n - len(known) - 1)
                gain = answer[known | {column}] - answer[known]
                total += before / math.factorial(n) * gain
        found.append(total)
    return found


def interactions_of_game(game: Game, n: int) -> list[list[float]]:
    """SHAP interaction values (Lundberg et al. 2018, equations 9 to 11)."""
    answer = {known: game(known) for known in sets_of(list(range(n)))}
    found = [[0.0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        total = 0.0
        for known in answer:
            if i in known or j in known:
                continue
            times = math.factorial(len(known)) * math.factorial(n - len(known) - 2)
            gain = answer[known | {i, j}] - answer[known | {i}] - answer[known | {j}]
            total += times / (2 * math.factorial(n - 1)) * (gain + answer[known])
        found[i][j] = found[j][i] = total
    for i, own in enumerate(of_game(game, n)):
        found[i][i] = own - sum(found[i])
    return found


class Walk:
    """A tree of any kind, walked by its arrays.

    ``answer(leaf)`` is what a leaf answers; ``model(leaf)`` its linear model, or None: a list of
    (column, number of a row, coefficient, fill), the intercept, and the least and greatest answer.
    """

    def __init__(
        self,
        arrays: Any,
        answer: Callable[[int], float],
        model: Callable[[int], Any] = lambda leaf: None,
    ) -> None:
        self.arrays, self.answer, self.model = arrays, answer, model

    def surrogate(self, s: int, value: Any) -> int | None:
        a = self.arrays
        if value is None or value == "unseen" or value != value:
            return None
        if int(a.surrogate_kind[s]) == 1:
            whole = float(a.surrogate_threshold[s])
            threshold = int(a.surrogate_threshold_int[s]) if math.isnan(whole) else whole
            return int((value <= threshold) == bool(a.surrogate_reversed[s]))
        start, count = int(a.surrogate_code_offset[s]), int(a.surrogate_code_count[s])
        branches = dict(
            zip(a.code[start : start + count], a.branch_of_code[start : start + count], strict=True)
        )
        return None if value not in branches else int(branches[value])

    def own(self, node: int, row: list[Any]) -> tuple[int | None, bool]:
        """The branch by the asked columns, and whether a value was missing."""
        a, column, kind = self.arrays, int(self.arrays.column[node]), int(self.arrays.kind[node])
        value = row[column]
        if kind == 4:
            start, count = int(a.term_offset[node]), int(a.term_count[node])
            total = 0.0
            for k in range(start, start + count):
                part = row[int(a.term_column[k])]
                if part is None or part != part:
                    return None, True
                total += float(a.term_coefficient[k]) * float(part)
            return int(total > float(a.threshold[node])), False
        if value is None or value != value:
            return None, True
        if kind == 2:
            start, count = int(a.code_offset[node]), int(a.code_count[node])
            codes, branches = a.code[start : start + count], a.branch_of_code[start : start + count]
            for code, branch in zip(codes, branches, strict=True):
                if code == value:
                    return int(branch), False
            rest = int(a.rest_branch[node]) if len(a.rest_branch) else -1
            return (rest, False) if rest >= 0 and value != "unseen" else (None, False)
        if value == "unseen":
            return None, False
        if kind == 1:
            real = float(a.threshold[node])
            return int(value > (int(a.threshold_int[node]) if math.isnan(real) else real)), False
        start, count = int(a.cut_offset[node]), int(a.cut_count[node])
        cuts = [
            int(a.cut_int[k]) if math.isnan(a.cut[k]) else float(a.cut[k])
            for k in range(start, start + count)
        ]
        return sum(value > cut for cut in cuts), False

    def step(self, node: int, row: list[Any]) -> tuple[int | None, set[int]]:
        """The branch of a row (None: all), and the columns that decided it."""
        a = self.arrays
        columns = {int(a.column[node])}
        if int(a.kind[node]) == 4:
            start, count = int(a.term_offset[node]), int(a.term_count[node])
            columns = {int(column) for column in a.term_column[start : start + count]}
        branch, missing = self.own(node, row)
        if branch is not None:
            return branch, columns
        if len(a.surrogate_start):
            for s in range(int(a.surrogate_start[node]), int(a.surrogate_start[node + 1])):
                column = int(a.surrogate_column[s])
                columns.add(column)
                found = self.surrogate(s, row[column])
                if found is not None:
                    return found, columns
        last = int((a.missing_branch if missing else a.unseen_branch)[node])
        return (None if last < 0 else last), columns

    def children(self, node: int) -> list[tuple[int, float]]:
        first, count = int(self.arrays.first_child[node]), int(self.arrays.n_branches[node])
        weight = [float(self.arrays.weight[first + b]) for b in range(count)]
        total = sum(weight)
        share = [w / total if total > 0 else 1 / count for w in weight]
        return [(first + b, share[b]) for b in range(count)]

    def at_leaf(self, leaf: int, row: list[Any], known: frozenset[int], other: Any) -> float:
        """What a leaf answers for the row if some columns are known; else `other` stands in."""
        model = self.model(leaf)
        if model is None:
            return self.answer(leaf)
        terms, intercept, low, high = model

        def number(of: Any, fill: float) -> float:
            return fill if of is None or of != of else float(of)

        parts, without = [], intercept
        for column, numbers, coefficient, fill in terms:
            stand_in = fill if other is None else number(numbers(other), fill)
            without += coefficient * stand_in
            parts.append((column, coefficient * (number(numbers(row), fill) - stand_in)))
        whole = sum(part for _, part in parts)
        start = min(max(without, low), high)
        end = min(max(without + whole, low), high)
        factor = (end - start) / whole if whole else 0.0
        return start + factor * sum(part for column, part in parts if column in known)

    def expected(self, row: list[Any], known: frozenset[int], node: int = 0) -> float:
        """The answer expected if only some columns of a row are known."""
        if not int(self.arrays.n_branches[node]):
            return self.at_leaf(node, row, known, None)
        branch, columns = self.step(node, row)
        children = self.children(node)
        if branch is not None and columns <= known:
            return self.expected(row, known, children[branch][0])
        return sum(share * self.expected(row, known, child) for child, share in children)

    def beside(
        self, row: list[Any], other: list[Any], known: frozenset[int], node: int = 0
    ) -> float:
        """The answer for a row whose columns that are not known are another row's."""
        if not int(self.arrays.n_branches[node]):
            return self.at_leaf(node, row, known, other)
        mixed = [row[c] if c in known else other[c] for c in range(len(row))]
        branch, _ = self.step(node, mixed)
        children = self.children(node)
        if branch is not None:
            return self.beside(row, other, known, children[branch][0])
        return sum(share * self.beside(row, other, known, child) for child, share in children)
