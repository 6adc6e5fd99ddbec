from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from unit.compare.test_diff import lines_of
from unit.tree.hand_trees import (
    build,
    categories,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)
from unit.tree.test_several_cuts_and_sums import intervals, sums
from unit.tree.test_tree import two_output_tree

from treewright import DecisionTreeClassifier, ID3Classifier, Schema, load_example
from treewright.consult.dialogue import read_entry
from treewright.data.fitted_schema import ColumnSpec
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    ParameterError,
    TreewrightError,
    UnsupportedError,
)
from treewright.tree.tree import Tree


def answered(consultation, *values) -> list[str]:
    """Answer questions in order; the columns asked about."""
    asked = []
    for value in values:
        asked.append(consultation.question.column)
        consultation.answer(value)
    return asked


def test_one_question_after_the_other() -> None:
    consultation = play_tennis().consult()
    question = consultation.question
    assert (question.column, question.cost, question.share) == ("Outlook", 1, 1)
    assert question.choices == ("Sunny", "Overcast", "Rain")
    assert question.expects == "Sunny, Overcast or Rain"
    assert question.why == (
        "to choose among Outlook = Sunny, Outlook = Overcast and Outlook = Rain"
    )
    assert not consultation.is_settled
    consultation.answer("Sunny")
    assert str(consultation.question) == (
        "Humidity: High, Normal or Low?  (to tell Humidity = High from Humidity = Normal)"
    )
    consultation.answer("Normal")
    assert consultation.is_settled
    assert consultation.question is None
    assert consultation.label == "Yes"
    assert consultation.probabilities.tolist() == [0.0, 1.0]
    assert consultation.known == {"Outlook": "Sunny", "Humidity": "Normal"}
    assert [reply.column for reply in consultation.asked] == ["Outlook", "Humidity"]
    assert consultation.cost_so_far == 2
    assert repr(consultation) == "<Consultation: 2 answers, settled>"


def test_it_stops_as_soon_as_the_class_is_settled() -> None:
    consultation = tree_all_yes_below().consult()
    consultation.answer("Sunny")
    assert consultation.is_settled
    assert consultation.label == "Yes"
    # Of the rest nothing is known: the probabilities of a row without it.
    assert consultation.probabilities.tolist() == pytest.approx([0.2, 0.8])


def tree_all_yes_below() -> Tree:
    schema = schema_of(nominal("Outlook", "Sunny", "Rain"), nominal("Wind", "Weak", "Strong"))
    sunny = categories("Wind", (["Weak"], leaf(0, 2)), (["Strong"], leaf(1, 2)))
    root = categories("Outlook", (["Sunny"], sunny), (["Rain"], leaf(4, 0)))
    return build(schema, root, ["No", "Yes"])


def test_what_is_known_beforehand_is_not_asked() -> None:
    consultation = play_tennis().consult(known={"Wind": "Strong", "Outlook": "Rain"})
    assert consultation.is_settled
    assert consultation.label == "No"
    assert (consultation.asked, consultation.cost_so_far) == ((), 0)
    assert str(consultation) == (
        "No  (No 100.0 %), settled at a cost of 0.\n"
        "\n"
        "Known: Wind = Strong, Outlook = Rain.\n"
        "\n"
        "Not needed: Temperature, Humidity."
    )


def test_what_is_known_cuts_branches_far_below() -> None:
    consultation = play_tennis().consult(known={"Humidity": "Normal", "Wind": "Weak"})
    assert consultation.is_settled  # whatever the outlook
    assert consultation.label == "Yes"


def test_an_unknown_value_opens_every_branch_and_the_cheapest_comes_first() -> None:
    consultation = play_tennis().consult(costs={"Humidity": 3, "Wind": 2})
    assert answered(consultation, None, "Strong", "High") == ["Outlook", "Wind", "Humidity"]
    assert consultation.probabilities.tolist() == pytest.approx([10 / 14, 4 / 14])
    assert consultation.label == "No"
    assert consultation.cost_so_far == 5  # finding out nothing costs nothing
    assert str(consultation).splitlines()[2:] == [
        "asked     answer   cost",
        "Outlook   unknown     0",
        "Wind      Strong      2",
        "Humidity  High        3",
        "",
        "Not needed: Temperature.",
    ]


