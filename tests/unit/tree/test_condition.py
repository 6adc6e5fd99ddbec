from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from unit.tree.hand_trees import TENNIS, day, nominal, numeric, ordinal, schema_of

from treewright.data.read.table import match_table
from treewright.data.table import Table
from treewright.errors import ColumnMismatchError, DataError, ParameterError
from treewright.tree.condition import SHORT, Interval, Members, Wording, condition

AGE = numeric("age", "int")
LENGTH = numeric("petal length")
SIZE = ordinal("size", "small", "medium", "large", "huge")
LETTER = nominal("letter", *"abcdefghij")
SAYS_MISSING = Wording(missing=True)


def interval(column, low=None, high=None, **options):
    return Interval(index=0, column=column, low=low, high=high, **options)


def members(*codes: int, **options):
    return Members(index=0, column=LETTER, codes=frozenset(codes), **options)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (interval(LENGTH, high=2.45), "petal length <= 2.45"),
        (interval(LENGTH, low=2.45), "petal length > 2.45"),
        (interval(LENGTH, low=2.0, high=5.0), "2 < petal length <= 5"),
        (interval(LENGTH, low=4.0, high=5.0), "4 < petal length <= 5"),
        (interval(LENGTH), "petal length is known"),
        (interval(LENGTH, known=False, missing=True), "petal length is missing"),
        (interval(AGE, low=4, high=5), "age = 5"),
        (interval(AGE, low=3, high=5), "3 < age <= 5"),
        (interval(SIZE, high=1), "size <= medium"),
        (interval(SIZE, low=1), "size > medium"),
        (interval(SIZE, high=0), "size = small"),
        (interval(SIZE, low=2), "size = huge"),
        (interval(SIZE, low=0, high=2), "small < size <= large"),
        (interval(SIZE, low=0, high=1), "size = medium"),
    ],
)
def test_an_interval_in_words(given: Interval, words: str) -> None:
    assert given.text() == words


def test_dates_are_said_as_dates() -> None:
    opened = numeric("opened", "datetime", unit="ns")
    given = interval(opened, low=day("2024-03-01"), high=day("2024-06-30"))
    assert given.text() == "2024-03-01 < opened <= 2024-06-30"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (members(2), "letter = c"),
        (members(2, 0), "letter in {a, c}"),
        (members(0, 1, 2, 3, 4), "letter in {a, b, c, d, e}"),
        (members(*range(9)), "letter != j"),
        (members(*range(7)), "letter not in {h, i, j}"),
        (members(*range(10)), "letter is known"),
        (members(), "letter in {}"),
        (members(missing=True), "letter is missing"),
        (members(unseen=True), "letter is unknown to training"),
        (members(0, strays=frozenset([1])), "letter = a"),
        (members(strays=frozenset([1])), "letter = b"),
        (members(0, barred=frozenset([1])), "letter = a"),
        (members(barred=frozenset(range(1, 10))), "letter = a"),
        (members(barred=frozenset([1])), "letter != b"),
        (members(*range(6), barred=frozenset([8, 9])), "letter not in {i, j}"),
        (members(0, barred=frozenset()), "letter is known"),
    ],
)
def test_a_set_of_values_in_words(given: Members, words: str) -> None:
    assert given.text() == words


def test_only_on_request_it_is_said_that_missing_values_qualify() -> None:
    assert interval(LENGTH, high=1.5, missing=True).text() == "petal length <= 1.5"
    assert interval(LENGTH, high=1.5, missing=True).text(SAYS_MISSING).endswith("1.5 or missing")
    assert members(0, missing=True).text(SAYS_MISSING) == "letter = a or missing"
    assert members(0).text(SAYS_MISSING) == "letter = a"


def test_long_lists_and_long_names_are_shortened_with_a_count() -> None:
    wide = nominal("w" * 100, *(f"value {i}" for i in range(40)))
    given = Members(index=0, column=wide, codes=frozenset(range(12)))
    words = given.text(SHORT)
    assert words == f"{'w' * 59}… in {{value 0, value 1, value 2, value 3, value 4, … 7 more}}"
    assert given.text(dataclasses.replace(SHORT, ascii=True)).isascii()
    assert given.text().count("value") == 12


def test_nothing_in_a_name_or_value_breaks_the_line() -> None:
    column = nominal("line\nbreak", "tab\there", " padded ", "", "a, b")
    words = Members(index=0, column=column, codes=frozenset(range(3))).text()
    assert words == r"line\nbreak in {tab\there, ' padded ', ''}"
    assert Members(index=0, column=column, codes=frozenset([3])).text().endswith("= 'a, b'")


