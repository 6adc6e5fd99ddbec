"""What is said about derived columns that cannot be computed, word for word.

Definitions that cannot be read: tests/unit/data/test_definitions.py.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from treewright import ID3Classifier, Schema
from treewright.errors import DataError

DAY = datetime(2024, 3, 1)
TABLE: dict[str, list[Any]] = {
    "head": ["circle", "square"],
    "body": ["circle", "circle"],
    "age": [30, 40],
    "day": [DAY, DAY],
    "wait": [timedelta(1), timedelta(2)],
    "size": ["S", "L"],
    "shoe": ["one", "two"],
}
ORDER = {"size": ["S", "L"], "shoe": ["one", "two"]}


def said(definition: str, table: Any = TABLE, **declared: Any) -> str:
    schema = Schema(order=ORDER if table is TABLE else {}, **declared).derive(definition)
    with pytest.raises(DataError) as caught:
        ID3Classifier(schema=schema).fit(table, ["a", "b"])
    assert type(caught.value) is DataError
    return str(caught.value)


def test_columns_that_are_not_there() -> None:
    assert said("d = haed == body") == (
        "derived column 'd' is made of column 'haed', which the table does not have.\n"
        "  Definition: d = haed == body\n"
        "  Columns: head, body, age, day, wait and 2 more\n"
        "  Hint: did you mean 'head'?"
    )


def test_names_that_are_taken() -> None:
    assert said("body = age + 1") == (
        "derived column 'body' has the name of a column of the table.\n"
        "  Definition: body = age + 1\n"
        "  Hint: give it another name."
    )


def test_arithmetic_of_what_has_no_numbers() -> None:
    assert said("d = head - age") == (
        "derived column 'd' cannot be computed: - needs numbers, and column 'head' is nominal.\n"
        "  Definition: d = head - age\n"
        "  Hint: Schema(kinds={'head': 'numeric'}), if it has numbers."
    )
    assert said("d = age + '5'") == (
        "derived column 'd' cannot be computed: + needs numbers, and the text '5' is no number.\n"
        "  Definition: d = age + '5'\n"
        "  Hint: leave the quotes out if it is a number or a column."
    )
    assert "* needs numbers, and column 'size' is ordinal" in said("d = age * size")


def test_kinds_that_do_not_go_together() -> None:
    assert said("d = day + day") == (
        "derived column 'd' cannot be computed: + does not go between dates (column 'day') and"
        " dates (column 'day').\n"
        "  Definition: d = day + day\n"
        "  Hint: help(Schema.derive) says what goes with what."
    )


@pytest.mark.parametrize(
    ("definition", "pair"),
    [
        ("d = wait * 2", "* does not go between durations (column 'wait') and numbers (the number"),
        ("d = day == age", "== does not go between dates (column 'day') and numbers (column 'age"),
        ("d = head != day", "!= does not go between categories (column 'head') and dates"),
        ("d = day < wait", "< does not go between dates (column 'day') and durations"),
        ("d = size < age", "< does not go between ranks (column 'size') and numbers"),
        ("d = wait - day", "- does not go between durations (column 'wait') and dates"),
    ],
)
def test_every_pair_that_does_not_go_together_is_named(definition: str, pair: str) -> None:
    assert f"derived column 'd' cannot be computed: {pair}" in said(definition)


def test_order_of_what_has_none() -> None:
    assert said("d = head < body") == (
        "derived column 'd' cannot be computed: column 'head' is nominal and has no order.\n"
        "  Definition: d = head < body\n"
        "  Hint: == and != compare nominal columns; Schema(order={...}) declares an order."
    )
    assert said("d = size < shoe") == (
        "derived column 'd' cannot be computed: column 'size' and column 'shoe' do not have one"
        " order: 'S', 'L' against 'one', 'two'.\n"
        "  Definition: d = size < shoe\n"
        "  Hint: Schema(order={...}) declares the order of a column; one must contain the other."
    )


def test_text_and_numbers_are_never_equal() -> None:
    assert said("d = head == age") == (
        "derived column 'd' cannot be computed: column 'head' is text and column 'age' is not, so"
        " they are never equal.\n"
        "  Definition: d = head == age\n"
        "  Hint: convert one of them first."
    )


def test_constants_that_a_domain_does_not_have() -> None:
    assert said("d = head == 'circel'", values={"head": ["circle", "square"]}) == (
        "derived column 'd' compares column 'head' with 'circel', which is not in its domain.\n"
        "  Definition: d = head == 'circel'\n"
        "  Domain: 'circle', 'square'\n"
        "  Hint: did you mean 'circle'?"
    )


def test_texts_that_are_no_dates() -> None:
    assert said("d = day < 'March'") == (
        "derived column 'd' cannot be computed: the text 'March' beside dates is no date.\n"
        "  Definition: d = day < 'March'\n"
        "  Hint: write it as in '2024-03-01' or '2024-03-01T12:00'."
    )


def test_dates_with_and_without_a_time_zone() -> None:
    naive = pd.Series([DAY, DAY])
    table = pd.DataFrame({"a": naive.dt.tz_localize("UTC"), "b": naive})
    assert said("d = a - b", table) == (
        "derived column 'd' cannot be computed: column 'a' has a time zone (UTC) and column 'b'"
        " has none.\n"
        "  Definition: d = a - b\n"
        "  Hint: attach a time zone to the dates, or remove it."
    )
