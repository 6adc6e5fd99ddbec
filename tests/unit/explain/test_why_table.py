from __future__ import annotations

from dataclasses import replace

import pytest

from treewright.explain.why_table import BranchRow, CandidateRow, WhyTable


def branch(label: str, no: float, yes: float, impurity: float) -> BranchRow:
    weight = no + yes
    return BranchRow(
        label=label, n_rows=int(weight), weight=weight, impurity=impurity, counts=(no, yes)
    )


OUTLOOK = CandidateRow(
    column="Outlook",
    question="Outlook",
    branches=(
        branch("Sunny", 3, 2, 0.970951),
        branch("Overcast", 0, 4, 0.0),
        branch("Rain", 2, 3, 0.970951),
    ),
    weighted_impurity=0.693536,
    gain=0.246750,
    split_information=1.577406,
    gain_ratio=0.156428,
    chi2=3.546667,
    df=2,
    p_value=0.169766,
    chosen=True,
)
WIND = CandidateRow(
    column="Wind",
    question="Wind",
    branches=(branch("Weak", 2, 6, 0.811278), branch("Strong", 3, 3, 1.0)),
    weighted_impurity=0.892159,
    gain=0.048127,
    split_information=0.985228,
    gain_ratio=0.048849,
    chi2=0.933333,
    df=1,
    p_value=0.333998,
)
DAY = CandidateRow(column="Day", question="Day", guard="every row has its own value")
TABLE = WhyTable(
    node=0,
    n_rows=14,
    weight=14.0,
    impurity=0.940286,
    measure="entropy",
    classes=("No", "Yes"),
    counts=(5.0, 9.0),
    candidates=(OUTLOOK, WIND),
)


def test_the_table_as_the_lectures_print_it() -> None:
    assert str(replace(TABLE, measures=("gain", "split_information", "gain_ratio"))) == (
        "Node 0 · 14 rows · Yes 9, No 5 · entropy 0.94\n"
        "\n"
        "   question    rows  No  Yes  entropy   gain  split info  gain ratio\n"
        "→  Outlook                      0.694  0.247       1.577       0.156\n"
        "     Sunny        5   3    2    0.971\n"
        "     Overcast     4   0    4    0.000\n"
        "     Rain         5   2    3    0.971\n"
        "   Wind                         0.892  0.048       0.985       0.049\n"
        "     Weak         8   2    6    0.811\n"
        "     Strong       6   3    3    1.000"
    )


def test_a_table_that_would_be_too_wide_is_two() -> None:
    lines = str(TABLE).splitlines()
    assert lines[2:5] == [
        "   question  entropy   gain  split info  gain ratio   chi2  df      p",
        "→  Outlook     0.694  0.247       1.577       0.156  3.547   2  0.170",
        "   Wind        0.892  0.048       0.985       0.049  0.933   1  0.334",
    ]
    assert lines[6:9] == [
        "   branch      rows  No  Yes  entropy",
        "→  Outlook",
        "     Sunny        5   3    2    0.971",
    ]


def test_without_detail_one_line_per_column() -> None:
    lines = TABLE.text(detail=False).splitlines()
    assert len(lines) == 5
    assert lines[3].split() == [
        "→",
        "Outlook",
        "0.694",
        "0.247",
        "1.577",
        "0.156",
        "3.547",
        "2",
        "0.170",
    ]


def test_what_a_guard_removed_is_named() -> None:
    table = replace(TABLE, candidates=(OUTLOOK, WIND, DAY))
    assert str(table).endswith("Not considered:\n  Day  every row has its own value")
    assert str(table).count("Day") == 1  # it has no measures to show
    guarded = replace(TABLE, candidates=(OUTLOOK, replace(WIND, guard="below average gain")))
    assert str(guarded).endswith("Not considered:\n  Wind  below average gain")
    assert "0.048" in str(guarded)


def test_many_classes_are_named_by_weight() -> None:
    many = BranchRow(label="a", n_rows=9, weight=9.0, impurity=1.0, counts=(5, 0, 1, 1, 1, 0, 1))
    candidate = CandidateRow(column="x", question="x", branches=(many,), gain=0.5)
    table = replace(TABLE, classes=tuple("ABCDEFG"), counts=many.counts, candidates=(candidate,))
    assert "A 5, C 1, D 1, … 2 more" in str(table)
    assert table.text(ascii=True).isascii()


def test_ties_are_reported() -> None:
    assert TABLE.ties == ()
    table = replace(TABLE, candidates=(replace(OUTLOOK, tied=True), replace(WIND, tied=True)))
    assert table.ties == ("Outlook", "Wind")
    assert str(table).endswith("Tie: Outlook and Wind score alike; Outlook comes first.")


def test_a_leaf_has_no_chosen_question() -> None:
    table = replace(TABLE, candidates=(replace(OUTLOOK, chosen=False, tied=True),))
    assert table.chosen is None
    assert table.ties == ()
    assert TABLE.chosen is OUTLOOK


def test_costs_missing_values_and_cuts_get_columns_when_they_matter() -> None:
    usual = replace(TABLE, candidates=(replace(OUTLOOK, cost=1.0, missing_weight=0.0),))
    assert "cost" not in str(usual)
    assert "missing" not in str(usual)
    priced = replace(OUTLOOK, cost=0.8, cost_score=0.0761, n_cuts=3, missing_weight=2.0)
    header = replace(TABLE, candidates=(priced,)).text().splitlines()[2]
    assert header.split()[-5:] == ["cost", "cost", "score", "cuts", "missing"]


def test_a_score_of_another_name_has_its_own_column() -> None:
    table = replace(TABLE, score_name="hellinger", candidates=(replace(OUTLOOK, score=0.333),))
    lines = table.text(detail=False).splitlines()
    assert lines[2].endswith("hellinger")
    assert lines[3].endswith("0.333")


def test_a_small_p_value_beside_a_larger_one_is_not_zero() -> None:
    small = replace(WIND, p_value=3e-9)
    table = replace(TABLE, candidates=(OUTLOOK, small))
    lines = table.text(detail=False).splitlines()
    assert [line[-7:] for line in lines[2:]] == ["      p", "  0.170", " <0.001"]
    assert table.candidates[1].p_value == 3e-9
    alone = replace(TABLE, candidates=(small,)).text(detail=False)
    assert alone.endswith("  3e-09")


def test_regression() -> None:
    below = BranchRow(label="<= 0.5", n_rows=3, weight=4.5, impurity=17.61, mean=7.33, sse=52.83)
    above = BranchRow(label="> 0.5", n_rows=2, weight=2.0, impurity=0.0, mean=10.0, sse=0.0)
    candidate = CandidateRow(
        column="f1",
        question="f1 <= 0.5",
        branches=(below, above),
        weighted_impurity=12.2,
        gain=1.3,
        chosen=True,
    )
    table = WhyTable(
        node=2,
        n_rows=5,
        weight=6.5,
        impurity=13.5,
        measure="variance",
        mean=8.4,
        sse=67.5,
        candidates=(candidate,),
    )
    assert str(table) == (
        "Node 2 · 5 rows · weight 6.5 · mean 8.4 · SSE 67.5 · variance 13.5\n"
        "\n"
        "   question  rows  weight   mean    SSE  variance  gain\n"
        "→  f1                                       12.20   1.3\n"
        "     <= 0.5     3     4.5   7.33  52.83     17.61\n"
        "     > 0.5      2     2.0  10.00   0.00      0.00"
    )


@pytest.mark.parametrize("detail", [True, False])
def test_ascii(detail: bool) -> None:
    assert TABLE.text(detail=detail, ascii=True).isascii()
