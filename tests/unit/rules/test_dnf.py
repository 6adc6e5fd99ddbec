from __future__ import annotations

import pytest
from unit.tree.hand_trees import (
    TENNIS,
    build,
    chain,
    leaf,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright.errors import ParameterError
from treewright.rules.dnf import DNF

ROWS = [
    {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"},
    {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Weak"},
    {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"},
    {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"},
    {"Outlook": None, "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"},
]


def test_the_formula_of_the_lectures() -> None:
    assert str(play_tennis().dnf("Yes")) == (
        "(Outlook = Sunny and Humidity = Normal) or (Outlook = Overcast) "
        "or (Outlook = Rain and Wind = Weak)"
    )


def test_it_is_true_of_the_rows_of_its_class() -> None:
    tree = play_tennis()
    assert tree.dnf("Yes").evaluate(ROWS).tolist() == [False, True, True, False, False]
    assert tree.dnf("No").evaluate(ROWS).tolist() == [True, False, False, True, False]


def test_always_and_never() -> None:
    tree = build(TENNIS, leaf(5, 9), ["No", "Yes"])
    assert str(tree.dnf("Yes")) == "true"
    assert str(tree.dnf("No")) == "false"
    assert tree.dnf("Yes").evaluate(ROWS).all()
    assert not tree.dnf("No").evaluate(ROWS).any()


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="label='Maybe' is none of the classes"):
        play_tennis().dnf("Maybe")


def test_a_formula_written_by_hand() -> None:
    schema = schema_of(
        nominal("neck", "tie", "bow", "nothing"),
        nominal("smile", "yes", "no"),
        nominal("body", "triangle", "circle", "square"),
        numeric("height"),
    )
    ally = DNF.of(
        schema,
        [
            [("neck", "=", "tie"), ("smile", "=", "yes")],
            [("neck", "!=", "tie"), ("body", "=", "triangle"), ("height", "<=", 1.5)],
        ],
        label="ally",
    )
    assert str(ally) == (
        "(neck = tie and smile = yes) "
        "or (neck in {bow, nothing} and body = triangle and height <= 1.5)"
    )
    rows = [
        {"neck": "tie", "smile": "yes", "body": "circle", "height": 2.0},
        {"neck": "bow", "smile": "no", "body": "triangle", "height": 1.5},
        {"neck": "bow", "smile": "no", "body": "triangle", "height": 1.6},
        {"neck": None, "smile": "yes", "body": "triangle", "height": 1.0},
    ]
    assert ally.evaluate(rows).tolist() == [True, True, False, False]


def test_a_deep_chain() -> None:
    formula = chain(20_000).dnf("odd")
    assert len(formula.terms) == 10_000
    assert formula.text().startswith("(0 < x <= 1) or (2 < x <= 3)")
