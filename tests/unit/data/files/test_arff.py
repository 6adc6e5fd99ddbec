"""ARFF: declared domains, quotes and escapes, sparse rows, weights, dates."""

from pathlib import Path

import numpy as np
import pytest

from treewright.data.files.any_file import read
from treewright.data.files.arff import read_arff
from treewright.data.frame import Frame
from treewright.errors import FileFormatError

HEAD = "@relation t\n@attribute n numeric\n@attribute c {a, b, 'c d'}\n@data\n"


def arff(text: str) -> Frame:
    return read_arff(text, source="t.arff")


def test_a_file_is_read_with_its_domains(tmp_path: Path) -> None:
    path = tmp_path / "weather.arff"
    path.write_text(
        "% a comment\n@RELATION 'my weather'\n\n"
        "@ATTRIBUTE outlook {sunny, 'partly cloudy', rainy}\n"
        '@Attribute "degrees F" REAL\n'
        "@attribute humidity INTEGER\n@attribute note string\n@attribute windy{TRUE,FALSE}\n"
        "@DATA\n% another\nsunny,85.5,80,'it''s' ,FALSE\n".replace("'it''s' ", "'it\\'s'")
        + "'partly cloudy', ?, ?, ?, TRUE\n?,70,90,'?',?\n"
    )
    frame = read(path)
    assert frame.columns == ("outlook", "degrees F", "humidity", "note", "windy")
    assert frame.schema.values == {
        "outlook": ("sunny", "partly cloudy", "rainy"),
        "windy": ("TRUE", "FALSE"),
    }
    assert frame["outlook"].tolist() == ["sunny", "partly cloudy", None]
    np.testing.assert_array_equal(frame["degrees F"], [85.5, np.nan, 70])
    assert frame["humidity"].tolist() == [80, None, 90]
    assert frame["note"].tolist() == ["it's", None, "?"]
    assert frame["windy"].tolist() == ["FALSE", "TRUE", None]


def test_escapes_are_undone() -> None:
    frame = arff(
        "@relation t\n"
        "@attribute 'it\\'s, \"x\"' {'a,b', \"c\\\"d\", 'tab\\there', '\\u00e4', '%'}\n"
        "@data\n'a,b'\n\"c\\\"d\"\n'tab\\there'\n'\\u00e4'\n'%'\n"
    )
    assert frame.columns == ('it\'s, "x"',)
    assert frame['it\'s, "x"'].tolist() == ["a,b", 'c"d', "tab\there", "ä", "%"]


def test_sparse_rows_leave_out_zeros_and_first_values() -> None:
    frame = arff(HEAD + "{0 5, 1 b}\n{1 'c d'}\n{}\n{ 0 ? }\n{0 2}, {5}\n")
    np.testing.assert_array_equal(frame["n"], [5, 0, 0, np.nan, 2])
    assert frame["c"].tolist() == ["b", "c d", "a", "a", "a"]
    assert frame.weights is not None
    assert frame.weights.tolist() == [1, 1, 1, 1, 5]


def test_weights_follow_a_row() -> None:
    frame = arff(HEAD + "1,a,{0.5}\n2,'c d', {3}\n3,b\n")
    assert frame["c"].tolist() == ["a", "c d", "b"]
    assert frame.weights is not None
    assert frame.weights.tolist() == [0.5, 3.0, 1.0]
    assert arff(HEAD + "1,a\n").weights is None


def test_dates_are_read_by_their_pattern() -> None:
    frame = arff(
        "@relation t\n@attribute d date\n@attribute e date 'dd.MM.yyyy'\n"
        '@attribute f DATE "yyyy-MM-dd HH:mm"\n@data\n'
        "2024-03-01T12:00:00,01.03.2024,'2024-03-01 12:30'\n?,?,?\n"
    )
    stamps = [str(frame[name][0].astype("M8[m]")) for name in frame]
    assert stamps == ["2024-03-01T12:00", "2024-03-01T00:00", "2024-03-01T12:30"]
    assert all(frame.column(name).missing.tolist() == [False, True] for name in frame)


def test_decimals_in_an_integer_attribute_are_numbers() -> None:
    frame = arff("@relation t\n@attribute n integer\n@data\n1.5\n2\n")
    assert frame["n"].tolist() == [1.5, 2.0]


def test_tabs_may_divide_values() -> None:
    assert arff(HEAD + "1\ta\n2\tb\n")["c"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1,e\n", r"^t.arff, line 5: attribute 'c' holds 'e', which is not in its domain\."),
        (HEAD + "1,A\n", r"Hint: did you mean 'a'\?"),
        (HEAD + "x,a\n", r"^t.arff, line 5: attribute 'n' holds 'x', which is no number\.$"),
        (HEAD + "1\n", r"^t.arff, line 5 has 1 values, 2 attributes are declared\.$"),
        (HEAD + "1,a,b\n", r"line 5 has 3 values"),
        (HEAD + "1,'c d\n", r"^t.arff, line 5: cannot read .*\n  Hint: a value with spaces"),
        (HEAD + "1,'c' d\n", r"^t.arff, line 5: cannot read 'd'"),
        (
            HEAD + "{7 1}\n",
            r"^t.arff, line 5: sparse entry '7 1' does not begin with an index",
        ),
        (HEAD + "{0 1\n", r"^t.arff, line 5: a sparse row has no closing brace"),
        ("@relation t\n@attribute a numeric\n", r"^t.arff has no @data line"),
        ("a,b\n1,2\n", r"^t.arff, line 1 begins with 'a,b', not @relation"),
        ("@relation t\n@data\n", r"^t.arff has no @attribute line"),
        ("@relation t\n@attribute a {x,x}\n", r"^t.arff, line 2: the domain of 'a' lists a value"),
        ("@relation t\n@attribute a {x\n", r"^t.arff, line 2: the domain of 'a' has no closing"),
        ("@attribute a relational\n", r"^t.arff, line 1: attribute 'a' has type 'relational'\."),
        (
            "@attribute a numeric\n@attribute a real\n",
            r"^t.arff, line 2 declares attribute 'a'",
        ),
        ("@attribute\n", r"^t.arff, line 1 declares an attribute without a name"),
        ("@attribute d date 'EEE'\n@data\n", r"date format 'EEE', whose 'EEE' is not read"),
        ("@attribute d date\n@data\nx\n", r"^t.arff, line 3: attribute 'd' holds 'x', which is no"),
    ],
)
def test_mistakes_name_the_line(text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        arff(text)
