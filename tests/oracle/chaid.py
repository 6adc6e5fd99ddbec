"""CHAID on small tables, from its definition (Kass 1980; Biggs, de Ville and Suen 1991).

Every p-value is computed afresh from rows, whenever it is asked for. Each split carries its
``margin``: how far the closest decision on the way, in this node and for any column, was from
going the other way. Decisions between equals are no close ones: the first wins.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from scipy import special, stats

from oracle.table import Table

MISSING = "missing"  # the category of rows without a value
TIE = 1e-11

Categories = tuple[Any, ...]  # of one group
Rows = list[int]


@dataclass(frozen=True, kw_only=True)
class ChaidOptions:
    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_split_merge: float | None = None
    exhaustive: bool = False
    test: Literal["pearson", "likelihood_ratio", "f"] = "pearson"
    bonferroni: bool = True
    n_bins: int = 10
    missing: Literal["floating", "last"] = "floating"
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    max_depth: int | None = None


@dataclass(frozen=True, kw_only=True)
class ChaidNode:
    rows: tuple[int, ...]
    margin: float
    column: int | None = None  # None at a leaf
    groups: tuple[Categories, ...] = ()
    p_value: float = 1.0
    adjusted_p: float = 1.0
    children: tuple["ChaidNode", ...] = ()


def grow_chaid(table: Table, options: ChaidOptions) -> ChaidNode:
    bins = {
        column: bins_by_rank(table, column, options.n_bins)
        for column, kind in enumerate(table.kinds)
        if kind == "numeric"
    }
    return _Chaid(table, options, bins).node(table.present(), 0)


def bins_by_rank(table: Table, column: int, n_bins: int) -> dict[Any, int]:
    """SPSS's bins: a value of average rank r among N goes to bin floor(r * n_bins / (N + 1))."""
    values = sorted(
        table.rows[row][column] for row in table.present() if table.rows[row][column] is not None
    )
    bin_of_value = {}
    for value in set(values):
        ranks = [rank for rank, other in enumerate(values, start=1) if other == value]
        average = (ranks[0] + ranks[-1]) / 2
        bin_of_value[value] = math.floor(average * n_bins / (len(values) + 1))
    return bin_of_value


def groupings(n: int, r: int) -> float:
    """Ways to put n things into r groups: the alternating sum of Kass, in whole numbers."""
    total = sum((-1) ** i * math.comb(r, i) * (r - i) ** n for i in range(r))
    return total // math.factorial(r)


def multiplier(kind: str, c: int, r: int, *, exhaustive: bool) -> float:
    if exhaustive:
        return c * (c * c - 1) / 6 if kind == "nominal" else c * (c - 1) / 2
    if kind == "nominal":
        return groupings(c, r)
    if kind == "floating":
        return math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1)
    return math.comb(c - 1, r - 1)


def log_p_chi2(statistic: float, df: int) -> float:
    """Both ends of the tail keep their digits."""
    below = float(special.gammainc(df / 2, statistic / 2))
    if below < 0.5:
        return math.log1p(-below)
    return math.log(float(special.gammaincc(df / 2, statistic / 2)))


def log_p_f(statistic: float, df1: int, df2: int) -> float:
    below = float(stats.f.cdf(statistic, df1, df2))
    return math.log1p(-below) if below < 0.5 else math.log(float(stats.f.sf(statistic, df1, df2)))


