"""The oracles of CHAID and of several cuts, against counting by hand."""

import math
from itertools import pairwise, product

import pytest
from oracle.chaid import MISSING, ChaidOptions, bins_by_rank, grow_chaid, multiplier
from oracle.intervals import Point, bounds, cal5, mdlp
from oracle.table import Table


def ways(c: int, r: int, kind: str) -> int:
    """Count the groupings that a kind of column allows, one by one."""
    found = set()
    for labels in product(range(r), repeat=c):
        if len(set(labels)) < r:
            continue
        known = labels[:-1] if kind == "floating" else labels
        if kind != "nominal":
            runs = [known[0], *(b for a, b in pairwise(known) if a != b)]
            if len(runs) != len(set(runs)):
                continue
        found.add(frozenset(frozenset(i for i in range(c) if labels[i] == g) for g in range(r)))
    return len(found)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "floating"])
def test_multipliers_count_the_groupings(kind: str) -> None:
    for c in range(2, 7):
        for r in range(2, c + 1):
            assert multiplier(kind, c, r, exhaustive=False) == ways(c, r, kind)


def test_exhaustive_multipliers_count_the_pairs_compared() -> None:
    for c in range(2, 9):
        pairs = sum(math.comb(k, 2) for k in range(2, c + 1))
        assert multiplier("nominal", c, 2, exhaustive=True) == pairs
        assert multiplier("ordinal", c, 2, exhaustive=True) == sum(range(1, c))


def test_bins_part_no_equals() -> None:
    table = Table(rows=[(v,) for v in (5, 1, 1, 1, 2, 3, 4, 9)], target="a" * 8, kinds=["numeric"])
    assert bins_by_rank(table, 0, 3) == {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 9: 2}


def test_three_categories_of_which_two_are_alike() -> None:
    rows = [("p",)] * 20 + [("q",)] * 20 + [(None,)] * 20
    target = "a" * 18 + "b" * 2 + "a" * 3 + "b" * 17 + "a" * 17 + "b" * 3
    table = Table(rows=rows, target=target, kinds=["nominal"])
    root = grow_chaid(table, ChaidOptions())
    assert root.groups == (("p", MISSING), ("q",))
    # chi-square of [[35, 5], [3, 17]] is 30.478..., three ways to form two groups of three
    statistic = 60 * (35 * 17 - 5 * 3) ** 2 / (40 * 20 * 38 * 22)
    assert root.p_value == pytest.approx(math.erfc(math.sqrt(statistic / 2)))
    assert root.adjusted_p == pytest.approx(3 * root.p_value)


def test_chebyshevs_interval_is_that_of_the_paper() -> None:
    for n_i, n, alpha in [(3, 10, 0.2), (0, 5, 0.5), (7, 7, 0.1), (12.5, 40, 0.3)]:
        root = math.sqrt(4 * alpha * n_i * (1 - n_i / n) + 1)
        expected = [(2 * alpha * n_i + 1 + sign * root) / (2 * alpha * n + 2) for sign in (-1, 1)]
        assert bounds(n_i, n, alpha) == pytest.approx(expected)


def test_sixteen_rows_of_two_classes_are_worth_one_cut() -> None:
    points = [Point(value=i, label="a" if i < 8 else "b", weight=1.0) for i in range(16)]
    assert mdlp(points, unit=1.0, min_rows=1).between == [(7, 8)]
    # gain 1 bit; (log2(15) + log2(7) - 2) / 16 = 0.29
    four = [Point(value=i, label="ab"[i % 2], weight=1.0) for i in range(4)]
    assert mdlp(four, unit=1.0, min_rows=1).between == []


def test_an_interval_closes_when_a_class_dominates() -> None:
    # Of one class alone, n alpha / (n alpha + 1) reaches 0.8 with 14 rows at alpha 0.3.
    labels = "a" * 20 + "b" * 20
    points = [Point(value=i, label=k, weight=1.0) for i, k in enumerate(labels)]
    cuts = cal5(points, threshold=0.8, alpha=0.3, unit=1.0, min_rows=1)
    # Then six of a and five of b: neither can dominate, 0.775 at most. The one row that is left
    # at the end is of b, like the fourteen before it.
    assert cuts.between == [(13, 14), (24, 25)]