def test_intervals_intersect() -> None:
    both = interval(LENGTH, low=2.0).intersect(interval(LENGTH, low=1.0, high=5.0))
    assert both == interval(LENGTH, low=2.0, high=5.0)
    tighter = both.intersect(interval(LENGTH, high=3.0, missing=True))
    assert tighter == interval(LENGTH, low=2.0, high=3.0)


def test_sets_intersect_and_keep_track_of_strays() -> None:
    parent = members(0, 1, 2)
    child = members(1, strays=frozenset([2, 5]))
    assert parent.intersect(child) == members(1, strays=frozenset([2]))


def test_sets_that_bar_a_few_values_intersect() -> None:
    most = members(0, 1, barred=frozenset([2]))
    assert most.intersect(members(1, barred=frozenset([0, 3]))) == members(
        1, barred=frozenset([0, 2, 3])
    )
    listed = members(1, 2, strays=frozenset([0, 5]))
    both = members(1, strays=frozenset([0, 5]))
    assert most.intersect(listed) == listed.intersect(most) == both


def test_an_interval_and_a_set_of_ordinal_values_intersect() -> None:
    some = Members(index=0, column=SIZE, codes=frozenset([0, 1, 3]), missing=True)
    both = some.intersect(interval(SIZE, low=0, missing=True))
    assert both.text(SAYS_MISSING) == "size in {medium, huge} or missing"
    assert interval(SIZE, low=0, missing=True).intersect(some) == both
    assert not some.intersect(interval(SIZE, known=False)).codes


def test_bounds_are_compared_exactly_with_float32() -> None:
    threshold = float(np.float32(0.1)) - 1e-12  # rounds to the same float32
    values = np.array([0.1, np.nan], dtype=np.float32)
    schema = schema_of(LENGTH)
    table = Table(schema=schema, n_rows=2, columns=[values], masks=[None])
    assert interval(LENGTH, high=threshold).mask(table).tolist() == [False, False]
    assert interval(LENGTH, low=threshold, missing=True).mask(table).tolist() == [True, True]


def test_which_rows_qualify() -> None:
    schema = schema_of(AGE, SIZE, nominal("letter", "a", "b", "c"))
    rows = [
        {"age": 30, "size": "small", "letter": "a"},
        {"age": None, "size": None, "letter": None},
        {"age": 50, "size": "huge", "letter": "z"},
    ]
    table = match_table(rows, schema, owner="Tree", by_name=True)
    age = Interval(index=0, column=AGE, low=30)
    assert age.mask(table).tolist() == [False, False, True]
    missing = Interval(index=0, column=AGE, known=False, missing=True)
    assert missing.mask(table).tolist() == [False, True, False]
    size = Interval(index=1, column=SIZE, high=1, missing=True)
    assert size.mask(table).tolist() == [True, True, False]
    letter = Members(index=2, column=schema.columns[2], codes=frozenset([1]), unseen=True)
    assert letter.mask(table).tolist() == [False, False, True]


def test_conditions_built_by_hand() -> None:
    schema = schema_of(LENGTH, SIZE, *TENNIS.columns)
    assert condition(schema, "petal length", "<=", 2.45).text() == "petal length <= 2.45"
    assert condition(schema, "petal length", ">", 2).text() == "petal length > 2"
    assert condition(schema, "size", ">", "medium").text() == "size > medium"
    assert condition(schema, "size", "<=", "medium").text() == "size <= medium"
    assert condition(schema, "Outlook", "=", "Rain").text() == "Outlook = Rain"
    assert condition(schema, "Outlook", "!=", "Rain").text() == "Outlook in {Sunny, Overcast}"
    assert condition(schema, "Outlook", "in", ["Rain"]).text() == "Outlook = Rain"
    assert condition(schema, "Outlook", "in", np.array(["Rain"])).text() == "Outlook = Rain"
    assert condition(schema, "petal length", "<=", np.float32(2.5)).text() == "petal length <= 2.5"
    assert condition(schema, "petal length", ">", np.int64(2)).text() == "petal length > 2"


@pytest.mark.parametrize(
    ("column", "test", "value", "error", "words"),
    [
        ("Out", "=", "Rain", ColumnMismatchError, "no column 'Out'"),
        ("Outlook", "=", "Snow", DataError, "'Snow' is not a value of column 'Outlook'"),
        ("Outlook", "<=", "Rain", ParameterError, "no condition on a nominal column"),
        ("petal length", "=", 2.0, ParameterError, "use '<=' or '>' with a number"),
        ("petal length", "<=", math.nan, ParameterError, "use '<=' or '>' with a number"),
        ("petal length", "<=", True, ParameterError, "use '<=' or '>' with a number"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(column, test, value, error, words) -> None:
    with pytest.raises(error, match=words):
        condition(schema_of(LENGTH, *TENNIS.columns), column, test, value)