class _Chaid:
    def __init__(
        self, table: Table, options: ChaidOptions, bins: dict[int, dict[Any, int]]
    ) -> None:
        self.table, self.options, self.bins = table, options, bins
        present = table.present()
        # Tests count rows, however weights are scaled.
        self.unit = len(present) / math.fsum(table.weight_of(row) for row in present)
        self.margin = math.inf

    # One node

    def node(self, rows: Rows, depth: int) -> ChaidNode:
        options = self.options
        self.margin = math.inf
        leaf = ChaidNode(rows=tuple(rows), margin=math.inf)
        if len({self.table.target[row] for row in rows}) < 2 or len(rows) < 2:
            return leaf
        if len(rows) < max(options.min_samples_split, 2 * options.min_samples_leaf):
            return leaf
        if options.max_depth is not None and depth >= options.max_depth:
            return leaf
        found = []
        for column in range(len(self.table.kinds)):
            groups = self.groups_of(column, rows)
            if groups is not None and len(groups) > 1:
                found.append((column, groups, *self.adjusted(column, rows, groups)))
        if not found:
            return ChaidNode(rows=tuple(rows), margin=self.margin)
        best = self.first([-adjusted for *_, adjusted in found])
        column, groups, log_p, adjusted = found[best]
        if not self.is_above(math.log(options.alpha_split), adjusted, or_equal=True):
            return ChaidNode(rows=tuple(rows), margin=self.margin)
        margin = self.margin
        children = tuple(
            self.node([row for row in rows if self.category(column, row) in group], depth + 1)
            for group in groups
        )
        return ChaidNode(
            rows=tuple(rows),
            margin=margin,
            column=column,
            groups=groups,
            p_value=math.exp(log_p),
            adjusted_p=math.exp(adjusted),
            children=children,
        )

    def category(self, column: int, row: int) -> Any:
        value = self.table.rows[row][column]
        if value is None:
            return MISSING
        return self.bins[column][value] if column in self.bins else value

    def categories(self, column: int, rows: Rows) -> list[Any]:
        """Those of the node in their order, the missing one last."""
        seen = {self.category(column, row) for row in rows}
        order: Sequence[Any] = sorted(seen - {MISSING})
        if self.table.kinds[column] == "nominal":
            order = [value for value in self.table.domain(column) if value in seen]
        return [*order, *([MISSING] if MISSING in seen else [])]

    # Decisions, and how close they were

    def first(self, numbers: list[float]) -> int:
        """The position of the largest number, of equals the first."""
        largest = max(numbers)
        for number in numbers:
            if not alike(number, largest):
                self.margin = min(self.margin, abs(largest - number))
        return next(i for i, number in enumerate(numbers) if alike(number, largest))

    def is_above(self, a: float, b: float, *, or_equal: bool = False) -> bool:
        if alike(a, b):
            return or_equal
        self.margin = min(self.margin, abs(a - b))
        return a > b

    # Tests

    def log_p(self, column: int, rows: Rows, groups: Sequence[Categories]) -> float:
        parts = [[row for row in rows if self.category(column, row) in group] for group in groups]
        return self.f_test(parts) if self.options.test == "f" else self.chi_square(parts)

    def chi_square(self, parts: list[Rows]) -> float:
        classes = sorted({self.table.target[row] for part in parts for row in part})
        observed = [[self.weight(part, label) for label in classes] for part in parts]
        total = sum(map(sum, observed))
        statistic = 0.0
        for line, label in product(observed, range(len(classes))):
            expected = sum(line) * sum(other[label] for other in observed) / total
            if self.options.test == "pearson":
                statistic += float((line[label] - expected) ** 2 / expected)
            elif line[label] > 0:
                statistic += 2 * float(line[label]) * math.log(line[label] / expected)
        df = (len(parts) - 1) * (len(classes) - 1)
        statistic *= self.unit
        return 0.0 if df == 0 or statistic <= 1e-13 else log_p_chi2(statistic, df)

    def weight(self, part: Rows, label: Any) -> Fraction:
        return sum(
            (
                Fraction(self.table.weight_of(row))
                for row in part
                if self.table.target[row] == label
            ),
            start=Fraction(0),
        )

    def f_test(self, parts: list[Rows]) -> float:
        def mean(rows: Rows) -> Fraction:
            return total(rows, lambda y: y) / total(rows, lambda y: Fraction(1))

        def total(rows: Rows, of: Callable[[Fraction], Fraction]) -> Fraction:
            return sum(
                (
                    Fraction(self.table.weight_of(row)) * of(Fraction(self.table.target[row]))
                    for row in rows
                ),
                start=Fraction(0),
            )

        rows = [row for part in parts for row in part]
        centre = mean(rows)
        means = [mean(part) for part in parts]
        within = sum(
            total(part, lambda y, m=m: (y - m) ** 2)  # type: ignore[misc]
            for part, m in zip(parts, means, strict=True)
        )
        between = total(rows, lambda y: (y - centre) ** 2) - within
        df1, df2 = len(parts) - 1, len(rows) - len(parts)
        if df1 == 0 or df2 == 0 or between == 0:
            return 0.0
        if within <= Fraction(1, 10**12) * (between + within):
            return -math.inf
        return log_p_f(float(between / df1 / (within / df2)), df1, df2)

    def adjusted(
        self, column: int, rows: Rows, groups: Sequence[Categories]
    ) -> tuple[float, float]:
        log_p = self.log_p(column, rows, groups)
        categories = self.categories(column, rows)
        kind = self.table.kinds[column]
        if kind != "nominal":
            kind = "floating" if MISSING in categories else "ordinal"  # type: ignore[assignment]
        if not self.options.bonferroni:
            return log_p, log_p
        ways = multiplier(kind, len(categories), len(groups), exhaustive=self.options.exhaustive)
        return log_p, min(0.0, log_p + math.log(ways))

    # Merging

    def groups_of(self, column: int, rows: Rows) -> tuple[Categories, ...] | None:
        categories = self.categories(column, rows)
        if len(categories) < 2:
            return None
        ordered = self.table.kinds[column] != "nominal"
        late = ordered and self.options.missing == "last" and MISSING in categories
        groups: list[Categories] = [(c,) for c in categories if not (late and c == MISSING)]
        merge = self.merge_to_two if self.options.exhaustive else self.merge_alike
        groups = merge(column, rows, groups)
        if late:
            groups = self.attach(column, rows, groups)
        return tuple(self.absorb(column, rows, groups))

    def pairs(self, column: int, groups: list[Categories]) -> list[tuple[int, int]]:
        """Positions of groups that may be merged."""
        everyone = [(i, j) for j in range(len(groups)) for i in range(j)]
        everyone.sort()
        if self.table.kinds[column] == "nominal":
            return everyone
        return [(i, j) for i, j in everyone if j == i + 1 or groups[j] == (MISSING,)]

    def merged(
        self, column: int, rows: Rows, groups: list[Categories], i: int, j: int
    ) -> list[Categories]:
        rest = [group for k, group in enumerate(groups) if k not in (i, j)]
        return self.in_order(column, rows, [*rest, groups[i] + groups[j]])

    def in_order(self, column: int, rows: Rows, groups: list[Categories]) -> list[Categories]:
        """By the first category of each; within each by category."""
        place = {category: i for i, category in enumerate(self.categories(column, rows))}
        within = [tuple(sorted(group, key=place.__getitem__)) for group in groups]
        return sorted(within, key=lambda group: place[group[0]])

    def most_alike(
        self, column: int, rows: Rows, groups: list[Categories], pairs: list[tuple[int, int]]
    ) -> tuple[tuple[int, int], float]:
        p = [self.log_p(column, rows, [groups[i], groups[j]]) for i, j in pairs]
        best = self.first(p)
        return pairs[best], p[best]

    def merge_alike(self, column: int, rows: Rows, groups: list[Categories]) -> list[Categories]:
        n_resplits, n_categories = 0, len(self.categories(column, rows))
        while len(groups) > 1:
            (i, j), p = self.most_alike(column, rows, groups, self.pairs(column, groups))
            if not self.is_above(p, math.log(self.options.alpha_merge)):
                return groups
            both = groups[i] + groups[j]
            groups = self.merged(column, rows, groups, i, j)
            if (
                self.options.alpha_split_merge is None
                or len(both) < 3
                or n_resplits >= n_categories
            ):
                continue
            compound = next(group for group in groups if set(group) == set(both))
            halves = self.resplit(column, rows, compound)
            if halves is not None:
                n_resplits += 1
                rest = [group for group in groups if group != compound]
                groups = self.in_order(column, rows, [*rest, *halves])
        return groups

    def resplit(
        self, column: int, rows: Rows, group: Categories
    ) -> tuple[Categories, Categories] | None:
        assert self.options.alpha_split_merge is not None
        tried = self.divisions(column, group)
        p = [self.log_p(column, rows, halves) for halves in tried]
        best = self.first([-each for each in p])
        if self.is_above(p[best], math.log(self.options.alpha_split_merge)):
            return None
        return tried[best]

    def divisions(self, column: int, group: Categories) -> list[tuple[Categories, Categories]]:
        if self.table.kinds[column] == "nominal":
            masks = range(1, 2 ** (len(group) - 1))
            in_second = [
                [False, *(bool(mask >> bit & 1) for bit in range(len(group) - 1))] for mask in masks
            ]
            return [_divide(group, flags) for flags in in_second]
        known = tuple(category for category in group if category != MISSING)
        if len(known) == len(group):
            return [(known[:cut], known[cut:]) for cut in range(1, len(known))]
        tried = []
        for cut in range(1, len(known)):
            tried.append(((*known[:cut], MISSING), known[cut:]))
            tried.append((known[:cut], (*known[cut:], MISSING)))
        return [*tried, (known, (MISSING,))]

    def merge_to_two(self, column: int, rows: Rows, groups: list[Categories]) -> list[Categories]:
        steps = [groups]
        while len(groups) > 2:
            (i, j), _ = self.most_alike(column, rows, groups, self.pairs(column, groups))
            groups = self.merged(column, rows, groups, i, j)
            steps.append(groups)
        p = [self.log_p(column, rows, step) if len(step) > 1 else 0.0 for step in steps]
        best = 0
        for step in range(1, len(steps)):
            if self.is_above(p[best], p[step]):
                best = step
        return steps[best]

    def attach(self, column: int, rows: Rows, groups: list[Categories]) -> list[Categories]:
        apart: list[Categories] = [*groups, (MISSING,)]
        last = len(groups)
        (i, j), _ = self.most_alike(column, rows, apart, [(i, last) for i in range(last)])
        joined = self.merged(column, rows, apart, i, j)
        p_joined = self.log_p(column, rows, joined) if len(joined) > 1 else 0.0
        p_apart = self.log_p(column, rows, apart)
        return apart if self.is_above(p_joined, p_apart) else joined

    def absorb(self, column: int, rows: Rows, groups: list[Categories]) -> list[Categories]:
        while len(groups) > 1:
            sizes = [sum(self.category(column, row) in group for row in rows) for group in groups]
            if min(sizes) >= self.options.min_samples_leaf:
                return groups
            small = sizes.index(min(sizes))
            partners = [pair for pair in self.pairs(column, groups) if small in pair]
            (i, j), _ = self.most_alike(column, rows, groups, partners)
            groups = self.merged(column, rows, groups, i, j)
        return groups


def _divide(group: Categories, in_second: list[bool]) -> tuple[Categories, Categories]:
    first = tuple(c for c, second in zip(group, in_second, strict=True) if not second)
    return first, tuple(c for c, second in zip(group, in_second, strict=True) if second)


def alike(a: float, b: float) -> bool:
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= TIE * max(abs(a), abs(b)) + 1e-12


def walk_chaid(root: ChaidNode) -> list[ChaidNode]:
    return [root, *(below for child in root.children for below in walk_chaid(child))]
