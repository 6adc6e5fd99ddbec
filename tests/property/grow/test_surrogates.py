"""Surrogates agree with the split they stand in for as much as any question on their column can."""

import math

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from property.growing import as_oracle_split, examples, grow, split_of
from property.tables import Sample, small_tables

TABLES = st.one_of(
    small_tables(min_rows=4, weightings=("none", "whole", "awkward")),
    small_tables(target="numbers", min_rows=4, weightings=("none", "whole", "awkward")),
)
MIN_ROWS = 2
"""Rows a cut must have on each side to be a surrogate, as in rpart."""


def known_in_both(table: oracle.Table, first: int, second: int) -> list[int]:
    return [
        row
        for row in table.present()
        if table.rows[row][first] is not None and table.rows[row][second] is not None
    ]


@given(sample=TABLES)
@settings(examples(5))
def test_no_surrogate_agrees_more_than_the_one_found(sample: Sample) -> None:
    tree = grow(
        sample,
        missing="surrogates",
        nominal="subset",
        max_depth=1,
        max_surrogates=len(sample.columns),
    )
    primary = split_of(tree)
    if primary is None:
        return
    table = sample.for_oracle()
    found = {each.question.index: each for each in tree.surrogates(0)}
    for column in range(len(sample.columns)):
        if column == primary.column:
            assert column not in found
            continue
        rows = known_in_both(table, primary.column, column)
        total = math.fsum(table.weight_of(row) for row in rows)
        left = math.fsum(
            table.weight_of(row)
            for row in rows
            if primary.branch_of(table.rows[row][primary.column]) == 0
        )
        majority = max(left, total - left)
        best = oracle.surrogate_agreement(table, primary, column, min_rows=MIN_ROWS)
        if column not in found:
            assert best <= majority + 1e-9
            continue
        surrogate = found[column]
        assert surrogate.agreement == pytest.approx(best / total, abs=1e-12)
        assert best > majority
        # The question itself reaches the agreement it claims.
        question = as_oracle_split(surrogate.question)
        agreed = math.fsum(
            table.weight_of(row)
            for row in rows
            if primary.branch_of(table.rows[row][primary.column])
            == question.branch_of(table.rows[row][column]) ^ surrogate.flipped
        )
        assert agreed == pytest.approx(best, abs=1e-9)
    agreements = [each.agreement for each in tree.surrogates(0)]
    assert agreements == sorted(agreements, reverse=True)


@given(sample=TABLES, max_surrogates=st.integers(0, 2))
def test_the_best_surrogates_are_kept(sample: Sample, max_surrogates: int) -> None:
    few = grow(sample, missing="surrogates", max_depth=1, max_surrogates=max_surrogates)
    many = grow(sample, missing="surrogates", max_depth=1, max_surrogates=9)
    assert few.surrogates(0) == many.surrogates(0)[:max_surrogates]
