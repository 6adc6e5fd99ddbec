from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import (
    build,
    cut,
    leaf,
    loans,
    mean_leaf,
    numeric,
    play_tennis,
    schema_of,
)

from treewright import ID3Classifier, load_example
from treewright.errors import ColumnMismatchError, DataError

RAINY = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}


def test_the_path_of_a_row() -> None:
    explanation = play_tennis().explain(RAINY)
    assert [step.node for step in explanation.steps] == [0, 3]
    assert [step.value for step in explanation.steps] == ["Rain", "Weak"]
    assert explanation.leaves == (6,)
    assert explanation.label == "Yes"
    assert explanation.answer.tolist() == [0.0, 1.0]
    assert str(explanation) == (
        "Yes  (Yes 100.0 %)\n"
        "\n"
        "because         value  rows  No  Yes\n"
        "Outlook = Rain  Rain      5   2    3\n"
        "Wind = Weak     Weak      3   0    3  → Yes"
    )


@pytest.mark.parametrize(
    "row",
    [
        ["Rain", "Hot", "High", "Weak"],
        ("Rain", "Hot", "High", "Weak"),
        np.array(["Rain", "Hot", "High", "Weak"], dtype=object),
        [RAINY],
        {"Outlook": "Rain", "Humidity": "High", "Wind": "Weak", "Day": "D15"},
    ],
    ids=["list", "tuple", "array", "table", "without an unused column"],
)
def test_a_row_comes_in_many_forms(row: object) -> None:
    assert play_tennis().explain(row).leaves == (6,)


def test_a_row_of_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([RAINY, RAINY])
    assert play_tennis().explain(frame.iloc[0]).leaves == (6,)
    assert play_tennis().explain(frame.iloc[:1]).leaves == (6,)
    with pytest.raises(DataError, match="One row is due, but the table has 2"):
        play_tennis().explain(frame)


def test_a_row_must_have_what_the_tree_asks() -> None:
    with pytest.raises(ColumnMismatchError, match="Wind"):
        play_tennis().explain({"Outlook": "Rain", "Humidity": "High"})
    with pytest.raises(ColumnMismatchError, match="The row has 2 values, but there are 4 columns"):
        play_tennis().explain(["Rain", "Hot"])


@pytest.mark.parametrize(
    ("combine", "row", "answer"),
    [  # the five "missing-classify" examples of the lectures
        ("branch_fractions", ["Sunny", "Hot", None, "Strong"], [0.6, 0.4]),
        ("leaf_counts", ["Sunny", "Hot", None, "Strong"], [0.6, 0.4]),
        ("branch_fractions", [None, "Hot", "Normal", "Strong"], [5 / 14, 9 / 14]),
        ("leaf_counts", [None, "Hot", "Normal", "Strong"], [0.25, 0.75]),
        ("branch_fractions", [None, None, None, None], [5 / 14, 9 / 14]),
    ],
)
def test_a_missing_value_follows_every_branch(combine, row, answer) -> None:
    explanation = play_tennis(combine=combine).explain(row)
    assert explanation.answer == pytest.approx(answer)
    assert sum(explanation.fractions) == pytest.approx(1)


def test_a_divided_row_shows_every_share() -> None:
    text = str(play_tennis().explain([None, "Hot", None, "Strong"]))
    assert text == (
        "No  (No 57.1 %, Yes 42.9 %)\n"
        "\n"
        "because              value     share  rows  No  Yes\n"
        "Outlook = Sunny      missing  35.7 %     5   3    2\n"
        "  Humidity = High    missing  21.4 %     3   3    0  → No\n"
        "  Humidity = Normal  missing  14.3 %     2   0    2  → Yes\n"
        "Outlook = Overcast   missing  28.6 %     4   0    4  → Yes\n"
        "Outlook = Rain       missing  35.7 %     5   2    3\n"
        "  Wind = Strong      Strong   35.7 %     2   2    0  → No"
    )


