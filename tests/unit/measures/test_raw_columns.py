"""Measures and counts of raw columns: labels, cross tables, histograms, equivalent tests."""

import numpy as np
import pytest

import treewright as tw
from treewright import load_example, measures
from treewright.errors import DataError, ParameterError


@pytest.mark.parametrize("measure", [measures.entropy, measures.gini, measures.misclassification])
def test_labels_are_counted(measure: object) -> None:
    assert callable(measure)
    expected = measure([9, 5])
    assert measure(["yes"] * 9 + ["no"] * 5) == expected
    assert measure([True] * 9 + [False] * 5) == expected
    assert measure(np.array(["yes"] * 9 + ["no"] * 5)) == expected
    assert measure(labels=[1] * 9 + [0] * 5) == expected


def test_numbers_are_counts_as_before() -> None:
    assert measures.entropy([1, 1, 2]) == measures.entropy(np.array([1, 1, 2])) == 1.5


def test_gain_of_a_column() -> None:
    play = load_example("play_tennis")
    outlook = play.X["Outlook"]
    table = measures.contingency(outlook, play.y).table
    assert measures.gain(outlook, play.y) == measures.gain(table)
    assert measures.gain_ratio(outlook, play.y) == measures.gain_ratio(table)
    assert measures.gain(outlook, play.y, measure="gini") == measures.gain(table, measure="gini")


def test_a_cross_table_of_three_columns_has_all_sums() -> None:
    play = load_example("play_tennis")
    table = measures.cross_table(play.X, ["Outlook", "Wind"], y=play.y)
    assert table.names == ("Outlook", "Wind", "class")
    assert table.counts.sum() == 14
    assert str(table).startswith(
        "Outlook = Sunny\n\n        class\nWind    No  Yes  all\nWeak     2    1    3\n"
    )
    assert str(table).endswith("all      5    9   14")
    assert str(measures.cross_table(play.X, ["Wind"])) == (
        "Wind    rows\nWeak       8\nStrong     6\nall       14"
    )


def test_a_cross_table_counts_missing_values_and_weights() -> None:
    table = measures.cross_table({"c": ["a", None, "a"]}, y=["p", "p", "q"], weights=[1, 2, 3])
    assert table.values[0] == ("a", None)
    assert table.counts.tolist() == [[1.0, 3.0], [2.0, 0.0]]
    assert "missing" in str(table)
    with pytest.raises(ParameterError, match="columns lists 'd', which the table does not have"):
        measures.cross_table({"c": ["a"]}, ["d"])
    with pytest.raises(ParameterError, match="class has 2 entries, but the table has 1 rows"):
        measures.cross_table({"c": ["a"]}, y=[0, 1])


def test_a_contingency_table_prints_with_its_sums() -> None:
    counts = measures.contingency(["a", "b", "a"], ["p", "q", "q"])
    assert str(counts) == "     p  q  all\na    1  1    2\nb    0  1    1\nall  1  2    3"


def test_histograms_of_values_and_ranges() -> None:
    values = measures.histogram(["a", "b", "a", None])
    assert values.labels == ("a", "b")
    assert (
        values.text(ascii=True)
        == "         rows\na           2  ##\nb           1  #\nmissing     1  #"
    )
    ranges = measures.histogram([0.0, 1.0, 2.0, 10.0], bins=[0, 2, 10])
    assert ranges.labels == ("0 to 2", "2 to 10")
    assert ranges.counts[:, 0].tolist() == [2.0, 2.0]
    many = measures.histogram(list(range(100)), ["p", "q"] * 50)
    assert many.counts.shape == (10, 2)
    assert many.counts.sum() == 100
    assert max(map(len, many.text().splitlines())) < 60


def test_histograms_refuse_what_has_no_bin() -> None:
    with pytest.raises(DataError, match=r"x\[1\] is 5, outside the ranges from 0 to 2"):
        measures.histogram([1, 5], bins=[0, 2])
    with pytest.raises(DataError, match="bins divides numbers"):
        measures.histogram(["a"], bins=3)
    with pytest.raises(DataError, match="ascending"):
        measures.histogram([1], bins=[2, 1])


def test_equivalent_tests_of_the_textbook() -> None:
    table = load_example("table_3_2")
    tests = [
        ("Feature1", "<", 3),
        ("Feature1", "<", 4),
        ("Feature1", "<=", 2),
        ("Feature1", ">", 1),
        ("Feature1", ">", 2),
    ]
    found = measures.equivalent_tests(table.X, tests)
    assert found.groups == (
        ("Feature1 < 3", "Feature1 < 4", "Feature1 <= 2", "Feature1 > 2"),
        ("Feature1 > 1",),
    )
    assert found.passing[0].tolist() == [0, 1, 2, 3]


def test_equivalent_tests_at_a_node() -> None:
    play = load_example("play_tennis")
    tree = tw.ID3Classifier().fit(play.X, play.y).tree_
    found = measures.equivalent_tests(play.X, rows=tree.rows(1, play.X))
    alike = next(group for group in found.groups if "Humidity = High" in group)
    assert alike == ("Humidity = High", "Humidity = Normal")
    with pytest.raises(ParameterError, match="there is no column 'wind'"):
        measures.equivalent_tests(play.X, [("wind", "=", "Weak")])
    with pytest.raises(ParameterError, match="is no test"):
        measures.equivalent_tests(play.X, ("Wind", "=", "Weak"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="positions of rows, from 0 to 13"):
        measures.equivalent_tests(play.X, rows=[14])


def test_rows_without_a_value_are_part_of_the_partition() -> None:
    table = {"x": [1.0, 2.0, None], "z": [1.0, 2.0, 2.0]}
    found = measures.equivalent_tests(table, [("x", "<", 2), ("z", "<", 2)])
    assert len(found) == 2