def test_of_equally_cheap_columns_the_one_that_more_waits_for() -> None:
    schema = schema_of(nominal("c", "u", "v"), numeric("x"), numeric("y"))
    root = categories(
        "c",
        (["u"], cut("x", 1.0, leaf(1, 0), leaf(0, 1))),
        (["v"], cut("y", 1.0, leaf(5, 0), leaf(0, 3))),
    )
    consultation = build(schema, root, "ab").consult(known={"c": None})
    assert consultation.question.column == "y"
    assert consultation.question.share == pytest.approx(0.8)
    assert consultation.question.why == "to tell y <= 1 from y > 1, for 80.0 % of the row"
    cheaper = build(schema, root, "ab").consult(known={"c": None}, costs={"x": 0.5})
    assert cheaper.question.column == "x"
    assert str(cheaper.question).endswith("for 20.0 % of the row, cost 0.5)")


def test_costs_come_from_the_schema() -> None:
    X = {"c": ["u", "v"] * 4, "x": [0.0, 1.0] * 4}
    schema = Schema(costs={"c": 4, "x": 4})
    tree = DecisionTreeClassifier(schema=schema).fit(X, [0, 1] * 4).tree_
    consultation = tree.consult()
    assert consultation.question.cost == 4


def test_a_branch_for_missing_values_is_followed() -> None:
    consultation = loans().consult(known={"income": None})
    assert consultation.is_settled
    assert consultation.probabilities.tolist() == [0.5, 0.5]


def test_nothing_is_asked_for_a_branch_without_rows() -> None:
    schema = schema_of(nominal("c", "u", "v"), numeric("x"), numeric("y"))
    empty = cut("x", 1.0, leaf(0, 0), leaf(0, 0))
    seen = cut("y", 1.0, leaf(1, 0), leaf(0, 3))
    tree = build(schema, categories("c", (["u"], seen), (["v"], empty)), "ab")
    consultation = tree.consult(known={"c": None}, costs={"x": 0.1})
    assert answered(consultation, 0.0) == ["y"]
    assert consultation.is_settled


def test_a_value_that_training_did_not_know() -> None:
    tree = play_tennis()
    consultation = tree.consult(known={"Outlook": "Fog"})
    assert answered(consultation, "High", "Strong") == ["Humidity", "Wind"]
    row = {"Outlook": "Fog", "Temperature": None, "Humidity": "High", "Wind": "Strong"}
    assert consultation.probabilities.tolist() == tree.predict_proba([row])[0].tolist()


def test_a_tree_that_refuses_such_values() -> None:
    consultation = play_tennis(unseen="error").consult()
    with pytest.raises(DataError, match="'Fog', which was not there at fit"):
        consultation.answer("Fog")
    assert consultation.question.column == "Outlook"
    assert consultation.asked == ()


def test_stand_ins_are_asked_for() -> None:
    schema = schema_of(numeric("x"), numeric("y"), numeric("z"))
    stand_ins = (("y", 2.0, False), ("z", 5.0, True))
    tree = build(schema, cut("x", 1.0, leaf(3, 0), leaf(0, 5), surrogates=stand_ins), "ab")
    consultation = tree.consult()
    assert answered(consultation, None) == ["x"]
    assert consultation.question.why == "to tell y <= 2 from y > 2, in place of x"
    assert answered(consultation, float("nan"), 9.0) == ["y", "z"]
    assert consultation.label == "a"
    assert [reply.value for reply in consultation.asked] == [None, None, 9.0]
    known = tree.consult(known={"x": 0.0})
    assert known.is_settled  # and no stand-in is asked for


