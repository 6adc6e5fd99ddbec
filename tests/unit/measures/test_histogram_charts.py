"""Histograms drawn: what the title says of a cut, bins that begin at it, values one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import DataError, ParameterError
from treewright.measures import histogram


def test_the_title_tells_the_shares_on_both_sides_of_the_cut() -> None:
    found = histogram([1, 2, 3, 4, 5, 6, 7, 8], list("nnnynyyy"), cut=4)
    assert found.draw("age").title == "y is 75\u202f% above 4 and 25\u202f% below"
    three = histogram([1, 2, 3, 4, 5, 6, 7, 8], list("aabbcccc"), cut=4)
    assert three.draw("age").title == "c is 100\u202f% above 4 and 0\u202f% below"
    assert histogram([1, 2, 3], list("aab"), cut=9).draw("age").title == "Rows by age and class"
    assert histogram([1, 2, 3]).draw("age", unit="cars").title == "Cars by age"


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=30),
    st.integers(-60, 60),
    st.integers(2, 30),
)
def test_no_bin_holds_numbers_of_both_sides_of_the_cut(
    numbers: list[int], cut: int, bins: int
) -> None:
    sides = ["below" if each <= cut else "above" for each in numbers]
    found = histogram(numbers, sides, cut=cut, bins=bins)
    assert found.counts.sum() == len(numbers)
    assert ((found.counts > 0).sum(axis=1) <= 1).all()
    assert found.edges is not None
    assert cut in found.edges
    below = found.edges[1:] <= cut
    if "below" in found.classes:
        assert found.counts[below, found.classes.index("below")].sum() == sides.count("below")


def test_numbers_are_columns_and_values_are_lines() -> None:
    numbers = histogram([*np.arange(40.0).tolist(), None], ["a", "b"] * 20 + ["a"])
    chart = numbers.draw("x")
    assert chart.edges is not None
    assert np.asarray(chart.missing).tolist() == [1.0, 0.0]
    assert chart.caption == "41 rows, 1 without a value."
    names = histogram(["red", "blue", "red", None], list("abab")).draw("colour")
    assert names.edges is None
    assert [name for name, _ in names.lines()] == ["red", "blue", "missing"]
    many = histogram([f"v{i:02}" for i in range(20)] * 2).draw()
    assert [name for name, _ in many.lines()][-1] == "13 more values"
    assert sum(line.sum() for _, line in many.lines()) == 40


def test_notebooks_show_the_picture_and_the_text() -> None:
    html = histogram([1, 2, 3], list("aab"))._repr_html_()
    assert html.startswith("<svg")
    assert "<pre>" in html


def test_mistakes_are_refused() -> None:
    with pytest.raises(DataError, match="cut parts numbers, but x holds other values"):
        histogram(["a", "b"], cut=1)
    with pytest.raises(DataError, match="must be a finite number"):
        histogram([1, 2], cut=float("nan"))
    with pytest.raises(DataError, match="with cut= they are a number"):
        histogram([1, 2], bins=[0, 1, 2], cut=1)
    with pytest.raises(ParameterError, match="bins"):
        histogram([1, 2], bins=1, cut=1)
