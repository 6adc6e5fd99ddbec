from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from unit.tree.hand_trees import (
    TENNIS,
    build,
    cut,
    leaf,
    loans,
    nominal,
    numeric,
    ordinal,
    play_tennis,
    schema_of,
)

from treewright.data.read.table import match_table
from treewright.data.table import UNSEEN
from treewright.tree.condition import Wording
from treewright.tree.question import EVERY_BRANCH, Categories, Cut, stored_value

REGION = nominal("region", "north", "east", "south", "west")


def region(*branches: int, **options) -> Categories:
    """A question by the branch of each region; -1 where the node has not seen it."""
    n_branches = options.pop("n_branches", max(branches) + 1)
    return Categories(
        index=0,
        column=REGION,
        codes=tuple(code for code, branch in enumerate(branches) if branch >= 0),
        branches=tuple(branch for branch in branches if branch >= 0),
        n_branches=n_branches,
        **options,
    )


def words(question: Cut | Categories, **options) -> list[str]:
    return [question.text(branch, Wording(**options)) for branch in range(question.n_branches)]


def test_a_cut_in_words() -> None:
    question = Cut(index=0, column=numeric("petal length"), threshold=2.45)
    assert words(question) == ["petal length <= 2.45", "petal length > 2.45"]


def test_a_branch_of_its_own_for_missing_values_in_words() -> None:
    question = Cut(index=0, column=numeric("x"), threshold=1.5, n_branches=3, missing_branch=2)
    assert words(question) == ["x <= 1.5", "x > 1.5", "x is missing"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            region(0, 1, 2, 3),
            ["region = north", "region = east", "region = south", "region = west"],
        ),
        (region(0, 1, 1, 0), ["region in {north, west}", "region in {east, south}"]),
        (region(1, 0, 1, 1), ["region = east", "region != east"]),
        (region(1, 0, 1, -1), ["region = east", "region != east"]),
        (region(1, 0, -1, -1), ["region = east", "region = north"]),
        (
            region(0, 1, 2, 3, n_branches=5, missing_branch=4),
            [*(f"region = {value}" for value in REGION.values), "region is missing"],
        ),
        (
            region(1, 1, 1, 1, n_branches=2, missing_branch=0),
            ["region is missing", "region is known"],
        ),
        (
            region(1, 1, 1, -1, n_branches=2, missing_branch=0),
            ["region is missing", "region is known"],
        ),
    ],
    ids=[
        "multiway",
        "subset",
        "one vs rest",
        "rest not all seen",
        "two seen",
        "own branch",
        "missing vs rest",
        "missing vs rest not all seen",
    ],
)
def test_categories_in_words(question: Categories, said: list[str]) -> None:
    assert words(question) == said


def test_the_way_of_missing_values_is_said_on_request() -> None:
    question = region(1, 0, 1, 1, missing_branch=1)
    assert words(question, missing=True) == ["region = east", "region != east or missing"]


@pytest.mark.parametrize(
    ("value", "branch"),
    [(2.45, 0), (np.nextafter(2.45, 3), 1), (-np.inf, 0), (np.inf, 1), (None, 1)],
)
def test_the_branch_of_a_number(value: float | None, branch: int) -> None:
    question = Cut(index=0, column=numeric("x"), threshold=2.45, missing_branch=1)
    assert question.branch_of(value) == branch


def test_a_number_that_equals_a_special_code_is_a_number() -> None:
    question = Cut(index=0, column=numeric("x"), threshold=-1.5, unseen_branch=1)
    assert question.branch_of(float(UNSEEN)) == 0
    ranked = Cut(index=0, column=ordinal("x", "a", "b"), threshold=0, unseen_branch=1)
    assert ranked.branch_of(UNSEEN) == 1


def test_the_branch_of_a_category() -> None:
    question = region(0, 1, -1, 1, missing_branch=0, unseen_branch=1)
    assert [question.branch_of(code) for code in (0, 1, 2, 3, UNSEEN, None)] == [0, 1, 1, 1, 1, 0]
    divided = region(0, 1, -1, 1)
    assert [divided.branch_of(code) for code in (2, UNSEEN, None)] == [EVERY_BRANCH] * 3