def test_all_terms_of_a_sum_are_asked_for_the_cheapest_first() -> None:
    tree = sums(("u", 2.0), ("v", 1.0), threshold=3.0)
    consultation = tree.consult(costs={"u": 5})
    assert consultation.question.why == "to tell 2*u + v <= 3 from 2*u + v > 3"
    assert answered(consultation, 1.0, 1.5) == ["v", "u"]
    assert consultation.label == "b"
    gap = tree.consult(costs={"u": 5})
    assert answered(gap, None) == ["v"]  # a sum with a gap is missing, whatever u is
    assert gap.is_settled
    assert gap.probabilities.tolist() == [3 / 8, 5 / 8]


def test_several_cuts() -> None:
    consultation = intervals(numeric("x"), [1.0, 2.0, 3.0, 4.0]).consult()
    assert consultation.question.expects == "a number"
    assert consultation.question.why == "to choose one of 5 branches"
    consultation.answer(2.5)
    assert consultation.label == "c"


def test_columns_that_a_derived_one_is_made_of() -> None:
    X = {"a": [1, 2, 3, 4], "b": [1, 1, 4, 4]}
    schema = Schema(derived=["same = a == b"], ignore=["a", "b"])
    tree = DecisionTreeClassifier(schema=schema).fit(X, ["y", "n", "n", "y"]).tree_
    consultation = tree.consult(costs={"a": 2})
    assert answered(consultation, 7, 7) == ["b", "a"]
    assert consultation.label == "y"
    assert consultation.cost_so_far == 3
    with pytest.raises(ColumnMismatchError, match="there is no column 'same' to ask for"):
        tree.consult(costs={"same": 1})


def test_numbers_are_settled_within_a_tolerance() -> None:
    below = cut("y", 1.0, mean_leaf(2, 10.0), mean_leaf(2, 10.5))
    tree = build(schema_of(numeric("x"), numeric("y")), cut("x", 1.0, below, mean_leaf(4, 20.0)))
    consultation = tree.consult(tolerance=0.5)
    consultation.answer(0.0)
    assert consultation.is_settled
    assert consultation.label == 10.25
    exact = tree.consult()
    exact.answer(0.0)
    assert exact.question.column == "y"
    with pytest.raises(UnsupportedError, match="predicts numbers and has no class prob"):
        _ = exact.probabilities
    assert str(exact).startswith("So far 10.25, not settled; cost until now 1.")


def test_a_range_that_the_row_cannot_reach_does_not_count() -> None:
    # Below y, x is known: only 10 and 10.5 are left, though the leaves there span 10 to 30.
    inner = cut("x", 0.0, mean_leaf(2, 10.0), mean_leaf(2, 30.0))
    tree = build(schema_of(numeric("x"), numeric("y")), cut("y", 1.0, inner, mean_leaf(2, 10.5)))
    assert tree.consult(known={"x": -1.0}, tolerance=1.0).is_settled
    assert not tree.consult(known={"x": 1.0}, tolerance=1.0).is_settled


def test_the_numbers_of_a_linear_model_are_asked_for() -> None:
    tree = lines_of(3.0)
    consultation = tree.consult(costs={"x": 2})
    assert answered(consultation, 1.0) == ["z"]
    assert consultation.question.why.startswith("to work out 100 + 2*x + 3*y")
    assert answered(consultation, 5.0) == ["y"]
    assert not consultation.is_settled
    assert answered(consultation, 1.5) == ["x"]
    assert consultation.label == tree.predict([{"x": 1.5, "y": 5.0, "z": 1.0}])[0]
    gap = tree.consult(known={"z": 1.0, "x": 0.0})
    assert answered(gap, None) == ["y"]  # what stands in for it was fixed in training
    assert gap.label == tree.predict([{"x": 0.0, "y": None, "z": 1.0}])[0]


def test_limits_of_a_linear_model_bound_the_answer() -> None:
    tree = lines_of(3.0)
    limits = np.array([[0.0, 0.0], [-3.0, 3.0], [100.0, 110.0]])
    linear = dataclasses.replace(tree.linear, limits=limits)
    kept = tree.with_arrays(tree.arrays, linear=linear)
    assert kept.consult(known={"z": 1.0}, tolerance=10.0).is_settled
    assert not kept.consult(known={"z": 1.0}, tolerance=9.0).is_settled
    assert not kept.consult(tolerance=10.0).is_settled