def test_an_empty_branch_is_not_followed_by_division_but_answers_when_asked() -> None:
    tree = play_tennis(humidity_low=True)
    divided = tree.explain(["Sunny", "Hot", None, "Weak"])
    assert 6 not in divided.leaves
    asked = tree.explain(["Sunny", "Hot", "Low", "Weak"])
    assert asked.leaves == (6,)
    assert asked.answer == pytest.approx([0.6, 0.4])


def test_unseen_values_follow_the_unseen_branch() -> None:
    explanation = loans().explain([100.0, np.datetime64("2024-05-01"), "good", "centre", 1])
    assert explanation.steps[1].value == "unseen"
    assert explanation.leaves == (9,)
    assert len(play_tennis().explain(["Snow", "Hot", "High", "Weak"]).leaves) == 3


def test_unseen_values_can_be_refused() -> None:
    with pytest.raises(DataError, match="column 'Outlook', row 0 holds 'Snow'"):
        play_tennis(unseen="error").explain(["Snow", "Hot", "High", "Weak"])


def test_missing_values_with_a_branch_of_their_own() -> None:
    explanation = loans().explain([None] * 5)
    assert explanation.leaves == (3,)
    assert explanation.label == "default"
    assert "income is missing  missing" in str(explanation)


def test_missing_values_with_a_recorded_side() -> None:
    explanation = loans().explain([100.0, None, None, "east", 1])
    assert explanation.leaves == (10,)
    assert "rating <= fair" in str(explanation)


def test_dates_are_shown_as_dates() -> None:
    text = str(loans().explain([100.0, np.datetime64("2024-05-01"), "good", "north", 1]))
    assert "opened > 2024-03-01      2024-05-01" in text


def test_a_surrogate_answers_for_a_missing_value() -> None:
    schema = schema_of(numeric("a"), numeric("b"), numeric("c"))
    root = cut(
        "a",
        1.0,
        leaf(8, 0),
        leaf(0, 5),
        missing_branch=0,
        surrogates=(("b", 2.0, True), ("c", 3.0, False)),
    )
    tree = build(schema, root, ["x", "y"])
    first = tree.explain([None, 1.0, 1.0])
    assert first.label == "y"
    assert first.steps[0].stand_in == "b <= 2"
    assert "missing, but b <= 2" in str(first)
    assert tree.explain([None, None, 4.0]).steps[0].stand_in == "c > 3"
    assert tree.explain([None, None, None]).leaves == (1,)


def test_numbers_are_explained_too() -> None:
    tree = build(schema_of(numeric("x")), cut("x", 0.5, mean_leaf(3, 1.0), mean_leaf(1, 5.0)))
    assert tree.explain([0.5]).label == 1.0
    assert tree.explain([None]).label == 2.0
    assert str(tree.explain([0.7])).splitlines()[0] == "5"


def test_a_tree_that_asks_nothing() -> None:
    tree = build(schema_of(numeric("x")), leaf(1, 3), ["a", "b"])
    assert str(tree.explain([1.0])) == "b  (b 75.0 %, a 25.0 %)\n\nThe tree asks nothing."


def test_ascii() -> None:
    assert play_tennis().explain(RAINY).text(ascii=True).isascii()


@pytest.mark.parametrize("one", [lambda v: [v], lambda v: (v,), lambda v: np.array([v])])
def test_a_dict_of_lists_of_one_value_is_a_row(one: Any) -> None:
    play = load_example("play_tennis")
    tree = ID3Classifier().fit(play.X, play.y).tree_
    row = {"Outlook": one("Sunny"), "Humidity": one("High")}
    assert str(tree.explain(row)) == str(tree.explain({"Outlook": "Sunny", "Humidity": "High"}))
    assert tree.explain({"Outlook": one("Overcast")}).label == "Yes"
    with pytest.raises(DataError, match="One row is due, but the table has 2"):
        tree.explain({"Outlook": ["Overcast", "Sunny"]})
