"""Definitions of derived columns: what is read, and that an error points at the place."""

import pytest

from treewright.data.definitions import (
    ColumnName,
    Constant,
    Definition,
    inputs_of,
    parse_definition,
    read_definitions,
)
from treewright.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("same_shape = head == body", ("same_shape", "head", "==", "body")),
        ("d=a-b", ("d", "a", "-", "b")),
        ("  d  =  a<=b\t", ("d", "a", "<=", "b")),
        ("größe.x2 = länge * breite", ("größe.x2", "länge", "*", "breite")),
        ("`a b` = `x = y` != `it``s`", ("a b", "x = y", "!=", "it`s")),
        ("d = `` / a", ("d", "", "/", "a")),
    ],
)
def test_names_are_read_plain_and_in_backticks(text: str, expected: tuple[str, ...]) -> None:
    name, left, sign, right = expected
    assert parse_definition(text) == Definition(
        name=name, left=ColumnName(left), operator=sign, right=ColumnName(right)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("18446744073709551615", 2**64 - 1),
        ("7.", 7.0),
        ("1.5e-3", 0.0015),
        ("2e3", 2000.0),
        ("'sword'", "sword"),
        ('"it\'s"', "it's"),
        ("'it''s'", "it's"),
        ("''", ""),
    ],
)
@pytest.mark.parametrize("form", ["d = a == {}", "d = a =={}", "d = {} == a"])
def test_a_constant_stands_on_either_side(text: str, expected: object, form: str) -> None:
    definition = parse_definition(form.format(text))
    constant = definition.left if form.startswith("d = {}") else definition.right
    assert isinstance(constant, Constant)
    assert constant.value == expected
    assert type(constant.value) is type(expected)
    assert definition.columns == ("a",)


def test_a_sign_after_an_operand_is_an_operator() -> None:
    assert parse_definition("d = a -3") == parse_definition("d = a - 3")
    assert parse_definition("d = a - -3").right == Constant(-3)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", 1, "the name of the new column"),
        ("= a + b", 1, "the name of the new column"),
        ("`` = a + b", 1, "a name that is not empty"),
        ("d", 2, "= after the name"),
        ("a == b", 3, "= after the name"),
        ("body mass = a + b", 6, "= after the name"),
        ("d = ", 5, "the name of a column, a number or a quoted text"),
        ("d = a ** b", 8, "the name of a column, a number or a quoted text"),
        ("d = `a + b", 5, "a second ` that closes this one"),
        ("d = a == 'b", 10, "a second ' that closes this one"),
        ('d = a == "b', 10, 'a second " that closes this one'),
        ("d = a", 6, "an operator (==, !=, <=, >=, <, >, +, -, *, /)"),
        ("d = a = b", 7, "an operator (==, !=, <=, >=, <, >, +, -, *, /)"),
        ("d = body mass + b", 10, "an operator (==, !=, <=, >=, <, >, +, -, *, /)"),
        ("d = a + b + c", 11, "the end"),
        ("d = a + 5x", 10, "the end"),
        ("d = 1 + 2", 9, "the name of a column, as the other operand has none"),
        ("d = a + 1e999", 9, "a smaller number"),
        ("d = a + " + "9" * 5000, 9, "a smaller number"),
    ],
)
def test_an_error_points_at_the_place(text: str, place: int, expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_definition(text)
    first, shown, arrow, hint = str(caught.value).splitlines()
    assert first == (
        f"the definition of a derived column is wrong at character {place}: expected {expected}."
    )
    assert shown.strip() in text
    assert arrow == " " * (4 + place - 1) + "^"
    assert hint.startswith("  Hint: ")


def test_hints_say_what_was_probably_meant() -> None:
    def hint(text: str) -> str:
        with pytest.raises(ParameterError) as caught:
            parse_definition(text)
        return str(caught.value).partition("Hint: ")[2]

    assert hint("d = a = b") == "== compares."
    assert hint("d = a + b + c") == (
        "derive the first part under a name of its own, and use that name."
    )
    assert "in backticks" in hint("d = body mass + b")
    assert hint("d = a") == "'same_shape = head == body' is a definition."


def test_a_long_definition_is_shown_around_the_place() -> None:
    text = "d = " + "a" * 200 + " ~ " + "b" * 200 + "\n"
    with pytest.raises(ParameterError) as caught:
        parse_definition(text)
    _, shown, arrow, _ = str(caught.value).splitlines()
    assert shown[arrow.index("^")] == "~"
    assert len(shown) < 110


@pytest.mark.parametrize(
    ("derived", "message"),
    [
        ("d = a + b", r"derived='d = a \+ b' must be a list of definitions.\n  Hint: derived=\["),
        ([3], r"3 is no definition of a derived column; it must be text."),
        (["d = a + b", "d = a - b"], r"derived column 'd' is defined twice.\n  First:  d = a \+ b"),
        (["d = d + b"], r"derived column 'd' is defined by itself.\n  Definition: d = d \+ b\n"),
        (["d = e + b", "e = a + b"], r"'d' is defined by 'e', which is defined after it"),
    ],
)
def test_definitions_that_do_not_go_together_are_refused(derived: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_definitions(derived)  # type: ignore[arg-type]


def test_inputs_are_followed_through_derived_columns() -> None:
    definitions = read_definitions(["s = a + b", "t = s * c", "u = t / s", "v = a == 3"])
    assert inputs_of(definitions) == {
        "s": ("a", "b"),
        "t": ("a", "b", "c"),
        "u": ("a", "b", "c"),
        "v": ("a",),
    }