def test_several_outputs() -> None:
    consultation = two_output_tree().consult()
    consultation.answer(0.5)
    assert consultation.label == ("no", 10)
    assert [part.tolist() for part in consultation.probabilities] == [[0.75, 0.25], [1.0, 0.0]]


def test_a_lone_leaf_asks_nothing() -> None:
    consultation = build(schema_of(numeric("x")), leaf(1, 2), "ab").consult()
    assert consultation.is_settled
    assert consultation.label == "b"
    with pytest.raises(TreewrightError, match="The answer is settled"):
        consultation.answer(1.0)


def test_columns_without_names() -> None:
    tree = DecisionTreeClassifier().fit(np.array([[0.0, 1.0], [0.0, 2.0]]), [0, 1]).tree_
    consultation = tree.consult()
    assert consultation.question.column == "x1"
    consultation.answer(5.0)
    assert consultation.label == 1


def test_taking_answers_back() -> None:
    consultation = play_tennis().consult()
    answered(consultation, "Rain", "Weak")
    consultation.undo()
    assert consultation.question.column == "Wind"
    assert consultation.cost_so_far == 1
    consultation.answer("Strong")
    assert consultation.label == "No"
    consultation.undo()
    consultation.undo()
    with pytest.raises(TreewrightError, match="there is nothing to take back"):
        consultation.undo()


def test_a_bad_value_leaves_the_question_open() -> None:
    consultation = loans().consult()
    with pytest.raises(DataError, match="'income' was fitted on numbers"):
        consultation.answer("much")
    assert consultation.question.column == "income"
    assert consultation.asked == ()
    tennis = load_example("play_tennis")
    tree = ID3Classifier().fit(tennis.X, tennis.y).tree_
    for ask in (tree.consult().answer, lambda value: tree.consult(known={"Outlook": value})):
        with pytest.raises(DataError, match=r"'Outlook' was fitted on text, and 3 is a number"):
            ask(3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"costs": {"Outlok": 1}}, ColumnMismatchError, "did you mean 'Outlook'?"),
        ({"known": {"Day": 1}}, ColumnMismatchError, "there is no column 'Day' to ask for."),
        ({"costs": {"Wind": -1}}, ParameterError, "costs['Wind']=-1 must be at least 0."),
        ({"costs": {"Wind": "a"}}, ParameterError, "costs['Wind']='a' must be a number."),
        ({"costs": [1]}, ParameterError, "costs=[1] must be a dict of column to price."),
        ({"known": "Wind"}, ParameterError, "known='Wind' must be a dict of column to value."),
        ({"ask": "Wind?"}, ParameterError, "ask='Wind?' must be a function."),
        ({"ask": len, "tell": 3}, ParameterError, "tell=3 must be a function."),
        ({"ask": len}, ParameterError, ", but what is typed is text."),
        ({"tolerance": 0.1}, UnsupportedError, "tolerance=0.1 is for trees that predict numbers"),
        ({"tolerance": -1}, ParameterError, "tolerance=-1 must be at least 0."),
    ],
)
def test_bad_parameters(options, error, message: str) -> None:
    with pytest.raises(error) as raised:
        play_tennis().consult(**options)
    assert message in str(raised.value)


def test_a_deep_tree() -> None:
    consultation = chain(20_000).consult()
    consultation.answer(None)
    assert consultation.is_settled
    consultation.undo()
    consultation.answer(19_999.5)
    assert consultation.label == "even"


class Person:
    """Somebody who types what a script says."""

    def __init__(self, *entries: str) -> None:
        self.entries = list(entries)
        self.heard: list[str] = []

    def __call__(self, text: str) -> str:
        self.heard.append(text)
        if not self.entries:
            raise EOFError
        return self.entries.pop(0)