def test_values_a_node_has_not_seen_follow_its_unseen_branch_silently() -> None:
    question = region(0, 1, -1, 1, unseen_branch=1)
    condition = question.condition(1)
    assert condition.barred == {0}  # and not the list of all that may come
    assert condition.text() == "region in {east, west}"
    assert question.condition(0).barred is None
    rows = [{"region": value} for value in (*REGION.values, "centre", None)]
    table = match_table(rows, schema_of(REGION), owner="Tree", by_name=True)
    assert condition.mask(table).tolist() == [False, True, True, True, True, False]
    assert question.condition(0).mask(table).tolist() == [True, *[False] * 5]


def test_a_node_costs_what_it_has_seen_of_a_wide_column() -> None:
    wide = nominal("code", *range(1_000_000))
    question = Categories(
        index=0,
        column=wide,
        codes=(7, 500, 99_999),
        branches=(0, 1, 1),
        n_branches=2,
        unseen_branch=1,
    )
    started = time.process_time()
    for _ in range(1000):
        fresh = replace(question)
        assert words(fresh) == ["code = 7", "code != 7"]
        assert fresh.condition(1).text() == "code in {500, 99999}"
        assert [fresh.branch_of(code) for code in (7, 500, 8)] == [0, 1, 1]
    assert time.process_time() - started < 1.0  # 0.015 s; 0.13 s a node when it listed the column


def test_questions_are_read_from_the_arrays() -> None:
    tree = loans()
    root = tree.question(0)
    assert isinstance(root, Cut)
    assert (root.threshold, root.n_branches, root.missing_branch) == (30_000.5, 3, 2)
    groups = tree.question(1)
    assert isinstance(groups, Categories)
    assert groups.branch_of_code == {0: 0, 1: 1, 2: 1, 3: 0}
    assert (groups.codes, groups.branches) == ((0, 1, 2, 3), (0, 1, 1, 0))
    humidity = play_tennis().question(1)
    assert isinstance(humidity, Categories)
    assert humidity.branch_of_code == {0: 0, 1: 1}
    rating = tree.question(5)
    assert isinstance(rating, Cut)
    assert rating.threshold == 1
    assert play_tennis().question(2) is None


def test_surrogates_stand_in_and_may_be_flipped() -> None:
    schema = schema_of(numeric("a"), numeric("b"), numeric("c"))
    root = cut("a", 1.0, leaf(1, 0), leaf(0, 1), surrogates=(("b", 2.0, True), ("c", 3.0, False)))
    first, second = build(schema, root, ["x", "y"]).surrogates(0)
    assert [first.branch_of(value) for value in (2.0, 2.5, None)] == [1, 0, EVERY_BRANCH]
    assert (first.text(0), first.text(1)) == ("b > 2", "b <= 2")
    assert [second.branch_of(value) for value in (3.0, 3.5)] == [0, 1]
    assert second.agreement == 0.9


def test_surrogates_may_ask_for_categories() -> None:
    schema = schema_of(numeric("a"), REGION)
    stand_in = ("region", {"south": 0, "north": 1}, False)
    root = cut("a", 1.0, leaf(1, 0), leaf(0, 1), surrogates=(stand_in,))
    (surrogate,) = build(schema, root, ["x", "y"]).surrogates(0)
    assert [surrogate.branch_of(code) for code in (0, 1, 2)] == [1, EVERY_BRANCH, 0]
    assert surrogate.text(0) == "region = south"


def test_stored_values_of_a_table() -> None:
    schema = schema_of(numeric("x"), numeric("n", "int"), *TENNIS.columns[:1])
    rows = [{"x": 1.5, "n": 3, "Outlook": "Rain"}, {"x": None, "n": None, "Outlook": None}]
    rows.append({"x": -2.0, "n": -2, "Outlook": "Snow"})
    table = match_table(rows, schema, owner="Tree", by_name=True)
    stored = [[stored_value(table, column, row) for column in range(3)] for row in range(3)]
    assert stored == [[1.5, 3, 2], [None, None, None], [-2.0, -2, UNSEEN]]


@pytest.mark.parametrize(
    ("column", "threshold", "value"),
    [
        (numeric("x"), float("inf"), float("inf")),
        (numeric("x", "int"), 2**63 - 1, 2**63 - 1),
        (ordinal("x", "a", "b"), 1, 1),
    ],
)
def test_a_cut_above_every_value_asks_whether_there_is_one(
    column, threshold: float, value: float
) -> None:
    question = Cut(index=0, column=column, threshold=threshold, missing_branch=1)
    assert question.is_open
    assert [question.text(branch) for branch in (0, 1)] == ["x is known", "x is missing"]
    assert question.branch_of(value) == 0
    assert question.branch_of(None) == 1
    assert not question.condition(1).known