def test_a_conversation() -> None:
    person, told = Person("fog", "rain", "<", "RAIN ", "?"), []
    consultation = play_tennis().consult(ask=person, tell=told.append)
    assert person.heard[0] == (
        "Outlook: Sunny, Overcast or Rain?  "
        "(to choose among Outlook = Sunny, Outlook = Overcast and Outlook = Rain)\n> "
    )
    assert person.heard[1].startswith(
        "'fog' is no value of 'Outlook', which has Sunny, Overcast, Rain.\nOutlook: "
    )
    assert [text.split(":")[0] for text in person.heard[2:]] == ["Wind", "Outlook", "Wind"]
    assert consultation.known == {"Outlook": "Rain", "Wind": None}
    assert told == [consultation.text()]
    assert told[0].startswith("Yes  (Yes 60.0 %, No 40.0 %), settled at a cost of 1.")


def test_the_end_of_the_input_ends_the_conversation() -> None:
    told: list[str] = []
    consultation = play_tennis().consult(ask=Person("Sunny"), tell=told.append)
    assert not consultation.is_settled
    assert told[0].startswith("So far No  (No 60.0 %, Yes 40.0 %), not settled; cost until now 1.")


def test_going_back_from_the_first_question() -> None:
    person = Person("<", "overcast")
    assert play_tennis().consult(ask=person, tell=print).label == "Yes"
    assert person.heard[1].startswith("No question has been answered")


@pytest.mark.parametrize(
    ("column", "entry", "value"),
    [
        (nominal("c", "Yes", "No"), "yes", "Yes"),
        (nominal("c", "Yes", "No"), "2", "No"),
        (nominal("c", "3", "2"), "2", "2"),  # a value comes before its place
        (nominal("c", "?", "a"), "?", "?"),
        (nominal("c", 1, 2), "1", 1),
        (nominal("c", True, False), "true", True),
        (nominal("c", "a", "A"), "A", "A"),
        (nominal("c", "a", "b"), "", None),
        (numeric("x"), " 1.5 ", 1.5),
        (numeric("x"), "inf", np.inf),
        (numeric("n", "int"), "12345678901234567", 12345678901234567),
        (numeric("n", "int"), "1.5", 1.5),
        (numeric("n", "int"), "?", None),
        (numeric("t", "datetime", unit="ns"), "2024-03-01", np.datetime64("2024-03-01")),
        (numeric("d", "duration", unit="ns"), "3 days 12:30:05.5",
         timedelta(days=3, hours=12, minutes=30, seconds=5.5)),
        (numeric("d", "duration", unit="ns"), "-1 day", -timedelta(days=1)),
        (numeric("d", "duration", unit="ns"), "0:30", timedelta(minutes=30)),
        (
            numeric("t", "datetime", unit="us", time_zone="Europe/Berlin"),
            "2024-03-01T12:00",
            datetime(2024, 3, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")),
        ),
    ],
)  # fmt: skip
def test_typed_entries(column: ColumnSpec, entry: str, value: object) -> None:
    assert read_entry(column, entry) == value
    assert type(read_entry(column, entry)) is type(value)


@pytest.mark.parametrize(
    ("column", "entry", "message"),
    [
        (nominal("c", "a", "A"), "aa", "'aa' is no value of 'c', which has a, A."),
        (nominal("c", "Weak", "Strong"), "strog", "did you mean 'Strong'?"),
        (nominal("c", "a", "b"), "3", "'3' is no value"),
        (numeric("x"), "1,5", "'1,5' is not a number."),
        (numeric("t", "datetime", unit="ns"), "soon", "'soon' is not a date such as 2024-03-01"),
        (numeric("d", "duration", unit="ns"), "soon", "'soon' is not a duration such as 3 days"),
        (numeric("d", "duration", unit="ns"), "-", "'-' is not a duration"),
        (numeric("t", "datetime", unit="us", time_zone="Mars"), "2024-03-01", "has no time zone"),
    ],
)
def test_entries_that_mean_nothing(column: ColumnSpec, entry: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        read_entry(column, entry)
    assert message in str(raised.value)


def test_what_is_read_is_what_the_column_says() -> None:
    day = numeric("d", "duration", unit="ns")
    stored = int(np.timedelta64(timedelta(days=3, hours=4, seconds=5)) / np.timedelta64(1, "ns"))
    assert read_entry(day, day.format(stored)) == timedelta(days=3, hours=4, seconds=5)
